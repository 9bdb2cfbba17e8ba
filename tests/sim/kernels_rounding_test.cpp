// Rounding against independent references: f32 arithmetic through exact 128-bit floats narrowed by hand, all
// f16 and bf16 values through conversions and back, and the narrowing of every f32 exponent.
#include "sim/kernels_forms.h"
#include "sim/kernels_testing.h"
#include <cmath>

namespace warplens::sim::testing {
namespace {

__extension__ using f128 = __float128; // sums and products of floats near 1 are exact in its 113 bits

Kernel find(std::string_view text, u32 sources) { return *find_kernel(*ir::parse_form(text), 1, sources); }

// The neighbours of x among floats, and the right one for the mode.
float rounded(f128 x, char mode) {
  float near = static_cast<float>(static_cast<double>(x));
  float below = near, above = near;
  while (f128{below} > x) below = std::nextafter(below, -INFINITY);
  while (f128{std::nextafter(below, INFINITY)} <= x) below = std::nextafter(below, INFINITY);
  above = f128{below} == x ? below : std::nextafter(below, INFINITY);
  if (mode == 'm') return below;
  if (mode == 'p') return above;
  if (mode == 'z') return x > 0 ? below : above;
  f128 down = x - f128{below}, up = f128{above} - x;
  if (down != up) return down < up ? below : above;
  return std::bit_cast<u32>(below) & 1 ? above : below;
}

TEST(KernelRounding, ArithmeticInEveryMode) {
  constexpr u32 lanes = 256;
  std::vector<Values> operands(3, Values(lanes));
  for (u32 s = 0; s < 3; ++s)
    for (u32 i = 0; i < lanes; ++i)
      operands[s][i] = (scramble(i * 3 + s) & 0x807fffff) | (0x70 + scramble(i + 1000 * s) % 24) << 23;
  auto value = [&](u32 s, u32 i) { return f128{std::bit_cast<float>(static_cast<u32>(operands[s][i]))}; };
  for (char mode : {'n', 'z', 'm', 'p'}) {
    std::string suffix = std::string(".r") + mode + ".f32";
    Values sums = run(find("add" + suffix, 2), {operands[0], operands[1]})[0];
    Values products = run(find("mul" + suffix, 2), {operands[0], operands[1]})[0];
    Values fused = run(find("fma" + suffix, 3), operands)[0];
    for (u32 i = 0; i < lanes; ++i) {
      if (value(0, i) + value(1, i) != 0) {
        EXPECT_EQ(sums[i], f(rounded(value(0, i) + value(1, i), mode))) << "add" << suffix << i;
      }
      EXPECT_EQ(products[i], f(rounded(value(0, i) * value(1, i), mode))) << "mul" << suffix << i;
      EXPECT_EQ(fused[i], f(rounded(value(0, i) * value(1, i) + value(2, i), mode))) << "fma" << suffix << i;
    }
  }
}

// An f16's value by the definition of the format.
double value_of_f16(u32 h) {
  int exponent = static_cast<int>(h >> 10 & 31), mantissa = static_cast<int>(h & 0x3ff);
  double magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                    : std::ldexp(mantissa, -24);
  return h & 0x8000 ? -magnitude : magnitude;
}

TEST(KernelRounding, EveryF16) {
  Values all(65536);
  for (u32 h = 0; h < all.size(); ++h) all[h] = h;
  Values wide = run(find("cvt.f32.f16", 1), {all})[0];
  Values back = run(find("cvt.rn.f16.f32", 1), {wide})[0];
  for (u32 h = 0; h < all.size(); ++h) {
    float got = std::bit_cast<float>(static_cast<u32>(wide[h]));
    if (std::isnan(value_of_f16(h))) {
      EXPECT_EQ(wide[h], 0x7fffffffu) << h;
      EXPECT_EQ(back[h], 0x7fffu) << h;
    } else {
      EXPECT_EQ(static_cast<double>(got), value_of_f16(h)) << h;
      EXPECT_EQ(back[h], h) << h;
    }
  }
}

TEST(KernelRounding, BetweenNeighbouringHalves) { // at, just below and just above every midpoint
  Values inputs, expected;
  for (u32 h = 0; h < 0x7bff; ++h) {
    double low = value_of_f16(h), high = value_of_f16(h + 1);
    float middle = static_cast<float>((low + high) / 2);
    inputs.insert(inputs.end(),
                  {f(middle), f(std::nextafter(middle, 0.0f)), f(std::nextafter(middle, 1e9f))});
    expected.insert(expected.end(), {h & 1 ? h + 1 : h, h, h + 1});
  }
  while (inputs.size() % 32) inputs.push_back(0), expected.push_back(0);
  EXPECT_EQ(run(find("cvt.rn.f16.f32", 1), {inputs})[0], expected);
  EXPECT_EQ(value_of("cvt.rn.f16.f32", {f(65519.996f)}), 0x7bffu);
}

TEST(KernelRounding, EveryBF16) {
  Values inputs, expected;
  for (u32 h = 0; h < 65536; ++h) {
    bool nan = (h & 0x7fff) > 0x7f80;
    inputs.push_back(u64{h} << 16), expected.push_back(nan ? 0x7fff : h);
    inputs.push_back((u64{h} << 16) | 0x8000), expected.push_back((h & 0x7fff) >= 0x7f80 ? 0x7fff
                                                                  : h & 1                ? h + 1
                                                                                         : h);
  }
  EXPECT_EQ(run(find("cvt.rn.bf16.f32", 1), {inputs})[0], expected);
}

} // namespace
} // namespace warplens::sim::testing
