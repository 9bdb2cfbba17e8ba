// Bytes that processes share and that no file system holds: a full disk, a limit on the size of files or a
// removed folder cannot take them away. They go with the last process that uses them, however it ends.
#pragma once
#include "base/diagnostic.h"
#include "os/file.h"
#include <optional>
#include <string>

namespace warplens::os {

// Memory of memfd_create(…, MFD_ALLOW_SEALING) keeps its size from here on: who maps all of it never faults. False: the system refuses.
bool fix_size(int file);
// Of no file of a file system is that true. So a number that was given away and is another file's by now is not taken for such memory.
bool has_fixed_size(int file);

class SharedMemory {
public:
  // `size` bytes, all zero. Error: no-shared-memory.
  static Result<SharedMemory> create(std::size_t size);
  // What `name` (the creator's name()) stands for, if the creator still lives and it is of that size.
  static std::optional<SharedMemory> open(const std::string& name, std::size_t size);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  // For other processes of this user, for as long as this object lives. Only the creator has one.
  std::string name() const;
  void* data() const { return data_; }

private:
  SharedMemory(Descriptor file, void* data, std::size_t size)
      : file_(std::move(file)), data_(data), size_(size) {}
  Descriptor file_; // the creator's; none where it was opened, as it is the program's number to use
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace warplens::os
