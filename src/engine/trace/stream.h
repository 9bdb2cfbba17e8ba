// The bytes of a file, a pipe or standard input, decompressed where they are gzip.
#pragma once
#include "base/diagnostic.h"
#include <memory>
#include <string>

namespace warplens::trace {

class Stream {
public:
  static Result<std::unique_ptr<Stream>> open(const std::string& path); // "-" is standard input
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Reads up to `size` bytes; fewer only at the end, where it gives 0. The error is what stands behind "cannot read …".
  ResultOr<std::size_t, std::string> read(char* to, std::size_t size);
  const std::string& name() const { return name_; }

private:
  struct Decoder;
  Stream(std::string name, int descriptor);
  bool fill(); // more input; false at its end or on an error, which errno_ then holds
  void recognise();
  ResultOr<std::size_t, std::string> plain(char* to, std::size_t size);
  ResultOr<std::size_t, std::string> inflated(char* to, std::size_t size);
  ResultOr<bool, std::string> next_member();

  std::string name_, input_;
  std::size_t begin_ = 0, end_ = 0; // of what is left of the input
  int descriptor_, error_ = 0;
  bool recognised_ = false, at_end_ = false;
  std::unique_ptr<Decoder> decoder_; // of gzip
};

} // namespace warplens::trace
