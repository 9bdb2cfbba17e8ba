// See rank_names.h. Variables: Open MPI sets OMPI_COMM_WORLD_*, MPICH's Hydra and what follows it PMI_* and MPI_LOCAL*, srun SLURM_* (a batch
// script has some of these without being a rank; a step's number tells).
#include "driver/options/rank_names.h"
#include "os/environment.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// The number that a variable begins with: Slurm writes "2(x3)" for three machines with two ranks each.
std::optional<u32> number(const char* variable) {
  const std::string_view text = os::variable(variable);
  u32 out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end != text.data() ? std::optional(out) : std::nullopt;
}

struct Launcher {
  const char *rank, *ranks, *ranks_here, *id, *second_id;
};
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE",
     "OMPI_MCA_ess_base_jobid"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "", ""}, // its proxy is the parent of all ranks of a machine
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_ID", "SLURM_STEP_ID"}};

// When a process began: its number may be another's later.
std::string start_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_ends = text.rfind(')');
  std::string out;
  constexpr int start_time = 20; // words behind the name
  if (name_ends == text.npos) return out;
  std::istringstream words(text.substr(name_ends + 1));
  for (int n = 0; n < start_time && words >> out; ++n) {
  }
  return out;
}

diag::Diagnostic bad_name(const std::string& name, const std::string& what) {
  return diag::error(
      "bad-file-name", fmt::format("'{}' {}", name, what), {},
      "%r is the rank, %p the process, %h the machine, %q{NAME} a variable, %% a percent sign");
}

std::string machine() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Whether the name is another one for each rank. Other variables may be the same for several, as %h is.
bool is_of_rank(std::string_view name) {
  static constexpr std::string_view ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",       "PMIX_RANK",
                                               "MV2_COMM_WORLD_RANK",  "FLUX_TASK_RANK", "SLURM_PROCID"};
  for (std::size_t at = name.find('%'); at != name.npos; at = name.find('%', at + 2)) {
    const std::string_view rest = name.substr(at + 1);
    if (rest.starts_with('r') || rest.starts_with('p')) return true;
    if (rest.starts_with("q{") &&
        std::ranges::find(ranks, rest.substr(2, rest.find('}') - 2)) != std::end(ranks))
      return true;
  }
  return false;
}

// "" and "-", and what is no file: /dev/null
bool is_no_file(const std::string& name) {
  std::error_code error;
  return name.empty() || name == "-" || (fs::exists(name, error) && !fs::is_regular_file(name, error));
}

} // namespace

Job job_of_launcher() {
  Job job;
  for (const Launcher& one : launchers) {
    const std::optional<u32> rank = number(one.rank), ranks = number(one.ranks);
    if (!rank || !ranks || *rank >= *ranks) continue;
    if (std::string_view(one.rank) == "SLURM_PROCID" && !number(one.second_id)) continue;
    job.rank = *rank, job.ranks = *ranks;
    job.ranks_here = std::clamp(number(one.ranks_here).value_or(*ranks), 1u, *ranks);
    const std::string name = os::variable(one.id), second = os::variable(one.second_id);
    job.id = name.empty() ? fmt::format("{} {}", ::getppid(), start_of(::getppid())) : name + " " + second;
    break;
  }
  return job;
}

Result<std::string> filled_in(const std::string& name, const Job& job) {
  std::string out;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '%') {
      out += name[at];
      continue;
    }
    const char what = at + 1 < name.size() ? name[at + 1] : '\0';
    ++at;
    if (what == '%') {
      out += '%';
    } else if (what == 'r') {
      out += fmt::format("{}", job.rank);
    } else if (what == 'p') {
      out += fmt::format("{}", ::getpid());
    } else if (what == 'h') {
      out += machine();
    } else if (what == 'q' && at + 1 < name.size() && name[at + 1] == '{') {
      const std::size_t end = name.find('}', at);
      if (end == name.npos) return failure(bad_name(name, "has no '}' behind %q{"));
      const std::string variable = name.substr(at + 2, end - at - 2);
      if (!os::is_set(variable.c_str()))
        return failure(bad_name(name, fmt::format("names the variable '{}', which is not set", variable)));
      out += os::variable(variable.c_str());
      at = end;
    } else {
      return failure(bad_name(name, "has a '%' with nothing that it stands for"));
    }
  }
  return out;
}

std::string with_rank(const std::string& name, u32 rank) {
  fs::path path(name);
  const std::string extension = path.extension().string();
  path.replace_extension();
  return fmt::format("{}.{}{}", path.string(), rank, extension);
}

Result<RankOutputs> name_outputs(const RunOptions& asked, const Job& job) {
  RankOutputs out{asked, asked, asked, {}, false};
  auto names = [](RunOptions& o) {
    return std::array{&o.json,           &o.html,           &o.report,      &o.gates.sarif,
                      &o.gates.markdown, &o.gates.findings, &o.gates.junit, &o.gates.write_baseline};
  };
  const auto own = names(out.own), all = names(out.all), alone = names(out.alone);
  for (std::size_t n = 0; n < own.size(); ++n) {
    const bool is_own = is_of_rank(*own[n]);
    out.writes_own |= is_own;
    Result<std::string> filled = filled_in(*own[n], job);
    if (!filled) return failure(filled.error());
    *own[n] = *all[n] = *filled;
    *alone[n] = is_own || is_no_file(*filled) ? *filled : with_rank(*filled, job.rank);
    if (job.has_several()) (is_own ? all : own)[n]->clear();
  }
  if (!job.has_several()) return out;
  if (!is_no_file(out.all.json)) out.json_of_rank = with_rank(out.all.json, job.rank);
  GateOptions written;
  written.sarif = out.own.gates.sarif, written.markdown = out.own.gates.markdown;
  written.findings = out.own.gates.findings, written.junit = out.own.gates.junit;
  out.own.gates = written;
  out.own.strict = out.own.verify_fix = false;
  if (job.rank != 0) out.own.no_progress = true;
  out.writes_own |= asked.every_rank;
  if (out.own.report.empty() && !asked.every_rank) out.own.report = nowhere;
  return out;
}

RunOutput prefixed(const RunOutput& output, u32 rank) {
  RunOutput out{output.out, {}, {}};
  out.err = [err = output.err, rank](std::string_view text) {
    std::string lines;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      lines += fmt::format("[{}] {}", rank, text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
    return err(lines);
  };
  return out;
}

} // namespace warplens::driver
