// What the memory system sees of an execution: the second narrow waist (docs/ARCHITECTURE.md).
//
// Everything that arch/, measure/ and trace/ know of a running kernel comes through these types. An engine
// hands over whole CTAs at once (LaneBatch, AffineAccess), so that one virtual call covers many warps; a
// single WarpAccess is what pattern files, tests and the rules themselves speak.
//
// Addresses are relative to their space:
//   global, constant   the device address (constant: the offset in its bank)
//   shared             the offset in the CTA's shared window
//   local              the offset in the thread's own local memory; arch interleaves it
//   texture, surface   the byte offset; in an array, in a layout that has the hardware's sectors (texture_layout.h)
// A generic access is split by the space that each lane's address falls in before it gets here.
#pragma once
#include "base/types.h"
#include <array>
#include <span>
#include <string_view>
#include <warplens/types.h>

namespace warplens::access {

using warplens::name;
using warplens::Space;
using Kind = AccessKind;
using Cache = CacheOperator;

using SiteId = Id<struct SiteTag>; // one static memory instruction of one module

// How an atomic on shared memory serves lanes of one word.
enum class AtomicForm : u8 {
  plain,    // one after the other
  combined, // together: ATOMS.POPC.INC
  cast      // one of them, and the others have to come again: the ATOMS.CAST of a loop
};
std::string_view name(AtomicForm); // empty for plain

// What an access is apart from its lanes: the same in all three forms, so that a rule which asks for it gets
// one answer. Filled by name.
struct AccessHeader {
  SiteId site{};
  Space space = Space::global;
  Kind kind = Kind::load;
  Cache cache = Cache::none;
  u8 bytes = 4;    // per lane: 1 2 4 8 16 (32 for .v8.b32); ldmatrix: 16, a row
  u8 matrices = 0; // ldmatrix: 1 2 4; only the first 8·matrices addresses count
  u8 texture_dimensions =
      0; // texture: 1 a linear buffer, 2 rows or an array, 3 an array of three dimensions; 0 not known
  u8 texel_passes =
      1; // of a filter's texels of 16 bytes: 2 where the program uses components of both halves; 0: a gather
  AtomicForm atomic = AtomicForm::plain;
  bool operator==(const AccessHeader&) const = default;
};

// The address of a lane that fetches nothing from memory: outside a texture, where it gets the border colour.
inline constexpr u64 no_texel = ~u64{0};

// One warp's execution of one memory instruction.
struct WarpAccess : AccessHeader {
  u32 active = 0;                       // lanes that perform it, after predication
  std::array<u64, warp_size> address{}; // undefined where the lane is inactive
  // What a filtered fetch reads beside the first texel: [texel][32]. A view, of whoever handed the access over.
  std::span<const u64> further{};
  // Of an asynchronous copy: [32], where each lane writes in shared memory, null where that is not known; lanes that read
  // nothing and write zeros; and whether the instruction says how much each lane reads.
  const u64* copied_to = nullptr;
  // Of its half in shared memory (copied_half()), where each lane reads. A view.
  const u64* copied_from = nullptr;
  u32 empty = 0;
  bool sized = false;
};

// One memory instruction executed by `warps` warps of one CTA, or of several that follow each other in the
// grid. A view: it lives until the sink returns.
struct LaneBatch : AccessHeader {
  u64 cta = 0;                   // linear index of the first warp's CTA in the grid
  std::span<const u32> active{}; // [warps]; a warp with mask 0 did not execute it
  const u64* address = nullptr;  // [warps][32]
  u32 cta_warps = 0;             // warps of each CTA; 0: all are of one
  // Of textures: more texels of each lane, [warps][further_texels][32]; and whether the addresses tell a pattern, which
  // those of an array's tiles do not.
  const u64* further = nullptr;
  u32 further_texels = 0;
  bool shows_pattern = true;
  // Of an asynchronous copy, as WarpAccess has them: [warps][32]; [warps], none where no lane says how much it reads.
  const u64* copied_to = nullptr;
  const u64* copied_from = nullptr;
  std::span<const u32> empty{};
};

// What threads have moved in bulk by a path of its own, as rows of bytes. A view.
//
//   global   one thread has the copy engine move rows between global memory and shared memory
//   shared   the warps of a group multiply matrices that lie there (wgmma): a row for each matrix, of all its bytes
struct BulkRow {
  u64 address = 0, bytes = 0; // in that space
};
struct BulkAccess : AccessHeader {
  u64 cta = 0;
  u32 warps = 1, threads = 1; // that execute the instruction together
  std::span<const BulkRow> rows{};
};

// One memory instruction executed by `count` CTAs that follow each other in the grid, in closed form:
// address(x, y, z) = base + cta_stride·k + stride[0]·x + stride[1]·y + stride[2]·z in the k-th of them, no
// wrap-around. The last warp of each may be partial. A view, as LaneBatch is.
struct AffineAccess : AccessHeader {
  u64 cta = 0;
  u64 count = 1;
  u64 base = 0;
  std::array<i64, 3> stride{};
  Dim3 block{};
  i64 cta_stride = 0;
  std::span<const u32> active{}; // [count][warps] when not all threads perform it; empty: all do
};

// Where an engine's accesses go. One sink per worker thread: implementations need no locks.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void lanes(const LaneBatch&) = 0;
  virtual void affine(const AffineAccess&) = 0;
  virtual void bulk(const BulkAccess&) {}
  // Of machine code: that many warps came to the instruction, and no lane of theirs performed it.
  virtual void predicated_off(SiteId, u64) {}
};

// Lanes of warp `warp` of a block: its threads are numbered x fastest; the last warp may have fewer than 32.
constexpr u32 lanes_of_warp(Dim3 block, u32 warp) {
  u64 threads = block.count(), first = u64{warp} * warp_size;
  if (first >= threads) return 0;
  u64 left = threads - first;
  return left >= warp_size ? full_mask : (u32{1} << left) - 1;
}

// One warp of the larger forms, as if the engine had handed its lanes over alone: of a batch, and of the first
// CTA of an affine access.
WarpAccess warp_of(const LaneBatch&, u32 warp);
// Of asynchronous copies whose destinations are known: the same as accesses to shared memory, which they write. A
// view.
LaneBatch copied_half(const LaneBatch&);
WarpAccess expand(const AffineAccess&, u32 warp);

// The `k`-th CTA of an affine access of several.
AffineAccess cta_of(const AffineAccess&, u64 k);

} // namespace warplens::access
