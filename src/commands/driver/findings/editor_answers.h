// What the language server tells of a file: `check` of the text that the editor has, as values of lsp/.
#pragma once
#include "driver/lsp.h"
#include "lsp/answer.h"
#include <mutex>

namespace warplens::driver {

class EditorAnswers {
public:
  explicit EditorAnswers(LspOptions options) : options_(std::move(options)) {}

  // From now on. May be called while a question is answered.
  void configure(const lsp::Settings&);
  // Edits take longer than the rest: where some are asked for, `early` gets the answer without them.
  using Early = std::function<void(lsp::Answer)>;
  lsp::Answer answer(const lsp::Question&, const std::stop_token&, const Early& early) const;

  // The run that was saved last. load_run() reads the file, where it is another than before, and says whether it was.
  lsp::Run run() const;
  bool run_is_old() const;
  bool load_run();

private:
  LspOptions options() const;
  mutable std::mutex mutex_;
  LspOptions options_;
  lsp::Settings settings_;
  lsp::Run run_;
  std::string run_version_; // of the file that run_ was read from: its name, size and time
};

} // namespace warplens::driver
