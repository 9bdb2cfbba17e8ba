// What is read of a launch, checked: sizes that no GPU has, sites that no access has, and counts that do not apply are refused or
// forgotten here, for the lines between processes and for saved reports alike.
#include "measure/members.h"
#include "base/launch_limits.h"
#include "measure/distribution_json.h"

namespace warplens::measure {

namespace {

// Throws where a launch has sizes that none on a GPU has.
void expect_possible(const LaunchContent& launch) {
  constexpr u64 largest = u64{1} << 32; // of shared and local memory, in bytes: more than any GPU has
  if (launch.shared_bytes > largest || launch.local_bytes > largest)
    throw Unreadable("member 'shared_bytes' or 'local_bytes' is more than any GPU has");
  if (is_counted(launch.status) && launch_problem({}, launch.grid, launch.block))
    throw Unreadable("members 'grid' and 'block' are of no launch that a GPU could run");
  const u64 all = launch.grid.count();
  if (launch.blocks.ended > all || launch.blocks.running > all - launch.blocks.ended)
    throw Unreadable("member 'blocks' says more than the grid has");
}

} // namespace

void take_dim(const json& object, const char* key, Dim3& out) {
  std::vector<u32> values;
  each(object, key, [&](const json& element) { values.push_back(number_of<u32>(element, key)); });
  if (values.empty()) return;
  if (values.size() != 3) throw Unreadable(fmt::format("member '{}' does not have three numbers", key));
  out = {values[0], values[1], values[2]};
}

std::vector<std::string> strings(const json& object, const char* key) {
  std::vector<std::string> out;
  each(object, key, [&](const json& element) {
    if (!element.is_string())
      throw Unreadable(fmt::format("member '{}' holds something else than strings", key));
    out.push_back(element.get<std::string>());
  });
  return out;
}

void take_flag(const json& object, const char* key, bool& out) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  if (!found->is_boolean()) throw Unreadable(fmt::format("member '{}' is neither true nor false", key));
  out = found->get<bool>();
}

arch::Counts counts_of(const json& value) {
  expect_object(value, "a set of counters");
  arch::Counts out;
  for (const arch::CountMember& member : arch::count_members) take(value, member.name, out.*member.value);
  return out;
}

namespace {

// A site as an access can have it: who reads records divides by its bytes.
void check_site(const access::Site& site) {
  constexpr u32 widest = 64; // a matrix or vector instruction moves fewer per lane
  if (site.bytes == 0 && site.kind == access::Kind::async_copy)
    return; // an operand says how much, not the opcode
  if (site.bytes == 0 || site.bytes > widest)
    throw Unreadable(fmt::format("member 'bytes' is {}, which no access moves per lane", site.bytes));
}

std::vector<arch::Counts> counters_of(const json& value, const std::vector<u32>& sm) {
  if (sm.size() <= 1) return std::vector(sm.size(), counts_of(value));
  std::vector<arch::Counts> out;
  auto by_sm = value.find("by_sm");
  if (by_sm == value.end()) return out;
  expect_object(*by_sm, "by_sm");
  for (u32 one : sm) {
    auto found = by_sm->find(std::to_string(one));
    if (found == by_sm->end()) throw Unreadable(fmt::format("there is no member '{}' of 'by_sm'", one));
    out.push_back(counts_of(*found));
  }
  return out;
}

SiteRecord site_of(const json& value, const std::vector<u32>& sm, bool measured, bool may_refer) {
  SiteRecord out;
  out.site.bytes = 0;
  instruction_members(MemberReader{value}, out);
  out.site.space = out.space;
  if (!(out.spread >= 0 && out.spread <= 1)) throw Unreadable("member 'spread' is no share");
  const bool refers = may_refer && out.site.opcode.empty() && out.site.id.valid();
  if (!refers) check_site(out.site);
  take_flag(value, "result_unused", out.result_unused);
  take_flag(value, "adds_one", out.adds_one);
  take_flag(value, "loads_index", out.loads_index);
  take_flag(value, "follows_links", out.follows_links);
  take(value, "declared", out.declared);
  MemberReader{value}.object("pattern", out.pattern);
  if (auto found = value.find("distribution"); found != value.end() && !found->is_null())
    out.distribution = distribution_of(*found);
  out.counters = counters_of(value, sm);
  if (!refers) complete(out, sm, measured);
  return out;
}

} // namespace

LaunchRecord launch_of(const json& value, const std::vector<u32>& asked_for, bool may_refer) {
  LaunchRecord out;
  const MemberReader visit{value};
  visit("index", out.index), visit("process", out.process), visit("seconds", out.seconds);
  name_members(visit, out);
  visit("machine_code", out.machine_code), visit("assembler", out.assembler);
  shape_members(visit, out);
  if (out.sm.empty()) out.sm = asked_for;
  auto status = value.find("status");
  const bool measured = status != value.end() && *status == "measured";
  if (!measured) visit("status", out.status);
  visit.object("blocks", out.blocks);
  outcome_members(visit, out);
  visit.each("diagnostics", out.diagnostics);
  expect_possible(out);
  each_object(value, "sites",
              [&](const json& site) { out.sites.push_back(site_of(site, out.sm, measured, may_refer)); });
  return out;
}

} // namespace warplens::measure
