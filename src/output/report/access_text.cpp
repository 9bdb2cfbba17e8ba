// One access in a few words: where it is, what it is, what its warps look like.
#include "report/sections.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::report {
double waste_of(const Kernel& kernel, u64 excess) {
  return kernel.moved_bytes == 0 ? 0 : static_cast<double>(excess) / static_cast<double>(kernel.moved_bytes);
}

bool is_parameter_read(const AccessRow& row) {
  return row.space == access::Space::constant && row.site.array.kind == access::ArrayKind::parameter &&
         row.excess_cycles == 0;
}

u64 l1_passes(const arch::Counts& counts) { return std::max(counts.tag_passes, counts.data_wavefronts); }

std::string file_name(const Page& page, const std::string& file) {
  auto known = page.model.files.find(file);
  return clip_middle(known == page.model.files.end() ? file : known->second, 200);
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

} // namespace warplens::report
