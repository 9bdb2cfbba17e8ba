#include "sim/check/races.h"
#include <algorithm>

namespace warplens::sim {

void Races::begin(u64 bytes, u32 warps) {
  warps_ = warps;
  clock_.assign(std::size_t{warps} * warps, 0);
  for (u32 w = 0; w < warps; ++w) clock_[w * warps + w] = 1;
  bytes_.assign(bytes, {});
  for (std::vector<u32>& known : came_) known.clear();
}

void Races::arrive(u32 barrier, const Mask& lanes) {
  std::vector<u32>& known = came_[barrier];
  known.resize(warps_);
  for (u32 w = 0; w < warps_; ++w) {
    if (lanes.word[w] == 0) continue;
    u32* own = clock_.data() + w * warps_;
    for (u32 v = 0; v < warps_; ++v) known[v] = std::max(known[v], own[v]);
    ++own[w]; // what it does from now on is not known to those who wait
  }
}

void Races::go_on(u32 barrier, const Mask& lanes) {
  const std::vector<u32>& known = came_[barrier];
  for (u32 w = 0; w < warps_; ++w)
    if (lanes.word[w] != 0)
      for (u32 v = 0; v < warps_; ++v) {
        u32& own = clock_[w * warps_ + v];
        own = std::max(own, known[v]);
      }
}

void Races::close(u32 barrier) { came_[barrier].clear(); }

// Reads that the warp knows of need not be kept: who is not before a later write is seen at this one.
void Races::note_read(Byte& byte, u32 warp, const Epoch& now) {
  if (is_before(byte.read, warp)) {
    byte.read = now;
    std::erase_if(byte.more, [&](const Epoch& e) { return is_before(e, warp); });
    return;
  }
  auto own = std::find_if(byte.more.begin(), byte.more.end(), [&](const Epoch& e) { return e.warp == warp; });
  if (own == byte.more.end())
    byte.more.push_back(now);
  else
    *own = now;
}

std::optional<Races::Earlier> Races::access(u32 warp, u64 offset, u32 bytes, RaceAccess access,
                                            const Code& code, const Op& op, const std::byte* stored) {
  std::optional<Earlier> found;
  Epoch now{clock_[warp * warps_ + warp], static_cast<u16>(warp), access, {}, &code, &op};
  auto look = [&](const Epoch& earlier) {
    if (!found && !is_before(earlier, warp) &&
        !(access == RaceAccess::atomic && earlier.access == RaceAccess::atomic))
      found = {earlier.warp, earlier.access, earlier.code, earlier.op};
  };
  for (u64 i = offset; i < offset + bytes; ++i) {
    Byte& byte = bytes_[i];
    if (access == RaceAccess::write) now.stored = stored[i - offset];
    const bool same = access == RaceAccess::write && byte.write.access == RaceAccess::write &&
                      byte.write.stored == now.stored;
    if (!same) look(byte.write);
    if (access == RaceAccess::read) {
      note_read(byte, warp, now);
      continue;
    }
    look(byte.read);
    for (const Epoch& earlier : byte.more) look(earlier);
    byte.write = now;
    byte.read = {};
    byte.more.clear();
  }
  return found;
}

} // namespace warplens::sim
