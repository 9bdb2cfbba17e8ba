// What is shown of answers and runs: hover, hints, actions.
#include "lsp/editor.h"
#include "lsp/views.h"

namespace warplens::lsp {
namespace {

TEST(Views, HoverTellsCountsAndConditions) {
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

TEST(Views, HintsAreWhatWasCountedUntilTheLineChanges) {
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
  editor.runs = {{"last run", std::make_shared<const findings::List>(run)}};
  run.accesses[0].costs[0].average = 30;
  editor.runs.push_back({"measured", std::make_shared<const findings::List>(run)});
  editor.answer(answer_with(code, {finding_at(2, 3)}));
  json hints = editor.ask("textDocument/inlayHint", editor.all());
  ASSERT_EQ(hints.size(), 3);
  EXPECT_EQ(hints[0]["label"], "store a: 32 sectors, 4 would do");
  EXPECT_EQ(hints[2]["label"], "measured: store a: 30 sectors, 4 would do");
  EXPECT_EQ(hints[0]["position"], (json{{"line", 1}, {"character", 30}})); // é is one
  EXPECT_EQ(hints[1]["label"], "last run: store a: 31.25 sectors, 4 would do");
  editor.type(Editor::span(0, 0, 0, 0), "// above\n");
  hints = editor.ask("textDocument/inlayHint", editor.all());
  ASSERT_EQ(hints.size(), 3);
  EXPECT_EQ(hints[1]["position"]["line"], 2);
  editor.type(Editor::span(2, 2, 2, 3), "b");
  EXPECT_EQ(editor.ask("textDocument/inlayHint", editor.all()), json::array());
  EXPECT_EQ(editor.ask("textDocument/hover", editor.at(2, 3)), json());
}

TEST(Views, HintsAreForTheBlocksThatAreJudgedFirst) {
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

TEST(Views, FixesWithEditsAreOfferedForTheTextTheyWereMadeFor) {
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
