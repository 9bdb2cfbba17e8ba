// Edits of source text: what each remedy makes of a source, and the sources in which it must not touch anything, because
// something could depend on where elements lie.
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
  Finding out{.rule = "bank-conflict"};
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

Finding proposed(const std::string& source, const std::string& array, Remedy remedy) {
  findings::List list;
  list.findings.push_back(finding_at(source, array, remedy));
  propose(list, [&](const std::string&) { return std::string_view(source); });
  return list.findings[0];
}

// The source after the fix; empty where there is none.
std::string fixed(const std::string& source, const std::string& array, Remedy remedy) {
  const Finding finding = proposed(source, array, remedy);
  if (finding.fix->edits.empty()) return {};
  return applied(source, finding.fix->edits).value_or("cannot be applied");
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

TEST(LongerRows, LengthensTheLastDimension) {
  EXPECT_EQ(fixed(tile, "block", padded), with(tile, "[tile][tile]", "[tile][tile + 1]"));
  EXPECT_EQ(fixed(with(tile, "[tile][tile]", "[32][32]"), "block", padded),
            with(tile, "[tile][tile]", "[32][32 + 1]"));
  const std::string macro = with(tile, "constexpr int tile = 32;", "#define tile (4 * 8)");
  EXPECT_EQ(fixed(macro, "block", padded), with(macro, "[tile][tile]", "[tile][tile + 1]"));
  const std::string third = with(with(tile, "[tile][tile]", "[2][tile][tile]"), "block[thr", "block[0][thr");
  EXPECT_EQ(fixed(third, "block", padded), with(third, "[tile][tile]", "[tile][tile + 1]"));
}

TEST(LongerRows, KnowsTheElementsByOtherNames) {
  for (const char* type : {"typedef float T;", "using T = float;", "#define T float"}) {
    const std::string other = std::string(type) + "\n" + with(tile, "__shared__ float", "__shared__ T");
    EXPECT_EQ(fixed(other, "block", padded), with(other, "[tile][tile]", "[tile][tile + 1]")) << type;
  }
  const std::string generic =
      "template <typename T, int tile>\n" +
      with(with(tile, "constexpr int tile = 32;\n", ""), "__shared__ float", "__shared__ T");
  EXPECT_EQ(fixed(generic, "block", padded), "") << "the size of T is not known";
  const std::string by_number = with(generic, "__shared__ T", "__shared__ float");
  EXPECT_EQ(fixed(by_number, "block", padded), with(by_number, "[tile][tile]", "[tile][tile + 1]"));
}

TEST(LongerRows, AllowsWhatTakesOneElement) {
  for (const char* use :
       {"atomicAdd(&block[threadIdx.x][0], 1.0f);", "float f = 2.0f * block[1][2] + block[0][threadIdx.x];",
        "float f = n & int(block[1][2]);", "other.block = 1; other->block[2] = 3;",
        "auto f = [&] { return block[1][threadIdx.x]; };"}) {
    const std::string source = with(tile, "__syncthreads();", use);
    EXPECT_NE(fixed(source, "block", padded), "") << use;
  }
}

TEST(LongerRows, LeavesArraysAloneWhoseLayoutMatters) {
  for (const char* use :
       {"float* p = block[0];", "float* p = &block[0][0];", "g(block);", "g(block[1]);",
        "float (*p)[32] = block;", "float& r = block[1][2];", "const auto& r = block[1][2];",
        "auto&& r = block[1][2];", "g(sizeof block);", "float f = block[0][threadIdx.y * 32 + threadIdx.x];",
        "float f = (*block)[3];", "memcpy(&block[0][0], in, 4096);", "asm volatile(\"\" :: \"r\"(block));",
        "int block[4][4]; g2(block[1][2]);", "auto f = [&]() -> float* { return &block[0][1]; };",
        "__pipeline_memcpy_async(&block[threadIdx.y][threadIdx.x], in, 4);", "float (&q)[32] = block[1];"}) {
    const std::string source = with(tile, "__syncthreads();", use);
    EXPECT_EQ(fixed(source, "block", padded), "") << use;
  }
  EXPECT_EQ(fixed(with(tile, "[tile][tile]", "[tile * tile]"), "block", padded), "");
  EXPECT_EQ(fixed(with(tile, "__shared__", "extern __shared__"), "block", padded), "");
  EXPECT_EQ(fixed(with(tile, "tile = 32", "tile = 16"), "block", padded), "") << "rows of another length";
  EXPECT_EQ(fixed("#define AT(i) block[i]\n" + tile, "block", padded), "");
  EXPECT_NE(fixed("#define AT(i, j) block[i][j]\n" + tile, "block", padded), "");
  EXPECT_EQ(fixed("#if X\n{\n#else\n{\n#endif\n" + tile, "block", padded), "") << "the brackets do not close";
  EXPECT_EQ(fixed(with(tile, "__shared__ float", "/* 名 */ __shared__ float"), "block", padded), "")
      << "columns differ";
}

TEST(LongerRows, SeesOneOfSeveralDeclarators) {
  const std::string two = with(tile, "float block[tile][tile]", "float a[4], block[tile][tile], c[2]");
  EXPECT_EQ(fixed(two, "block", padded), with(two, "[tile][tile]", "[tile][tile + 1]"));
  const std::string elsewhere = tile + with(with(tile, "/*@*/", ""), "[tile][tile]", "[tile][tile + 1]");
  EXPECT_EQ(fixed(elsewhere, "block", padded), fixed(tile, "block", padded) + elsewhere.substr(tile.size()));
}

TEST(OtherOrder, SwapsDeclarationAndUses) {
  const std::string source = R"(__global__ void k(const float* in, float* out) {
  __shared__ float part[256][4];
  for (int k = 0; k < 4; ++k) part[threadIdx.x][k] = in[threadIdx.x * 4 + k];
  __syncthreads();
  out[threadIdx.x] = /*@*/part[threadIdx.x][0] + part[min(255u, threadIdx.x + 1)][1];
}
)";
  const std::string want = R"(__global__ void k(const float* in, float* out) {
  __shared__ float part[4][256];
  for (int k = 0; k < 4; ++k) part[k][threadIdx.x] = in[threadIdx.x * 4 + k];
  __syncthreads();
  out[threadIdx.x] = /*@*/part[0][threadIdx.x] + part[1][min(255u, threadIdx.x + 1)];
}
)";
  const Remedy order{Kind::other_order, 0, 0};
  EXPECT_EQ(fixed(source, "part", order), want);
  for (const char* index : {"[f()][1]", "[i++][1]", "[i = 2][1]", "[part[1][2]][1]"})
    EXPECT_EQ(fixed(with(source, "[threadIdx.x][0]", index), "part", order), "") << index;
  EXPECT_EQ(fixed("#define P(i) part[i][0]\n" + source, "part", order), "");
  EXPECT_EQ(fixed(with(source, "[256][4]", "[256][4][2]"), "part", order), "");
}

