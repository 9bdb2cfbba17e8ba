// What can be asked and what is refused, by kind of diagnostic; forms, types, wrap-around, faults.
#include "base/diagnostic.h"
#include "explain/expr/type.h"
#include "explain/support.h"

namespace warplens::explain {
namespace {

TEST(Question, RefusesBadExpressions) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "explain-empty"},
      {"A[", "explain-syntax"},
      {"A[threadIdx.x", "explain-syntax"},
      {"A[(threadIdx.x]", "explain-syntax"},
      {"A[threadIdx.x))]", "explain-syntax"},
      {"A[1+]", "explain-syntax"},
      {"A[1 2]", "explain-syntax"},
      {"A[1 ? 2]", "explain-syntax"},
      {"A[foo]", "explain-unknown-name"},
      {"A[threadIdx]", "explain-syntax"},
      {"A[threadIdx.w]", "explain-member"},
      {"A[2147483647 + 1]", "explain-overflow"},
      {"A[-2147483647 - 2]", "explain-overflow"},
      {"A[1 / 0]", "explain-division-by-zero"},
      {"A[1 % (threadIdx.x - threadIdx.x)]", "explain-division-by-zero"},
      {"A[1 << 32]", "explain-shift"},
      {"A[1 << -1]", "explain-shift"},
      {"A[99999999999999999999]", "explain-number"},
      {"A[12abc]", "explain-number"},
      {"A[0x]", "explain-number"},
      {"A[1.5]", "explain-number"},
      {"A[$]", "explain-character"},
      {"A[\"x\"]", "explain-character"},
      {"A[\x01]", "explain-character"},
      {"A[B[0]]", "explain-loaded"},
      {"A[f(1)]", "explain-function"},
      {"A[i++]", "explain-syntax"},
      {"A[0] + A[1]", "explain-one-access"},
      {"A[0] = B[1]", "explain-one-access"},
      {"A[0].x", "explain-member"},
      {"A[0]->x", "explain-arrow"},
      {"A[0][1]", "explain-dims"},
      {"**A", "explain-operator"},
      {"A[(long long)1 << 62]", "explain-address"}};
  for (const auto& [text, kind] : cases) EXPECT_EQ(refused(question(text)), kind) << text;
}

TEST(Question, CaretsPointAtTheCulprit) {
  ResultOr<Explanation, Rejection> out = explain(question("A[threadIdx.x / (3 - 3)]"));
  ASSERT_FALSE(out);
  std::string text = diag::render(out.error().diagnostic, out.error().source);
  EXPECT_NE(text.find("expression:1:3: error: 'threadIdx.x / (3 - 3)' divides by zero"), text.npos) << text;
  EXPECT_NE(text.find("\n      ^~~~"), text.npos) << text;
}

TEST(Question, RefusesLongAndDeepInput) {
  EXPECT_EQ(refused(question("A[" + std::string(100000, '1') + "]")), "explain-too-long");
  EXPECT_EQ(refused(question(std::string(500, '('))), "explain-too-deep");
  EXPECT_EQ(refused(question(std::string(900, '~') + "1")), "explain-too-deep");
  std::string chain = "1";
  for (u32 i = 0; i < 300; ++i) chain += "?1:1";
  EXPECT_EQ(refused(question(chain)), "explain-too-deep");
  std::string sum = "threadIdx.x";
  for (u32 i = 0; i < 900; ++i) sum += "+1";
  EXPECT_EQ(answered(question(sum)).drawn[0].address[0], origin + 3600);
}

TEST(Question, RefusesImpossibleLaunches) {
  for (Dim3 block :
       {Dim3{0, 1, 1}, Dim3{1025, 1, 1}, Dim3{32, 33, 1}, Dim3{1, 1, 65}, Dim3{4294967295u, 4294967295u, 2}})
    EXPECT_EQ(refused(question("A[0]", block)), "explain-block");
  // What the architecture can launch, not what the latest can.
  EXPECT_EQ(refused(question("A[0]", {1024, 1, 1}, 10)), "explain-block");
  answered(question("A[0]", {512, 1, 1}, 10));
  answered(question("A[0]", {1024, 1, 1}, 20));
  Question q = question("A[0]", {32, 1, 1}, 20);
  q.grid = {65536, 1, 1};
  EXPECT_EQ(refused(q), "explain-grid");
  q.sm = 30;
  answered(q);
  q = question("A[0]", {32, 1, 1}, 42);
  EXPECT_EQ(refused(q), "explain-architecture");
  q = question("A[0]");
  q.warp = 1;
  EXPECT_EQ(refused(q), "explain-warp");
  q = question("A[0]");
  q.cta = {1, 0, 0};
  EXPECT_EQ(refused(q), "explain-cta");
  q = question("A[0]");
  q.grid = {1, 0, 1};
  EXPECT_EQ(refused(q), "explain-grid");
  q = question("A[0]");
  q.space = access::Space::constant;
  q.kind = access::Kind::store;
  EXPECT_EQ(refused(q), "explain-operation");
}

