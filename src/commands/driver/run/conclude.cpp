#include "driver/run/conclude.h"
#include "driver/findings/verify_fix.h"
#include "driver/program/last_run.h"
#include "os/file.h"

namespace warplens::driver {
namespace {

// False where the changed program does something else: then nothing is written.
Result<bool> apply_fixes(const RunOptions& options, const Patch& fixes, const RunOutput& output) {
  if (fixes.empty()) return true;
  if (options.verify_fix) {
    Result<Verification> verified = verify_fix(options, fixes);
    if (!verified) return failure(verified.error());
    output.err(diag::without_controls(verified->text));
    if (!verified->same) return false;
  }
  if (!options.gates.fix) return true;
  Result<void> written = fixes.write();
  return written ? Result<bool>(true) : Result<bool>(failure(written.error()));
}

} // namespace

int refuse(const RunOptions& options, const RunOutput& output, const diag::Diagnostic& diagnostic) {
  std::string source = configuration_at(diagnostic);
  // Of PTX that is malformed; of a fat binary it has no lines of its own.
  if (diagnostic.span.line != 0 && diagnostic.span.file.ends_with(".ptx"))
    source = os::read_file(diagnostic.span.file).value_or("");
  output.err("warplens: " + diag::render(diagnostic, source, options.colour));
  return cannot;
}

int conclude(RunOptions& options, Observed& seen, const Job& job, const RunOutput& output) {
  auto& [gates, prepared, end, sources, model] = seen;
  if (Result<void> written = prepared.outputs.write(options, model, sources, output); !written)
    return refuse(options, output, written.error());
  Result<HeldRun> held = hold_run(gates, model, sources, options, prepared.outputs, output);
  if (!held) return refuse(options, output, held.error());
  Result<bool> fixed = apply_fixes(options, held->fixes, output);
  if (!fixed) return refuse(options, output, fixed.error());
  if (job.rank == 0)
    save_last_run(model, options, output); // last: verifying fixes runs variants of the program
  const bool passes = *fixed && held->failing == 0 && (!options.strict || summary::passes_strict(model));
  if (end.exit_code != 0) return end.exit_code;
  const bool lost_all = model.input.launches.empty() && model.input.missing.launches != 0;
  return !held->answered || lost_all ? cannot : passes ? 0 : 1;
}

} // namespace warplens::driver
