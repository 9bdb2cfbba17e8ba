// Every place that a warp may begin at, tried with the rules of arch/, and what was counted once kept. See counting.h.
#include "check/counting.h"
#include "arch/count.h"
#include "arch/stages.h"
#include "arch/table.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::check {
namespace {

// Of one warp's access that moves on: as long as no lane comes to another line, nothing changes.
class TagPasses {
public:
  Interval of(const access::WarpAccess& access) {
    Lines lines{};
    for_each_lane(access.active, [&](u32 lane) { lines[lane] = access.address[lane] / line_bytes; });
    if (known_ && lines == lines_) return last_;
    known_ = true, lines_ = lines;
    const arch::PassBounds passes = arch::tag_pass_bounds(access);
    return last_ = {passes.least, passes.most};
  }

private:
  static constexpr u64 line_bytes = 128;
  using Lines = std::array<u64, warp_size>;
  bool known_ = false;
  Lines lines_{};
  Interval last_;
};

bool is_shared(const access::AccessHeader& header) { return header.space == access::Space::shared; }

Costs costs_of(const arch::Counts& counts, const access::AccessHeader& header) {
  auto one = [](u64 n) { return Interval{n, n}; };
  return {.sectors = one(counts.sectors),
          .tags = one(counts.tags),
          .tag_passes = {},
          .wavefronts = one(counts.wavefronts),
          .requests = one(counts.requests),
          .ideal = one(is_shared(header) ? counts.ideal_wavefronts : counts.ideal_sectors)};
}

} // namespace

Costs hull(const Costs& a, const Costs& b) {
  Costs out;
  for (auto member : cost_members) out.*member = hull(a.*member, b.*member);
  return out;
}

void lower(Costs& costs, u64 least) {
  for (auto member : cost_members) (costs.*member).least = std::min((costs.*member).least, least);
}

access::WarpAccess access_at(const access::AccessHeader& header, const Placed& placed, u64 start) {
  access::WarpAccess out;
  static_cast<access::AccessHeader&>(out) = header;
  out.active = placed.active;
  for (u32 lane = 0; lane < warp_size; ++lane)
    out.address[lane] = start + static_cast<u64>(placed.offset[lane]);
  return out;
}

bool can_be_aligned(const Placed& placed, u64 bytes) {
  if (!std::has_single_bit(bytes)) return true;
  const i64 first = placed.offset[static_cast<u32>(std::countr_zero(placed.active | 1u << 31))];
  bool out = (first & static_cast<i64>(std::min(bytes, placed.unit) - 1)) == 0;
  for_each_lane(placed.active, [&](u32 lane) {
    out = out && ((placed.offset[lane] - first) & static_cast<i64>(bytes - 1)) == 0;
  });
  return out;
}

std::size_t Counter::Hash::operator()(const Key& key) const {
  std::size_t hash = key.placed.active * 31 + key.placed.unit * 7 + key.header.bytes * 131 +
                     key.placed.row_bytes * 257 + static_cast<std::size_t>(key.header.kind) * 17 +
                     static_cast<std::size_t>(key.header.space);
  for (i64 offset : key.placed.offset) hash = (hash ^ static_cast<u64>(offset)) * 0x9e3779b97f4a7c15ull;
  return hash;
}

Costs Counter::count(const access::AccessHeader& wanted, const Placed& placed) {
  Key key{placed, wanted};
  key.header.site = {};
  key.placed.unit = std::min<u64>(placed.unit, arch::address_period);
  i64 period = static_cast<i64>(arch::address_period); // what all lanes have of it makes no difference
  i64 first = placed.offset[static_cast<u32>(std::countr_zero(placed.active | 1u << 31))];
  i64 base = first - ((first % period) + period) % period;
  for (u32 lane = 0; lane < warp_size; ++lane)
    key.placed.offset[lane] = (placed.active >> lane & 1) != 0 ? placed.offset[lane] - base : 0;
  auto [known, fresh] = known_.try_emplace(key);
  if (fresh) {
    steps_ += arch::address_period / key.placed.unit;
    known->second = count_anew(key.header, key.placed);
  }
  return known->second;
}

