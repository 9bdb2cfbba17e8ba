// Few lanes of each warp take part. Predicted are as many lanes in whole warps. What the others leave out lies in the sectors of those
// that take part: there the elements that are used together are predicted side by side.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace warplens::advise::rules {

namespace {
constexpr u64 few = 20; // lanes of a warp, on average

// Warps if those that work were numbered from 0 up in their block, which threads of other blocks cannot join: where all
// warps of a block have as many lanes active, each time in whole warps, else at least as many as the block's threads fill,
// and each time one.
u64 whole_warps(const Subject& s) {
  if (s.context.launch == nullptr) return ceil_div(s.counters.threads, warp_size);
  const measure::LaunchRecord& launch = s.context.launch->record();
  const u64 of_block = std::max<u64>(1, ceil_div(launch.block.count(), warp_size));
  const u64 blocks = std::max<u64>(1, s.context.launch->blocks());
  u64 sum = 0, threads = 0, warps = 0;
  std::map<u64, u64> of_lanes; // warps, by their lanes: what else makes classes, these do not ask for
  for (const measure::WarpClass& c : s.site.distribution.classes) of_lanes[c.one.lanes] += c.warps;
  for (const auto& [lanes, count] : of_lanes) {
    threads += count * lanes, warps += count;
    if (count % (of_block * blocks) == 0)
      sum += count / of_block * ceil_div(of_block * lanes, warp_size);
    else if (count == (2 * of_block - 1) * blocks) // all warps, half of them, … one: the end of a reduction
      for (u64 round = of_block; round != 0; round /= 2) sum += blocks * ceil_div(round * lanes, warp_size);
    else
      sum += std::max(count % blocks == 0 ? blocks * ceil_div(count / blocks * lanes, warp_size)
                                          : ceil_div(count * lanes, warp_size),
                      ceil_div(count, of_block));
  }
  const u64 others = s.counters.instructions - std::min(warps, s.counters.instructions);
  return sum + std::max(ceil_div(s.counters.threads - std::min(threads, s.counters.threads), warp_size),
                        ceil_div(others, of_block));
}

// Do the lanes that take part lie in stretches of one length, equally far apart, as a condition on the index leaves them? The first
// and the last may be cut off.
bool is_regular(u32 active) {
  std::vector<u32> begins, lengths;
  for (u32 lane = 0; lane < warp_size;) {
    const u32 length = static_cast<u32>(std::countr_one(active >> lane));
    if (length != 0) begins.push_back(lane), lengths.push_back(length);
    lane += std::max(1u, length);
  }
  bool out = true;
  for (std::size_t i = 2; i < begins.size(); ++i)
    out = out && (i + 1 == begins.size() || lengths[i] == lengths[1]) &&
          (i == 2 || begins[i] - begins[i - 1] == begins[2] - begins[1]);
  return out;
}

// Does one condition choose both sets of lanes? In a checkerboard, each row's are shifted.
bool is_shifted(u32 a, u32 b) {
  bool out = false;
  for (int by = 0; by < static_cast<int>(warp_size); ++by) out = out || std::rotl(a, by) == b;
  return out;
}

// Do the data choose which lanes take part? Then these lie anyhow, or are each time as many as it happens; of reductions they are
// powers of two.
bool data_choose(const Subject& s) {
  constexpr std::size_t many = 4;
  u64 irregular = 0, all = 0;
  std::set<u32> numbers;
  for (const measure::WarpClass& c : s.site.distribution.classes) {
    all += c.warps * c.one.lanes;
    if (!is_regular(c.example.active)) irregular += c.warps * c.one.lanes;
    if (!is_power_of_two(c.one.lanes)) numbers.insert(c.one.lanes);
  }
  return 4 * irregular > all || numbers.size() >= many;
}

// Do the other lanes perform such an access in the other arm of a condition?
bool has_other_arm(const Subject& s) {
  return std::ranges::any_of(siblings(s), [&](const measure::SiteRecord& other) {
    return other.site.array == s.site.site.array &&
           other.counters[s.context.column].instructions ==
               in_launch(s).counters[s.context.column].instructions &&
           other.distribution.classes.front().example.active == ~main_class(s).example.active;
  });
}

// Do groups of lanes go along rows, or other accesses with as many lanes? Then short rows leave lanes over, which no other number
// of theirs would give work.
bool shares_rows(const Subject& s) {
  auto in_rows = [](const measure::SiteRecord& site) {
    return site.pattern.kind() == measure::PatternKind::scattered && lanes_of_row(site) != 0;
  };
  return is_device(s.site.space) &&
         (in_rows(s.site) || std::ranges::any_of(siblings(s), [&](const measure::SiteRecord& other) {
            const arch::Counts& theirs = other.counters[s.context.column];
            return theirs.threads * s.counters.instructions == s.counters.threads * theirs.instructions &&
                   in_rows(other);
          }));
}

// Are these atomics of lanes that go to different words? Then each may have combined what others had for its word, and the rest is
// as it should be.
bool adds_for_others(const Subject& s) {
  return is_atomic(s.site.site.kind) && s.counters.bytes_used == s.counters.threads * s.site.site.bytes;
}

double lanes_of(const measure::SiteRecord& site, std::size_t column) {
  const arch::Counts& counts = site.counters[column];
  return counts.instructions == 0
             ? 0
             : static_cast<double>(counts.threads) / static_cast<double>(counts.instructions);
}

// Does a load of few lanes go to an array that whole warps load elsewhere in the kernel, and that it does not store to? Then these
// are the elements beside a tile, which have no threads of their own. What a reduction leaves over is stored again.
bool loads_a_border(const Subject& s, const measure::SiteRecord& site) {
  const std::size_t column = s.context.column;
  if (site.site.kind != access::Kind::load || !is_device(site.space) || lanes_of(site, column) >= few ||
      site.site.array.kind == access::ArrayKind::unknown)
    return false;
  bool whole = false, stored = false;
  for (const measure::SiteRecord& other : s.context.launch->record().sites)
    if (other.site.array == site.site.array && other.site.function == site.site.function &&
        column < other.counters.size()) {
      whole |= other.site.kind == access::Kind::load && lanes_of(other, column) >= few &&
               (other.site.frames.empty() || other.site.frames != site.site.frames);
      stored |= other.site.kind == access::Kind::store;
    }
  return whole && !stored;
}

// The load of such elements, or what its line does with them.
bool is_of_border(const Subject& s) {
  if (s.context.launch == nullptr) return false;
  const std::vector<measure::SiteRecord>& sites = s.context.launch->record().sites;
  return loads_a_border(s, s.site) ||
         (!s.site.site.frames.empty() && std::ranges::any_of(sites, [&](const auto& other) {
           return other.site.frames == s.site.site.frames && loads_a_border(s, other);
         }));
}

// A note: fewer instructions are not all that counts, as lanes that load a column of a tile go to a sector each, however many
// take part.
void say_border(Advice& out) {
  out.cause =
      "the elements beside a tile have no threads of their own, so that few lanes load them, in instructions "
      "of their own";
  out.change =
      "read each row by consecutive threads, together with what lies beside it. Or make the block wider, so "
      "that fewer tiles have a border";
  out.example = "for (int i = threadIdx.x; i < blockDim.x + 2; i += blockDim.x) tile[y][i] = row[i - 1];";
}

} // namespace

