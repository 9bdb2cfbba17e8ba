// The lines of a file, one at a time, compressed by gzip or not, with their numbers.
#pragma once
#include "base/diagnostic.h"
#include "trace/stream.h"
#include "trace/trace.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::trace {

class Lines {
public:
  static Result<std::unique_ptr<Lines>> open(const std::string& path, Part = {}); // "-" is standard input

  // The next line without its end; nullopt at the end of the file. The view holds until the next call, and at
  // least `padding` readable bytes follow it.
  Result<std::optional<std::string_view>> next();
  void put_back() { again_ = true; }     // the next call returns the same line again
  u64 number() const { return number_; } // of the line returned last, from 1
  bool is_of_part() const { return part_.has(number_); }
  const std::string& name() const { return stream_->name(); }
  bool finished() const { return finished_; }

  // A place in the line returned last; `at` points into it.
  diag::Span span(std::string_view line, const char* at, u32 length = 1) const;

  static constexpr std::size_t padding = 64, longest = std::size_t{1} << 20;

private:
  Lines(std::unique_ptr<Stream> stream, Part);
  bool fill(); // reads more behind what is left; false at the end or on an error, which error_ then says
  diag::Diagnostic cannot_read() const;

  std::unique_ptr<Stream> stream_;
  Part part_;
  std::string buffer_, error_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t line_begin_ = 0, line_length_ = 0;
  u64 number_ = 0;
  bool again_ = false, finished_ = false, at_end_ = false;
};

} // namespace warplens::trace
