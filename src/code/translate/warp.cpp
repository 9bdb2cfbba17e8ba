// What the lanes of a warp do together, of machine code as PTX: barriers, votes, shuffles, exchanges of matrices and their products. See
// kernel_translation.h.
#include "translate/kernel_translation.h"

namespace warplens::translate {

// The lanes that a warp's instruction is executed with: those that are here, or those that WARPSYNC named.
std::string Kernel::together() {
  if (in_teams_) return "%team";
  const std::string mask = temporary();
  act("activemask.b32 {};", mask);
  return mask;
}

// The lanes that are here, those of them that the guard lets act, and whether a lane is one of these.
Kernel::TakingPart Kernel::taking_part() {
  const TakingPart out{temporary(), temporary(), predicate_temporary()};
  put("setp.ne.u32 {}, 0, 0;", out.acts);
  act("setp.eq.u32 {}, 0, 0;", out.acts);
  put("activemask.b32 {};", out.here);
  put("vote.sync.ballot.b32 {}, {}, {};", out.acting, out.acts, out.here);
  return out;
}

bool Kernel::warp() {
  switch (now_->opcode) {
  case Opcode::BAR: {
    const bool red = has(Modifier::RED);
    std::string number = at(0).kind == OperandKind::immediate ? fmt::format("{}", at(0).value) : read(at(0));
    std::string threads;
    if (at(0).kind == OperandKind::reg && at(1).kind == OperandKind::reg) {
      // One register has both, as ptxas puts them together in front: the number in bits 0 to 3, the threads in bits 16 to 27.
      if (at(0).number != at(1).number) return refuse();
      const std::string both = number, count = temporary();
      number = temporary();
      put("and.b32 {}, {}, 0xf;", number, both);
      put("bfe.u32 {}, {}, 16, 12;", count, both);
      threads = ", " + count;
    } else if (now_->operands().size() > 2 && !at(1).hidden && at(1).kind != OperandKind::none) {
      threads = ", " + (at(1).kind == OperandKind::immediate ? fmt::format("{}", at(1).value) : read(at(1)));
    }
    if (red) {
      const Operand& p = now_->operands().back();
      const std::string source = predicate_register(p);
      if (has(Modifier::POPC))
        put("barrier.sync.aligned.red.popc.u32 %barrier_result, {}{}, {};", number, threads, source);
      else
        put("barrier.sync.aligned.red.{}.pred %barrier_any, {}{}, {};", has(Modifier::AND) ? "and" : "or",
            number, threads, source);
      return guard_.empty() ? true : refuse();
    }
    if (has(Modifier::ARV)) {
      act("barrier.arrive {}{};", number, threads);
      return true;
    }
    if (!has(Modifier::SYNC)) return refuse();
    act("barrier.sync {}{};", number, threads);
    return true;
  }
  case Opcode::B2R: // what the reduction left
    if (!has(Modifier::RESULT)) return refuse();
    if (at(1).number == sass::true_predicate)
      write(at(0), "%barrier_result");
    else
      write_predicate(at(1), "%barrier_any");
    return true;
  case Opcode::WARPSYNC: {
    // Up to the next place where lanes meet, or ENDCOLLECTIVE, those that name the same ones run apart from the others.
    if (has(Modifier::ALL)) {
      act("bar.warp.sync 0xffffffff;");
      return true;
    }
    if (has(Modifier::EXCLUSIVE) || has(Modifier::COLLECTIVE)) {
      put("mov.b32 %team, {};", read(at(1)));
      act("bar.warp.sync {};", read(at(1)));
      in_teams_ = true;
      return guard_.empty() ? true : refuse();
    }
    act("bar.warp.sync {};", read(at(1)));
    return true;
  }
  case Opcode::SHFL: {
    const char* mode = has(Modifier::UP)     ? "up"
                       : has(Modifier::DOWN) ? "down"
                       : has(Modifier::BFLY) ? "bfly"
                                             : "idx";
    const std::string mask = together();
    const Operand& p = at(0);
    act("shfl.sync.{}.b32 {}{}, {}, {}, {}, {};", mode, target(at(1)),
        p.number == sass::true_predicate ? "" : "|" + predicate(p).name, read(at(2)), read(at(3)),
        read(at(4)), mask);
    return true;
  }
  case Opcode::VOTE:
  case Opcode::VOTEU: {
    const Operand &d = at(0), &p = at(1);
    const std::string mask = together(), source = predicate_register(at(2));
    const char* mode = has(Modifier::ALL) ? "all" : has(Modifier::ANY) ? "any" : "uni";
    if (p.number != sass::true_predicate) {
      const std::string z = predicate_temporary();
      act("vote.sync.{}.pred {}, {}, {};", mode, z, source, mask);
      if (d.number != sass::zero_register) act("vote.sync.ballot.b32 {}, {}, {};", target(d), source, mask);
      act("mov.pred {}, {};", predicate(p).name, z);
    } else if (d.number != sass::zero_register) {
      act("vote.sync.ballot.b32 {}, {}, {};", target(d), source, mask);
    }
    return true;
  }
  case Opcode::MATCH: {
    const std::string mask = together();
    const bool wide = has(Modifier::U64), all = has(Modifier::ALL);
    act("match.{}.sync.b{} {}{}, {}, {};", all ? "all" : "any", wide ? 64 : 32, target(at(1)),
        all && at(0).number != sass::true_predicate ? "|" + predicate(at(0)).name : "",
        wide ? read_wide(at(2)) : read(at(2)), mask);
    return true;
  }
  case Opcode::ELECT: { // one of the lanes, and its number
    if (const Predicate among = predicate(at(2)); !among.is_constant || !among.value) return refuse();
    const std::string mask = together(), leader = temporary(), chosen = predicate_temporary();
    act("elect.sync {}|{}, {};", leader, chosen, mask);
    if (!is_zero(at(1))) act("mov.b32 {}, {};", target(at(1)), leader);
    if (wanted(at(0))) act("mov.pred {}, {};", predicate(at(0)).name, chosen);
    return true;
  }
  case Opcode::REDUX:
  case Opcode::CREDUX: {
    const std::string mask = together();
    const char* how = has(Modifier::OR)    ? "or.b32"
                      : has(Modifier::XOR) ? "xor.b32"
                      : has(Modifier::SUM) ? (has(Modifier::S32) ? "add.s32" : "add.u32")
                      : has(Modifier::MIN) ? (has(Modifier::S32) ? "min.s32" : "min.u32")
                      : has(Modifier::MAX) ? (has(Modifier::S32) ? "max.s32" : "max.u32")
                                           : "and.b32";
    act("redux.sync.{} {}, {}, {};", how, target(at(0)), read(at(1)), mask);
    return true;
  }
  case Opcode::MEMBAR: {
    const char* scope = has(Modifier::SYS) ? "sys" : has(Modifier::GPU) || has(Modifier::VC) ? "gpu" : "cta";
    act("fence.{}.{};", has(Modifier::SC) ? "sc" : "acq_rel", scope);
    return true;
  }
  case Opcode::UCGABAR_ARV: act("barrier.cluster.arrive;"); return true;
  case Opcode::UCGABAR_WAIT: act("barrier.cluster.wait;"); return true;
  case Opcode::NANOSLEEP: act("nanosleep.u32 {};", read(now_->operands().back())); return true;
  default: return matrix();
  }
}

// Products of matrices that the lanes of a warp hold: the same fragments in the same order as PTX's mma.
bool Kernel::matrix() {
  const bool half = now_->opcode == Opcode::HMMA, integer = now_->opcode == Opcode::IMMA;
  if (now_->opcode == Opcode::DMMA) return double_matrix();
  if (!half && !integer && now_->opcode != Opcode::MOVM && now_->opcode != Opcode::BMMA) return false;
  if (now_->opcode == Opcode::MOVM) {
    if (!has(Modifier::MT88)) return refuse();
    act("movmatrix.sync.aligned.m8n8.trans.b16 {}, {};", target(at(0)), read(at(1)));
    return true;
  }
  if (has(Modifier::SP) || !guard_.empty()) return refuse();
  struct Shape {
    Modifier name;
    const char* text;
    u32 a, b; // registers of 32 bits a lane
  };
  static constexpr Shape half_shapes[] = {{Modifier::n1688, "m16n8k8", 2, 1},
                                          {Modifier::n16816, "m16n8k16", 4, 2},
                                          {Modifier::n1684, "m16n8k4", 2, 1}};
  static constexpr Shape integer_shapes[] = {
      {Modifier::n8816, "m8n8k16", 1, 1},     {Modifier::n16816, "m16n8k16", 2, 1},
      {Modifier::n16832, "m16n8k32", 4, 2},   {Modifier::n88128, "m8n8k128", 1, 1},
      {Modifier::n168128, "m16n8k128", 2, 1}, {Modifier::n168256, "m16n8k256", 4, 2}};
  const Shape* shape = nullptr;
  for (const Shape& s : half ? std::span<const Shape>(half_shapes) : std::span<const Shape>(integer_shapes))
    if (has(s.name)) shape = &s;
  if (shape == nullptr) return refuse();
  std::string types;
  u32 sums = 4;
  if (half) {
    const char* source = has(Modifier::BF16) ? "bf16" : has(Modifier::TF32) ? "tf32" : "f16";
    const bool tf32 = has(Modifier::TF32), wide = has(Modifier::F32);
    if (tf32 && shape->a == 2 && has(Modifier::n1688))
      shape = nullptr; // four registers of A, as .tf32 has them
    static constexpr Shape tf32_eight = {Modifier::n1688, "m16n8k8", 4, 2};
    if (shape == nullptr) shape = &tf32_eight;
    if (!wide) sums = 2;
    types = fmt::format("{0}.{1}.{1}.{0}", wide ? "f32" : "f16", source);
  } else if (now_->opcode == Opcode::BMMA) {
    if (has(Modifier::n88128)) sums = 2;
    types = "s32.b1.b1.s32";
  } else {
    if (has(Modifier::S4) || has(Modifier::U4)) return refuse();
    const bool a_signed = (now_->high >> 12 & 1) != 0, b_signed = (now_->high >> 14 & 1) != 0;
    if (has(Modifier::n8816)) sums = 2;
    types = fmt::format("{}s32.{}8.{}8.s32", has(Modifier::SAT) ? "satfinite." : "", a_signed ? 's' : 'u',
                        b_signed ? 's' : 'u');
  }
  const std::string a = sources(at(1), shape->a), b = sources(at(2), shape->b), c = sources(at(3), sums);
  if (is_zero(at(0))) return true;
  const char* bits = now_->opcode != Opcode::BMMA ? "" : has(Modifier::AND) ? ".and.popc" : ".xor.popc";
  act("mma.sync.aligned.{}.row.col.{}{} {}, {}, {}, {};", shape->text, types, bits, targets(at(0), sums), a,
      b, c);
  return true;
}

bool Kernel::double_matrix() {
  struct Shape {
    Modifier name;
    const char* text;
    u32 a, b, sums; // doubles a lane
  };
  static constexpr Shape shapes[] = {{Modifier::n884, "m8n8k4", 1, 1, 2},
                                     {Modifier::n8x8x4, "m8n8k4", 1, 1, 2},
                                     {Modifier::n16x8x4, "m16n8k4", 2, 1, 4},
                                     {Modifier::n16x8x8, "m16n8k8", 4, 2, 4},
                                     {Modifier::n16x8x16, "m16n8k16", 8, 4, 4}};
  const auto shape = std::ranges::find_if(shapes, [&](const Shape& s) { return has(s.name); });
  if (shape == std::end(shapes) || !guard_.empty()) return refuse();
  auto nth = [](Operand o, u32 n) {
    if (!is_zero(o)) o.number = static_cast<u8>(o.number + 2 * n);
    return o;
  };
  auto list = [&](const Operand& o, u32 count) {
    std::string out;
    for (u32 n = 0; n < count; ++n) out += (n == 0 ? "" : ", ") + read_double(nth(o, n));
    return out;
  };
  const std::string a = list(at(1), shape->a), b = list(at(2), shape->b), c = list(at(3), shape->sums);
  std::string results, names[4];
  for (u32 n = 0; n < shape->sums; ++n) results += (n == 0 ? "" : ", ") + (names[n] = wide_temporary());
  put("mma.sync.aligned.{}.row.col{}.f64.f64.f64.f64 {{{}}}, {{{}}}, {{{}}}, {{{}}};", shape->text,
      has(Modifier::RM)   ? ".rm"
      : has(Modifier::RP) ? ".rp"
      : has(Modifier::RZ) ? ".rz"
                          : "",
      results, a, b, c);
  if (!is_zero(at(0)))
    for (u32 n = 0; n < shape->sums; ++n) write_wide(nth(at(0), n), names[n]);
  return true;
}

} // namespace warplens::translate
