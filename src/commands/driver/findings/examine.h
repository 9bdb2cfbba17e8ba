// What `check` and the language server have in common: inputs become PTX and then judgements, side by side, and what is
// found is placed in the source. Gates and output are up to them.
#pragma once
#include "check/judgement.h"
#include "driver/findings/check_inputs.h"
#include "driver/options/check.h"
#include "findings/finding.h"
#include "source/functions.h"
#include "source/source_roots.h"
#include <map>
#include <mutex>
#include <span>

namespace warplens::driver {

// The text of source files that belong to what is checked.
class SourceTexts {
public:
  // What is quoted is below the working directory, or belongs to the program of the first input.
  // An input with a text of its own has that.
  explicit SourceTexts(const std::vector<CheckInput>&);

  // Empty where the file cannot be read or does not belong to the program.
  std::string_view text(const std::string& file);

  // The parameters in the definition of the kernel, where it begins above that code.
  std::vector<source::Parameter> parameters(const std::string& function, const access::SourceStack&);

private:
  const source::Tokens& tokens(const std::string& file);
  source::SourceRoots roots_;
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, source::Tokens> tokens_; // of those texts
};

struct Examined {
  std::vector<check::Judgement> judgements;
  std::vector<const arch::Architecture*> architectures; // the first is the one that verdicts are for
  findings::List list; // files as they are called from here, lines quoted; no edits
  u64 kernels = 0;
  u64 most_shared = 0; // bytes that a kernel's shared arrays of known sizes take together, at most
  std::string said;    // by compilers, and about what cannot be read
  bool failed = false; // an input could not be judged: List::gaps
};

// The inputs that the options name; of a folder or a compile_commands.json those that are `wanted`; one that cannot be read is
// there with its error. Errors: bad-option.
Result<std::vector<CheckInput>> inputs_of(const CheckOptions&,
                                          const std::function<bool(const std::string&)>& wanted);
// Errors: of the options; what is wrong with an input is in Examined::said.
// Where `stop` is requested it ends soon, and what it gives is of no use.
Result<Examined> examine(const CheckOptions&, const std::vector<CheckInput>&, SourceTexts&,
                         const std::stop_token& stop = {});

// The rules that code alone tells of. Comments that ignore others are for runs.
std::span<const findings::Rule> checked_rules();

} // namespace warplens::driver
