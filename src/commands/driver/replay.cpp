// Read, count, write: one record at a time. Text is gathered into chunks so that a file of many lines is not
// as many writes. Accesses that are not aligned to their width are counted, since the bytes they touch are
// known, but a GPU would stop there: the first few are warnings, the rest a sum.
#include "driver/replay.h"
#include "arch/count.h"
#include "arch/table.h"
#include "arch/texels.h"
#include "base/bits.h"
#include "base/characters.h"
#include "driver/findings/outputs.h"
#include "driver/gpus.h"
#include "driver/pages/access_page.h"
#include "trace/trace.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

using access::Kind;
using access::Space;
using arch::Counts;

constexpr std::size_t chunk = std::size_t{1} << 16;
constexpr u64 shown_warnings = 5;

// The columns: what an access costs, not what it asks for.
template <class F> void each_column(F&& f) {
  for (const arch::CountMember& count : arch::count_members)
    if (count.which != arch::Counted::every) f(count);
}

std::string_view title(const arch::CountMember& count) {
  if (count.value == &Counts::ideal_sectors || count.value == &Counts::ideal_wavefronts) return "ideal";
  if (count.value == &Counts::data_wavefronts) return "data";
  if (count.value == &Counts::transaction_bytes) return "bytes moved";
  return count.name;
}

std::size_t width(const arch::CountMember& count) { return std::max<std::size_t>(5, title(count).size()); }

// Narrower than the table in one place: of textures neither tags nor an ideal are claimed.
bool applies(const arch::CountMember& count, const access::WarpAccess& access,
             const arch::Architecture& row) {
  bool texture = access.space == Space::texture || access.space == Space::surface;
  if (texture && (count.value == &Counts::tags || count.value == &Counts::ideal_sectors)) return false;
  return arch::applies(count.which, access.space, access.kind, arch::knows_stages(row));
}

// Textures are, but for what was measured: texels of a layout that is known, one a lane.
bool is_estimate(const access::WarpAccess& access, const arch::Architecture& row) {
  if (access.space != Space::texture && access.space != Space::surface) return false;
  return access.texture_dimensions == 0 || !arch::knows_texels(row, access.space, access.kind, access.bytes);
}

std::optional<u32> misaligned_lane(const access::WarpAccess& access) {
  u32 lanes = access.kind == Kind::ldmatrix ? access.active & low_lanes(8 * access.matrices) : access.active;
  std::optional<u32> found;
  for_each_lane(lanes, [&](u32 lane) {
    if (!found && access.address[lane] % access.bytes != 0) found = lane;
  });
  return found;
}

class Replay {
public:
  // `page`: gets what is counted; null where none is wanted. With `silent` no table is printed.
  Replay(const ReplayOptions& options, const TextSinks& sinks, std::vector<const arch::Architecture*> rows,
         ReplayPage* page, bool silent)
      : options_(options), sinks_(sinks), rows_(std::move(rows)), sums_(rows_.size()), page_(page),
        silent_(silent) {}

  int run(trace::Reader& reader) {
    if (!options_.json) table_header();
    while (true) {
      Result<std::optional<trace::Record>> record = reader.next();
      if (!record) {
        report(record.error());
        ++malformed_;
        if (options_.keep_going && !reader.finished()) continue;
        if (!options_.keep_going || reader.finished()) cut_short_ = true;
        break;
      }
      if (!*record) break;
      one(**record);
      if (text_.size() > chunk && !flush()) return 0; // the reader of our output has gone: not an error
    }
    finish(reader);
    return cut_short_ ? 2 : malformed_ > 0 ? 1 : 0;
  }

private:
  void report(const diag::Diagnostic& diagnostic) {
    flush();
    sinks_.diagnostics(diag::render(diagnostic, {}, options_.colour));
  }

  bool flush() {
    if (text_.empty()) return true;
    bool written = silent_ || sinks_.out({text_.data(), text_.size()});
    text_.clear();
    return written;
  }

