// The parent's end of the event stream: a private file that the program and its children append to, and the
// ledger that says what should be in it.
#pragma once
#include "measure/once.h"
#include "measure/unseen.h"
#include "os/file.h"
#include "os/shared_memory.h"
#include "os/temp_dir.h"
#include "summary/model.h"
#include <optional>
#include <set>

namespace warplens::driver {

// What a ledger says once the program has ended.
struct Tally {
  u64 begun = 0, ended = 0, lost = 0;
  measure::Stop stopped = measure::Stop::no;
  double launch_seconds = 0;
  int error = 0;
  u64 unseen = 0;                           // programs with CUDA that ran without WarpLens
  std::vector<std::string> unseen_programs; // the first of them: "PATH: why"
};

// An empty file in a temporary folder, removed with this object.
class EventFile {
public:
  static Result<EventFile> create();
  const std::string& path() const { return path_; } // to write to
  // To read from: the file that was created, even where the program removed its name.
  std::string source() const;
  std::string ledger_name() const { return ledger_.name(); }
  measure::SharedLedger& ledger() const { return *static_cast<measure::SharedLedger*>(ledger_.data()); }
  Tally tally() const;

private:
  EventFile(os::TempDir folder, std::string path, os::Descriptor file, os::SharedMemory ledger)
      : folder_(std::move(folder)), path_(std::move(path)), file_(std::move(file)),
        ledger_(std::move(ledger)) {}
  os::TempDir folder_;
  std::string path_;
  os::Descriptor file_;
  os::SharedMemory ledger_;
};

// Sorts a stream into the report's input: launches, those that never ended, unsupported functions, messages.
// What the tally or a gap in the numbers says is missing becomes one message, and Input::missing.
// Returns the NVTX ranges of the launches that were left out.
std::set<std::string> add_events(std::istream&, const std::optional<Tally>&, summary::Input&);

} // namespace warplens::driver
