// See ranks.h.
#include "driver/program/ranks.h"
#include "os/environment.h"
#include "os/interrupt.h"
#include "os/no_write_signals.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warplens::driver {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
constexpr auto step = std::chrono::milliseconds(20);
constexpr const char *spent_file = "/budget-spent", *failed_file = "/failed";
constexpr auto to_begin = std::chrono::seconds(5); // a rank that has not come by then will not

std::string RankReports::file(u32 rank, const char* suffix) const {
  return fmt::format("{}/{}{}", folder_, rank, suffix);
}

// Whether somebody holds a lock of the file: nobody does of a rank that has ended.
static bool is_locked(const fs::path& path) {
  const os::Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

static std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    out.push_back(entry->path());
  return out;
}

static bool is_in_use(const fs::path& folder) {
  return std::ranges::any_of(entries_of(folder), [](const fs::path& one) { return is_locked(one); });
}

// Folders of jobs that were killed whole. One that nobody has touched for an hour is not just being made.
static void remove_orphans(const std::string& parent, const std::string& prefix) {
  std::error_code error;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::path& folder : entries_of(parent))
    if (folder.filename().string().starts_with(prefix) && !fs::is_symlink(folder, error) &&
        fs::last_write_time(folder, error) < long_ago && !is_in_use(folder))
      fs::remove_all(folder, error);
}

Result<RankReports> RankReports::join(const Job& job) {
  const std::string prefix = fmt::format("warplens-ranks-{}-", ::getuid());
  const std::string name = fmt::format("{}{:016x}", prefix, std::hash<std::string>()(job.id));
  std::error_code error;
  const std::string parent =
      job.ranks_here == job.ranks ? os::temporary_folder() : fs::current_path(error).string();
  const std::string folder = parent + "/" + name;
  if (job.rank == 0 && job.ranks_here == job.ranks) remove_orphans(parent, prefix);
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
  for (const char* old : {".json", ".refused", ".files"}) ::unlink(out.file(job.rank, old).c_str());
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
  if (folder_.empty()) return;
  lock_.reset();
  const bool nobody_looks =
      fs::exists(folder_, error) && (job_.rank == 0 || !first_is_there() || !lives(0)) && !is_in_use(folder_);
  if (waited_ || nobody_looks) fs::remove_all(folder_, error);
}

Result<void> RankReports::leave(const std::string& report, const std::string& files) const {
  const os::NoWriteSignals guard;
  std::ofstream(file(job_.rank, ".files"), std::ios::binary) << files;
  std::ofstream out(part(), std::ios::binary);
  out << report;
  out.close();
  return out ? leave_part() : failure(cannot_leave());
}

std::string RankReports::files_of(u32 rank) const { return os::read_file(file(rank, ".files")).value_or(""); }

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

bool RankReports::lives(u32 rank) const { return is_locked(file(rank, "")); }

bool RankReports::first_is_there() {
  std::error_code error;
  if (first_came_) return *first_came_;
  for (const Clock::time_point begin = Clock::now(); Clock::now() - begin < to_begin;
       std::this_thread::sleep_for(step)) {
    if (lives(0)) return *(first_came_ = true);
    if (fs::exists(file(0, ""), error))
      return *(first_came_ = lives(0)); // it may have got its name in between
  }
  return *(first_came_ = false);
}

void RankReports::tell_budget_spent() const { std::ofstream(folder_ + spent_file); }

bool RankReports::is_budget_spent() const { return ::access((folder_ + spent_file).c_str(), F_OK) == 0; }

void RankReports::tell_failure(int exit_code) const { std::ofstream(folder_ + failed_file) << exit_code; }

std::optional<int> RankReports::failed_with() const {
  int code = 0;
  return std::ifstream(folder_ + failed_file) >> code ? std::optional(code) : std::nullopt;
}

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
      if (fs::exists(file(rank, ".refused"), error)) {
        why = os::read_file(file(rank, ".refused")).value_or("");
        if (why.empty()) why = "it was refused"; // and the disk may be full
      } else if (!alive && fs::exists(file(rank, ""), error))
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

void EndsTogether::join() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

void EndsTogether::settle(os::ForegroundEnd& end, bool ends_all) {
  join();
  if (ranks_ == nullptr) return;
  const bool ended_well = end.exit_code == 0;
  if (told_ && !ended_well && ranks_->is_budget_spent()) {
    end.exit_code = end.signal = 0;
    ledger_.stopped = measure::Stop::at_budget;
  } else if (told_ && !ended_well) {
    end.signal = SIGTERM, end.exit_code = os::end_of(SIGTERM).exit_code;
  } else if (ends_all && !ended_well && !end.signalled) {
    ranks_->tell_failure(end.exit_code);
  }
  if (ledger_.stopped == measure::Stop::at_budget) ranks_->tell_budget_spent();
}

void EndsTogether::run() {
  u64 before = 0;
  for (Clock::time_point since = Clock::now(); !over_; std::this_thread::sleep_for(between)) {
    if (ledger_.stopped == measure::Stop::at_budget) ranks_->tell_budget_spent();
    const Clock::time_point now = Clock::now();
    const u64 progress = std::exchange(before, progress_of(ledger_));
    const bool launches = progress != before || ledger_.begun > ledger_.ended || ledger_.computing != 0;
    if (!(ranks_->is_budget_spent() || ranks_->failed_with()) || (launches && !told_)) since = now;
    if (now - since < (told_ ? patience : quiet)) continue;
    os::signal_foreground(told_.exchange(true) ? SIGKILL : SIGTERM);
    since = now;
  }
}

} // namespace warplens::driver
