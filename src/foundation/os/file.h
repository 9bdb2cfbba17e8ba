// Files by descriptor: who closes one, reading and writing that does not stop half-way, a file as memory.
#pragma once
#include "os/bytes.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace warplens::os {

// Closes its descriptor when it goes; a negative one is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void reset(); // closes it now

private:
  int number_;
};

// All of it or false; a signal in between is no failure.
bool read_all(int descriptor, void* to, std::size_t size);
bool write_all(int descriptor, Bytes bytes);

// The whole of a regular file of at most `largest` bytes; none where there is no such file or it cannot be read.
std::optional<std::string> read_file(const std::string& path, std::size_t largest = SIZE_MAX);

// The last part of a path. It lives as long as the path does.
inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A regular file's bytes for as long as this lives; empty when it cannot be read.
class MappedFile {
public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  Bytes bytes() const { return bytes_; }

private:
  Bytes bytes_;
};

} // namespace warplens::os
