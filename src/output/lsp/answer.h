// What the session asks for and is told, as values: it knows neither compilers nor the analysis.
#pragma once
#include "findings/finding.h"
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>

namespace warplens::lsp {

// A memory access as it was judged.
struct ShownAccess {
  access::SourceStack place{}; // innermost first, in the user's own files; these are absolute
  std::string kernel{}, array{};
  std::string what{};    // "load of 4 bytes from 'a'"
  std::string verdict{}; // "uncoalesced"
  std::string pattern{}; // "stride 4096 bytes"; may be empty
  std::vector<findings::Cost> costs{};
  std::vector<std::string> remarks{}; // when that holds, and what it depends on
  bool fine = false;                  // nothing would be better
  bool other_shape = false;           // than the blocks that are judged first
};

// Why a file could not be judged: the first error of a compiler, or one of ours.
struct Problem {
  std::string file; // absolute
  u32 line = 0, column = 0;
  std::string message;
};

struct Answer {
  findings::List list; // files are absolute; what comments and .warplens.toml make of it included
  std::vector<ShownAccess> accesses;
  std::map<std::string, std::string>
      texts;                      // of the files that findings and accesses are in, as they were judged
  std::optional<Problem> problem; // then there is nothing else
};

struct Question {
  std::string file; // absolute
  std::string text; // what the editor has; the file may have something else
  u64 number = 0;   // of the session's questions
};

// What the editor may set ("initializationOptions", or the settings "warplens"); empty: as the command line says.
struct Settings {
  std::optional<std::string> sm{}, compiler{}, compile_options{}, compile_commands{}, block{}, last_run{},
      measured{};
  bool check_while_typing = true, hints = true;
};

// What accesses cost on average where they were counted. Files are absolute; JudgedAccess::source is the line as it ran.
struct Run {
  std::string name; // "last run", "measured"
  std::shared_ptr<const findings::List> list;
};

// What the session needs of the world.
struct Services {
  std::function<void(const std::string& content)> send; // one message for the editor
  // Begins to answer the question after the pause, and ends what it still does for an earlier one about this file. The answer
  // comes through Session::answered.
  std::function<void(Question, std::chrono::milliseconds pause)> ask;
  std::function<void(const std::string& file)> forget; // the question about this file
  // The folder that is worked on, and what the editor set; called before anything is asked.
  std::function<void(const std::string& folder, const Settings&)> configure;
  std::function<std::vector<Run>()> runs; // that are there
  std::string version;                    // of WarpLens
};

} // namespace warplens::lsp
