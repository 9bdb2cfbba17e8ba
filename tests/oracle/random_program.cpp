// Statements drawn one by one, each of which keeps what the program promises: it ends, and nothing races. See random_program.h.
#include "oracle/random_program.h"
#include "ir/operands.h"
#include "oracle/random_shapes.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <random>
#include <sstream>
#include <utility>

namespace warplens::oracle {
namespace {

// The input buffer: random integers, then floats of each format, 64 KiB each.
constexpr u32 region = 65536;
constexpr u32 f32_at = region, f64_at = 2 * region, f16_at = 3 * region, bf16_at = 4 * region;
constexpr u32 private_bytes = 64, sums_bytes = 4096; // scratch: per thread, then integer sums of all threads

struct Pool {
  const char* prefix;
  const char* declared;
  u32 count;
  SlotKind slot;
};
const std::map<char, Pool>& pools() {
  static const std::map<char, Pool> all = {
      {'h', {"%h", "b16", 4, SlotKind::b16}},    {'r', {"%r", "b32", 8, SlotKind::b32}},
      {'d', {"%d", "b64", 5, SlotKind::b64}},    {'f', {"%f", "f32", 5, SlotKind::f32}},
      {'g', {"%g", "f64", 4, SlotKind::f64}},    {'n', {"%n", "b16", 3, SlotKind::f16}},
      {'b', {"%b", "b16", 3, SlotKind::bf16}},   {'v', {"%v", "b32", 3, SlotKind::f16x2}},
      {'w', {"%w", "b32", 3, SlotKind::bf16x2}}, {'p', {"%p", "pred", 4, SlotKind::b32}}};
  return all;
}

char pool_of(const std::string& type) {
  static const std::map<std::string, char> special = {
      {"pred", 'p'}, {"f16", 'n'},   {"bf16", 'b'},  {"f16x2", 'v'}, {"bf16x2", 'w'}, {"f32", 'f'},
      {"f64", 'g'},  {"u16x2", 'r'}, {"s16x2", 'r'}, {"u8", 'r'},    {"s8", 'r'}};
  auto it = special.find(type);
  if (it != special.end()) return it->second;
  return type.ends_with("16") ? 'h' : type.ends_with("32") ? 'r' : 'd';
}

class Generator {
public:
  explicit Generator(u64 seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  RandomProgram generate() {
    choose_shape();
    prologue();
    block(2, true, 10 + pick(14));
    epilogue();
    program_.ptx = header() + body_ + "}\n";
    fill_input();
    u64 threads = program_.grid.count() * program_.block.count();
    program_.scratch_bytes = threads * private_bytes + sums_bytes + u64{scattered_} * 16 * 1024;
    return std::move(program_);
  }

private:
  // --- randomness and text
  u32 pick(u32 n) { return static_cast<u32>(random_() % n); }
  bool chance(u32 percent) { return pick(100) < percent; }
  template <class... Args> void emit(fmt::format_string<Args...> format, Args&&... args) {
    body_ += '\t';
    body_ += fmt::format(format, std::forward<Args>(args)...);
    body_ += ";\n";
  }
  void label(u32 number) { body_ += fmt::format("$L{}:\n", number); }
  u32 fresh() { return labels_++; }
  std::string reg(char pool) {
    return fmt::format("{}{}", pools().at(pool).prefix, pick(pools().at(pool).count));
  }
  std::string guard() { return chance(15) ? fmt::format("@{}{} ", chance(50) ? "!" : "", reg('p')) : ""; }

  // --- frame of the kernel
  void choose_shape() {
    static const Dim3 whole[] = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {16, 4, 1}, {8, 8, 2}, {32, 3, 1}};
    static const Dim3 partial[] = {{33, 1, 1}, {7, 3, 2}, {48, 1, 1}, {100, 1, 1}, {1, 1, 1}};
    static const Dim3 grids[] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 1}, {2, 1, 2}, {7, 1, 1}};
    whole_warps_ = chance(75);
    program_.block = whole_warps_ ? whole[pick(std::size(whole))] : partial[pick(std::size(partial))];
    program_.grid = grids[pick(std::size(grids))];
    program_.dynamic_shared = chance(50) ? 1024 : 0;
    program_.a = static_cast<u32>(random_());
    program_.b = random_();
  }

