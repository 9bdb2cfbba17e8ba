// The file is opened anew for each line: the program may close descriptors, fork, and change its working directory.
#include "runtime/returned.h"
#include "cache/digest.h"
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

// Does the host see it now, and did the device have it?
bool comes_back(Runtime& runtime, const Box& to, const Box& from, const Extent& extent, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToDevice)
    return false;
  return place(runtime, to.data, *span(to, extent)) != Place::device &&
         place(runtime, from.data, *span(from, extent)) != Place::host;
}

cache::Digest digest_of(const Box& box, const Extent& extent) {
  cache::Hasher out;
  for (u64 z = 0; z < extent.depth; ++z)
    for (u64 y = 0; y < extent.height; ++y)
      out.add(std::span(box.data + z * box.slice_pitch + y * box.row_pitch, extent.width));
  return out.digest();
}

} // namespace

void note_returned(Runtime& runtime, const Box& to, const Box& from, const Extent& extent,
                   cudaMemcpyKind kind) {
  if (runtime.options.returned.empty() || !comes_back(runtime, to, from, extent, kind)) return;
  const int saved = errno;
  const std::string line =
      fmt::format("{} {}\n", extent.width * extent.height * extent.depth, digest_of(to, extent).text());
  if (int file = ::open(runtime.options.returned.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); file >= 0) {
    [[maybe_unused]] ssize_t written = ::write(file, line.data(), line.size());
    ::close(file);
  }
  errno = saved;
}

} // namespace warplens::runtime
