// One access in a few words: where it is, what it is, what its warps look like.
#include "access/opcode.h"
#include "report/pattern_text.h"
#include "report/sections.h"
#include "report/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::report {
namespace {

// With more active lanes than that they are not worth a word: edges of a grid.
constexpr double many_lanes = 28;

} // namespace

double waste_of(const Kernel& kernel, u64 excess) {
  return kernel.moved_bytes == 0 ? 0 : static_cast<double>(excess) / static_cast<double>(kernel.moved_bytes);
}

u64 l1_passes(const arch::Counts& counts) { return std::max(counts.tag_passes, counts.data_wavefronts); }

double active_lanes(const arch::Counts& counts) {
  if (counts.instructions == 0) return warp_size;
  return static_cast<double>(counts.threads) / static_cast<double>(counts.instructions);
}

std::string file_name(const Page& page, const std::string& file) {
  auto known = page.model.files.find(file);
  return clip(known == page.model.files.end() ? file : known->second, 200);
}

std::string place_name(const Page& page, const Line& line) {
  if (line.place.line == 0) return "function " + clip_middle(line.function, 60);
  std::vector<std::string> chain;
  for (const access::SourceFrame& call : line.calls)
    chain.push_back(fmt::format("{}:{}", file_name(page, call.file), call.line));
  if (chain.size() > 2) chain = {chain.front(), "…"};
  std::string out;
  for (const std::string& call : chain) out += call + " → ";
  return out + fmt::format("{}:{}", file_name(page, line.place.file), line.place.line);
}

std::string source_text(const Line& line) {
  return line.changed && !line.text.empty() ? "(now) " + line.text : line.text;
}

std::string pattern_text(const Row& row) {
  if (row.pattern.shape.form == measure::Form::none && row.site.kind == access::Kind::async_copy &&
      row.distribution.classes.empty() && access::is_bulk(row.site))
    return "rows, by the copy engine";
  if (row.pattern.shape.form == measure::Form::none)
    return row.space == access::Space::texture || row.space == access::Space::surface
               ? "where texels lie is the hardware's own"
               : "pattern not known"; // measured, or a report of an earlier version
  std::string text = describe(row.pattern, row.site);
  if (row.pattern.share < 0.995) text += fmt::format(" in {} of warps", percent(row.pattern.share));
  double lanes = row.counters.empty() ? warp_size : active_lanes(row.counters[0]);
  bool told = row.pattern.shape.form == measure::Form::one_lane || text.find("lanes active") != text.npos;
  if (lanes < many_lanes && !(told && row.pattern.share >= 0.995))
    text += fmt::format(", {:.1f} of 32 lanes active", lanes);
  return text;
}

std::string access_name(const Row& row) {
  std::string_view kind =
      row.site.kind == access::Kind::async_copy ? "async copy" : access::name(row.site.kind);
  return fmt::format("{} {} {} B", kind, access::name(row.space), row.site.bytes);
}

} // namespace warplens::report
