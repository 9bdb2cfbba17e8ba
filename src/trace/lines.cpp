// Lines of a file, a pipe or a gzip stream, one at a time: memory does not grow with the input.
#include "trace/lines.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace warplens::trace {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;

} // namespace

Result<std::unique_ptr<Lines>> Lines::open(const std::string& path) {
  bool standard_input = path == "-";
  std::string name = standard_input ? "<stdin>" : path;
  int descriptor = standard_input ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure(diag::error("trace-cannot-open", "cannot open '" + name + "': " + std::strerror(errno), {},
                               "check the path; '-' reads standard input"));
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    return failure(
        diag::error("trace-is-directory", "'" + name + "' is a directory", {}, "name a file in it"));
  }
  gzFile file = gzdopen(descriptor, "rb");
  if (!file) {
    close(descriptor);
    return failure(diag::error("trace-cannot-open", "not enough memory to read '" + name + "'"));
  }
  gzbuffer(file, chunk);
  return std::unique_ptr<Lines>(new Lines(std::move(name), file));
}

Lines::Lines(std::string name, void* file)
    : name_(std::move(name)), buffer_(chunk + padding, '\0'), file_(file) {}

Lines::~Lines() { gzclose(static_cast<gzFile>(file_)); }

bool Lines::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + chunk + padding) buffer_.resize(end_ + chunk + padding);
  int got = gzread(static_cast<gzFile>(file_), buffer_.data() + end_, chunk);
  if (got <= 0) {
    at_end_ = true;
    return false;
  }
  end_ += static_cast<std::size_t>(got);
  return true;
}

std::optional<diag::Diagnostic> Lines::read_error() const {
  int code = Z_OK;
  const char* text = gzerror(static_cast<gzFile>(file_), &code);
  if (code == Z_OK || code == Z_STREAM_END) return std::nullopt;
  std::string reason = code == Z_ERRNO ? std::strerror(errno) : text;
  return diag::error("trace-cannot-read", "cannot read '" + name_ + "': " + reason,
                     {name_, static_cast<u32>(number_), 0, 0}, "the file may be cut off");
}

Result<std::optional<std::string_view>> Lines::next() {
  if (again_) {
    again_ = false;
    return std::string_view(buffer_.data() + line_begin_, line_length_);
  }
  std::size_t scanned = 0;
  const char* newline = nullptr;
  while (true) {
    newline = static_cast<const char*>(
        std::memchr(buffer_.data() + begin_ + scanned, '\n', end_ - begin_ - scanned));
    if (newline) break;
    scanned = end_ - begin_;
    if (scanned > longest) {
      finished_ = true;
      return failure(diag::error("trace-long-line", "a line is longer than 1 MiB",
                                 {name_, static_cast<u32>(number_ + 1), 1, 1},
                                 "is this a trace or pattern file?"));
    }
    if (!fill()) break;
  }
  if (!newline) {
    if (std::optional<diag::Diagnostic> error = read_error()) {
      finished_ = true;
      return failure(std::move(*error));
    }
    if (begin_ == end_) {
      finished_ = true;
      return std::nullopt;
    }
  }
  line_begin_ = begin_;
  line_length_ = newline ? static_cast<std::size_t>(newline - buffer_.data()) - begin_ : end_ - begin_;
  begin_ += line_length_ + (newline ? 1 : 0);
  if (line_length_ > 0 && buffer_[line_begin_ + line_length_ - 1] == '\r') --line_length_;
  ++number_;
  return std::string_view(buffer_.data() + line_begin_, line_length_);
}

diag::Span Lines::span(std::string_view line, const char* at, u32 length) const {
  return {name_, static_cast<u32>(number_), static_cast<u32>(at - line.data()) + 1, length};
}

} // namespace warplens::trace
