// Neighbouring lanes are a constant distance apart, wider than the element: a member of a structure, where other
// accesses of the thread read the other members; a row for each thread, where it reads on within it in a loop and no
// result goes to a row of its own; else the wrong order of indices.
#include "advise/rules/remedies.h"
#include "base/bits.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace warplens::advise::rules {

namespace {

// Accesses with the same stride, at other places within it.
struct Neighbours {
  u32 members = 1;  // different places, this one included, of accesses elsewhere in the source
  u32 unrolled = 0; // accesses of the same place in the source
};

// Warps of the launch, or 0 where it is not known.
u64 launched_warps(const Subject& s) {
  if (s.context.launch == nullptr) return 0;
  const measure::LaunchRecord& launch = s.context.launch->record();
  return launch.grid.count() * ceil_div(launch.block.count(), warp_size);
}

// Is it performed more than once by a thread, as in a loop?
bool repeats(const Subject& s, const measure::SiteRecord& site) {
  u64 warps = launched_warps(s);
  return warps != 0 && site.counters[s.context.column].instructions > warps + warps / 2;
}

// Do loads of the kernel walk along rows of this length, one for each thread?
bool loads_walk_along_rows(const Subject& s, u64 stride) {
  bool out = false;
  each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
    out = out || (other.site.kind == access::Kind::load && is_device(other.space) &&
                  other.site.function == s.site.site.function && other.distribution.first_block.rows != 0);
  });
  return out;
}

// Is there a store with this stride that each thread performs once? Then a row is no thread's own: it holds the results of
// many, and another order of indices serves both.
bool result_in_row(const Subject& s, u64 stride) {
  bool out = false;
  each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
    out = out || (other.site.kind == access::Kind::store && is_device(other.space) &&
                  other.site.function == s.site.site.function && !repeats(s, other));
  });
  return out;
}

// Do threads of the first block walk along rows that are worth a warp, as far as it was followed?
bool walks_along_rows(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return block.requests == 0 ||
         (block.rows != 0 && block.row_elements >= shortest_row_of_thread * block.rows);
}

u64 bytes_moved(const Subject& s, const measure::SiteRecord& site) {
  const std::size_t column = s.context.column;
  return column < site.counters.size() ? site.counters[column].threads * site.site.bytes : 0;
}

// Does one statement read or write several places of the array's structures, as the elements of a member? Its instructions follow
// each other.
bool has_array_member(const Subject& s, u64 stride) {
  const measure::SiteRecord* before = nullptr;
  bool out = false;
  each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
    if (other.site.array != s.site.site.array || other.site.function != s.site.site.function) return;
    out = out || (before != nullptr && same_place(before->site, other.site) &&
                  before->site.kind == other.site.kind &&
                  place_in(before->distribution.classes.front(), stride) !=
                      place_in(other.distribution.classes.front(), stride));
    before = &other;
  });
  return out;
}

// Do warps begin at different places in a sector?
bool fills_gaps(const Subject& s) {
  u32 starts = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes) starts |= c.starts;
  return has_numbers(s) && std::popcount(starts) > 1;
}

// Are lanes side by side, or nearly, as in a member of small structures?
bool lies_side_by_side(const measure::SiteRecord& site) {
  constexpr u64 small = 8; // bytes
  const measure::PatternKind kind = site.pattern.kind();
  return kind == measure::PatternKind::contiguous ||
         (kind == measure::PatternKind::strided && site.pattern.shape.distance() <= small);
}

