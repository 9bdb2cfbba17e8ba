// Recognises a trace by its first line that is not blank.
#include "trace/formats.h"

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

Result<std::unique_ptr<Reader>> open(const std::string& path, Part part) {
  Result<std::unique_ptr<Lines>> opened = Lines::open(path, part);
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
    if ((*line)->starts_with("\xff\xfe") || (*line)->starts_with("\xfe\xff"))
      return failure(diag::error("trace-unknown-format", "the file is UTF-16", here,
                                 "iconv -f UTF-16 -t UTF-8 makes it readable"));
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

} // namespace warplens::trace
