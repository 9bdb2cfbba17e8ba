// What a project keeps for gates: comments in its source, .warplens.toml, a baseline.
#include "findings/rules.h"
#include "fuzz/target.h"
#include "gates/baseline.h"
#include "gates/comments.h"
#include "gates/config.h"
#include "gates/glob.h"

FUZZ_TARGET(comments) {
  using namespace warplens;
  for (const gates::Comment& comment : gates::read_comments("a.cu", input).all)
    if (comment.line == 0 || comment.last_line < comment.line) __builtin_trap();
}

FUZZ_TARGET(config) {
  using namespace warplens;
  Result<gates::Config> config = gates::parse_config(input, "/folder/.warplens.toml");
  if (!config) return;
  for (const std::string& pattern : config->include) (void)gates::path_matches(pattern, "src/a/b.cu");
}

FUZZ_TARGET(baseline) {
  using namespace warplens;
  Result<gates::Baseline> baseline = gates::read_baseline(input, "b.json");
  if (!baseline) return;
  findings::List list;
  for (const gates::Known& known : baseline->findings) {
    const std::optional<findings::Rule> rule = findings::rule_named(known.rule);
    if (!rule) return; // of another version: no finding of this one can be it
    findings::Finding& one = list.findings.emplace_back(findings::Finding{.rule = *rule});
    one.place = {{known.file, known.line, 1, {}}};
    one.source = known.source;
    one.kernel = known.kernel;
  }
  if (!gates::compare(list, *baseline).empty())
    __builtin_trap(); // each is known, by itself if by nothing else
}