  std::string header() {
    std::string text =
        ".version 8.3\n.target sm_90\n.address_size 64\n\n.const .align 4 .b32 constants[64] = {";
    for (u32 i = 0; i < 64; ++i) text += fmt::format("{}{}", i ? ", " : "", pick(1 << 30));
    text += "};\n.global .align 8 .b64 table[32] = {";
    for (u32 i = 0; i < 32; ++i) text += fmt::format("{}{}", i ? ", " : "", random_() >> 8);
    text += "};\n.extern .shared .align 16 .b8 dynamic[];\n\n";
    text += functions();
    text += ".visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .u64 k_scratch, .param .u32 k_a, "
            ".param .u64 k_b)\n{\n";
    for (const auto& [letter, pool] : pools())
      text += fmt::format("\t.reg .{} {}<{}>;\n", pool.declared, pool.prefix, pool.count);
    text += "\t.reg .b64 %in, %out, %scr, %a<4>, %pb;\n\t.reg .b32 %it, %ig, %t<4>, %pa, %lc<8>, %lt<8>, "
            "%lanes;\n"
            "\t.reg .b16 %u<2>;\n\t.reg .b64 %m<2>;\n\t.reg .pred %lp, %q<2>;\n"
            "\t.shared .align 16 .b8 shared[4096];\n\t.local .align 16 .b8 local[64];\n";
    return text;
  }

  static std::string functions() {
    return ".func (.param .b32 out) mix(.param .b32 x, .param .b32 y)\n{\n\t.reg .b32 %r<4>;\n\t.reg .pred "
           "%p;\n"
           "\tld.param.b32 %r0, [x];\n\tld.param.b32 %r1, [y];\n\tmad.lo.u32 %r2, %r0, 31, %r1;\n"
           "\tsetp.gt.s32 %p, %r2, 0;\n\t@%p bra $big;\n\txor.b32 %r2, %r2, 1431655765;\n\tbra.uni $end;\n"
           "$big:\n\tshr.u32 %r2, %r2, 3;\n$end:\n\tst.param.b32 [out], %r2;\n\tret;\n}\n"
           ".func (.param .b32 out) climb(.param .b32 n, .param .b32 x)\n{\n\t.reg .b32 %r<5>;\n\t.reg .pred "
           "%p;\n"
           "\tld.param.b32 %r0, [n];\n\tld.param.b32 %r1, [x];\n\tsetp.eq.u32 %p, %r0, 0;\n\t@%p bra $end;\n"
           "\tsub.u32 %r2, %r0, 1;\n\tmad.lo.u32 %r3, %r1, 3, %r0;\n\t{\n\t.param .b32 a0;\n\tst.param.b32 "
           "[a0], %r2;\n"
           "\t.param .b32 a1;\n\tst.param.b32 [a1], %r3;\n\t.param .b32 ret;\n\tcall.uni (ret), climb, (a0, "
           "a1);\n"
           "\tld.param.b32 %r1, [ret];\n\t}\n$end:\n\tst.param.b32 [out], %r1;\n\tret;\n}\n\n";
  }

  void prologue() {
    emit("ld.param.u64 %in, [k_in]"), emit("ld.param.u64 %out, [k_out]"),
        emit("ld.param.u64 %scr, [k_scratch]");
    emit("ld.param.u32 %pa, [k_a]"), emit("ld.param.u64 %pb, [k_b]");
    emit("mov.u32 %t0, %tid.z"), emit("mov.u32 %t1, %ntid.y"), emit("mov.u32 %t2, %tid.y"),
        emit("mad.lo.u32 %t0, %t0, %t1, %t2");
    emit("mov.u32 %t1, %ntid.x"), emit("mov.u32 %t2, %tid.x"), emit("mad.lo.u32 %it, %t0, %t1, %t2");
    emit("mov.u32 %t0, %ctaid.z"), emit("mov.u32 %t1, %nctaid.y"), emit("mov.u32 %t2, %ctaid.y"),
        emit("mad.lo.u32 %t0, %t0, %t1, %t2");
    emit("mov.u32 %t1, %nctaid.x"), emit("mov.u32 %t2, %ctaid.x"), emit("mad.lo.u32 %t0, %t0, %t1, %t2");
    emit("mad.lo.u32 %ig, %t0, {}, %it", program_.block.count());
    emit("activemask.b32 %lanes");
    for (u32 at = 0; at < private_bytes; at += 16)
      emit("st.local.v4.b32 [local+{}], {{%it, %ig, %pa, %it}}", at);
    clear_shared();
    for (const auto& [letter, pool] : pools())
      for (u32 i = 0; i < pool.count; ++i) seed_register(letter, fmt::format("{}{}", pool.prefix, i), i);
  }