TEST(OtherOrder, SwapsDeviceArraysThatOnlyThisFileIndexes) {
  const std::string source = R"(__device__ float grid[1024][64];
__global__ void fill() { grid[threadIdx.x][blockIdx.x] = 1; }
__global__ void k(float* out) { out[threadIdx.x] = /*@*/grid[threadIdx.x][3]; }
)";
  const Remedy order{Kind::other_order, 0, 0};
  EXPECT_EQ(fixed(source, "grid", order), R"(__device__ float grid[64][1024];
__global__ void fill() { grid[blockIdx.x][threadIdx.x] = 1; }
__global__ void k(float* out) { out[threadIdx.x] = /*@*/grid[3][threadIdx.x]; }
)");
  EXPECT_EQ(fixed(source + "void f(void* p) { cudaMemcpyToSymbol(grid, p, 4); }\n", "grid", order), "");
  EXPECT_EQ(fixed("extern " + source, "grid", order), "");
  EXPECT_EQ(fixed(with(source, "[64];", "[64] = {{1}};"), "grid", order), "");
}

const std::string pair = R"(struct Pair { float a, b; };
__global__ void copy(const Pair* in, Pair* out) { out[threadIdx.x] = /*@*/in[threadIdx.x]; }
int main() {
  Pair* p = (Pair*)malloc(64 * sizeof(Pair));
  Pair *in, *out;
  cudaMalloc((void**)&in, 64 * sizeof(Pair));
}
)";

TEST(Aligned, DeclaresTheStructure) {
  const Remedy eight{Kind::aligned, 8, 0};
  EXPECT_EQ(fixed(pair, "in", eight), with(pair, "struct Pair {", "struct __align__(8) Pair {"));
  const std::string alias = with(
      with(pair, "struct Pair { float a, b; };", "typedef struct { float a; int b[1]; } Pair;"), "x", "x");
  EXPECT_EQ(fixed(alias, "in", eight), with(alias, "typedef struct {", "typedef struct __align__(8) {"));
  const std::string typed = with(pair, "(void**)&in", "(Pair**)&in"); // what it is given to is one anyway
  EXPECT_EQ(fixed(typed, "in", eight), with(typed, "struct Pair {", "struct __align__(8) Pair {"));
  for (const char* more :
       {"void f(float* f) { g((Pair**)&f); }", "struct Two { int i; Pair p; };", "struct Two : Pair {};",
        "void f(float* f) { g((Pair*)f); }", "void f(float* f) { g(reinterpret_cast<const Pair*>(f)); }",
        "#pragma pack(1)", "typedef Pair Q;", "#define Q Pair", "using Q = Pair;",
        "union U { Pair p; int i; };"})
    EXPECT_EQ(fixed(pair + more + "\n", "in", eight), "") << more;
  EXPECT_EQ(fixed(with(pair, "struct Pair", "struct alignas(4) Pair"), "in", eight), "");
  EXPECT_EQ(fixed(with(pair, "float a, b;", "float a, b, c;"), "in", eight), "");
  EXPECT_EQ(fixed(with(pair, "float a, b;", "float a : 3, b;"), "in", eight), "");
}

