// Strided lanes that go to rows of a matrix, one each: another index for threadIdx.x, or a tile in shared memory where the kernel's
// other accesses would then be strided.
#include "advise/rules/strided.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {

u64 bytes_moved(const Subject& s, const measure::SiteRecord& site) {
  const std::size_t column = s.context.column;
  return column < site.counters.size() ? site.counters[column].threads * site.site.bytes : 0;
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

// Each lane of a block so wide goes where x and y, exchanged, lead it; unchanged where its lanes do not tell.
Change exchanged(u32 width) {
  return [=](access::WarpAccess& access) {
    if (access.active != full_mask || width < 2 || width >= warp_size) return;
    const u64 from = access.address[0], by_x = access.address[1] - from, by_y = access.address[width] - from;
    for (u64 lane = 0; lane < warp_size; ++lane)
      if (access.address[lane] != from + lane % width * by_x + lane / width * by_y) return;
    for (u64 lane = 0; lane < warp_size; ++lane)
      access.address[lane] = from + lane % width * by_y + lane / width * by_x;
  };
}

// Sectors that other accesses take more where x and y are exchanged: this one's share, by what it gains of all that gain.
u64 lost_by_exchange(const Subject& s, u64 after) {
  if (s.context.launch == nullptr || after >= s.counters.sectors) return 0;
  u64 lost = 0, gained = 0;
  for (const measure::SiteRecord& other : in_function(s)) {
    if (!is_device(other.space) || s.context.column >= other.counters.size() ||
        other.distribution.classes.empty())
      continue;
    const Subject one{other, other.counters[s.context.column], s.context};
    const u64 then = predicted(one, exchanged(s.context.launch->record().block.x)).sectors,
              now = predicted(one, [](const access::WarpAccess&) {}).sectors;
    (then > now ? lost : gained) += then > now ? then - now : now - then;
  }
  return gained == 0
             ? 0
             : static_cast<u64>(static_cast<double>(lost) * static_cast<double>(s.counters.sectors - after) /
                                static_cast<double>(gained));
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

std::string by_tile(bool load) {
  return load ? "load a tile into shared memory row by row"
              : "collect a tile in shared memory, and store it from there row by row";
}

// Do threads of the first block go to sectors of each other's, or again to their own?
bool block_shares_sectors(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return block.requests == 0 || 2 * block.sectors > 3 * block.distinct_sectors;
}

// Do threads that lie in one row go there again and again, for more than an element of a few parts? Then a loop runs along their rows, or
// over them, and threadIdx.x cannot.
bool is_row_of_turns(const Subject& s) {
  return s.context.launch != nullptr && !s.context.launch->has_rows() && repeats(s, in_launch(s)) &&
         (!reads(s.site.site.kind) ||
          (s.site.distribution.first_block.rows == 0 && turns_by_code(s, s.site) != Turns::along_row)) &&
         !result_in_row(s, s.site.pattern.shape.distance());
}

} // namespace

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
  for (const measure::SiteRecord& other : in_function(s)) {
    const measure::FirstBlock& block = other.distribution.first_block;
    if (!is_device(other.space) || is_atomic(other.site.kind) || !lies_side_by_side(other) ||
        !(has_rows || repeats(s, other) || fills_gaps(s)))
      continue;
    const u64 weight = 2 * block.sectors > 3 * block.distinct_sectors ? read_again : 1;
    auto place =
        std::ranges::find_if(places, [&](const auto& p) { return same_place(*p.first, other.site); });
    if (place == places.end()) place = places.insert(place, {&other.site, 0});
    place->second += bytes_moved(s, other) / weight;
  }
  u64 own = 0;
  for (const measure::SiteRecord& other : at_place(s)) own += bytes_moved(s, other);
  // A block that goes down one column has no tile of its own: only a matrix that is turned as a whole has another side, as large.
  const bool one_column = !block_shares_sectors(s) && !repeats(s, in_launch(s));
  return own != 0 && std::ranges::any_of(places, [&](const auto& p) {
           return 2 * p.second >= own && (!one_column || p.second <= 2 * own);
         });
}

// What is read or written down a column goes through a tile in shared memory, whatever the indices are called.
void say_tile(const Subject& s, Advice& out) {
  const bool load = reads(s.site.site.kind);
  out.change = by_tile(load) + (load ? ", and read it there by column" : "");
  if (!s.context.launch->has_rows()) out.change += ", over the fastest index of either array";
  out.change += ". The kernel's other accesses are coalesced, and have to stay so";
  out.way = Way::tile;
  out.example = load ? "tile[y][x] = in[(row + y)*width + x]; __syncthreads(); … tile[x][y]"
                     : "tile[y][x] = …; __syncthreads(); out[(row + y)*width + x] = tile[x][y];";
  predict(s, along_rows(s, false), out);
}

// Would a block use what a tile of whole rows has? Not where it goes over many rows, to a few bytes of each, and combines what it finds.
bool block_uses_rows(const Subject& s) {
  return block_shares_sectors(s) || !repeats(s, in_launch(s)) || stores_as_many(s);
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
    if (tile) out.change += "; or " + by_tile(load);
    return;
  }
  out.change = "let threadIdx.x run along the row: swap the index order";
  if (tile)
    out.change += ", or " + by_tile(load);
  else if (layout)
    out.change += ", or store the array the other way round: " + other_way_round(s, shape.distance());
  if (in_parts(shape) && s.site.site.kind == access::Kind::load)
    out.change += "; where the index is loaded itself, sort or renumber by it";
  predict(s, along_rows(s, true), out);
  out.lost_beside = lost_by_exchange(s, out.after.sectors);
  if (const std::string_view layout = other_layout(s); !layout.empty())
    out.change += fmt::format("; or give the view the other layout, {}", layout);
}

bool has_coalesced_access(const Subject& s) {
  return std::ranges::any_of(to_array(s), [](const measure::SiteRecord& other) {
    return other.pattern.kind() == measure::PatternKind::contiguous;
  });
}

} // namespace warplens::advise::rules
