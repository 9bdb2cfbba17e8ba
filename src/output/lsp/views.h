// What is known of a file, as the protocol's values: pure functions of answers, of a run, and of the text that the editor has
// now. Counts are those of the findings' costs; nothing is computed here.
#pragma once
#include "lsp/answer.h"
#include "lsp/text.h"
#include <nlohmann/json_fwd.hpp>

namespace warplens::lsp {

// A file as it is shown: its text now, and everything that was found in it, whichever file was judged.
struct View {
  std::string file; // absolute
  const Text* text; // as the editor has it
  Encoding encoding = Encoding::utf16;
  std::vector<std::shared_ptr<const Answer>> answers; // that know of the file
  std::vector<Problem> problems;                      // of this file
  std::vector<Run> runs;
};

nlohmann::json range_json(const Range&);
// An array of Diagnostic.
nlohmann::json diagnostics(const View&);
// A Hover, or null. `markdown`: the editor shows it.
nlohmann::json hover(const View&, Position, bool markdown);
// An array of InlayHint for the lines of the range.
nlohmann::json inlay_hints(const View&, const Range&);
// An array of CodeAction for the findings in the range: edits of their fixes, and a comment that accepts them. `text_of`: the
// text of another file as it is now, null where it cannot be known.
nlohmann::json code_actions(const View&, const Range&,
                            const std::function<const Text*(const std::string& file)>& text_of);

// The lines of the run's accesses in the file where they are now, from 0: its own line, where it still has this text, else
// the only other one that has. None: the line changed.
std::optional<u32> line_of_run(const Text& now, u32 line, std::string_view source);

} // namespace warplens::lsp
