// One function for each step, in the order in which they are taken. See prepare.h.
#include "driver/program/prepare.h"
#include "arch/table.h"
#include "driver/options/architectures.h"
#include "launcher/kernel_file.h"
#include "os/environment.h"
#include "os/file.h"
#include "source/places.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <span>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// The steps, as `prepare` lists them: each fills in what it is named after, or says why nothing can run.

Result<void> check_options(Prepared& run) {
  const RunOptions& options = run.options;
  if (Result<void> filter = summary::check_kernel_filter(options.kernel); !filter)
    return failure(filter.error());
  Result<std::vector<const arch::Architecture*>> architectures = architectures_named(options.sm);
  if (!architectures) return failure(architectures.error());
  for (const arch::Architecture* architecture : *architectures)
    if (std::find(run.sm.begin(), run.sm.end(), arch::sm(*architecture)) == run.sm.end())
      run.sm.push_back(arch::sm(*architecture));
  return {};
}

Result<void> plan_if_kernel_file(Prepared& run) {
  if (!source::is_kernel_file(given(run))) return {};
  Result<ir::Module> module = launcher::read_kernel_file(given(run), run.sm[0]);
  if (!module) return failure(module.error());
  std::span<const std::string> words(run.options.command);
  Result<launcher::Plan> plan =
      launcher::plan_launch(*module, given(run), words.subspan(1), *arch::find(run.sm[0]));
  if (!plan) return failure(plan.error());
  run.plan = std::move(*plan);
  return {};
}

// They lie beside an installed binary (../lib/warplens) or in the build folder.
Result<void> find_runtime(Prepared& run) {
  std::error_code error;
  fs::path binary = fs::path(os::executable()).parent_path();
  for (const char* relative : {"../lib/warplens", "lib/warplens", "lib"}) {
    fs::path folder = binary / relative;
    if (!fs::exists(folder / "libcudart.so.13", error)) continue;
    run.runtime = fs::canonical(folder, error).string();
    return {};
  }
  return failure(
      diag::error("runtime-missing",
                  fmt::format("the runtime library 'libcudart.so.13' is not beside '{}'", binary.string()),
                  {}, "build all of WarpLens, or install it with cmake --install"));
}

Result<void> compile_if_source(Prepared& run) {
  if (!is_source_file(run.options.command.at(0))) return {};
  Result<SourceProgram> compiled =
      compile_source(run.options, run.sm[0], run.runtime, cache::Store(run.cache), run.output);
  if (!compiled) return failure(compiled.error());
  run.compiled = std::move(*compiled);
  return {};
}

Result<void> inspect(Prepared& run) {
  Result<Program> program = inspect_program(run.compiled ? run.compiled->executable
                                            : run.plan   ? run.runtime + "/warplens-launch"
                                                         : run.options.command.at(0));
  if (!program) return failure(program.error());
  run.program = std::move(*program);
  return {};
}

// Nothing that is read may be written to: neither the program and its sources nor, since many a program reads what it is
// given, a file among its arguments.
Result<void> prepare_outputs(Prepared& run) {
  const RunOptions& options = run.options;
  std::vector<std::string> inputs = options.command;
  inputs.insert(inputs.end(), options.more_sources.begin(), options.more_sources.end());
  if (!is_source_file(inputs[0]) && !run.plan) inputs[0] = find_in_path(inputs[0]);
  if (run.plan) {
    for (const launcher::Argument& argument : run.plan->arguments) inputs.push_back(argument.fill.text);
    for (const launcher::Save& save : run.plan->saves) inputs.push_back(save.file);
  }
  if (Result<std::vector<std::string>> words = split_words(options.compile_options))
    inputs.insert(inputs.end(), words->begin(), words->end());
  Result<Outputs> outputs = Outputs::prepare(options, inputs, "run", "the program");
  if (!outputs) return failure(outputs.error());
  run.outputs = std::move(*outputs);
  return {};
}

// The variant that the program asks for; every variant where it is not known who will ask.
Result<void> choose_preload(Prepared& run) {
  std::vector<std::string> names;
  if (run.program.linkage == Linkage::shared)
    names = {run.program.soname};
  else if (run.program.linkage == Linkage::static_)
    names = {"libcudart.so.13"};
  else
    names = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
  names.emplace_back(
      "libcuda.so.1"); // whoever asks for it by that name, linked or while it runs, finds it loaded
  // CUDA's libraries are found by the search path, unless the program has one of its own that comes first.
  for (const std::string& name : run.program.libraries) names.push_back(libraries_folder + name);
  std::error_code error;
  for (const std::string& name : names)
    if (fs::path path = fs::path(run.runtime) / name; fs::exists(path, error))
      run.preload += fmt::format("{}{}", run.preload.empty() ? "" : ":", path.string());
  if (!fs::exists(fs::path(run.runtime) / names[0], error))
    return failure(diag::error("runtime-version",
                               fmt::format("the program needs {}, which WarpLens does not replace", names[0]),
                               {}, "build it with CUDA 11, 12 or 13"));
  // What the user preloads stays in front: an allocator of theirs, say, expects to be asked first.
  if (std::string before = os::variable("LD_PRELOAD"); !before.empty())
    run.preload = before + ':' + run.preload;
  return {};
}

} // namespace

Result<Prepared> prepare(const RunOptions& options, const RunOutput& output, const cache::Settings& cache) {
  Prepared run{options, output, cache, {}, {}, {}, {}, {}, {}, {}};
  constexpr Result<void> (*steps[])(Prepared&) = {
      check_options,       // needs nothing but the words of the command line
      plan_if_kernel_file, // in which files may be named, too
      prepare_outputs, // before anything is started; what cannot be written must not cost an hour of emulation
      find_runtime,    // a broken installation is told before a compiler works for minutes
      compile_if_source, // gives the program that the rest is about
      inspect,           // a program that cannot work is told so before it starts
      choose_preload,    // by what the program was linked with
  };
  for (auto step : steps)
    if (Result<void> done = step(run); !done) return failure(done.error());
  return run;
}

} // namespace warplens::driver
