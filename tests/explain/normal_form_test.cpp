// The symbolic result contains the concrete one: random C expressions, evaluated thread by thread and as a
// normal form.
#include "explain/expr/evaluate.h"
#include "explain/expr/parser.h"
#include "explain/model/form.h"
#include "explain/support.h"
#include <fmt/format.h>
#include <random>

namespace warplens::explain {
namespace {

class Writer {
public:
  explicit Writer(u64 seed) : random_(seed) {}

  std::string expression(u32 depth) {
    if (depth == 0 || random_() % 5 == 0) return leaf();
    static constexpr std::string_view binary[] = {"+",  "-", "*",  "+",  "*",  "/", "%", "<<", ">>", "<",
                                                  "<=", ">", ">=", "==", "!=", "&", "|", "^",  "&&", "||"};
    switch (random_() % 10) {
    case 0:
      return fmt::format("({} ? {} : {})", expression(depth - 1), expression(depth - 1),
                         expression(depth - 1));
    case 1:
      return fmt::format("{}({}, {})", random_() % 2 != 0 ? "min" : "max", expression(depth - 1),
                         expression(depth - 1));
    case 2:
      return fmt::format("{}({})",
                         std::array{"-", "~", "!", "(int)", "(unsigned)", "(long long)", "(size_t)",
                                    "(short)", "(unsigned char)", "abs"}[random_() % 10],
                         expression(depth - 1));
    default:
      return fmt::format("({} {} {})", expression(depth - 1), binary[random_() % std::size(binary)],
                         expression(depth - 1));
    }
  }

private:
  std::string leaf() {
    switch (random_() % 8) {
    case 0:
    case 1: return "threadIdx.x";
    case 2: return "threadIdx.y";
    case 3: return "blockIdx.x";
    case 4: return "blockDim.x";
    case 5: return "n";
    case 6: return "warpSize";
    default:
      return std::array{
          "0",    "1",    "2u",    "3",          "7",          "31",  "32",
          "0x40", "1000", "65536", "2147483647", "4294967295", "5LL", "0xffULL"}[random_() % 14];
    }
  }
  std::mt19937_64 random_;
};

struct Parsed {
  Texts texts;
  Tree tree;
  NodeId root;
  explicit Parsed(const std::string& text) {
    Parser parser(texts, tree);
    EXPECT_FALSE(parser.define("n", "1000"));
    Result<NodeId> node = parser.expression("expression", text);
    EXPECT_TRUE(node) << text << ": " << (node ? "" : node.error().message);
    if (node) root = *node;
  }
};

TEST(NormalForm, HasTheValueThatEachThreadComputes) {
  Question q = question("", {16, 4, 1});
  q.grid = {5, 1, 1};
  u32 compared = 0;
  for (u64 seed = 0; seed < 3000; ++seed) {
    std::string text = Writer(seed).expression(4);
    Parsed parsed(text);
    ASSERT_TRUE(parsed.root.valid());
    NormalForm form(parsed.tree, ranges_of(parsed.tree, q));
    symbolic::QuasiPolynomial normal = form.of(parsed.root);
    symbolic::Interval range = form.algebra().range(normal);
    Evaluator evaluator(parsed.tree, parsed.texts);
    for (u32 thread = 0; thread < 64; thread += 5) {
      Values values = {thread % 16, thread / 16, 0, thread % 5, 0, 0, 16, 4, 1, 5, 1, 1, 32, 1000};
      Result<Wide> value = evaluator.evaluate(parsed.root, values);
      if (!value) continue; // undefined in C, and diagnosed
      std::vector<Wide> all = values;
      form.algebra().complete(all);
      Wide symbolic = symbolic::Algebra::evaluate(normal, all);
      ASSERT_TRUE(symbolic == *value) << text << "\n"
                                      << form.algebra().text(normal) << "\n"
                                      << decimal(symbolic) << " and " << decimal(*value);
      ASSERT_TRUE(range.contains(*value)) << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10000u);
}

// Whatever the text, the answer comes quickly: an explanation or a diagnostic.
TEST(NormalForm, LargeAndSenselessTextsAreAnsweredQuickly) {
  std::mt19937_64 random(1);
  static constexpr std::string_view pieces[] = {"threadIdx.x", "(", ")", "[", "]", "+",   "*",    "%",
                                                "/",           "?", ":", "1", "0", "n",   "&&",   "<<",
                                                ".",           ",", "-", "~", "A", "min", "(int)"};
  for (u32 i = 0; i < 3000; ++i) {
    std::string text = i % 2 == 0 ? "A[" : "";
    for (u64 count = random() % 40; count > 0; --count) text += pieces[random() % std::size(pieces)];
    Question q = question(text);
    q.settings = {{"n", "17"}};
    ResultOr<Explanation, Rejection> out = explain(q);
    EXPECT_TRUE(out || !out.error().diagnostic.message.empty()) << text;
  }
  std::string product = "1", nested = "threadIdx.x";
  for (u32 i = 0; i < 60; ++i) product += fmt::format("*(threadIdx.x+n+{}u)", i);
  while (2 * nested.size() < longest_text - 40) nested = fmt::format("(({0})%3+1)*(({0})%5+2)", nested);
  for (const std::string& text : {product, nested}) {
    Question q = question(text, {1024, 1, 1});
    q.settings = {{"n", "17"}};
    ResultOr<Explanation, Rejection> out = explain(q);
    EXPECT_TRUE(!out || out->form.index.size() < 500);
  }
  for (u64 seed = 0; seed < 200; ++seed) {
    Question q = question(Writer(seed).expression(8), {64, 16, 1});
    q.settings = {{"n", "17"}};
    ResultOr<Explanation, Rejection> out = explain(q);
    EXPECT_TRUE(out || !out.error().diagnostic.kind.empty());
  }
}

TEST(NormalForm, SplitsTheTeachingExamples) {
  Question q = question("A[Row*n + i]", {16, 16, 1});
  q.settings = {{"n", "1024"}, {"i", "5"}, {"Row", "blockIdx.y*blockDim.y + threadIdx.y"}};
  Explanation a = answered(q);
  EXPECT_EQ(a.form.kind, FormKind::uniform);
  EXPECT_EQ(a.form.index, "i + blockIdx.y*blockDim.y*n + threadIdx.y*n");
  q.access = "A[i*n + Col]";
  q.settings[2] = {"Col", "blockIdx.x*blockDim.x + threadIdx.x"};
  Explanation b = answered(q);
  EXPECT_EQ(b.form.kind, FormKind::consecutive);
  EXPECT_EQ(b.form.coefficient, "1");
  EXPECT_EQ(b.form.rest, "n*i + blockIdx.x*blockDim.x");
}

} // namespace
} // namespace warplens::explain
