// The file is opened anew for each line: the program may close descriptors, fork, and change its working directory.
#include "runtime/returned.h"
#include "os/digest.h"
#include "os/file.h"
#include <algorithm>
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
  return place(runtime, to.data, *span(to, extent)) != PointerPlace::device &&
         place(runtime, from.data, *span(from, extent)) != PointerPlace::host;
}

cache::Digest digest_of(const Box& box, const Extent& extent) {
  cache::Hasher out;
  for (u64 z = 0; z < extent.depth; ++z)
    for (u64 y = 0; y < extent.height; ++y)
      out.add(std::span(box.data + z * box.slice_pitch + y * box.row_pitch, extent.width));
  return out.digest();
}

void append(const Runtime& runtime, std::string_view what, u64 bytes, const cache::Digest& digest) {
  const int saved = errno;
  const std::string line = fmt::format("{} {} {}\n", what, bytes, digest.text());
  if (int file = ::open(runtime.options.returned.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); file >= 0) {
    os::write_all(file, std::as_bytes(std::span(line)));
    ::close(file);
  }
  errno = saved;
}

using Range = sim::Memory::Range;

// What both sides use, by address; managed variables are symbols of their modules.
std::vector<Range> shared_memory(Runtime& runtime) {
  forget_unmapped(runtime);
  std::vector<Range> out = runtime.memory().registered();
  for (const sim::Allocation& a : runtime.memory().live())
    if (a.kind == sim::AllocationKind::managed || a.kind == sim::AllocationKind::host)
      out.push_back({a.address, a.address + a.size});
  for (const auto& [host, variable] : runtime.binaries.variables)
    if (variable.managed != nullptr && *variable.managed != nullptr)
      if (std::optional<sim::Allocation> found =
              runtime.memory().find(reinterpret_cast<u64>(*variable.managed)))
        out.push_back({found->address, found->address + found->size});
  std::ranges::sort(out, {}, &Range::begin);
  return out;
}

void note(const Runtime& runtime, const Range& range) {
  const u64 bytes = range.end - range.begin;
  append(runtime, "memory", bytes,
         cache::digest_of(std::span(reinterpret_cast<const std::byte*>(range.begin), bytes)));
}

bool asked(const Runtime& runtime) { return !runtime.options.returned.empty() && runtime.device != nullptr; }

} // namespace

void note_returned(Runtime& runtime, const Box& to, const Box& from, const Extent& extent,
                   cudaMemcpyKind kind) {
  if (!asked(runtime) || !comes_back(runtime, to, from, extent, kind)) return;
  append(runtime, "copy", extent.width * extent.height * extent.depth, digest_of(to, extent));
}

void note_shared_memory(Runtime& runtime) {
  constexpr u64 cheap = u64{64} << 20; // bytes
  static u64 noted = 0;                // launches, when it was noted last
  if (!asked(runtime) || noted == runtime.launches) return;
  noted = runtime.launches;
  const std::vector<Range> all = shared_memory(runtime);
  u64 bytes = 0;
  for (const Range& range : all) bytes += range.end - range.begin;
  if (bytes <= cheap)
    for (const Range& range : all) note(runtime, range);
}

void note_shared_memory_at_end(Runtime& runtime) {
  if (!asked(runtime)) return;
  for (const Range& range : shared_memory(runtime)) note(runtime, range);
}

void note_shared_memory_at(Runtime& runtime, u64 address) {
  if (!asked(runtime)) return;
  for (const Range& range : shared_memory(runtime))
    if (range.begin == address) note(runtime, range);
}

} // namespace warplens::runtime
