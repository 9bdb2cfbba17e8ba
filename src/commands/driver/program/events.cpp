// The event stream's end in the parent: the file, and its lines as the report's input at
// the end.
//
// Whether all came is told by three things, none of which needs the others: lines that cannot be read, gaps in
// the numbers of a process's events, and the ledger, which the program's processes keep in memory.
#include "driver/program/events.h"
#include "driver/program/host_places.h"
#include "ptx/parse.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <unistd.h>
#include <unordered_map>

namespace warplens::driver {
namespace {

// Counts without the accesses that they belong to are of no use.
void forget_sites(measure::LaunchRecord& launch) {
  launch.sites.clear();
  launch.status = measure::Status::unknown;
  launch.reason = "the event that describes its accesses was lost";
}

// What one process has told that later events may refer to.
struct Told {
  measure::SiteTable sites;
  measure::StartTable starts;
  std::unordered_map<u64, std::size_t> launches; // places in the list, by index
};

// Events as the report's input.
class Arrivals {
public:
  explicit Arrivals(summary::Input& input) : input_(input), launches_(input.launches) {}

  void operator()(measure::ProcessStarted& event) { told_[event.process] = {}; }
  void operator()(measure::LaunchStarted& event) {
    if (!told_[event.process].starts.complete(event)) event.name = "a kernel whose name was lost";
    launched_.insert(event.name);
    input_.interrupted.push_back(std::move(event));
  }
  void operator()(measure::LaunchRecord& event) {
    (void)end_of(event.process, event.index);
    Told& told = told_[event.process];
    if (!told.sites.complete(event)) forget_sites(event);
    launched_.insert(event.name);
    const u64 index = event.index;
    told.launches[index] = launches_.add(std::move(event));
  }
  void operator()(measure::LaunchAlike& event) {
    std::optional<measure::LaunchStarted> started = end_of(event.process, event.index);
    Told& told = told_[event.process];
    if (auto known = told.launches.find(event.as); known != told.launches.end()) {
      input_.launches[known->second].repeat(event.process, event.index);
      return;
    }
    measure::LaunchRecord lost;
    lost.process = event.process, lost.index = event.index;
    if (started) lost.name = started->name, lost.grid = started->grid, lost.block = started->block;
    forget_sites(lost);
    launches_.add(std::move(lost));
  }
  void operator()(measure::LeftOut& event) {
    (void)end_of(event.process, event.index);
    ++input_.left_out, ++input_.left_out_of[event.name];
    if (!event.range.empty()) ranges_.insert(event.range);
  }
  void operator()(measure::KernelsKnown& event) {
    for (const std::string& name : event.names) known_.insert(ptx::demangle(name));
  }
  void operator()(measure::Unsupported& event) { input_.unsupported.push_back(std::move(event)); }
  void operator()(measure::FailedCall& event) {
    failed_[{event.function, event.error, event.place}] += event.calls;
  }
  void operator()(measure::Message& event) { input_.messages.push_back(std::move(event.diagnostic)); }
  void operator()(measure::ProcessEnded&) {}

  // The calls that failed, those that failed most often first. A compiler may make several calls of one line.
  void tell_failed_calls() {
    std::vector<std::string> places;
    for (const auto& [call, calls] : failed_) places.push_back(call[2]);
    name_innermost_places(places);
    std::map<Call, u64> by_line;
    std::size_t next = 0;
    for (const auto& [call, calls] : failed_) by_line[{call[0], call[1], places[next++]}] += calls;
    std::vector<std::pair<Call, u64>> sorted(by_line.begin(), by_line.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < std::min(sorted.size(), most); ++i) {
      const auto& [function, error, place] = sorted[i].first;
      const u64 calls = sorted[i].second;
      diag::Diagnostic told =
          diag::error("memory-failed-call", fmt::format("{} returned {}{}", function, error,
                                                        calls == 1 ? "" : fmt::format(", {} times", calls)));
      if (!place.empty()) told.notes.push_back(fmt::format("called at {}", place));
      input_.messages.push_back(std::move(told));
    }
    if (sorted.size() > most)
      input_.messages.push_back(
          diag::error("memory-failed-call",
                      fmt::format("CUDA calls returned an error at {} other places", sorted.size() - most)));
  }
  std::set<std::string>& ranges() { return ranges_; } // of launches that were left out
  std::vector<std::string> never_launched() const {
    std::vector<std::string> out;
    std::ranges::set_difference(known_, launched_, std::back_inserter(out));
    return out;
  }

private:
  using Call = std::array<std::string, 3>; // function, error, place

  // A launch is interrupted until its end arrives. The last to start is the first to end, nearly always.
  std::optional<measure::LaunchStarted> end_of(i64 process, u64 index) {
    std::vector<measure::LaunchStarted>& running = input_.interrupted;
    for (std::size_t i = running.size(); i-- > 0;) {
      if (running[i].process != process || running[i].index != index) continue;
      measure::LaunchStarted out = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      return out;
    }
    return {};
  }

