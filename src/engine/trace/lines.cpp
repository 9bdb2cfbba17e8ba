// Lines of a file, a pipe or a gzip stream, one at a time: memory does not grow with the input.
#include "trace/lines.h"
#include <cstring>

namespace warplens::trace {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;

} // namespace

Result<std::unique_ptr<Lines>> Lines::open(const std::string& path, Part part) {
  Result<std::unique_ptr<Stream>> stream = Stream::open(path);
  if (!stream) return failure(std::move(stream.error()));
  return std::unique_ptr<Lines>(new Lines(std::move(*stream), part));
}

Lines::Lines(std::unique_ptr<Stream> stream, Part part)
    : stream_(std::move(stream)), part_(part), buffer_(chunk + padding, '\0') {}

bool Lines::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + chunk + padding) buffer_.resize(end_ + chunk + padding);
  ResultOr<std::size_t, std::string> got = stream_->read(buffer_.data() + end_, chunk);
  if (!got) error_ = std::move(got.error());
  if (!got || *got == 0) {
    at_end_ = true;
    return false;
  }
  end_ += *got;
  return true;
}

diag::Diagnostic Lines::cannot_read() const {
  return diag::error("trace-cannot-read", "cannot read '" + name() + "': " + error_,
                     {name(), static_cast<u32>(number_), 0, 0}, "the file may be cut off or damaged");
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
                                 {name(), static_cast<u32>(number_ + 1), 1, 1},
                                 "is this a trace or pattern file?"));
    }
    if (!fill()) break;
  }
  if (!newline) {
    if (!error_.empty()) {
      finished_ = true;
      return failure(cannot_read());
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
  constexpr std::string_view mark = "\xef\xbb\xbf"; // of UTF-8, which some editors put first
  if (number_ == 1 && std::string_view(buffer_.data() + line_begin_, line_length_).starts_with(mark))
    line_begin_ += mark.size(), line_length_ -= mark.size();
  return std::string_view(buffer_.data() + line_begin_, line_length_);
}

diag::Span Lines::span(std::string_view line, const char* at, u32 length) const {
  return {name(), static_cast<u32>(number_), static_cast<u32>(at - line.data()) + 1, length};
}

} // namespace warplens::trace