// One row for each lane.
Counts Counter::copied(const access::WarpAccess& access, u64 bytes) const {
  std::vector<access::BulkRow> rows;
  for (u32 lane = 0; lane < warp_size; ++lane)
    if ((access.active >> lane & 1) != 0) rows.push_back({access.address[lane], bytes});
  access::BulkAccess bulk{static_cast<const access::AccessHeader&>(access)};
  bulk.rows = rows;
  return arch::count_bulk(row_, bulk);
}

// What a copy costs follows from where its lanes read and where they write, together (arch/rules/async_copy.h). Where they write
// is not known: a pass for each lane at most, and past the L1 a sector; twice as many passes where lanes say how much they read.
Costs Counter::count_copy(access::WarpAccess access, const Placed& placed) const {
  std::optional<Costs> out;
  for (u64 place = 0; placed.written && place < arch::address_period; place += placed.written->unit) {
    std::array<u64, warp_size> to{};
    bool aligned = true;
    for_each_lane(access.active, [&](u32 lane) {
      to[lane] = any_start + place + static_cast<u64>(placed.written->offset[lane]);
      aligned = aligned && to[lane] % access.bytes == 0;
    });
    if (!aligned) continue; // a GPU stops there
    access.copied_to = to.data();
    const Costs costs = costs_of(arch::count(row_, access), access);
    out = out ? hull(*out, costs) : costs;
  }
  if (out) return *out;
  access.copied_to = nullptr;
  Costs any = costs_of(arch::count(row_, access), access);
  const u64 lanes = static_cast<u64>(std::popcount(access.active));
  any.wavefronts = {std::min<u64>(1, lanes), 2 * lanes};
  if (access.cache == access::Cache::cg) {
    any.sectors = {std::min<u64>(1, lanes), std::max(any.sectors.most, lanes)};
    any.ideal = {std::min<u64>(1, lanes), any.sectors.most};
  }
  return any;
}

Costs Counter::count_at(const access::WarpAccess& access, const Placed& placed) const {
  if (access.kind == access::Kind::async_copy && !is_shared(access) && placed.row_bytes == 0)
    return count_copy(access, placed);
  if (placed.row_bytes != 0) return costs_of(copied(access, placed.row_bytes), access);
  return costs_of(arch::count_by_place(row_, access), access);
}

Costs Counter::count_anew(const access::AccessHeader& header, const Placed& placed) const {
  const bool staged = placed.passes && arch::counts_stages(row_, header) && placed.row_bytes == 0;
  TagPasses passes;
  std::optional<Costs> out;
  for (bool aligned_only : {true, false}) {
    for (u64 place = 0; place < arch::address_period; place += placed.unit) {
      access::WarpAccess access = access_at(header, placed, any_start + place);
      bool aligned = true;
      for (u32 lane = 0; lane < warp_size; ++lane)
        if ((placed.active >> lane & 1) != 0) aligned = aligned && access.address[lane] % header.bytes == 0;
      if (aligned_only && !aligned) continue; // a GPU stops there
      Costs costs = count_at(access, placed);
      if (staged) costs.tag_passes = passes.of(access);
      out = out ? hull(*out, costs) : costs;
    }
    if (out) {
      const u64 lanes = static_cast<u64>(std::popcount(placed.active));
      if (!aligned_only && placed.row_bytes == 0) // those that a GPU lets pass are in one sector each
        out->sectors = {std::min(out->sectors.least, lanes), std::min(out->sectors.most, lanes)};
      break;
    }
  }
  return *out;
}

Costs Counter::count_any_subset(const access::AccessHeader& header, Placed placed) {
  placed.written.reset(); // fewer lanes may need more passes, as others then write with them
  Costs out = count(header, placed);
  if (const access::Kind fewer = row_.shared.rule->fewer;
      subsets_ && is_shared(header) && header.kind != access::Kind::ldmatrix && fewer != access::Kind::load) {
    access::AccessHeader apart = header;
    apart.kind = fewer;
    out.wavefronts.most = std::max(out.wavefronts.most, count(apart, placed).wavefronts.most);
  }
  lower(out, 1);
  return out;
}

} // namespace warplens::check