// Do neighbours' other accesses, which move as much, lie side by side, and each warp's elsewhere? Then the kernel turns a
// matrix: whichever index the lanes follow, one side is scattered, and another order of indices, or a row for each warp, moves
// the waste to the other one. Instructions of one place in the source count together, as those of an unrolled loop. Threads
// that lie in one row and do it once have no matrix, unless their index is taken apart into several, or warps begin in the gaps that
// others leave: threads that go by are whole sectors apart. What a block reads again and again may be a table, which stays in the L1 in
// any order, and counts only where it is much more.
bool turns_a_matrix(const Subject& s) {
  if (s.context.launch == nullptr) return false;
  constexpr u64 read_again = 4;
  const bool has_rows = s.context.launch->has_rows() || s.site.pattern.shape.form == measure::Form::rows;
  std::vector<std::pair<const access::Site*, u64>> places; // an access there, and the bytes of all
  for (const measure::SiteRecord& other : s.context.launch->record().sites) {
    const measure::FirstBlock& block = other.distribution.first_block;
    if (other.space != access::Space::global || is_atomic(other.site.kind) ||
        other.site.function != s.site.site.function || !lies_side_by_side(other) ||
        !(has_rows || repeats(s, other) || fills_gaps(s)))
      continue;
    const u64 weight = 2 * block.sectors > 3 * block.distinct_sectors ? read_again : 1;
    auto place =
        std::ranges::find_if(places, [&](const auto& p) { return same_place(*p.first, other.site); });
    if (place == places.end()) place = places.insert(place, {&other.site, 0});
    place->second += bytes_moved(s, other) / weight;
  }
  u64 own = 0;
  each_at_place(s, [&](const measure::SiteRecord& other) { own += bytes_moved(s, other); });
  return own != 0 && std::ranges::any_of(places, [&](const auto& p) { return 2 * p.second >= own; });
}

Neighbours neighbours(const Subject& s, u64 stride) {
  Neighbours out;
  std::set<u64> places{place_in(in_launch(s).distribution.classes.front(), stride)};
  auto each = [&](bool of_same_place, auto&& f) { // of the same array, as far as arrays are known
    each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
      const measure::WarpClass& c = other.distribution.classes.front();
      const access::Array &one = s.site.site.array, &another = other.site.array;
      const bool apart = one.kind != access::ArrayKind::unknown &&
                         another.kind != access::ArrayKind::unknown && one != another;
      if (apart || !is_sibling(s, other) || c.shape.form != main_class(s).shape.form ||
          same_place(other.site, s.site.site) != of_same_place)
        return;
      if (places.insert(place_in(c, stride)).second) f();
    });
  };
  each(true, [&] { ++out.unrolled; });
  each(false, [&] { ++out.members; });
  return out;
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
  if (!in_rounds(s.site) || s.context.launch == nullptr) return false;
  return std::ranges::any_of(s.context.launch->record().sites, [&](const measure::SiteRecord& other) {
    return other.site.kind == access::Kind::store && other.site.array == s.site.site.array &&
           other.site.function == s.site.site.function && in_rounds(other);
  });
}

// Are so many accesses of a thread the parts of one vector?
bool are_a_vector(const Subject& s, u64 parts, u64 stride) {
  return parts * s.site.site.bytes == stride && is_power_of_two(stride) && stride <= largest_vector;
}
bool is_vector_in_parts(const Subject& s, const Neighbours& near, u64 stride) {
  return are_a_vector(s, near.unrolled + 1, stride);
}

// "double2", of a vector of which the access moves a part, and which lanes are apart: "double4". Empty: it is no such vector.
std::string part_of_vector(const Subject& s, u64 stride) {
  struct Base {
    std::string_view name;
    u64 bytes;
  };
  static constexpr Base bases[] = {{"char", 1}, {"uchar", 1}, {"short", 2},    {"ushort", 2},
                                   {"int", 4},  {"uint", 4},  {"float", 4},    {"double", 8},
                                   {"long", 8}, {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}};
  std::string_view type = element_type(s);
  type = type.substr(0, type.find('_')); // double4_16a
  for (const auto& [name, bytes] : bases)
    if (type.starts_with(name) && type.substr(name.size()) == std::to_string(stride / bytes) &&
        stride % bytes == 0 && s.site.site.bytes % bytes == 0 && s.site.site.bytes < stride)
      return s.site.site.bytes == bytes ? std::string(name)
                                        : fmt::format("{}{}", name, s.site.site.bytes / bytes);
  return {};
}

