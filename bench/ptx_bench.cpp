// How fast the PTX front end reads a large module, on one core: `bytes_per_second` of parsing, of everything between the
// text and code that can run (parse, load, lower every function), and of `check` (parse, judge every access).
//
// The module is made here: what the compiler makes of the comparison's kernels, again and again under new
// names until it is 8 MB, with its line tables. $WARPLENS_BENCH_PTX names a file to read instead.
#include "arch/table.h"
#include "check/check.h"
#include "os/temp_dir.h"
#include "ptx/parse.h"
#include "sim/program/program.h"
#include "toolchain/compile.h"
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace warplens {
namespace {

constexpr std::size_t wanted_bytes = 8'000'000;

std::string compile() {
  auto folder = os::TempDir::create();
  if (!folder) return {};
  toolchain::CompileRequest request;
  request.source = WARPLENS_KERNELS, request.folder = folder->path();
  request.headers = toolchain::header_folder();
  request.on_output = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  auto ptx = toolchain::compile_to_ptx(request);
  return ptx ? *ptx : std::string();
}

// The functions of `text` with `suffix` behind the names of the kernels.
std::string renamed(std::string_view text, const std::string& suffix) {
  constexpr std::string_view keyword = ".entry ";
  std::string out;
  while (true) {
    std::size_t entry = text.find(keyword);
    if (entry == text.npos) return out.append(text);
    std::size_t end = text.find('(', entry);
    out.append(text.substr(0, end)).append(suffix);
    text.remove_prefix(end);
  }
}

std::string repeat(const std::string& text) {
  std::size_t begin = text.find(".visible .entry"),
              end = std::min(text.find("\n\t.file"), text.find("\n\t.section"));
  if (begin == text.npos || end == text.npos) return {};
  std::string out = text.substr(0, begin);
  for (u32 copy = 0; out.size() < wanted_bytes; ++copy)
    out += renamed(std::string_view(text).substr(begin, end - begin), fmt::format("_{}", copy));
  return out + text.substr(end);
}

const std::string& module_text() {
  static const std::string text = [] {
    const char* file = std::getenv("WARPLENS_BENCH_PTX");
    if (file == nullptr) return repeat(compile());
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }();
  return text;
}

void parse(benchmark::State& state) {
  const std::string& text = module_text();
  for (auto _ : state) {
    auto parsed = ptx::parse(text);
    if (!parsed) return state.SkipWithError(diag::render(parsed.error()).c_str());
    benchmark::DoNotOptimize(parsed->module);
    state.PauseTiming(); // giving the memory back is nobody's start-up
    parsed = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * text.size()));
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void parse_and_lower(benchmark::State& state) {
  const std::string& text = module_text();
  sim::Device device;
  device.memory = std::move(*sim::Memory::create(u64{1} << 30));
  for (auto _ : state) {
    auto parsed = ptx::parse(text);
    if (!parsed) return state.SkipWithError(diag::render(parsed.error()).c_str());
    auto program = sim::Program::load(std::move(parsed->module), device);
    if (!program) return state.SkipWithError(diag::render(program.error()).c_str());
    for (u32 f = 0; f < (*program)->module().functions.size(); ++f)
      benchmark::DoNotOptimize((*program)->impl().code_of(ir::FunctionId(f)));
    state.PauseTiming();
    parsed = {}, program = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * text.size()));
}
BENCHMARK(parse_and_lower)->Unit(benchmark::kMillisecond);

// What `check` does with a module: every access of it judged, in any block and where that may differ in 16x16.
void parse_and_check(benchmark::State& state) {
  const std::string& text = module_text();
  check::Options options;
  options.architectures = {arch::find(90)};
  std::size_t accesses = 0;
  for (auto _ : state) {
    auto parsed = ptx::parse(text);
    if (!parsed) return state.SkipWithError(diag::render(parsed.error()).c_str());
    check::Checked checked = check::check(parsed->module, options);
    accesses = checked.judgements.size();
    state.PauseTiming();
    parsed = {}, checked = {};
    state.ResumeTiming();
  }
  state.counters["accesses"] = static_cast<double>(accesses);
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * text.size()));
}
BENCHMARK(parse_and_check)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace warplens
