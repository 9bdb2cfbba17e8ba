// How the arguments and results of called functions move: the .param bytes of each frame, by the places that
// the program stores to. A place that is read as it was written keeps its delta; anything else is unknown.
#pragma once
#include "fold/delta.h"
#include <map>
#include <unordered_map>

namespace warplens::fold {

class Arguments {
public:
  void forget(const Frame& frame) { places_.erase(&frame); }
  void clear() { places_.clear(); }
  // `everywhere`: no lane that lives in the frame keeps what it stored before.
  void store(const Frame&, u64 offset, u32 bytes, const Parts&, bool everywhere);
  // Somebody else wrote there.
  void lose(const Frame&, u64 offset, u64 bytes);
  // None: not stored at this place, or in another width.
  const Track* load(const Frame&, u64 offset, u32 bytes) const;
  // `bytes` from one frame's place to another's, of some lanes.
  void copy(const Frame& from, u64 from_offset, const Frame& to, u64 to_offset, u64 bytes, const Mask& lanes,
            bool everywhere);

private:
  struct Place {
    u32 bytes = 0;
    Track track;
  };
  std::unordered_map<const Frame*, std::map<u64, Place>> places_; // by offset
};

} // namespace warplens::fold