// Where a warp's lanes begin, within a sector, after a change.
using Start = std::function<u64(const access::WarpAccess&)>;

// A structure of cuRAND, whose layout is not the program's to change.
bool is_library_state(const Subject& s) { return element_type(s).starts_with("curandState"); }

// Are lanes a stride apart, but some out of turn?
bool in_parts(const measure::Shape& shape) { return shape.form == measure::Form::strided && shape.rows != 0; }

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

// Lanes of a row `step` bytes apart, and their rows `gap`: in a block that is narrower than a warp, a warp covers several rows of
// threads, and does so after the change, too.
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

u64 of_first_lane(const access::WarpAccess& access) {
  return access.address[static_cast<u32>(std::countr_zero(access.active))];
}

// Each member of a structure in an array of its own. Lanes that leave structures out still do, and warps that begin in the middle
// of a sector's structures, as those of a neighbour's do, begin in the middle of a sector.
Change parts_apart(const Subject& s) {
  const measure::Shape& shape = s.site.pattern.shape;
  const u64 bytes = s.site.site.bytes, structure = structure_of(s, shape.distance());
  auto start = [=, stride = shape.stride](const access::WarpAccess& access) {
    const u32 lowest = stride < 0 ? warp_size - 1 : 0;
    const i64 lane = std::countr_zero(access.active);
    const u64 place =
        (of_first_lane(access) + static_cast<u64>((i64{lowest} - lane) * stride)) % measure::sector_bytes;
    return place / structure * bytes % measure::sector_bytes;
  };
  return lanes_in_rows(s, bytes * shape.distance() / structure,
                       shape.gap * static_cast<i64>(bytes) / static_cast<i64>(structure), start);
}

// The row of lanes along the row of the array. `swapped`: by the other order of indices, which exchanges what x and y step over.
Change along_rows(const Subject& s, bool swapped) {
  const measure::Shape& shape = s.site.pattern.shape;
  const bool known = swapped && shape.rows > 1 && !in_parts(shape) &&
                     static_cast<u64>(std::abs(shape.gap)) < shape.distance();
  const u64 step = known ? static_cast<u64>(std::abs(shape.gap)) : element_in_row(s, shape.distance());
  return lanes_in_rows(s, step, shape.stride, [keeps = swapped && shape.rows > 1](const auto& access) {
    return keeps ? of_first_lane(access) % measure::sector_bytes : 0;
  });
}

// Does each thread load or store a value of its own beside the array of `s`, once, as the result of its row?
bool has_own_value(const Subject& s) {
  const u64 warps = launched_warps(s);
  return std::ranges::any_of(s.context.launch->record().sites, [&](const measure::SiteRecord& other) {
    const access::Kind kind = other.site.kind;
    return is_device(other.space) && (kind == access::Kind::load || kind == access::Kind::store) &&
           other.site.function == s.site.site.function && other.site.array != s.site.site.array &&
           other.pattern.kind() != measure::PatternKind::broadcast && !repeats(s, other) &&
           2 * other.counters[s.context.column].threads >= warps * warp_size;
  });
}

// Do the rows of the first block's threads fill the stride, or, read in several goes, all that lies between the threads?
bool fill_the_stride(const Subject& s, const measure::SiteRecord& site, u64 stride) {
  const measure::FirstBlock& block = site.distribution.first_block;
  const u64 read = block.row_elements * site.site.bytes,
            touched = block.distinct_sectors * measure::sector_bytes,
            all = s.context.launch->record().block.count() * stride;
  return block.rows != 0 && (10 * read >= 9 * block.rows * stride || 10 * std::min(read, touched) >= 9 * all);
}

// Does a loop take each thread along its part of a vector, and are these parts all of it? What the thread finds there it combines
// with the others', or stores in as many places: its part is no row that belongs together.
bool takes_a_part(const Subject& s, u64 stride) {
  if (!has_numbers(s) || stride % s.site.site.bytes != 0 || !repeats(s, in_launch(s)) || has_own_value(s))
    return false;
  bool out = false;
  each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
    out = out || (other.site.kind == access::Kind::load && is_device(other.space) &&
                  other.site.function == s.site.site.function && repeats(s, other) &&
                  fill_the_stride(s, other, stride));
  });
  return out;
}

