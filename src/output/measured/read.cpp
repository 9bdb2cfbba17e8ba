#include "measured/read.h"
#include "measured/ncu_csv.h"
#include "measured/ncu_report.h"
#include "measured/ncu_text.h"
#include "measured/nvprof.h"
#include "measured/recording.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::measured {
namespace {

os::Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

} // namespace

bool is_measured(std::string_view content) {
  return is_ncu_report(bytes_of(content)) || is_recording(content) || is_ncu_csv(content) ||
         is_nvprof(content) || is_ncu_text(content);
}

Result<Measured> read(std::string_view content, const std::string& name) {
  if (is_ncu_report(bytes_of(content))) return read_ncu_report(bytes_of(content), name);
  if (is_recording(content)) return read_recording(content, name);
  // A cell that is closed may end a file that an editor saved without the end of its last line.
  if ((is_ncu_csv(content) || is_nvprof(content)) && !content.ends_with('\n') && !content.ends_with('"'))
    return failure(
        diag::error("measured-malformed", "the last line has no end: it may be cut off",
                    {name, static_cast<u32>(std::ranges::count(content, '\n') + 1), 0, 0},
                    "copy the file again from the machine that made it; if it is whole, end the line"));
  if (is_ncu_csv(content)) return read_ncu_csv(content, name);
  if (is_nvprof(content)) return read_nvprof(content, name);
  if (is_ncu_text(content)) return read_ncu_text(content, name);
  return failure(diag::error(
      "measured-unknown", fmt::format("'{}' is no report of a profiler that WarpLens reads", name), {},
      "give an .ncu-rep file, what 'ncu' or 'nvprof --metrics' printed (as text or with --csv), a file of "
      "'warplens record', or of 'warplens run --json'"));
}

} // namespace warplens::measured
