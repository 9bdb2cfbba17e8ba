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
  Finding out{.rule = findings::Rule::uncoalesced_load};
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

TEST(Baseline, AnEditedLineWithMoreFindingsIsWorse) {
  auto of_a = [](std::string source) {
    Finding out = at(4, std::move(source), 32);
    out.array = "a";
    return out;
  };
  List now = list_of({of_a("r = a[i] + a[i + n];"), of_a("r = a[i] + a[i + n];")});
  EXPECT_EQ(states({of_a("r = a[i];")}, now), (std::vector{State::unchanged, State::worse}));
}

// One compiler gives a line one column, another each access its own.
TEST(Baseline, SeveralFindingsOfALineAreKnownByOne) {
  auto access = [](u32 line, u32 column, double sectors, std::string array) {
    Finding out = at(line, "r = a[i] + a[i + 1] + b[i];", sectors);
    out.place = {{"a.cu", line, column, {}}};
    out.array = std::move(array);
    return out;
  };
  List now = list_of(
      {access(9, 5, 32, "a"), access(9, 12, 16, "a"), access(9, 24, 32, "b"), access(19, 5, 32, "a")});
  EXPECT_EQ(states({access(4, 3, 32, "a")}, now),
            (std::vector{State::unchanged, State::unchanged, State::fresh, State::fresh}));
  List one = list_of({access(4, 3, 32, "a")});
  std::size_t gone = 9;
  EXPECT_EQ(states({access(4, 5, 32, "a"), access(4, 12, 32, "a"), access(5, 5, 32, "a")}, one, &gone),
            (std::vector{State::unchanged}));
  EXPECT_EQ(gone, 1) << "that of another line";
  List worse = list_of({access(9, 5, 16, "a"), access(9, 12, 32, "a")});
  EXPECT_EQ(states({access(4, 3, 16, "a")}, worse), (std::vector{State::unchanged, State::worse}));
}

TEST(Baseline, AFileThatWasRenamedIsKnownByItsLines) {
  List now = list_of({at(4, "x = a[i];", 4, "new.cu"), at(5, "", 4, "new.cu")});
  EXPECT_EQ(states({at(4, "x = a[i];", 4, "old.cu")}, now), (std::vector{State::unchanged, State::fresh}));
}

// A finding of the array in the function.
Finding of(u32 line, std::string source, std::string kernel = "k(float*, int)", std::string array = "a",
           double sectors = 32) {
  Finding out = at(line, std::move(source), sectors);
  out.kernel = std::move(kernel);
  out.array = std::move(array);
  return out;
}

TEST(Baseline, ALineThatWasEditedIsKnown) {
  const Finding before = of(10, "out[i] = 2.f * a[i * n];");
  for (const char* after : {
           "out[i] = 3.f * a[i * n];",                    // a number
           "out[i] = 2.f * a[i * n] + offset[0] * last;", // something added
           "a[i * n];",                                   // split in two
           "out [ i ]=2.f*a [i*n] ; // why",              // blanks and a comment
           "out[col] = 2.f * a[col * n];",                // a variable renamed
           "STORE(out, i, 2.f * a[i * n]);",              // a macro
       }) {
    List now = list_of({of(25, after)});
    EXPECT_EQ(states({before}, now), (std::vector{State::unchanged})) << after;
  }
  List in_place = list_of({of(10, "out[j] = fetch(a, j, m);")});
  EXPECT_EQ(states({before}, in_place), (std::vector{State::unchanged}))
      << "all words changed, the place is the same";
  List worse = list_of({of(25, "out[i] = 3.f * a[i * n];", "k(float*, int)", "a", 33)});
  EXPECT_EQ(states({before}, worse), (std::vector{State::worse}));
}

TEST(Baseline, AFindingThatIsNewIsNoneThatWasEdited) {
  const Finding before = of(10, "out[i] = 2.f * a[i * n];");
  List beside = list_of({of(10, "out[i] = 2.f * a[i * n];"), of(11, "out[i] += 3.f * a[i * n];")});
  EXPECT_EQ(states({before}, beside), (std::vector{State::unchanged, State::fresh}))
      << "the old one is still there";
  List edited_too = list_of({of(10, "out[i] = 4.f * a[i * n];"), of(11, "sum += a[j * m];")});
  EXPECT_EQ(states({before}, edited_too), (std::vector{State::unchanged, State::fresh}));
  std::size_t gone = 0;
  List instead = list_of({of(14, "sum += a[j * 7 + offset];")});
  EXPECT_EQ(states({before}, instead, &gone), (std::vector{State::fresh}))
      << "another line, the old one was mended";
  EXPECT_EQ(gone, 1);
  List array = list_of({of(10, "out[i] = 2.f * b[i * n];", "k(float*, int)", "b")});
  EXPECT_EQ(states({before}, array), (std::vector{State::fresh})) << "another array";
  List function = list_of({of(10, "out[i] = 3.f * a[i * n];", "other(float*, int)")});
  EXPECT_EQ(states({before}, function), (std::vector{State::fresh})) << "another function";
}