  void clear_shared() {
    u32 loop = fresh();
    emit("mov.u32 %t0, %it");
    label(loop);
    emit("shl.b32 %t1, %t0, 2"), emit("mov.u32 %t2, shared"), emit("add.u32 %t2, %t2, %t1");
    emit("st.shared.u32 [%t2], %t0"), emit("add.u32 %t0, %t0, {}", program_.block.count());
    emit("setp.lt.u32 %lp, %t0, 1024"), body_ += fmt::format("\t@%lp bra $L{};\n", loop);
    emit("bar.sync 0");
  }

  void seed_register(char pool, const std::string& name, u32 i) {
    static const char* words[] = {"%it", "%ig", "%pa"};
    switch (pool) {
    case 'r':
      emit("mad.lo.u32 {}, {}, {}, {}", name, words[i % 3], 1 + pick(5) * pick(1000), pick(100));
      return;
    case 'd':
      emit("mad.wide.u32 {}, {}, {}, {}", name, words[i % 3], 1 + pick(1u << 30),
           i % 2 ? "%pb" : "12345678901");
      return;
    case 'h': emit("cvt.u16.u32 {}, %r{}", name, i); return;
    case 'p': emit("setp.lt.u32 {}, %r{}, {}", name, 4 + i % 4, pick(200)); return;
    default: load_float(pool, name);
    }
  }

  void epilogue() {
    u32 offset = 0;
    std::string stores;
    auto save = [&](SlotKind kind, const std::string& name, const char* type) {
      u32 size = slot_bytes(kind);
      offset = (offset + size - 1) / size * size;
      stores += fmt::format("\tst.global.{} [%a0+{}], {};\n", type, offset, name);
      offset += size;
      program_.slots.push_back(kind);
    };
    for (const auto& [letter, pool] : pools()) {
      if (letter == 'p') continue;
      for (u32 i = 0; i < pool.count; ++i)
        save(pool.slot, fmt::format("{}{}", pool.prefix, i), pool.declared);
    }
    for (u32 i = 0; i < 4; ++i) emit("selp.b32 %t{}, 1, 0, %p{}", i, i);
    for (u32 i = 0; i < 4; ++i) save(SlotKind::b32, fmt::format("%t{}", i), "b32");
    program_.output_stride = (offset + 7) / 8 * 8;
    emit("mul.wide.u32 %a0, %ig, {}", program_.output_stride), emit("add.s64 %a0, %out, %a0");
    body_ += stores;
    emit("ret");
  }

  // --- statements. `whole`: every thread of the CTA gets here together.
  void block(u32 depth, bool whole, u32 statements) {
    for (u32 i = 0; i < statements; ++i) statement(depth, whole);
  }

  void statement(u32 depth, bool whole) {
    u32 kind = pick(100);
    if (kind < 52) return compute();
    if (kind < 56) return carry_chain();
    if (kind < 64) return global_load();
    if (kind < 69) return global_store();
    if (kind < 73) return small_space();
    if (kind < 77) return atomic();
    if (kind < 80) return call();
    if (kind < 85 && whole) return shared_exchange();
    if (kind < 90 && whole && whole_warps_) return warp_operation();
    if (depth == 0) return compute();
    if (kind < 94) return branch(depth, whole);
    if (kind < 98) return loop(depth, whole);
    return jump_table(depth);
  }

  // An operand of a type; an integer may be an immediate.
  std::string operand(ir::Type type) {
    char pool = pool_of(std::string(ir::name(type)));
    u32 bits = ir::bits(type);
    if (std::string_view("hrd").find(pool) != std::string_view::npos && bits > 8 && immediates_ && chance(12))
      return std::to_string(pick(2) ? pick(40) : pick(bits >= 32 ? 1u << 30 : 127));
    return reg(pool);
  }
  // A shift amount or a position.
  std::string amount() { return chance(30) ? std::to_string(pick(70)) : reg('r'); }

  std::string predicate() {
    bool negated = chance(25);
    return fmt::format("{}{}", negated ? "!" : "", reg('p'));
  }

