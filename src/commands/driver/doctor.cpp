// A row for each thing that is looked for: a trial of it, what that said, and what helps. See doctor.h.
#include "driver/doctor.h"
#include "base/cpu.h"
#include "os/captured.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/store.h"
#include "os/temp_dir.h"
#include "text/layout.h"
#include "text/lines.h"
#include "toolchain/find.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <thread>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<HealthRow>;

// The last line with an error, else the last that says anything.
std::string complaint(const std::string& output) {
  std::string last, error;
  for (std::string_view line : text::lines_of(output)) {
    if (!line.empty()) last = line;
    if (error.empty() && line.find("error") != line.npos) error = line;
  }
  return diag::without_controls(error.empty() ? last : error);
}

// Does a program that this compiler made run under this WarpLens? Nothing said is as good as that.
std::string trial(std::string_view compiler) {
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return folder.error().message;
  const std::string source = folder->path() + "/trial.cu";
  std::ofstream(source) << "__global__ void trial(int* a) { a[threadIdx.x] = 1; }\n"
                           "int main() {\n"
                           "  int* a = nullptr;\n"
                           "  if (cudaMalloc(&a, 128) != cudaSuccess) return 3;\n"
                           "  trial<<<1, 32>>>(a);\n"
                           "  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 4;\n"
                           "}\n";
  Result<os::Captured> run = os::run_captured({os::executable(), "run", "--no-cache", "--no-config",
                                               "--strict", "--compiler", std::string(compiler), source});
  if (!run) return run.error().message;
  return run->exit_code == 0 ? "" : fmt::format("exit code {}: {}", run->exit_code, complaint(run->output));
}

struct Sought {
  toolchain::Compiler kind;
  const char *name, *serves, *help;
};
constexpr Sought compilers[] = {
    {toolchain::Compiler::clang, "clang", "run and check of .cu files where there is no CUDA toolkit",
     "apt-get install clang-19 g++"},
    {toolchain::Compiler::nvcc, "nvcc", "programs that need the CUDA toolkit: Thrust, CUB, cuBLAS",
     "install the CUDA toolkit: https://developer.nvidia.com/cuda-downloads"}};

void add_compilers(Rows& rows, const toolchain::Search& search) {
  bool any = false;
  for (const Sought& sought : compilers) {
    HealthRow row{sought.name, Health::good, {}, sought.serves, sought.help};
    Result<toolchain::FoundCompiler> found = toolchain::find_compiler(sought.kind, search);
    if (!found) {
      row.health = Health::missing;
      row.found = "not found";
    } else {
      const std::string wrong = trial(sought.name);
      row.found = fmt::format("{} {}", found->path, found->version);
      if (!found->architectures.empty())
        row.found += fmt::format(", compute capability {} to {}", found->architectures.front(),
                                 found->architectures.back());
      row.found +=
          wrong.empty() ? "; a kernel was compiled and ran" : "; a kernel could not be run: " + wrong;
      row.health = wrong.empty() ? Health::good : Health::broken;
      any |= wrong.empty();
    }
    rows.push_back(std::move(row));
  }
  if (any) return;
  for (HealthRow& row : rows)
    if (row.name == "clang") row.health = Health::broken; // one of them must be there, and this one is free
}

void add_toolkit(Rows& rows, const toolchain::Search& search) {
  const std::optional<std::string> ptxas = toolchain::find_ptxas(search);
  rows.push_back({"ptxas", ptxas ? Health::good : Health::missing, ptxas.value_or("not found"),
                  "machine code of PTX, and telling spilled registers from local arrays",
                  "it is part of the CUDA toolkit"});
  std::vector<std::string> toolkits;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error))
    if (entry.path().filename().string().starts_with("cuda-")) toolkits.push_back(entry.path().string());
  std::ranges::sort(toolkits);
  if (!toolkits.empty())
    rows.push_back({"CUDA toolkits", Health::good, fmt::format("{}", fmt::join(toolkits, ", ")), {}, {}});
}

void add_library(Rows& rows, const char* what, std::initializer_list<const char*> files, const char* package,
                 const char* serves) {
  const auto found = std::ranges::find_if(files, [](const char* file) {
    return file != nullptr && ::dlopen(file, RTLD_LAZY | RTLD_LOCAL) != nullptr;
  });
  rows.push_back({what, found != files.end() ? Health::good : Health::missing,
                  found != files.end() ? *found : "not found", serves,
                  fmt::format("apt-get install {}", package)});
}

void add_libraries(Rows& rows) {
#define HOST_LIBRARY(id, what, first, second, package, serves)                                               \
  add_library(rows, what, {first, second}, package, serves);
#include "base/host_libraries.def"
#undef HOST_LIBRARY
}

void add_installation(Rows& rows) {
  const std::string headers = toolchain::header_folder();
  rows.push_back({"headers", headers.empty() ? Health::broken : Health::good,
                  headers.empty() ? "not beside the binary" : headers, "compiling with clang",
                  headers.empty() ? "build all of WarpLens, or install it with cmake --install" : ""});
}

