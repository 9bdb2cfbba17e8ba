// Neighbouring lanes are a constant distance apart, wider than the element: a member of a structure, where other
// accesses of the thread read the other members (structures.cpp); a row for each thread, where it reads on within it in a loop and no
// result goes to a row of its own; else the wrong order of indices (index_order.cpp). Here it is told which.
#include "advise/rules/strided.h"
#include "base/bits.h"
#include "source/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warplens::advise::rules {

namespace {

// Do loads of the kernel walk along rows, one for each thread, which are as far apart, or which as many turns go along?
bool loads_walk_along_rows(const Subject& s, u64 stride) {
  const std::size_t column = s.context.column;
  return std::ranges::any_of(in_function(s), [&](const measure::SiteRecord& other) {
    if (other.site.kind != access::Kind::load || !is_device(other.space)) return false;
    const bool as_far = other.pattern.shape.distance() == stride;
    if (turns_by_code(s, other) == Turns::along_row) return as_far;
    return other.distribution.first_block.rows != 0 &&
           (as_far || other.counters[column].instructions == in_launch(s).counters[column].instructions);
  });
}

// Do threads of the first block walk along rows that are worth a warp, as far as it was followed, or as code tells?
bool walks_along_rows(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  if (turns_by_code(s, s.site) == Turns::several) return false;
  return block.requests == 0 ||
         (block.rows != 0 && block.row_elements >= shortest_row_of_thread * block.rows);
}

// The distances of a site's lanes that are powers of two elements.
std::set<u64> steps_of(const measure::SiteRecord& site) {
  std::set<u64> out;
  for (const measure::WarpClass& c : site.distribution.classes)
    if (const u64 step = c.shape.distance(); c.shape.form == measure::Form::strided && is_power_of_two(step))
      out.insert(step);
  return out;
}

// Does the access go twice as far from round to round, as a reduction in place does, that stores to the same array with such steps?
// Then the array is no array of structures.
bool goes_twice_as_far(const Subject& s) {
  constexpr std::size_t some_rounds = 3;
  auto in_rounds = [](const measure::SiteRecord& site) { return steps_of(site).size() >= some_rounds; };
  return in_rounds(s.site) && std::ranges::any_of(in_function(s), [&](const measure::SiteRecord& other) {
           return other.site.kind == access::Kind::store && other.site.array == s.site.site.array &&
                  in_rounds(other);
         });
}

// Neighbouring elements `step` bytes apart, wherever lanes that are out of turn are; what lies between them now is elsewhere.
Change side_by_side(const Subject& s, u64 step) {
  constexpr u64 elsewhere = u64{1} << 32; // further than any sector
  return [=, stride = s.site.pattern.shape.distance()](access::WarpAccess& access) {
    u64 least = ~u64{0};
    for_each_lane(access.active, [&](u32 lane) { least = std::min(least, access.address[lane]); });
    for_each_lane(access.active, [&](u32 lane) {
      const u64 from_least = access.address[lane] - least;
      access.address[lane] = from_least / stride * step + from_least % stride * elsewhere;
    });
  };
}

// As consecutive(), without what copies write.
Change consecutive_sources(const Subject& s) {
  return [all = consecutive(s)](access::WarpAccess& access) {
    const u64* to = access.copied_to;
    all(access), access.copied_to = to;
  };
}

// Each thread walks along a row of its own.
void say_row_of_thread(const Subject& s, u64 stride, Advice& out) {
  if (say_wide_pieces(s, stride, out)) return;
  const bool is_short = stride <= largest_structure && stride % s.site.site.bytes == 0;
  if (!is_short || in_parts(s.site.pattern.shape)) {
    say_rows_of_threads(s, out);
    // What the loop reads beside the row would cost more than the row does now.
    const bool loses = out.after.sectors + out.lost_beside >= s.counters.sectors;
    if (!loses || stride % s.site.site.bytes != 0 || in_parts(s.site.pattern.shape)) return;
    out.lost_beside = 0;
  }
  say_other_order(s, stride, out);
}

// Structures of more members, which the array's type tells: each thread goes to one of its own, once. Smaller ones, and numbers
// that have a type of their own, may make rows.
bool has_large_structures(const Subject& s, u64 stride) {
  return has_structures(s) && !source::known_type(element_type(s)) && stride <= 2 * largest_structure &&
         !is_power_of_two(stride) && element_in_row(s, stride) == s.site.site.bytes &&
         !repeats(s, in_launch(s));
}

// Do rows of lanes lie apart, or the lanes of another launch, so that the stride does not tell what lies together, but the lanes do?
bool say_vector_of_lanes(const Subject& s, u64 stride, Advice& out) {
  const measure::Shape& shape = in_launch(s).pattern.shape;
  const bool rows = shape.form == measure::Form::rows;
  if ((!rows && shape.distance() == stride) || !say_vector_of_gather(s, !rows, out)) return false;
  out.tells_stride = false;
  return true;
}

void say_change(const Subject& s, u64 stride, Advice& out) {
  const Neighbours near = neighbours(s, stride);
  const bool load = s.site.site.kind == access::Kind::load, loops = repeats(s, in_launch(s)),
             row_of_thread = load && (near.unrolled != 0 || loops) && !s.site.follows_links &&
                             walks_along_rows(s) && !result_in_row(s, stride),
             mostly = 2 * (near.members + near.unrolled) * s.site.site.bytes >= stride && !row_of_thread,
             several = near.members > 1 || (near.unrolled != 0 && !loops);
  if (is_narrowed(s, stride, near)) {
    say_narrowed(s, stride, out);
  } else if (goes_twice_as_far(s)) {
    out.change = largest_step_first("elements");
  } else if (is_vector_in_parts(s, near, stride)) {
    say_vector(s, stride, out);
  } else if (say_vector_of_lanes(s, stride, out)) {
    return;
  } else if (is_library_state(s)) {
    say_library_state(s, out);
  } else if (follows_diagonals(s, stride)) {
    out.way = Way::layout;
    say_diagonals(s, stride, out);
  } else if (s.site.follows_links && !mostly) {
    say_links(s, out);
  } else if (has_records(s, stride, near) && !in_parts(s.site.pattern.shape)) {
    say_other_order(s, stride, out);
    if (!has_own_value(s))
      out.change += "; where all are treated alike, let thread t take t, t + threads, … instead";
  } else if (takes_a_part(s, stride)) {
    say_turns(s, stride, true, out);
  } else if ((stride <= largest_structure || mostly || has_large_structures(s, stride)) && several) {
    say_members(s, stride, near, out);
  } else if (threads_have_arrays(s) && (is_heap(s) || !row_of_thread)) {
    say_interleaved(s, out);
  } else if (s.site.loads_index && stride > largest_structure && !row_of_thread) {
    say_renumbered(s, out);
  } else if ((row_of_thread || stride > largest_structure) && block_uses_rows(s) && turns_a_matrix(s)) {
    say_tile(s, out);
  } else if (row_of_thread) {
    say_row_of_thread(s, stride, out);
  } else if (s.site.site.kind == access::Kind::store && loops && loads_walk_along_rows(s, stride)) {
    out.way = Way::row_per_warp;
    out.change = "give each row to a warp, whose lanes write it side by side, as they then read it";
    out.example = "for (int j = lane; j < n; j += 32) out[row*n + j] = …;";
    say_recurrence(s, out);
  } else if (stride <= largest_structure || has_large_structures(s, stride)) {
    say_elements(s, stride, out);
  } else {
    say_index_order(s, out);
  }
}

bool is_strided(const Subject& s) {
  return is_device(s.site.space) && !is_atomic(s.site.site.kind) &&
         s.site.pattern.kind() == measure::PatternKind::strided &&
         s.site.pattern.shape.distance() > s.site.site.bytes;
}

// What is wrong, and what help is worth at most.
Advice draft_of_stride(const Subject& s) {
  const u64 stride = s.site.pattern.shape.distance(), bytes = s.site.site.bytes;
  Advice out = draft(s, findings::uncoalesced(s.site.site.kind), Metric::sectors);
  predict(s, consecutive(s), out);
  out.tells_stride = !goes_twice_as_far(s);
  out.title = fmt::format("neighbouring threads are {} bytes apart{}", stride,
                          out.tells_stride ? "" : ", twice as far from round to round");
  out.cause =
      fmt::format("each thread uses {} of every {} bytes, so most of each 32-byte sector travels for nothing",
                  bytes, stride);
  if (s.site.loads_index && stride > largest_structure)
    out.cause = fmt::format(
        "the index is read from memory, and leads neighbouring threads {} bytes apart: each uses {} "
        "of them, so most of each 32-byte sector travels for nothing",
        stride, bytes);
  out.confidence = s.site.pattern.share > 0.9 ? Confidence::certain : Confidence::likely;
  return out;
}

} // namespace

