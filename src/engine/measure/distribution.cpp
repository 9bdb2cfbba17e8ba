// See distribution.h.
#include "measure/distribution.h"
#include "base/bits.h"
#include "measure/classify.h"
#include "measure/totals.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace warplens::measure {
namespace {

u64 excess_of(const WarpClass& c) { return excess_bytes(c.counts, c.example.space); }

u32 ways_of(const arch::Counts& counts) {
  return counts.ideal_wavefronts == 0
             ? 0
             : static_cast<u32>(ceil_div(counts.wavefronts, counts.ideal_wavefronts));
}

// Are they one class?
bool alike(const WarpClass& a, const WarpClass& b) {
  return a.shape == b.shape && a.one == b.one &&
         static_cast<const access::AccessHeader&>(a.example) == b.example;
}

// Does it matter where its warps begin?
bool is_in_order(const WarpClass& c) {
  const PatternKind kind = kind_of(c.shape);
  return c.example.space == access::Space::global &&
         (kind == PatternKind::contiguous || kind == PatternKind::misaligned || kind == PatternKind::strided);
}

void add_class(WarpClass& to, const WarpClass& from) {
  to.warps += from.warps;
  to.counts += from.counts;
  to.ways = std::max(to.ways, from.ways);
  to.starts |= from.starts;
}

void sort_by_excess(std::vector<WarpClass>& classes) {
  std::vector<std::tuple<u64, u64, Shape, std::size_t>> order; // a class is large: each is moved once
  for (const WarpClass& c : classes) order.emplace_back(~excess_of(c), ~c.warps, c.shape, order.size());
  if (std::ranges::is_sorted(order)) return;
  std::ranges::sort(order);
  std::vector<WarpClass> out;
  out.reserve(classes.size());
  for (const auto& place : order) out.push_back(std::move(classes[std::get<3>(place)]));
  classes = std::move(out);
}

void limit(Distribution& out) {
  sort_by_excess(out.classes);
  while (out.classes.size() > Distribution::most_classes) {
    WarpClass last = std::move(out.classes.back());
    out.classes.pop_back();
    // Those of its shape stand in the order of what they cost beyond need: the last is the nearest.
    auto alike = std::find_if(out.classes.rbegin(), out.classes.rend(),
                              [&](const WarpClass& c) { return c.shape == last.shape; });
    if (alike != out.classes.rend()) {
      add_class(*alike, last);
    } else {
      out.other_warps += last.warps;
      out.other += last.counts;
    }
  }
  sort_by_excess(out.classes);
}

} // namespace

bool WarpClass::operator==(const WarpClass& other) const {
  auto lanes_alike = [&] {
    for (u32 lane = 0; lane < warp_size; ++lane)
      if ((example.active >> lane & 1) != 0 && example.address[lane] != other.example.address[lane])
        return false;
    return true;
  };
  auto other_ends_alike = [&] {
    return (other_end == nullptr) == (other.other_end == nullptr) &&
           (other_end == nullptr || *other_end == *other.other_end);
  };
  return shape == other.shape && warps == other.warps && counts == other.counts && ways == other.ways &&
         starts == other.starts && static_cast<const access::AccessHeader&>(example) == other.example &&
         example.empty == other.example.empty && example.sized == other.example.sized &&
         example.active == other.example.active && lanes_alike() && other_ends_alike();
}

u64 Distribution::warps() const {
  u64 sum = other_warps;
  for (const WarpClass& c : classes) sum += c.warps;
  return sum;
}

Distribution& Distribution::operator*=(u64 times) {
  for (WarpClass& c : classes) c.warps *= times, c.counts *= times;
  other_warps *= times;
  other *= times;
  first_block *= times;
  busiest_word *= times;
  return *this;
}

// `one`: what the access counts.
static WarpClass class_of(const access::WarpAccess& access, u64 warps, const arch::Counts& one,
                          const Shape& shape) {
  u32 ways = access.space == access::Space::shared ? ways_of(one) : 0;
  WarpClass out{shape, warps, one * warps, access, {}, arch::cost_of(one, access.space), ways};
  out.other_end = keep_other_end(out.example);
  if (is_in_order(out)) out.starts = start_of(access.active, access.address.data());
  return out;
}

WarpClass class_of(const access::WarpAccess& access, u64 warps, const arch::Architecture& device) {
  const arch::Counts one = arch::count(device, access);
  return class_of(access, warps, one, shape_of(access, one));
}