void divergence(const Subject& s, std::vector<Advice>& list) {
  u64 full = whole_warps(s);
  bool reduction = s.site.distribution.classes.size() > 1;
  if (s.counters.threads >= few * s.counters.instructions || 3 * full > 2 * s.counters.instructions) return;
  // Warps that are short because the block is, or where one thread writes for all, are as they should be.
  u64 one_lane = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes)
    if (c.one.lanes == 1) one_lane += c.warps;
  if (!reduction && one_lane != 0) return;
  if (shares_rows(s) || adds_for_others(s)) return;
  double lanes = static_cast<double>(s.counters.threads) / static_cast<double>(s.counters.instructions);
  Advice out = draft(s, findings::Rule::divergent_access, Metric::instructions);
  out.title = fmt::format("{:.2g} of 32 lanes are active", lanes);
  out.cause = "a warp performs an instruction for all of its lanes or for few in the same time";
  out.change =
      "let whole warps take part: number the working threads from 0 up, and compute the work from that "
      "number";
  out.example = "int j = 2*d*threadIdx.x; if (j < size) … instead of if (threadIdx.x % (2*d) == 0) …";
  if (data_choose(s)) {
    out.cause =
        "which lanes take part changes from warp to warp, so that no number of theirs is known before";
    out.change =
        "none needed where little follows. Where much work does, collect the elements that have it in a list "
        "first (compaction), and give its entries to whole warps";
    out.example = "if (has_work) list[atomicAdd(&count, 1)] = i; … in the next kernel: int i = list[t];";
  } else if (has_other_arm(s)) {
    out.cause = "the other lanes do the same in the other arm of a condition";
    out.change = "let the condition choose the index, and all lanes of the warp perform one access behind it";
    out.example =
        "int j = upper ? t : t + half; … a[j] … instead of if (upper) … a[t] … else … a[t + half] …";
    out.after.instructions = s.counters.instructions / 2;
  } else if (is_of_border(s)) {
    say_border(out);
  } else {
    out.after.instructions = full;
  }
  out.confidence = Confidence::possible;
  list.push_back(std::move(out));
}

void left_out(const Subject& s, std::vector<Advice>& list) {
  constexpr u32 some = 8; // lanes; of fewer, their number is what helps
  const access::WarpAccess& usual = main_class(s).example;
  if (!is_device(s.site.space) || is_atomic(s.site.site.kind) || main_class(s).one.lanes < some ||
      main_class(s).shape.form != measure::Form::with_gaps || !is_regular(usual.active) ||
      10 * s.counters.sectors <= 11 * s.counters.ideal_sectors)
    return;
  u64 same = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes)
    same += is_shifted(c.example.active, usual.active) ? c.warps : 0;
  if (10 * same < 9 * s.site.distribution.warps()) return; // another condition in each round
  const Change packed = [](access::WarpAccess& access) {
    u64 next = 0;
    for_each_lane(access.active,
                  [&](u32 lane) { access.address[lane] = std::exchange(next, next + access.bytes); });
  };
  Advice out = draft(s, findings::uncoalesced(s.site.site.kind), Metric::sectors);
  predict(s, packed, out);
  if (20 * out.after.sectors > 19 * s.counters.sectors) return;
  out.title = fmt::format("{} of 32 lanes take part, and between their elements lie those of the others",
                          main_class(s).one.lanes);
  out.cause = "sectors travel whole, with the elements that are left out";
  out.change = "keep the elements that are used together side by side, in an array of their own, as the red "
               "cells and the black ones";
  out.example = "red[i / 2], black[i / 2] instead of a[i]";
  out.way = Way::layout;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
