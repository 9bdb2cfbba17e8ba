// Random kernels against the analysis: branches and jump tables that lanes take apart, nested loops that they leave in
// different rounds and by several ways, ways that meet, early exits, calls, values that wrap around or were kept in local
// memory, and accesses whose addresses come out of all that: scalars and vectors, in global, shared and local memory, by
// generic addresses, atomics, asynchronous copies. Besides, what code has for a purpose: rotations, swizzles, shifts by a number
// that is not known, loops unrolled by four, strides by parameters and by the size of the block.
//
// A program's variables are a few registers that every statement may assign, so that each way to a place brings values of
// its own. Addresses are masked to stay in the buffer, or byte offsets of 32 bits into a buffer of 4 GiB.
#pragma once
#include "base/types.h"
#include <bit>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

namespace warplens::check_testing {

class KernelMaker {
public:
  explicit KernelMaker(u32 seed) : random_(seed) {}

  std::string make() {
    body_ = "ld.param.u64 %base, [k_param_0];\nld.param.u64 %index, [k_param_1];\n"
            "ld.param.u32 %in0, [k_param_2];\nld.param.u32 %in1, [k_param_3];\n"
            "mov.u32 %in2, %tid.x;\nmov.u32 %in3, %tid.y;\nmov.u32 %in4, %ctaid.x;\nmov.u32 %in5, %ntid.x;\n"
            "mad.lo.u32 %in6, %in4, %in5, %in2;\nmov.u32 %in7, %laneid;\n"
            "ld.global.u32 %in8, [%index];\n"
            "mul.wide.u32 %wide, %in2, 4;\nadd.u64 %wide, %wide, %index;\nld.global.u32 %in9, [%wide+64];\n";
    for (u32 v = 0; v < variables; ++v) line("mov.b32 %v{}, {};", v, input());
    statements(3, 7);
    access();
    return ".version 8.3\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 tile[20480];\n" +
           std::string(helper) +
           ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2, .param "
           ".u32 k_param_3)\n{\n"
           ".local .align 16 .b8 depot[256];\n"
           ".reg .b32 %in<10>; .reg .b32 %v<5>; .reg .b32 %t<" +
           std::to_string(temporaries_ + 1) +
           ">;\n"
           ".reg .b64 %base, %index, %wide; .reg .b64 %a<" +
           std::to_string(temporaries_ + 1) +
           ">;\n"
           ".reg .pred %p<" +
           std::to_string(temporaries_ + 1) + ">;\n" + body_ + "LEAVE:\nret;\n}\n";
  }

private:
  static constexpr u32 variables = 5;
  // Called by whichever lanes are there, with what each of them has.
  static constexpr std::string_view helper = R"(
.global .align 16 .b8 table[4096];
.func (.param .b32 out) helper(.param .b32 a, .param .b64 where)
{
.reg .b32 %h<6>, %a; .reg .b64 %w<4>, %where;
ld.param.b32 %a, [a];
ld.param.b64 %where, [where];
mov.u32 %h1, %tid.x;
and.b32 %h2, %h1, 255;
shl.b32 %h2, %h2, 2;
cvt.u64.u32 %w1, %h2;
mov.u64 %w2, table;
add.u64 %w2, %w2, %w1;
ld.global.u32 %h3, [%w2];
and.b32 %h4, %a, 4092;
cvt.u64.u32 %w3, %h4;
add.u64 %w3, %w3, %where;
ld.global.u32 %h5, [%w3];
add.s32 %h5, %h5, %h1;
st.param.b32 [out], %h5;
ret;
}
)";
  template <class... A> void line(fmt::format_string<A...> text, A&&... a) {
    body_ += fmt::format(text, std::forward<A>(a)...) + '\n';
  }
  u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random_); }
  bool chance(u32 percent) { return below(100) < percent; }
  u32 temporary() { return ++temporaries_; }
  std::string variable() { return fmt::format("%v{}", below(variables)); }
  std::string constant() {
    constexpr u32 some[] = {1,  2,  3,  4,   5,   7,          8,          15,      16,  31,
                            32, 33, 64, 100, 128, 0xffffffff, 0x7fffffff, 0x10000, ~7u, ~31u};
    return std::to_string(static_cast<i32>(some[below(std::size(some))]));
  }
  std::string input() { return fmt::format("%in{}", chance(70) ? 2 + below(6) : below(10)); }
  std::string value() {
    if (!counters_.empty() && chance(12))
      return fmt::format("%t{}", counters_[below(static_cast<u32>(counters_.size()))]);
    return chance(45) ? variable() : chance(60) ? input() : constant();
  }

  void assign() {
    std::string v = variable(), a = value(), b = value();
    switch (below(25)) {
    case 0:
    case 1:
    case 2: line("add.s32 {}, {}, {};", v, a, b); break;
    case 3: line("sub.s32 {}, {}, {};", v, a, b); break;
    case 4: line("mul.lo.s32 {}, {}, {};", v, a, b); break;
    case 5: line("mad.lo.s32 {}, {}, {}, {};", v, a, constant(), b); break;
    case 6: line("shl.b32 {}, {}, {};", v, a, below(6)); break;
    case 7: line("shr.{} {}, {}, {};", chance(50) ? "u32" : "s32", v, a, below(7)); break;
    case 8: line("and.b32 {}, {}, {};", v, a, chance(60) ? constant() : b); break;
    case 9: line("{}.b32 {}, {}, {};", chance(50) ? "xor" : "or", v, a, chance(60) ? constant() : b); break;
    case 10:
      line("{}.{} {}, {}, {};", chance(50) ? "min" : "max", chance(50) ? "u32" : "s32", v, a, b);
      break;
    case 11:
      line("{}.{} {}, {}, {};", chance(50) ? "div" : "rem", chance(70) ? "u32" : "s32", v, a,
           chance(70) ? 1u << below(5) : 3 + below(30));
      break;
    case 14: line("bfe.{} {}, {}, {}, {};", chance(50) ? "u32" : "s32", v, a, below(8), 1 + below(12)); break;
    case 15: line("bfi.b32 {}, {}, {}, {}, {};", v, a, b, below(8), 1 + below(12)); break;
    case 16:
      line("lop3.b32 {}, {}, {}, {}, {};", v, a, b, chance(50) ? constant() : value(), below(256));
      break;
    case 17: narrow(v, a); break;
    case 18: line("{} {}, {};", one_operand(), v, a); break;
    case 21: shift_by_unknown(v, a[0] == '%' ? a : variable()); break;
    case 22:
    case 23: swizzle(v); break;
    case 24: multiple(v); break;
    case 19: line("mul.hi.{} {}, {}, {};", chance(50) ? "u32" : "s32", v, a, b); break;
    case 20:
      line("shf.{}.{}.b32 {}, {}, {}, {};", chance(50) ? "l" : "r", chance(50) ? "wrap" : "clamp", v, a, b,
           below(34));
      break;
    case 12: {
      u32 p = condition();
      line("selp.b32 {}, {}, {}, %p{};", v, a, b, p);
      break;
    }
    default: {
      u32 p = condition();
      line("@{}%p{} mov.b32 {}, {};", chance(50) ? "!" : "", p, v, a);
    }
    }
  }

  // By a number that is not known and mostly equal in all lanes.
  void shift_by_unknown(const std::string& v, const std::string& a) {
    constexpr std::string_view how[] = {"shr.u32", "shr.s32", "shl.b32", "shf.l.wrap.b32", "shf.r.clamp.b32"};
    const std::string_view one = how[below(std::size(how))];
    u32 t = temporary();
    line("and.b32 %t{}, {}, 15;", t, input());
    one[2] == 'f' ? line("{} {}, {}, {}, %t{};", one, v, a, a, t) : line("{} {}, {}, %t{};", one, v, a, t);
  }

  // (lane + r) % 2^k, lane ^ r, with r mostly equal in all lanes; as swizzles have it.
  void swizzle(const std::string& v) {
    const std::string lane = chance(60) ? "%in2" : "%in7";
    switch (below(3)) {
    case 0:
      line("add.s32 {0}, {1}, {2};\nand.b32 {0}, {0}, {3};", v, lane, value(), (1u << (2 + below(8))) - 1);
      break;
    case 1: line("xor.b32 {}, {}, {};", v, lane, value()); break;
    default: line("{}.b32 {}, {}, {};", chance(50) ? "and" : "or", v, lane, input());
    }
    if (chance(40)) line("and.b32 {0}, {0}, {1};", v, (1u << (3 + below(5))) - 1);
    if (chance(30)) line("shr.u32 {0}, {0}, {1};", v, below(4));
  }

  // A loop unrolled by four as compilers have it: what comes past both loops is undefined, here 0. Some are not quite so.
  void unrolled() {
    u32 t = temporary(), p = temporary();
    const u32 bound = chance(70) ? 3 : below(6), mask = chance(80) ? 3 : 1 + below(7);
    std::string kept = variable(), step = input();
    line("and.b32 %t{0}, %in{1}, 15;\nadd.s32 %t{0}, %t{0}, {2};", t, below(2), below(3));
    line("setp.eq.s32 %p{0}, %t{1}, 0;\n@%p{0} bra BEHIND{1};", p, t);
    u32 less = temporary(), rounds = temporary(), sum = temporary();
    line("mov.b32 %t{}, {};\nmov.b32 {}, 0;", sum, variable(), kept);
    line("add.s32 %t{0}, %t{1}, -1;\nsetp.lt.u32 %p{2}, %t{0}, {3};\n@%p{2} bra REST{1};", less, t, p, bound);
    line("shr.u32 %t{0}, %t{1}, 2;\nadd.s32 %t{0}, %t{0}, 1;", rounds, less);
    line("FOUR{0}:\nmad.lo.s32 %t{1}, {2}, 4, %t{1};\nmov.b32 {3}, %t{1};", t, sum, step, kept);
    line("add.s32 %t{0}, %t{0}, -1;\nsetp.ne.s32 %p{1}, %t{0}, 0;\n@%p{1} bra FOUR{2};", rounds, p, t);
    line("REST{0}:\nand.b32 %t{1}, %t{0}, {2};\nsetp.eq.s32 %p{3}, %t{1}, 0;\n@%p{3} bra BEHIND{0};", t,
         rounds, mask, p);
    line("ONE{0}:\nadd.s32 %t{1}, %t{1}, {2};\nmov.b32 {3}, %t{1};", t, sum, step, kept);
    line("add.s32 %t{0}, %t{0}, -1;\nsetp.ne.s32 %p{1}, %t{0}, 0;\n@%p{1} bra ONE{2};\nBEHIND{2}:", rounds, p,
         t);
  }

  // (a*n + b) * x, of 32 bits: strides that are told with all of their parts.
  void multiple(const std::string& v) {
    u32 t = temporary();
    line("mad.lo.s32 %t{0}, %in{1}, {2}, {3};\nmul.lo.s32 {4}, %t{0}, %in{5};", t, below(2), below(5),
         below(4), v, chance(70) ? 2 : 7);
  }

  std::string_view one_operand() {
    constexpr std::string_view some[] = {"neg.s32", "not.b32", "abs.s32", "popc.b32", "clz.b32", "brev.b32"};
    return some[below(std::size(some))];
  }

  // Through a register of 16 bits, or one whose upper bits a byte fills.
  void narrow(const std::string& v, const std::string& a) {
    constexpr std::string_view types[] = {"u8", "s8", "u16", "s16"};
    std::string_view type = types[below(4)];
    if (type.size() == 2)
      line("cvt.{}32.{} {}, {};", type[0], type, v, a[0] == '%' ? a : variable());
    else
      line("{{ .reg .b16 %x; cvt.u16.u32 %x, {}; cvt.{}32.{} {}, %x; }}", a[0] == '%' ? a : variable(),
           type[0], type, v);
  }

  // A value that each lane keeps in its own memory, at an address that is the same for all.
  void spill() {
    u32 place = 4 * below(4), t = temporary();
    std::string generic = chance(30) ? "" : ".local";
    line("mov.u64 %a{}, depot;", t);
    if (generic.empty()) line("cvta.local.u64 %a{0}, %a{0};", t);
    line("st{}.b32 [%a{}+{}], {};", generic, t, place, variable());
    if (chance(50)) assign();
    line("ld{}.b32 {}, [%a{}+{}];", generic, variable(), t, place);
  }

  u32 condition() {
    constexpr const char* how[] = {"lt.s32", "lt.u32", "ge.s32", "gt.u32", "eq.s32", "ne.s32"};
    u32 p = temporary();
    line("setp.{} %p{}, {}, {};", how[below(6)], p, value(), chance(60) ? constant() : value());
    if (chance(15)) {
      constexpr const char* logic[] = {"and", "or", "xor"};
      line("{}.pred %p{}, %p{}, %p{};", logic[below(3)], p, p, condition());
    }
    return p;
  }

  void access() {
    u32 t = temporary(), bytes = 1u << below(5), kind = below(100);
    std::string guard = chance(15) ? fmt::format("@%p{} ", condition()) : "";
    if (kind >= 82 && kind < 86) return row(guard, t, bytes);
    if (kind >= 86 && kind < 90) return strided(guard, t, bytes);
    std::string from = value();
    if (from[0] != '%') from = variable();
    bool shared = kind < 30, local = kind >= 90;
    u32 size = shared ? 16384 : local ? 256 : 0;
    i32 mask = size != 0    ? static_cast<i32>(size - bytes)
               : chance(50) ? static_cast<i32>((1u << 20) - bytes)
                            : static_cast<i32>(0u - bytes);
    line("shl.b32 %t{0}, {1}, {2};\nand.b32 %t{0}, %t{0}, {3};\ncvt.u64.u32 %a{0}, %t{0};", t, from, below(5),
         mask);
    std::string space = shared ? ".shared" : local ? ".local" : ".global";
    std::string base = "%base";
    if (size != 0) {
      base = fmt::format("%a{}", temporary());
      line("mov.u64 {}, {};", base, shared ? "tile" : "depot");
      if (chance(25)) {
        line("cvta{0}.u64 {1}, {1};", space, base);
        space.clear();
      }
    }
    line("add.u64 %a{0}, %a{0}, {1};", t, base);
    std::string where =
        fmt::format("[%a{}{}]", t, size != 0 || chance(60) ? "" : fmt::format("+{}", bytes * below(5)));
    if (bytes == 4 && !local && chance(15)) return atomic(guard, space, where);
    if (bytes == 16 && !shared && !local && chance(30)) return copy(guard, t, where);
    move(guard, space, where, bytes);
  }

  // base[n*a + x], as matrices are indexed with numbers of 64 bits; the launch's n and m are small.
  void row(const std::string& guard, u32 t, u32 bytes) {
    u32 x = temporary();
    line("cvt.s64.s32 %a{0}, %in{1};\nmul.lo.s64 %a{0}, %a{0}, {2};\ncvt.u64.u32 %a{3}, %in{4};", t, below(2),
         below(20), x, chance(70) ? 2 : 3);
    line("add.s64 %a{0}, %a{0}, %a{1};\nmad.lo.s64 %a{0}, %a{0}, {2}, %base;", t, x, bytes);
    move(guard, ".global", fmt::format("[%a{}]", t), bytes);
  }

  // base[(a*n + b)*x], or the tile by blockDim.y: lanes apart by one number.
  void strided(const std::string& guard, u32 t, u32 bytes) {
    const u32 x = temporary(), lane = chance(70) ? 2 : 7;
    if (chance(40)) {
      line("mov.u32 %t{0}, %ntid.y;\nmul.lo.u32 %t{0}, %t{0}, %in{1};\nmad.lo.u32 %t{0}, %t{0}, {2}, {3};", t,
           lane, bytes, bytes * below(9));
      line("mov.u64 %a{0}, tile;\ncvt.u64.u32 %a{1}, %t{2};\nadd.u64 %a{1}, %a{1}, %a{0};", x, t, t);
      return move(guard, ".shared", fmt::format("[%a{}]", t), bytes);
    }
    line("cvt.s64.s32 %a{0}, %in{1};\nmul.lo.s64 %a{0}, %a{0}, {2};\nadd.s64 %a{0}, %a{0}, {3};\ncvt.u64.u32 "
         "%a{4}, %in{5};",
         t, below(2), below(4), below(4), x, lane);
    line("mul.lo.s64 %a{0}, %a{0}, %a{1};\nmad.lo.s64 %a{0}, %a{0}, {2}, %base;", t, x, bytes);
    move(guard, ".global", fmt::format("[%a{}]", t), bytes);
  }

  void atomic(const std::string& guard, const std::string& space, const std::string& where) {
    chance(50) ? line("{}red{}.add.u32 {}, {};", guard, space, where, variable())
               : line("{}atom{}.add.u32 {}, {}, {};", guard, space, variable(), where, variable());
  }

  void copy(const std::string& guard, u32 t, const std::string& where) {
    line("and.b32 %t{0}, %t{0}, 16368;\n{{ .reg .u32 %y; mov.u32 %y, tile; add.u32 %t{0}, %t{0}, %y; }}", t);
    line("{}cp.async.ca.shared.global [%t{}], {}, 16;", guard, t, where);
  }

  void move(const std::string& guard, const std::string& space, const std::string& where, u32 bytes) {
    constexpr std::string_view types[] = {"u8", "u16", "b32", "v2.b32", "v4.b32"};
    std::string_view type = types[std::countr_zero(bytes)];
    bool store = chance(40);
    std::string to = chance(30) ? "%v0" : fmt::format("%t{}", temporary());
    std::string registers = store ? variable() : to;
    if (bytes >= 8) registers = store ? "%v0, %v1" : to + ", %v1";
    if (bytes == 16) registers += ", %v2, %v3";
    if (bytes >= 8) registers = "{" + registers + "}";
    store ? line("{}st{}.{} {}, {};", guard, space, type, where, registers)
          : line("{}ld{}.{} {}, {};", guard, space, type, registers, where);
  }

  void branch(u32 depth) {
    u32 label = temporary(), p = condition();
    line("@%p{} bra ELSE{};", p, label);
    statements(depth - 1, 3);
    if (chance(60)) {
      line("bra END{};", label);
      line("ELSE{}:", label);
      statements(depth - 1, 3);
    } else {
      line("ELSE{}:", label);
    }
    line("END{}:", label);
  }

  void jump_table(u32 depth) {
    u32 label = temporary(), index = temporary();
    line("and.b32 %t{}, {}, 3;\nT{}: .branchtargets A{}, B{}, C{}, A{};\nbrx.idx %t{}, T{};", index,
         value_in_register(), label, label, label, label, label, index, label);
    for (std::string_view way : {"A", "B", "C"}) {
      line("{}{}:", way, label);
      statements(depth - 1, 2);
      if (chance(70)) line("bra END{};", label); // else into the next
    }
    line("END{}:", label);
  }

  void loop(u32 depth) {
    u32 label = temporary(), rounds = temporary(), counter = temporary();
    switch (below(4)) {
    case 0: line("mov.b32 %t{}, {};", rounds, 2 + below(3)); break;
    case 1: line("and.b32 %t{}, %in0, 3;", rounds); break;
    default: line("and.b32 %t{}, {}, 3;", rounds, chance(50) ? "%in2" : variable());
    }
    line("mov.b32 %t{}, 0;", counter);
    line("LOOP{}:", label);
    loops_.push_back(label);
    counters_.push_back(counter);
    statements(depth - 1, 3);
    loops_.pop_back();
    counters_.pop_back();
    if (chance(30)) line("@%p{} bra BEHIND{};", condition(), label);
    if (chance(40)) line("add.s32 {0}, {0}, {1};", variable(), value());
    line("NEXT{}:", label);
    line("add.s32 %t{0}, %t{0}, 1;", counter);
    line("@%p{} bra LOOP{};", chance(15) ? half_by_half(counter) : below_bound(counter, rounds), label);
    line("BEHIND{}:", label);
  }

  u32 below_bound(u32 counter, u32 rounds) {
    u32 p = temporary();
    line("setp.lt.u32 %p{}, %t{}, %t{};", p, counter, rounds);
    if (chance(25)) line("and.pred %p{0}, %p{0}, %p{1};", p, condition());
    return p;
  }
  // Some lanes, which are known, leave after the first round, the others after the second.
  u32 half_by_half(u32 counter) {
    u32 p = temporary(), q = temporary();
    line("setp.lt.u32 %p{}, %in7, {};\nsetp.eq.s32 %p{}, %t{}, 1;", p, 8u << below(2), q, counter);
    line("xor.pred %p{0}, %p{0}, %p{1};", p, q);
    return p;
  }

  // Out of one of the loops around, to its next round, or out of the kernel.
  void leave() {
    u32 p = condition();
    if (loops_.empty() || chance(25)) {
      chance(50) ? line("@%p{} bra LEAVE;", p) : line("@%p{} ret;", p);
      return;
    }
    line("@%p{} bra {}{};", p, chance(60) ? "BEHIND" : "NEXT",
         loops_[below(static_cast<u32>(loops_.size()))]);
  }

  void call() {
    line("{{\n.param .b32 a; st.param.b32 [a], {};\n.param .b64 b; st.param.b64 [b], %base;\n"
         ".param .b32 r; call (r), helper, (a, b);\nld.param.b32 {}, [r];\n}}",
         value_in_register(), variable());
  }

  std::string value_in_register() {
    std::string out = value();
    return out[0] == '%' ? out : variable();
  }

  void statements(u32 depth, u32 most) {
    for (u32 n = 1 + below(most); n > 0; --n) {
      u32 kind = below(100);
      if (kind < 50 || depth == 0)
        assign();
      else if (kind < 68)
        access();
      else if (kind < 72)
        spill();
      else if (kind < 75)
        call();
      else if (kind < 84)
        branch(depth);
      else if (kind < 87)
        jump_table(depth);
      else if (kind < 88)
        unrolled();
      else if (kind < 96)
        loop(depth);
      else
        leave();
    }
  }

  std::mt19937 random_;
  std::string body_;
  std::vector<u32> loops_, counters_; // around the statement at hand: labels, temporaries
  u32 temporaries_ = 0;
};

} // namespace warplens::check_testing
