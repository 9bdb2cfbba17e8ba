// Lanes go anywhere: each along a row of its own, or to unrelated places. There the prediction is a bound: what
// consecutive addresses would cost. A block can put what it stores into the order of the addresses by itself, in shared
// memory, where its destinations lie close enough together: what that costs is counted for the first block.
#include "advise/rules/strided.h"
#include "arch/table.h"
#include "base/bits.h"
#include "findings/words.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace warplens::advise::rules {

namespace {

// Sectors that stores need in the order of their addresses within each block; all that they take where it was not followed.
u64 sorted_in_block(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return block.lanes == 0 ? s.counters.sectors
                          : of_all_blocks(s.counters.threads, block.by_address.sectors, block.lanes);
}

bool sorting_in_block_helps(const Subject& s) { return 3 * sorted_in_block(s) <= 2 * s.counters.sectors; }

// Do the lanes of each warp go upwards? Then sorting leaves them as they are.
bool goes_upwards(const Subject& s) {
  return std::ranges::all_of(s.site.distribution.classes, [](const measure::WarpClass& c) {
    u64 last = 0;
    bool out = true;
    for_each_lane(c.example.active, [&](u32 lane) {
      out = out && last <= c.example.address[lane];
      last = c.example.address[lane];
    });
    return out;
  });
}

// A tile spares sectors where the block asks for them again.
void say_tile_of_gather(const Subject& s, Advice& out) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  if (block.requests == 0 || 2 * block.sectors > 3 * block.distinct_sectors)
    out.change += "; or load consecutive data into shared memory and gather there";
}

void say_in_order(const Subject& s, Advice& out) {
  const bool load = reads(s.site.site.kind);
  out.title = "neighbouring threads go to places in order, but apart";
  if (say_collected(s, out)) return;
  if (s.site.loads_index && !say_renumbered(s, out)) return;
  if (!s.site.loads_index)
    out.change = fmt::format(
        "let neighbouring threads {} neighbouring elements, which sorting does not bring about. In "
        "a loop, let the lanes of a warp share the turns of each thread; else let another index "
        "number the threads",
        load ? "read" : "write");
  if (load) say_tile_of_gather(s, out);
}

// In one launch: what is advised on may be of several.
u64 bytes_of_block(const Subject& s) {
  return in_launch(s).distribution.first_block.distinct_sectors * measure::sector_bytes;
}

// What the block reads again and again is in the L1, sector by sector; in shared memory it is there word by word.
bool is_small_table(const Subject& s) {
  constexpr u64 fits = 48 << 10; // bytes of shared memory that every block may have
  return times_read(s) >= often && bytes_of_block(s) <= fits;
}

void say_small_table(const Subject& s, Advice& out) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const u64 bytes = bytes_of_block(s);
  const arch::Counts there =
      predicted(s, [](access::WarpAccess& access) { access.space = access::Space::shared; });
  const double passes =
      static_cast<double>(there.wavefronts) / static_cast<double>(std::max<u64>(1, there.instructions));
  out.change =
      fmt::format("load what the block reads again into shared memory ({} in block 0) and gather there, "
                  "with {} wavefronts for each request{}; or {}",
                  findings::bytes(bytes), findings::times(passes), cost_of_shared(s, bytes), out.change);
  out.way = Way::tile;
  out.after = s.counters, out.lanes.reset(); // loaded side by side: there is no picture of it
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.distinct_sectors, block.sectors));
  out.after.ideal_sectors = out.after.sectors, out.asks_for_less = true;
}

// To how many places does each thread go by one index that it read, as with several hashes of a key? Else 1: once, or by an index for
// each, which are loads that are performed as often, and not of the same again.
u64 places_of_one_index(const Subject& s) {
  const u64 warps = launched_warps(s);
  if (!s.site.loads_index || warps == 0) return 1;
  const std::size_t column = s.context.column;
  u64 own = 0;
  for (const measure::SiteRecord& other : at_place(s)) own += other.counters[column].instructions;
  std::map<measure::InlinedPlace, u64> performed;
  for (const measure::SiteRecord& other : in_function(s)) {
    const measure::FirstBlock& block = other.distribution.first_block;
    if (other.site.kind == access::Kind::load && other.site.array != s.site.site.array &&
        2 * block.again <= block.requests)
      performed[measure::place_of(other.site)] += other.counters[column].instructions;
  }
  const bool each = std::ranges::any_of(performed, [&](const auto& place) { return place.second >= own; });
  return each ? 1 : std::max<u64>(1, own / warps);
}

