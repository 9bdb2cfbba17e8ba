// A source with a finding: its notes, and when whoever makes edits is asked about it. What is edited and what is not:
// edits_test.cpp.
#include "fix/edits.h"
#include "fix/propose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::fix {
namespace {

using findings::Finding;
using findings::Remedy;
using Kind = Remedy::Kind;
using testing::HasSubstr;

// A finding at the mark /*@*/ of the source.
Finding finding_at(const std::string& source, const std::string& array, Remedy remedy) {
  Finding out{.rule = findings::Rule::bank_conflict};
  const std::size_t at = source.find("/*@*/");
  EXPECT_NE(at, source.npos);
  const std::size_t line_begin = source.rfind('\n', at) + 1;
  out.place = {{"a.cu",
                static_cast<u32>(1 + std::count(source.begin(), source.begin() + static_cast<i64>(at), '\n')),
                static_cast<u32>(at - line_begin + 1),
                {}}};
  out.array = array;
  out.fix = findings::Fix{"words", "", {}, remedy};
  return out;
}

// With its notes, and what becomes of the answer.
Finding proposed(const std::string& source, const std::string& array, Remedy remedy,
                 const Answered& answered = {}) {
  findings::List list;
  list.findings.push_back(finding_at(source, array, remedy));
  const auto text_of = [&](const std::string&) { return std::string_view(source); };
  show(list, text_of);
  if (!answered.made.empty() || !answered.problem.empty())
    propose(list, text_of, [&](const std::string&, const std::vector<Wish>&) { return answered; });
  return list.findings[0];
}

bool is_asked(const std::string& source, const std::string& array, Remedy remedy) {
  findings::List list;
  list.findings.push_back(finding_at(source, array, remedy));
  u32 asked = 0;
  propose(
      list, [&](const std::string&) { return std::string_view(source); },
      [&](const std::string& file, const std::vector<Wish>& wishes) {
        EXPECT_EQ(file, "a.cu");
        asked += static_cast<u32>(wishes.size());
        return Answered{};
      });
  return asked == 1;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

constexpr Remedy padded{Kind::longer_rows, 4, 128};
const std::string tile = R"(constexpr int tile = 32;
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float block[tile][tile]; // a comment with block
  block[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = /*@*/block[threadIdx.x][threadIdx.y];
}
)";

TEST(Propose, AsksWhereTokensShowSomethingToEdit) {
  EXPECT_TRUE(is_asked(tile, "block", padded));
  EXPECT_FALSE(is_asked(tile, "in", padded));
  EXPECT_TRUE(is_asked(with(tile, "float block[tile]", "float (block)[tile]"), "block", padded));
  EXPECT_FALSE(is_asked(tile, "block", {Kind::longer_rows, 68, 128})) << "most of the array would be unused";
  EXPECT_FALSE(is_asked(with(tile, "[tile][tile]", "[tile * tile]"), "block", padded));
  EXPECT_FALSE(is_asked(with(tile, "__shared__", "__device__"), "block", padded));
  EXPECT_FALSE(is_asked(tile, "block", {Kind::other_order, 0, 0})) << "people choose the order";
  EXPECT_TRUE(is_asked(tile, "out", {Kind::restricted, 0, 0}));
  EXPECT_FALSE(is_asked(tile, "block", {Kind::none, 0, 0}));
  const std::string pairs =
      "struct P { float x, y; };\n__global__ void k(const P* p) { use(/*@*/p[threadIdx.x]); }\n";
  EXPECT_TRUE(is_asked(pairs, "p", {Kind::aligned, 8, 0}));
  EXPECT_FALSE(is_asked(pairs, "p", {Kind::aligned, 16, 0}));
  // Of what is on one line with the head of its function, nvcc says that it is in the head.
  EXPECT_TRUE(
      is_asked("struct P { float x, y; };\n__global__ void k(const P* /*@*/p) { use(p[threadIdx.x]); }\n",
               "p", {Kind::aligned, 8, 0}));
  EXPECT_TRUE(is_asked(
      "__global__ void /*@*/k(int* a) { __shared__ int t[32][32]; t[0][threadIdx.x] = 1; }\n", "t", padded));
  EXPECT_FALSE(is_asked("void f(int /*@*/a);\nvoid g() { __shared__ int t[32][32]; }\n", "t", padded));
}

TEST(Propose, SaysWhyThereIsNoEdit) {
  Finding finding = proposed(tile, "block", padded, {{}, {Made{{}, "a row of it is used as a whole", 5, 3}}});
  EXPECT_THAT(finding.fix->edits, testing::IsEmpty());
  ASSERT_EQ(finding.notes.size(), 2u);
  EXPECT_EQ(finding.notes[1].text, "no edit of the source: a row of it is used as a whole");
  EXPECT_EQ(finding.notes[1].place->line, 5u);
  // Where tokens show no declaration to edit, nobody is asked.
  auto why = [](const std::string& source, const std::string& array, Remedy remedy) {
    return proposed(source, array, remedy, {"not asked", {}}).notes.back().text;
  };
  const std::string macro = with(with(tile, "__shared__ float block[tile][tile]", "TILE(block)"), "constexpr",
                                 "#define TILE(a) __shared__ float a[32][32]\nconstexpr");
  EXPECT_THAT(why(macro, "block", padded),
              HasSubstr("no edit of the source: its declaration is not of the form"));
  const std::string named = with(with(tile, "__shared__ float block[tile][tile]", "__shared__ rows block"),
                                 "constexpr", "typedef float rows[32][32];\nconstexpr");
  EXPECT_THAT(why(named, "block", padded),
              HasSubstr("no edit of the source: its declaration is not of the form"));
  EXPECT_THAT(why(tile, "block", {Kind::longer_rows, 68, 128}), HasSubstr("more than half as long again"));
  EXPECT_THAT(why("__global__ void k(float* p) { use(/*@*/p[threadIdx.x]); }\n", "p", {Kind::aligned, 8, 0}),
              HasSubstr("its elements are not of a structure"));
  finding = proposed(tile, "block", padded, {"clang cannot parse it", {}});
  EXPECT_EQ(finding.notes.at(1).text, "no edit of the source: clang cannot parse it");
  EXPECT_FALSE(finding.notes[1].place.has_value());
}

TEST(Propose, TakesEditsThatCanBeMade) {
  const findings::Edit longer{{}, 3, 36, 3, 36, " + 1"};
  Finding finding = proposed(tile, "block", padded, {{}, {Made{{longer}}}});
  ASSERT_EQ(finding.fix->edits.size(), 1u);
  EXPECT_EQ(finding.fix->edits[0].file, "a.cu");
  EXPECT_THAT(applied(tile, finding.fix->edits).value_or(""), HasSubstr("block[tile][tile + 1]"));
  EXPECT_EQ(finding.notes.size(), 1u);
  const std::string umlaut = with(tile, "  __shared__", "/* \u00fc */ __shared__");
  EXPECT_THAT(proposed(umlaut, "block", padded, {{}, {Made{{longer}}}}).notes.at(1).text, HasSubstr("ASCII"));
  const findings::Edit within{{}, 3, 32, 3, 37, "x"};
  EXPECT_THAT(proposed(tile, "block", padded, {{}, {Made{{longer, within}}}}).fix->edits, testing::IsEmpty());
}

TEST(Asked, TravelsAsJson) {
  const Asked asked{{{"clang", "-DX=\"1\""}, {"clang"}}, "/a b.cu", "text\n", {{padded, "t", 3, 4}}};
  const std::optional<Asked> back = read_asked(json(asked));
  ASSERT_TRUE(back);
  EXPECT_EQ(json(*back), json(asked));
  EXPECT_EQ(back->wishes[0].remedy.row, 128u);
  const Answered answered{"no", {Made{{{{}, 1, 2, 3, 4, "x"}}, "why", 5, 6}}};
  ASSERT_TRUE(read_answered(json(answered)));
  EXPECT_EQ(json(*read_answered(json(answered))), json(answered));
  for (const char* text : {"", "{", "[]", "{\"problem\":3}", "{\"problem\":\"\",\"made\":[{}]}"})
    EXPECT_FALSE(read_answered(text)) << text;
}

TEST(Notes, NameTheDeclarationTheMemberAndTheOrder) {
  Finding finding = proposed(tile, "block", padded);
  ASSERT_EQ(finding.notes.size(), 1u);
  EXPECT_EQ(finding.notes[0].text, "'block' is declared here; its rows have 'tile' elements");
  EXPECT_EQ(finding.notes[0].place->line, 3u);
  EXPECT_EQ(finding.notes[0].place->column, 20u);

  const std::string flat = with(with(tile, "[tile][tile]", "[tile * tile]"), "][thr", " * 32 + thr");
  EXPECT_THAT(proposed(flat, "block", padded).notes.at(0).text, HasSubstr("without rows"));

  const std::string member = "struct P { float x, y, z; };\n"
                             "__global__ void k(P* p) { p[threadIdx.x]./*@*/y = 1; }\n";
  finding = proposed(member, "p", {Kind::other_order, 0, 0});
  ASSERT_EQ(finding.notes.size(), 1u);
  EXPECT_EQ(finding.notes[0].text, "'y' is a member of 'P', 4 of its 12 bytes");
  EXPECT_EQ(finding.notes[0].place->column, 21u);

  const std::string order =
      "__global__ void k(float* a, int n) {\n  int x = blockIdx.x * 32 + threadIdx.x, y = 3;\n"
      "  a[x * n + y] = /*@*/1;\n  a[0] = 2;\n}\n";
  finding = proposed(order, "a", {Kind::other_order, 0, 0});
  ASSERT_EQ(finding.notes.size(), 2u);
  EXPECT_EQ(finding.notes[0].text,
            "in the index 'x * n + y', 'x * n' follows threadIdx.x, and it is multiplied");
  EXPECT_EQ(finding.notes[0].place->line, 3u);
  EXPECT_EQ(finding.notes[1].text,
            "another order of the indices of 'a' changes line 4 of this function, too");
}

TEST(Notes, SayWhereNoOrderOfTheIndicesHelps) {
  auto diagonal = [](const std::string& index, const std::string& more = "") {
    const Finding finding =
        proposed("__global__ void k(float* a, int n, int d) {\n  int i = blockIdx.x * 32 + threadIdx.x + 1;\n"
                 "  " +
                     more + "\n  a[" + index + "] = /*@*/1;\n}\n",
                 "a", {Kind::other_order, 0, 0});
    return finding.fix->text.find("diagonals") != std::string::npos;
  };
  EXPECT_TRUE(diagonal("i * n + j", "int j = d - i;"));
  EXPECT_TRUE(diagonal("(i - 1) * n + d - threadIdx.x"));
  EXPECT_TRUE(diagonal("i][d - i"));
  EXPECT_FALSE(diagonal("i * n + j", "int j = i % 4;")) << "neighbouring threads are neighbours there";
  EXPECT_FALSE(diagonal("i * n + j", "int j = d;"));
  EXPECT_FALSE(diagonal("i * n + d - 1"));
}

TEST(Edits, AreAppliedTogetherOrNotAtAll) {
  const std::string text = "one two\nthree\n";
  using findings::Edit;
  const Edit insert{"f", 1, 4, 1, 4, "+"}, replace{"f", 2, 1, 2, 6, "3"};
  EXPECT_EQ(applied(text, std::vector{replace, insert, insert}), "one+ two\n3\n");
  EXPECT_EQ(applied(text, std::vector{replace, Edit{"f", 2, 2, 2, 3, "x"}}), std::nullopt);
  EXPECT_EQ(applied(text, std::vector{Edit{"f", 3, 1, 3, 1, "x"}}), std::nullopt);
  EXPECT_EQ(applied(text, std::vector{Edit{"f", 1, 9, 1, 9, "x"}}), std::nullopt);
}

TEST(Edits, AreShownAsADiff) {
  std::string before, after;
  for (int i = 1; i <= 20; ++i) {
    before += "line " + std::to_string(i) + (i == 20 ? "" : "\n");
    after += (i == 5 || i == 20 ? "new " : "line ") + std::to_string(i) + (i == 20 ? "" : "\n");
  }
  EXPECT_EQ(
      unified_diff("/x/a.cu", before, after),
      "--- a/x/a.cu\n+++ b/x/a.cu\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+new 5\n line 6\n "
      "line 7\n line 8\n"
      "@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n\\ No newline at end of file\n+new 20\n"
      "\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("a.cu", before, before), "");
}

} // namespace
} // namespace warplens::fix
