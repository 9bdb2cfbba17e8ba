// A baseline knows findings again, wherever their lines went.
#include "gates/baseline.h"
#include "gates/own_rules.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::gates {
namespace {

using findings::Finding;
using findings::List;
using State = findings::Standing::Baseline;
using testing::HasSubstr;

Finding at(u32 line, std::string source, double sectors, std::string file = "a.cu") {
  Finding out{.rule = "uncoalesced-load"};
  out.place = {{std::move(file), line, 3, {}}};
  out.source = std::move(source);
  out.costs = {{.sm = 90, .counter = "sectors", .least = 1, .most = 32, .average = sectors}};
  return out;
}

List list_of(std::vector<Finding> findings) { return {std::move(findings), {}, {}}; }

// What becomes of `now` with `before` as the baseline, written and read.
std::vector<State> states(std::vector<Finding> before, List& now, std::size_t* gone = nullptr) {
  Result<Baseline> baseline = read_baseline(write_baseline(list_of(std::move(before)), "1"), "b.json");
  if (!baseline) ADD_FAILURE() << baseline.error().message;
  std::vector<Known> left = compare(now, *baseline);
  if (gone != nullptr) *gone = left.size();
  std::vector<State> out;
  for (const Finding& finding : now.findings) out.push_back(finding.standing.baseline);
  return out;
}

TEST(Baseline, NumbersThatNoDoubleHoldsAreRefused) {
  Result<Baseline> out = read_baseline(R"({"schema": 9e999})", "b.json");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, "bad-baseline");
}

TEST(Baseline, LinesThatMovedAreKnown) {
  List now = list_of({at(90, "x = a[i];", 4), at(5, "x = b[i];", 4)});
  std::size_t gone = 9;
  EXPECT_EQ(states({at(4, "x = a[i];", 4), at(6, "x = c[i];", 4)}, now, &gone),
            (std::vector{State::unchanged, State::fresh}));
  EXPECT_EQ(gone, 1);
}

TEST(Baseline, WorseIsToldWithWhatItWas) {
  List now = list_of({at(4, "x = a[i];", 8), at(5, "x = b[i];", 4.0000001), at(6, "x = c[i];", 2)});
  EXPECT_EQ(states({at(4, "x = a[i];", 4), at(5, "x = b[i];", 4), at(6, "x = c[i];", 4)}, now),
            (std::vector{State::worse, State::unchanged, State::unchanged}));
  ASSERT_EQ(now.findings[0].notes.size(), 1);
  EXPECT_EQ(now.findings[0].notes[0].text, "the baseline has 4 sectors");
}

TEST(Baseline, OfAlikeLinesEachIsKnownOnce) {
  List now = list_of({at(10, "x = a[i];", 4), at(20, "x = a[i];", 32), at(30, "x = a[i];", 4)});
  EXPECT_EQ(states({at(20, "x = a[i];", 32), at(9, "x = a[i];", 4)}, now),
            (std::vector{State::unchanged, State::unchanged, State::fresh}));
}

TEST(Baseline, AFileThatWasRenamedIsKnownByItsLines) {
  List now = list_of({at(4, "x = a[i];", 4, "new.cu"), at(5, "", 4, "new.cu")});
  EXPECT_EQ(states({at(4, "x = a[i];", 4, "old.cu")}, now), (std::vector{State::unchanged, State::fresh}));
}

TEST(Baseline, AnotherRuleAtTheLineIsNew) {
  List now = list_of({at(4, "x = a[i];", 4)});
  now.findings[0].rule = "bank-conflict";
  EXPECT_EQ(states({at(4, "x = a[i];", 4)}, now), (std::vector{State::fresh}));
}

TEST(Baseline, SuppressedFindingsAndThoseOfCommentsAreNotWritten) {
  List list = list_of({at(4, "a", 4), at(5, "b", 4)});
  list.findings[0].standing.suppressed = "why";
  list.findings[1].rule = own::failed_expectation;
  Result<Baseline> baseline = read_baseline(write_baseline(list, "1"), "b.json");
  ASSERT_TRUE(baseline);
  EXPECT_TRUE(baseline->findings.empty());
}

std::string error_of(std::string_view text) {
  Result<Baseline> out = read_baseline(text, "b.json");
  if (out) return "none";
  const diag::Span& span = out.error().span;
  return span.file + ":" + std::to_string(span.line) + ": " + out.error().message;
}

TEST(Baseline, WhatIsNoneIsToldWithItsPlace) {
  EXPECT_THAT(error_of("{\n\"kind\": oops"), HasSubstr("b.json:2: 'b.json' is no baseline: it is not JSON"));
  EXPECT_THAT(error_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("says no kind"));
  EXPECT_THAT(error_of(R"({"kind":"warplens-baseline","schema":2,"findings":[]})"),
              HasSubstr("of a version"));
  EXPECT_THAT(error_of(R"({"kind":"warplens-baseline","schema":1})"), HasSubstr("no list"));
  const std::string start = R"({"kind":"warplens-baseline","schema":1,"findings":[)";
  for (const char* one :
       {"1", "{}", R"({"rule":"x"})", R"({"rule":"x","costs":[1]})", R"({"rule":3,"costs":[]})",
        R"({"rule":"x","costs":[{"sm":90,"value":"4"}]})", R"({"rule":"x","costs":[{"sm":90,"value":-1}]})",
        R"({"rule":"x","costs":[{"value":4}]})"})
    EXPECT_THAT(error_of(start + one + "]}"), HasSubstr("finding 1 of 'b.json' cannot be read")) << one;
  EXPECT_EQ(error_of(start + R"({"rule":"x","costs":[]}]})"), "none");
  EXPECT_NE(error_of(std::string(100000, '[')), "none");
}

} // namespace
} // namespace warplens::gates
