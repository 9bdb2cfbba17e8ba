// Conversations, message by message, with answers that the test gives: nothing is compiled, nothing waits.
#include "lsp/session.h"
#include "lsp/views.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::lsp {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* file = "/w/a.cu";
constexpr const char* uri = "file:///w/a.cu";
constexpr const char* code = "__global__ void k(float* a, int n) {\n  a[threadIdx.x * n] = 1; // é\n}\n";

findings::Finding finding_at(u32 line, u32 column) {
  findings::Finding out{.rule = "uncoalesced-store"};
  out.place = {{file, line, column, {}}, {"/w/b.cuh", 7, 3, {}}};
  out.message = "store of 4 bytes to 'a': stride 4*n bytes";
  out.conditions = {"n >= 8"};
  out.costs = {{.sm = 90, .counter = "sectors", .least = 32, .most = 32, .needed = 4, .fixed = 4}};
  out.fix = findings::Fix{"swap the indices", {}, {}};
  return out;
}

Answer answer_with(const std::string& text, std::vector<findings::Finding> findings) {
  Answer out;
  out.texts[file] = text;
  for (const findings::Finding& finding : findings) {
    Access access;
    access.place = finding.place;
    access.kernel = "k(float*, int)";
    access.array = "a";
    access.what = "store of 4 bytes to 'a'";
    access.verdict = "uncoalesced";
    access.pattern = "stride 4*n bytes";
    access.costs = finding.costs;
    access.conditions = finding.conditions;
    out.accesses.push_back(std::move(access));
  }
  out.list.findings = std::move(findings);
  return out;
}

// An editor, and a Session that it speaks with.
struct Editor {
  std::vector<json> got;
  std::vector<std::pair<Question, std::chrono::milliseconds>> asked;
  std::vector<std::string> forgotten;
  std::string folder;
  Settings settings;
  Run run;
  Session session{
      {[this](const std::string& content) { got.push_back(json::parse(content)); },
       [this](Question question, std::chrono::milliseconds pause) { asked.emplace_back(question, pause); },
       [this](const std::string& name) { forgotten.push_back(name); },
       [this](const std::string& name, const Settings& set) { folder = name, settings = set; },
       [this] { return run; }, "1.2.3"}};

