// Count (program/replay_blocks.h), print: a block of lines at a time.
//
// Of several ranks (program/ranks.h) each counts its part of the blocks, and leaves them in the job's folder; rank 0 prints all, in
// the order of the file. What a rank that is missing would have counted, rank 0 counts. Standard input is rank 0's alone, and
// so is a file that a page is made of: the page needs each access.
#include "driver/replay.h"
#include "driver/options/architectures.h"
#include "driver/options/outputs.h"
#include "driver/program/ranks.h"
#include "driver/program/replay_blocks.h"
#include "os/interrupt.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

using arch::Counts;
using Rows = std::vector<const arch::Architecture*>;

constexpr int no_replay = 2; // the exit code

// What is said of a line of the trace begins with its place, as compilers write it.
std::string placed(const diag::Diagnostic& diagnostic, bool colour) {
  return (diagnostic.span.file.empty() ? "warplens: " : "") + diag::render(diagnostic, {}, colour);
}

// Prints blocks in the order of the file, and what they add up to.
class Printer {
public:
  // With `silent` no table is printed.
  Printer(const ReplayOptions& options, const TextSinks& sinks, Rows rows, bool silent)
      : options_(options), sinks_(sinks), rows_(std::move(rows)), sums_(rows_.size()), silent_(silent) {
    if (!options_.json) table_header();
  }

  // False where nothing more is to come: the file is not read further, or the reader of our output has gone.
  bool print(const ReplayBlock& block) {
    std::size_t begin = 0;
    for (const ReplayBlock::Message& message : block.messages) {
      if (message.diagnostic.kind == "misaligned-access" && shown_++ >= shown_misaligned) continue;
      const std::size_t end = std::min(message.at, block.text.size());
      if (!out(std::string_view(block.text).substr(begin, end - begin))) return false;
      begin = end;
      report(message.diagnostic);
    }
    if (!out(std::string_view(block.text).substr(begin))) return false;
    records_ += block.records, malformed_ += block.malformed, misaligned_ += block.misaligned;
    skipped_ += block.skipped;
    for (std::size_t i = 0; i < std::min(sums_.size(), block.sums.size()); ++i) sums_[i] += block.sums[i];
    cut_short_ = block.stops, at_end_ = block.at_end;
    return !cut_short_;
  }

  int finish() {
    if (has_gone_) return 0; // not an error
    if (!options_.json && records_ > 1)
      for (std::size_t i = 0; i < rows_.size(); ++i) table_sum(*rows_[i], sums_[i]);
    if (records_ == 0 && malformed_ == 0)
      report(diag::warning("trace-nothing", fmt::format("there is no access in '{}'", options_.path), {},
                           "was the right kernel traced, and did it run?"));
    if (misaligned_ > shown_misaligned)
      report(diag::warning("misaligned-access",
                           fmt::format("{} more accesses are misaligned", misaligned_ - shown_misaligned)));
    if (skipped_ > 0)
      report(diag::warning(
          "trace-skipped",
          fmt::format("{} not counted: texture, bulk copies, or the shared side of asynchronous copies",
                      skipped_ == 1 ? "1 instruction was" : fmt::format("{} instructions were", skipped_))));
    if (malformed_ > 0 && options_.keep_going && !cut_short_)
      report(
          diag::warning("trace-malformed-lines", fmt::format("{} malformed {} not counted", malformed_,
                                                             malformed_ == 1 ? "line was" : "lines were")));
    else if (malformed_ > 0 && !options_.keep_going && !at_end_)
      sinks_.diagnostics("  help: '--keep-going' counts the lines after a malformed one\n");
    return cut_short_ ? no_replay : malformed_ > 0 ? 1 : 0;
  }

  void report(const diag::Diagnostic& diagnostic) { sinks_.diagnostics(placed(diagnostic, options_.colour)); }

private:
  bool out(std::string_view text) {
    has_gone_ = !silent_ && !text.empty() && !sinks_.out(text);
    return !has_gone_;
  }

  void table_header() {
    std::string text =
        fmt::format("{:>10} {:>4} {:<8} {:<10} {:>5} {:>5}", "id", "cc", "space", "op", "bytes", "lanes");
    each_column([&](const arch::CountMember& count) {
      fmt::format_to(std::back_inserter(text), " {:>{}}", title(count), width(count));
    });
    out(text + '\n');
  }

  void table_sum(const arch::Architecture& row, const Counts& sum) {
    std::string text = fmt::format("{:>10} {:>4} {:<8} {:<10} {:>5} {:>5}", "sum",
                                   fmt::format("{}.{}", major(row), minor(row)), records_,
                                   records_ == 1 ? "access" : "accesses", "", sum.threads);
    each_column([&](const arch::CountMember& count) {
      fmt::format_to(std::back_inserter(text), " {:>{}}", sum.*count.value, width(count));
    });
    out(text + '\n');
  }

  const ReplayOptions& options_;
  const TextSinks& sinks_;
  Rows rows_;
  std::vector<Counts> sums_;
  bool silent_;
  u64 records_ = 0, malformed_ = 0, misaligned_ = 0, skipped_ = 0, shown_ = 0;
  bool cut_short_ = false, at_end_ = false, has_gone_ = false;
};

// One rank's part of a file.
Result<void> leave_part(const ReplayOptions& options, const Rows& rows, trace::Part part,
                        const std::string& to) {
  Result<std::unique_ptr<trace::Reader>> reader = trace::open(options.path, part);
  if (!reader) return failure(reader.error());
  BlockCounter counter(options, rows, std::move(*reader), part, nullptr);
  return write_blocks(counter, to);
}

