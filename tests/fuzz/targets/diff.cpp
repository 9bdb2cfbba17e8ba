// Whatever a report or a baseline holds, it is the same as itself, and every form of the comparison can be written.
#include "diff/gate.h"
#include "diff/writers.h"
#include "fuzz/target.h"
#include "report/read.h"

namespace {

using namespace warplens;

void write(const Result<diff::Model>& model) {
  if (!model) return fuzz::require(!model.error().message.empty(), "what is refused has a message");
  fuzz::require(model->change == diff::Change::same, "nothing is worse or better than itself");
  fuzz::require(diff::failures(*model, *diff::parse_conditions("worse-line")).empty(),
                "and so nothing fails");
  (void)diff::terminal(*model, {.width = 60, .top_lines = 0, .top_kernels = 0});
  (void)diff::markdown(*model, {});
  (void)diff::json(*model, {}, "fuzz");
}

} // namespace

FUZZ_TARGET(diff) {
  if (Result<gates::Baseline> baseline = gates::read_baseline(input, "b.json")) {
    const diff::Findings side{"b.json", *baseline};
    return write(diff::compare(side, side));
  }
  Result<report::Saved> saved = report::read_json(input, "input");
  if (!saved) return;
  Result<summary::Model> model = report::build(*saved);
  if (!model) return;
  const diff::Run side{"a.json", *model};
  write(diff::compare(side, side));
}