bool on_one_line(const access::Site& a, const access::Site& b) {
  return !a.frames.empty() && !b.frames.empty() && a.frames[0].file == b.frames[0].file &&
         a.frames[0].line == b.frames[0].line;
}

// Does a line of the source both load and store elements of this stride, and no other load them? Then it does the same to each.
bool treats_alike(const Subject& s, u64 stride) {
  bool both = false, elsewhere = false;
  each_of_stride(s, stride, [&](const measure::SiteRecord& other) {
    if (!is_device(other.space) || other.site.function != s.site.site.function) return;
    const bool here = on_one_line(other.site, s.site.site);
    both = both || (here && other.site.kind != s.site.site.kind);
    elsewhere = elsewhere || (!here && other.site.kind == access::Kind::load);
  });
  return both && !elsewhere;
}

// Does each thread go through a few numbers of an array that are no power of two, as parts of vectors mostly are? They are rather a
// structure, as the 19 of a cell, of which each thread needs all.
bool has_records(const Subject& s, u64 stride, const Neighbours& near) {
  const u64 elements = stride / s.site.site.bytes;
  return (has_numbers(s) || element_type(s).empty()) && stride % s.site.site.bytes == 0 &&
         elements < warp_size && !is_power_of_two(elements) && near.members == 1 &&
         (near.unrolled != 0 ? has_numbers(s) : repeats(s, in_launch(s))) && !treats_alike(s, stride);
}

// A thread takes neighbouring elements of a vector, one after the other. `apart`: they are known not to belong together.
void say_turns(const Subject& s, u64 stride, bool apart, Advice& out) {
  const u64 elements = stride / s.site.site.bytes;
  out.way = Way::turns;
  out.change = "let neighbouring threads take neighbouring elements: thread t takes t, t + threads, "
               "t + 2*threads, … (threads: gridDim.x*blockDim.x)";
  if (!apart)
    out.change += fmt::format(", where all are treated alike; where a thread needs its {0} together, {1} "
                              "(count: how many threads)",
                              elements, other_way_round(s, stride));
  else if (stores_as_many(s))
    out.change += ", if none depends on the one before it";
  out.example = "for (int i = t; i < n; i += threads) …";
  predict(s, parts_apart(s), out);
}

// A vector that is moved in parts has the layout that its type says.
bool say_parts(const Subject& s, u64 stride, Advice& out) {
  const std::string part = part_of_vector(s, stride);
  if (part.empty()) return false;
  out.change = fmt::format("store {} arrays of {} instead of one of {}, so that neighbouring threads use "
                           "neighbouring elements",
                           stride / s.site.site.bytes, part, element_type(s));
  out.example = fmt::format("{0}0[i], {0}1[i] instead of {0}[i]", name_of(s));
  return true;
}

// The thread reads or writes several places of what may be a structure.
void say_members(const Subject& s, u64 stride, const Neighbours& near, Advice& out) {
  const u64 bytes = s.site.site.bytes, padded = std::bit_ceil(stride);
  if (has_numbers(s) && near.members == 1 && stride % bytes == 0) return say_turns(s, stride, false, out);
  out.way = Way::layout;
  predict(s, parts_apart(s), out);
  const u32 members = near.members + near.unrolled;
  const bool whole = members * bytes == stride, vector = are_a_vector(s, members, stride);
  if (!vector && say_parts(s, stride, out)) return;
  if (vector && (bytes != 1 || stride <= 4))
    out.change = fmt::format("access all {} members with one {}-byte vector, or ", members, stride);
  out.change += "store one array per member (structure of arrays)";
  if (stride % bytes == 0)
    out.change +=
        fmt::format("; where it is one array, {} (count: how many structures)", other_way_round(s, stride));
  if (bytes == 1 && stride > 4)
    out.change += "; if the structure is packed, align its members, which are read byte by byte now";
  else if (whole && !vector && padded <= largest_vector)
    out.change += fmt::format(", or pad it to {0} bytes with __align__({0}), which one access moves", padded);
  out.example = "x[i] instead of p[i].x";
}

