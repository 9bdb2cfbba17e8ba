// The table of compute capabilities as text and as JSON.
#include "driver/gpus.h"
#include "arch/table.h"
#include "text/words.h"
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warplens::driver {
namespace {

using arch::Architecture;
using arch::SpaceRule;
using Json = nlohmann::ordered_json;

struct NamedRule {
  std::string_view space;
  const SpaceRule* rule;
};

std::vector<NamedRule> rules_of(const Architecture& row) {
  std::vector<NamedRule> out{{"global", &row.global},
                             {"shared", &row.shared},
                             {"constant", &row.constant},
                             {"local", &row.local},
                             {"texture", &row.texture}};
  if (row.stages.rule != nullptr) out.push_back({"l1_stages", &row.stages});
  return out;
}

std::string size_text(u64 bytes) {
  if (bytes == 0) return "-";
  if (bytes % (u64{1} << 30) == 0) return fmt::format("{} GiB", bytes >> 30);
  if (bytes % (u64{1} << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

Json source_json(const arch::Source& source) {
  return {{"text", source.rule}, {"source", source.citation}, {"grade", name(source.grade)}};
}

Json row_json(const Architecture& row) {
  Json rules = Json::object();
  for (const NamedRule& named : rules_of(row)) {
    Json rule = {{"name", named.rule->rule->id}};
    rule.update(source_json(named.rule->source));
    rules[std::string(named.space)] = rule;
  }
  return {{"sm", row.sm},
          {"compute_capability", text::compute_capability(row.sm)},
          {"generation", row.generation},
          {"part", row.part.name},
          {"multiprocessors", row.part.multiprocessors},
          {"clock_khz", row.part.clock_khz},
          {"memory_bytes", row.part.memory_bytes},
          {"l2_bytes", row.part.l2_bytes},
          {"warps_per_sm", row.limits.threads_per_sm / 32},
          {"blocks_per_sm", row.limits.blocks_per_sm},
          {"registers_per_sm", row.limits.registers_per_sm},
          {"shared_per_sm", row.limits.shared_per_sm},
          {"shared_per_block", row.limits.shared_per_block_optin},
          {"banks", row.banks.count},
          {"bank_bytes", row.banks.width},
          {"l1_for_global", name(row.memory.l1)},
          {"rules", rules},
          {"constants", {{"source", row.part_source.citation}, {"grade", name(row.part_source.grade)}}}};
}

} // namespace

std::string gpus_text() {
  std::string out =
      fmt::format("{:>5}  {:<10} {:<30} {:>4} {:>8} {:>9} {:>6}  {}\n", "cc", "generation", "reference part",
                  "SMs", "memory", "L2", "warps", "global / shared / constant / local / texture / L1 stages");
  std::map<std::string, std::vector<std::string>> uses; // rule line → the capabilities that use it
  std::vector<std::string> order;
  for (const Architecture* row : arch::all()) {
    std::string grades;
    for (const NamedRule& named : rules_of(*row)) {
      if (!grades.empty()) grades += " / ";
      grades += name(named.rule->source.grade);
      const arch::Source& source = named.rule->source;
      std::string line = fmt::format("{} ({}): {}\n    {}; {}", named.rule->rule->id, named.space,
                                     source.rule, name(source.grade), source.citation);
      if (uses[line].empty()) order.push_back(line);
      uses[line].push_back(text::compute_capability(row->sm));
    }
    out += fmt::format("{:>5}  {:<10} {:<30} {:>4} {:>8} {:>9} {:>6}  {}\n",
                       text::compute_capability(row->sm), row->generation, row->part.name,
                       row->part.multiprocessors, size_text(row->part.memory_bytes),
                       size_text(row->part.l2_bytes), row->limits.threads_per_sm / 32, grades);
  }
  out += "\nRules\n";
  for (const std::string& line : order) {
    std::string list;
    for (const std::string& capability : uses[line]) (list += ' ') += capability;
    out += fmt::format("\n  {}\n    for{}\n", line, list);
  }
  return out;
}

std::string gpus_json() {
  Json gpus = Json::array();
  for (const Architecture* row : arch::all()) gpus.push_back(row_json(*row));
  return Json{{"schema", 1}, {"gpus", gpus}}.dump(2) + "\n";
}

} // namespace warplens::driver