  // `value`: a letter of random_shapes.h.
  std::string operand(ir::OperandRule rule, const ir::Form& form, char value) {
    ir::Type type = ir::type_of(rule, form);
    std::string name(ir::name(type));
    if (value == 'n') return divisor(name, ir::bits(type));
    if (value == 'k') return std::to_string(pick(256));
    if (value == 'q') return field_operand();
    if (rule.destination() || rule.type == ir::OperandType::wide) return reg(pool_of(name));
    if (rule.letter == 'c') return predicate();
    return rule.type == ir::OperandType::u32 || rule.type == ir::OperandType::s32 ? amount() : operand(type);
  }

  std::string field_operand() {
    if (chance(60)) return std::to_string(pick(80));
    std::string temporary = fmt::format("%t{}", pick(2));
    emit("and.b32 {}, {}, 255", temporary, reg('r'));
    return temporary;
  }

  std::string divisor(const std::string& type, u32 bits) {
    if (chance(50)) return std::to_string(1 + pick(100));
    const char* temporary = bits == 16 ? "%u0" : bits == 32 ? "%t3" : "%m0";
    emit("or.b{} {}, {}, 1", bits, temporary, reg(pool_of(type)));
    return temporary;
  }

  void compute() {
    const Shape& shape = shapes()[pick(static_cast<u32>(shapes().size()))];
    std::vector<std::string> types;
    std::istringstream list(shape.types);
    for (std::string type; list >> type;) types.push_back(type);
    const std::string& type = types[pick(static_cast<u32>(types.size()))];
    std::string text = shape.text;
    text.replace(text.find('%'), 1, "." + type);
    immediates_ = shape.opcode() != "cvt" && !type.ends_with("x2");
    ir::Form form = ir::parse_form(text).value();
    std::string_view values = shape.values;
    std::string operands;
    std::size_t at = 0;
    for (ir::OperandRule rule : ir::operands(form)) {
      if (values.empty() ? rule.optional : at == values.size()) break;
      if (at > 0) operands += ", ";
      operands += operand(rule, form, values.empty() ? '.' : values[at]);
      ++at;
    }
    emit("{}{} {}", guard(), text, operands);
  }

  void carry_chain() {
    bool wide = chance(25);
    char pool = wide ? 'd' : 'r';
    const char* type = wide ? "u64" : "u32";
    if (!wide && chance(40)) {
      emit("mad.lo.cc.u32 %t0, {}, {}, {}", reg('r'), reg('r'), reg('r'));
      emit("madc.hi.cc.u32 %t1, {}, {}, {}", reg('r'), reg('r'), reg('r'));
      emit("addc.u32 {}, %t0, %t1", reg('r'));
      return;
    }
    const char* op = chance(40) ? "sub" : "add";
    for (const char* form : {".cc", "c.cc", "c"}) {
      emit("{}{}.{} {}, {}, {}", op, form, type, reg(pool), reg(pool), reg(pool));
      if (chance(20)) op = *op == 's' ? "add" : "sub"; // one reads the other's carry
    }
  }

  // --- memory
  // Leaves in %a0 the address of an element of `size` bytes in 64 KiB of the input that begin at `offset`.
  void input_address(u32 offset, u32 size) {
    static const char* indices[] = {"%ig", "%it", "%ig", "%lc1"};
    if (chance(60)) // below 5 · 768 + 64, so within the region for every size
      emit("mad.lo.u32 %t0, {}, {}, {}", indices[pick(inside_loop_ ? 4 : 3)], pick(5), pick(64));
    else
      emit("and.b32 %t0, {}, {}", reg('r'), (1u << pick(13)) - 1);
    emit("mul.wide.u32 %a0, %t0, {}", size), emit("add.s64 %a0, %a0, %in");
    if (offset != 0) emit("add.s64 %a0, %a0, {}", offset);
  }

  void load_float(char pool, const std::string& name) {
    if (pool == 'f') input_address(f32_at, 4), emit("ld.global.f32 {}, [%a0]", name);
    if (pool == 'g') input_address(f64_at, 8), emit("ld.global.f64 {}, [%a0]", name);
    if (pool == 'n') input_address(f16_at, 2), emit("ld.global.b16 {}, [%a0]", name);
    if (pool == 'b') input_address(bf16_at, 2), emit("ld.global.b16 {}, [%a0]", name);
    if (pool == 'v') input_address(f16_at, 4), emit("ld.global.b32 {}, [%a0]", name);
    if (pool == 'w') input_address(bf16_at, 4), emit("ld.global.b32 {}, [%a0]", name);
  }

