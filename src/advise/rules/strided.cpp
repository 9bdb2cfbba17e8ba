// Neighbouring lanes are a constant distance apart, wider than the element. A short distance is the size of a
// structure; a long one the length of a row.
#include "advise/rules/rules.h"
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {
constexpr u64 largest_structure = 64; // bytes; beyond, a stride is rather a row
}

void strided(const Subject& s, std::vector<Advice>& list) {
  const measure::Pattern& pattern = s.site.pattern;
  u64 stride = static_cast<u64>(std::llabs(pattern.shape.stride)), bytes = s.site.site.bytes;
  if (!is_device(s.site.space) || pattern.kind() != measure::PatternKind::strided || stride <= bytes) return;
  bool structure = stride <= largest_structure;
  Advice out = draft(s, "strided-access", Metric::sectors);
  out.title = fmt::format("neighbouring threads are {} bytes apart", stride);
  out.cause =
      fmt::format("each thread uses {} of every {} bytes, so most of each 32-byte sector travels for nothing",
                  bytes, stride);
  out.change = structure ? "store one array per member (structure of arrays), or read the whole structure "
                           "with one aligned vector load"
                         : "let threadIdx.x run along the row: swap the index order, or load a tile into "
                           "shared memory row by row";
  out.example = structure ? "x[i] instead of p[i].x"
                          : "A[row*width + threadIdx.x] instead of A[threadIdx.x*width + column]";
  out.after = predicted(s, consecutive(s));
  out.confidence = pattern.share > 0.9 ? Confidence::certain : Confidence::likely;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
