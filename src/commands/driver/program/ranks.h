// How the reports of all ranks of a job (options/rank_names.h) become one.
//
// Each rank counts its own program. When it ends, it leaves its report as JSON in a folder of the job; rank 0 waits for the others there,
// and reports all. The folder is in $TMPDIR where all ranks are on one machine, else in the working directory, which they share. A rank
// holds a lock in it for as long as it lives, so that one that was killed is not waited for.
#pragma once
#include "driver/options/rank_names.h"
#include "measure/ledger.h"
#include "os/file.h"
#include "os/foreground.h"
#include <atomic>
#include <chrono>
#include <thread>

namespace warplens::driver {

class RankReports {
public:
  // Errors: ranks-folder.
  static Result<RankReports> join(const Job&);
  RankReports(RankReports&&) = default;
  // The folder goes with rank 0, once it has waited; without rank 0 with the last one.
  ~RankReports();

  // This rank's report, and the files that it was to write for all ranks: "--html all.html", a line each.
  Result<void> leave(const std::string& report, const std::string& files) const;
  std::string files_of(u32 rank) const;                         // of one that has left its report
  std::string part() const { return file(job_.rank, ".part"); } // or a file that is written there, and left
  Result<void> leave_part() const;
  void leave_refusal(const std::string& message) const; // it has none
  // Whether rank 0 looks at what the others leave: not if it was killed, or runs without WarpLens. One that has not begun has some time.
  bool first_is_there();
  // That a budget has ended the program of some rank.
  void tell_budget_spent() const;
  bool is_budget_spent() const;
  // That the program of some rank has failed, with its exit code.
  void tell_failure(int exit_code) const;
  std::optional<int> failed_with() const;
  // Launchers kill a job one of whose ranks ends early, MPICH and, in a Ctrl-C, Open MPI at once: so none ends before rank 0 has reported.
  // At most so long, and until a signal comes.
  void wait_for_first(std::chrono::seconds most) const;
  std::string report_of(u32 rank) const { return file(rank, ".json"); }

  struct Others {
    std::vector<std::string> files;
    std::vector<std::pair<u32, std::string>> missing; // rank, and why
  };
  // Waits for the reports of the other ranks, for as long as they live, at most so long.
  Others wait(std::chrono::seconds most);

private:
  RankReports(const Job& job, std::string folder, os::Descriptor lock)
      : job_(job), folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::string file(u32 rank, const char* suffix) const;
  bool lives(u32 rank) const;
  diag::Diagnostic cannot_leave() const;

  Job job_;
  std::string folder_; // moved from: empty
  os::Descriptor lock_;
  bool waited_ = false;
  std::optional<bool> first_came_; // once that is known
};

// A program that has ended early in one rank, by its budget or with an error, ends those of all: in MPI they would wait for ever for the
// one that is gone, and no budget counts there. A rank that launches goes on until it has launched nothing for some time, or its own budget
// is spent.
class EndsTogether {
public:
  // While the program runs. Null: the program is of one rank, or nobody has to end it.
  EndsTogether(const RankReports*, measure::Ledger&);
  ~EndsTogether() { join(); }
  EndsTogether(const EndsTogether&) = delete;
  EndsTogether& operator=(const EndsTogether&) = delete;
  // The program has ended so. One that was told to ends by its budget, or by SIGTERM, whatever it made of that.
  void settle(os::ForegroundEnd&, bool ends_all);

private:
  void run();
  void join();

  const RankReports* ranks_;
  measure::Ledger& ledger_;
  std::atomic<bool> over_ = false, told_ = false;
  std::thread thread_; // last: it uses what is above
};

} // namespace warplens::driver
