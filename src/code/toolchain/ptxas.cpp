// Running ptxas -v and reading its report, a few lines per function:
//
//   ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
//   ptxas info    : Function properties for _Z1kPf
//       1024 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
//   ptxas info    : Used 8 registers, 1024 bytes cumulative stack size, 400 bytes smem, 360 bytes cmem[0]
#include "toolchain/ptxas.h"
#include "os/captured.h"
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

// What ptxas said, behind one character for how it ended.
constexpr char accepted = '+', refused = '-';

Result<std::vector<PtxasInfo>> understand(std::string_view said) {
  if (said.starts_with(accepted)) return parse_ptxas_output(said.substr(1));
  diag::Diagnostic diagnostic =
      diag::warning("toolchain-ptxas-failed", "ptxas does not accept the PTX; spills are not seen");
  if (!said.empty()) diagnostic.notes.emplace_back(said.substr(1, said.find('\n') - 1));
  return failure(std::move(diagnostic));
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
  std::optional<Binary> binary = cache != nullptr ? binary_behind(ptxas) : std::nullopt;
  cache::Digest key = cache::Hasher().add(binary ? binary->identity : "").add(sm).add(ptx).digest();
  if (binary)
    if (std::optional<cache::Blob> said = cache->find("ptxas", key))
      return understand({reinterpret_cast<const char*>(said->data.get()), said->size});
  auto folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  std::string file = folder->path() + "/input.ptx";
  std::ofstream text(file, std::ios::binary);
  text << ptx;
  text.close();
  if (!text) // a part of it would have a part of the functions
    return failure(diag::warning("toolchain-ptxas-failed",
                                 fmt::format("cannot write '{}'; spills are not seen", file), {},
                                 "check the space on the disk"));
  auto result = os::run_captured(
      {ptxas, "-v", "-c", fmt::format("-arch=sm_{}", sm), file, "-o", folder->path() + "/output"});
  if (!result) return failure(result.error());
  std::string said = (result->exit_code == 0 ? accepted : refused) + result->output;
  constexpr int killed = 128;
  if (binary && result->exit_code < killed) cache->put("ptxas", key, std::as_bytes(std::span(said)));
  return understand(said);
}

} // namespace warplens::toolchain