u64 launched_warps(const Subject& s) {
  if (s.context.launch == nullptr) return 0;
  const measure::LaunchRecord& launch = s.context.launch->record();
  return launch.grid.count() * ceil_div(launch.block.count(), warp_size);
}

bool repeats(const Subject& s, const measure::SiteRecord& site) {
  if (const Turns turns = turns_by_code(s, site); turns != Turns::counted) return turns != Turns::one;
  u64 warps = launched_warps(s);
  return warps != 0 && site.counters[s.context.column].instructions > warps + warps / 2;
}

bool result_in_row(const Subject& s, u64 stride) {
  return std::ranges::any_of(of_stride(s, stride), [&](const measure::SiteRecord& other) {
    return other.site.kind == access::Kind::store && is_device(other.space) && !repeats(s, other);
  });
}

Neighbours neighbours(const Subject& s, u64 stride) {
  Neighbours out;
  std::set<u64> places{place_in(in_launch(s).distribution.classes.front(), stride)};
  for (const bool of_same_place : {true, false})
    for (const measure::SiteRecord& other : of_stride(s, stride)) {
      const measure::WarpClass& c = other.distribution.classes.front();
      if (may_be_of_array(s, other) && is_sibling(s, other) && c.shape.form == main_class(s).shape.form &&
          same_place(other.site, s.site.site) == of_same_place && places.insert(place_in(c, stride)).second)
        ++(of_same_place ? out.unrolled : out.members);
    }
  return out;
}

