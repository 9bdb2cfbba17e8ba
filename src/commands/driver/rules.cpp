#include "driver/rules.h"
#include "base/diagnostic.h"
#include "findings/rules.h"
#include "text/layout.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::driver {
namespace {

using findings::RuleEntry;

std::string severity_of(const RuleEntry& rule) {
  return rule.shown ? std::string(findings::name(rule.severity)) : "off";
}

std::string as_json(const std::vector<RuleEntry>& rules) {
  nlohmann::ordered_json out{{"schema", 1}};
  for (const RuleEntry& rule : rules)
    out["rules"].push_back(
        {{"id", rule.id}, {"severity", severity_of(rule)}, {"summary", rule.summary}, {"help", rule.help}});
  return out.dump(2) + '\n';
}

std::string table(const std::vector<RuleEntry>& rules) {
  std::size_t width = 0;
  for (const RuleEntry& rule : rules) width = std::max(width, rule.id.size());
  std::string out;
  for (const RuleEntry& rule : rules)
    out += fmt::format("{:{}}  {:7}  {}\n", rule.id, width, severity_of(rule), rule.summary);
  return out;
}

} // namespace

RulesOutput rules(const RulesOptions& options) {
  std::vector<RuleEntry> chosen(findings::rules().begin(), findings::rules().end());
  if (!options.rule.empty()) {
    std::erase_if(chosen, [&](const RuleEntry& rule) { return rule.id != options.rule; });
    if (chosen.empty()) {
      const std::string near = findings::closest_rule(options.rule);
      return {"",
              "warplens: " +
                  diag::render(diag::error("no-rule", fmt::format("there is no rule '{}'", options.rule), {},
                                           near.empty() ? "`warplens rules` lists them"
                                                        : fmt::format("did you mean '{}'?", near))),
              2};
    }
  }
  if (options.json) return {as_json(chosen), "", 0};
  if (options.rule.empty()) return {table(chosen), "", 0};
  const RuleEntry& rule = chosen[0];
  return {fmt::format("{} ({}): {}.\n\n{}\n", rule.id, severity_of(rule), rule.summary,
                      text::wrap(rule.help, std::max(options.width, 40u))),
          "", 0};
}

} // namespace warplens::driver
