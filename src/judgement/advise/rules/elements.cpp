// What the elements of an array are: numbers, or structures of a size that its accesses show. After a change of layout or of the
// index order, neighbouring lanes are as far apart as elements then are, which is seldom the width of one access: a member's lanes
// are a structure apart, and lanes that take every second structure leave one of them out in an array per member, too.
//
// Nothing tells a structure's size but where other accesses of the array go, in the same stride: {0, 8} in a row of 1264 bytes
// are two members of 16 bytes, {2, 5} of every 6 bytes one member of 3. What is loaded and stored is so in each structure: a position
// that is stored, and a velocity that is only loaded, are one structure. Where that leaves a choice, it is the one that gains less.
#include "advise/rules/rules.h"
#include "source/types.h"
#include <bit>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace warplens::advise::rules {

namespace {

enum class ArrayOf : u8 { unknown, numbers, structures };

// As far as the kernel's name tells, or the source, where other names may be of anything.
ArrayOf array_of(const Subject& s) {
  const std::string_view type = element_type(s);
  if (type.empty() || type == "void") return ArrayOf::unknown;
  const bool is_vector = source::known_type(type).value_or(source::KnownType()).elements != 0;
  if (source::size_of(type) != 0 && !is_vector) return ArrayOf::numbers;
  return s.site.declared.empty() ? ArrayOf::structures : ArrayOf::unknown;
}

// Where the kernel's accesses of the array with this stride go, in bytes from the first of them, how wide they are, and of what kind.
// Examples are of any warp, and their addresses are known up to a period: nothing where that does not tell them apart.
std::set<std::tuple<u64, u32, access::Kind>> places(const Subject& s, u64 stride) {
  const u64 period = std::gcd(arch::address_period, u64{warp_size} * stride);
  const i64 own = start_of_lanes(main_class(s));
  std::set<std::tuple<i64, u32, access::Kind>> around{{0, s.site.site.bytes, s.site.site.kind}};
  for (const measure::SiteRecord& other : of_stride(s, stride)) {
    if (!is_device(other.space) || other.site.array != s.site.site.array) continue;
    const u64 apart = static_cast<u64>(start_of_lanes(other.distribution.classes.front()) - own) % period;
    around.emplace(static_cast<i64>(apart) - (2 * apart > period ? static_cast<i64>(period) : 0),
                   other.site.bytes, other.site.kind);
  }
  std::set<std::tuple<u64, u32, access::Kind>> out;
  for (const auto& [place, bytes, kind] : around)
    out.emplace(static_cast<u64>(place - std::get<0>(*around.begin())), bytes, kind);
  return out;
}

// The distance of structures in which accesses go to the same places, each at least to one in a row: as {0, 8, 24, 32} in those of 24.
// 0: they are none of so many bytes.
u64 distance_of_structures(const std::set<u64>& places, u64 bytes) {
  std::set<u64> members, structures;
  for (const u64 place : places) members.insert(place % bytes), structures.insert(place / bytes);
  if (members.size() * structures.size() != places.size()) return 0;
  return structures.size() == 1 ? bytes : bytes * (*std::next(structures.begin()) - *structures.begin());
}

// Do lanes of another array's accesses of the same width lie so far apart?
bool another_array_has(const Subject& s, u64 stride) {
  return std::ranges::any_of(of_stride(s, stride), [&](const measure::SiteRecord& other) {
    return is_device(other.space) && other.site.bytes == s.site.site.bytes &&
           other.site.array != s.site.site.array;
  });
}

} // namespace

std::string_view parameter_type(std::string_view function, u32 n) {
  if (!function.ends_with(')')) return {};
  std::size_t end = function.size() - 1, begin = end;
  for (u32 depth = 0; begin-- > 0;) { // to the parenthesis that the last one closes
    const char c = function[begin];
    if (c == ')') ++depth;
    if (c == '(' && depth-- == 0) break;
  }
  u32 depth = 0;
  for (std::size_t i = begin + 1; i <= end; ++i) {
    const char c = function[i];
    if ((c == ',' && depth == 0) || i == end) {
      if (n-- == 0) return function.substr(begin + 1, i - begin - 1);
      begin = i;
    } else if (c == '<' || c == '(' || c == '[') {
      ++depth;
    } else if ((c == '>' || c == ')' || c == ']') && depth != 0) {
      --depth;
    }
  }
  return {};
}

std::string_view element_type(const Subject& s) {
  const access::Array& array = s.site.site.array;
  if (array.kind != access::ArrayKind::parameter || array.indirect || s.context.launch == nullptr ||
      s.context.launch->record().kernel != s.site.site.function)
    return {};
  std::string_view type = s.site.declared;
  if (type.empty()) type = parameter_type(s.context.launch->record().name, array.parameter);
  const std::size_t star = type.find('*');
  if (star == type.npos) return {};
  type = type.substr(0, star);
  while (type.starts_with(' ')) type.remove_prefix(1);
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.ends_with(" const")) type.remove_suffix(6);
  return type;
}

i64 start_of_lanes(const measure::WarpClass& c) {
  const u32 first = static_cast<u32>(std::countr_zero(c.example.active));
  return static_cast<i64>(c.example.address[first]) - (c.shape.rows > 1 ? 0 : i64{first} * c.shape.stride);
}

bool has_numbers(const Subject& s) { return array_of(s) == ArrayOf::numbers; }

bool has_structures(const Subject& s) { return array_of(s) == ArrayOf::structures; }

u64 element_in_row(const Subject& s, u64 stride) {
  const u64 bytes = s.site.site.bytes;
  if (array_of(s) != ArrayOf::structures) return bytes;
  std::set<u64> at;
  for (const auto& [place, width, kind] : places(s, stride)) at.insert(place);
  const u64 all = *at.rbegin() + bytes;
  const bool without_holes = all == at.size() * bytes, one = all <= largest_vector;
  for (u64 size = 2 * bytes; size <= largest_structure; size += bytes) {
    if (stride % size != 0) continue;
    if (without_holes && (one ? size == all : all % size == 0)) return size;
    if (const u64 apart = distance_of_structures(at, size); !without_holes && apart != 0) return apart;
  }
  return bytes;
}

u64 structure_of(const Subject& s, u64 stride) {
  const u64 bytes = s.site.site.bytes;
  if (has_numbers(s)) return stride;
  std::set<std::tuple<u64, u32, access::Kind>> at;
  std::set<u64> members;
  for (const auto& [place, width, kind] : places(s, stride))
    at.emplace(place % stride, width, kind), members.insert(place % stride);
  for (u64 size = 2 * bytes; size < stride; size += bytes) {
    if (stride % size != 0) continue;
    const bool again = std::ranges::all_of(at, [&](const auto& one) {
      return at.contains({(std::get<0>(one) + size) % stride, std::get<1>(one), std::get<2>(one)});
    });
    if (again && (members.size() * bytes != stride || another_array_has(s, size))) return size;
  }
  return stride;
}

} // namespace warplens::advise::rules
