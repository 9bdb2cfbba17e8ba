#include "access/impossible.h"
#include "base/bits.h"
#include <bit>
#include <fmt/format.h>

namespace warplens::access {

std::string impossible(const WarpAccess& access) {
  if (access.bytes > 32 || !std::has_single_bit(access.bytes))
    return fmt::format("no instruction accesses {} bytes per lane; the widths are 1, 2, 4, 8, 16 and 32",
                       access.bytes);
  if (name(access.space).empty() || name(access.kind).empty() || access.cache > Cache::volatile_)
    return "its space, kind or cache operator is none that there is";
  bool matrix = access.kind == Kind::ldmatrix;
  if (matrix && (access.space != Space::shared || access.bytes != 16))
    return "ldmatrix reads rows of 16 bytes from shared memory";
  if (matrix && access.matrices != 1 && access.matrices != 2 && access.matrices != 4)
    return "ldmatrix loads 1, 2 or 4 matrices: give \"matrices\"";
  if (access.kind == Kind::async_copy && access.space != Space::global)
    return "async_copy reads global memory: give the space 'global'";
  if (access.space == Space::constant && access.kind != Kind::load)
    return "constant memory can only be loaded";
  std::string wrapped;
  u32 lanes = matrix ? low_lanes(8 * access.matrices) & access.active : access.active;
  for_each_lane(lanes, [&](u32 lane) {
    if (access.address[lane] > ~u64{0} - (access.bytes - 1) && wrapped.empty())
      wrapped = fmt::format("lane {}: {} bytes at {:#x} pass the end of the 64-bit address space", lane,
                            access.bytes, access.address[lane]);
  });
  return wrapped;
}

} // namespace warplens::access
