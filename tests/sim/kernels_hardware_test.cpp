// Kernels against an H100: every exact form that its architecture has, on the operands of kernels_forms.h,
// bit by bit. The data file says which GPU and driver. Approximate instructions are checked against the C
// library instead.
#include "sim/kernels_forms.h"
#include "sim/kernels_testing.h"
#include <cmath>
#include <fstream>
#include <sstream>

namespace warplens::sim::testing {
namespace {

// Since sm_90 has no scalar video unit, ptxas composes those instructions of others, and saturation, scaling
// and comparisons with c come out different from the ISA's definition, which the kernels follow. NaN through
// cvt.rna.satfinite.tf32 likewise: the bits are a NaN that the ISA does not describe.
bool differs_by_emulation(const ir::Form& form) {
  using ir::Modifier;
  std::string_view opcode = ir::info(form.opcode).text;
  bool scalar_video = opcode.front() == 'v' && opcode.back() != '2' && opcode.back() != '4';
  bool composed = form.has(Modifier::sat) || form.has(Modifier::min) || form.has(Modifier::max) ||
                  form.has(Modifier::shr7) || form.has(Modifier::shr15);
  return (scalar_video && composed) || (form.type() == ir::Type::tf32 && form.has(Modifier::satfinite));
}

TEST(KernelHardware, ExactFormsGiveAnH100sBits) {
  std::ifstream file(WARPLENS_TEST_DATA "/compute_h100.txt");
  ASSERT_TRUE(file) << WARPLENS_TEST_DATA "/compute_h100.txt";
  constexpr u32 lanes = 32, recorded = 16;
  u32 compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string text;
    u32 destinations = 0, sources = 0;
    words >> text >> destinations >> sources >> std::hex;
    ir::Form form = *ir::parse_form(text);
    if (differs_by_emulation(form)) continue;
    std::optional<Kernel> kernel = find_kernel(form, destinations, sources);
    ASSERT_TRUE(kernel) << text;
    std::vector<Values> operands(sources, Values(lanes));
    for (u32 s = 0; s < sources; ++s)
      for (u32 i = 0; i < lanes; ++i)
        operands[s][i] = input(kernel->source_bits[s], s, form.opcode == ir::Opcode::lop3 && s == 3 ? 7 : i);
    // The flags there are borrows: what subc reads, the opposite of the carry that addc reads of the same flag.
    const bool borrows =
        form.opcode == ir::Opcode::subc || (form.opcode == ir::Opcode::sub && form.has(ir::Modifier::cc));
    if (borrows && sources == 3)
      for (u64& flag : operands[2]) flag ^= 1;
    std::vector<Values> results = run(*kernel, operands);
    for (u32 d = 0; d < destinations; ++d)
      for (u32 i = 0; i < recorded; ++i) {
        u64 measured = 0;
        ASSERT_TRUE(words >> measured) << text;
        if (borrows && d == 1) measured ^= 1;
        EXPECT_EQ(results[d][i], measured) << text << ", destination " << d << ", lane " << i;
      }
    ++compared;
  }
  EXPECT_GT(compared, 2000u);
}

// As far as those of a GPU are: the argument is cut off to 2^-25 turns, behind a product that is rounded (tests/hardware/instructions.md).
TEST(KernelHardware, SinesAreThoseOfTurns) {
  for (u64 i = 0; i < 2000; ++i) {
    float x = std::ldexp(1.0f + static_cast<float>(scramble(i) % 1000) / 1000.0f,
                         static_cast<int>(scramble(i + 7) % 12) - 6);
    auto got = [&](const char* form) {
      return static_cast<double>(std::bit_cast<float>(static_cast<u32>(value_of(form, {f(x)}))));
    };
    const double wide = static_cast<double>(x), bound = 0x1p-21 + wide * 0x1.4p-23;
    EXPECT_LE(std::fabs(got("sin.approx.f32") - std::sin(wide)), bound) << x;
    EXPECT_LE(std::fabs(got("cos.approx.f32") - std::cos(wide)), bound) << x;
  }
  EXPECT_EQ(value_of("sin.approx.f32", {f(1e13f)}), 0u); // whole turns, as far as a float goes
}

TEST(KernelHardware, ApproximationsAreAccurate) {
  struct Row {
    const char* form;
    double (*reference)(double);
  };
  constexpr Row rows[] = {{"ex2.approx.f32", std::exp2},
                          {"lg2.approx.f32", std::log2},
                          {"tanh.approx.f32", std::tanh},
                          {"sqrt.approx.f32", std::sqrt},
                          {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }},
                          {"rcp.approx.f32", [](double x) { return 1 / x; }}};
  for (const Row& row : rows)
    for (u64 i = 0; i < 2000; ++i) {
      float x = std::ldexp(1.0f + static_cast<float>(scramble(i) % 1000) / 1000.0f,
                           static_cast<int>(scramble(i + 7) % 12) - 6);
      float got = std::bit_cast<float>(static_cast<u32>(value_of(row.form, {f(x)})));
      double want = row.reference(static_cast<double>(x));
      EXPECT_LE(std::fabs(static_cast<double>(got) - want), std::fabs(want) * 0x1p-22)
          << row.form << " of " << x;
    }
}

} // namespace
} // namespace warplens::sim::testing
