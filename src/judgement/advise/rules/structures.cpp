// Strided lanes that go to elements of structures, of vectors, or of rows that are as short: the elements of neighbours side by side,
// in arrays of their own or in the other order of indices; or the vector at once.
#include "advise/rules/strided.h"
#include "base/bits.h"
#include "source/types.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warplens::advise::rules {

namespace {

// Does one statement read or write several places of the array's structures, as the elements of a member? Its instructions follow
// each other.
bool has_array_member(const Subject& s, u64 stride) {
  const measure::SiteRecord* before = nullptr;
  for (const measure::SiteRecord& other : of_stride(s, stride)) {
    if (other.site.array != s.site.site.array) continue;
    if (before != nullptr && same_place(before->site, other.site) && before->site.kind == other.site.kind &&
        place_in(before->distribution.classes.front(), stride) !=
            place_in(other.distribution.classes.front(), stride))
      return true;
    before = &other;
  }
  return false;
}

// Are so many accesses of a thread the parts of one vector?
bool are_a_vector(const Subject& s, u64 parts, u64 stride, bool only_here) {
  return parts * s.site.site.bytes == stride && is_power_of_two(stride) && stride <= largest_vector &&
         are_whole_vectors(s, stride, only_here);
}

// "double2", of a vector of which the access moves a part, and which lanes are apart: "double4". Empty: it is no such vector.
std::string part_of_vector(const Subject& s, u64 stride) {
  std::string_view type = element_type(s);
  type = type.substr(0, type.find('_')); // double4_16a
  const auto [bytes, elements] = source::known_type(type).value_or(source::KnownType());
  if (elements < 2 || bytes != stride || !type.ends_with(std::to_string(elements))) return {};
  const u64 part = s.site.site.bytes * elements / bytes;
  if (part == 0 || part == elements) return {};
  type.remove_suffix(1);
  return part == 1 ? std::string(type) : fmt::format("{}{}", type, part);
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

// Do the rows of the first block's threads fill the stride, or, read in several goes, all that lies between the threads?
bool fill_the_stride(const Subject& s, const measure::SiteRecord& site, u64 stride) {
  const measure::FirstBlock& block = site.distribution.first_block;
  const u64 read = block.row_elements * site.site.bytes,
            touched = block.distinct_sectors * measure::sector_bytes,
            all = s.context.launch->record().block.count() * stride;
  return block.rows != 0 && (10 * read >= 9 * block.rows * stride || 10 * std::min(read, touched) >= 9 * all);
}

bool on_one_line(const access::Site& a, const access::Site& b) {
  return !a.frames.empty() && !b.frames.empty() && a.frames[0].file == b.frames[0].file &&
         a.frames[0].line == b.frames[0].line;
}

// Does a line of the source both load and store elements of this stride, and no other load them? Then it does the same to each.
bool treats_alike(const Subject& s, u64 stride) {
  bool both = false, elsewhere = false;
  for (const measure::SiteRecord& other : of_stride(s, stride)) {
    if (!is_device(other.space)) continue;
    const bool here = on_one_line(other.site, s.site.site);
    both = both || (here && other.site.kind != s.site.site.kind);
    elsewhere = elsewhere || (!here && other.site.kind == access::Kind::load);
  }
  return both && !elsewhere;
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

} // namespace

// A row of bytes for each thread, as of a text, stays as it is: it is read in pieces as wide as a thread can.
bool say_wide_pieces(const Subject& s, u64 stride, Advice& out) {
  if (s.site.site.kind != access::Kind::load || s.site.site.bytes != 1 || !has_numbers(s) ||
      stride % largest_vector != 0)
    return false;
  predict_at_once(s, largest_vector, out);
  out.change = "let each thread read 16 bytes at once (uint4), where its part begins at a multiple of 16 "
               "bytes. Or load a tile into shared memory row by row";
  out.example =
      fmt::format("uint4 v = *reinterpret_cast<const uint4*>(&{}[{}*i + k]); // k += 16", name_of(s), stride);
  return true;
}

bool is_vector_in_parts(const Subject& s, const Neighbours& near, u64 stride) {
  return are_a_vector(s, near.unrolled + 1, stride, true);
}

bool is_narrowed(const Subject& s, u64 stride, const Neighbours& near) {
  return has_numbers(s) && s.site.site.kind == access::Kind::load && near.members + near.unrolled == 1 &&
         s.site.site.bytes < stride && source::size_of(element_type(s)) == stride;
}

void say_narrowed(const Subject& s, u64 stride, Advice& out) {
  const u32 bytes = s.site.site.bytes;
  out.way = Way::layout;
  out.change =
      fmt::format("store elements of {} byte{}, where no other code needs more: this code uses {} of the {} "
                  "bytes of each, and the compiler loads no more",
                  bytes, bytes == 1 ? "" : "s", bytes, stride);
  predict(s, parts_apart(s), out);
}

bool is_library_state(const Subject& s) { return element_type(s).starts_with("curandState"); }

// Threads in rows compute a value each where they store once, even as far apart as they load.
bool has_own_value(const Subject& s) {
  const u64 warps = launched_warps(s);
  const bool in_rows = s.context.launch != nullptr && s.context.launch->record().block.y > 1;
  return std::ranges::any_of(in_function(s), [&](const measure::SiteRecord& other) {
    const access::Kind kind = other.site.kind;
    return is_device(other.space) && (kind == access::Kind::load || kind == access::Kind::store) &&
           other.site.array != s.site.site.array && other.pattern.kind() != measure::PatternKind::broadcast &&
           ((in_rows && kind == access::Kind::store) ||
            other.pattern.shape.distance() != s.site.pattern.shape.distance()) &&
           !repeats(s, other) && 2 * other.counters[s.context.column].threads >= warps * warp_size;
  });
}

// Does the thread need its part as a whole? Loads beside follow the place in it, or it goes along it again, and leaves nothing to other
// threads of what it found.
bool needs_its_part(const Subject& s, u64 stride) {
  bool shares = false, follows = false, again = false;
  for (const measure::SiteRecord& other : in_function(s)) {
    if (other.distribution.classes.empty()) continue;
    shares = shares || other.space == access::Space::shared || is_atomic(other.site.kind);
    follows = follows || walks_beside(s, other);
  }
  std::map<std::string_view, std::set<measure::InlinedPlace>> read; // by the array's name
  for (const measure::SiteRecord& other : of_stride(s, stride))
    if (const std::string& name = other.site.array.name;
        !name.empty() && other.site.kind == access::Kind::load && is_device(other.space))
      read[name].insert(measure::place_of(other.site)), again = again || read[name].size() > 1;
  return follows || (again && !shares);
}

// Does a loop take each thread along its part of a vector, and are these parts all of it? What the thread finds there it combines
// with the others', or stores in as many places: its part is no row that belongs together.
bool takes_a_part(const Subject& s, u64 stride) {
  if (!has_numbers(s) || stride % s.site.site.bytes != 0 || !repeats(s, in_launch(s)) || has_own_value(s) ||
      needs_its_part(s, stride))
    return false;
  return std::ranges::any_of(of_stride(s, stride), [&](const measure::SiteRecord& other) {
    return other.site.kind == access::Kind::load && is_device(other.space) && repeats(s, other) &&
           fill_the_stride(s, other, stride);
  });
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
  out.change = "let neighbouring threads take neighbouring elements: of its block's part, thread t takes t, "
               "t + threads, t + 2*threads, … (t: threadIdx.x, threads: blockDim.x)";
  if (!apart)
    out.change += fmt::format(", where all are treated alike; where a thread needs its {0} together, {1} "
                              "(count: how many threads)",
                              elements, other_way_round(s, stride));
  else if (stores_as_many(s)) // a sum may be carried from one element to the next
    out.change += ". Where an element needs the one before it, go through a tile in shared memory instead";
  out.example = "for (int i = begin + threadIdx.x; i < end; i += blockDim.x) … // the block's part";
  predict(s, parts_apart(s), out);
}

// Do the kernel's accesses of other arrays move about as much the other way, side by side? Then it makes arrays of structures, or
// structures of arrays, and the structures are what it is given, or what it is to make.
bool changes_the_layout(const Subject& s) {
  const access::Kind own = s.site.site.kind;
  if (own != access::Kind::load && own != access::Kind::store) return false;
  const access::Kind other_way = own == access::Kind::load ? access::Kind::store : access::Kind::load;
  u64 here = 0, beside = 0;
  for (const measure::SiteRecord& other : in_function(s)) {
    if (!is_device(other.space) || s.context.column >= other.counters.size()) continue;
    const u64 bytes = other.counters[s.context.column].threads * other.site.bytes;
    if (other.site.array == s.site.site.array) {
      if (other.site.kind == other_way) return false; // it changes what is there
      here += other.site.kind == own ? bytes : 0;
    } else if (other.site.kind == other_way && other.pattern.kind() == measure::PatternKind::contiguous) {
      beside += bytes;
    }
  }
  return here != 0 && 10 * beside >= 9 * here;
}

// What threads store in rows of their own goes through shared memory, whatever they read for it. `fills_rows`: it is known to leave no
// gaps; else the first block tells.
bool say_own_results(const Subject& s, u64 stride, bool fills_rows, Advice& out) {
  if (!has_numbers(s)) return false;
  if (fills_rows && s.site.site.kind == access::Kind::store)
    say_tile_of_block(out);
  else if (!say_collected(s, out))
    return false;
  out.change += fmt::format("; or, where nothing needs the array in this order, {} (count: how many rows)",
                            other_way_round(s, stride));
  return true;
}

// Does the kernel load as far apart as it stores? Then threads may take other elements of both.
bool loads_as_far_apart(const Subject& s, u64 stride) {
  return std::ranges::any_of(of_stride(s, stride), [](const measure::SiteRecord& other) {
    return other.site.kind == access::Kind::load && is_device(other.space);
  });
}

// The thread reads or writes several places of what may be a structure.
void say_members(const Subject& s, u64 stride, const Neighbours& near, Advice& out) {
  const u64 bytes = s.site.site.bytes, padded = std::bit_ceil(stride);
  if (has_numbers(s) && near.members == 1 && stride % bytes == 0) {
    const bool fills_rows =
        turns_by_code(s, s.site) != Turns::counted && (near.unrolled + 1) * bytes == stride;
    if (loads_as_far_apart(s, stride) || !say_own_results(s, stride, fills_rows, out))
      say_turns(s, stride, false, out);
    return;
  }
  out.way = Way::layout;
  predict(s, parts_apart(s), out);
  const u32 members = near.members + near.unrolled;
  const bool whole = members * bytes == stride, vector = are_a_vector(s, members, stride, false);
  if (!vector && say_parts(s, stride, out)) return;
  if (!vector && stride > largest_vector && changes_the_layout(s)) {
    const bool load = reads(s.site.site.kind);
    out.way = Way::tile;
    out.change = fmt::format("{}: the kernel {} arrays of members already",
                             load ? "load the structures of a block into shared memory as they lie, and read "
                                    "the members there"
                                  : "collect the structures of a block in shared memory, and store them from "
                                    "there as they lie",
                             load ? "stores" : "loads");
    out.example =
        load ? "for (i = threadIdx.x; i < words; i += blockDim.x) tile[i] = in[first + i]; "
               "__syncthreads(); … tile[threadIdx.x*members + k]"
             : "tile[threadIdx.x*members + k] = …; __syncthreads(); for (i = threadIdx.x; i < words; "
               "i += blockDim.x) out[first + i] = tile[i];";
    return;
  }
  if (vector && (bytes != 1 || stride <= 4))
    out.change = fmt::format("access all {} {} with one {}-byte vector, or ", members,
                             has_numbers(s) ? "elements" : "members", stride);
  if (has_numbers(s) && vector) {
    out.change += fmt::format("store the array the other way round: {} (count: how many threads)",
                              other_way_round(s, stride));
  } else {
    out.change += "store one array per member (structure of arrays)";
    if (stride % bytes == 0 && !has_structures(s))
      out.change +=
          fmt::format("; where it is one array, {} (count: how many structures)", other_way_round(s, stride));
  }
  if (bytes == 1 && stride > 4)
    out.change += "; if the structure is packed, align its members, which are read byte by byte now";
  else if (whole && padded > stride && padded <= largest_vector)
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

// Threads own the elements of a structure, or of a short row.
void say_elements(const Subject& s, u64 stride, Advice& out) {
  const bool of_scalars = has_numbers(s), load = s.site.site.kind == access::Kind::load;
  out.way = Way::layout;
  predict(s, parts_apart(s), out);
  if (say_parts(s, stride, out)) return;
  if (say_own_results(s, stride, false, out)) return;
  out.change = has_structures(s) ? "store one array per member (structure of arrays), "
                                 : "let neighbouring threads use neighbouring elements: ";
  if (!of_scalars && !has_structures(s))
    out.change += "one array per member where this is one of a structure, ";
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

// Each thread moves its vector a part at a time.
void say_vector(const Subject& s, u64 stride, Advice& out) {
  out.way = Way::layout;
  predict_at_once(s, stride, out);
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

std::string other_way_round(const Subject& s, u64 row) {
  return fmt::format("{0}[k*count + i] instead of {0}[{1}*i + k]", name_of(s), row / s.site.site.bytes);
}

} // namespace warplens::advise::rules
