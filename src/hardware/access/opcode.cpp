#include "access/opcode.h"
#include "base/blanks.h"
#include <algorithm>
#include <utility>

namespace warplens::access {
namespace {

// The first part that `is` is true of; empty where there is none.
template <class F> std::string_view find_part(std::string_view opcode, F&& is) {
  for (;;) {
    const std::size_t end = std::min(opcode.find('.'), opcode.size());
    if (is(opcode.substr(0, end))) return opcode.substr(0, end);
    if (end == opcode.size()) return {};
    opcode.remove_prefix(end + 1);
  }
}

// PTX writes atom.global.add.f32, machine code ATOMG.E.ADD.F32.
bool has_part(const Site& site, std::string_view part) {
  return !find_part(site.opcode, [&](std::string_view one) { return same_letters(one, part); }).empty();
}

} // namespace

AtomicOperation atomic_operation(const Site& site) {
  using enum AtomicOperation;
  static constexpr std::pair<std::string_view, AtomicOperation> all[] = {
      {"exch", exch}, {"cas", cas}, {"inc", inc},  {"dec", dec}, {"add", add},
      {"min", min},   {"max", max}, {"and", and_}, {"or", or_},  {"xor", xor_}};
  for (const auto& [part, operation] : all)
    if (has_part(site, part)) return operation;
  return other;
}

bool is_machine(const Site& site) {
  return !site.opcode.empty() && site.opcode[0] >= 'A' && site.opcode[0] <= 'Z';
}

bool is_ordered(const Site& site) {
  static constexpr std::string_view orders[] = {"volatile", "relaxed", "acquire", "release",
                                                "acq_rel",  "mmio",    "strong"};
  return std::ranges::any_of(orders, [&](std::string_view one) { return has_part(site, one); });
}

bool is_of_floats(const Site& site) {
  return site.element == ElementType::floating ||
         !find_part(site.opcode, [](std::string_view one) {
            return same_letters(one.substr(0, 4), "bf16") ||
                   (one.size() > 1 && (one[0] == 'f' || one[0] == 'F') && one[1] >= '0' && one[1] <= '9');
          }).empty();
}

bool is_bulk(const Site& site) {
  return has_part(site, "bulk") || site.opcode.starts_with("UBLK") || site.opcode.starts_with("UTMA");
}

bool writes_global_bulk(const Site& site) {
  if (is_machine(site)) return site.opcode.starts_with("UBLKCP.G") || site.opcode.starts_with("UTMASTG");
  static constexpr std::string_view begin = "bulk.";
  const std::size_t at = site.opcode.find(begin);
  return at != site.opcode.npos && site.opcode.compare(at + begin.size(), 6, "global") == 0;
}

bool is_wmma(const Site& site) { return site.opcode.starts_with("wmma."); }
bool is_wgmma(const Site& site) {
  return site.opcode.starts_with("wgmma.") || site.opcode.starts_with("HGMMA");
}

} // namespace warplens::access
