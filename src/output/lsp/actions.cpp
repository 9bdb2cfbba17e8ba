// Code actions: what an editor may do about a finding. An edit is offered only where the text is still the one that was judged:
// it would land elsewhere, or destroy what was written since.
#include "findings/words.h"
#include "lsp/uri.h"
#include "lsp/views.h"
#include <nlohmann/json.hpp>

namespace warplens::lsp {
namespace {

using findings::Edit;
using findings::Finding;
using nlohmann::json;
using TextOf = std::function<const Text*(const std::string&)>;

// The edits of a fix as a WorkspaceEdit; null where a file that they are for has changed, or is not known.
json workspace_edit(const std::vector<Edit>& edits, const Answer& answer, const TextOf& text_of,
                    Encoding encoding) {
  json changes = json::object();
  for (const Edit& edit : edits) {
    const Text* now = text_of(edit.file);
    auto then = answer.texts.find(edit.file);
    if (now == nullptr || then == answer.texts.end() || then->second != now->content()) return nullptr;
    auto at = [&](u32 line, u32 column) {
      return now->position(line == 0 ? 0 : line - 1, column == 0 ? 0 : column - 1, encoding);
    };
    const Range range{at(edit.line, edit.column), at(edit.end_line, edit.end_column)};
    changes[uri_of(edit.file)].push_back({{"range", range_json(range)}, {"newText", edit.replacement}});
  }
  return {{"changes", std::move(changes)}};
}

// A comment above the line, as docs/do/ci.md has it.
json accepting_comment(const View& view, const Finding& finding, u32 line) {
  const std::string_view words = view.text->line(line);
  const std::string indent(words.substr(0, std::min(words.find_first_not_of(" \t"), words.size())));
  const Range range{{line, 0}, {line, 0}};
  const std::string text =
      indent + "// warplens: ignore " + std::string(findings::name(finding.rule)) + ": accepted as it is\n";
  const json edit{{"range", range_json(range)}, {"newText", text}};
  return {{"changes", {{uri_of(view.file), json::array({edit})}}}};
}

json action(const std::string& title, const json& edit, const json& diagnostic) {
  return {{"title", title}, {"kind", "quickfix"}, {"diagnostics", json::array({diagnostic})}, {"edit", edit}};
}

// The published form of one finding, so that the editor knows which one the action is for.
json published(const View& view, const Answer& answer, const Finding& finding) {
  auto alone = std::make_shared<Answer>();
  alone->list.findings = {finding};
  alone->texts = answer.texts;
  View one = view;
  one.answers = {alone};
  one.problems.clear();
  return diagnostics(one);
}

} // namespace

json code_actions(const View& view, const Range& range, const TextOf& text_of) {
  json out = json::array();
  for (const std::shared_ptr<const Answer>& answer : view.answers) {
    for (const Finding& finding : answer->list.findings) {
      if (findings::place_of(finding).file != view.file || !findings::is_open(finding)) continue;
      const json shown = published(view, *answer, finding);
      if (shown.empty()) continue;
      const u32 line = shown[0]["range"]["start"]["line"];
      if (line < range.start.line || line > range.end.line) continue;
      if (finding.fix && !finding.fix->edits.empty())
        if (json edit = workspace_edit(finding.fix->edits, *answer, text_of, view.encoding); !edit.is_null())
          out.push_back(action(finding.fix->text, edit, shown[0]));
      out.push_back(action("accept " + std::string(findings::name(finding.rule)) + " here, by a comment",
                           accepting_comment(view, finding, line), shown[0]));
    }
  }
  return out;
}

} // namespace warplens::lsp