// Rows that are as short as a structure is: in the other order of indices neighbours are side by side, and no lane is idle.
void say_other_order(const Subject& s, u64 stride, Advice& out) {
  out.change = fmt::format("store the array the other way round: {} (count: how many rows), so that "
                           "neighbouring threads {} neighbouring elements",
                           other_way_round(s, stride), reads(s.site.site.kind) ? "read" : "write");
  out.way = Way::layout;
  out.example = "table[k*count + i]";
  predict(s, parts_apart(s), out);
}

// As consecutive(), without what copies write.
Change consecutive_sources(const Subject& s) {
  return [all = consecutive(s)](access::WarpAccess& access) {
    const u64* to = access.copied_to;
    all(access), access.copied_to = to;
  };
}

// Views keep the order of their indices in their type (mdspan, Kokkos): that of the parameter, else the only one in the kernel's name.
std::string_view other_layout(const Subject& s) {
  struct Layout {
    std::string_view has, other;
  };
  static constexpr Layout layouts[] = {{"layout_left", "layout_right"},
                                       {"layout_right", "layout_left"},
                                       {"LayoutLeft", "LayoutRight"},
                                       {"LayoutRight", "LayoutLeft"}};
  auto only_one = [](std::string_view text) {
    const Layout* found = nullptr;
    for (const Layout& layout : layouts) {
      if (text.find(layout.has) == text.npos) continue;
      if (found != nullptr) return std::string_view(); // views of both: which of them it is, is not known
      found = &layout;
    }
    return found == nullptr ? std::string_view() : found->other;
  };
  const access::Array& array = s.site.site.array;
  if (array.kind == access::ArrayKind::parameter && s.context.launch != nullptr &&
      s.context.launch->record().kernel == s.site.site.function)
    if (auto found = only_one(parameter_type(s.context.launch->record().name, array.parameter));
        !found.empty())
      return found;
  return only_one(s.site.site.function);
}

// What is read or written down a column goes through a tile in shared memory, whatever the indices are called.
void say_tile(const Subject& s, Advice& out) {
  const bool load = reads(s.site.site.kind);
  out.change = load ? "load a tile into shared memory row by row, and read it there by column"
                    : "collect a tile in shared memory, and store it from there row by row";
  if (!s.context.launch->has_rows()) out.change += ", over the fastest index of either array";
  out.change += ". The kernel's other accesses are coalesced, and have to stay so";
  out.way = Way::tile;
  out.example = load ? "tile[y][x] = in[(row + y)*width + x]; __syncthreads(); … tile[x][y]"
                     : "tile[y][x] = …; __syncthreads(); out[(row + y)*width + x] = tile[x][y];";
  predict(s, along_rows(s, false), out);
}

// Threads own the elements of a structure, or of a short row.
void say_elements(const Subject& s, u64 stride, Advice& out) {
  const bool of_scalars = has_numbers(s), load = s.site.site.kind == access::Kind::load;
  out.way = Way::layout;
  predict(s, parts_apart(s), out);
  if (say_parts(s, stride, out)) return;
  out.change = "let neighbouring threads use neighbouring elements: ";
  if (!of_scalars) out.change += "one array per member where this is one of a structure, ";
  if (!of_scalars && has_array_member(s, stride))
    out.change += "and of a member that is an array one for each of its elements, ";
  if (stride % s.site.site.bytes != 0)
    out.change += of_scalars ? "another index" : "else another index";
  else
    out.change += fmt::format("{} {}(count: how many {})", other_way_round(s, stride),
                              of_scalars ? "" : "where it is one array ", of_scalars ? "rows" : "structures");
  if (of_scalars)
    out.change += load ? "; where the index is loaded itself, sort or renumber by it"
                       : ", where nothing needs the array in this order; else another index for the threads";
  out.example = "x[i] instead of p[i].x";
}

