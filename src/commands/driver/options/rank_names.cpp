// See rank_names.h. Variables: Open MPI sets OMPI_COMM_WORLD_*, MPICH's Hydra and what follows it PMI_* and MPI_LOCAL*, srun SLURM_* (a batch
// script has some of these without being a rank, but none of a step). PMI_RANK and PMI_SIZE are also set by Slurm's plug-ins pmi2 and
// cray_shasta and by HPE's PALS. So a row holds where all three of its first variables are set.
#include "driver/options/rank_names.h"
#include "os/environment.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// What it begins with: Slurm writes "2(x3)" for three machines with two ranks each.
std::optional<u32> number(std::string_view text) {
  u32 out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end != text.data() ? std::optional(out) : std::nullopt;
}

struct Launcher {
  const char *rank, *ranks, *ranks_here;
  std::array<const char*, 3> id;
  bool ends_all = false; // Job::ends_all
};
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", ""},
     true},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", {"I_MPI_HYDRA_UUID", "", ""}, true},
    {"SLURM_PROCID",
     "SLURM_STEP_NUM_TASKS",
     "SLURM_STEP_TASKS_PER_NODE",
     {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"}},
    {"PMI_RANK", "PMI_SIZE", "PMI_LOCAL_SIZE", {"PALS_APID", "", ""}},
    {"PMI_RANK", "PMI_SIZE", "PMI_SIZE", {"", "", ""}}}; // of one machine, as far as is known

std::string text_of_process(pid_t process, const char* name) {
  std::ifstream file(fmt::format("/proc/{}/{}", process, name));
  return {(std::istreambuf_iterator<char>(file)), {}};
}

// A word of /proc/PID/stat, counted from behind the name.
constexpr int parent = 2, start_time = 20;
std::string stat_of(pid_t process, int word) {
  const std::string text = text_of_process(process, "stat");
  std::istringstream words(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string out;
  for (int n = 0; n < word && words >> out; ++n) {
  }
  return out;
}

// Hydra has no variable for the job. But its proxies, one a machine, are ancestors of the ranks, and all are told where mpiexec listens.
std::string address_of_hydra() {
  constexpr std::string_view option("--control-port\0", 15);
  for (pid_t process = ::getppid(); process > 1;
       process = static_cast<pid_t>(number(stat_of(process, parent)).value_or(0))) {
    const std::string words = text_of_process(process, "cmdline");
    if (const std::size_t at = words.find(option); at != words.npos)
      return words.substr(at + option.size()).c_str(); // up to the next word
  }
  return {};
}

// The parent, and when it began: its number may be another's later.
std::string parent_process() { return fmt::format("{} {}", ::getppid(), stat_of(::getppid(), start_time)); }

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
    const std::optional<u32> rank = number(os::variable(one.rank)), ranks = number(os::variable(one.ranks)),
                             ranks_here = number(os::variable(one.ranks_here));
    if (!rank || !ranks || !ranks_here || *rank >= *ranks) continue;
    job.rank = *rank, job.ranks = *ranks, job.ends_all = one.ends_all;
    job.ranks_here = std::clamp(*ranks_here, 1u, *ranks);
    for (const char* variable : one.id)
      if (const std::string text = os::variable(variable); !text.empty()) job.id += text + " ";
    if (job.id.empty()) job.id = address_of_hydra();
    if (job.id.empty()) job.id = parent_process();
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
    return std::array{&o.json,        &o.html,           &o.report,
                      &o.gates.sarif, &o.gates.markdown, &o.gates.findings,
                      &o.gates.junit, &o.gates.gitlab,   &o.gates.write_baseline};
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
  written.gitlab = out.own.gates.gitlab;
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
