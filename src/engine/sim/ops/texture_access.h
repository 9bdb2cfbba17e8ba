// What the ops on textures and surfaces share: whose object it is, whether its memory is there, and the way to the sink.
#pragma once
#include "ir/texture.h"
#include "sim/exec/exec.h"
#include "sim/texture/fetch.h"

namespace warplens::sim {

// The object that a lane names, asked again only where the handle is another one than before. Raises a fault where there is
// none, where it is of the other kind, or where its memory was freed.
class ObjectOfLane {
public:
  ObjectOfLane(Exec& x, const Op& op, bool surface);
  const TextureObject& operator[](u32 thread) {
    u64 handle =
        uniform_ ? uniform_handle_ : x_.lane_value(op_.source(0), thread) + static_cast<u64>(op_.offset);
    return object_ != nullptr && handle == handle_ ? *object_ : look_up(handle, thread);
  }
  bool uniform() const { return uniform_; } // one object for all lanes
  const TextureObject* find(u32 thread);    // of whatever kind; null where the lane names none

private:
  const TextureObject& look_up(u64 given, u32 thread);
  u64 bound_to(u64 handle) const;

  Exec& x_;
  const Op& op_;
  bool surface_, uniform_;
  u64 uniform_handle_ = 0, handle_ = 0;
  const TextureObject* object_ = nullptr;
};

// Before a fetch: a buffer may be described as longer than its memory (texels after an allocation are nobody's until a kernel
// reads them). Raises a fault or warns as a load of that texel would.
void check_described(Exec&, const Op&, const TextureObject&, const FetchPlace&, u32 thread);

// What the lanes of one execution touch, one object's at a time: they are handed to the sink as accesses of that texel
// width.
class SeenByMemory {
public:
  // `most_texels`: of each lane, of whatever object.
  SeenByMemory(Exec& x, const Op& op, u32 most_texels);
  // `texels`: of each lane, at most, of that object.
  void add(u32 thread, const TextureObject&, u32 bytes, u32 texels, std::span<const u64> seen_at);
  void report();

private:
  void start(const TextureObject&, u32 bytes, u32 texels);

  Exec& x_;
  const Op& op_;
  u32 texels_ = 1;
  const TextureObject* object_ = nullptr;
  u32 bytes_ = 0;
  bool plain_ = true; // a linear buffer, each lane inside it
  Mask lanes_{};
};

} // namespace warplens::sim