  summary::Input& input_;
  summary::LaunchList launches_;
  std::map<i64, Told> told_; // by process
  std::map<Call, u64> failed_;
  std::set<std::string> known_, launched_; // kernels, demangled
  std::set<std::string> ranges_;
};

// The numbers that never came. A process that starts another program begins anew.
class Gaps {
public:
  void see(i64 process, u64 sequence, bool starts) {
    u64& next = next_[process];
    if (starts || sequence < next) next = 0;
    count_ += std::min(sequence - next, most_ - count_);
    next = sequence + 1;
  }
  u64 count() const { return count_; }

private:
  static constexpr u64 most_ = std::numeric_limits<u64>::max();
  std::map<i64, u64> next_; // by process
  u64 count_ = 0;
};

i64 process_of(const measure::Event& event) {
  return std::visit([](const auto& e) { return e.process; }, event);
}

std::string reason_of(int error) {
  switch (error) {
  case 0: return "a process was killed while it wrote, or its events were damaged";
  case ENOSPC:
  case EDQUOT:
    return fmt::format("the disk that holds the temporary folder '{}' is full", os::temporary_folder());
  case EFBIG: return "the program is not allowed to write files of that size (ulimit -f)";
  case EROFS:
    return fmt::format("the disk that holds the temporary folder '{}' is read-only", os::temporary_folder());
  case EACCES:
  case EPERM:
  case ENOENT:
    return "a process had no access to the run any more, as after setuid or chroot, when it first used CUDA";
  default: return fmt::format("the program could not write its events: {}", std::strerror(error));
  }
}

diag::Diagnostic loss_message(const summary::Missing& missing, int error) {
  std::string what = missing.launches == 0
                         ? fmt::format("{} of the program's events {} missing", missing.events,
                                       missing.events == 1 ? "is" : "are")
                         : fmt::format("{} {} missing", missing.launches,
                                       missing.launches == 1 ? "launch is" : "launches are");
  diag::Diagnostic out = diag::warning("events-lost", fmt::format("{}: {}", what, reason_of(error)));
  if (missing.launches == 0)
    out.notes.emplace_back("every launch is there; what is missing are other things that it had to tell");
  if (error == EFBIG)
    out.help = "raise the limit";
  else if (error == EACCES || error == EPERM || error == ENOENT)
    out.help = "let the process use CUDA before it changes its user or its root folder";
  else if (error != 0)
    out.help = "set TMPDIR to a folder that has space and can be written";
  return out;
}

diag::Diagnostic unseen_message(const Tally& tally) {
  diag::Diagnostic out =
      diag::warning("programs-unseen",
                    fmt::format("{} with CUDA ran without WarpLens: {} launches are missing",
                                tally.unseen == 1 ? "a program" : fmt::format("{} programs", tally.unseen),
                                tally.unseen == 1 ? "its" : "their"));
  out.notes = tally.unseen_programs;
  if (tally.unseen > out.notes.size())
    out.notes.push_back(fmt::format("{} more", tally.unseen - out.notes.size()));
  out.help =
      "run that program itself under WarpLens, with the rights and the environment of an ordinary user";
  return out;
}

// A launch whose end could not be written looks like one that was running. No more than that many were.
void account(const Tally& tally, summary::Input& input) {
  u64 running = tally.begun - std::min(tally.ended, tally.begun);
  if (input.interrupted.size() > running)
    input.interrupted.erase(input.interrupted.begin(), input.interrupted.end() - static_cast<i64>(running));
  u64 there = count(input.launches) + input.left_out + input.interrupted.size();
  input.missing.launches = tally.begun - std::min(there, tally.begun);
}

} // namespace

Result<EventFile> EventFile::create() {
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  std::string path = folder->path() + "/events";
  os::Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file)
    return failure(diag::error("no-temporary-file",
                               fmt::format("cannot create '{}': {}", path, strerror(errno)), {},
                               "set TMPDIR to a folder that can be written"));
  Result<os::SharedMemory> ledger = os::SharedMemory::create(sizeof(measure::SharedLedger));
  if (!ledger) return failure(ledger.error());
  new (ledger->data()) measure::SharedLedger;
  return EventFile(std::move(*folder), std::move(path), std::move(file), std::move(*ledger));
}

std::string EventFile::source() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

Tally EventFile::tally() const {
  const measure::SharedLedger& all = ledger();
  Tally out{all.begun,
            all.ended,
            all.lost,
            all.stopped,
            static_cast<double>(all.launch_milliseconds) / 1000,
            static_cast<int>(all.error),
            all.unseen,
            {}};
  for (const measure::UnseenProgram& program : all.unseen_programs)
    if (program.written)
      out.unseen_programs.emplace_back(program.text, strnlen(program.text, sizeof program.text));
  return out;
}

std::set<std::string> add_events(std::istream& in, const std::optional<Tally>& tally, summary::Input& input) {
  u64 unreadable = 0;
  Gaps gaps;
  Arrivals arrivals(input);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    std::optional<u64> sequence;
    Result<measure::Event> event = measure::decode(line, &sequence);
    if (!event) {
      ++unreadable;
      continue;
    }
    const i64 process = process_of(*event);
    if (sequence) gaps.see(process, *sequence, std::holds_alternative<measure::ProcessStarted>(*event));
    std::visit(arrivals, *event);
  }
  arrivals.tell_failed_calls();
  input.never_launched = arrivals.never_launched();
  summary::Missing& missing = input.missing;
  // Every line that cannot be read is one that was lost; where it had a number, it is a gap as well.
  missing.events = std::max({unreadable, gaps.count(), tally ? tally->lost : 0});
  if (tally) account(*tally, input);
  if (missing.events != 0 || missing.launches != 0)
    input.messages.push_back(loss_message(missing, tally ? tally->error : 0));
  if (tally && tally->unseen != 0) {
    missing.processes += tally->unseen;
    input.messages.push_back(unseen_message(*tally));
  }
  return std::move(arrivals.ranges());
}

} // namespace warplens::driver
