// Lanes are consecutive, but the first is inside a segment: one segment more per warp than needed. Up to 3.x
// this holds also where the sectors are full: lines of 128 bytes, and on 1.0 and 1.1 nothing coalesces unless
// the half-warp starts at a multiple of 16 words.
//
// Where another access of the kernel does the same work from an aligned start, this one reads a neighbour's element:
// both cannot be aligned. Where a condition takes lanes out, it is the place of lane 0 that counts. Where a warp covers parts of several rows that begin inside a sector, rows are too short. Where every warp is off by as much, rows are padded already, and it is the start that is off.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <utility>

namespace warplens::advise::rules {

namespace {

constexpr u64 segment = 128;

u64 first_address(const access::WarpAccess& access) {
  u64 least = ~u64{0};
  for_each_lane(access.active, [&](u32 lane) { least = std::min(least, access.address[lane]); });
  return least;
}

// Are lanes side by side, but for those that a condition takes out, and would lane 0 of nearly every warp, whether it takes part or
// not, go to the same place inside a sector?
bool begins_inside_with_gaps(const Subject& s) {
  if (s.site.pattern.shape.form != measure::Form::with_gaps) return false;
  auto place = [](const measure::WarpClass& c) {
    return static_cast<u64>(start_of_lanes(c)) % measure::sector_bytes;
  };
  u64 same = 0, all = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes) {
    const bool in_order = c.shape.stride == static_cast<i64>(s.site.site.bytes) && c.shape.rows < 2;
    all += c.warps, same += in_order && place(c) == place(main_class(s)) ? c.warps : 0;
  }
  return place(main_class(s)) != 0 && 10 * same >= 9 * all;
}

// Each run of consecutive lanes from the start of a segment, none where another is.
void align_runs(access::WarpAccess& access) {
  u64 start = ~u64{0}, lane_0 = 0, end = 0; // of the run: where lane 0 goes, or would
  for_each_lane(access.active, [&](u32 lane) {
    const u64 from = access.address[lane] - u64{lane} * access.bytes;
    if (from != std::exchange(start, from)) lane_0 = align_up(end, segment) - u64{lane} * access.bytes;
    access.address[lane] = lane_0 + u64{lane} * access.bytes;
    end = access.address[lane] + access.bytes;
  });
}

// Do nearly all warps of a launch start equally far from the start of such a unit? Those at a border may not. How far from a
// sector's start is known of every warp, how far from a segment's of the first of each class.
bool same_start(const Subject& s, u64 unit) {
  const measure::SiteRecord& site = in_launch(s);
  const measure::WarpClass& usual = site.distribution.classes.front();
  u64 same = 0, all = 0;
  for (const measure::WarpClass& c : site.distribution.classes) {
    all += c.warps;
    if (first_address(c.example) % unit == first_address(usual.example) % unit && c.starts == usual.starts &&
        std::has_single_bit(c.starts))
      same += c.warps;
  }
  return 10 * same >= 9 * all;
}

bool has_rows(const Subject& s) { return s.context.launch == nullptr || s.context.launch->has_rows(); }

// A warp covers parts of several rows, whose length is no whole number of sectors: "4 rows of 8 lanes, 72 bytes apart".
bool rows_begin_inside(const Subject& s) {
  const measure::Shape& shape = s.site.pattern.shape;
  return shape.form == measure::Form::rows && shape.stride == static_cast<i64>(s.site.site.bytes) &&
         shape.gap % static_cast<i64>(measure::sector_bytes) != 0 && !is_atomic(s.site.site.kind) &&
         s.counters.sectors > s.counters.ideal_sectors && !in_other_turns(s);
}

double per_warp(u64 sum, const arch::Counts& counts) {
  return static_cast<double>(sum) / static_cast<double>(counts.instructions);
}

// Where warps of these begin, as bits of WarpClass::starts. Of those that a border breaks, nothing.
u32 starts_of(const measure::SiteRecord& site) {
  u32 out = 0;
  for (const measure::WarpClass& c : site.distribution.classes)
    if (c.shape.form == measure::Form::contiguous || c.shape.form == measure::Form::misaligned)
      out |= c.starts;
  return out;
}

// Do the instructions of its place begin at a sector's start, an element before it, and one behind it, and nowhere else? Rows
// whose lengths are to blame would begin anywhere.
bool lie_around_one(const Subject& s) {
  if (s.context.launch == nullptr) return false;
  u32 starts = starts_of(s.site);
  for (const measure::SiteRecord& other : s.context.launch->record().sites)
    if (other.space == s.site.space && other.site.array == s.site.site.array &&
        other.site.frames == s.site.site.frames)
      starts |= starts_of(other);
  const u32 bytes = s.site.site.bytes;
  return starts == (1u | 1u << bytes % measure::sector_bytes | 1u << (measure::sector_bytes - bytes) % 32);
}

// The instructions of an unrolled loop are at one place. Where the first block reads there hardly anything again, they read
// a row each, of which some start where others should, and no neighbours.
bool of_another_row(const Subject& s, const measure::SiteRecord& other) {
  const measure::FirstBlock& block = s.site.distribution.first_block; // of the place
  return !s.site.site.frames.empty() && other.site.frames == s.site.site.frames && block.requests != 0 &&
         2 * block.sectors < 3 * block.distinct_sectors && !lie_around_one(s);
}

// The share of the instructions of a place that are outer ones of a neighbourhood along the row, with as many accesses on one side as
// they have none on the other. What is in the middle can begin with a sector, and then they do not.
double share_beside_middle(const Subject& s) {
  if (s.context.launch == nullptr) return 0;
  auto place = [](const measure::SiteRecord& site) {
    return first_address(site.distribution.classes.front().example) % arch::address_period;
  };
  std::bitset<arch::address_period> starts;
  for (const measure::SiteRecord& other : s.context.launch->record().sites)
    if (other.site.array == s.site.site.array && other.site.kind == s.site.site.kind &&
        other.site.bytes == s.site.site.bytes && other.space == s.site.space &&
        !other.distribution.classes.empty())
      starts.set(place(other));
  return share_at_place(s, [&](const measure::SiteRecord& site) {
    auto neighbours = [&](u64 step) {
      u32 out = 0;
      while (out < 4 && starts.test((place(site) + step * (out + 1)) % arch::address_period)) ++out;
      return out;
    };
    return neighbours(site.site.bytes) != neighbours(arch::address_period - site.site.bytes);
  });
}

void align_runs_but_one_element(access::WarpAccess& access) {
  align_runs(access);
  for_each_lane(access.active, [&](u32 lane) { access.address[lane] += access.bytes; });
}

} // namespace