TEST(Baseline, LinesAroundTellWhereAnEditedOneIsNow) {
  List now = list_of({of(104, "x = a[i * n];"), of(106, "use(fetch(p, q));")});
  EXPECT_EQ(states({of(4, "x = a[i * n];"), of(6, "y = a[row + 1];")}, now),
            (std::vector{State::unchanged, State::unchanged}));
}

TEST(Baseline, InstancesOfATemplateAreOneFunction) {
  List now = list_of({of(12, "t[i] = 3 * a[i * n];", "void apart<double, 4>(double*, int)"),
                      of(20, "(anonymous)", "(anonymous namespace)::f(int)"),
                      of(30, "b(c + 1)", "main::{lambda(int)#2}::operator()(int) const")});
  EXPECT_EQ(states({of(9, "t[i] = 2 * a[i * n];", "void apart<float, 2>(float*, int)"),
                    of(20, "edited", "(anonymous namespace)::f(long)"),
                    of(30, "b(c)", "main::{lambda(int)#1}::operator()(int) const")},
                   now),
            (std::vector{State::unchanged, State::unchanged, State::unchanged}));
}

TEST(Baseline, OfEqualLinesTheOneOfItsFunctionIsMeant) {
  List now = list_of({of(30, "x = a[i];", "second()", "a", 32)});
  std::size_t gone = 0;
  EXPECT_EQ(
      states({of(10, "x = a[i];", "first()", "a", 4), of(20, "x = a[i];", "second()", "a", 32)}, now, &gone),
      (std::vector{State::unchanged}));
  EXPECT_EQ(gone, 1) << "one of two equal findings was mended";
  List same_function = list_of({of(15, "x = a[i];", "first()", "a", 32)});
  EXPECT_EQ(states({of(10, "x = a[i];", "first()", "a", 4), of(20, "x = a[i];", "first()", "a", 32)},
                   same_function),
            (std::vector{State::unchanged}))
      << "the one that costs as much";
}

TEST(Baseline, AFileOfAnOlderVersionKnowsLinesThatWereEdited) {
  const char* old = R"json({"kind":"warplens-baseline","schema":1,"version":"0.1","findings":[
    {"rule":"uncoalesced-load","file":"a.cu","line":10,"source":"x = 2 * a[i * n];","kernel":"k(float*, int)","costs":[]}]
})json";
  Result<Baseline> baseline = read_baseline(old, "b.json");
  ASSERT_TRUE(baseline);
  List now = list_of({of(12, "x = 3 * a[i * n];"), of(20, "y = a[j];")});
  compare(now, *baseline);
  EXPECT_EQ(now.findings[0].standing.baseline, State::unchanged);
  EXPECT_EQ(now.findings[1].standing.baseline, State::fresh);
}

TEST(Baseline, AnotherRuleAtTheLineIsNew) {
  List now = list_of({at(4, "x = a[i];", 4)});
  now.findings[0].rule = findings::Rule::bank_conflict;
  EXPECT_EQ(states({at(4, "x = a[i];", 4)}, now), (std::vector{State::fresh}));
}

TEST(Baseline, SuppressedFindingsAndThoseOfCommentsAreNotWritten) {
  List list = list_of({at(4, "a", 4), at(5, "b", 4)});
  list.findings[0].standing.suppressed = "why";
  list.findings[1].rule = findings::Rule::failed_expectation;
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
  EXPECT_THAT(error_of(" \n"), HasSubstr("is empty"));
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
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& member :
       {"\"more\":" + deep, "\"schema\":" + deep, "\n\"findings\":[" + deep + "]"})
    EXPECT_THAT(error_of("{" + member + "}"), HasSubstr("is nested more than 200 deep"))
        << member.substr(0, 20);
  EXPECT_THAT(error_of("{\n\"more\":" + deep + "}"), testing::StartsWith("b.json:2: "));
  EXPECT_THAT(error_of("{\"more\":\"" + deep + "\"}"), HasSubstr("says no kind"));
  const std::string list =
      R"({"schema":1,"tool":{"name":"warplens"},"findings":[],"not_judged":[{"severity":")";
  EXPECT_THAT(error_of(list + R"(error","message":"b.cu is broken"}]})"),
              HasSubstr("lacks findings: b.cu is broken"));
  EXPECT_EQ(error_of(list + R"(warning","message":"x"}]})"), "none");
}

} // namespace
} // namespace warplens::gates
