#include "measure/members.h"
#include "base/launch_limits.h"
#include "measure/record.h"

namespace warplens::measure {

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

diag::Diagnostic diagnostic_of(const json& value) {
  expect_object(value, "a diagnostic");
  diag::Diagnostic out;
  take_name(value, "severity", out.severity);
  members(Reader{value}, out);
  return out;
}

access::Array array_of(const json& value) {
  expect_object(value, "an array");
  access::Array out;
  members(Reader{value}, out);
  return out;
}

arch::Counts counts_of(const json& value) {
  expect_object(value, "a set of counters");
  arch::Counts out;
  for (const arch::CountMember& member : arch::count_members) take(value, member.name, out.*member.value);
  return out;
}

Pattern pattern_of(const json& value) {
  expect_object(value, "a pattern");
  Pattern out;
  members(Reader{value}, out);
  return out;
}

void check_site(const access::Site& site) {
  constexpr u32 widest = 64; // a matrix or vector instruction moves fewer per lane
  if (site.bytes == 0 && site.kind == access::Kind::async_copy)
    return; // an operand says how much, not the opcode
  if (site.bytes == 0 || site.bytes > widest)
    throw Unreadable(fmt::format("member 'bytes' is {}, which no access moves per lane", site.bytes));
}

} // namespace warplens::measure
