// Moves, constants, memory and atomics of machine code as PTX. See kernel_translation.h.
#include "translate/kernel_translation.h"

namespace warplens::translate {

namespace {

struct Width {
  u32 bytes = 4;
  bool is_signed = false;
};
Width width_of(const Instruction& i) {
  if (i.has(Modifier::U8)) return {1, false};
  if (i.has(Modifier::S8)) return {1, true};
  if (i.has(Modifier::U16)) return {2, false};
  if (i.has(Modifier::S16)) return {2, true};
  if (i.has(Modifier::n64)) return {8, false};
  if (i.has(Modifier::n128)) return {16, false};
  return {};
}

std::string in_brackets(const std::string& base, i64 offset) {
  if (base.empty()) return fmt::format("[{}]", offset);
  return offset == 0 ? fmt::format("[{}]", base) : fmt::format("[{}+{}]", base, offset);
}
std::string base_of(const std::string& in_brackets) {
  return in_brackets.substr(1, in_brackets.find_first_of("+]") - 1);
}

} // namespace

bool Kernel::moves() {
  switch (now_->opcode) {
  case Opcode::MOV:
  case Opcode::UMOV:
    if (!has(Modifier::n64)) return write(at(0), read(at(1))), true;
    write_wide(at(0),
               at(1).kind == OperandKind::immediate ? fmt::format("{:#x}", at(1).value) : read_wide(at(1)));
    return true;
  case Opcode::SEL:
  case Opcode::USEL: {
    if (!has(Modifier::n64)) return select(at(0), predicate(at(3)), read(at(1)), read(at(2))), true;
    const std::string a = read_wide(at(1)), b = read_wide(at(2)), e = wide_temporary();
    const Predicate p = predicate(at(3));
    if (p.is_constant)
      put("mov.b64 {}, {};", e, p.value ? a : b);
    else
      put("selp.b64 {}, {}, {}, {};", e, p.negated ? b : a, p.negated ? a : b, p.name);
    write_wide(at(0), e);
    return true;
  }
  case Opcode::P2R: { // the byte that is chosen gets the predicates under the mask
    if (at(3).kind != OperandKind::immediate) return refuse();
    const u32 byte = has(Modifier::B1) ? 1 : has(Modifier::B2) ? 2 : has(Modifier::B3) ? 3 : 0;
    const u32 mask = static_cast<u32>(at(3).value) & 0x7f;
    const std::string t = temporary();
    put("and.b32 {}, {}, {:#x};", t, read(at(2)), ~(mask << (8 * byte)));
    for (u32 n = 0; n < 7; ++n)
      if ((mask >> n & 1) != 0)
        put("or.b32 {0}, {0}, {1};", t,
            as_number({false, false, fmt::format("%p{}", n), false}, 1u << (n + 8 * byte)));
    write(at(0), t);
    return true;
  }
  case Opcode::R2P: {
    const Operand &s = at(1), &m = at(2);
    if (m.kind != OperandKind::immediate) return refuse();
    const u32 byte = s.part == Modifier::B1 ? 1 : s.part == Modifier::B2 ? 2 : s.part == Modifier::B3 ? 3 : 0;
    const std::string t = temporary();
    for (u32 n = 0; n < 7; ++n) {
      if ((m.value >> n & 1) == 0) continue;
      put("and.b32 {}, {}, {:#x};", t, read(s), 1u << (n + 8 * byte));
      act("setp.ne.u32 %p{}, {}, 0;", n, t);
    }
    return true;
  }
  case Opcode::R2UR: return to_uniform();
  case Opcode::S2R:
  case Opcode::S2UR:
  case Opcode::CS2R:
  case Opcode::CS2UR: return special_register();
  case Opcode::LDC:
  case Opcode::ULDC:
  case Opcode::LDCU: return load_constant();
  default: return false;
  }
}

// R2UR P, U, R: the value of the first lane that takes part; P where a lane has another one, .OR: or where P was true.
bool Kernel::to_uniform() {
  const Operand &p = at(0), &d = at(1);
  if (!wanted(p) && guard_.empty()) { // of values that are the same in all lanes
    const auto known = numbers_.find(number_of(at(2)));
    write(d, at(2).kind == OperandKind::reg && known != numbers_.end() ? fmt::format("{}", known->second)
                                                                       : read(at(2)));
    return true;
  }
  const auto [all, mask, acts] = taking_part();
  const std::string first = temporary(), value = temporary(), any = predicate_temporary();
  put("brev.b32 {}, {};", first, mask);
  put("bfind.shiftamt.u32 {}, {};", first, first);
  put("shfl.sync.idx.b32 {}, {}, {}, 31, {};", value, read(at(2)), first, all);
  put("setp.ne.u32 {}, {}, 0;", any, mask);
  if (!is_zero(d)) put("@{} mov.b32 {}, {};", any, target(d), value);
  if (wanted(p)) {
    const std::string apart = predicate_temporary();
    put("setp.ne.u32 {}, {}, {};", apart, value, read(at(2)));
    if (has(Modifier::OR)) put("or.pred {}, {}, {};", apart, apart, predicate_register(p));
    write_predicate(p, apart);
  }
  return true;
}

bool Kernel::special_register() {
  const Operand& d = at(0);
  const u64 n = at(1).value;
  static constexpr std::pair<u64, const char*> names[] = {
      {0, "%laneid"},          {33, "%tid.x"},          {34, "%tid.y"},
      {35, "%tid.z"},          {37, "%ctaid.x"},        {38, "%ctaid.y"},
      {39, "%ctaid.z"},        {56, "%lanemask_eq"},    {57, "%lanemask_lt"},
      {58, "%lanemask_le"},    {59, "%lanemask_gt"},    {60, "%lanemask_ge"},
      {67, "%smid"},           {80, "%clock"},          {82, "%globaltimer_lo"},
      {81, "%clock_hi"},       {83, "%globaltimer_hi"}, {136, "%cluster_ctarank"},
      {50, "%total_smem_size"}};
  const bool pair = (now_->opcode == Opcode::CS2R || now_->opcode == Opcode::CS2UR) && !has(Modifier::n32);
  if (pair) {
    const std::string e = wide_temporary();
    if (n == 255)
      put("mov.b64 {}, 0;", e);
    else if (n == 80)
      put("mov.u64 {}, %clock64;", e);
    else if (n == 82)
      put("mov.u64 {}, %globaltimer;", e);
    else
      return refuse();
    write_wide(d, e);
    return true;
  }
  // SR_CgaSize: from 10.0 on bank 0 has some things behind a multiple of it. SR_LMEMHIOFF: the lowest that a stack may get to;
  // whoever calls by a register looks, and traps.
  if (n == 255 || n == 138 || n == 55) return write(d, "0"), true;
  if (n == 47 || n == 46) { // the high word of the shared or local window
    const std::string e = wide_temporary();
    put("mov.u64 {}, 0;", e);
    put("cvta.{}.u64 {}, {};", n == 47 ? "shared" : "local", e, e);
    act("mov.b64 {{%sink, {}}}, {};", target(d), e);
    return true;
  }
  if (n == 3) { // the warp's number is in bits 8 to 14
    const std::string t = temporary();
    put("mov.u32 {}, %warpid;", t);
    act("shl.b32 {}, {}, 8;", target(d), t);
    return true;
  }
  for (auto [number, name] : names)
    if (number == n) {
      act("mov.u32 {}, {};", target(d), name);
      return true;
    }
  return refuse();
}

bool Kernel::load_constant() {
  const Operand& d = at(0);
  Operand c = at(1);
  if (c.has_register && !c.has_descriptor)
    if (auto number = numbers_.find(c.number); number != numbers_.end()) {
      c.value += number->second;
      c.has_register = false, c.number = sass::zero_register;
    }
  if (c.has_uniform && !c.has_descriptor)
    if (auto number = numbers_.find(uniform_registers + c.uniform); number != numbers_.end()) {
      c.value += number->second;
      c.has_uniform = false, c.uniform = sass::zero_register;
    }
  const Width width = width_of(*now_);
  for (Modifier m : {Modifier::IL, Modifier::IS, Modifier::ISL})
    if (has(m)) return refuse();
  if (c.has_descriptor) return refuse();
  // A load under a guard is a request where a lane needs it (an H200 counted so, 28 November 2026); others are the same for all.
  const bool chosen = !guard_.empty() && c.bank == 0 && c.value >= kernel_.parameters_at;
  const bool by_register = c.has_register && c.number != sass::zero_register,
             by_uniform = c.has_uniform && c.uniform != sass::zero_register,
             indexed = by_register || by_uniform || chosen;
  // So far in front of the parameters is no element of one: the register holds a multiple of SR_CgaSize that is not known here.
  constexpr u64 some_elements = 128;
  if (indexed && c.bank == 0 && c.value + some_elements < kernel_.parameters_at) return refuse();
  const char* space = width.is_signed ? "s" : "u";
  if (!indexed) {
    if (width.bytes < 4) {
      const std::string word = constant(c.bank, c.value & ~u64{3});
      act("bfe.{}32 {}, {}, {}, {};", space, target(d), word, c.value % 4 * 8, width.bytes * 8);
      return true;
    }
    if (width.bytes == 8) {
      write_wide(d, wide_constant(c.bank, c.value));
      if (c.bank == 4 && guard_.empty())
        if (auto symbol = image_.addresses.find(c.value); symbol != image_.addresses.end())
          functions_[d.number] = symbol->second.name;
      return true;
    }
    for (u32 i = 0; i < width.bytes / 4; ++i)
      act("mov.b32 {}, {};", register_name(d, i), constant(c.bank, c.value + 4 * i));
    wrote(d, width.bytes / 4);
    return true;
  }
  const std::string index = by_register  ? fmt::format("%r{}", c.number)
                            : by_uniform ? fmt::format("%u{}", c.uniform)
                                         : "0";
  const std::string place = temporary(), address = wide_temporary();
  put("add.u32 {}, {}, {};", place, index, c.value);
  const std::string start = start_of_bank(c.bank, c.value, place);
  if (start.empty()) return refuse();
  put("cvt.u64.u32 {}, {};", address, place);
  put("add.u64 {0}, {0}, {1};", address, start);
  const char* from = c.bank == 0 ? "param" : "const";
  if (width.bytes < 4)
    act("ld.{}.{}{} {}, [{}];", from, space, width.bytes * 8, target(d), address);
  else if (width.bytes == 4)
    act("ld.{}.b32 {}, [{}];", from, target(d), address);
  else
    act("ld.{}.v{}.b32 {}, [{}];", from, width.bytes / 4, targets(d, width.bytes / 4), address);
  return true;
}

// ptxas may keep where an array begins in the index register, so only the sum tells which variable is meant. Of parameters it is the
// one at the offset, else the first.
std::string Kernel::start_of_bank(u32 bank, u64 offset, const std::string& place) {
  if (bank == 2) {
    uses_tables_ = true;
    return start_of(bank, 0, kernel_.name + "_tables");
  }
  if (bank == 0 && !kernel_.parameters.empty()) {
    std::size_t i = kernel_.parameters.size() - 1;
    while (i > 0 && kernel_.parameters_at + kernel_.parameters[i].offset > offset) --i;
    return start_of(bank, kernel_.parameters_at + kernel_.parameters[i].offset,
                    fmt::format("{}_param_{}", kernel_.name, i));
  }
  std::string start;
  if (bank != 3) return start;
  for (const DeviceVariable& v : image_.variables) { // by their offsets
    if (!v.is_constant || v.size == 0) continue;
    const std::string other = start_of(bank, v.offset, v.name);
    if (start.empty()) {
      start = other;
      continue;
    }
    const std::string z = predicate_temporary(), chosen = wide_temporary();
    put("setp.ge.u32 {}, {}, {};", z, place, v.offset);
    put("selp.b64 {}, {}, {}, {};", chosen, other, start, z);
    start = chosen;
  }
  return start;
}

// A register with the address that offset 0 of a bank has, counted from what is at `offset`.
std::string Kernel::start_of(u32 bank, u64 offset, const std::string& what) {
  const std::string name = fmt::format("%w{}_start_{:x}", bank, offset);
  constants_.emplace(
      name,
      Constant{fmt::format("mov.u64 {0}, {1}; sub.u64 {0}, {0}, {2};", name, what, offset), place_.offset});
  return name;
}

// ---- addresses

// The temporary `into`, which holds a + b.
std::string Kernel::sum(const char* type, const std::string& into, const std::string& a,
                        const std::string& b) {
  put("add.{} {}, {}, {};", type, into, a, b);
  return into;
}

std::string Kernel::global_address(const Operand& o) {
  std::string base;
  if (o.has_register && o.number != sass::zero_register) {
    Operand r;
    r.kind = OperandKind::reg, r.number = o.number;
    if (o.part == Modifier::n64 || !o.has_uniform) {
      base = read_wide(r);
    } else {
      base = wide_temporary();
      put("cvt.u64.u32 {}, {};", base, read(r));
    }
  }
  if (o.has_uniform && o.uniform != sass::zero_register) {
    Operand u;
    u.kind = OperandKind::uniform, u.number = o.uniform;
    base = base.empty() ? read_wide(u) : sum("s64", wide_temporary(), base, read_wide(u));
  }
  return in_brackets(base, static_cast<i64>(o.value));
}

std::string Kernel::near_address(const Operand& o) {
  std::string base;
  if (o.has_register && o.number != sass::zero_register) {
    base = fmt::format("%r{}", o.number);
    const u32 shift = o.part == Modifier::X4    ? 2
                      : o.part == Modifier::X8  ? 3
                      : o.part == Modifier::X16 ? 4
                                                : 0;
    if (shift != 0) {
      const std::string t = temporary();
      put("shl.b32 {}, {}, {};", t, base, shift);
      base = t;
    }
  }
  if (o.has_uniform && o.uniform != sass::zero_register) {
    const std::string u = fmt::format("%u{}", o.uniform);
    base = base.empty() ? u : sum("s32", temporary(), base, u);
  }
  return in_brackets(base, static_cast<i64>(o.value));
}

// .relaxed.gpu and the like of a strong access
std::string Kernel::order(bool atomic) const {
  const char* scope = has(Modifier::SYS)                        ? ".sys"
                      : has(Modifier::GPU)                      ? ".gpu"
                      : has(Modifier::SM) || has(Modifier::CTA) ? ".cta"
                                                                : "";
  if (atomic) return has(Modifier::STRONG) ? scope : "";
  return has(Modifier::STRONG) ? std::string(".relaxed") + scope : "";
}

bool Kernel::load(std::string_view space) {
  const bool global = space == ".global" || space.empty();
  std::size_t first = 0;
  while (at(first).kind == OperandKind::predicate) ++first; // LDG's own
  const Operand &d = at(first), &address = at(first + 1);
  if (first != 0 && at(0).number != sass::true_predicate) return refuse();
  if (global && now_->opcode == Opcode::LDG && at(first + 2).number != sass::true_predicate &&
      !at(first + 2).hidden)
    return refuse();
  const Width width = width_of(*now_);
  const std::string where = global ? global_address(address) : near_address(address);
  // ptxas puts YIELD behind the load of a loop that waits for other threads. Of shared memory nothing else says so: LDS has no STRONG.
  bool waits = false;
  for (u64 ahead = 1; ahead <= 3 && space == ".shared"; ++ahead)
    if (const Instruction* i = code_at(place_.offset + ahead * sass::instruction_bytes))
      waits |= i->opcode == Opcode::YIELD;
  const std::string how = waits ? "ld.volatile.shared"
                                : fmt::format("ld{}{}{}", global ? order(false) : "", space,
                                              has(Modifier::CONSTANT) && space == ".global" ? ".nc" : "");
  if (width.bytes <= 4) {
    const std::string type =
        width.bytes == 4 ? "b32" : fmt::format("{}{}", width.is_signed ? 's' : 'u', width.bytes * 8);
    act("{}.{} {}, {};", how, type, target(d), where);
    return true;
  }
  act("{}.v{}.b32 {}, {};", how, width.bytes / 4, targets(d, width.bytes / 4), where);
  return true;
}

bool Kernel::store(std::string_view space) {
  const bool global = space == ".global" || space.empty();
  const Operand &address = at(0), &s = at(1);
  const Width width = width_of(*now_);
  const std::string where = global ? global_address(address) : near_address(address);
  const std::string how = fmt::format("st{}{}", global ? order(false) : "", space);
  if (width.bytes <= 4) {
    act("{}.b{} {}, {};", how, width.bytes * 8, where, half_of(s, 0));
    return true;
  }
  act("{}.v{}.b32 {}, {};", how, width.bytes / 4, where, sources(s, width.bytes / 4));
  return true;
}

bool Kernel::memory() {
  switch (now_->opcode) {
  case Opcode::LDG: return load(".global");
  case Opcode::LD: return load("");
  case Opcode::LDS: return load(".shared");
  case Opcode::LDL: return load(".local");
  case Opcode::STG: return store(".global");
  case Opcode::ST: return store("");
  case Opcode::STS: return store(".shared");
  case Opcode::STL: return store(".local");
  case Opcode::LDGSTS: {
    const u32 bytes = has(Modifier::n128) ? 16 : has(Modifier::n64) ? 8 : 4;
    const Predicate p = predicate(at(2)); // false: zeros are written
    const std::string to = near_address(at(0));
    std::string from = global_address(at(1)), size;
    const bool always = p.is_constant && p.value;
    if (!always || has(Modifier::ZFILL)) {
      const std::string e = wide_temporary(), place = from.substr(1, from.size() - 2);
      const std::size_t plus = place.find('+');
      put("mov.u64 {}, {};", e, place.substr(0, plus));
      if (plus != place.npos) put("add.s64 {0}, {0}, {1};", e, place.substr(plus + 1));
      if (has(Modifier::ZFILL)) { // the address's low bits say how many bytes are read; the rest is zero
        if (!always) return refuse();
        const std::string low = wide_temporary(), count = temporary();
        put("and.b64 {}, {}, {};", low, e, bytes - 1);
        put("cvt.u32.u64 {}, {};", count, low);
        put("sub.s64 {0}, {0}, {1};", e, low);
        from = fmt::format("[{}]", e);
        size = ", " + count;
      }
    }
    if (!always) { // what is not read may have any address
      const std::string e = fmt::format("%e{}", wide_temporaries_ - 1);
      if (p.is_constant)
        put("mov.u64 {}, 0;", e);
      else
        put("selp.b64 {}, {}, {}, {};", e, p.negated ? "0" : e, p.negated ? e : "0", p.name);
      from = fmt::format("[{}]", e);
      size = ", " + as_number(p, bytes);
    }
    act("cp.async.{}.shared.global {}, {}, {}{};", has(Modifier::BYPASS) && bytes == 16 ? "cg" : "ca", to,
        from, bytes, size);
    return true;
  }
  case Opcode::LDGDEPBAR: act("cp.async.commit_group;"); return true;
  case Opcode::DEPBAR:
    if (at(0).kind != OperandKind::word || at(0).word != "SB0") return true;
    act("cp.async.wait_group {};", at(1).value);
    if (std::ranges::any_of(code_, [](const Instruction& i) { return i.opcode == Opcode::UTMACMDFLUSH; }))
      act("cp.async.bulk.wait_group {};", at(1).value);
    return true;
  case Opcode::LDSM: {
    const u32 count = has(Modifier::n4) ? 4 : has(Modifier::n2) ? 2 : 1;
    const std::string where = near_address(at(1));
    act("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, {};", count, has(Modifier::MT88) ? ".trans" : "",
        targets(at(0), count), where);
    return true;
  }
  case Opcode::STSM: {
    const u32 count = has(Modifier::n4) ? 4 : has(Modifier::n2) ? 2 : 1;
    const std::string where = near_address(at(0));
    act("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, {};", count, has(Modifier::MT88) ? ".trans" : "",
        where, sources(at(1), count));
    return true;
  }
  case Opcode::QSPC: {
    if (!is_zero(at(1))) return refuse();
    const std::string base = base_of(global_address(at(2)));
    act("isspacep.{} {}, {};",
        has(Modifier::S)   ? "shared"
        : has(Modifier::D) ? "shared::cluster"
        : has(Modifier::L) ? "local"
                           : "global",
        predicate(at(0)).name, base);
    return true;
  }
  default: return atomics();
  }
}

bool Kernel::atomics() {
  const Opcode o = now_->opcode;
  const bool shared = o == Opcode::ATOMS, reduction = o == Opcode::RED || o == Opcode::REDG;
  if (!shared && !reduction && o != Opcode::ATOM && o != Opcode::ATOMG) return textures();
  if (has(Modifier::ARRIVE)) return arrive_at_object();
  for (Modifier m : {Modifier::F16x4, Modifier::F16x8, Modifier::BF16x4, Modifier::BF16x8, Modifier::F32x2,
                     Modifier::F32x4, Modifier::n128})
    if (has(m)) return refuse();
  // ATOM has a predicate in front.
  std::size_t first = 0;
  while (!reduction && at(first).kind == OperandKind::predicate && o != Opcode::ATOMS) ++first;
  // 10.0 and later: the predicate says what the register did before.
  const bool says_by_predicate = o == Opcode::ATOMS && at(0).kind == OperandKind::predicate;
  if (says_by_predicate && !has(Modifier::CAST)) return refuse();
  const char* space = shared ? ".shared" : o == Opcode::ATOM ? "" : ".global";
  const bool wide = has(Modifier::n64) || has(Modifier::S64) || has(Modifier::F64);
  auto value = [&](const Operand& s) { return wide ? read_wide(s) : half_of(s, 0); };
  auto address = [&](const Operand& a) { return shared ? near_address(a) : global_address(a); };
  auto result = [&](const Operand& d, const std::string& how, const std::string& rest) {
    if (!wide) return act("{} {}, {};", how, target(d), rest);
    const std::string e = wide_temporary();
    act("{} {}, {};", how, e, rest);
    if (d.number == sass::zero_register) return;
    act("mov.b64 {{{}, {}}}, {};", register_name(d), register_name(d, 1), e);
    wrote(d, 2);
  };
  const std::string scope = shared ? "" : order(true);
  if (o == Opcode::ATOM && wanted(at(0))) {
    // P: the memory at the address performs the operation; elsewhere nothing happens, and the code that follows does it another way.
    // Local memory performs none, the block's own shared memory no arithmetic. That of other blocks performs no sums of floats, and
    // of arithmetic in 64 bits sums alone (an H200 does so, tests/hardware/data/h200_cluster_atomics.tsv; no later GPU was asked).
    // Where ptxas does not expect that, its code loads and stores, and loses updates.
    const std::string base = base_of(global_address(at(first + 1))), done = predicate_temporary();
    const bool copies = has(Modifier::CAS) || has(Modifier::EXCH);
    const bool of_floats =
        has(Modifier::F32) || has(Modifier::F64) || has(Modifier::F16x2) || has(Modifier::BF16x2);
    put("setp.ne.u32 {}, 0, 0;", done);
    if (of_floats || (wide && !copies && !has(Modifier::ADD))) {
      act("isspacep.global {}, {};", done, base);
    } else {
      const std::string not_there = predicate_temporary();
      act("isspacep.local {}, {};", not_there, base);
      if (!copies) {
        act("isspacep.shared {}, {};", done, base);
        act("or.pred {0}, {0}, {1};", not_there, done);
      }
      act("not.pred {}, {};", done, not_there);
    }
    write_predicate(at(0), done);
    guard_ = fmt::format("@{} ", done);
  }
  if (has(Modifier::CAS) || has(Modifier::CAST)) {
    const Operand &d = at(first), &a = at(first + 1);
    const std::string where = address(a);
    // Compare and new value are two registers behind one another, except in shared memory, where each has its own.
    const Operand &compare = at(first + 2), &fresh = at(first + 3);
    const std::string how = fmt::format("atom{}{}.cas.b{}", scope, space, wide ? 64 : 32);
    if (!has(Modifier::CAST)) {
      result(d, how, fmt::format("{}, {}, {}", where, value(compare), value(fresh)));
      return true;
    }
    // 1: it was exchanged. Of the lanes of one word the first is served: with it an H200 takes as many turns as were counted
    // (tests/scripts/machine_code_test.sh). The others put back what they expect, which changes nothing.
    const std::string old = wide ? wide_temporary() : temporary(), z = predicate_temporary(),
                      serves = predicate_temporary(), chosen = wide ? wide_temporary() : temporary(),
                      lanes = temporary(), mask = temporary(), before = temporary(),
                      expected = value(compare), wanted_value = value(fresh);
    act("activemask.b32 {};", mask);
    act("match.any.sync.b{} {}, {}, {};", shared ? 32 : 64, lanes, base_of(where), mask);
    put("mov.u32 {}, %lanemask_lt;", before);
    put("and.b32 {0}, {0}, {1};", lanes, before);
    put("setp.eq.u32 {}, {}, 0;", serves, lanes);
    put("selp.b{} {}, {}, {}, {};", wide ? 64 : 32, chosen, wanted_value, expected, serves);
    act("{} {}, {}, {}, {};", how, old, where, expected, chosen);
    put("setp.eq.b{} {}, {}, {};", wide ? 64 : 32, z, old, expected);
    put("and.pred {0}, {0}, {1};", z, serves);
    if (says_by_predicate) {
      write_predicate(d, z);
      return true;
    }
    act("selp.b32 {}, 1, 0, {};", target(d), z);
    if (wide && d.number != sass::zero_register) {
      act("mov.b32 {}, 0;", register_name(d, 1));
      wrote(d, 2);
    }
    return true;
  }
  if (has(Modifier::POPC)) {
    result(at(first), fmt::format("atom{}{}.add.u32", scope, space),
           fmt::format("{}, 1", address(at(first + 1))));
    return true;
  }
  const char* operation = has(Modifier::ADD)    ? "add"
                          : has(Modifier::MIN)  ? "min"
                          : has(Modifier::MAX)  ? "max"
                          : has(Modifier::INC)  ? "inc"
                          : has(Modifier::DEC)  ? "dec"
                          : has(Modifier::AND)  ? "and"
                          : has(Modifier::OR)   ? "or"
                          : has(Modifier::XOR)  ? "xor"
                          : has(Modifier::EXCH) ? "exch"
                                                : nullptr;
  if (operation == nullptr) return refuse();
  const bool bitwise = has(Modifier::AND) || has(Modifier::OR) || has(Modifier::XOR) || has(Modifier::EXCH);
  const char* type = has(Modifier::F32)      ? "f32"
                     : has(Modifier::F64)    ? "f64"
                     : has(Modifier::F16x2)  ? "noftz.f16x2"
                     : has(Modifier::BF16x2) ? "noftz.bf16x2"
                     : wide                  ? (bitwise              ? "b64"
                                                : has(Modifier::S64) ? "s64"
                                                                     : "u64")
                                             : (bitwise              ? "b32"
                                                : has(Modifier::S32) ? "s32"
                                                                     : "u32");
  const bool is_float =
      has(Modifier::F32) || has(Modifier::F64) || has(Modifier::F16x2) || has(Modifier::BF16x2);
  if (is_float && (has(Modifier::MIN) || has(Modifier::MAX) || has(Modifier::EXCH))) return refuse();
  const Operand &a = at(reduction ? 0 : first + 1), &s = at(reduction ? 1 : first + 2);
  const std::string where = address(a), rest = fmt::format("{}, {}", where, value(s));
  if (reduction)
    act("red{}{}.{}.{} {};", scope, space, operation, type, rest);
  else
    result(at(first), fmt::format("atom{}{}.{}.{}", scope, space, operation, type), rest);
  return true;
}

} // namespace warplens::translate
