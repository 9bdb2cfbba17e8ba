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

// What a reader reads of a file that several share: of each `of` blocks of lines the index-th.
struct Part {
  static constexpr u64 block = 4096; // lines
  u32 index = 0, of = 1;
  static u64 block_of(u64 line) { return (line == 0 ? 0 : line - 1) / block; } // lines count from 1
  bool has(u64 line) const { return block_of(line) % of == index; }
};

// One warp's access as the file has it.
struct Record {
  std::string id; // as JSON: a number, or a quoted string; the line number where the file has none
  access::WarpAccess access;
  std::string text; // the instruction as written, where the file has it ("LDG.E.64")
  u64 line = 0;
  bool is_counted =
      true; // false: an instruction that is no access of this model (a texture fetch without addresses, …)
};

class Reader {
public:
  virtual ~Reader() = default;
  // The next access; nullopt at the end of the file. After a failure of one line the next call goes on behind
  // it; `finished()` says whether there is anything behind it. What is wrong with the file as a whole, every part tells, with
  // its line.
  virtual Result<std::optional<Record>> next() = 0;
  virtual bool finished() const = 0;
};

// Opens a file ("-" is standard input), compressed by gzip or not, and recognises its format by its first
// line.
Result<std::unique_ptr<Reader>> open(const std::string& path, Part = {});

} // namespace warplens::trace