// cuRAND's generators read and write their state in device memory for each number.
void say_library_state(const Subject& s, Advice& out) {
  out.change =
      "the structure is the library's. Copy it into a local variable, take all numbers of the thread from "
      "that, and store it once at the end. Where that is done, let each thread take more numbers";
  out.example =
      fmt::format("curandState state = {0}[i]; … curand_uniform(&state) … {0}[i] = state;", name_of(s));
  out.after = s.counters, out.lanes.reset(); // how much less often, the lanes do not tell
}

// Do threads of the first block go to sectors of each other's, or again to their own?
bool block_shares_sectors(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return block.requests == 0 || 2 * block.sectors > 3 * block.distinct_sectors;
}

// Would a block use what a tile of whole rows has? Not where it goes over many rows, to a few bytes of each, and combines what it finds.
bool block_uses_rows(const Subject& s) {
  return block_shares_sectors(s) || !repeats(s, in_launch(s)) || stores_as_many(s);
}

// Do threads that lie in one row go there again and again, for more than an element of a few parts? Then a loop runs along their rows, or
// over them, and threadIdx.x cannot.
bool is_row_of_turns(const Subject& s) {
  return s.context.launch != nullptr && !s.context.launch->has_rows() && repeats(s, in_launch(s)) &&
         s.site.distribution.first_block.rows == 0 && !result_in_row(s, s.site.pattern.shape.distance());
}

// Rows that are longer than a structure is. Which index runs along them? Where lanes are in rows themselves, both of a warp's indices
// may be others.
void say_index_order(const Subject& s, Advice& out) {
  const measure::Shape& shape = s.site.pattern.shape;
  const bool both_far = shape.form == measure::Form::rows && s.context.launch != nullptr &&
                        static_cast<u64>(std::abs(shape.gap)) >= measure::sector_bytes;
  out.way = Way::index_order;
  out.example = "A[row*width + threadIdx.x] instead of A[threadIdx.x*width + column]";
  if (both_far && !block_shares_sectors(s)) {
    out.change =
        fmt::format("no index of the block runs along the row: threads are {} bytes apart, and rows of them "
                    "{}. Let an index that does be threadIdx.x; where there is none, as on a face of a "
                    "volume, keep the elements in an array of their own",
                    shape.distance(), std::abs(shape.gap));
    out.way = Way::layout;
    return predict(s, consecutive(s), out);
  }
  if (both_far && s.context.launch->record().block.z > 1) {
    out.change = "let threadIdx.x run along the row: exchange the roles of threadIdx.x and threadIdx.z";
    out.example.clear();
    return predict(s, lanes_in_rows(s, s.site.site.bytes, shape.gap, [](const auto&) { return u64{0}; }),
                   out);
  }
  const bool load = reads(s.site.site.kind), tile = block_shares_sectors(s);
  const bool layout = shape.distance() % s.site.site.bytes == 0 && !has_coalesced_access(s);
  if (layout && is_row_of_turns(s)) {
    say_other_order(s, shape.distance(), out);
    if (tile)
      out.change += load ? "; or load a tile into shared memory row by row"
                         : "; or collect a tile in shared memory, and store it from there row by row";
    return;
  }
  out.change = "let threadIdx.x run along the row: swap the index order";
  if (tile)
    out.change += load ? ", or load a tile into shared memory row by row"
                       : ", or collect a tile in shared memory, and store it from there row by row";
  else if (layout)
    out.change += ", or store the array the other way round: " + other_way_round(s, shape.distance());
  if (in_parts(shape) && s.site.site.kind == access::Kind::load)
    out.change += "; where the index is loaded itself, sort or renumber by it";
  predict(s, along_rows(s, true), out);
  if (const std::string_view layout = other_layout(s); !layout.empty())
    out.change += fmt::format("; or give the view the other layout, {}", layout);
}

