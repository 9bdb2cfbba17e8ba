// See ranks.h. Variables: Open MPI sets OMPI_COMM_WORLD_*, MPICH's Hydra and what follows it PMI_* and MPI_LOCAL*, srun SLURM_* (a batch
// script has some of these without being a rank; a step's number tells).
#include "driver/program/ranks.h"
#include "os/environment.h"
#include "os/foreground.h"
#include "os/interrupt.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

bool has_placeholder(const std::string& name) {
  for (std::size_t at = name.find('%'); at != name.npos; at = name.find('%', at + 2))
    if (at + 1 < name.size() && std::string_view("rpq").find(name[at + 1]) != std::string_view::npos)
      return true;
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
    const bool is_own = has_placeholder(*own[n]);
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

// ---- the folder of a job

using Clock = std::chrono::steady_clock;
constexpr auto step = std::chrono::milliseconds(20);
constexpr const char* spent = "budget-spent";
constexpr auto to_begin = std::chrono::seconds(5); // a rank that has not come by then will not

std::string RankReports::file(u32 rank, const char* suffix) const {
  return fmt::format("{}/{}{}", folder_, rank, suffix);
}

Result<RankReports> RankReports::join(const Job& job) {
  const std::string name =
      fmt::format("warplens-ranks-{}-{:016x}", ::getuid(), std::hash<std::string>()(job.id));
  std::error_code error;
  const std::string parent =
      job.ranks_here == job.ranks ? os::temporary_folder() : fs::current_path(error).string();
  const std::string folder = parent + "/" + name;
  auto failed = [&](const std::string& why) {
    return failure(
        diag::error("ranks-folder", fmt::format("the ranks cannot meet in '{}': {}", folder, why), {},
                    "give each rank's files a name with %r, and merge them with 'warplens report'"));
  };
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed(std::strerror(errno));
  struct stat there {};
  if (::lstat(folder.c_str(), &there) != 0 || !S_ISDIR(there.st_mode) || there.st_uid != ::getuid())
    return failed("it is not a folder of this user");
  RankReports out(job, folder, os::Descriptor());
  if (out.lives(job.rank)) return failed(fmt::format("rank {} is there already", job.rank));
  for (const char* old : {".json", ".refused"}) ::unlink(out.file(job.rank, old).c_str());
  // Locked before it has its name, so that nobody takes it for one that has ended. File systems without locks do without.
  const std::string begun = out.file(job.rank, ".begins");
  out.lock_ = os::Descriptor(::open(begun.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!out.lock_) return failed(std::strerror(errno));
  ::flock(out.lock_.get(), LOCK_EX | LOCK_NB);
  if (::rename(begun.c_str(), out.file(job.rank, "").c_str()) != 0) return failed(std::strerror(errno));
  return out;
}

RankReports::~RankReports() {
  std::error_code error;
  if (!folder_.empty() && waited_) fs::remove_all(folder_, error);
}

void RankReports::leave_nothing() const {
  std::error_code error;
  for (const char* suffix : {"", ".json", ".part", ".refused"}) fs::remove(file(job_.rank, suffix), error);
  if (!lives(0)) fs::remove(file(0, ""), error), fs::remove(folder_ + "/" + spent, error);
  fs::remove(folder_, error); // the last one's
}

Result<void> RankReports::leave(const std::string& report) const {
  std::ofstream out(part(), std::ios::binary);
  out << report;
  out.close();
  return out ? leave_part() : failure(cannot_leave());
}

Result<void> RankReports::leave_part() const {
  if (::rename(part().c_str(), report_of(job_.rank).c_str()) == 0) return {};
  return failure(cannot_leave());
}

diag::Diagnostic RankReports::cannot_leave() const {
  return diag::error("ranks-folder",
                     fmt::format("cannot write '{}': {}", report_of(job_.rank), std::strerror(errno)), {},
                     "free room there, or give each rank's files a name with %r");
}

void RankReports::leave_refusal(const std::string& message) const {
  std::ofstream(file(job_.rank, ".refused"), std::ios::binary) << message;
}

// Nobody holds the lock of one that has ended.
bool RankReports::lives(u32 rank) const {
  const os::Descriptor lock(::open(file(rank, "").c_str(), O_RDWR | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

bool RankReports::first_is_there() const {
  std::error_code error;
  for (const Clock::time_point begin = Clock::now(); Clock::now() - begin < to_begin;
       std::this_thread::sleep_for(step)) {
    if (lives(0)) return true;
    if (fs::exists(file(0, ""), error)) return lives(0); // it may have got its name in between
  }
  return false;
}

void RankReports::tell_budget_spent() const { std::ofstream(folder_ + "/" + spent); }

bool RankReports::is_budget_spent() const { return ::access((folder_ + "/" + spent).c_str(), F_OK) == 0; }

void RankReports::wait_for_first(std::chrono::seconds most) const {
  const Clock::time_point begin = Clock::now();
  while (lives(0) && !os::DelayedSignals::seen() && Clock::now() - begin < most)
    std::this_thread::sleep_for(step);
}

RankReports::Others RankReports::wait(std::chrono::seconds most) {
  waited_ = true;
  Others out;
  std::error_code error;
  const Clock::time_point begin = Clock::now();
  for (u32 rank = 0; rank < job_.ranks; ++rank) {
    if (rank == job_.rank) continue;
    std::string why;
    while (why.empty() && !fs::exists(file(rank, ".json"), error)) {
      const bool alive = lives(rank);
      if (fs::exists(file(rank, ".json"), error)) break; // it ended in between
      if (fs::exists(file(rank, ".refused"), error))
        why = os::read_file(file(rank, ".refused")).value_or("it was refused");
      else if (!alive && fs::exists(file(rank, ""), error))
        why = "it ended without a report: it was killed";
      else if (!alive && Clock::now() - begin > to_begin)
        why = "it never began under WarpLens";
      else if (os::DelayedSignals::seen())
        why = "the job was interrupted";
      else if (Clock::now() - begin > most)
        why = fmt::format("it still runs, {} s after rank 0 has ended", most.count());
      else
        std::this_thread::sleep_for(step);
    }
    if (why.empty())
      out.files.push_back(file(rank, ".json"));
    else
      out.missing.emplace_back(rank, why);
  }
  return out;
}

// ---- one end for all

namespace {

constexpr auto between = std::chrono::milliseconds(100);
constexpr auto quiet =
    std::chrono::seconds(2); // without a launch: the program waits for the rank that is gone
constexpr auto patience = std::chrono::seconds(5); // for a program that handles the signal

// Another number whenever the program launches, or a launch goes on.
u64 progress_of(const measure::Ledger& ledger) { return ledger.begun + ledger.ended + ledger.done; }

} // namespace

EndsTogether::EndsTogether(const RankReports* ranks, measure::Ledger& ledger)
    : ranks_(ranks), ledger_(ledger) {
  if (ranks_ == nullptr) return;
  thread_ = os::thread_without_signals([this] { run(); }); // they come to the one that waits for the program
}

bool EndsTogether::stop() {
  over_ = true;
  if (!thread_.joinable()) return told_;
  thread_.join();
  if (ledger_.stopped == measure::Stop::at_budget) ranks_->tell_budget_spent();
  return told_;
}

void EndsTogether::run() {
  u64 before = 0;
  for (Clock::time_point since = Clock::now(); !over_; std::this_thread::sleep_for(between)) {
    if (ledger_.stopped == measure::Stop::at_budget) ranks_->tell_budget_spent();
    const Clock::time_point now = Clock::now();
    const u64 progress = std::exchange(before, progress_of(ledger_));
    const bool launches = progress != before || ledger_.begun > ledger_.ended || ledger_.computing != 0;
    if (!ranks_->is_budget_spent() || (launches && !told_)) since = now;
    if (now - since < (told_ ? patience : quiet)) continue;
    os::signal_foreground(told_.exchange(true) ? SIGKILL : SIGTERM);
    since = now;
  }
}

} // namespace warplens::driver
