// Read (saved.h), build, write. What a report was made of is in it (report/read.h), source lines too: the program is not
// looked at, and its source only for the comments that findings are held to, and for --html, which shows a file as long as
// the lines that the report holds are still there.
#include "driver/report.h"
#include "driver/findings/run_findings.h"
#include "driver/options/outputs.h"
#include "driver/options/rank_names.h"
#include "driver/program/saved.h"
#include "os/environment.h"
#include <filesystem>

namespace warplens::driver {
namespace {

Result<summary::Model> prepare_and_build(const ReportOptions& options, std::optional<Outputs>& outputs) {
  if (Result<void> streams = Outputs::check_streams(options.files); !streams) return failure(streams.error());
  if (Result<void> filter = summary::check_kernel_filter(options.shown.kernel); !filter)
    return failure(filter.error());
  Result<Outputs> prepared = Outputs::prepare(options.shown, options.files, options.command, "what is shown");
  if (!prepared) return failure(prepared.error());
  outputs = std::move(*prepared);
  Result<report::Saved> saved = read_saved(options.files, options.command == "import");
  if (!saved) return failure(saved.error());
  return report::build(*saved, {options.shown.kernel});
}

} // namespace

int report(const ReportOptions& asked, const RunOutput& output) {
  ReportOptions options = asked;
  options.files = with_patterns(asked.files);
  constexpr int cannot = 2;
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, configuration_at(diagnostic), options.shown.colour));
    return cannot;
  };
  Job job = job_of_launcher();
  job.ranks = 1; // the files are all that there is to report
  Result<RankOutputs> named = name_outputs(asked.shown, job);
  if (!named) return refuse(named.error());
  options.shown = named->own;
  Result<Gates> gates = Gates::prepare(options.shown.gates);
  if (!gates) return refuse(gates.error());
  std::optional<Outputs> outputs;
  Result<summary::Model> model = prepare_and_build(options, outputs);
  if (!model) return refuse(model.error());
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  source::SourceFiles sources({here}, {here, here, os::variable("HOME"), {}});
  if (Result<void> written = outputs->write(options.shown, *model, sources, output); !written)
    return refuse(written.error());
  Result<HeldRun> held = hold_run(*gates, *model, sources, options.shown, *outputs, output);
  if (!held) return refuse(held.error());
  if (options.shown.gates.fix)
    if (Result<void> done = held->fixes.write(); !done) return refuse(done.error());
  if (!held->answered) return cannot;
  return held->failing != 0 || (options.shown.strict && !summary::passes_strict(*model)) ? 1 : 0;
}

} // namespace warplens::driver