Distribution distribution_of(const WarpTally& tally, const access::AccessHeader& header,
                             const arch::Architecture& device) {
  // In the order of their first warps, so that of those which become one the first is the example.
  std::vector<std::pair<const WarpTally::Class*, const access::WarpAccess*>> order;
  tally.each([&](const WarpTally::Class& c, const access::WarpAccess& example) {
    order.push_back({&c, &example});
  });
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first->first, a.first->key) < std::tuple(b.first->first, b.first->key);
  });
  Distribution out;
  std::map<std::tuple<Shape, u32, u32>, std::size_t> known; // with lanes and cost: index
  std::vector<arch::Counts> ones;                           // of each class: of its example
  out.classes.reserve(order.size()), ones.reserve(order.size());
  for (const auto& [one, its_example] : order) {
    access::WarpAccess example = *its_example;
    static_cast<access::AccessHeader&>(example) = header;
    const arch::Counts counts = arch::count(device, example);
    const arch::WarpCost cost = arch::cost_of(counts, header.space);
    const Shape shape = shape_of(example, counts);
    const auto [found, fresh] = known.try_emplace({shape, cost.lanes, cost.cost}, out.classes.size());
    if (fresh) out.classes.push_back(class_of(example, 0, counts, shape)), ones.push_back(counts);
    WarpClass& same = out.classes[found->second];
    same.warps += one->warps, same.counts += ones[found->second] * one->warps;
    if (is_in_order(same)) same.starts |= one->starts;
  }
  limit(out);
  return out;
}

void add(Distribution& sum, const Distribution& other) {
  for (const WarpClass& theirs : other.classes) {
    auto mine = std::find_if(sum.classes.begin(), sum.classes.end(),
                             [&](const WarpClass& c) { return alike(c, theirs); });
    if (mine == sum.classes.end())
      sum.classes.push_back(theirs);
    else
      add_class(*mine, theirs);
  }
  sum.other_warps += other.other_warps;
  sum.other += other.other;
  sum.first_block += other.first_block;
  sum.busiest_word += other.busiest_word, sum.busiest_is_bound |= other.busiest_is_bound;
  limit(sum);
}

namespace {

// The warps of one shape, and of those that the same words describe: rows that start inside a sector are told by that,
// not by their distance.
struct Group {
  Shape shape{}; // of those that cost most
  arch::Counts counts{};
  u64 warps = 0, excess = 0;
  u32 ways = 0, fewest_ways = ~u32{0};
};

// An average of integers, rounded to nearest; exact and the same on every machine.
u32 average(u64 sum, u64 count) { return count == 0 ? 0 : static_cast<u32>((sum + count / 2) / count); }

// What the words for a shape say of its warps together.
void describe(const Group& group, Pattern& out) {
  const arch::Counts& counts = group.counts;
  switch (out.shape.form) {
  case Form::with_gaps: out.lanes = average(counts.threads, group.warps); break;
  case Form::scattered:
  case Form::local_apart:
    out.lanes = average(counts.threads, group.warps);
    out.units = average(counts.sectors, group.warps);
    break;
  case Form::distinct_constants: out.units = average(counts.requests, group.warps); break;
  case Form::conflict:
    out.units = group.ways;
    if (group.fewest_ways == group.ways) break;
    out.units = std::max(2u, average(counts.wavefronts, counts.ideal_wavefronts));
    out.most_units = group.ways;
    break;
  default: break;
  }
}

double part(u64 some, u64 all) { return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all); }

using Shapes = std::map<Shape, Group>;

Shape words_of(Shape shape) {
  if (shape.offset != 0) shape.gap = 0;
  return shape;
}

void join(Group& to, const Group& from) {
  if (to.warps == 0) to.shape = from.shape;
  to.counts += from.counts;
  to.warps += from.warps;
  to.excess += from.excess;
  to.ways = std::max(to.ways, from.ways);
  to.fewest_ways = std::min(to.fewest_ways, from.fewest_ways);
}

Shapes::value_type most_excess(const Shapes& shapes) {
  return *std::max_element(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second.excess, a.second.warps) < std::tuple(b.second.excess, b.second.warps);
  });
}

// Conflicts of many strides, none of which explains the half: a reduction's, whose stride doubles in each round.
void join_conflicts(Shapes& shapes, u64 excess) {
  Shapes::value_type best = most_excess(shapes);
  if (best.first.form != Form::conflict || 2 * best.second.excess >= excess) return;
  Group all;
  std::erase_if(shapes, [&](const auto& entry) {
    return entry.first.form == Form::conflict && (join(all, entry.second), true);
  });
  all.shape = {Form::conflict};
  shapes[all.shape] = all;
}

} // namespace

Pattern pattern_of(const Distribution& distribution) {
  Pattern out;
  if (distribution.classes.empty()) return out;
  u64 excess = excess_bytes(distribution.other, distribution.classes[0].example.space);
  Shapes shapes;
  for (const WarpClass& c : distribution.classes) {
    join(shapes[words_of(c.shape)], {c.shape, c.counts, c.warps, excess_of(c), c.ways, c.ways});
    excess += excess_of(c);
    if (c.shape.form == Form::conflict) out.ways = std::max(out.ways, c.ways);
  }
  join_conflicts(shapes, excess);
  const Group group = most_excess(shapes).second;
  out.shape = group.shape;
  out.share = part(group.warps, distribution.warps());
  out.excess_share = part(group.excess, excess);
  describe(group, out);
  return out;
}

} // namespace warplens::measure
