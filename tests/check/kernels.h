// Random kernels against the analysis: branches that lanes take apart, loops that they leave in different rounds, ways that
// meet, early exits, values that wrap around, and accesses whose addresses come out of all that.
//
// A program's variables are a few registers that every statement may assign, so that each way to a place brings values of
// its own. Addresses are masked to stay in the buffer, or byte offsets of 32 bits into a buffer of 4 GiB.
#pragma once
#include "base/types.h"
#include <fmt/format.h>
#include <random>
#include <string>

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
    return ".version 8.3\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 tile[16384];\n"
           ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2, .param "
           ".u32 k_param_3)\n{\n"
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
  template <class... A> void line(fmt::format_string<A...> text, A&&... a) {
    body_ += fmt::format(text, std::forward<A>(a)...) + '\n';
  }
  u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random_); }
  bool chance(u32 percent) { return below(100) < percent; }
  u32 temporary() { return ++temporaries_; }
  std::string variable() { return fmt::format("%v{}", below(variables)); }
  std::string constant() {
    constexpr u32 some[] = {1,  2,  3,  4,  5,   7,   8,          15,         16,
                            31, 32, 33, 64, 100, 128, 0xffffffff, 0x7fffffff, 0x10000};
    return std::to_string(static_cast<i32>(some[below(std::size(some))]));
  }
  std::string input() { return fmt::format("%in{}", chance(70) ? 2 + below(6) : below(10)); }
  std::string value() { return chance(45) ? variable() : chance(60) ? input() : constant(); }

  void assign() {
    std::string v = variable(), a = value(), b = value();
    switch (below(14)) {
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
    case 11: line("{}.u32 {}, {}, {};", chance(50) ? "div" : "rem", v, a, 1u << below(5)); break;
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

  u32 condition() {
    constexpr const char* how[] = {"lt.s32", "lt.u32", "ge.s32", "gt.u32", "eq.s32", "ne.s32"};
    u32 p = temporary();
    line("setp.{} %p{}, {}, {};", how[below(6)], p, value(), chance(60) ? constant() : value());
    return p;
  }

  void access() {
    u32 t = temporary();
    u32 bytes = 1u << below(4);
    bool store = chance(40), shared = chance(30);
    std::string guard = chance(15) ? fmt::format("@%p{} ", condition()) : "";
    std::string from = value();
    if (from[0] != '%') from = variable();
    std::string where;
    if (shared) {
      line("shl.b32 %t{0}, {1}, {2};\nand.b32 %t{0}, %t{0}, {3};\nmov.u64 %a{0}, tile;\n", t, from, below(5),
           16384 - bytes);
      line("{{ .reg .b64 %x; cvt.u64.u32 %x, %t{0}; add.u64 %a{0}, %a{0}, %x; }}", t);
    } else if (chance(50)) {
      line("shl.b32 %t{0}, {1}, {2};\nand.b32 %t{0}, %t{0}, {3};\ncvt.u64.u32 %a{0}, %t{0};\nadd.u64 %a{0}, "
           "%a{0}, %base;",
           t, from, below(5), (1u << 20) - bytes);
    } else {
      line("shl.b32 %t{0}, {1}, {2};\nand.b32 %t{0}, %t{0}, {3};\ncvt.{4}.u32 %a{0}, %t{0};\nadd.u64 %a{0}, "
           "%a{0}, %base;",
           t, from, below(5), static_cast<i32>(0u - bytes), chance(50) ? "u64" : "u64");
    }
    where = fmt::format("[%a{}{}]", t, shared || chance(60) ? "" : fmt::format("+{}", bytes * below(5)));
    const char* space = shared ? "shared" : "global";
    const char* type = bytes == 1 ? "u8" : bytes == 2 ? "u16" : "b32";
    if (bytes == 8)
      store ? line("{}st.{}.v2.b32 {}, {{{}, {}}};", guard, space, where, variable(), variable())
            : line("{}ld.{}.v2.b32 {{%v0, {}}}, {};", guard, space, chance(50) ? "%v1" : "%v2", where);
    else
      store ? line("{}st.{}.{} {}, {};", guard, space, type, where, variable())
            : line("{}ld.{}.{} {}, {};", guard, space, type,
                   chance(30) ? variable() : fmt::format("%t{}", temporary()), where);
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

  void loop(u32 depth) {
    u32 label = temporary(), rounds = temporary(), counter = temporary();
    switch (below(4)) {
    case 0: line("mov.b32 %t{}, {};", rounds, 2 + below(3)); break;
    case 1: line("and.b32 %t{}, %in0, 3;", rounds); break;
    default: line("and.b32 %t{}, {}, 3;", rounds, chance(50) ? "%in2" : variable());
    }
    line("mov.b32 %t{}, 0;", counter);
    line("LOOP{}:", label);
    statements(depth - 1, 3);
    if (chance(30)) line("@%p{} bra BEHIND{};", condition(), label);
    if (chance(40)) line("add.s32 {0}, {0}, {1};", variable(), value());
    line("add.s32 %t{0}, %t{0}, 1;", counter);
    u32 p = temporary();
    line("setp.lt.u32 %p{}, %t{}, %t{};\n@%p{} bra LOOP{};", p, counter, rounds, p, label);
    line("BEHIND{}:", label);
  }

  void statements(u32 depth, u32 most) {
    for (u32 n = 1 + below(most); n > 0; --n) {
      u32 kind = below(100);
      if (kind < 55 || depth == 0)
        assign();
      else if (kind < 72)
        access();
      else if (kind < 86)
        branch(depth);
      else if (kind < 97)
        loop(depth);
      else
        line("@%p{} bra LEAVE;", condition());
    }
  }

  std::mt19937 random_;
  std::string body_;
  u32 temporaries_ = 0;
};

} // namespace warplens::check_testing
