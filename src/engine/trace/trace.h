// Readers of recorded accesses: pattern files (JSON lines), NVBit mem_trace output, Accel-Sim kernel traces.
//
// A reader streams: it keeps one line at a time, so that a file of any size is read in constant memory. A
// malformed line is a diagnostic with line and column; the reader stands behind it and can go on with the
// next.
#pragma once
#include "access/access.h"
#include "base/diagnostic.h"
#include <memory>
#include <optional>
#include <string>

namespace warplens::trace {

// One warp's access as the file has it.
struct Record {
  std::string id; // as JSON: a number, or a quoted string; the line number where the file has none
  access::WarpAccess access;
  std::string text; // the instruction as written, where the file has it ("LDG.E.64")
  u64 line = 0;
};

class Reader {
public:
  virtual ~Reader() = default;
  // The next access; nullopt at the end of the file. After a failure of one line the next call goes on behind
  // it; `finished()` says whether there is anything behind it.
  virtual Result<std::optional<Record>> next() = 0;
  virtual bool finished() const = 0;
  // Instructions that the file has but that are no accesses this model counts (texture fetches without
  // addresses, …).
  virtual u64 skipped() const { return 0; }
};

// Opens a file ("-" is standard input), compressed by gzip or not, and recognises its format by its first
// line.
Result<std::unique_ptr<Reader>> open(const std::string& path);

} // namespace warplens::trace