  void one(const trace::Record& record) {
    ++records_;
    if (page_ != nullptr) page_->add(record);
    if (std::optional<u32> lane = misaligned_lane(record.access)) warn_misaligned(record, *lane);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Counts counts = arch::count(*rows_[i], record.access);
      sums_[i] += counts;
      if (options_.json)
        json_line(record, *rows_[i], counts);
      else
        table_line(record, *rows_[i], counts);
    }
  }

  void warn_misaligned(const trace::Record& record, u32 lane) {
    if (++misaligned_ > shown_warnings) return;
    report(diag::warning(
        "misaligned-access",
        fmt::format("lane {} accesses {:#x}, which is not aligned to its {} bytes: a GPU stops here", lane,
                    record.access.address[lane], record.access.bytes),
        {options_.path == "-" ? "<stdin>" : options_.path, static_cast<u32>(record.line), 0, 0}));
  }

  void json_line(const trace::Record& record, const arch::Architecture& row, const Counts& counts) {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "{{\"id\":{}", record.id);
    if (rows_.size() > 1) fmt::format_to(out, ",\"sm\":{}", row.sm);
    each_column([&](const arch::CountMember& count) {
      if (applies(count, record.access, row))
        fmt::format_to(out, ",\"{}\":{}", count.name, counts.*count.value);
    });
    arch::StageEstimates estimates = arch::stage_estimates(row, record.access, counts);
    if (estimates.data_wavefronts)
      fmt::format_to(out, ",\"estimates\":[{}\"data_wavefronts\"]",
                     estimates.tag_passes ? "\"tag_passes\"," : "");
    fmt::format_to(out, "{}}}\n", is_estimate(record.access, row) ? ",\"estimate\":true" : "");
  }

  void table_header() {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "{:>10} {:>4} {:<8} {:<10} {:>5} {:>5}", "id", "cc", "space", "op", "bytes", "lanes");
    each_column(
        [&](const arch::CountMember& count) { fmt::format_to(out, " {:>{}}", title(count), width(count)); });
    text_.push_back('\n');
  }

  void table_line(const trace::Record& record, const arch::Architecture& row, const Counts& counts) {
    auto out = std::back_inserter(text_);
    const access::WarpAccess& access = record.access;
    fmt::format_to(out, "{:>10} {:>4} {:<8} {:<10} {:>5} {:>5}", one_line(record.id),
                   fmt::format("{}.{}", major(row), minor(row)), name(access.space), name(access.kind),
                   access.bytes, std::popcount(access.active));
    each_column([&](const arch::CountMember& count) {
      if (applies(count, access, row))
        fmt::format_to(out, " {:>{}}", counts.*count.value, width(count));
      else
        fmt::format_to(out, " {:>{}}", "-", width(count));
    });
    text_.push_back('\n');
  }

  void table_sum(const arch::Architecture& row, const Counts& sum) {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "{:>10} {:>4} {:<8} {:<10} {:>5} {:>5}", "sum",
                   fmt::format("{}.{}", major(row), minor(row)), fmt::format("{}", records_),
                   records_ == 1 ? "access" : "accesses", "", sum.threads);
    each_column([&](const arch::CountMember& count) {
      fmt::format_to(out, " {:>{}}", sum.*count.value, width(count));
    });
    text_.push_back('\n');
  }

  void finish(const trace::Reader& reader) {
    if (!options_.json && records_ > 1)
      for (std::size_t i = 0; i < rows_.size(); ++i) table_sum(*rows_[i], sums_[i]);
    flush();
    if (records_ == 0 && malformed_ == 0)
      report(diag::warning("trace-nothing", fmt::format("there is no access in '{}'", options_.path), {},
                           "was the right kernel traced, and did it run?"));
    if (misaligned_ > shown_warnings)
      report(diag::warning("misaligned-access",
                           fmt::format("{} more accesses are misaligned", misaligned_ - shown_warnings)));
    if (reader.skipped() > 0)
      report(diag::warning("trace-skipped",
                           fmt::format("{} not counted: texture, bulk "
                                       "copies, or the shared side of asynchronous copies",
                                       reader.skipped() == 1
                                           ? "1 instruction was"
                                           : fmt::format("{} instructions were", reader.skipped()))));
    if (malformed_ > 0 && options_.keep_going && !cut_short_)
      report(
          diag::warning("trace-malformed-lines", fmt::format("{} malformed {} not counted", malformed_,
                                                             malformed_ == 1 ? "line was" : "lines were")));
    else if (malformed_ > 0 && !options_.keep_going && !reader.finished())
      sinks_.diagnostics("help: '--keep-going' counts the lines after a malformed one\n");
  }

  const ReplayOptions& options_;
  const TextSinks& sinks_;
  std::vector<const arch::Architecture*> rows_;
  std::vector<Counts> sums_;
  ReplayPage* page_;
  bool silent_;
  std::string text_;
  u64 records_ = 0, malformed_ = 0, misaligned_ = 0;
  bool cut_short_ = false;
};

} // namespace

int replay(const ReplayOptions& options, const TextSinks& sinks) {
  auto fail = [&](const diag::Diagnostic& diagnostic) {
    sinks.diagnostics(diag::render(diagnostic, {}, options.colour));
    return 2;
  };
  Result<std::vector<const arch::Architecture*>> rows = architectures_named(options.sm);
  if (!rows) return fail(rows.error());
  if (Result<void> streams = Outputs::check_streams({options.path}); !streams) return fail(streams.error());
  Result<std::unique_ptr<trace::Reader>> reader = trace::open(options.path);
  if (!reader) return fail(reader.error());
  Outputs::Named named;
  if (options.json) named.emplace_back("--json", "-");
  if (!options.html.empty()) named.emplace_back("--html", options.html);
  Result<Outputs> outputs = Outputs::prepare(named, {options.path}, "replay", "what is replayed");
  if (!outputs) return fail(outputs.error());
  if (options.html.empty()) return Replay(options, sinks, std::move(*rows), nullptr, false).run(**reader);
  ReplayPage page(options.path, *rows);
  const int code = Replay(options, sinks, std::move(*rows), &page, options.html == "-").run(**reader);
  if (code == 2) return code; // half a file is no page
  Result<std::string> text = page.page(options.version);
  if (!text) return fail(text.error());
  const auto to_stdout = [&](std::string_view part) { return sinks.out(part); };
  if (Result<void> written = outputs->write("--html", *text, {to_stdout, {}}); !written)
    return fail(written.error());
  return code;
}

} // namespace warplens::driver
