// The event stream's end in the parent: the file, what the progress line reads of it while the program runs,
// and its lines as the report's input at the end.
#include "driver/events.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <unistd.h>

namespace warplens::driver {
namespace {

bool is_launch(const measure::LaunchStarted& started, i64 process, u64 index) {
  return started.process == process && started.index == index;
}

// Counts without the accesses that they belong to are of no use.
void forget_sites(measure::LaunchRecord& launch) {
  launch.sites.clear();
  launch.status = measure::Status::unknown;
  launch.reason = "the event that describes its accesses was lost";
}

struct Sorter {
  report::Input& input;
  void operator()(measure::LaunchStarted& event) const { input.interrupted.push_back(std::move(event)); }
  void operator()(measure::LaunchRecord& event) const {
    std::erase_if(input.interrupted,
                  [&](const auto& started) { return is_launch(started, event.process, event.index); });
    input.launches.push_back(std::move(event));
  }
  void operator()(measure::Unsupported& event) const { input.unsupported.push_back(std::move(event)); }
  void operator()(measure::Message& event) const { input.messages.push_back(std::move(event.diagnostic)); }
  void operator()(measure::ProcessStarted&) const {}
  void operator()(measure::ProcessEnded&) const {}
  void operator()(measure::Progress&) const {}
};

} // namespace

Result<EventFile> EventFile::create() {
  std::string path = os::temporary_folder() + "/warplens-events-XXXXXX";
  os::Descriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file)
    return failure(diag::error("no-temporary-file",
                               fmt::format("cannot create '{}': {}", path, strerror(errno)), {},
                               "set TMPDIR to a folder that can be written"));
  return EventFile(std::move(path));
}

EventFile::~EventFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

std::optional<measure::Event> EventFile::latest() {
  std::ifstream in(path_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(read_));
  std::string last;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    read_ += line.size() + 1;
    if (measure::tells_progress(line)) last = std::move(line);
  }
  if (last.empty()) return {};
  Result<measure::Event> event = measure::decode(last);
  return event ? std::optional(std::move(*event)) : std::nullopt;
}

void add_events(std::istream& in, report::Input& input) {
  u64 unreadable = 0;
  std::map<i64, measure::SiteTable> sites; // by process
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    Result<measure::Event> event = measure::decode(line);
    if (!event) {
      ++unreadable;
      continue;
    }
    if (auto* launch = std::get_if<measure::LaunchRecord>(&*event))
      if (!sites[launch->process].complete(*launch)) forget_sites(*launch);
    std::visit(Sorter{input}, *event);
  }
  if (unreadable == 0) return;
  diag::Diagnostic message =
      diag::warning("events-lost", fmt::format("{} of the program's events could not be read", unreadable));
  message.notes.push_back(
      "a program that is killed while it writes one leaves it cut off; the other launches are complete");
  input.messages.push_back(std::move(message));
}

} // namespace warplens::driver