// Each thread moves its vector a part at a time.
void say_vector(u64 stride, Advice& out) {
  out.way = Way::layout;
  out.change = fmt::format(
      "let each thread move its {0} bytes at once: a structure that is declared __align__({0}), or "
      "a vector ({1})",
      stride,
      stride == 16  ? "float4, int4"
      : stride == 8 ? "float2, int2"
      : stride == 4 ? "char4"
                    : "char2");
  out.example = fmt::format("struct __align__({}) T {{ … }}; … out[i] = in[i];", stride);
}

// Each thread walks along a row of its own.
void say_row_of_thread(const Subject& s, u64 stride, Advice& out) {
  const bool is_short = stride <= largest_structure && stride % s.site.site.bytes == 0;
  if (!is_short || in_parts(s.site.pattern.shape))
    say_rows_of_threads(s, out);
  else
    say_other_order(s, stride, out);
}

void say_change(const Subject& s, u64 stride, Advice& out) {
  const Neighbours near = neighbours(s, stride);
  const bool load = s.site.site.kind == access::Kind::load, loops = repeats(s, in_launch(s)),
             row_of_thread =
                 load && (near.unrolled != 0 || loops) && walks_along_rows(s) && !result_in_row(s, stride),
             mostly = 2 * (near.members + near.unrolled) * s.site.site.bytes >= stride && !row_of_thread,
             several = near.members > 1 || (near.unrolled != 0 && !loops);
  if (goes_twice_as_far(s)) {
    out.change = largest_step_first("elements");
  } else if (is_vector_in_parts(s, near, stride)) {
    say_vector(stride, out);
  } else if (is_library_state(s)) {
    say_library_state(s, out);
  } else if (follows_diagonals(s, stride)) {
    out.way = Way::layout;
    say_diagonals(s, stride, out);
  } else if (has_records(s, stride, near) && !in_parts(s.site.pattern.shape)) {
    say_other_order(s, stride, out);
    if (!has_own_value(s))
      out.change += "; where all are treated alike, let thread t take t, t + threads, … instead";
  } else if (takes_a_part(s, stride)) {
    say_turns(s, stride, true, out);
  } else if ((stride <= largest_structure || mostly) && several) {
    say_members(s, stride, near, out);
  } else if (threads_have_arrays(s) && (is_heap(s) || !row_of_thread)) {
    say_interleaved(s, out);
  } else if (s.site.loads_index && stride > largest_structure && !row_of_thread) {
    say_renumbered(s, out);
    predict(s, consecutive(s), out);
  } else if ((row_of_thread || stride > largest_structure) && block_uses_rows(s) && turns_a_matrix(s)) {
    say_tile(s, out);
  } else if (row_of_thread) {
    say_row_of_thread(s, stride, out);
  } else if (s.site.site.kind == access::Kind::store && loops && loads_walk_along_rows(s, stride)) {
    out.way = Way::row_per_warp;
    out.change = "give each row to a warp, whose lanes write it side by side, as they then read it";
    out.example = "for (int j = lane; j < n; j += 32) out[row*n + j] = …;";
    say_recurrence(s, out);
  } else if (stride <= largest_structure) {
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

bool has_coalesced_access(const Subject& s) {
  bool out = false;
  each_to_array(s, [&](const measure::SiteRecord& other) {
    out = out || other.pattern.kind() == measure::PatternKind::contiguous;
  });
  return out;
}

std::string other_way_round(const Subject& s, u64 row) {
  return fmt::format("{0}[k*count + i] instead of {0}[{1}*i + k]", name_of(s), row / s.site.site.bytes);
}

void strided(const Subject& s, std::vector<Advice>& list) {
  if (!is_strided(s)) return;
  Advice out = draft_of_stride(s);
  say_change(s, s.site.pattern.shape.distance(), out);
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
  if (goes_twice_as_far(s)) return {}; // another algorithm
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
