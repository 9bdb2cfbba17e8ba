// Elements that a thread moves one by one, though they lie in one vector. A vector has to begin at a multiple of its size, else a GPU
// stops: so it is offered only where it does in all warps that were recorded. Rows of an odd length begin inside a vector.
#include "advise/rules/rules.h"
#include <bit>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

namespace warplens::advise::rules {

namespace {

// Where its warps begin within so many bytes, as far as it is known of each.
std::set<u64> starts_in(const measure::SiteRecord& site, u64 bytes) {
  std::set<u64> out;
  for (const measure::WarpClass& c : site.distribution.classes) {
    out.insert(place_in(c, bytes));
    for (u32 byte = 0; byte < measure::sector_bytes; ++byte)
      if ((c.starts >> byte & 1) != 0) out.insert(byte % bytes);
  }
  return out;
}

// Where all lanes go within so many bytes, if all go to the same place; else nothing.
std::optional<u64> place_of_lanes(const measure::SiteRecord& site, u64 bytes) {
  std::optional<u64> out;
  bool same = true;
  for (const measure::WarpClass& c : site.distribution.classes)
    for_each_lane(c.example.active, [&](u32 lane) {
      const u64 place = c.example.address[lane] % bytes;
      same = same && out.value_or(place) == place, out = place;
    });
  return same ? out : std::nullopt;
}

// Do the lanes of both go to the same vectors?
bool in_same_vectors(const access::WarpAccess& a, const access::WarpAccess& b, u64 bytes) {
  bool same = a.active == b.active;
  for_each_lane(a.active & b.active,
                [&](u32 lane) { same = same && a.address[lane] / bytes == b.address[lane] / bytes; });
  return same;
}

} // namespace

bool are_whole_vectors(const Subject& s, u64 bytes, bool only_here) {
  const u64 vectors = std::gcd(arch::address_period, u64{warp_size} * bytes) / bytes;
  // Of each vector, by where lane 0 goes. Parts of whole vectors cost the same, so that their warps are in the same classes.
  std::map<std::pair<std::size_t, u64>, std::set<u64>> parts;
  bool steady = true;
  for (const measure::SiteRecord& other : of_stride(s, bytes)) {
    const bool own = other.site.id == s.site.site.id && other.space == s.site.space;
    if (!own && (!is_sibling(s, other) || !may_be_of_array(s, other) ||
                 (only_here && !same_place(other.site, s.site.site))))
      continue;
    const std::vector<measure::WarpClass>& classes = other.distribution.classes;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const u64 start = static_cast<u64>(start_of_lanes(classes[i]));
      parts[{i, start / bytes % vectors}].insert(start % bytes);
    }
    steady = steady && starts_in(other, bytes).size() == 1;
  }
  return steady && std::ranges::all_of(parts, [&](const auto& vector) {
           return vector.second.size() * s.site.site.bytes == bytes;
         });
}

void predict_at_once(const Subject& s, u64 bytes, Advice& out) {
  predict(
      s,
      [=](access::WarpAccess& access) {
        for_each_lane(access.active, [&](u32 lane) { access.address[lane] -= access.address[lane] % bytes; });
        access.bytes = static_cast<u8>(bytes);
      },
      out);
  for (const arch::CountMember& member : arch::count_members)
    out.after.*member.value /= bytes / s.site.site.bytes;
}

static void say_at_once(const Subject& s, u64 bytes, Advice& out) {
  out.cause = "each piece is an access of its own, which goes to the same sectors as the others";
  out.change = fmt::format(
      "move the {0} bytes at once: declare the structure alignas({0}), or access it as a vector of {0} "
      "bytes ({1})",
      bytes,
      bytes == 16  ? "float4, int4"
      : bytes == 8 ? "float2, ushort4"
                   : "ushort2, uchar4");
  out.example = fmt::format("struct alignas({}) T {{ … }}; … T own = {}[index];", bytes, name_of(s));
  out.confidence = Confidence::likely;
  out.way = Way::layout;
}

bool say_vector_of_node(const Subject& s, Advice& out) {
  const u64 node = row_of_column(s), own = s.site.site.bytes, bytes = std::bit_ceil(node);
  if (node <= own || node % own != 0 || bytes > largest_vector) return false;
  u64 most = 0,
      all = 0; // sectors: of a node's member that is read most, which the vector takes the place of; of all
  std::set<std::pair<measure::InlinedPlace, u64>> members;
  for (const measure::SiteRecord& other : to_array(s)) {
    if (other.site.kind != s.site.site.kind || !other.follows_links || other.distribution.classes.empty())
      continue;
    const u64 sectors = other.counters[s.context.column].sectors;
    most = std::max(most, sectors), all += sectors;
    members.emplace(measure::place_of(other.site),
                    place_in(other.distribution.classes.front(), std::gcd(arch::address_period, node)));
  }
  if (members.size() < 2) return false;
  predict(
      s,
      [=](access::WarpAccess& access) {
        u64 least = ~u64{0};
        for_each_lane(access.active, [&](u32 lane) { least = std::min(least, access.address[lane]); });
        for_each_lane(access.active, [&](u32 lane) {
          access.address[lane] = (access.address[lane] - least) / node * bytes;
        });
        access.bytes = static_cast<u8>(bytes);
      },
      out);
  for (const arch::CountMember& member : arch::count_members)
    out.after.*member.value = of_all_blocks(out.after.*member.value, most, all);
  out.title = "each thread follows links, and reads the members of a node one by one";
  say_at_once(s, bytes, out);
  return true;
}

bool say_vector_of_gather(const Subject& s, bool only_here, Advice& out) {
  const measure::SiteRecord& own = in_launch(s);
  const measure::FirstBlock& block = own.distribution.first_block;
  const bool has_rows = row_of_column(s) > largest_structure ||
                        block.row_elements * s.site.site.bytes > largest_structure * block.rows;
  if (own.distribution.classes.empty() || has_rows) return false;
  const access::WarpAccess& lanes = own.distribution.classes.front().example;
  for (u64 bytes = largest_vector; bytes > s.site.site.bytes; bytes /= 2) {
    std::set<u64> places;
    auto add = [&](const measure::SiteRecord& other) {
      if (other.site.array != s.site.site.array ||
          !in_same_vectors(lanes, other.distribution.classes.front().example, bytes))
        return;
      if (const std::optional<u64> place = place_of_lanes(other, bytes)) places.insert(*place);
    };
    add(own);
    for (const measure::SiteRecord& other : siblings(s))
      if (!only_here || same_place(other.site, s.site.site)) add(other);
    const u64 parts = bytes / s.site.site.bytes;
    if (places.size() != parts) continue;
    predict_at_once(s, bytes, out);
    out.title = fmt::format("each thread {} {} bytes that lie together in {} pieces",
                            reads(s.site.site.kind) ? "reads" : "writes", bytes, parts);
    say_at_once(s, bytes, out);
    return true;
  }
  return false;
}

} // namespace warplens::advise::rules
