// Recognises a trace by its first line that is not blank.
#include "base/bits.h"
#include "trace/formats.h"
#include <bit>
#include <fmt/format.h>

namespace warplens::trace {
namespace {

enum class Format { patterns, mem_trace, traceg, unknown };

Format format_of(std::string_view line) {
  std::size_t first = line.find_first_not_of(" \t");
  line.remove_prefix(first == line.npos ? line.size() : first);
  if (line.starts_with('{')) return Format::patterns;
  if (line.starts_with("-kernel ") || line.starts_with("#traces format") || line.starts_with("#BEGIN_TB"))
    return Format::traceg;
  // A program's own output may come before NVBit's, but its banner or a first message marks the stream.
  if (line.find("MEMTRACE:") != line.npos || line.find("NVBit") != line.npos) return Format::mem_trace;
  return Format::unknown;
}

constexpr const char* formats_help = "it reads pattern files (one JSON object a line, "
                                     "{\"space\":\"global\",\"op\":\"load\",…}), the output of NVBit's "
                                     "mem_trace, and Accel-Sim .traceg kernels";

} // namespace

Result<std::unique_ptr<Reader>> open(const std::string& path) {
  Result<std::unique_ptr<Lines>> opened = Lines::open(path);
  if (!opened) return failure(std::move(opened.error()));
  std::unique_ptr<Lines> lines = std::move(*opened);
  while (true) {
    Result<std::optional<std::string_view>> line = lines->next();
    if (!line) return failure(std::move(line.error()));
    if (!*line)
      return failure(diag::error("trace-empty", "'" + lines->name() + "' is empty", {}, formats_help));
    if ((*line)->find_first_not_of(" \t") == std::string_view::npos) continue;
    Format format = format_of(**line);
    diag::Span here = lines->span(**line, (*line)->data());
    lines->put_back();
    switch (format) {
    case Format::patterns: return read_patterns(std::move(lines));
    case Format::mem_trace: return read_mem_trace(std::move(lines));
    case Format::traceg: return read_traceg(std::move(lines));
    case Format::unknown:
      return failure(diag::error("trace-unknown-format", "this is no trace or pattern file that replay knows",
                                 here, formats_help));
    }
  }
}

std::string impossible(const access::WarpAccess& access) {
  using access::Kind;
  using access::Space;
  if (access.bytes > 32 || !std::has_single_bit(access.bytes))
    return fmt::format("no instruction accesses {} bytes per lane; the widths are 1, 2, 4, 8, 16 and 32",
                       access.bytes);
  bool matrix = access.kind == Kind::ldmatrix;
  if (matrix && (access.space != Space::shared || access.bytes != 16))
    return "ldmatrix reads rows of 16 bytes from shared memory";
  if (matrix && access.matrices != 1 && access.matrices != 2 && access.matrices != 4)
    return "ldmatrix loads 1, 2 or 4 matrices: give \"matrices\"";
  if (access.kind == Kind::async_copy && access.space != Space::global)
    return "async_copy reads global memory: give the space 'global'";
  if (access.space == Space::constant && access.kind != Kind::load)
    return "constant memory can only be loaded";
  std::string wrapped;
  u32 lanes = matrix ? low_lanes(8 * access.matrices) & access.active : access.active;
  for_each_lane(lanes, [&](u32 lane) {
    if (access.address[lane] > ~u64{0} - (access.bytes - 1) && wrapped.empty())
      wrapped = fmt::format("lane {}: {} bytes at {:#x} pass the end of the 64-bit address space", lane,
                            access.bytes, access.address[lane]);
  });
  return wrapped;
}

} // namespace warplens::trace
