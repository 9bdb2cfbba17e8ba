// The first lines of the page: the answer, and the fix that gains most.
#include "explain/support.h"
#include "explain/view/render.h"
#include <gmock/gmock.h>

namespace warplens::explain {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page(Question q) { return terminal(answered(q), {true, false}); }

TEST(Summary, WhatCountsIsWhereTheLanesGoNotTheFormOfTheIndex) {
  for (const char* access : {"A[threadIdx.x]", "A[threadIdx.x ^ 1]", "A[31 - threadIdx.x]", "A[0]"})
    EXPECT_THAT(page(question(access)), HasSubstr("✓ coalesced")) << access;
  EXPECT_THAT(page(question("A[threadIdx.x ^ 1]", {32, 1, 1}, 10)), HasSubstr("✗ not coalesced"));
}

TEST(Summary, NamesTheFixThatGainsMost) {
  Question q = question("p[threadIdx.x].y");
  q.type = "struct{float x,y,z;}";
  EXPECT_THAT(page(q), HasSubstr("✗ not coalesced: 128 of 384 bytes moved are asked for (33%)\n"
                                 "  What helps most: One array per member (structure of arrays), 3× fewer "
                                 "transactions\n"));
}

TEST(Summary, VectorLoadsAreNoCure) {
  std::string text = page(question("A[threadIdx.x]", {256, 1, 1}));
  EXPECT_THAT(text, Not(HasSubstr("What helps most")));
  EXPECT_THAT(text, HasSubstr("Nothing is lost as it is."));
}

TEST(Summary, OtherMemories) {
  Question q = question("s[2*threadIdx.x]");
  q.space = access::Space::shared;
  EXPECT_THAT(page(q), HasSubstr("✗ bank conflicts: 2 passes where 1 could carry the bytes"));
  q.access = "s[threadIdx.x]";
  EXPECT_THAT(page(q), HasSubstr("✓ no bank conflicts: 1 pass,"));
  q.space = access::Space::constant;
  EXPECT_THAT(page(q), HasSubstr("✗ serialised: 32 requests for 1 instruction"));
  q.access = "s[7]";
  EXPECT_THAT(page(q), HasSubstr("✓ broadcast"));
}

} // namespace
} // namespace warplens::explain