bool has_aligned_twin(const Subject& s) {
  return std::ranges::any_of(siblings(s), [&](const measure::SiteRecord& other) {
    const arch::Counts& theirs = other.counters[s.context.column];
    if (theirs.instructions == 0 || of_another_row(s, other)) return false;
    bool same_array =
        other.site.array.kind == access::ArrayKind::unknown || other.site.array == s.site.site.array;
    const measure::Form form = other.pattern.shape.form;
    const bool aligned = form == measure::Form::contiguous ||
                         ((form == measure::Form::permuted || form == measure::Form::rows) &&
                          theirs.sectors <= theirs.ideal_sectors);
    return aligned && other.pattern.share > 0.5 && same_array &&
           per_warp(s.counters.threads, s.counters) <= per_warp(theirs.threads, theirs) &&
           per_warp(s.counters.threads, s.counters) >= 0.875 * per_warp(theirs.threads, theirs) &&
           per_warp(theirs.sectors, theirs) < per_warp(s.counters.sectors, s.counters);
  });
}

// Does each warp read on an element further, again and again? Then it goes over a neighbourhood in a loop.
bool walks_beside(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return 2 * block.beside > block.requests && block.sectors > 2 * block.distinct_sectors;
}

// Do threads that lie in one row read the same elements again and again? As through an index that they load: where warps begin
// then follows from the data.
bool starts_anywhere(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return !has_rows(s) && block.requests != 0 && block.sectors > 2 * block.distinct_sectors;
}

