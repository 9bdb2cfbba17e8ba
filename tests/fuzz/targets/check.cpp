// PTX, judged: what parses is judged for all launches and for one block, and the findings are written in every form. Bounds
// hold what they say: the least is not more than the most.
#include "check/check.h"
#include "arch/table.h"
#include "check/findings.h"
#include "findings/writers.h"
#include "fuzz/target.h"
#include "ptx/parse.h"

FUZZ_TARGET(check) {
  using namespace warplens;
  Result<ptx::Parsed> parsed = ptx::parse(input);
  if (!parsed) return;
  check::Options options{.architectures = {arch::find(90), arch::find(30)}};
  (void)check::check(parsed->module, options);
  options.block = Dim3{24, 3, 1};
  options.grid = Dim3{5, 1, 1};
  options.arguments = {{"0", 64}, {"1", -1}, {"n", 1024}};
  const std::vector<check::Judgement> judgements = check::check(parsed->module, options).judgements;
  const findings::List list = check::findings_of(judgements, options.architectures);
  (void)findings::text(
      list, [](const std::string&) { return std::string_view(); }, false);
  (void)findings::sarif(list, "1");
  for (const findings::Finding& finding : list.findings)
    for (const findings::Cost& cost : finding.costs)
      fuzz::require(cost.least <= cost.most, "the least is not more than the most");
}
