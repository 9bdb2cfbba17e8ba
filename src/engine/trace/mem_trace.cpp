// The output of NVBit's mem_trace example tool. Lines of interest:
//   MEMTRACE: CTX 0x… - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E.64.SYS - 0x… 0x… … (32 addresses)
// A lane that did not take part has address 0; the tool records no mask. Everything else (the program's own
// output, NVBit's banner, LAUNCH lines) is passed over. The tool gives one line per memory operand, so LDGSTS
// makes two: the one with shared-memory offsets (all below 16 MiB) is passed over. Format:
// tools/mem_trace/mem_trace.cu of the NVBit releases.
#include "base/bits.h"
#include "trace/formats.h"
#include "trace/sass.h"
#include <charconv>
#include <fmt/format.h>

namespace warplens::trace {
namespace {

constexpr u64 shared_window = u64{16} << 20;

class MemTrace final : public Reader {
public:
  explicit MemTrace(std::unique_ptr<Lines> lines) : lines_(std::move(lines)) {}
  bool finished() const override { return lines_->finished(); }

  Result<std::optional<Record>> next() override {
    while (true) {
      Result<std::optional<std::string_view>> line = lines_->next();
      if (!line) return failure(std::move(line.error()));
      if (!*line) return std::nullopt;
      if (!lines_->is_of_part()) continue;
      std::size_t marker = (*line)->find("MEMTRACE:");
      if (marker == std::string_view::npos || (*line)->find(" - CTA ") == std::string_view::npos) continue;
      return parse(**line);
    }
  }

private:
  diag::Diagnostic malformed(std::string_view line, const char* at, std::string message) const {
    return diag::error("trace-malformed", std::move(message), lines_->span(line, at),
                       "expected 'MEMTRACE: CTX … - warp N - OPCODE - ' and 32 addresses");
  }

  Result<std::optional<Record>> parse(std::string_view line) {
    std::size_t warp = line.find(" - warp ");
    std::size_t opcode = warp == line.npos ? line.npos : line.find(" - ", warp + 8);
    std::size_t addresses = opcode == line.npos ? line.npos : line.find(" - ", opcode + 3);
    if (addresses == line.npos)
      return failure(malformed(line, line.data() + line.size(), "the line is cut off"));
    Record record;
    record.line = lines_->number();
    record.id = std::to_string(record.line);
    record.text = std::string(line.substr(opcode + 3, addresses - opcode - 3));
    std::optional<SassAccess> sass = sass_access(record.text);
    record.is_counted = sass.has_value();
    if (!sass) return std::optional<Record>(std::move(record));
    record.access.space = sass->space, record.access.kind = sass->kind, record.access.cache = sass->cache;
    record.access.bytes = sass->bytes, record.access.matrices = sass->matrices;
    Result<void> read = read_addresses(line, addresses + 3, record.access);
    if (!read) return failure(std::move(read.error()));
    record.is_counted = !shared_side(record.access);
    if (!record.is_counted) return std::optional<Record>(std::move(record));
    if (std::string wrong = access::impossible(record.access); !wrong.empty())
      return failure(malformed(line, line.data() + addresses + 3, wrong));
    return std::optional<Record>(std::move(record));
  }

  Result<void> read_addresses(std::string_view line, std::size_t from, access::WarpAccess& access) const {
    const char *at = line.data() + from, *end = line.data() + line.size();
    for (u32 lane = 0; lane < warp_size; ++lane) {
      while (at != end && *at == ' ') ++at;
      if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x') at += 2;
      auto [stop, code] = std::from_chars(at, end, access.address[lane], 16);
      if (code != std::errc() || (stop != end && *stop != ' '))
        return failure(malformed(
            line, at, fmt::format("the address of lane {} is missing or no hexadecimal number", lane)));
      if (access.address[lane] != 0) access.active |= u32{1} << lane;
      at = stop;
    }
    return {};
  }

  static bool shared_side(const access::WarpAccess& access) {
    if (access.kind != access::Kind::async_copy) return false;
    bool all_small = true;
    for_each_lane(access.active, [&](u32 lane) { all_small &= access.address[lane] < shared_window; });
    return all_small;
  }

  std::unique_ptr<Lines> lines_;
};

} // namespace

std::unique_ptr<Reader> read_mem_trace(std::unique_ptr<Lines> lines) {
  return std::make_unique<MemTrace>(std::move(lines));
}

} // namespace warplens::trace
