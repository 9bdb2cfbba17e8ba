// Conversations, message by message, with answers that the test gives: nothing is compiled, nothing waits.
#include "lsp/editor.h"

namespace warplens::lsp {
namespace {

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
  EXPECT_EQ(code_of(std::string(1 << 20, '[')), -32700);
  EXPECT_EQ(code_of("[" + std::string(150, '[') + std::string(150, ']') + ",\"" + std::string(999, '[') +
                    "\\\"[\"]"),
            -32600);
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

TEST(Session, RelatedPlacesOfTheFileMoveWithItsLines) {
  Editor editor;
  editor.begin();
  editor.open();
  findings::Finding finding = finding_at(2, 3);
  finding.notes = {{"declared here", access::SourceFrame{file, 2, 5, {}}}};
  editor.answer(answer_with(code, {finding}));
  editor.type(Editor::span(0, 0, 0, 0), "#include <\n");
  Answer failed;
  failed.problem = Problem{file, 1, 10, "expected \"FILENAME\" or <FILENAME>"};
  editor.answer(failed);
  const json one = editor.published()["diagnostics"][0];
  EXPECT_EQ(one["range"]["start"]["line"], 2);
  EXPECT_EQ(one["relatedInformation"].back()["location"]["range"]["start"],
            (json{{"line", 2}, {"character", 4}}));
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

} // namespace
} // namespace warplens::lsp