Change lanes_in_rows(const Subject& s, u64 step, i64 gap, Start start) {
  const measure::Shape& shape = s.site.pattern.shape;
  if (s.site.site.kind == access::Kind::async_copy) return consecutive(s);
  if (in_parts(shape)) return side_by_side(s, step);
  return [=, lanes = shape.rows < 2 ? warp_size : shape.row_lanes](access::WarpAccess& access) {
    const u64 from = access.active == 0 ? 0 : start(access);
    for_each_lane(access.active, [&](u32 lane) {
      access.address[lane] = from + step * (lane % lanes) + static_cast<u64>(std::abs(gap)) * (lane / lanes);
    });
  };
}

void strided(const Subject& s, std::vector<Advice>& list) {
  if (!is_strided(s)) return;
  Advice out = draft_of_stride(s);
  say_change(s, s.site.pattern.shape.distance(), out);
  if (out.change.empty()) return;
  if (s.site.site.kind == access::Kind::async_copy &&
      predicted(s, consecutive_sources(s)).sectors > out.after.sectors)
    out.change += "; what is read side by side has to be written side by side, too";
  list.push_back(std::move(out));
}

findings::Remedy remedy_of_stride(const Subject& s) {
  const u64 stride = s.site.pattern.shape.distance();
  if (times_in_a_row(s) >= often) return {}; // a register is better than another order
  if (threads_have_arrays(s)) return {};     // another allocation
  if (is_library_state(s)) return {};
  if (goes_twice_as_far(s) || s.site.follows_links) return {}; // another algorithm
  if (is_vector_in_parts(s, neighbours(s, stride), stride))
    return {findings::Remedy::Kind::aligned, static_cast<u32>(stride), 0};
  return {findings::Remedy::Kind::other_order, 0, 0};
}

} // namespace warplens::advise::rules

namespace warplens::advise {

std::optional<Advice> other_order(const measure::SiteRecord& site, const Context& context) {
  if (context.column >= site.counters.size() || site.distribution.classes.empty()) return {};
  const rules::Subject s{site, site.counters[context.column], context};
  const u64 stride = site.pattern.shape.distance();
  if (!rules::is_strided(s) || stride % site.site.bytes != 0 || rules::has_coalesced_access(s)) return {};
  Advice out = rules::draft_of_stride(s);
  rules::say_other_order(s, stride, out);
  return out;
}

} // namespace warplens::advise
