// Each fix on an access that needs it, with its counts before and after, and none where it would not help.
#include "explain/expr/pool.h"
#include "explain/support.h"

namespace warplens::explain {
namespace {

// By how its title begins.
const advise::Advice* fix(const Explanation& e, std::string_view title) {
  for (const advise::Advice& advice : e.fixes)
    if (advice.title.starts_with(title)) return &advice;
  return nullptr;
}

void expect_fix(const Question& q, std::string_view title, u64 before, u64 after) {
  Explanation e = answered(q);
  const advise::Advice* found = fix(e, title);
  ASSERT_NE(found, nullptr) << q.access << " " << title;
  EXPECT_EQ(advise::value(found->metric, found->before), before) << q.access;
  EXPECT_EQ(advise::value(found->metric, found->after), after) << q.access;
}

Question with(Question q, std::vector<std::pair<std::string, std::string>> settings) {
  q.settings = std::move(settings);
  return q;
}

TEST(Fixes, SwapIndexOrder) {
  expect_fix(with(question("A[threadIdx.x*n + threadIdx.y]", {32, 8, 1}), {{"n", "1024"}}),
             "Swap the index order", 256, 32);
}

// Where no index of a thread or block selects the column, a row of the new order has as many elements as there were rows.
TEST(Fixes, ARowOfTheOtherOrderIsAsLongAsThereAreRows) {
  const std::string i = "blockIdx.x*blockDim.x + threadIdx.x";
  for (const auto& [access, example] : {std::pair{"A[(" + i + ")*n + k]", "A[k*count + " + i + "]"},
                                        {"A[(" + i + ")*32 + k]", "A[k*count + " + i + "]"},
                                        {"A[(" + i + ")*32 + k + 1]", "A[(k + 1)*count + " + i + "]"}}) {
    const Question q = with(question(access, {256, 1, 1}), {{"n", "1000"}, {"k", "7"}});
    expect_fix(q, "Store the array the other way round", 256, 32);
    EXPECT_EQ(fix(answered(q), "Store the array the other way round")->example, example);
    EXPECT_EQ(fix(answered(q), "Swap the index order"), nullptr);
  }
}

TEST(Fixes, PadRows) {
  expect_fix(with(question("A[threadIdx.y*n + threadIdx.x]", {32, 8, 1}, 20), {{"n", "100"}}), "Pad the rows",
             15, 8);
  expect_fix(question("A[threadIdx.y*100 + threadIdx.x]", {32, 8, 1}, 20), "Pad the rows", 15, 8);
  Question dims = question("A[threadIdx.y][threadIdx.x]", {32, 8, 1}, 20);
  dims.dims = {8, 100};
  expect_fix(dims, "Pad the rows", 15, 8);
  Explanation good = answered(with(question("A[threadIdx.y*n + threadIdx.x]", {32, 8, 1}), {{"n", "1024"}}));
  EXPECT_EQ(fix(good, "Pad the rows"), nullptr);
  dims.pitch = 512;
  EXPECT_EQ(answered(dims).block.transactions, 8u);
}

TEST(Fixes, PadSharedRows) {
  Question q = question("tile[threadIdx.x][threadIdx.y]", {32, 1, 1});
  q.space = access::Space::shared;
  q.dims = {32, 32};
  expect_fix(q, "Pad each row", 32, 1);
}

// A step that changes from round to round is no row.
TEST(Fixes, WordsAreLeftFreeInAnArrayWithoutRows) {
  for (const char* step : {"16", "8"}) {
    Question q = question("s[step*(2*threadIdx.x + 1) - 1]", {32, 1, 1});
    q.space = access::Space::shared, q.settings = {{"step", step}};
    const Explanation out = answered(q);
    EXPECT_EQ(fix(out, "Pad each row"), nullptr);
    ASSERT_NE(fix(out, "Leave one word in 33 free"), nullptr) << step;
    EXPECT_EQ(fix(out, "Leave one word in 33 free")->example, "s[i + i/32] instead of s[i]");
  }
  Question rows = question("s[32*threadIdx.x + k]", {32, 1, 1});
  rows.space = access::Space::shared, rows.settings = {{"k", "3"}};
  const Explanation out = answered(rows);
  ASSERT_NE(fix(out, "Pad each row"), nullptr);
  EXPECT_EQ(fix(out, "Pad each row")->example.find("__shared__"), std::string::npos) << "it is one row long";
}

TEST(Fixes, MembersOfSharedStructuresMeetInBanks) {
  for (const char* access : {"agg[threadIdx.x].z", "agg[threadIdx.x].x"}) {
    Question q = question(access, {32, 1, 1});
    q.type = "struct { float x, y, z, w; }", q.space = access::Space::shared;
    expect_fix(q, "Spread the lanes over the banks", 4, 1);
  }
}

// Rows of a matrix of 16 columns are no structures.
TEST(Fixes, AMatrixOfShortRowsIsPadded) {
  Question q = question("tile[threadIdx.x][k]", {16, 16, 1});
  q.settings = {{"k", "0"}};
  q.space = access::Space::shared;
  q.dims = {16, 16};
  expect_fix(q, "Pad each row", 64, 8);
  EXPECT_EQ(fix(answered(q), "One array per member"), nullptr);
  q.space = access::Space::global;
  EXPECT_EQ(fix(answered(q), "One array per member"), nullptr);
  EXPECT_NE(fix(answered(q), "Store the array the other way round"), nullptr);
}

TEST(Fixes, AlignTheType) {
  Question q = question("p[threadIdx.x]");
  q.type = "struct{float x,y,z;}";
  expect_fix(q, "Align the type", 3, 1);
  expect_fix(q, "One array per member", 36, 12);
  q.type = "struct{float x,y;}";
  expect_fix(q, "Align the type", 2, 1);
  q.access = "p[threadIdx.x].y";
  expect_fix(q, "One array per member", 8, 4);
}

TEST(Fixes, StartAndWidthAndPlace) {
  Question shifted = question("A[threadIdx.x]");
  shifted.base = 4;
  expect_fix(shifted, "Start at a multiple", 5, 4);
  expect_fix(question("A[threadIdx.x]", {256, 1, 1}), "4 words per instruction", 8, 2);
  Question constant = question("c[threadIdx.x]");
  constant.space = access::Space::constant;
  expect_fix(constant, "Move the table", 32, 1);
  Question local = question("a[threadIdx.x % 8]");
  local.space = access::Space::local;
  expect_fix(local, "Use the same index", 32, 4);
}

// What lanes alone tell is told by the rules that `run` asks, with the numbers that they count.
TEST(Fixes, OfLanesAreThoseOfRun) {
  Question sum = question("sum[0]", {256, 1, 1});
  sum.kind = access::Kind::atomic;
  expect_fix(sum, "Let one lane update for all", 256, 8);
  sum.type = "int", sum.kind = access::Kind::reduction;
  EXPECT_EQ(fix(answered(sum), "Let one lane update for all"), nullptr) << "the assembler combines them";
  Question bins = question("bins[threadIdx.x/4]", {64, 1, 1});
  bins.kind = access::Kind::reduction;
  expect_fix(bins, "Let fewer updates meet", 64, 16);
  Question few = question("A[threadIdx.x]", {256, 1, 1});
  few.condition = "threadIdx.x % 8 == 0";
  expect_fix(few, "Let whole warps", 8, 1);
  expect_fix(question("A[(threadIdx.x*threadIdx.x*64) % 8192]"), "Bring the accesses", 23, 4);
}

// An index that wraps around has no factor of threadIdx.x; its lanes have a stride.
TEST(Fixes, AStrideThatWrapsAround) {
  for (const char* first : {"1", "8", "31"})
    expect_fix(question(std::string("A[((threadIdx.x + ") + first + ") % 32)*19]", {32, 1, 1}),
               "Bring neighbouring threads side by side", 32, 4);
  EXPECT_EQ(fix(answered(question("A[threadIdx.x*19]", {32, 1, 1})), "Bring neighbouring"), nullptr);
}

TEST(Fixes, NeverMakeItsMetricWorse) {
  for (std::string_view access :
       {"A[threadIdx.x]", "A[5*threadIdx.x]", "A[threadIdx.x*n + i]", "A[i*n + threadIdx.x]",
        "A[threadIdx.x/4]", "A[n - threadIdx.x]", "A[threadIdx.x*threadIdx.x]", "A[(threadIdx.x*7) % n]"})
    for (u32 sm : {10u, 13u, 20u, 35u, 52u, 90u}) {
      Explanation e =
          answered(with(question(std::string(access), {64, 2, 1}, sm), {{"n", "90"}, {"i", "3"}}));
      for (const advise::Advice& advice : e.fixes)
        EXPECT_LE(advise::value(advice.metric, advice.after), advise::value(advice.metric, advice.before))
            << access << " on " << sm << " " << advice.title;
    }
}

TEST(Pool, OffsetsAgainstAlignment) {
  ResultOr<Pool, Rejection> out = pool("float a[101]; double b[10]; char c[3]; float4 d[10]", 90);
  ASSERT_TRUE(out);
  ASSERT_EQ(out->arrays.size(), 4u);
  EXPECT_TRUE(out->arrays[0].fits());
  EXPECT_FALSE(out->arrays[1].fits());
  EXPECT_EQ(out->arrays[1].offset, 404u);
  EXPECT_EQ(out->arrays[1].aligned, 408u);
  EXPECT_EQ(out->arrays[3].offset, 487u);
  EXPECT_EQ(out->arrays[3].aligned, 496u);
  EXPECT_TRUE(all_fit(*pool("double b[10]; float a[101]", 90)));
  for (std::string_view bad : {"", "float", "float a[0]", "float a[", "banana a[3]"})
    EXPECT_FALSE(pool(std::string(bad), 90)) << bad;
}

} // namespace
} // namespace warplens::explain
