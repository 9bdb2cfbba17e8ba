// Running ptxas, and reading the report of ptxas -v, a few lines per function:
//
//   ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
//   ptxas info    : Function properties for _Z1kPf
//       1024 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
//   ptxas info    : Used 8 registers, 1024 bytes cumulative stack size, 400 bytes smem, 360 bytes cmem[0]
#include "toolchain/ptxas.h"
#include "os/captured.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "toolchain/compile_cache.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>

namespace warplens::toolchain {
namespace {

// The text between `before` and `after`; empty where either is missing.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  std::size_t begin = line.find(before);
  if (begin == line.npos) return {};
  begin += before.size();
  std::size_t end = after.empty() ? line.size() : line.find(after, begin);
  return end == line.npos ? std::string_view{} : line.substr(begin, end - begin);
}

// The number that stands before `unit`, as in "8 bytes spill stores".
u32 number_before(std::string_view line, std::string_view unit) {
  std::size_t end = line.find(unit);
  if (end == line.npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  u32 value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

PtxasInfo& function_named(std::vector<PtxasInfo>& all, std::string_view name) {
  auto found =
      std::find_if(all.begin(), all.end(), [&](const PtxasInfo& info) { return info.function == name; });
  if (found != all.end()) return *found;
  all.push_back({std::string(name)});
  return all.back();
}

// A run of ptxas: its version, what it said, and what it made; nothing where it refused.
struct Run {
  std::string version, said;
  std::optional<std::string> made;
};

// As the cache has it: each text behind its length.
std::string pack(const Run& run) {
  std::string out;
  for (const std::string& text : {run.version, run.said, run.made.value_or("")})
    out += fmt::format("{}\n{}", text.size(), text);
  return out + (run.made ? '+' : '-');
}

std::optional<Run> unpack(std::string_view packed) {
  Run run;
  std::string made;
  for (std::string* text : {&run.version, &run.said, &made}) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(packed.data(), packed.data() + packed.size(), size);
    packed.remove_prefix(static_cast<std::size_t>(end - packed.data()));
    if (error != std::errc{} || !packed.starts_with('\n') || packed.size() - 1 < size) return {};
    *text = packed.substr(1, size);
    packed.remove_prefix(1 + size);
  }
  if (packed == "+") run.made = std::move(made);
  return run;
}

diag::Diagnostic failed(std::string message, std::string help) {
  return diag::warning("toolchain-ptxas-failed", std::move(message), {}, std::move(help));
}

Result<Run> run_now(const std::string& ptxas, const std::vector<std::string>& options, std::string_view ptx) {
  auto folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  const std::string file = folder->path() + "/input.ptx", output = folder->path() + "/output";
  std::ofstream text(file, std::ios::binary);
  text << ptx;
  text.close();
  if (!text) // a part of it would have a part of the functions
    return failure(failed(fmt::format("cannot write '{}'", file), "check the space on the disk"));
  auto asked = os::run_captured({ptxas, "--version"});
  if (!asked) return failure(asked.error());
  std::vector<std::string> words{ptxas, file, "-o", output};
  words.insert(words.end(), options.begin(), options.end());
  auto result = os::run_captured(words);
  if (!result) return failure(result.error());
  constexpr int killed = 128, signals = 64; // ptxas itself returns 255
  if (result->exit_code > killed && result->exit_code <= killed + signals)
    return failure(failed(fmt::format("'{}' was ended by signal {}", ptxas, result->exit_code - killed), ""));
  Run run{std::string(between(asked->output, "release ", ",")), std::move(result->output), {}};
  if (result->exit_code == 0) run.made = os::read_file(output);
  const std::string ours = folder->path() + "/"; // which nobody knows
  for (std::size_t at; (at = run.said.find(ours)) != run.said.npos;) run.said.erase(at, ours.size());
  return run;
}

// The same, or what it was the last time.
Result<Run> run_once(const std::string& ptxas, const std::vector<std::string>& options, std::string_view ptx,
                     const cache::Store* cache) {
  const std::optional<Binary> binary = cache != nullptr ? binary_behind(ptxas) : std::nullopt;
  if (!binary) return run_now(ptxas, options, ptx);
  cache::Hasher hasher;
  hasher.add(binary->identity).add(options.size());
  for (const std::string& option : options) hasher.add(option);
  const cache::Digest key = hasher.add(ptx).digest();
  if (std::optional<cache::Blob> known = cache->find("ptxas", key))
    if (std::optional<Run> run = unpack({reinterpret_cast<const char*>(known->data.get()), known->size}))
      return std::move(*run);
  Result<Run> run = run_now(ptxas, options, ptx);
  if (!run) return run;
  const std::string packed = pack(*run);
  cache->put("ptxas", key, std::as_bytes(std::span(packed)));
  return run;
}

// "sm_90a": of the GPU, as PTX for features of one architecture or family alone names it.
std::string architecture(std::string_view ptx, u32 sm) {
  const std::size_t target = std::min(ptx.find(".target"), ptx.size());
  const std::size_t name =
      std::min(ptx.find("sm_", target), ptx.size() - std::min<std::size_t>(ptx.size(), 3)) + 3;
  const std::size_t end = ptx.find_first_not_of("0123456789", name);
  const bool is_special = end != ptx.npos && (ptx[end] == 'a' || ptx[end] == 'f');
  return fmt::format("-arch=sm_{}{}", sm, is_special ? ptx.substr(end, 1) : "");
}

// "ptxas input.ptx, line 7; error   : Unknown modifier" → "Unknown modifier".
std::string complaint(std::string_view said) {
  const std::size_t severity = std::min(said.find("error  "), said.find("fatal  "));
  if (const std::size_t text = said.find(": ", std::min(severity, said.size())); text != said.npos)
    said.remove_prefix(text + 2);
  return std::string(said.substr(0, said.find('\n')));
}

} // namespace

std::vector<PtxasInfo> parse_ptxas_output(std::string_view output) {
  std::vector<PtxasInfo> all;
  std::string entry, properties; // whom the next lines describe
  while (!output.empty()) {
    std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (auto name = between(line, "Compiling entry function '", "'"); !name.empty()) {
      entry = name;
      function_named(all, entry).entry = true;
    } else if (auto name = between(line, "Function properties for ", ""); !name.empty()) {
      properties = name;
    } else if (line.find(" bytes stack frame") != line.npos && !properties.empty()) {
      PtxasInfo& info = function_named(all, properties);
      info.stack_frame = number_before(line, " bytes stack frame");
      info.spill_stores = number_before(line, " bytes spill stores");
      info.spill_loads = number_before(line, " bytes spill loads");
    } else if (line.find(" registers") != line.npos && !entry.empty()) {
      PtxasInfo& info = function_named(all, entry);
      info.registers = number_before(line, " registers");
      info.shared = number_before(line, " bytes smem");
    }
  }
  return all;
}

Result<std::vector<PtxasInfo>> ptxas_info(const std::string& ptxas, std::string_view ptx, u32 sm,
                                          const cache::Store* cache) {
  Result<Run> run = run_once(ptxas, {"-v", "-c", architecture(ptx, sm)}, ptx, cache);
  if (!run) return failure(run.error());
  if (run->made) return parse_ptxas_output(run->said);
  diag::Diagnostic refused = failed("ptxas does not accept the PTX; spills are not seen", "");
  refused.notes.push_back(complaint(run->said));
  return failure(std::move(refused));
}

Result<Assembled> assemble(const std::string& ptxas, std::string_view ptx, u32 sm,
                           const std::vector<std::string>& options, const cache::Store* cache) {
  std::vector<std::string> words{"-lineinfo", architecture(ptx, sm)};
  words.insert(words.end(), options.begin(), options.end());
  Result<Run> run = run_once(ptxas, words, ptx, cache);
  if (!run) return failure(run.error());
  const std::string by = "ptxas " + run->version;
  if (!run->made) return failure(failed(fmt::format("{}: {}", by, complaint(run->said)), ""));
  const auto bytes = std::as_bytes(std::span(*run->made));
  return Assembled{by, {bytes.begin(), bytes.end()}};
}

} // namespace warplens::toolchain