int replay_as_other(const ReplayOptions& options, const Rows& rows, const Job& job, RankReports& ranks,
                    Printer& printer) {
  Result<void> left = leave_part(options, rows, {job.rank, job.ranks}, ranks.part());
  const bool first_is_there = ranks.first_is_there(); // it may end once it has this part
  if (left && first_is_there) left = ranks.leave_part();
  if (!left) ranks.leave_refusal(left.error().message); // rank 0 counts this part, and says why
  if (!left || first_is_there) return 0;                // it cannot be read: rank 0 says so
  printer.report(diag::error("rank-missing", "rank 0 prints nothing: it was killed, or runs without WarpLens",
                             {}, "start it again, or replay with one rank"));
  return no_replay;
}

int replay_as_first(const ReplayOptions& options, const Rows& rows, const Job& job, RankReports& ranks,
                    Printer& printer) {
  auto fail = [&](const diag::Diagnostic& diagnostic) {
    printer.report(diagnostic);
    return no_replay;
  };
  constexpr std::chrono::hours longest_wait(24); // for as long as they live
  if (Result<void> left = leave_part(options, rows, {0, job.ranks}, ranks.report_of(0)); !left)
    return fail(left.error());
  const RankReports::Others others = ranks.wait(longest_wait);
  if (os::DelayedSignals::seen()) return no_replay;
  for (const auto& [rank, why] : others.missing) {
    printer.report(
        diag::warning("rank-missing", fmt::format("rank 0 counts the part of rank {}: {}", rank, why)));
    if (Result<void> left = leave_part(options, rows, {rank, job.ranks}, ranks.report_of(rank)); !left)
      return fail(left.error());
  }
  std::vector<std::unique_ptr<BlockFile>> files;
  std::vector<std::optional<ReplayBlock>> ahead(job.ranks);
  for (u32 rank = 0; rank < job.ranks; ++rank)
    files.push_back(std::make_unique<BlockFile>(ranks.report_of(rank)));
  std::size_t left = job.ranks;
  auto advance = [&](u32 rank) -> Result<void> {
    Result<std::optional<ReplayBlock>> block = files[rank]->next();
    if (!block) return failure(block.error());
    ahead[rank] = std::move(*block);
    if (!ahead[rank]) --left;
    return {};
  };
  for (u32 rank = 0; rank < job.ranks; ++rank)
    if (Result<void> read = advance(rank); !read) return fail(read.error());
  for (u64 number = 0; left > 0; ++number) {
    const auto rank = static_cast<u32>(number % job.ranks);
    if (!ahead[rank] || ahead[rank]->number != number) continue; // nothing in it
    if (!printer.print(*ahead[rank])) break;
    if (Result<void> read = advance(rank); !read) return fail(read.error());
  }
  return printer.finish();
}

// Whether several ranks can share a file: each opens it.
bool can_be_shared(const ReplayOptions& options) {
  std::error_code error;
  return options.html.empty() && std::filesystem::is_regular_file(options.path, error);
}

} // namespace

int replay(const ReplayOptions& options, const TextSinks& sinks) {
  auto fail = [&](const diag::Diagnostic& diagnostic) {
    sinks.diagnostics(placed(diagnostic, options.colour));
    return 2;
  };
  Result<std::vector<const arch::Architecture*>> rows = architectures_named(options.sm);
  if (!rows) return fail(rows.error());
  if (Result<void> streams = Outputs::check_streams({options.path}); !streams) return fail(streams.error());
  const Job job = job_of_launcher();
  if (job.has_several() && !can_be_shared(options) && job.rank != 0) return 0;
  Outputs::Named named;
  if (options.json) named.emplace_back("--json", "-");
  if (!options.html.empty()) named.emplace_back("--html", options.html);
  Result<std::unique_ptr<trace::Reader>> reader = trace::open(options.path);
  if (!reader && job.rank == 0) return fail(reader.error());
  Result<Outputs> outputs = Outputs::prepare(named, {options.path}, "replay", "what is replayed");
  if (!outputs) return fail(outputs.error());
  if (job.has_several() && can_be_shared(options)) {
    os::DelayedSignals signals; // outlives the job's folder
    Result<RankReports> ranks = RankReports::join(job);
    if (!ranks) return fail(ranks.error());
    Printer printer(options, sinks, *rows, job.rank != 0);
    return job.rank == 0 ? replay_as_first(options, *rows, job, *ranks, printer)
                         : replay_as_other(options, *rows, job, *ranks, printer);
  }
  ReplayPage page(options.path, *rows);
  Printer printer(options, sinks, *rows, options.html == "-");
  BlockCounter counter(options, *rows, std::move(*reader), {}, options.html.empty() ? nullptr : &page);
  while (std::optional<ReplayBlock> block = counter.next())
    if (!printer.print(*block)) break;
  const int code = printer.finish();
  if (options.html.empty() || code == no_replay) return code; // half a file is no page
  Result<std::string> text = page.page(options.version);
  if (!text) return fail(text.error());
  const auto to_stdout = [&](std::string_view part) { return sinks.out(part); };
  if (Result<void> written = outputs->write("--html", *text, {to_stdout, {}}); !written)
    return fail(written.error());
  return code;
}

} // namespace warplens::driver
