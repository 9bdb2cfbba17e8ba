// Objects that threads and copies arrive at (mbarrier), copies in bulk, and products of matrices by groups of four warps, of machine code
// as PTX. See kernel_translation.h.
//
// What the object's 64 bits mean is in sim/memory/phase_barrier.h: code reads them, and SYNCS.EXCH writes them. A copy in bulk is one
// instruction of a warp, whatever its lanes: ptxas puts a loop around it where each lane has one. So one lane does it here.
#include "translate/kernel_translation.h"
#include <cstdio>

namespace warplens::translate {
namespace {

std::string lower(std::string_view name) {
  std::string out;
  for (char c : name) out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return out;
}

} // namespace

bool Kernel::asynchronous() {
  switch (now_->opcode) {
  case Opcode::SYNCS: return synchronise();
  // What copies of this thread have to do with an object: they have ended (sim/ops/copy.cpp).
  case Opcode::ARRIVES:
    if (has(Modifier::TRANSCNT)) // SYNCS.ARRIVE.TRANS64.RED.A0T1 announced them
      act("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 {}, 1;", near_address(at(0)));
    else
      act("cp.async.mbarrier.arrive.noinc.shared::cta.b64 {};", near_address(at(0)));
    return true;
  case Opcode::UTMACMDFLUSH: act("cp.async.bulk.commit_group;"); return true;
  case Opcode::UBLKCP: return copy_in_bulk();
  case Opcode::UBLKPF:
    return once("cp.async.bulk.prefetch.L2.global [{}], {};", wide_at(at(0)), bytes_of(at(1)));
  case Opcode::UTMALDG:
  case Opcode::UTMASTG:
  case Opcode::UTMAPF: return copy_tensor();
  case Opcode::UTMACCTL: return true; // of the cache of descriptors
  case Opcode::HGMMA:
  case Opcode::IGMMA:
  case Opcode::QGMMA: return warpgroup_product();
  case Opcode::WARPGROUP:
    if (has(Modifier::ARRIVE))
      act("wgmma.fence.sync.aligned;");
    else
      act("wgmma.wait_group.sync.aligned {};", at(1).value);
    return true;
  case Opcode::USETMAXREG: // registers between the warps of a block
    if (wanted(at(0))) set_predicate(at(0), true);
    return true;
  default: return false;
  }
}

// What stands in brackets is the first of a group of uniform registers.
std::string Kernel::word_at(const Operand& o, u32 n) {
  return register_name({.kind = OperandKind::uniform, .number = o.uniform}, n);
}
std::string Kernel::wide_at(const Operand& o, u32 add) {
  return read_wide({.kind = OperandKind::uniform, .number = static_cast<u8>(o.uniform + add)});
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

// Into the shared memory of each block of the cluster whose bit is set in the high half.
std::string Kernel::blocks_of_mask(const Operand& o) {
  const std::string high = temporary();
  put("shr.u32 {}, {}, 16;", high, read(o));
  put("cvt.u16.u32 %mask, {};", high);
  return "%mask";
}

bool Kernel::copy_in_bulk() {
  const bool in = now_->modifiers()[0] == Modifier::S; // .S.G; else .G.S
  const std::string bytes = bytes_of(at(2));
  if (has(Modifier::MULTICAST))
    return in && once("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                      "[{}], [{}], {}, [{}], {};",
                      word_at(at(0), 0), wide_at(at(1)), bytes, word_at(at(0), 1), blocks_of_mask(at(2)));
  if (in)
    return once("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}], [{}], {}, [{}];",
                word_at(at(0), 0), wide_at(at(1)), bytes, word_at(at(0), 1));
  return once("cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], {};", wide_at(at(0)),
              word_at(at(1), 0), bytes);
}

bool Kernel::copy_tensor() {
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
  if (in && has(Modifier::MULTICAST))
    return once(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[{}], {}, [{}], {};",
        dimensions, word_at(at(0), 0), where, word_at(at(0), 1), blocks_of_mask(at(2)));
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
  const bool in_registers = at(1).kind == OperandKind::reg;
  const Operand &d = at(0), &descriptors = at(in_registers ? 2 : 1), &c = at(in_registers ? 3 : 2);
  const Operand &adds = at(in_registers ? 4 : 3), &group = at(in_registers ? 5 : 4);
  const std::span<const Modifier> how = now_->modifiers();
  u32 width = 0, depth = 0;
  if (std::sscanf(std::string(name(how[0])).c_str(), "64x%ux%u", &width, &depth) != 2) return refuse();
  if (!guard_.empty() || is_zero(d) || (!is_zero(c) && c.number != d.number)) return refuse();
  const bool integers = now_->opcode == Opcode::IGMMA, halves = now_->opcode == Opcode::HGMMA;
  const bool tf32 = has(Modifier::TF32), sums_of_32 = integers || has(Modifier::F32);
  const char* half = tf32 ? "tf32" : has(Modifier::BF16) ? "bf16" : "f16";
  std::string types = integers ? "s32" : sums_of_32 ? "f32" : "f16";
  if (halves)
    types += fmt::format(".{0}.{0}", half);
  else // IGMMA.64x8x32.S8.U8, QGMMA.64x8x32.F32.E4M3.E5M2
    types += fmt::format(".{}.{}", lower(name(how[integers ? 1 : 2])), lower(name(how[integers ? 2 : 3])));
  if (has(Modifier::SAT)) types += ".satfinite";
  const bool a_transposed = descriptors.part == Modifier::tnspA,
             b_transposed = descriptors.suffix == Modifier::tnspB;
  const bool may_transpose = halves && !tf32;
  if (!may_transpose && (a_transposed || b_transposed)) return refuse();
  const std::string b = wide_at(descriptors, 2), a = in_registers ? sources(at(1), 4) : wide_at(descriptors);
  std::string options = integers ? "" : ", 1, 1";
  if (may_transpose && !in_registers) options += a_transposed ? ", 1" : ", 0";
  if (may_transpose) options += b_transposed ? ", 1" : ", 0";
  std::string accumulates = predicate_register(adds);
  if (is_zero(c)) put("setp.ne.u32 {}, 0, 0;", accumulates = predicate_temporary());
  put("wgmma.mma_async.sync.aligned.m64n{}k{}.{} {}, {}, {}, {}{};", width, depth, types,
      targets(d, sums_of_32 ? width / 2 : width / 4), a, b, accumulates, options);
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

// ATOMS.ARRIVE.64 of 8.x, whose other instructions for the object are plain ones.
bool Kernel::arrive_at_object() {
  const std::string state = is_zero(at(0)) ? "_" : wide_temporary();
  act("mbarrier.arrive.shared::cta.b64 {}, {};", state, near_address(at(1)));
  if (state != "_") write_wide(at(0), state);
  return true;
}

// A1T0 and its like: how many arrivals, and how many bytes are announced; R: as a register says.
bool Kernel::arrive_at_barrier() {
  std::string where = near_address(at(1)), space = ".shared::cta";
  const std::string given = read(at(2));
  const bool announces = has(Modifier::A0TR) || has(Modifier::A0T1), completes = has(Modifier::A0TX);
  if (announces || completes) {
    act("mbarrier.{}_tx.relaxed.cta.shared::cta.b64 {}, {};", completes ? "complete" : "expect", where,
        has(Modifier::A0T1) ? "1" : given);
    return true;
  }
  if (has(Modifier::TMASK)) return refuse(); // lanes that arrive at one object are told
  if (has(Modifier::RED)) {                  // in the memory of the block whose rank is in the address
    const std::string address = temporary(), window = wide_temporary(), e = wide_temporary();
    Operand base = at(1);
    base.value = 0;
    const std::string begin = near_address(base); // in brackets
    put("add.s32 {}, {}, {};", address, begin.substr(1, begin.size() - 2), static_cast<i64>(at(1).value));
    put("mov.u64 {0}, 0; cvta.shared.u64 {0}, {0};", window);
    put("cvt.u64.u32 {0}, {1}; add.u64 {0}, {0}, {2};", e, address, window);
    where = "[" + e + "]", space.clear();
  }
  const std::string state = is_zero(at(0)) ? "_" : wide_temporary();
  const std::string how = has(Modifier::OPTOUT) ? "arrive_drop" : "arrive";
  if (has(Modifier::A1T0))
    act("mbarrier.{}{}.b64 {}, {};", how, space, state, where);
  else
    act("mbarrier.{}{}{}.b64 {}, {}, {};", how, has(Modifier::ART0) ? "" : ".expect_tx", space, state, where,
        given);
  if (state != "_") write_wide(at(0), state);
  return true;
}

} // namespace warplens::translate