Advice halo(const Subject& s, bool has_twin) {
  Advice out = draft(s, findings::Rule::halo_access, Metric::sectors);
  out.title = "a neighbour's element";
  out.cause =
      has_twin
          ? "another access of the kernel is aligned, and neighbouring elements cannot all be: the extra "
            "sectors are those that the next warp reads too, which L1 serves"
          : "a warp reads one neighbour after the other, and they cannot all be aligned: the extra sectors "
            "are those that it reads next, which L1 serves";
  out.change = "none needed; a tile in shared memory, with its halo, would read every element once";
  out.confidence = Confidence::possible;
  return out;
}

void misaligned(const Subject& s, std::vector<Advice>& list) {
  bool inside_sector = s.site.pattern.kind() == measure::PatternKind::misaligned;
  bool inside_segment =
      s.site.pattern.kind() == measure::PatternKind::contiguous && moves_more_than_sectors(s);
  const bool inside_rows = rows_begin_inside(s), gaps = !inside_segment && begins_inside_with_gaps(s);
  if (!is_device(s.site.space) || !(inside_sector || inside_segment || inside_rows || gaps)) return;
  inside_sector |= inside_rows || gaps;
  Advice out =
      draft(s, findings::Rule::misaligned_access, inside_sector ? Metric::sectors : Metric::transactions);
  const u64 unit = inside_sector ? measure::sector_bytes : segment;
  if (inside_sector && reads(s.site.site.kind)) {
    const bool has_twin = has_aligned_twin(s), beside = walks_beside(s);
    if (has_twin || beside || (starts_anywhere(s) && !same_start(s, unit))) {
      Advice note = halo(s, has_twin);
      if (!has_twin && !beside)
        note.cause =
            "warps read the same elements from different starts, which cannot all be aligned: the extra "
            "sectors are those that others read, which L1 serves";
      return list.push_back(std::move(note));
    }
  }
  const double beside = inside_rows ? share_beside_middle(s) : 0;
  if (gaps)
    predict(s, consecutive(s), out);
  else
    predict_share(s, align_runs, beside, align_runs_but_one_element, out);
  if (value(out.metric, out.after) >= value(out.metric, s.counters)) return;
  if ((inside_rows || gaps) && 20 * out.after.sectors > 19 * s.counters.sectors)
    return; // it is not worth longer rows
  out.title = inside_rows ? "rows begin inside a sector" : "consecutive, but not aligned to a segment";
  out.cause = inside_sector
                  ? "warps start inside a 32-byte sector, so each touches one sector more than its bytes fill"
                  : "warps start inside a segment that this architecture moves whole or not at all";
  if (gaps || (!inside_rows && same_start(s, unit))) {
    out.change = fmt::format(
        "begin at a multiple of {} bytes: nearly every warp is off by the same, so it is the start of the "
        "array or an offset in the index",
        segment);
  } else if (!inside_rows && !has_rows(s)) {
    out.change = fmt::format("let what each warp uses begin at a multiple of {} bytes; where the array has "
                             "rows, make them longer (cudaMallocPitch)",
                             segment);
  } else if (inside_rows) {
    out.change =
        fmt::format("make rows longer, so that what warps use of each, behind ghost cells, begins at a "
                    "multiple of {} bytes (cudaMallocPitch, and an offset)",
                    measure::sector_bytes);
    out.example = "cudaMallocPitch(&p, &pitch, width * sizeof(float), height);";
  } else {
    out.change = fmt::format(
        "make rows longer, so that each begins at a multiple of {} bytes (cudaMallocPitch)", segment);
    if (const u32 starts = starts_of(in_launch(s)); inside_sector && (starts & 1) == 0)
      out.change += ", and shift the start of the array, so that a row's first warp does, too";
    out.example = "cudaMallocPitch(&p, &pitch, width * sizeof(float), height);";
  }
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