  void notify(const std::string& method, const json& params) {
    session.receive(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  json ask(const std::string& method, const json& params) {
    session.receive(json{{"jsonrpc", "2.0"}, {"id", "x"}, {"method", method}, {"params", params}}.dump());
    EXPECT_EQ(got.back()["id"], "x");
    return got.back().contains("result") ? got.back()["result"] : got.back();
  }
  void begin(const json& params = {{"rootUri", "file:///w"}, {"capabilities", json::object()}}) {
    ask("initialize", params);
    notify("initialized", json::object());
  }
  void open(const std::string& text = code) {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", "cuda"}, {"version", 1}, {"text", text}}}});
  }
  void type(const json& range, const std::string& text) {
    json change{{"text", text}};
    if (!range.is_null()) change["range"] = range;
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", 2}}}, {"contentChanges", json::array({change})}});
  }
  void answer(Answer with) { session.answered(asked.back().first, std::move(with)); }
  json published() const {
    return got.back().value("method", "") == "textDocument/publishDiagnostics" ? got.back()["params"]
                                                                               : json();
  }
  json at(u32 line, u32 character) const {
    return {{"textDocument", {{"uri", uri}}}, {"position", {{"line", line}, {"character", character}}}};
  }
  json all() const {
    return {{"textDocument", {{"uri", uri}}},
            {"range", span(0, 0, 99, 0)},
            {"context", {{"diagnostics", json::array()}}}};
  }
  static json span(u32 line, u32 character, u32 end_line, u32 end_character) {
    return {{"start", {{"line", line}, {"character", character}}},
            {"end", {{"line", end_line}, {"character", end_character}}}};
  }
};

TEST(Session, SaysWhatItCanDo) {
  Editor editor;
  json result =
      editor.ask("initialize", {{"rootUri", "file:///w"},
                                {"capabilities", {{"general", {{"positionEncodings", {"utf-16", "utf-8"}}}}}},
                                {"initializationOptions", {{"sm", "70"}, {"checkWhileTyping", false}}}});
  EXPECT_EQ(result["capabilities"]["positionEncoding"], "utf-8");
  EXPECT_EQ(result["capabilities"]["textDocumentSync"]["change"], 2);
  EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  EXPECT_EQ(editor.folder, "/w");
  EXPECT_EQ(editor.settings.sm, "70");
  EXPECT_FALSE(editor.settings.check_while_typing);
}

TEST(Session, BadMessagesGetTheErrorsOfJsonRpc) {
  Editor editor;
  auto code_of = [&](const std::string& content) {
    editor.session.receive(content);
    return editor.got.back()["error"]["code"].get<int>();
  };
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of("{\"id\":1}"), -32600);
  EXPECT_EQ(code_of("{\"id\":{},\"method\":\"initialize\"}"), -32600);
  EXPECT_EQ(code_of("{\"id\":1,\"method\":7}"), -32600);
  EXPECT_EQ(code_of("{\"id\":1,\"method\":\"textDocument/hover\"}"), -32002);
  editor.begin();
  EXPECT_EQ(code_of("{\"id\":1,\"method\":\"initialize\",\"params\":{}}"), -32600);
  EXPECT_EQ(code_of("{\"id\":1,\"method\":\"no/such\"}"), -32601);
  EXPECT_EQ(code_of("{\"id\":1,\"method\":\"textDocument/hover\",\"params\":[1]}"), -32602);
  editor.open();
  EXPECT_EQ(
      code_of(json{
          {"id", 1},
          {"method", "textDocument/hover"},
          {"params", {{"textDocument", {{"uri", uri}}}, {"position", {{"line", -1}, {"character", 1e300}}}}}}
                  .dump()),
      -32602);
  const std::size_t before = editor.got.size();
  editor.notify("$/unknown", {});
  editor.notify("textDocument/didChange", {{"contentChanges", 7}});
  editor.notify("textDocument/didOpen", {{"textDocument", {{"uri", 9}}}});
  editor.session.receive("{\"id\":5,\"result\":null}"); // an answer to what we asked
  EXPECT_EQ(editor.got.size(), before);
}

TEST(Session, EndsAsTheEditorWants) {
  Editor polite, hasty;
  polite.begin();
  EXPECT_EQ(polite.ask("shutdown", nullptr), json());
  EXPECT_EQ(polite.ask("textDocument/hover", polite.at(0, 0))["error"]["code"], -32600);
  polite.notify("exit", nullptr);
  EXPECT_TRUE(polite.session.ended());
  EXPECT_EQ(polite.session.exit_code(), 0);
  hasty.notify("exit", nullptr);
  EXPECT_TRUE(hasty.session.ended());
  EXPECT_EQ(hasty.session.exit_code(), 1);
}

TEST(Session, AFileIsJudgedWhenItIsOpenedSavedAndAfterAPause) {
  Editor editor;
  editor.begin();
  editor.open();
  ASSERT_EQ(editor.asked.size(), 1);
  EXPECT_EQ(editor.asked[0].first.file, file);
  EXPECT_EQ(editor.asked[0].first.text, code);
  EXPECT_EQ(editor.asked[0].second.count(), 0);
  editor.type(Editor::span(1, 2, 1, 3), "b");
  ASSERT_EQ(editor.asked.size(), 2);
  EXPECT_THAT(editor.asked[1].first.text, HasSubstr("  b[threadIdx.x"));
  EXPECT_EQ(editor.asked[1].second.count(), 500);
  editor.notify("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
  ASSERT_EQ(editor.asked.size(), 3);
  EXPECT_EQ(editor.asked[2].second.count(), 0);
  editor.notify("textDocument/didOpen", {{"textDocument", {{"uri", "file:///w/a.py"}, {"text", ""}}}});
  EXPECT_EQ(editor.asked.size(), 3);
}

TEST(Session, FindingsAreDiagnostics) {
  Editor editor;
  editor.begin();
  editor.open();
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  const json params = editor.published();
  EXPECT_EQ(params["uri"], uri);
  ASSERT_EQ(params["diagnostics"].size(), 1);
  const json& one = params["diagnostics"][0];
  EXPECT_EQ(one["range"], Editor::span(1, 2, 1, 20)); // a[threadIdx.x * n]
  EXPECT_EQ(one["severity"], 2);
  EXPECT_EQ(one["code"], "uncoalesced-store");
  EXPECT_EQ(one["message"],
            "store of 4 bytes to 'a': stride 4*n bytes\nif n >= 8\n"
            "32 sectors per request where 4 would do (9.0); 4 after the fix\nfix: swap the indices");
  EXPECT_EQ(one["relatedInformation"][0]["location"]["uri"], "file:///w/b.cuh");
}

TEST(Session, AStoreIsWhatStandsBeforeItsSign) {
  Editor editor;
  editor.begin();
  editor.open();
  editor.answer(answer_with(code, {finding_at(2, 22)})); // where clang says that it is
  EXPECT_EQ(editor.published()["diagnostics"][0]["range"], Editor::span(1, 2, 1, 20));
}

TEST(Session, WhatIsSuppressedOrKnownIsNotShown) {
  Editor editor;
  editor.begin();
  editor.open();
  findings::Finding ignored = finding_at(2, 3), known = finding_at(2, 3);
  ignored.standing.suppressed = "because";
  known.standing.baseline = findings::Standing::Baseline::unchanged;
  editor.answer(answer_with(code, {ignored, known}));
  EXPECT_EQ(editor.published()["diagnostics"], json::array());
}

TEST(Session, AnAnswerThatComesTooLateIsDropped) {
  Editor editor;
  editor.begin();
  editor.open();
  const Question first = editor.asked[0].first;
  editor.type(Editor::span(0, 0, 0, 0), "\n");
  const std::size_t before = editor.got.size();
  editor.session.answered(first, answer_with(code, {finding_at(2, 3)}));
  EXPECT_EQ(editor.got.size(), before);
  editor.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  EXPECT_EQ(editor.got.size(), before);
}

TEST(Session, FindingsFollowTheirLinesWhileTheFileCannotBeJudged) {
  Editor editor;
  editor.begin();
  editor.open();
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  editor.type(Editor::span(0, 0, 0, 0), "#include <\n");
  Answer failed;
  failed.problem = Problem{file, 1, 10, "expected \"FILENAME\" or <FILENAME>"};
  editor.answer(failed);
  json shown = editor.published()["diagnostics"];
  ASSERT_EQ(shown.size(), 2);
  EXPECT_EQ(shown[0]["range"], Editor::span(2, 2, 2, 20));
  EXPECT_EQ(shown[1]["code"], "not-checked");
  EXPECT_EQ(shown[1]["severity"], 3);
  EXPECT_EQ(shown[1]["range"]["start"]["line"], 0);
  editor.type(Editor::span(2, 2, 2, 3), "b"); // its line: no longer known
  editor.answer(failed);
  ASSERT_EQ(editor.published()["diagnostics"].size(), 1);
  editor.answer(answer_with("", {}));
  EXPECT_EQ(editor.published()["diagnostics"], json::array());
}

TEST(Session, HeadersGetTheirFindingsToo) {
  Editor editor;
  editor.begin();
  editor.open();
  findings::Finding in_header = finding_at(3, 1);
  in_header.place = {{"/w/b.cuh", 1, 1, {}}};
  Answer answer = answer_with(code, {in_header});
  answer.texts["/w/b.cuh"] = "x[i] = 1;\n";
  editor.answer(answer);
  json last = editor.published();
  EXPECT_EQ(last["uri"], "file:///w/b.cuh");
  EXPECT_EQ(last["diagnostics"][0]["range"], Editor::span(0, 0, 0, 4));
  editor.type(nullptr, code);
  editor.answer(answer_with(code, {}));
  EXPECT_EQ(editor.published()["uri"], "file:///w/b.cuh");
  EXPECT_EQ(editor.published()["diagnostics"], json::array());
}

TEST(Session, HoverTellsCountsAndConditions) {
  Editor editor;
  editor.begin();
  editor.open();
  Answer answer = answer_with(code, {finding_at(2, 3)});
  answer.accesses[0].costs.push_back({.sm = 35, .counter = "sectors", .least = 32, .most = 32, .needed = 4});
  answer.accesses.push_back(answer.accesses[0]); // of another instantiation
  answer.accesses[1].kernel = "k2<*x*>";
  editor.answer(answer);
  EXPECT_EQ(editor.ask("textDocument/hover", editor.at(0, 0)), json());
  json hover = editor.ask("textDocument/hover", editor.at(1, 5));
  EXPECT_EQ(hover["contents"]["kind"], "markdown");
  EXPECT_EQ(hover["contents"]["value"], "**store of 4 bytes to 'a': uncoalesced, stride 4\\*n bytes**\n\n"
                                        "- 32 sectors per request where 4 would do (9.0); 4 after the fix\n"
                                        "- 32 sectors per request where 4 would do (3.5)\n"
                                        "- holds if n \\>= 8\n"
                                        "- in k(float\\*, int), k2\\<\\*x\\*\\>\n");
}

TEST(Session, HintsAreThoseOfTheLastRunUntilTheLineChanges) {
  Editor editor;
  editor.begin();
  editor.open();
  findings::List run;
  run.accesses.push_back({.place = {{file, 2, 3, {}}},
                          .kernel = "k",
                          .array = "a",
                          .source = "a[threadIdx.x * n] = 1; // é",
                          .what = "store global 4 B"});
  run.accesses[0].costs = {
      {.sm = 90, .counter = "sectors", .least = 4, .most = 32, .average = 31.25, .needed = 4}};
  editor.run = std::make_shared<const findings::List>(run);
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  json hints = editor.ask("textDocument/inlayHint", editor.all());
  ASSERT_EQ(hints.size(), 2);
  EXPECT_EQ(hints[0]["label"], "store a: 32 sectors, 4 would do");
  EXPECT_EQ(hints[0]["position"], (json{{"line", 1}, {"character", 30}})); // é is one
  EXPECT_EQ(hints[1]["label"], "last run: store a: 31.25 sectors, 4 would do");
  editor.type(Editor::span(0, 0, 0, 0), "// above\n");
  hints = editor.ask("textDocument/inlayHint", editor.all());
  ASSERT_EQ(hints.size(), 2);
  EXPECT_EQ(hints[1]["position"]["line"], 2);
  editor.type(Editor::span(2, 2, 2, 3), "b");
  EXPECT_EQ(editor.ask("textDocument/inlayHint", editor.all()), json::array());
  EXPECT_EQ(editor.ask("textDocument/hover", editor.at(2, 3)), json());
}

TEST(Session, HintsAreForTheBlocksThatAreJudgedFirst) {
  Editor editor;
  editor.begin();
  editor.open();
  Answer answer = answer_with(code, {finding_at(2, 3), finding_at(2, 3)});
  answer.accesses[0].costs = {{.sm = 90, .counter = "wavefronts", .least = 1, .most = 1, .needed = 1}};
  answer.accesses[0].fine = true;
  answer.accesses[1].other_shape = true;
  editor.answer(answer);
  const json hints = editor.ask("textDocument/inlayHint", editor.all());
  ASSERT_EQ(hints.size(), 1);
  EXPECT_EQ(hints[0]["label"], "store a: 1 wavefront");
}

TEST(Session, FixesWithEditsAreOfferedForTheTextTheyWereMadeFor) {
  Editor editor;
  editor.begin();
  editor.open();
  findings::Finding finding = finding_at(2, 3);
  finding.fix->edits = {{file, 2, 5, 2, 20, "i"}};
  editor.answer(answer_with(code, {finding}));
  json actions = editor.ask("textDocument/codeAction", editor.all());
  ASSERT_EQ(actions.size(), 2);
  EXPECT_EQ(actions[0]["title"], "swap the indices");
  EXPECT_EQ(actions[0]["edit"]["changes"][uri],
            json::array({{{"range", Editor::span(1, 4, 1, 19)}, {"newText", "i"}}}));
  EXPECT_EQ(actions[0]["diagnostics"][0]["code"], "uncoalesced-store");
  EXPECT_EQ(actions[1]["edit"]["changes"][uri][0]["newText"],
            "  // warplens: ignore uncoalesced-store: accepted as it is\n");
  editor.type(Editor::span(0, 0, 0, 0), " ");
  actions = editor.ask("textDocument/codeAction", editor.all());
  ASSERT_EQ(actions.size(), 1); // the comment still fits, the edit might not
  json elsewhere = editor.all();
  elsewhere["range"] = Editor::span(2, 0, 2, 1);
  EXPECT_EQ(editor.ask("textDocument/codeAction", elsewhere), json::array());
  json only = editor.all();
  only["context"]["only"] = {"refactor"};
  EXPECT_EQ(editor.ask("textDocument/codeAction", only), json::array());
}

TEST(Session, SettingsMayChange) {
  Editor editor;
  editor.begin();
  editor.open();
  editor.notify("workspace/didChangeConfiguration",
                {{"settings", {{"warplens", {{"sm", "70,90"}, {"inlayHints", false}}}}}});
  EXPECT_EQ(editor.settings.sm, "70,90");
  EXPECT_EQ(editor.asked.size(), 2);
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  EXPECT_EQ(editor.ask("textDocument/inlayHint", editor.all()), json::array());
}

TEST(LastRun, ALineIsFoundWhereOnlyOneHasItsText) {
  const Text text("a = 1;\nb = 2;\na = 1;\n");
  EXPECT_EQ(line_of_run(text, 0, "a = 1;"), 0);
  EXPECT_EQ(line_of_run(text, 2, " a = 1;"), 2);
  EXPECT_EQ(line_of_run(text, 5, "b = 2;"), 1);
  EXPECT_EQ(line_of_run(text, 5, "a = 1;"), std::nullopt);
  EXPECT_EQ(line_of_run(text, 1, "c"), std::nullopt);
  EXPECT_EQ(line_of_run(text, 1, ""), std::nullopt);
}

} // namespace
} // namespace warplens::lsp