TEST(Question, DefinitionsAndConditions) {
  Question q = question("A[i]", {32, 1, 1});
  q.settings = {{"n", "1000"}, {"i", "blockIdx.x*blockDim.x + threadIdx.x"}};
  q.grid = {32, 1, 1};
  q.cta = {31, 0, 0};
  q.condition = "i < n";
  EXPECT_EQ(answered(q).warp.threads, 8u);
  q.settings[0].second = "0 - 5";
  EXPECT_EQ(answered(q).warp.threads, 0u);
  q.settings = {{"n", "m"}};
  EXPECT_EQ(refused(q), "explain-unknown-name");
  q.settings = {{"threadIdx", "1"}};
  EXPECT_EQ(refused(q), "explain-set");
  q.settings = {{"n", "1"}, {"n", "2"}};
  EXPECT_EQ(refused(q), "explain-set");
}

TEST(Question, UnsignedWrapAroundIsTold) {
  Explanation e = answered(question("A[threadIdx.x - 1]"));
  ASSERT_EQ(e.warnings.size(), 1u);
  EXPECT_EQ(e.warnings[0].kind, "explain-wrap");
  EXPECT_EQ(e.drawn[0].address[0], origin + u64{4294967295} * 4);
  e = answered(question("A[(int)threadIdx.x - 1]"));
  EXPECT_TRUE(e.warnings.empty());
  EXPECT_EQ(e.drawn[0].address[0], origin - 4);
}

TEST(Question, MisalignedAccessesAreAFault) {
  Question q = question("A[threadIdx.x]");
  q.base = 2;
  ASSERT_TRUE(answered(q).fault);
  EXPECT_EQ(answered(q).fault->kind, "explain-misaligned");
}

TEST(Form, IsNamed) {
  EXPECT_EQ(answered(question("A[blockIdx.x*blockDim.x + threadIdx.x]")).form.kind, FormKind::consecutive);
  EXPECT_EQ(answered(question("A[threadIdx.y]")).form.kind, FormKind::uniform);
  Explanation strided = answered(question("A[3*threadIdx.x + 1]"));
  EXPECT_EQ(strided.form.kind, FormKind::strided);
  EXPECT_EQ(strided.form.step, 12);
  EXPECT_EQ(answered(question("A[31 - threadIdx.x]")).form.step, -4);
  EXPECT_EQ(answered(question("A[threadIdx.x ^ 1]")).form.kind, FormKind::other);
  EXPECT_EQ(answered(question("A[threadIdx.x % 32]")).form.kind, FormKind::consecutive);
}

TEST(Type, LaidOutAsOnTheDevice) {
  const auto size = [](std::string_view text) {
    Result<Type> type = parse_type(text);
    EXPECT_TRUE(type) << text;
    return type ? std::tuple{type->size, type->align, static_cast<u32>(pieces(*type).size())}
                : std::tuple{0u, 0u, 0u};
  };
  EXPECT_EQ(size("float"), (std::tuple{4u, 4u, 1u}));
  EXPECT_EQ(size("unsigned long long"), (std::tuple{8u, 8u, 1u}));
  EXPECT_EQ(size("float3"), (std::tuple{12u, 4u, 3u}));
  EXPECT_EQ(size("float4"), (std::tuple{16u, 16u, 1u}));
  EXPECT_EQ(size("double4"), (std::tuple{32u, 16u, 2u}));
  EXPECT_EQ(size("uchar4"), (std::tuple{4u, 4u, 1u}));
  EXPECT_EQ(size("struct{float x,y,z;}"), (std::tuple{12u, 4u, 3u}));
  EXPECT_EQ(size("struct __align__(16) {float x,y,z;}"), (std::tuple{16u, 16u, 1u}));
  EXPECT_EQ(size("struct{float a; float b;}__attribute__((aligned(8)))"), (std::tuple{8u, 8u, 1u}));
  EXPECT_EQ(size("struct{char c; double d; short s[3];}"), (std::tuple{24u, 8u, 3u}));
  EXPECT_EQ(size("struct P { struct { int a, b; } q[2]; char* name; }"), (std::tuple{24u, 8u, 3u}));
  for (std::string_view bad : {"", "foo", "struct", "struct{", "struct{}", "struct{float x}",
                               "struct{float x,x;}", "struct{float x[0];}", "struct __align__(3) {int a;}",
                               "float float", "struct{int a[1000000][1000000];}"})
    EXPECT_FALSE(parse_type(bad)) << bad;
}

} // namespace
} // namespace warplens::explain