TEST(Aligned, DeclaresTheArray) {
  const std::string source =
      "static __device__ float grid[64][4];\n"
      "__global__ void k(float* out) { out[threadIdx.x] = /*@*/grid[threadIdx.x][3]; }\n";
  EXPECT_EQ(fixed(source, "grid", {Kind::aligned, 16, 0}),
            with(source, "__ float", "__ __align__(16) float"));
}

const std::string launched = R"(__global__ void scale(const float* a, float *sum, int n) {
  for (int i = 0; i < n; ++i) sum[threadIdx.x] += /*@*/a[threadIdx.x];
}
int main() {
  float *a, *b = nullptr;
  CHECK(cudaMalloc((void **)&a, 256));
  cudaMalloc(&b, 256);
  scale<<<1, 32>>>(a, b, 3);
  cudaMemcpy(b, a, 4, cudaMemcpyDefault);
  cudaFree(a);
}
)";

TEST(Restricted, WhereEveryLaunchHasItsOwnMemory) {
  const Remedy restrict {Kind::restricted, 0, 0};
  EXPECT_EQ(fixed(launched, "a", restrict), with(launched, "const float* a", "const float* __restrict__ a"));
  EXPECT_EQ(fixed(launched, "sum", restrict), with(launched, "float *sum", "float * __restrict__ sum"));
  // A pointer that is constant itself, and members of what it leads to.
  const std::string constant = with(launched, "const float* a", "const float* const a");
  EXPECT_EQ(fixed(constant, "a", restrict),
            with(constant, "const float* const a", "const float* __restrict__ const a"));
  const std::string member = with(launched, "for (int i", "sum->x = 1; for (int i");
  EXPECT_EQ(fixed(member, "sum", restrict), with(member, "float *sum", "float * __restrict__ sum"));
  struct {
    const char *from, *to;
  } changes[] = {{"(a, b, 3)", "(a, a, 3)"},
                 {"(a, b, 3)", "(a, b + 1, 3)"},
                 {"cudaMalloc(&b, 256);", "b = a;"},
                 {"cudaFree(a);", "a = b;"},
                 {"cudaFree(a);", "std::swap(a, other);"},
                 {"cudaFree(a);", "g(&scale);"},
                 {"cudaFree(a);", "change(a);"},
                 {"int main() {", "int main() { float*& r = a;"},
                 {"int main()", "int start()"},
                 {"int n)", "Table n)"},
                 {"for (int i", "a += 1; for (int i"},
                 {"const float* a", "const float* __restrict__ a"},
                 {"= nullptr", "= other"}};
  for (auto [from, to] : changes) EXPECT_EQ(fixed(with(launched, from, to), "a", restrict), "") << to;
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
            "in the index 'x * n + y' it is 'x * n' that follows threadIdx.x, and it is multiplied");
  EXPECT_EQ(finding.notes[0].place->line, 3u);
  EXPECT_EQ(finding.notes[1].text,
            "another order of the indices of 'a' changes line 4 of this function, too");
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

TEST(Tokens, KeepToTheLanguage) {
  const Source s(
      "a /* [ */ // [ \\\n still [\n\"[\\\"\" R\"x([)\")x\" '[' 1'000 0x1e+2 1e+2f b\n# define c [\n d");
  std::vector<std::string> words;
  for (const Token& t : s.tokens()) words.emplace_back(t.text);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "\"[\\\"\"", "R\"x([)\")x\"", "'['", "1'000", "0x1e", "+",
                                             "2", "1e+2f", "b", "define", "c", "[", "d"}));
  EXPECT_TRUE(s.sound());
  EXPECT_TRUE(s.at(10).directive);
  EXPECT_FALSE(s.at(13).directive);
  EXPECT_FALSE(Source("f(]").sound());
  EXPECT_FALSE(Source("\"abc").sound());
  EXPECT_FALSE(Source("/* abc").sound());
}

} // namespace
} // namespace warplens::fix
