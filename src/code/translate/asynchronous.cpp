// Objects that threads and copies arrive at (mbarrier), copies in bulk, and products of matrices by groups of four warps, of machine code
// as PTX. See kernel.h.
//
// What the object's 64 bits mean is in sim/memory/phase_barrier.h: code reads them, and SYNCS.EXCH writes them. A copy in bulk is one
// instruction of a warp, whatever its lanes: ptxas puts a loop around it where each lane has one. So one lane does it here.
#include "translate/kernel.h"
#include <cstdio>

namespace warplens::translate {

bool Kernel::asynchronous() {
  switch (now_->opcode) {
  case Opcode::SYNCS: return synchronise();
  case Opcode::
      ARRIVES: // what copies of this thread have to do with an object; they have ended (sim/ops/copy.cpp)
    if (has(Modifier::ARVCNT))
      act("cp.async.mbarrier.arrive.noinc.shared::cta.b64 {};", near_address(at(0)));
    else if (has(Modifier::TRANSCNT)) // SYNCS.ARRIVE.TRANS64.RED.A0T1 announced them
      act("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 {}, 1;", near_address(at(0)));
    else
      return refuse();
    return true;
  case Opcode::UTMACMDFLUSH: act("cp.async.bulk.commit_group;"); return true;
  case Opcode::UBLKCP: return copy_in_bulk();
  case Opcode::UBLKPF:
    return once("cp.async.bulk.prefetch.L2.global [{}], {};", wide_at(at(0)), bytes_of(at(1)));
  case Opcode::UTMALDG:
  case Opcode::UTMASTG:
  case Opcode::UTMAPF: return copy_tensor();
  case Opcode::UTMACCTL: return true; // of the cache of descriptors
  case Opcode::HGMMA: return warpgroup_product();
  case Opcode::WARPGROUP:
    if (has(Modifier::ARRIVE))
      act("wgmma.fence.sync.aligned;");
    else
      act("wgmma.wait_group.sync.aligned {};", at(1).value);
    return true;
  case Opcode::USETMAXREG: return true; // registers between the warps of a block
  default: return false;
  }
}

// What stands in brackets is the first of a group of uniform registers.
std::string Kernel::word_at(const Operand& o, u32 n) {
  return register_name({.kind = Kind::uniform, .number = o.uniform}, n);
}
std::string Kernel::wide_at(const Operand& o, u32 add) {
  return read_wide({.kind = Kind::uniform, .number = static_cast<u8>(o.uniform + add)});
}

// In units of 16 bytes, in the low half.
std::string Kernel::bytes_of(const Operand& o) {
  const std::string t = temporary();
  put("and.b32 {}, {}, 0xffff;", t, read(o));
  put("shl.b32 {0}, {0}, 4;", t);
  return t;
}

// By one of the lanes.
std::string Kernel::chosen_lane() {
  const std::string mask = together(), leader = temporary(), chosen = predicate_temporary();
  put("setp.ne.u32 {}, 0, 0;", chosen);
  act("elect.sync {}|{}, {};", leader, chosen, mask);
  return chosen;
}

bool Kernel::copy_in_bulk() {
  if (has(Modifier::MULTICAST)) return refuse();
  const bool in = now_->modifiers()[0] == Modifier::S; // .S.G; else .G.S
  const std::string bytes = bytes_of(at(2));
  if (in)
    return once("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}], [{}], {}, [{}];",
                word_at(at(0), 0), wide_at(at(1)), bytes, word_at(at(0), 1));
  return once("cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], {};", wide_at(at(0)),
              word_at(at(1), 0), bytes);
}

bool Kernel::copy_tensor() {
  if (has(Modifier::MULTICAST)) return refuse();
  static constexpr Modifier shapes[] = {Modifier::n1D, Modifier::n2D, Modifier::n3D, Modifier::n4D,
                                        Modifier::n5D};
  u32 dimensions = 0;
  for (u32 n = 0; n < std::size(shapes); ++n)
    if (has(shapes[n])) dimensions = n + 1;
  const bool in = now_->opcode == Opcode::UTMALDG, out = now_->opcode == Opcode::UTMASTG;
  const u32 first = in ? 2 : out ? 1 : 0; // of the coordinates, behind the addresses
  std::string where;
  for (u32 n = 0; n < dimensions; ++n) where += (n == 0 ? "" : ", ") + word_at(at(0), first + n);
  where = fmt::format("[{}, {{{}}}]", wide_at(at(1)), where);
  if (in)
    return once(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes [{}], {}, [{}];",
        dimensions, word_at(at(0), 0), where, word_at(at(0), 1));
  if (out)
    return once("cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group {}, [{}];", dimensions, where,
                word_at(at(0), 0));
  return once("cp.async.bulk.prefetch.tensor.{}d.L2.global {};", dimensions, where);
}

// HGMMA D, [A,] gdesc[U], C, P, gsb0: D = A·B + C, or without C where P is false. In U and behind it are the descriptors of A and B.
bool Kernel::warpgroup_product() {
  const bool in_registers = at(1).kind == Kind::reg;
  const Operand &d = at(0), &descriptors = at(in_registers ? 2 : 1), &c = at(in_registers ? 3 : 2);
  const Operand &adds = at(in_registers ? 4 : 3), &group = at(in_registers ? 5 : 4);
  u32 width = 0, depth = 0;
  if (std::sscanf(std::string(name(now_->modifiers()[0])).c_str(), "64x%ux%u", &width, &depth) != 2)
    return refuse();
  if (!guard_.empty() || is_zero(d) || (!is_zero(c) && c.number != d.number)) return refuse();
  const bool wide = has(Modifier::F32), tf32 = has(Modifier::TF32);
  const char* type = tf32 ? "tf32" : has(Modifier::BF16) ? "bf16" : "f16";
  if (tf32 && (descriptors.part == Modifier::tnspA || descriptors.suffix == Modifier::tnspB)) return refuse();
  const std::string b = wide_at(descriptors, 2), a = in_registers ? sources(at(1), 4) : wide_at(descriptors);
  std::string transposed;
  if (!tf32 && !in_registers) transposed += descriptors.part == Modifier::tnspA ? ", 1" : ", 0";
  if (!tf32) transposed += descriptors.suffix == Modifier::tnspB ? ", 1" : ", 0";
  std::string accumulates = predicate_register(adds);
  if (is_zero(c)) put("setp.ne.u32 {}, 0, 0;", accumulates = predicate_temporary());
  put("wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{3} {4}, {5}, {6}, {7}, 1, 1{8};", width, depth,
      wide ? "f32" : "f16", type, targets(d, wide ? width / 2 : width / 4), a, b, accumulates, transposed);
  if (!group.hidden) put("wgmma.commit_group.sync.aligned;");
  return true;
}

bool Kernel::synchronise() {
  if (has(Modifier::EXCH)) { // 2^20 less the arrivals, from bit 1 on
    if (!is_zero(at(0))) return refuse();
    const std::string count = temporary();
    put("shr.u32 {}, {}, 1;", count, read(at(2)));
    put("sub.u32 {0}, 0x100000, {0};", count);
    return once("mbarrier.init.shared::cta.b64 {}, {};", near_address(at(1)), count);
  }
  if (has(Modifier::CCTL))
    return has(Modifier::IVALL) || once("mbarrier.inval.shared::cta.b64 {};", near_address(at(0)));
  if (has(Modifier::ARRIVE)) return arrive_at_barrier();
  const std::string parity = temporary(), complete = predicate_temporary(); // PHASECHK
  put("shr.u32 {}, {}, 31;", parity, read(at(2)));
  act("mbarrier.{}_wait.parity.shared::cta.b64 {}, {}, {};", has(Modifier::TRYWAIT) ? "try" : "test",
      complete, near_address(at(1)), parity);
  if (wanted(at(0))) act("mov.pred {}, {};", predicate(at(0)).name, complete);
  return true;
}

// A1T0 and its like: how many arrivals, and how many bytes are announced; R: as a register says.
bool Kernel::arrive_at_barrier() {
  const std::string where = near_address(at(1)), given = read(at(2));
  const bool announces = has(Modifier::A0TR) || has(Modifier::A0T1), completes = has(Modifier::A0TX);
  if (announces || completes) {
    act("mbarrier.{}_tx.relaxed.cta.shared::cta.b64 {}, {};", completes ? "complete" : "expect", where,
        has(Modifier::A0T1) ? "1" : given);
    return true;
  }
  // .RED: in another block's memory. .TMASK: lanes that arrive at one object are told.
  if (has(Modifier::RED) || has(Modifier::TMASK)) return refuse();
  const std::string state = is_zero(at(0)) ? "_" : wide_temporary();
  const std::string how = has(Modifier::OPTOUT) ? "arrive_drop" : "arrive";
  if (has(Modifier::A1T0))
    act("mbarrier.{}.shared::cta.b64 {}, {};", how, state, where);
  else
    act("mbarrier.{}{}.shared::cta.b64 {}, {}, {};", how, has(Modifier::ART0) ? "" : ".expect_tx", state,
        where, given);
  if (state != "_") write_wide(at(0), state);
  return true;
}

} // namespace warplens::translate
