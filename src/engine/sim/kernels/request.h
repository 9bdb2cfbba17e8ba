// What select.cpp asks the per-target tables: a form without strings, standard containers or member
// functions.
//
// The files under target/ are compiled three times with different instruction sets. The linker keeps one copy
// of an inline function used by several of them, whichever it meets first, so code that all three see must
// not contain any: plain data and [[gnu::always_inline]] functions only. scripts/check_symbols.py
// makes sure that no weak symbol in target/ objects is outside a target's namespace.
#pragma once
#include "sim/kernels/kernels.h"
#include "sim/kernels/lane_exchange.h"
#include "sim/kernels/lane_memory.h"

namespace warplens::sim {

struct Request {
  ir::Opcode opcode;
  ir::Type type[5];
  ir::Rounding rounding;
  ir::Comparison comparison;
  ir::BoolOp bool_op;
  u8 destinations, sources;
  u64 modifiers[4]; // one bit per ir::Modifier
};

[[gnu::always_inline]] inline bool has(const Request& request, ir::Modifier m) {
  return request.modifiers[static_cast<u32>(m) / 64] >> (static_cast<u32>(m) % 64) & 1;
}

[[gnu::always_inline]] inline Variant make_variant(const Request& r) {
  using ir::Modifier;
  Variant v;
  v.opcode = r.opcode;
  for (u32 i = 0; i < 3; ++i) v.type[i] = r.type[i];
  v.rounding = r.rounding;
  v.comparison = r.comparison;
  v.bool_op = r.bool_op;
  v.destinations = r.destinations;
  v.ftz = has(r, Modifier::ftz);
  v.sat = has(r, Modifier::sat);
  v.satfinite = has(r, Modifier::satfinite);
  v.relu = has(r, Modifier::relu);
  v.nan = has(r, Modifier::nan);
  v.xorsign = has(r, Modifier::xorsign);
  v.wrap = has(r, Modifier::wrap);
  v.po = has(r, Modifier::po);
  v.add = has(r, Modifier::add);
  v.min = has(r, Modifier::min);
  v.max = has(r, Modifier::max);
  v.shr7 = has(r, Modifier::shr7);
  v.shr15 = has(r, Modifier::shr15);
  return v;
}

using FindKernel = const Kernel* (*)(const Request&);

namespace baseline {
const Kernel* find(const Request&);
const LaneMemory& lane_memory();
const LaneExchange& lane_exchange();
const LaneParts& lane_parts();
} // namespace baseline
namespace avx2 {
const Kernel* find(const Request&);
const LaneMemory& lane_memory();
const LaneExchange& lane_exchange();
const LaneParts& lane_parts();
} // namespace avx2
namespace avx512 {
const Kernel* find(const Request&);
const LaneMemory& lane_memory();
const LaneExchange& lane_exchange();
const LaneParts& lane_parts();
} // namespace avx512

} // namespace warplens::sim
