// Golden documents: PTX, then what is said about it. WARPLENS_REBASE=1 rewrites the answers.
// A document is a series of cases; "=== title" opens one, "--- answer" separates the text from the expected
// output: the diagnostic with its caret, or the module as it prints.
#include "ptx/ptx_test.h"
#include "support/print.h"
#include <cstdlib>

namespace warplens::ptx {
namespace {

std::string answer(const std::string& text) {
  Result<Parsed> result = parse(text, {"input.ptx"});
  if (!result) return diag::render(result.error(), text);
  std::string all;
  for (const diag::Diagnostic& warning : result->warnings) all += diag::render(warning, text);
  return all + ir::print(result->module);
}

std::string answered(const std::string& document) {
  std::string out;
  std::size_t at = document.find("=== ");
  out += document.substr(0, at);
  while (at != document.npos) {
    std::size_t next = document.find("\n=== ", at), line = document.find('\n', at) + 1;
    std::string text = document.substr(line, document.find("--- answer\n", at) - line);
    out += document.substr(at, line - at) + text + "--- answer\n" + answer(text);
    at = next == document.npos ? next : next + 1;
  }
  return out;
}

TEST(Goldens, DocumentsGetTheirAnswers) {
  for (const char* file : {"diagnostics.txt", "modules.txt"}) {
    std::string document = read_data(file), now = answered(document);
    if (std::getenv("WARPLENS_REBASE") != nullptr)
      std::ofstream(std::string(WARPLENS_TEST_DATA) + "/" + file) << now;
    else
      EXPECT_EQ(now, document) << file;
  }
}

} // namespace
} // namespace warplens::ptx