  void global_load() {
    static const char* ways[] = {"ld.global",    "ld.global",    "ld.global.nc",
                                 "ld.global.ca", "ld.global.cg", "ld"};
    const char* ld = ways[pick(std::size(ways))];
    std::string g = guard();
    switch (pick(9)) {
    case 0: input_address(0, 1), emit("{}{}.{} {}, [%a0]", g, ld, chance(50) ? "u8" : "s8", reg('r')); return;
    case 1:
      input_address(0, 2),
          emit("{}{}.{} {}, [%a0]", g, ld, chance(50) ? "u16" : "s16", chance(50) ? reg('r') : reg('h'));
      return;
    case 2:
      input_address(0, 4),
          emit("{}{}.{} {}, [%a0]", g, ld, chance(50) ? "u32" : "s32", chance(70) ? reg('r') : reg('d'));
      return;
    case 3: input_address(0, 8), emit("{}{}.u64 {}, [%a0]", g, ld, reg('d')); return;
    case 4: input_address(0, 8), emit("{}{}.v2.u32 {{%r0, %r1}}, [%a0]", g, ld); return;
    case 5: input_address(0, 16), emit("{}{}.v4.u32 {{%r2, %r3, %r4, _}}, [%a0]", g, ld); return;
    case 6: input_address(f32_at, 16), emit("{}{}.v4.f32 {{%f0, %f1, %f2, %f3}}, [%a0]", g, ld); return;
    case 7: input_address(f64_at, 16), emit("{}{}.v2.f64 {{%g0, %g1}}, [%a0]", g, ld); return;
    default: load_any_float();
    }
  }
  void load_any_float() {
    char pool = "fgnbvw"[pick(6)];
    load_float(pool, reg(pool));
  }

  u32 threads() const { return static_cast<u32>(program_.grid.count() * program_.block.count()); }

  void global_store() {
    std::string g = guard();
    if (chance(50)) { // the thread's own bytes, then read back
      emit("mul.wide.u32 %a0, %ig, {}", private_bytes), emit("add.s64 %a0, %a0, %scr");
      u32 at = pick(4) * 16;
      switch (pick(4)) {
      case 0: emit("{}st.global.v2.u32 [%a0+{}], {{{}, {}}}", g, at, reg('r'), reg('r')); break;
      case 1: emit("{}st.global.u64 [%a0+{}], {}", g, at, reg('d')); break;
      case 2: emit("{}st.global.u8 [%a0+{}], {}", g, at + pick(16), reg('r')); break;
      default:
        emit("{}st.v4.b32 [%a0+{}], {{{}, {}, {}, {}}}", g, at, reg('r'), reg('r'), reg('r'), reg('r'));
      }
      emit("ld.global.u32 {}, [%a0+{}]", reg('r'), at);
      return;
    }
    u32 place = scattered_++; // 1024 slots of 16 bytes that belong to this statement alone
    emit("mad.lo.u32 %t0, %ig, {}, {}", 2 * pick(512) + 1, pick(1024)), emit("and.b32 %t0, %t0, 1023");
    emit("mul.wide.u32 %a0, %t0, 16"), emit("add.s64 %a0, %a0, %scr");
    emit("add.s64 %a0, %a0, {}", threads() * private_bytes + sums_bytes + place * 16 * 1024);
    emit("{}st.global.u32 [%a0], {}", g, reg('r'));
    emit("ld.global.u32 {}, [%a0]", reg('r'));
  }

  void small_space() {
    switch (pick(4)) {
    case 0:
      emit("and.b32 %t0, {}, 60", chance(50) ? reg('r') : "%it"), emit("cvt.u64.u32 %a0, %t0"),
          emit("mov.u64 %a1, local");
      emit("add.s64 %a0, %a0, %a1"), emit("{}st.local.u32 [%a0], {}", guard(), reg('r'));
      emit("ld.local.u32 {}, [local+{}]", reg('r'), 4 * pick(16));
      return;
    case 1:
      emit("and.b32 %t0, {}, 63", chance(50) ? reg('r') : "%pa"), emit("mul.wide.u32 %a0, %t0, 4"),
          emit("mov.u64 %a1, constants");
      emit("add.s64 %a0, %a0, %a1"), emit("ld.const.u32 {}, [%a0]", reg('r'));
      return;
    case 2:
      emit("and.b32 %t0, {}, 31", chance(50) ? reg('r') : "%it"), emit("mul.wide.u32 %a0, %t0, 8"),
          emit("mov.u64 %a1, table");
      emit("add.s64 %a0, %a0, %a1"), emit("{}ld.global.u64 {}, [%a0]", guard(), reg('d'));
      return;
    default: shared_load();
    }
  }

