// Findings in every form: what people and services see of one list.
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::findings {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Finding strided() {
  Finding out{.rule = findings::Rule::uncoalesced_load};
  out.place = {{"a b.cu", 2, 12, {}}, {"main.cu", 7, 3, {}}};
  out.kernel = "f";
  out.array = "a";
  out.message = "load global 4 B of 'a': stride 128 bytes";
  out.costs = {
      {.sm = 90, .counter = "sectors", .least = 31, .most = 32, .average = 31.5, .needed = 4, .fixed = 4}};
  out.notes = {{"declared here", access::SourceFrame{"a b.cu", 1, 1, {}}}, {"half of the waste", {}}};
  out.fix = Fix{"swap the indices", "a[i]", {{"a b.cu", 2, 12, 2, 15, "a[j]"}}};
  out.source = "return a[i * 32];";
  out.weight = Weight{1000, 875, 0.5, 0.25};
  return out;
}

Finding of_rule(Rule rule, Severity severity) {
  Finding out{.rule = rule, .severity = severity};
  out.message = "words";
  return out;
}

TEST(Text, ReadsLikeACompilersWarning) {
  auto source = [](const std::string&) { return std::string_view("\nfloat f() { return a[i * 32]; }\n"); };
  EXPECT_EQ(text({{strided()}, {}, {}}, source, false),
            "a b.cu:2:12: warning: load global 4 B of 'a': stride 128 bytes [uncoalesced-load]\n"
            "    float f() { return a[i * 32]; }\n"
            "               ^\n"
            "  note: 31.5 sectors per request, from 31 to 32, where 4 would do (9.0); 4 after the fix\n"
            "  note: half of the waste\n"
            "  help: swap the indices\n"
            "main.cu:7:3: note: inlined here\n"
            "a b.cu:1:1: note: declared here\n"
            "a b.cu:2:12: note: fix-it: write instead\n"
            "    float f() { return a[i * 32]; }\n"
            "               ^~~\n"
            "               a[j]\n"
            "1 finding (1 warning)\n");
}

TEST(Text, LeavesOutWhatIsIgnoredOrKnownAndCountsIt) {
  List list{{strided(), strided(), of_rule(Rule::bank_conflict, Severity::error)}, {}, {}};
  list.findings[0].standing.suppressed = "written once";
  list.findings[1].standing.baseline = Standing::Baseline::unchanged;
  EXPECT_EQ(text(
                list, [](const std::string&) { return std::string_view(); }, false),
            "error: words [bank-conflict]\n1 finding (1 error), 1 known, 1 ignored\n");
  EXPECT_EQ(text({}, {}, false), "");
}

TEST(Github, EscapesWhatWouldEndACommand) {
  Finding finding = of_rule(Rule::bank_conflict, Severity::note);
  finding.place = {{"a,b:c.cu", 3, 0, {}}};
  finding.message = "50% of\nit::error::";
  EXPECT_EQ(github({{finding}, {}, {}}),
            "::notice file=a%2Cb%3Ac.cu,line=3,title=bank-conflict::50%25 of%0Ait::error::\n");
}

TEST(Markdown, IsATableWhoseCellsHoldNoMarkup) {
  Finding finding = strided();
  finding.message = "a|b `c` <script> *d*";
  List list{{finding}, {}, Weight{2000, 1000, 1, 0}};
  std::string out = markdown(list);
  EXPECT_THAT(out, HasSubstr("### WarpLens: 1 finding (1 warning)\n"));
  EXPECT_THAT(out, HasSubstr("1 kB of the 2 kB that the accesses move are for nothing."));
  EXPECT_THAT(out,
              HasSubstr("| a b.cu:2 | warning | uncoalesced-load | a\\|b \\`c\\` &lt;script> \\*d\\* |"));
  list.findings.assign(25, finding);
  EXPECT_THAT(markdown(list), HasSubstr("\nand 5 more\n"));
}

TEST(Json, HasEverythingOfAFinding) {
  json out = json::parse(findings::json({{strided()}, {}, {}}, "1.2"));
  const json& finding = out["findings"][0];
  EXPECT_EQ(finding["rule"], "uncoalesced-load");
  EXPECT_EQ(finding["line"], 2);
  EXPECT_EQ(finding["inlined_at"][0]["file"], "main.cu");
  EXPECT_EQ(finding["costs"][0]["average"], 31.5);
  EXPECT_EQ(finding["fix"]["edits"][0]["replacement"], "a[j]");
  EXPECT_EQ(finding["weight"]["saved"], 0.25);
  EXPECT_TRUE(finding["suppressed"].is_null());
}

TEST(Junit, FailsWithWhatFailsTheCommand) {
  List list{{strided(), strided(), strided()}, {}, {}};
  list.findings[0].standing.fails = "warning";
  list.findings[1].standing.suppressed = "a < b";
  list.gaps = {diag::error("not-compiled", "does not compile", {"b.cu"})};
  const std::string text = junit(list);
  EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(
      text,
      HasSubstr("<testcase classname=\"uncoalesced-load\" name=\"a b.cu:2 (a)\"><failure type=\"warning\" "
                "message=\"load global 4 B of 'a': stride 128 bytes\">warning</failure>"));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"a &lt; b\"/>"));
  EXPECT_THAT(
      text,
      HasSubstr("<testcase classname=\"not-judged\" name=\"b.cu\"><error message=\"does not compile\"/>"));
  EXPECT_THAT(junit({}), HasSubstr("tests=\"1\" failures=\"0\""));
}

