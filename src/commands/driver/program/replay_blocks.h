// What `replay` counts, a block of lines at a time: the text of the table or of the JSON, sums, and what is to be said. Blocks are
// counted in any order, by several ranks where a launcher starts them (mpirun), and printed in the file's.
#pragma once
#include "arch/count.h"
#include "arch/table.h"
#include "base/diagnostic.h"
#include "driver/options/replay.h"
#include "driver/pages/access_page.h"
#include "trace/trace.h"
#include <fstream>

namespace warplens::driver {

// A column of the table: what an access costs, not what it asks for.
template <class F> void each_column(F&& f) {
  for (const arch::CountMember& count : arch::count_members)
    if (count.which != arch::Counted::every) f(count);
}
std::string_view title(const arch::CountMember&);
std::size_t width(const arch::CountMember&);

struct ReplayBlock {
  struct Message {
    std::size_t at = 0; // in the text
    diag::Diagnostic diagnostic;
  };
  u64 number = 0; // trace::Part::block_of
  u64 records = 0, malformed = 0, misaligned = 0, skipped = 0;
  std::vector<arch::Counts> sums; // by architecture
  std::string text;
  std::vector<Message> messages; // of misaligned accesses the first few
  bool stops = false;            // nothing behind it is counted
  bool at_end = false;           // there is nothing behind it
};
constexpr u64 shown_misaligned = 5;

class BlockCounter {
public:
  // `page`: gets what is counted; null where none is wanted.
  BlockCounter(const ReplayOptions& options, std::vector<const arch::Architecture*> rows,
               std::unique_ptr<trace::Reader> reader, trace::Part part, ReplayPage* page)
      : options_(options), rows_(std::move(rows)), reader_(std::move(reader)), part_(part), page_(page) {}
  // The next that has anything; nothing at the end.
  std::optional<ReplayBlock> next();

private:
  using Read = Result<std::optional<trace::Record>>;
  void add(const trace::Record&);
  void add_failure(diag::Diagnostic);
  void json_line(const trace::Record&, const arch::Architecture&, const arch::Counts&);
  void table_line(const trace::Record&, const arch::Architecture&, const arch::Counts&);

  const ReplayOptions& options_;
  std::vector<const arch::Architecture*> rows_;
  std::unique_ptr<trace::Reader> reader_;
  trace::Part part_;
  ReplayPage* page_;
  ReplayBlock block_;
  std::optional<Read> ahead_; // of the block behind
  bool ended_ = false;
};

// Counts to the end, and writes each block as a line of JSON and its text. Fails where it cannot be written.
Result<void> write_blocks(BlockCounter&, const std::string& path);

// Reads them again, one at a time. Errors: ranks-folder, where the file is not what was written.
class BlockFile {
public:
  explicit BlockFile(const std::string& path) : path_(path), in_(path, std::ios::binary) {}
  Result<std::optional<ReplayBlock>> next();

private:
  std::string path_;
  std::ifstream in_;
};

} // namespace warplens::driver