  void shared_load() {
    emit("mad.lo.u32 %t0, {}, {}, {}", chance(60) ? "%it" : reg('r'), 1 + pick(40), pick(100));
    if (chance(25)) { // through a generic address
      emit("and.b32 %t0, %t0, 1020"), emit("cvt.u64.u32 %a0, %t0"), emit("mov.u64 %a1, shared"),
          emit("cvta.shared.u64 %a1, %a1");
      emit("add.s64 %a0, %a0, %a1"), emit("{}ld.u32 {}, [%a0]", guard(), reg('r'));
      return;
    }
    u32 size = 1u << pick(5);
    emit("and.b32 %t0, %t0, {}", 4096 / size - 1), emit("mul.lo.u32 %t0, %t0, {}", size),
        emit("mov.u32 %t1, shared"), emit("add.u32 %t0, %t0, %t1");
    if (size <= 2) emit("ld.shared.{} {}, [%t0]", size == 1 ? "s8" : "u16", reg('r'));
    if (size == 4) emit("{}ld.shared.u32 {}, [%t0]", guard(), reg('r'));
    if (size == 8) emit("ld.shared.u64 {}, [%t0]", reg('d'));
    if (size == 16) emit("ld.shared.v4.u32 {{%r4, %r5, %r6, %r7}}, [%t0]");
  }

  void shared_exchange() {
    const char* base = program_.dynamic_shared && chance(40) ? "dynamic" : "shared";
    u32 odd = 2 * pick(64) + 1, width = chance(30) && *base == 's' ? 8 : 4;
    emit("bar.sync 0");
    emit("mad.lo.u32 %t0, %it, {}, {}", odd, pick(128)), emit("and.b32 %t0, %t0, 127"),
        emit("mul.lo.u32 %t0, %t0, {}", width);
    emit("mov.u32 %t1, {}", base), emit("add.u32 %t0, %t0, %t1");
    if (width == 8)
      emit("st.shared.u64 [%t0], {}", reg('d'));
    else
      emit("st.shared.u32 [%t0], {}", reg('r'));
    emit("bar.sync 0");
    if (chance(40)) emit("red.shared.add.u32 [shared+{}], {}", 2048 + 4 * pick(64), reg('r'));
    if (chance(30))
      emit("bar.red.popc.u32 {}, 0, {}", reg('r'), reg('p'));
    else
      emit("barrier.sync 0");
    if (*base == 's')
      shared_load();
    else
      emit("ld.shared.u32 {}, [%t0]", reg('r'));
  }

