// Boxes cut, counted and walked through. See cta_set.h.
#include "fold/cta_set.h"
#include <algorithm>

namespace warplens::fold {
namespace {

u32& coordinate(Dim3& cta, u8 of) { return of == 0 ? cta.x : of == 1 ? cta.y : cta.z; }

// The members from t[a] = begin on, every `every`-th, up to `last`.
void narrow(CtaSet& set, u32 a, u32 begin, u32 last, u32 every) {
  Axis& axis = set.axis[a];
  coordinate(set.first, axis.of) += begin * axis.step;
  axis.count = (last - begin) / every + 1;
  axis.step *= every;
  if (axis.count == 1) axis.step = 1;
}

} // namespace

u64 CtaSet::count() const {
  u64 product = 1;
  for (const Axis& a : axis) product *= a.count;
  return product;
}

u64 CtaSet::first_index(Dim3 grid) const { return (u64{first.z} * grid.y + first.y) * grid.x + first.x; }

CtaSet whole_grid(Dim3 grid) {
  CtaSet out;
  out.axis[0] = {0, 1, grid.x};
  out.axis[1] = {1, 1, grid.y};
  out.axis[2] = {2, 1, grid.z};
  return out;
}

CtaSet alike(const CtaSet& set, const Similarity& like) {
  CtaSet out = set;
  for (u32 a = 0; a < most_axes; ++a) narrow(out, a, 0, like.last[a], like.every[a]);
  return out;
}

void append_rest(const CtaSet& set, const Similarity& like, std::vector<CtaSet>& out) {
  // What lies past `last` on axis a, within it on the axes before.
  CtaSet box = set;
  for (u32 a = 0; a < most_axes; ++a) {
    if (like.last[a] + 1 < set.axis[a].count) {
      CtaSet past = box;
      narrow(past, a, like.last[a] + 1, set.axis[a].count - 1, 1);
      out.push_back(past);
    }
    narrow(box, a, 0, like.last[a], 1);
  }
  // Inside the box, what is no multiple on axis a, and a multiple on the axes before.
  for (u32 a = 0; a < most_axes; ++a) {
    for (u32 r = 1; r < like.every[a] && r <= like.last[a]; ++r) {
      CtaSet between = box;
      narrow(between, a, r, like.last[a], like.every[a]);
      out.push_back(between);
    }
    narrow(box, a, 0, like.last[a], like.every[a]);
  }
}

bool has_free_axis(const CtaSet& set) {
  return std::any_of(set.axis.begin(), set.axis.end(), [](const Axis& a) { return a.count == 1; });
}

std::vector<CtaSet> split(const CtaSet& set, u32 a, u32 radix) {
  std::vector<CtaSet> out;
  const Axis axis = set.axis[a];
  u32 rounds = axis.count / radix, left = axis.count % radix;
  CtaSet main = set;
  auto free = std::find_if(main.axis.begin(), main.axis.end(), [](const Axis& x) { return x.count == 1; });
  main.axis[a] = {axis.of, axis.step, radix};
  *free = {axis.of, rounds == 1 ? 1 : axis.step * radix, rounds};
  out.push_back(main);
  if (left != 0) {
    CtaSet tail = set;
    narrow(tail, a, rounds * radix, axis.count - 1, 1);
    out.push_back(tail);
  }
  return out;
}

} // namespace warplens::fold