// The GPUs that the driver of the kernel lists; WarpLens emulates them, and needs none.
void add_gpu(Rows& rows) {
  std::vector<std::string> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    std::ifstream file(entry.path() / "information");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("Model:")) models.push_back(line.substr(line.find_first_not_of(" \t", 6)));
  }
  rows.push_back({"GPU",
                  models.empty() ? Health::missing : Health::good,
                  models.empty() ? "none" : fmt::format("{}", fmt::join(models, ", ")),
                  "nothing that counts accesses; only for counters of the hardware beside them",
                  {}});
}

void add_machine(Rows& rows) {
  rows.push_back(
      {"processor",
       Health::good,
       fmt::format("{} threads, loops for {}; {:.1f} GiB of memory", std::thread::hardware_concurrency(),
                   cpu::name(cpu::target()), static_cast<double>(os::physical_memory()) / (1u << 30)),
       {},
       {}});
  rlimit space{};
  const bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  rows.push_back({"address space", limited ? Health::broken : Health::good,
                  limited ? fmt::format("limited to {} MiB", space.rlim_cur >> 20) : "not limited",
                  "the device's memory, which is mapped whole", limited ? "ulimit -v unlimited" : ""});
  rlimit size{};
  const bool small = getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY;
  rows.push_back({"size of files", small ? Health::missing : Health::good,
                  small ? fmt::format("limited to {} MiB", size.rlim_cur >> 20) : "not limited",
                  "records of many launches, and reports", small ? "ulimit -f unlimited" : ""});
}

void add_folders(Rows& rows) {
  const std::string temporary = os::temporary_folder();
  Result<os::TempDir> made = os::TempDir::create();
  HealthRow row{"temporary files", Health::good, temporary, "compiling and running .cu files", {}};
  if (!made) {
    row.health = Health::broken;
    row.found = made.error().message;
    row.help = "set TMPDIR to a folder that may be written";
  } else {
    const std::string program = made->path() + "/trial";
    std::ofstream(program) << "#!/bin/sh\nexit 0\n";
    fs::permissions(program, fs::perms::owner_all);
    Result<os::Captured> ran = os::run_captured({program});
    if (!ran || ran->exit_code != 0) {
      row.health = Health::broken;
      row.found += ": nothing there can be run (mounted noexec?)";
      row.help = "set TMPDIR to a folder on another file system";
    }
  }
  rows.push_back(std::move(row));

  const cache::Settings settings = cache::settings_from_environment();
  HealthRow cache{"cache", Health::good, {}, "starting again what was compiled before", {}};
  if (settings.folder.empty() || settings.limit == 0) {
    cache.health = Health::missing;
    cache.found = "switched off";
    cache.help = "set HOME or WARPLENS_CACHE_DIR, and no WARPLENS_CACHE_SIZE of 0";
  } else {
    u64 files = 0, bytes = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(settings.folder, error)) {
      if (!entry.is_regular_file(error)) continue;
      ++files;
      bytes += entry.file_size(error);
    }
    cache.found = fmt::format("{}: {} files, {:.1f} of {} MiB", settings.folder, files,
                              static_cast<double>(bytes) / (1u << 20), settings.limit >> 20);
  }
  rows.push_back(std::move(cache));
}

std::string_view name(Health health) {
  switch (health) {
  case Health::good: return "ok";
  case Health::missing: return "missing";
  case Health::broken: return "broken";
  }
  return {};
}

std::string text(const Rows& rows, const std::string& version) {
  constexpr u32 width = 100, column = 26;
  const std::string indent(column, ' ');
  std::string out = fmt::format("WarpLens {}\n", version);
  u64 broken = 0;
  for (const HealthRow& row : rows) {
    broken += row.health == Health::broken;
    out += fmt::format("{:<8} {:<16} ", name(row.health), row.name);
    out += text::wrap(row.found, width, indent, column) + '\n';
    if (row.health == Health::good) continue;
    if (!row.serves.empty()) out += indent + text::wrap("for: " + row.serves, width, indent, column) + '\n';
    if (!row.help.empty()) out += indent + text::wrap("help: " + row.help, width, indent, column) + '\n';
  }
  out += broken == 0
             ? "everything that WarpLens needs is there\n"
             : fmt::format("{} of these {} WarpLens from working\n", broken, broken == 1 ? "keeps" : "keep");
  return out;
}

std::string json_text(const Rows& rows, const std::string& version) {
  nlohmann::json out{{"schema", 1},
                     {"tool", {{"name", "warplens"}, {"version", version}}},
                     {"rows", nlohmann::json::array()}};
  for (const HealthRow& row : rows)
    out["rows"].push_back({{"name", row.name},
                           {"health", name(row.health)},
                           {"found", row.found},
                           {"for", row.serves},
                           {"help", row.health == Health::good ? "" : row.help}});
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace

std::vector<HealthRow> examine_machine() {
  Rows rows;
  const toolchain::Search search = toolchain::Search::from_environment();
  add_installation(rows);
  add_compilers(rows, search);
  add_toolkit(rows, search);
  add_libraries(rows);
  add_machine(rows);
  add_folders(rows);
  add_gpu(rows);
  return rows;
}

DoctorOutput doctor(const std::string& version, bool json) {
  const Rows rows = examine_machine();
  const bool broken =
      std::ranges::any_of(rows, [](const HealthRow& row) { return row.health == Health::broken; });
  return {json ? json_text(rows, version) : text(rows, version), broken ? 1 : 0};
}

} // namespace warplens::driver