  // Reductions on sums of all threads (any order gives the same), atomics on the thread's own bytes.
  void atomic() {
    if (chance(50)) {
      static const char* ops[] = {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
      u32 op = pick(std::size(ops));
      emit("and.b32 %t0, {}, 31", chance(50) ? reg('r') : "%it"), emit("mul.wide.u32 %a0, %t0, 4"),
          emit("add.s64 %a0, %a0, %scr");
      emit("{}red.global.{} [%a0+{}], {}", guard(), ops[op], threads() * private_bytes + op * 128, reg('r'));
      return;
    }
    static const char* ops[] = {"add.u32", "min.u32",  "max.s32", "and.b32", "or.b32",
                                "xor.b32", "exch.b32", "inc.u32", "dec.u32"};
    emit("mul.wide.u32 %a0, %ig, {}", private_bytes), emit("add.s64 %a0, %a0, %scr");
    u32 at = 8 * pick(8);
    if (chance(20))
      emit("{}atom.global.cas.b32 {}, [%a0+{}], {}, {}", guard(), reg('r'), at, reg('r'), reg('r'));
    else if (chance(20))
      emit("{}atom.global.add.u64 {}, [%a0+{}], {}", guard(), reg('d'), at, reg('d'));
    else
      emit("{}atom.global.{} {}, [%a0+{}], {}", guard(), ops[pick(std::size(ops))], reg('r'), at, reg('r'));
  }

  // --- warps, calls, control
  void warp_operation() {
    static const char* modes[] = {"up", "down", "bfly", "idx"};
    static const char* reductions[] = {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
    switch (pick(6)) {
    case 0:
    case 1: {
      const char* mode = modes[pick(4)];
      u32 segment = pick(3) ? 0 : 32 - (2u << pick(4)), clamp = *mode == 'u' ? 0 : 31;
      emit("shfl.sync.{}.b32 {}|{}, {}, {}, {}, %lanes", mode, reg('r'), reg('p'), reg('r'), amount(),
           segment << 8 | clamp);
      return;
    }
    case 2: emit("vote.sync.ballot.b32 {}, {}, %lanes", reg('r'), predicate()); return;
    case 3:
      emit("vote.sync.{}.pred {}, {}, %lanes",
           chance(50)   ? "any"
           : chance(50) ? "all"
                        : "uni",
           reg('p'), predicate());
      return;
    case 4:
      emit("and.b32 %t0, {}, 3", reg('r')), emit("match.any.sync.b32 {}, %t0, %lanes", reg('r'));
      return;
    default: emit("redux.sync.{} {}, {}, %lanes", reductions[pick(6)], reg('r'), reg('r'));
    }
  }

  void call() {
    bool recursive = chance(30), indirect = chance(25);
    if (recursive) emit("and.b32 %t0, {}, 3", reg('r'));
    std::string first = recursive ? "%t0" : reg('r');
    const char* callee = recursive ? "climb" : "mix";
    body_ += "\t{\n";
    emit(".param .b32 a0"), emit("st.param.b32 [a0], {}", first), emit(".param .b32 a1"),
        emit("st.param.b32 [a1], {}", reg('r'));
    emit(".param .b32 ret");
    if (indirect) {
      u32 id = fresh();
      emit("mov.u64 %a0, {}", callee);
      body_ += fmt::format(
          "\tprototype_{} : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n", id);
      emit("call (ret), %a0, (a0, a1), prototype_{}", id);
    } else {
      emit("call.uni (ret), {}, (a0, a1)", callee);
    }
    emit("ld.param.b32 {}, [ret]", reg('r'));
    body_ += "\t}\n";
  }

  void branch(u32 depth, bool whole) {
    bool uniform = whole && chance(40), has_else = chance(60);
    u32 other = fresh(), end = fresh();
    if (uniform) emit("setp.lt.u32 %lp, %pa, {}", static_cast<u32>(random_()));
    body_ += fmt::format("\t@{}{} bra $L{};\n", chance(50) ? "!" : "", uniform ? "%lp" : reg('p'),
                         has_else ? other : end);
    block(depth - 1, uniform, 1 + pick(4));
    if (has_else) {
      emit("bra.uni $L{}", end);
      label(other);
      block(depth - 1, uniform, 1 + pick(4));
    }
    label(end);
  }

  void loop(u32 depth, bool whole) {
    bool uniform = whole && chance(50), breaks = !uniform && chance(30);
    u32 begin = fresh(), end = fresh(), counter = depth;
    emit("mov.u32 %lc{}, 0", counter), emit("and.b32 %lt{}, {}, 3", counter, uniform ? "%pa" : reg('r'));
    label(begin);
    emit("setp.ge.u32 %lp, %lc{}, %lt{}", counter, counter);
    body_ += fmt::format("\t@%lp bra $L{};\n", end);
    bool outer = std::exchange(inside_loop_, inside_loop_ || counter == 1);
    block(depth - 1, uniform, 1 + pick(4));
    if (breaks) body_ += fmt::format("\t@{} bra $L{};\n", reg('p'), end);
    block(depth - 1, uniform, pick(3));
    inside_loop_ = outer;
    emit("add.u32 %lc{}, %lc{}, 1", counter, counter), emit("bra.uni $L{}", begin);
    label(end);
  }

  void jump_table(u32 depth) {
    u32 end = fresh(), table = fresh(), cases[4];
    std::string list;
    for (u32& c : cases) c = fresh(), list += fmt::format("{}$L{}", list.empty() ? "" : ", ", c);
    emit("and.b32 %t0, {}, 3", reg('r'));
    body_ += fmt::format("$T{}: .branchtargets {};\n", table, list);
    emit("brx.idx %t0, $T{}", table);
    for (u32 c : cases) {
      label(c);
      block(depth - 1, false, 1 + pick(2));
      emit("bra.uni $L{}", end);
    }
    label(end);
  }

  // --- data
  template <class T> void put(u32 at, T value) {
    std::memcpy(program_.input.data() + at, &value, sizeof value);
  }
  double number() {
    static const double special[] = {0.0,   -0.0,  1.0,  -1.0,     0.5,       65504,
                                     1e-40, -1e-5, 3e38, INFINITY, -INFINITY, NAN};
    if (chance(8)) return special[pick(std::size(special))];
    double mantissa = static_cast<double>(static_cast<i64>(random_())) / 0x1p63;
    return std::ldexp(mantissa, static_cast<int>(pick(24)) - 10);
  }
  void fill_input() {
    program_.input.resize(5 * region);
    for (u32 at = 0; at < region; at += 8) put<u64>(at, chance(30) ? pick(300) : random_());
    for (u32 at = 0; at < region; at += 4) put<float>(f32_at + at, static_cast<float>(number()));
    for (u32 at = 0; at < region; at += 8) put<double>(f64_at + at, number());
    for (u32 at = 0; at < region; at += 2) {
      put<_Float16>(f16_at + at, static_cast<_Float16>(number()));
      put<u16>(bf16_at + at, static_cast<u16>(std::bit_cast<u32>(static_cast<float>(number())) >> 16));
    }
  }

  std::mt19937_64 random_;
  RandomProgram program_;
  std::string body_;
  u32 labels_ = 0, scattered_ = 0;
  bool whole_warps_ = true, inside_loop_ = false, immediates_ = true;
};

bool is_nan(u64 bits, u32 width, u32 mantissa_bits) {
  u64 magnitude = bits & ((u64{1} << (width - 1)) - 1),
      infinity = ((u64{1} << (width - 1 - mantissa_bits)) - 1) << mantissa_bits;
  return magnitude > infinity;
}

bool same_value(SlotKind kind, u64 a, u64 b) {
  if (a == b) return true;
  auto both_nan = [&](u32 width, u32 mantissa) {
    return is_nan(a, width, mantissa) && is_nan(b, width, mantissa);
  };
  switch (kind) {
  case SlotKind::f16: return both_nan(16, 10);
  case SlotKind::bf16: return both_nan(16, 7);
  case SlotKind::f32: return both_nan(32, 23);
  case SlotKind::f64: return both_nan(64, 52);
  case SlotKind::f16x2:
    return same_value(SlotKind::f16, a & 0xffff, b & 0xffff) && same_value(SlotKind::f16, a >> 16, b >> 16);
  case SlotKind::bf16x2:
    return same_value(SlotKind::bf16, a & 0xffff, b & 0xffff) && same_value(SlotKind::bf16, a >> 16, b >> 16);
  default: return false;
  }
}

} // namespace

u32 slot_bytes(SlotKind kind) {
  static constexpr u32 sizes[] = {2, 4, 8, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<u8>(kind)];
}

RandomProgram random_program(u64 seed) { return Generator(seed).generate(); }

std::string compare_outputs(const RandomProgram& program, const std::vector<std::byte>& a,
                            const std::vector<std::byte>& b) {
  static const char* names[] = {"b16", "b32", "b64", "f16", "bf16", "f16x2", "bf16x2", "f32", "f64"};
  u64 threads = program.grid.count() * program.block.count();
  for (u64 thread = 0; thread < threads; ++thread) {
    u32 offset = 0;
    for (std::size_t slot = 0; slot < program.slots.size(); ++slot) {
      SlotKind kind = program.slots[slot];
      u32 size = slot_bytes(kind);
      offset = (offset + size - 1) / size * size;
      u64 x = 0, y = 0;
      std::memcpy(&x, a.data() + thread * program.output_stride + offset, size);
      std::memcpy(&y, b.data() + thread * program.output_stride + offset, size);
      if (!same_value(kind, x, y))
        return fmt::format("thread {}, slot {} ({}): {:#x} against {:#x}", thread, slot,
                           names[static_cast<u8>(kind)], x, y);
      offset += size;
    }
  }
  return {};
}

} // namespace warplens::oracle