// An order of what is read, or of where it is written, serves one of a thread's places.
void say_one_of_places(const Subject& s, Advice& out) {
  const u64 places = places_of_one_index(s);
  if (places == 1) return;
  out.change += fmt::format(". Each thread goes to {} places, and one order serves one of them", places);
  for (const arch::CountMember& member : arch::count_members) {
    const u64 was = s.counters.*member.value, is = out.after.*member.value;
    out.after.*member.value = was > is ? was - (was - is) / places : is;
  }
  out.lanes.reset(); // other lanes at each of the places
}

void say_loads(const Subject& s, Advice& out) {
  out.change = s.site.loads_index
                   ? "sort or renumber the indices so that neighbouring threads want neighbouring elements"
                   : "let neighbouring threads want neighbouring elements: sort the threads' input by what "
                     "it leads to";
  if (is_small_table(s)) return say_small_table(s, out);
  say_tile_of_gather(s, out);
  say_one_of_places(s, out);
}

void say_stores(const Subject& s, Advice& out) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const arch::Counts& sorted = block.by_address;
  out.change = "sort by destination first, so that neighbouring threads write neighbouring elements";
  say_one_of_places(s, out);
  if (block.lanes == 0) return;
  if (!sorting_in_block_helps(s)) {
    out.change += "; sorting within the block does not help, because its destinations are too far apart";
    return;
  }
  out.change =
      "collect a block's elements in shared memory in the order of their destinations, so that neighbouring "
      "threads write neighbouring ones";
  if (s.context.launch != nullptr)
    out.change += cost_of_shared(s, s.context.launch->record().block.count() * s.site.site.bytes);
  out.after = s.counters, out.lanes.reset(); // other lanes in other warps: there is no picture of one
  set_sectors(out.after, sorted_in_block(s));
  out.after.requests = of_all_blocks(s.counters.requests, sorted.requests, block.requests);
  out.after.instructions = of_all_blocks(s.counters.instructions, sorted.instructions, block.requests);
}

// How many stretches of neighbouring elements the lanes of a warp go to, one after the other.
u32 stretches(const access::WarpAccess& access) {
  u32 out = 0;
  u64 expected = ~u64{0};
  for_each_lane(access.active, [&](u32 lane) {
    const u64 address = access.address[lane];
    out += address != expected && address + access.bytes != expected;
    expected = address + access.bytes;
  });
  return out;
}

// Parts of rows, whose ends lie inside sectors, and nothing that is out of order: of many lanes each, or two where few lanes
// take part, as at the edge of a tile.
bool goes_to_rows(const Subject& s) {
  constexpr u32 long_part = 8; // lanes
  return std::ranges::all_of(s.site.distribution.classes, [&](const measure::WarpClass& c) {
    const u32 parts = stretches(c.example), lanes = c.one.lanes;
    return lanes == 1 || long_part * parts <= lanes || (parts <= 2 && 2 * parts <= lanes);
  });
}

// Do the parts of rows that follow a warp's first begin equally far past a sector's start, in most warps? Then rows are whole sectors
// apart.
bool rows_are_whole_sectors(const Subject& s) {
  std::map<u64, u64> starts; // warps, by bytes past a sector's start
  u64 all = 0, seen = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes) {
    u64 expected = 0;
    for_each_lane(c.example.active, [&](u32 lane) {
      const u64 address = c.example.address[lane];
      if (expected != 0 && address != expected && address + c.example.bytes != expected)
        starts[address % measure::sector_bytes] += c.warps, all += c.warps, ++seen;
      expected = address + c.example.bytes;
    });
  }
  return seen > 1 &&
         std::ranges::any_of(starts, [&](const auto& start) { return 3 * start.second > 2 * all; });
}

// Does each row of so many lanes begin where a sector does?
bool rows_begin_with_sectors(const Subject& s, u32 lanes) {
  return lanes * s.site.site.bytes % measure::sector_bytes == 0 &&
         std::ranges::all_of(s.site.distribution.classes, [&](const measure::WarpClass& c) {
           bool out = true;
           for_each_lane(c.example.active, [&](u32 lane) {
             const u64 start = c.example.address[lane] - u64{lane % lanes} * c.example.bytes;
             out = out && start % measure::sector_bytes == 0;
           });
           return out;
         });
}

