// What becomes of findings: left out, graded, ignored, known, failing.
#include "gates/gates.h"
#include "gates/own_rules.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::gates {
namespace {

using findings::Finding;
using findings::List;
using findings::Rule;
using findings::Severity;
using testing::ElementsAre;
using testing::HasSubstr;

findings::Cost sectors(double average) {
  return {.sm = 90, .counter = "sectors", .least = 1, .most = 32, .average = average};
}

Finding at(u32 line, Rule rule = Rule::uncoalesced_load, double average = 32) {
  Finding out{.rule = rule};
  out.place = {{"src/a.cu", line, 3, {}}, {"main.cu", 50, 1, {}}};
  out.source = "line " + std::to_string(line);
  out.costs = {sectors(average)};
  out.weight = findings::Weight{1000, 500, 0.5, 0};
  return out;
}

findings::JudgedAccess access_at(u32 line, double average) {
  return {{{"src/a.cu", line, 3, {}}, {"main.cu", 50, 1, {}}}, "f", "a", "", "load", {sectors(average)}};
}

Settings settings() {
  Settings out;
  out.folder = out.here = "/p";
  return out;
}

std::vector<Condition> conditions(std::string_view text) { return *parse_conditions(text, {}); }

std::vector<std::string> rules_of(const List& list) {
  std::vector<std::string> out;
  for (const Finding& finding : list.findings) out.emplace_back(findings::name(finding.rule));
  return out;
}

TEST(Gates, NothingFailsUnlessSomebodyAsks) {
  List list{{at(1)}, {}, {}};
  EXPECT_EQ(apply(list, settings(), {}).failing, 0);
  EXPECT_EQ(list.findings.size(), 1);
}

TEST(Gates, ASeverityARuleAndAThresholdFail) {
  for (auto [words, fails] : {std::pair("note", true),
                              {"warning", true},
                              {"error", false},
                              {"bank-conflict", false},
                              {"uncoalesced-load", true},
                              {"sectors>31", true},
                              {"sectors>32", false},
                              {"never", false}}) {
    List list{{at(1)}, {access_at(1, 32)}, {}};
    Settings s = settings();
    s.fail_on = conditions(words);
    EXPECT_EQ(apply(list, s, {}).failing, fails) << words;
    EXPECT_EQ(list.findings.size(), 1) << words;
    EXPECT_EQ(list.findings[0].standing.fails, fails ? words : "");
  }
}

TEST(Gates, AThresholdHoldsForAccessesWithoutAFinding) {
  List list{{}, {access_at(1, 16), access_at(2, 4)}, findings::Weight{1000, 210, 1, 0}};
  Settings s = settings();
  s.fail_on = conditions("sectors>8,excess>20%,excess>30%");
  EXPECT_EQ(apply(list, s, {}).failing, 2);
  EXPECT_THAT(rules_of(list), ElementsAre("over-threshold", "over-threshold"));
  EXPECT_EQ(list.findings[0].place.front().line, 1);
  EXPECT_THAT(list.findings[1].message,
              HasSubstr("21% of the traffic between warps and the L1 is for nothing"));
  EXPECT_TRUE(list.findings[1].notes.empty());
  s.baseline.emplace();
  list = {{}, {}, findings::Weight{1000, 210, 1, 0}};
  EXPECT_EQ(apply(list, s, {}).failing, 1);
  ASSERT_EQ(list.findings[0].notes.size(), 1u) << "right advice may have raised it";
  EXPECT_THAT(list.findings[0].notes[0].text, HasSubstr("warplens diff --fail-on worse"));
}

TEST(Gates, RulesAreGradedAndTurnedOff) {
  List list{{at(1), at(2, Rule::bank_conflict), at(3, Rule::narrow_access)}, {}, {}};
  Settings s = settings();
  s.levels = {{Rule::uncoalesced_load, Level::off}, {Rule::bank_conflict, Level::error}};
  apply(list, s, {});
  EXPECT_THAT(rules_of(list), ElementsAre("bank-conflict")) << "what is not shown by default stays out";
  EXPECT_EQ(list.findings[0].severity, Severity::error);
  list = {{at(3, Rule::narrow_access)}, {}, {}};
  s.levels = {{Rule::narrow_access, Level::note}};
  apply(list, s, {});
  EXPECT_EQ(list.findings.size(), 1);
}

TEST(Gates, PathsAreFromTheConfigurationsFolder) {
  Settings s = settings();
  s.here = "/p/src";
  s.exclude = {"src/a.cu"};
  EXPECT_FALSE(covers(s, "a.cu"));
  EXPECT_TRUE(covers(s, "../a.cu"));
  s = settings();
  s.include = {"other"};
  List list{{at(1)}, {access_at(1, 32)}, {}};
  s.fail_on = conditions("sectors>8");
  EXPECT_EQ(apply(list, s, {}).failing, 0);
  EXPECT_TRUE(list.findings.empty());
}

TEST(Gates, LittleExcessIsNoFinding) {
  Settings s = settings();
  s.least_excess = 0.1;
  Finding little = at(1), waiting = at(2);
  little.weight = findings::Weight{1000, 99, 0.9, 0};
  waiting.weight = findings::Weight{1000, 0, 0, 0};
  List list{{little, waiting, at(3)}, {}, {}};
  apply(list, s, {});
  EXPECT_EQ(list.findings.size(), 2) << "atomics that wait have no excess, and are findings";
}

TEST(Gates, ACommentIgnoresARuleAtItsLineAndThroughCalls) {
  for (auto [file, line] : {std::pair("src/a.cu", 4), {"main.cu", 50}}) {
    List list{{at(4)}, {access_at(4, 32)}, {}};
    Settings s = settings();
    s.fail_on = conditions("note,sectors>8");
    Comments comments = read_comments(file, std::string(static_cast<std::size_t>(line) - 1, '\n') +
                                                "x; // warplens: ignore uncoalesced-load: once");
    EXPECT_EQ(apply(list, s, {comments}).failing, 0) << file;
    ASSERT_EQ(list.findings.size(), 1);
    EXPECT_EQ(list.findings[0].standing.suppressed, "once");
  }
}

TEST(Gates, WhatIsOffMayBeIgnoredAndIsHeldToThresholds) {
  Settings s = settings();
  s.levels = {{Rule::uncoalesced_load, Level::off}};
  List list{{at(1)}, {access_at(1, 32)}, {}};
  EXPECT_EQ(
      apply(list, s, {read_comments("src/a.cu", "x; // warplens: ignore uncoalesced-load: why")}).failing, 0);
  EXPECT_TRUE(list.findings.empty());
  s.fail_on = conditions("sectors>8");
  list = {{at(1)}, {access_at(1, 32)}, {}};
  EXPECT_EQ(apply(list, s, {}).failing, 1);
  EXPECT_THAT(rules_of(list), ElementsAre("over-threshold"));
}

TEST(Gates, ACommentThatNoLongerHoldsFails) {
  struct Case {
    const char *comment, *rule;
    Severity severity;
    double average;
  };
  for (const Case& c : {Case{"ignore bank-conflict: why", "unused-suppression", Severity::error, 32},
                        Case{"expect sectors<=4", "failed-expectation", Severity::error, 5},
                        Case{"expect wavefronts<=4", "unchecked-comment", Severity::note, 5},
                        Case{"nonsense", "malformed-comment", Severity::error, 5}}) {
    List list{{}, {access_at(1, c.average)}, {}};
    Comments comments = read_comments("src/a.cu", std::string("x; // warplens: ") + c.comment);
    EXPECT_EQ(apply(list, settings(), {comments}).failing, c.severity == Severity::error) << c.comment;
    ASSERT_THAT(rules_of(list), ElementsAre(c.rule));
    EXPECT_EQ(list.findings[0].severity, c.severity);
    EXPECT_EQ(list.findings[0].place.front().line, 1);
  }
  List list{{}, {access_at(1, 4)}, {}};
  apply(list, settings(), {read_comments("src/a.cu", "x; // warplens: expect sectors<=4")});
  EXPECT_TRUE(list.findings.empty()) << "it holds";
  apply(list, settings(), {read_comments("src/a.cu", "\nx; // warplens: expect sectors<=4")});
  EXPECT_THAT(rules_of(list), ElementsAre("unchecked-comment")) << "no access is there";
}

TEST(Gates, WhatIsNotKnownIsToldAndDoesNotFail) {
  List list{{}, {access_at(1, 4)}, {}};
  list.accesses[0].costs[0].average.reset(); // between 1 and 32
  Settings s = settings();
  s.fail_on = conditions("sectors>8");
  EXPECT_EQ(apply(list, s, {read_comments("src/a.cu", "x; // warplens: expect sectors<=4")}).failing, 0);
  EXPECT_THAT(rules_of(list), ElementsAre("unchecked-comment"));
  EXPECT_THAT(list.findings[0].message, HasSubstr("not known to hold"));
  const Comments ignored = read_comments("src/a.cu", "x; // warplens: ignore bank-conflict: why");
  list.findings.clear();
  list.accesses[0].is_decided = false;
  EXPECT_EQ(apply(list, s, {ignored}).failing, 0);
  EXPECT_THAT(rules_of(list), ElementsAre("unchecked-comment"));
  list.findings.clear();
  list.accesses[0].is_decided = true; // behind "if (i < n)": from 1 sector on, and fine
  EXPECT_EQ(apply(list, s, {ignored}).failing, 1);
  EXPECT_THAT(rules_of(list), ElementsAre("unused-suppression"));
}

TEST(Gates, ALimitThatKnownFindingsBreakIsTold) {
  Settings s = settings();
  s.fail_on = conditions("warning,sectors>8,sectors>40");
  s.baseline.emplace();
  for (u32 line : {1, 2})
    s.baseline->findings.push_back(
        {"uncoalesced-load", "src/a.cu", "line " + std::to_string(line), "", line, {{90, "sectors", 32}}});
  List list{{at(1), at(2), at(3)}, {}, {}};
  EXPECT_THAT(apply(list, s, {}).waived, ElementsAre("2 known findings exceed 'sectors>8' and pass"));
  list = {{at(1)}, {}, {}};
  EXPECT_THAT(apply(list, s, {}).waived, ElementsAre("1 known finding exceeds 'sectors>8' and passes"));
}

TEST(Gates, ACommentThatCouldNotBeCheckedFailsWhereThatIsAskedFor) {
  for (auto [words, fails] :
       {std::pair("unchecked-comment", true), {"note", true}, {"warning", false}, {"sectors>8", false}}) {
    List list{{}, {access_at(1, 4)}, {}};
    Settings s = settings();
    s.fail_on = conditions(words);
    s.baseline.emplace();
    const Comments comments = read_comments("src/a.cu", "x; // warplens: expect wavefronts<=4");
    EXPECT_EQ(apply(list, s, {comments}).failing, fails) << words;
    ASSERT_THAT(rules_of(list), ElementsAre("unchecked-comment"));
    EXPECT_EQ(list.findings[0].standing.baseline, findings::Standing::Baseline::none) << "no baseline has it";
  }
}

TEST(Gates, ACommentIsToldOnceForAllAccessesOfItsLine) {
  List list{{}, {access_at(1, 8), access_at(1, 32), access_at(1, 5), access_at(1, 2)}, {}};
  list.accesses[2].costs[0].average.reset();
  apply(list, settings(), {read_comments("src/a.cu", "x; // warplens: expect sectors<=4")});
  ASSERT_THAT(rules_of(list), ElementsAre("failed-expectation"));
  EXPECT_EQ(list.findings[0].costs[0].average, 32) << "the worst";
  EXPECT_EQ(list.findings[0].notes.back().text,
            "2 more accesses of this comment are not known to hold to it either");
}

// What a check knows is from the best warp to the worst one.
TEST(Gates, ALimitIsBrokenWhereAWarpIsKnownToBreakIt) {
  auto access = [](u32 line, double least, double most, bool reached) {
    findings::JudgedAccess out = access_at(line, 0);
    out.costs[0] = {.sm = 90, .counter = "sectors", .least = least, .most = most, .reached = reached};
    return out;
  };
  List list{{},
            {access(1, 1, 32, true), access(2, 1, 32, false), access(3, 1, 8, true), access(4, 9, 10, false)},
            {}};
  Settings s = settings();
  s.fail_on = conditions("sectors>8");
  const Outcome outcome = apply(list, s, {});
  EXPECT_EQ(outcome.failing, 2);
  EXPECT_EQ(list.findings[0].place.front().line, 1);
  EXPECT_EQ(list.findings[1].place.front().line, 4);
  EXPECT_THAT(
      outcome.undecided,
      ElementsAre(
          "'sectors>8' is not decided for 1 line, as at src/a.cu:2: 1 to 32 sectors per request (9.0)"));
}

TEST(Gates, AWarningThatMayBreakALimitFails) {
  Finding stride = at(1), scattered = at(2);
  stride.costs[0] = scattered.costs[0] = {.sm = 90, .counter = "sectors", .least = 1, .most = 32};
  scattered.severity = findings::Severity::note;
  List list{{stride, scattered}, {access_at(1, 0), access_at(2, 0)}, {}};
  for (findings::JudgedAccess& access : list.accesses) access.costs = stride.costs;
  Settings s = settings();
  s.fail_on = conditions("sectors>8");
  const Outcome outcome = apply(list, s, {});
  ASSERT_EQ(outcome.failing, 1);
  EXPECT_EQ(list.findings[0].standing.fails, "sectors>8, which is not decided");
  EXPECT_THAT(outcome.undecided, ElementsAre(HasSubstr("for 1 line, as at src/a.cu:2")));
}

TEST(Gates, ABaselineWithoutCostsOfAGpuDecidesNothingThere) {
  Settings s = settings();
  List list{{at(1)}, {}, {}};
  s.baseline.emplace();
  s.baseline->findings.push_back({"uncoalesced-load", "src/a.cu", "", "", 1, {{80, "sectors", 32}}});
  apply(list, s, {});
  ASSERT_EQ(list.gaps.size(), 1);
  EXPECT_EQ(list.gaps[0].message, "the baseline has no costs for compute capability 9.0");
  list.gaps.clear();
  s.accepts = true; // a new one is written
  apply(list, s, {});
  EXPECT_TRUE(list.gaps.empty());
}

TEST(Gates, WhatIsLeftOutIsNotGoneFromTheBaseline) {
  Settings s = settings();
  s.baseline.emplace();
  for (u32 line : {1, 2, 3})
    s.baseline->findings.push_back(
        {"uncoalesced-load", "src/a.cu", "line " + std::to_string(line), "", line, {}});
  s.levels[Rule::uncoalesced_load] = Level::off;
  List list{{at(1), at(2)}, {}, {}};
  Outcome outcome = apply(list, s, {});
  EXPECT_EQ(outcome.left_out, 2);
  EXPECT_EQ(outcome.gone.size(), 1);
  s.levels.clear();
  s.exclude = {"src/a.cu"};
  list = {{at(1), at(2)}, {}, {}};
  outcome = apply(list, s, {});
  EXPECT_EQ(outcome.left_out, 2) << "by its path";
  EXPECT_EQ(outcome.gone.size(), 1);
}

TEST(Gates, OnlyNewAndWorseFindingsFailWithABaseline) {
  Settings s = settings();
  s.baseline.emplace();
  s.baseline->findings = {{"uncoalesced-load", "src/a.cu", "line 1", "", 1, {{90, "sectors", 32}}},
                          {"uncoalesced-load", "src/a.cu", "line 2", "", 2, {{90, "sectors", 16}}},
                          {"uncoalesced-load", "src/a.cu", "line 9", "", 9, {}}};
  auto now = [] { return List{{at(1), at(2), at(3), at(4, Rule::halo_access)}, {}, {}}; };
  List list = now();
  list.findings[3].severity = Severity::note;
  Outcome outcome = apply(list, s, {});
  EXPECT_EQ(outcome.failing, 2) << "a note does not";
  EXPECT_EQ(outcome.gone.size(), 1);
  EXPECT_EQ(list.findings[0].standing.fails, "");
  EXPECT_EQ(list.findings[1].standing.fails, "worse than in the baseline");
  EXPECT_EQ(list.findings[2].standing.fails, "not in the baseline");
  s.fail_on = conditions("note");
  list = now();
  EXPECT_EQ(apply(list, s, {}).failing, 3);
  s.accepts = true;
  list = now();
  EXPECT_EQ(apply(list, s, {}).failing, 0) << "what becomes the baseline";
}

TEST(Gates, WhatIsGraverComesFirst) {
  List list{{at(1), at(2, Rule::bank_conflict), at(3, Rule::program_mistake)}, {}, {}};
  list.findings[0].severity = Severity::note;
  list.findings[2].severity = Severity::error;
  apply(list, settings(), {});
  EXPECT_THAT(rules_of(list), ElementsAre("program-mistake", "bank-conflict", "uncoalesced-load"));
}

} // namespace
} // namespace warplens::gates
