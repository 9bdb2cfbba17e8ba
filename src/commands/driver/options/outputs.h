// Where the reports of `run` and `report` go: checked before anything is done for them, written at the end.
#pragma once
#include "driver/options/run.h"
#include "os/output_file.h"
#include "source/source.h"
#include "summary/model.h"
#include <optional>

namespace warplens::driver {

class Outputs {
public:
  using Named = std::vector<std::pair<std::string, std::string>>; // option, and its file or "-"
  // Those that were given; of findings alone.
  static Named named(const RunOptions&);
  static Named named(const GateOptions&);

  // Fails where a file cannot be written, where one would be written over an input or source code, or both over each other. `command`
  // and `whose` are for messages: "run FILE PROGRAM", "the program". Placeholders in names are filled in (rank_names.h), but for those
  // of RunOptions, which name_outputs has filled in.
  static Result<Outputs> prepare(Named, const std::vector<std::string>& inputs, std::string_view command,
                                 std::string_view whose);
  static Result<Outputs> prepare(const RunOptions&, const std::vector<std::string>& inputs,
                                 std::string_view command, std::string_view whose);

  // Fails where a shell was told to write over an input, or to its end: `warplens report run.json >> run.json`. What is
  // read would then be what is written. An input "-" is standard input.
  static Result<void> check_streams(const std::vector<std::string>& inputs);

  // Writes the reports, all that can be written; fails with the first that could not be.
  Result<void> write(const RunOptions&, const summary::Model&, source::SourceFiles&, const RunOutput&) const;
  // Writes to where the option says that this goes; nowhere where it was not given.
  Result<void> write(std::string_view option, std::string_view text, const RunOutput&) const;

  // Does one of them go to standard output, other than the text?
  static bool takes_stdout(const RunOptions&);
  bool take_stdout() const;

private:
  static Result<Outputs> open(const Named&, const std::vector<std::string>& inputs, std::string_view command,
                              std::string_view whose);
  struct Output {
    std::string option, path;
    std::optional<os::OutputFile> file; // of "-" none
  };
  const Output* at(std::string_view option) const;
  std::vector<Output> outputs_;
};

} // namespace warplens::driver
