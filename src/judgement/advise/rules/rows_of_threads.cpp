// A row for each thread: neighbouring lanes are in different rows, far apart, and each walks along its own. Rows of equal
// length look like a stride, others scattered; either way a row belongs to a warp, or where rows are short to a part of
// one. What that costs is counted for the rows that the threads of the first block walked along (measure::FirstBlock).
// Arrays that threads have to themselves, which no other reads, are better interleaved.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace warplens::advise::rules {

u64 of_all_blocks(u64 all, u64 changed, u64 in_first_block) {
  if (in_first_block == 0) return 0;
  if (all == in_first_block) return changed;
  return static_cast<u64>(
      static_cast<double>(all) * static_cast<double>(changed) / static_cast<double>(in_first_block) + 0.5);
}

bool stores_as_many(const Subject& s) {
  u64 loaded = 0, stored = 0;
  for (const measure::SiteRecord& other : in_function(s)) {
    if (!is_device(other.space) || s.context.column >= other.counters.size()) continue;
    const u64 bytes = other.counters[s.context.column].threads * other.site.bytes;
    if (other.site.kind == access::Kind::store || is_atomic(other.site.kind)) stored += bytes;
    if (other.site.kind == s.site.site.kind && other.site.array == s.site.site.array) loaded += bytes;
  }
  return stored != 0 && 2 * stored >= loaded;
}

bool walks_beside(const Subject& s, const measure::SiteRecord& other) {
  const measure::FirstBlock& block = other.distribution.first_block;
  const std::size_t column = s.context.column;
  return other.site.kind == access::Kind::load &&
         (is_device(other.space) || other.space == access::Space::shared) &&
         other.pattern.shape.form == measure::Form::broadcast && 2 * block.again <= block.requests &&
         other.counters[column].instructions >= in_launch(s).counters[column].instructions;
}

namespace {

// What walks beside the threads' rows: where lanes walk along a row together, they walk along that, too.
void say_beside(const Subject& s, u32 lanes, bool stores, Advice& out) {
  if (s.context.launch == nullptr || s.counters.instructions == 0) return;
  const std::size_t column = s.context.column;
  const double times =
      static_cast<double>(out.after.instructions) / static_cast<double>(s.counters.instructions);
  std::vector<const measure::SiteRecord*> beside;
  std::map<measure::InlinedPlace, u64>
      performed; // at each place: several where a turn takes several elements
  std::vector<std::string> names;
  for (const measure::SiteRecord& other : in_function(s)) {
    if (!walks_beside(s, other)) continue;
    if (const std::string& name = other.site.array.name;
        !name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(name);
    if (!is_device(other.space)) continue;
    beside.push_back(&other);
    performed[measure::place_of(other.site)] += other.counters[column].instructions;
  }
  u64 in_launch = 0,
      walking = 0; // of this place; of all whose threads walk along rows, which change together
  for (const measure::SiteRecord& other : at_place(s)) in_launch += other.counters[column].instructions;
  for (const measure::SiteRecord& other : in_function(s))
    if (other.site.kind == access::Kind::load && other.distribution.first_block.rows != 0)
      walking += other.counters[column].instructions;
  double now = 0, then = 0; // sectors
  bool apart = false;
  for (const measure::SiteRecord* other : beside) {
    const u64 elements =
                  std::max<u64>(1, performed[measure::place_of(other->site)] / std::max<u64>(1, in_launch)),
              bytes = other->site.bytes,
              each = std::min(ceil_div(lanes * elements * bytes, measure::sector_bytes),
                              lanes * ceil_div(bytes, measure::sector_bytes)) *
                     (warp_size / lanes);
    apart = apart || elements > 1;
    now += static_cast<double>(other->counters[column].sectors);
    then += times * static_cast<double>(each * other->counters[column].requests);
  }
  if (!names.empty())
    out.change +=
        fmt::format(". Lanes then read {} {}, too, where they read one address now: look at what that costs",
                    fmt::join(names, ", "), apart ? "some elements apart" : "side by side");
  const u64 row = s.site.pattern.shape.distance();
  if (!names.empty() && !stores && s.site.pattern.kind() == measure::PatternKind::strided &&
      row % s.site.site.bytes == 0)
    out.change += fmt::format(". They do not where {} is stored the other way round: {}", name_of(s),
                              other_way_round(s, row));
  if (then > now && in_launch != 0)
    out.lost_beside = static_cast<u64>((then - now) * static_cast<double>(s.counters.instructions) /
                                       static_cast<double>(std::max(walking, in_launch)));
}

} // namespace

void say_recurrence(const Subject& s, Advice& out) {
  out.change +=
      fmt::format("; where a step needs the result of the one before it, store the array the other way "
                  "round instead, element k of all rows side by side: {}[k*rows + row]",
                  name_of(s));
}

bool say_rows_of_threads(const Subject& s, Advice& out) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  bool known = block.row_lanes != 0 && block.row_elements >= shortest_row_of_thread * block.rows;
  bool strided = s.site.pattern.kind() == measure::PatternKind::strided;
  if (!known && !strided) return false;
  u32 lanes = known ? block.row_lanes : warp_size;
  std::string whom = !known               ? "a warp, or to a part of one, whose lanes"
                     : lanes == warp_size ? "a warp, whose lanes"
                                          : fmt::format("{} lanes of a warp, which", lanes);
  const bool updates = is_atomic(s.site.site.kind), stores = updates || stores_as_many(s);
  out.way = Way::row_per_warp;
  out.change = fmt::format("give each row to {} walk along it together{}", whom,
                           stores ? "" : " and then combine what they found (__shfl_down_sync)");
  out.example = fmt::format("for (int j = begin + lane; j < end; j += {}) {}", lanes,
                            updates  ? "atomicAdd(&out[j], …);"
                            : stores ? "out[j] = … A[j] …;"
                                     : "sum += A[j];");
  if (s.site.site.kind == access::Kind::store)
    out.change += ", where no element needs the one before it";
  else if (stores && !updates)
    say_recurrence(s, out);
  if (!known) {
    out.change +=
        "; where the rows are parts of one vector, let neighbouring threads take neighbouring elements "
        "instead: thread t takes t, t + threads, …";
    return true;
  }
  if (!strided) {
    out.rule = findings::uncoalesced(s.site.site.kind);
    out.title = "each thread walks along a row of its own";
    out.cause = fmt::format(
        "neighbouring threads are in different rows, of {} elements on average in block 0, so each "
        "request goes to as many sectors as lanes",
        (block.row_elements + block.rows / 2) / block.rows);
  }
  out.after = s.counters, out.lanes.reset(); // other lanes in other warps: there is no picture of one
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.by_rows.sectors, block.sectors));
  out.after.instructions = of_all_blocks(s.counters.instructions, block.by_rows.instructions, block.requests);
  out.after.requests = of_all_blocks(s.counters.requests, block.by_rows.requests, block.requests);
  say_beside(s, lanes, stores, out);
  return true;
}