// A note, whatever it says. `lanes`: that share a row, if not all of a warp do.
Advice of_rows(const Subject& s, u32 lanes) {
  if (has_aligned_twin(s)) return halo(s, true);
  Advice out = draft(s, findings::Rule::scattered_access, Metric::sectors);
  out.confidence = Confidence::possible;
  if (in_other_turns(s)) {
    out.title = "the lanes of a warp are in different turns of a loop";
    out.cause =
        "lanes with fewer turns go through the remainder of an unrolled loop while others are turns ahead";
    out.change = "give all lanes of a warp as many turns, with the test inside the loop, or do not unroll it "
                 "(#pragma unroll 1); the order of the lanes is fine";
    return out;
  }
  out.title = "the lanes of a warp go to parts of several rows";
  out.cause = "each part begins and ends inside a sector";
  out.change =
      "begin rows at multiples of 32 bytes, or let warps take longer parts; the order of the lanes is fine";
  if (lanes != 0) {
    out.title = fmt::format("each {} lanes of a warp go along a row of their own", lanes);
    out.cause =
        "rows begin and end inside sectors, and lanes that a short row leaves over have nothing to do";
  }
  if (lanes == 0 && rows_are_whole_sectors(s)) {
    out.cause = "rows are whole sectors apart, but the part of each that a block uses is not: as of a tile "
                "with its halo";
    out.change = "none needed for the array. Let a warp take one row of the part, so that no other begins "
                 "within it";
  }
  if (lanes != 0 && rows_begin_with_sectors(s, lanes)) {
    out.cause =
        "rows begin where sectors do, but a condition leaves out lanes, and with them parts of sectors";
    out.change =
        "none needed: the order of the lanes is fine, and the condition spares sectors that no lane uses";
  }
  return out;
}

} // namespace

namespace {

// Does each group of so many lanes go along a row of its own, as far as the row goes?
bool in_groups(const access::WarpAccess& access, u32 lanes) {
  u32 group = warp_size;
  u64 start = 0; // where the group's first lane goes, or would
  bool out = true;
  for_each_lane(access.active, [&](u32 lane) {
    const u64 from = access.address[lane] - u64{lane % lanes} * access.bytes;
    if (std::exchange(group, lane / lanes) != lane / lanes) start = from;
    out = out && from == start;
  });
  return out;
}

} // namespace

// Lanes side by side, but for some that are whole turns of a warp ahead.
bool in_other_turns(const Subject& s) {
  constexpr u64 most_turns = 8; // that compilers unroll; what is further apart is another row
  const access::WarpAccess& access = main_class(s).example;
  const u64 bytes = access.bytes, width = warp_size * bytes;
  std::set<u64> starts, places; // where the warp would begin, by each lane; the same within a warp's width
  for_each_lane(access.active, [&](u32 lane) {
    const u64 start = access.address[lane] + width - lane * bytes;
    starts.insert(start), places.insert(start % width);
  });
  return places.size() == 1 && starts.size() > 1 && *starts.rbegin() - *starts.begin() <= most_turns * width;
}

u32 lanes_of_row(const measure::SiteRecord& site) {
  const std::vector<measure::WarpClass>& classes = site.distribution.classes;
  if (classes.empty()) return 0;
  for (u32 lanes : {16u, 8u, 4u})
    if (2 * warp_size / lanes <= classes.front().one.lanes &&
        std::ranges::all_of(classes,
                            [&](const measure::WarpClass& c) { return in_groups(c.example, lanes); }))
      return lanes;
  return 0;
}

bool say_renumbered(const Subject& s, Advice& out) {
  const bool load = reads(s.site.site.kind);
  if (!load && std::ranges::none_of(to_array(s), [](const measure::SiteRecord& other) {
        return reads(other.site.kind) && other.loads_index;
      }))
    return false;
  out.way = load ? Way::sorted_reads : Way::sorted_writes;
  out.change = fmt::format(
      "store the elements in the order in which the threads {} them, so that neighbouring threads "
      "go to neighbouring ones: renumber them by the index that is read. Swapping the "
      "threads' own indices does not help",
      load ? "read" : "write");
  out.example = fmt::format("{0}[t] instead of {0}[index[t]]", name_of(s));
  return true;
}

void say_tile_of_block(Advice& out) {
  out.way = Way::tile;
  out.change = "collect the block's elements in shared memory, and store them from there row by row";
  out.example = "tile[place - first] = …; __syncthreads(); for (int i = threadIdx.x; i < n; i += blockDim.x) "
                "out[first + i] = tile[i];";
}

bool say_collected(const Subject& s, Advice& out) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const u64 bytes = s.site.site.bytes,
            copy =
                in_launch(s).distribution.first_block.span * bytes; // span: bytes side by side, but for a few
  if (s.site.site.kind != access::Kind::store || block.words == 0 ||
      4 * block.words * bytes < 3 * block.distinct_sectors * measure::sector_bytes ||
      2 * block.sectors < 3 * block.distinct_sectors ||
      copy > s.context.architecture->limits.shared_per_block)
    return false;
  say_tile_of_block(out);
  out.change += cost_of_shared(s, copy);
  out.after = s.counters, out.lanes.reset(); // other lanes in other warps: there is no picture of one
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.distinct_sectors, block.sectors));
  out.after.requests =
      of_all_blocks(s.counters.requests, ceil_div(block.words, u64{warp_size}), block.requests);
  out.after.instructions =
      of_all_blocks(s.counters.instructions, ceil_div(block.words, u64{warp_size}), block.requests);
  return true;
}

