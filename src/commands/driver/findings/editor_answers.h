// What the language server tells of a file: `check` of the text that the editor has, as values of lsp/.
#pragma once
#include "driver/options/lsp.h"
#include "lsp/answer.h"
#include <array>
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

  // The run that was saved last, and what a GPU counted. load_runs() reads the files, where they are others than before, and says
  // whether one was.
  std::vector<lsp::Run> runs() const;
  bool runs_are_old() const;
  bool load_runs();

private:
  LspOptions options() const;
  mutable std::mutex mutex_;
  LspOptions options_;
  lsp::Settings settings_;
  struct Kept {
    lsp::Run run;
    std::string version; // of the file that it was read from: its name, size and time
  };
  std::array<Kept, 2> kept_;
};

} // namespace warplens::driver
