// The parent's end of the event stream: a private file that the program and its children append to.
#pragma once
#include "measure/wire.h"
#include "report/model.h"
#include <optional>

namespace warplens::driver {

// An empty file in the temporary folder, removed with this object.
class EventFile {
public:
  static Result<EventFile> create();
  EventFile(EventFile&& other) noexcept : path_(std::exchange(other.path_, {})), read_(other.read_) {}
  EventFile& operator=(EventFile&&) = delete;
  ~EventFile();
  const std::string& path() const { return path_; }

  // The newest launch_started or progress event since the last call, for the progress line.
  std::optional<measure::Event> latest();

private:
  explicit EventFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
  u64 read_ = 0;
};

// Sorts a stream into the report's input: launches, those that never ended, unsupported functions, messages.
// Lines that cannot be read become one message with their number.
void add_events(std::istream&, report::Input&);

} // namespace warplens::driver
