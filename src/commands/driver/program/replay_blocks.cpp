// See replay_blocks.h. Accesses that are not aligned to their width are counted, since the bytes they touch are known, but a GPU
// would stop there: the first few are warnings, the rest a sum.
#include "driver/program/replay_blocks.h"
#include "arch/texels.h"
#include "base/bits.h"
#include "base/characters.h"
#include "measure/distribution_json.h"
#include "measure/members.h"
#include "os/interrupt.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::driver {
namespace {

using access::Kind;
using access::Space;
using arch::Counts;

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

} // namespace

std::string_view title(const arch::CountMember& count) {
  if (count.value == &Counts::ideal_sectors || count.value == &Counts::ideal_wavefronts) return "ideal";
  if (count.value == &Counts::data_wavefronts) return "data";
  if (count.value == &Counts::transaction_bytes) return "bytes moved";
  return count.name;
}

std::size_t width(const arch::CountMember& count) { return std::max<std::size_t>(5, title(count).size()); }

std::optional<ReplayBlock> BlockCounter::next() {
  block_ = {};
  block_.sums.resize(rows_.size());
  bool begun = false;
  while (ahead_ || !ended_) {
    Read read = ahead_ ? *std::exchange(ahead_, {}) : reader_->next();
    if (read && !*read) {
      ended_ = true;
      break;
    }
    const u64 line = read ? (*read)->line : read.error().span.line;
    if (!read && !part_.has(line)) { // of the file as a whole, and another part tells it
      ended_ = reader_->finished() || !options_.keep_going;
      continue;
    }
    const u64 number = trace::Part::block_of(line);
    if (begun && number != block_.number) {
      ahead_ = std::move(read);
      break;
    }
    begun = true, block_.number = number;
    if (read)
      add(**read);
    else
      add_failure(std::move(read.error()));
  }
  return begun ? std::optional(std::exchange(block_, {})) : std::nullopt;
}

void BlockCounter::add_failure(diag::Diagnostic diagnostic) {
  ++block_.malformed;
  block_.messages.push_back({block_.text.size(), std::move(diagnostic)});
  block_.at_end = reader_->finished();
  block_.stops = ended_ = block_.at_end || !options_.keep_going;
}

void BlockCounter::add(const trace::Record& record) {
  if (!record.is_counted) {
    ++block_.skipped;
    return;
  }
  ++block_.records;
  if (page_ != nullptr) page_->add(record);
  if (std::optional<u32> lane = misaligned_lane(record.access))
    if (++block_.misaligned <= shown_misaligned)
      block_.messages.push_back(
          {block_.text.size(),
           diag::warning(
               "misaligned-access",
               fmt::format("lane {} accesses {:#x}, which is not aligned to its {} bytes: a GPU stops here",
                           *lane, record.access.address[*lane], record.access.bytes),
               {options_.path == "-" ? "<stdin>" : options_.path, static_cast<u32>(record.line), 0, 0})});
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Counts counts = arch::count(*rows_[i], record.access);
    block_.sums[i] += counts;
    if (options_.json)
      json_line(record, *rows_[i], counts);
    else
      table_line(record, *rows_[i], counts);
  }
}

void BlockCounter::json_line(const trace::Record& record, const arch::Architecture& row,
                             const Counts& counts) {
  auto out = std::back_inserter(block_.text);
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

void BlockCounter::table_line(const trace::Record& record, const arch::Architecture& row,
                              const Counts& counts) {
  auto out = std::back_inserter(block_.text);
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
  block_.text.push_back('\n');
}

// ---- between ranks: a line of JSON for each block, and behind it the block's text

namespace {

using measure::json;

template <class V> void members(V&& visit, auto& block) {
  visit("number", block.number), visit("records", block.records), visit("malformed", block.malformed);
  visit("misaligned", block.misaligned), visit("skipped", block.skipped);
}

json head_of(const ReplayBlock& block) {
  json out{{"bytes", block.text.size()}, {"stops", block.stops}, {"at_end", block.at_end}};
  members(measure::ShortWriter{out}, block);
  for (const Counts& sum : block.sums) out["sums"].push_back(measure::counts_json<json>(sum));
  for (const ReplayBlock::Message& message : block.messages)
    out["messages"].push_back({{"at", message.at}, {"text", measure::short_json(message.diagnostic)}});
  return out;
}

ReplayBlock block_of(const json& head, u64& bytes) {
  ReplayBlock out;
  measure::take(head, "bytes", bytes);
  measure::take_flag(head, "stops", out.stops);
  measure::take_flag(head, "at_end", out.at_end);
  members(measure::MemberReader{head}, out);
  measure::each_object(head, "sums", [&](const json& sum) { out.sums.push_back(measure::counts_of(sum)); });
  measure::each_object(head, "messages", [&](const json& message) {
    ReplayBlock::Message& one = out.messages.emplace_back();
    measure::take(message, "at", one.at);
    one.diagnostic = measure::read_object<diag::Diagnostic>(message.at("text"), "a message");
  });
  return out;
}

diag::Diagnostic no_blocks(const std::string& what, const std::string& path) {
  return diag::error("ranks-folder", fmt::format("cannot {} '{}'", what, path), {},
                     "free room there, or replay with one rank");
}

} // namespace

Result<void> write_blocks(BlockCounter& counter, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  while (out && !os::DelayedSignals::seen()) {
    std::optional<ReplayBlock> block = counter.next();
    if (!block) break;
    out << head_of(*block).dump() << '\n' << block->text;
  }
  out.close();
  return out ? Result<void>() : failure(no_blocks("write", path));
}

Result<std::optional<ReplayBlock>> BlockFile::next() {
  std::string line;
  if (!std::getline(in_, line))
    return in_.eof() ? Result<std::optional<ReplayBlock>>(std::nullopt) : failure(no_blocks("read", path_));
  try {
    u64 bytes = 0;
    ReplayBlock block = block_of(json::parse(line), bytes);
    block.text.resize(bytes);
    if (in_.read(block.text.data(), static_cast<std::streamsize>(bytes)))
      return std::optional(std::move(block));
  } catch (const json::exception&) {
  } catch (const measure::Unreadable&) {
  }
  return failure(no_blocks("read", path_));
}

} // namespace warplens::driver