void say_links(const Subject& s, Advice& out) {
  predict(s, consecutive(s), out);
  out.way = Way::sorted_reads;
  out.cause = "the index of each step is what the step before it read, so that no other order of the threads "
              "brings lanes together";
  out.change = shorter_chains;
  out.example = "next[i] = next[next[i]];";
  out.confidence = Confidence::possible;
}

u64 row_of_column(const Subject& s) {
  constexpr u32 some = 8; // distances
  u64 out = 0;
  u32 known = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes) {
    const u64 first = c.example.address[static_cast<u32>(std::countr_zero(c.example.active))];
    for_each_lane(c.example.active, [&](u32 lane) {
      const u64 address = c.example.address[lane];
      out = std::gcd(out, address > first ? address - first : first - address), known += address != first;
    });
  }
  return known < some ? 0 : out;
}

// Do the kernel's accesses to the array go to several places of such rows, as far as addresses are known? Else these may be gaps.
static bool uses_rows(const Subject& s, u64 row) {
  const u64 known = std::gcd(arch::address_period, row);
  std::set<u64> places;
  auto add = [&](const measure::SiteRecord& site) {
    for (const measure::WarpClass& c : site.distribution.classes) places.insert(place_in(c, known));
  };
  add(s.site);
  for (const measure::SiteRecord& other : to_array(s)) add(other);
  return known <= s.site.site.bytes || places.size() > 1;
}

bool say_column(const Subject& s, Advice& out) {
  const u64 bytes = s.site.site.bytes, row = row_of_column(s);
  if (row <= bytes || row % bytes != 0 || !uses_rows(s, row) || has_coalesced_access(s)) return false;
  const Change swapped = [=](access::WarpAccess& access) {
    u64 least = ~u64{0};
    for_each_lane(access.active, [&](u32 lane) { least = std::min(least, access.address[lane]); });
    for_each_lane(access.active,
                  [&](u32 lane) { access.address[lane] = (access.address[lane] - least) / row * bytes; });
  };
  if (3 * predicted(s, swapped).sectors > 2 * s.counters.sectors) return false;
  predict(s, swapped, out);
  out.rule = findings::uncoalesced(s.site.site.kind);
  out.title = row <= largest_structure
                  ? fmt::format("lanes go to one member of structures of {} bytes, in no order", row)
                  : fmt::format("lanes go to one column of rows of {} bytes, in no order", row);
  out.cause = fmt::format("{} lanes touch {} sectors, each of another row", s.site.pattern.lanes,
                          s.site.pattern.units);
  out.change =
      fmt::format("store the array the other way round: {} (count: how many rows), so that lanes that "
                  "go to neighbouring rows share sectors",
                  other_way_round(s, row));
  out.way = Way::layout;
  return true;
}

void scattered(const Subject& s, std::vector<Advice>& list) {
  const measure::Form form = s.site.pattern.shape.form;
  const bool apart =
      form == measure::Form::rows && s.counters.sectors > s.counters.ideal_sectors && in_other_turns(s);
  if (!is_device(s.site.space) || is_atomic(s.site.site.kind) || !(form == measure::Form::scattered || apart))
    return;
  Advice out = draft(s, findings::Rule::scattered_access, Metric::sectors);
  if (s.site.follows_links) {
    if (!say_vector_of_node(s, out)) {
      say_links(s, out);
      out.title = "each thread follows links, one after the other";
    }
    list.push_back(std::move(out));
    return;
  }
  if (!apart && (say_vector_of_gather(s, false, out) || (!is_heap(s) && say_rows_of_threads(s, out)))) {
    list.push_back(std::move(out));
    return;
  }
  const bool load = reads(s.site.site.kind);
  const u32 lanes = lanes_of_row(s.site);
  if (apart || ((lanes != 0 || goes_to_rows(s)) && (load || !sorting_in_block_helps(s)))) {
    list.push_back(of_rows(s, lanes));
    return;
  }
  out.title = "neighbouring threads go to unrelated places";
  out.cause = fmt::format("{} lanes touch {} sectors", s.site.pattern.lanes, s.site.pattern.units);
  out.confidence = Confidence::possible;
  if (threads_have_arrays(s)) {
    say_interleaved(s, out);
  } else if (!say_column(s, out)) {
    predict(s, consecutive(s), out);
    const bool in_order = goes_upwards(s) && (load || !sorting_in_block_helps(s));
    out.way = in_order ? Way::turns : load ? Way::sorted_reads : Way::sorted_writes;
    in_order ? say_in_order(s, out) : load ? say_loads(s, out) : say_stores(s, out);
    if (out.change.empty()) return;
  }
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