namespace {

constexpr u32 pointer_bytes = 8;

bool same_for_all_lanes(const measure::SiteRecord& site) {
  return std::ranges::all_of(site.distribution.classes, [](const measure::WarpClass& c) {
    const u64 first = c.example.address[static_cast<u32>(std::countr_zero(c.example.active))];
    bool same = true;
    for_each_lane(c.example.active, [&](u32 lane) { same = same && c.example.address[lane] == first; });
    return same;
  });
}

} // namespace

bool threads_have_arrays(const Subject& s) {
  const access::Site& own = s.site.site;
  if (is_heap(s)) return !own.array.indirect;
  if (!own.array.indirect) return false;
  // What leads on to the next pointer is a list or a tree, not an array.
  const bool walked = s.site.distribution.first_block.rows != 0 || own.kind == access::Kind::store;
  if (own.bytes == pointer_bytes && !walked) return false;
  access::Array pointers = own.array;
  pointers.indirect = false;
  bool reads_own = false;
  for (const measure::SiteRecord& other : in_function(s)) {
    const access::Array& array = other.site.array;
    if (other.site.kind != access::Kind::load || other.site.bytes % pointer_bytes != 0 ||
        array.parameter != own.array.parameter || other.distribution.classes.empty())
      continue;
    if (array == own.array && own.bytes != pointer_bytes) return false;
    reads_own = reads_own || (array == pointers && !same_for_all_lanes(other));
  }
  return reads_own;
}

void say_interleaved(const Subject& s, Advice& out) {
  predict(s, consecutive(s), out);
  out.way = Way::own_arrays;
  out.change = "each thread has an array of its own: make one of all, in which element k of thread t is at "
               "[k*threads + t], so that neighbouring threads use neighbouring elements";
  out.example = "a[k*threads + t] instead of p[k]";
}

} // namespace warplens::advise::rules
