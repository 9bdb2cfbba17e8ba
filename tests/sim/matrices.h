// Matrices of tests: elements of each type as numbers, and a kernel that multiplies what each lane holds.
#pragma once
#include "sem/convert.h"
#include "sem/half.h"
#include "sim/harness.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace warplens::sim {

inline std::string names(const char* prefix, u32 first, u32 count) {
  std::string out = "{";
  for (u32 i = 0; i < count; ++i) out += fmt::format("{}{}{}", i == 0 ? "" : ", ", prefix, first + i);
  return out + "}";
}

inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

inline u32 bits_of(const std::string& type) { return ir::bits(*ir::type_named(type)); }
inline u32 register_bits(const std::string& type) { return type == "f64" ? 64 : 32; }

// As the formats are defined: `fraction` bits below an exponent, whose bias is half of what it can be; e4m3 has no
// infinity.
inline double small_float(u32 raw, u32 fraction) {
  u32 exponent = raw >> fraction & ((1u << (7 - fraction)) - 1), low = raw & ((1u << fraction) - 1);
  int bias = (1 << (6 - fraction)) - 1;
  double size = exponent == 0 ? std::ldexp(low, 1 - bias - static_cast<int>(fraction))
                              : std::ldexp((1u << fraction) + low,
                                           static_cast<int>(exponent) - bias - static_cast<int>(fraction));
  return (raw & 0x80) != 0 ? -size : size;
}

inline double value(const std::string& type, u64 raw) {
  if (type == "f64") return std::bit_cast<double>(raw);
  if (type == "f32") return std::bit_cast<float>(static_cast<u32>(raw));
  if (type == "tf32") return std::bit_cast<float>(static_cast<u32>(raw) & ~0x1fffu);
  if (type == "f16") return sem::to_float(sem::F16{static_cast<u16>(raw)});
  if (type == "bf16") return sem::to_float(sem::BF16{static_cast<u16>(raw)});
  if (type == "s32") return static_cast<i32>(raw);
  if (type == "e4m3" || type == "e5m2") return small_float(static_cast<u32>(raw), type == "e4m3" ? 3 : 2);
  u32 bits = bits_of(type);
  i64 number = static_cast<i64>(raw & ((u64{1} << bits) - 1));
  if (type[0] == 's' && (number >> (bits - 1)) != 0) number -= i64{1} << bits;
  return static_cast<double>(number);
}

// Some number of the type; of floats a few bits only, so that sums are exact in every format.
inline u64 draw(const std::string& type, std::mt19937& random) {
  int small = static_cast<int>(random() % 17) - 8;
  if (type == "f64") return std::bit_cast<u64>(small * 0.25);
  if (type == "f32" || type == "tf32") return std::bit_cast<u32>(static_cast<float>(small) * 0.25f);
  if (type == "f16") return sem::to_half<sem::F16>(static_cast<float>(small) * 0.25f).bits;
  if (type == "bf16") return sem::to_half<sem::BF16>(static_cast<float>(small) * 0.25f).bits;
  if (type == "e4m3") return (random() & 0x80) | (0x30 + random() % 16); // 0.5 to 1.875
  if (type == "e5m2") return (random() & 0x80) | (0x38 + random() % 8);
  return random() & ((u64{1} << bits_of(type)) - 1);
}

// An operand as each lane holds it: [lane][register].
struct Fragment {
  std::string type;
  u32 elements = 0;
  std::vector<u64> registers;
  u32 each() const { return register_bits(type) / bits_of(type); }
  u32 count() const { return elements / each(); }
  Fragment(std::string t, u32 n) : type(std::move(t)), elements(n) {
    registers.resize(u64{warp_size} * count());
  }
  void set(u32 lane, u32 i, u64 raw) {
    registers[lane * count() + i / each()] |= raw << (i % each() * bits_of(type));
  }
  u64 get(u32 lane, u32 i) const {
    u64 raw = registers[lane * count() + i / each()] >> (i % each() * bits_of(type));
    return bits_of(type) == 64 ? raw : raw & ((u64{1} << bits_of(type)) - 1);
  }
};

// Lanes load all registers as 64 bits, multiply, and store D.
// `metadata`: a register of each lane, if any; `last`: operands behind it.
inline std::string multiply_kernel(const std::string& form, const Fragment& d, const Fragment& a,
                                   const Fragment& b, const Fragment& c, const Fragment* metadata,
                                   const std::string& last) {
  std::string text = ptx_header() + ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
                                    ".reg .b32 %r<60>; .reg .b64 %d<60>; .reg .b64 %x<60>;\n"
                                    "ld.param.u64 %x1, [in]; ld.param.u64 %x2, [out]; mov.u32 %r0, %tid.x;\n";
  u32 all = a.count() + b.count() + c.count() + (metadata ? 1 : 0), next = 1;
  text += fmt::format(
      "mul.wide.u32 %x3, %r0, {}; add.s64 %x1, %x1, %x3; mul.wide.u32 %x4, %r0, {}; add.s64 %x2, %x2, %x4;\n",
      8 * all, 8 * d.count());
  std::string operands;
  auto read = [&](const Fragment& f) {
    bool wide = register_bits(f.type) == 64;
    for (u32 i = 0; i < f.count(); ++i)
      text += fmt::format("ld.global.u{} %{}{}, [%x1+{}];\n", wide ? 64 : 32, wide ? 'd' : 'r', next + i,
                          8 * (next - 1 + i));
    operands += ", " + names(wide ? "%d" : "%r", next, f.count());
    next += f.count();
  };
  read(a), read(b), read(c);
  if (metadata != nullptr) {
    text += fmt::format("ld.global.u32 %r{}, [%x1+{}];\n", next, 8 * (next - 1));
    operands += fmt::format(", %r{}", next);
  }
  operands += last;
  bool wide = register_bits(d.type) == 64;
  text += fmt::format("{} {}{};\n", form, names(wide ? "%d" : "%r", 40, d.count()), operands);
  for (u32 i = 0; i < d.count(); ++i) {
    if (!wide) text += fmt::format("cvt.u64.u32 %d{0}, %r{0};\n", 40 + i);
    text += fmt::format("st.global.u64 [%x2+{}], %d{};\n", 8 * i, 40 + i);
  }
  return text + "ret; }\n";
}

struct Product {
  Fragment d, a, b, c;
  std::optional<Fragment> metadata;
  std::string last;
};

inline void run_product(const std::string& form, Product& p) {
  std::vector<u64> in;
  for (u32 lane = 0; lane < warp_size; ++lane)
    for (const Fragment* f : {&p.a, &p.b, &p.c, p.metadata ? &*p.metadata : nullptr}) {
      if (f == nullptr) continue;
      in.insert(in.end(), f->registers.begin() + lane * f->count(),
                f->registers.begin() + (lane + 1) * f->count());
    }
  Gpu gpu;
  ASSERT_TRUE(
      gpu.load(multiply_kernel(form, p.d, p.a, p.b, p.c, p.metadata ? &*p.metadata : nullptr, p.last)));
  u64 to = gpu.buffer(p.d.registers);
  gpu.expect_run("k", {1}, {32}, {gpu.buffer(in), to});
  p.d.registers = gpu.read<u64>(to, p.d.registers.size());
}

} // namespace warplens::sim