// The members that GitLab's documentation asks for.
TEST(Gitlab, HasWhatIsOpenAndWhatWasNotJudged) {
  List list{{strided(), strided(), strided()}, {}, {}};
  list.findings[1].standing.suppressed = "why";
  list.gaps = {diag::error("not-compiled", "does not compile", {"b.cu"})};
  const json issues = json::parse(gitlab(list));
  ASSERT_EQ(issues.size(), 3);
  EXPECT_EQ(issues[0]["location"]["path"], "b.cu");
  EXPECT_EQ(issues[0]["severity"], "blocker");
  EXPECT_EQ(issues[1]["check_name"], "uncoalesced-load");
  EXPECT_EQ(issues[1]["severity"], "major");
  EXPECT_EQ(issues[1]["location"], (json{{"path", "a b.cu"}, {"lines", {{"begin", 2}}}}));
  EXPECT_THAT(issues[1]["description"].get<std::string>(), HasSubstr("stride 128 bytes"));
  EXPECT_NE(issues[1]["fingerprint"], issues[2]["fingerprint"]);
  EXPECT_EQ(json::parse(gitlab({})), json::array());
}

TEST(Sarif, RefersToItsRulesAndSaysTheWayThroughCalls) {
  json run = json::parse(sarif(
      {{strided(), of_rule(Rule::bank_conflict, Severity::error), strided()}, {}, {}}, "1.2"))["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2);
  EXPECT_EQ(run["results"][2]["ruleIndex"], 0);
  EXPECT_EQ(run["results"][1]["level"], "error");
  EXPECT_EQ(run["results"][1]["locations"], json::array()) << "a place that is not known is not made up";
  const json& result = run["results"][0];
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b.cu");
  EXPECT_EQ(place["region"]["startLine"], 2);
  const json& steps = result["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 2) << "outermost call first";
  EXPECT_EQ(steps[0]["location"]["physicalLocation"]["artifactLocation"]["uri"], "main.cu");
  EXPECT_EQ(result["relatedLocations"].size(), 2);
  EXPECT_EQ(result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "a[j]");
  EXPECT_NE(result["partialFingerprints"]["warplens/v1"],
            run["results"][2]["partialFingerprints"]["warplens/v1"]);
}

TEST(Sarif, SuppressionsAndStatesAreOfAllResultsOrOfNone) {
  List list{{strided(), strided()}, {}, {}};
  EXPECT_FALSE(json::parse(sarif(list, ""))["runs"][0]["results"][0].contains("suppressions"));
  list.findings[0].standing.suppressed = "why";
  for (Finding& finding : list.findings) finding.standing.baseline = Standing::Baseline::worse;
  json results = json::parse(sarif(list, ""))["runs"][0]["results"];
  EXPECT_EQ(results[0]["suppressions"][0]["justification"], "why");
  EXPECT_EQ(results[1]["suppressions"], json::array());
  EXPECT_EQ(results[1]["baselineState"], "updated");
}

TEST(Sarif, ColumnsAreUtf16CodeUnits) {
  const std::string line =
      "  /* \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 */ x"; // 2, 3 and 4 bytes: 1, 1 and 2 units
  const std::string text = "x\n" + line + "\n";
  auto column_of = [&](u32 number, u32 column, const findings::SourceText& source) {
    Finding finding = of_rule(Rule::bank_conflict, Severity::note);
    finding.place = {{"a.cu", number, column, {}}};
    return json::parse(sarif(
        {{finding}, {}, {}}, "",
        source))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"]
        .get<u32>();
  };
  auto source = [&](const std::string&) { return std::string_view(text); };
  const u32 at_x = static_cast<u32>(line.size());
  EXPECT_EQ(column_of(2, at_x, source), at_x - 5);
  EXPECT_EQ(column_of(2, 6, source), 6) << "before them";
  EXPECT_EQ(column_of(1, 1, source), 1);
  EXPECT_EQ(column_of(9, 7, source), 7) << "a line that is not there";
  EXPECT_EQ(column_of(2, at_x, {}), at_x) << "the text is not at hand";
}

TEST(Sarif, PathsBecomeUris) {
  Finding finding = of_rule(Rule::bank_conflict, Severity::note);
  finding.place = {{"/x/\xc3\xa4 #%.cu", 1, 1, {}}};
  json place = json::parse(sarif({{finding}, {}, {}}, ""))["runs"][0]["results"][0]["locations"][0];
  EXPECT_EQ(place["physicalLocation"]["artifactLocation"]["uri"], "file:///x/%C3%A4%20%23%25.cu");
  EXPECT_FALSE(place["physicalLocation"]["artifactLocation"].contains("uriBaseId"));
}

// Two of three files could not be judged.
List with_gaps() {
  List out{{strided()}, {}, {}};
  out.files = 3;
  out.gaps = {diag::error("toolchain-compile-failed", "nvcc could not compile 'b|.cu'",
                          {"src/b|.cu", 0, 0, 0}, "give it options"),
              diag::error("ptx-unknown", "what is 'x'?", {"c.ptx", 7, 2, 0})};
  out.gaps[0].notes = {"b.cu(3): error: 50% of it"};
  return out;
}

TEST(Gaps, NoFormLooksClean) {
  List list = with_gaps();
  list.findings.clear();
  const std::string table = markdown(list);
  EXPECT_THAT(table, testing::StartsWith("### WarpLens: not complete, 2 of 3 files were not judged\n"));
  EXPECT_THAT(table, HasSubstr("| src/b\\|.cu | nvcc could not compile 'b\\|.cu'; b.cu(3): error: 50% of it. "
                               "Help: give it options |"));
  EXPECT_THAT(table, HasSubstr("| c.ptx | what is 'x'? |"));
  EXPECT_THAT(table, HasSubstr("\n0 findings in what was judged.\n"));
  EXPECT_EQ(
      github(list),
      "::error file=src/b|.cu,title=not judged::nvcc could not compile 'b|.cu'; b.cu(3): error: 50%25 of it. "
      "Help: give it options\n"
      "::error file=c.ptx,line=7,title=not judged::what is 'x'?\n");
  const json out = json::parse(findings::json(list, ""));
  EXPECT_EQ(out["complete"], false);
  EXPECT_EQ(out["not_judged"][0]["file"], "src/b|.cu");
  EXPECT_EQ(out["not_judged"][1]["line"], 7);
  EXPECT_EQ(json::parse(findings::json({{strided()}, {}, {}}, ""))["complete"], true);
}

TEST(Gaps, SarifSaysThatTheRunFailed) {
  const json run = json::parse(sarif(with_gaps(), ""))["runs"][0];
  EXPECT_EQ(run["results"].size(), 1) << "what was judged is there";
  ASSERT_EQ(run["invocations"].size(), 1);
  const json& invocation = run["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  const json& told = invocation["toolExecutionNotifications"];
  ASSERT_EQ(told.size(), 2);
  EXPECT_EQ(told[1]["level"], "error");
  EXPECT_EQ(told[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "c.ptx");
  EXPECT_EQ(told[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_EQ(json::parse(sarif({}, ""))["runs"][0]["invocations"][0], json({{"executionSuccessful", true}}));
}

TEST(Gaps, AWarningLeavesTheListConclusive) {
  List list{{strided()}, {}, {}};
  list.gaps = {diag::warning("launches-uncounted", "not all launches were counted")};
  EXPECT_TRUE(is_conclusive(list));
  EXPECT_THAT(markdown(list), testing::StartsWith("### WarpLens: 1 finding (1 warning)\n"));
  EXPECT_THAT(markdown(list), HasSubstr("not all launches were counted"));
  EXPECT_EQ(json::parse(sarif(list, ""))["runs"][0]["invocations"][0]["executionSuccessful"], true);
  EXPECT_EQ(json::parse(findings::json(list, ""))["complete"], false);
}

TEST(Writers, BytesThatAreNoTextAreNoError) {
  Finding finding = of_rule(Rule::bank_conflict, Severity::note);
  finding.message = finding.source = finding.kernel = "\xff\x1b[31m";
  finding.place = {{"\xff.cu", 1, 1, {}}};
  List list{{finding}, {}, {}};
  EXPECT_TRUE(json::accept(sarif(list, "")));
  EXPECT_TRUE(json::accept(findings::json(list, "")));
  for (const std::string& out : {github(list), markdown(list),
                                 text(
                                     list, [](auto&) { return std::string_view(); }, false)})
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
}

TEST(Fingerprints, StayWhenLinesMove) {
  std::vector<Finding> before{strided(), strided()}, after = before;
  after[0].place = {{"a b.cu", 90, 1, {}}};
  EXPECT_EQ(fingerprints(before), fingerprints(after));
  EXPECT_NE(fingerprints(before)[0], fingerprints(before)[1]) << "alike lines are told apart by their order";
  after[0].source = "other";
  EXPECT_NE(fingerprints(before)[0], fingerprints(after)[0]);
}

TEST(Rules, AreKebabCaseAndEachOnceWithWordsThatEndAsSentencesDo) {
  std::set<std::string_view> ids;
  for (const RuleEntry& one : rules()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_EQ(one.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), one.id.npos) << one.id;
    EXPECT_FALSE(one.summary.ends_with('.')) << one.id;
    EXPECT_TRUE(one.help.ends_with('.')) << one.id;
    EXPECT_EQ(rule_named(one.id), one.rule);
    EXPECT_EQ(&entry(one.rule), &one);
  }
  EXPECT_FALSE(rule_named("bank"));
  EXPECT_EQ(closest_rule("bank-conflicts"), "bank-conflict");
}

TEST(Words, NumbersAreAsShortAsTheyMayBe) {
  EXPECT_EQ(number(32), "32");
  EXPECT_EQ(number(31.25), "31.25");
  EXPECT_EQ(number(0.104), "0.1");
  EXPECT_EQ(times(8), "8");
  EXPECT_EQ(times(17.333), "17.3");
  EXPECT_EQ(times(999.4), "999");
  EXPECT_EQ(times(999.6), "1,000");
  EXPECT_EQ(times(1171.2), "1,170");
  EXPECT_EQ(times(12'345'678), "12,300,000");
  EXPECT_EQ(cost_text(1.004, "sectors", 1), "1.004 sectors per request where 1 would do");
  EXPECT_EQ(cost_text(1, "sectors", 1), "1 sectors per request");
  EXPECT_EQ(bytes(999), "999 B");
  EXPECT_EQ(bytes(402653184), "403 MB");
  EXPECT_EQ(cost_text({.sm = 90, .counter = "wavefronts", .least = 2, .most = 8, .needed = 1}),
            "2 to 8 wavefronts per instruction where 1 would do (9.0)");
}

} // namespace
} // namespace warplens::findings
