// Tests over the tables: every opcode of family `compute` appears among the forms, every form has a kernel,
// and all instruction sets that this processor has give the same bits.
#include "sim/kernels_forms.h"
#include "sim/kernels_testing.h"
#include <set>

namespace warplens::sim::testing {
namespace {

TEST(KernelCoverage, EveryComputeOpcodeHasForms) {
  std::set<ir::Opcode> seen;
  for (const FormCase& c : all_forms())
    if (auto form = ir::parse_form(c.text)) seen.insert(form->opcode);
  for (std::size_t i = 0; i < ir::opcode_count; ++i) {
    ir::Opcode opcode = static_cast<ir::Opcode>(i);
    if (ir::info(opcode).family == ir::Family::compute) {
      EXPECT_TRUE(seen.contains(opcode)) << ir::info(opcode).text;
    }
  }
}

TEST(KernelCoverage, EveryTypeOfEveryRowHasForms) {
  std::set<std::pair<ir::Opcode, ir::Type>> seen;
  for (const FormCase& c : all_forms())
    if (auto form = ir::parse_form(c.text)) seen.insert({form->opcode, form->type()});
  for (std::size_t i = 0; i < ir::opcode_count; ++i) {
    const ir::OpcodeInfo& info = ir::info(static_cast<ir::Opcode>(i));
    if (info.family != ir::Family::compute) continue;
    for (std::size_t from = 0; from < info.types.size();) {
      std::size_t end = std::min(info.types.find(' ', from), info.types.size());
      std::string_view type = info.types.substr(from, end - from);
      from = end + 1;
      // The row lists types that PTX 9.0 has no form for: sub of packed 16-bit integers, comparisons into
      // b32.
      bool not_in_ptx = (info.text == "sub" && type.ends_with("16x2") && type[0] != 'f' && type[0] != 'b') ||
                        (info.text == "set" && type == "b32");
      EXPECT_EQ(!not_in_ptx, seen.contains({static_cast<ir::Opcode>(i), *ir::type_named(type)}))
          << info.text << "." << type;
    }
  }
}

TEST(KernelCoverage, EveryFormHasAKernel) {
  for (const FormCase& c : all_forms()) {
    auto form = ir::parse_form(c.text);
    ASSERT_TRUE(form) << c.text << ": " << (form ? "" : form.error().token);
    std::optional<Kernel> kernel = find_kernel(*form, c.destinations, c.sources);
    ASSERT_TRUE(kernel) << c.text;
    EXPECT_EQ(kernel->destinations, c.destinations) << c.text;
    EXPECT_EQ(kernel->sources, c.sources) << c.text;
  }
}

// The types that a row of opcodes.def gives its operands are those that the kernels take. Values of 8 bits lie in 16.
TEST(KernelCoverage, OperandsAreAsWideAsTheirRowSays) {
  auto width = [](ir::Type type) { return type == ir::Type::pred ? 1 : std::max(ir::bits(type), 16u); };
  for (const FormCase& c : all_forms()) {
    ir::Form form = *ir::parse_form(c.text);
    Kernel kernel = *find_kernel(form, c.destinations, c.sources);
    for (u32 i = 0; i < c.destinations + c.sources; ++i) {
      u32 bits = i < c.destinations ? kernel.destination_bits[i] : kernel.source_bits[i - c.destinations];
      EXPECT_EQ(bits, width(ir::operand_type(form, c.destinations, c.sources, i)))
          << c.text << ", operand " << i;
    }
  }
}

TEST(KernelCoverage, OperandCountsMustMatch) {
  auto form = *ir::parse_form("add.s32");
  EXPECT_FALSE(find_kernel(form, 1, 3));
  EXPECT_FALSE(find_kernel(form, 2, 2));
  EXPECT_FALSE(find_kernel(*ir::parse_form("add.sat.u32"), 1, 2));
  EXPECT_FALSE(find_kernel(*ir::parse_form("mul.wide.u64"), 1, 2));
}

std::vector<std::pair<std::string_view, FindKernel>> runnable_targets() {
  std::vector<std::pair<std::string_view, FindKernel>> targets{{"x86-64", &baseline::find}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    targets.push_back({"avx2", &avx2::find});
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    targets.push_back({"avx512", &avx512::find});
  return targets;
}

TEST(KernelCoverage, AllTargetsGiveTheSameBits) {
  constexpr u32 lanes = 512;
  auto targets = runnable_targets();
  for (const FormCase& c : all_forms()) {
    ir::Form form = *ir::parse_form(c.text);
    std::vector<Values> expected;
    for (auto [name, find] : targets) {
      std::optional<Kernel> kernel = find_kernel_of(find, form, c.destinations, c.sources);
      ASSERT_TRUE(kernel) << c.text << " on " << name;
      std::vector<Values> sources(c.sources, Values(lanes));
      for (u32 s = 0; s < c.sources; ++s)
        for (u32 i = 0; i < lanes; ++i)
          sources[s][i] = input(kernel->source_bits[s], s, form.opcode == ir::Opcode::lop3 && s == 3 ? 7 : i);
      std::vector<Values> block = run(*kernel, sources);
      if (expected.empty()) expected = block;
      EXPECT_EQ(block, expected) << c.text << " on " << name;
      for (u32 i = 0; i < lanes; i += 7) { // one lane at a time gives what a block gives
        std::vector<Values> single;
        for (const Values& source : sources) single.push_back({source[i]});
        std::vector<Values> one = run(*kernel, single);
        for (u32 d = 0; d < c.destinations; ++d)
          ASSERT_EQ(one[d][0], block[d][i]) << c.text << " on " << name << ", lane " << i;
      }
    }
  }
}

TEST(KernelCoverage, UnderAMaskOtherLanesKeepWhatTheyHeld) {
  constexpr u32 masks[] = {0xffffffff, 0,          0x00000001, 0x80000000,
                           0xa5a5f00f, 0x0000ffff, 0x12345678, 0xffff0000};
  constexpr u32 lanes = std::size(masks) * 32;
  constexpr u64 held = 0x5a5a5a5a5a5a5a5a;
  u32 seen = 0;
  for (const FormCase& c : all_forms()) {
    ir::Form form = *ir::parse_form(c.text);
    for (auto [name, find] : runnable_targets()) {
      Kernel kernel = *find_kernel_of(find, form, c.destinations, c.sources);
      if (kernel.masked == nullptr) continue;
      ASSERT_EQ(c.destinations, 1) << c.text;
      std::vector<Values> values(c.sources, Values(lanes));
      std::vector<Lanes> sources;
      Lanes result(kernel.destination_bits[0], lanes);
      KernelArguments arguments{};
      for (u32 s = 0; s < c.sources; ++s) {
        sources.emplace_back(kernel.source_bits[s], lanes);
        for (u32 i = 0; i < lanes; ++i) sources[s].set(i, values[s][i] = input(kernel.source_bits[s], s, i));
        arguments.source[s] = sources[s].data();
      }
      for (u32 i = 0; i < lanes; ++i) result.set(i, held);
      u64 other = result.get(0);
      arguments.destination[0] = result.data();
      arguments.lanes = lanes;
      arguments.masks = masks;
      arguments.variant = kernel.variant;
      std::vector<Values> expected = run(kernel, values);
      kernel.masked(arguments);
      for (u32 i = 0; i < lanes; ++i)
        ASSERT_EQ(result.get(i), masks[i / 32] >> i % 32 & 1 ? expected[0][i] : other)
            << c.text << " on " << name << ", lane " << i;
      ++seen;
    }
  }
  EXPECT_GT(seen, 500u);
}

TEST(KernelCoverage, ADestinationMayBeASource) {
  for (const FormCase& c : all_forms()) {
    ir::Form form = *ir::parse_form(c.text);
    Kernel kernel = *find_kernel(form, c.destinations, c.sources);
    for (u32 s = 0; s < c.sources; ++s) {
      if (kernel.source_bits[s] != kernel.destination_bits[0]) continue;
      constexpr u32 lanes = 64;
      std::vector<Values> values(c.sources, Values(lanes));
      for (u32 k = 0; k < c.sources; ++k)
        for (u32 i = 0; i < lanes; ++i)
          values[k][i] = input(kernel.source_bits[k], k, form.opcode == ir::Opcode::lop3 && k == 3 ? 7 : i);
      std::vector<Values> expected = run(kernel, values);
      std::vector<Lanes> arrays;
      KernelArguments arguments{};
      arguments.lanes = lanes;
      for (u32 k = 0; k < c.sources; ++k) {
        arrays.emplace_back(kernel.source_bits[k], lanes);
        for (u32 i = 0; i < lanes; ++i) arrays.back().set(i, values[k][i]);
      }
      Lanes second(64, lanes);
      for (u32 k = 0; k < c.sources; ++k) arguments.source[k] = arrays[k].data();
      arguments.destination[0] = arrays[s].data();
      arguments.destination[1] = second.data();
      arguments.variant = kernel.variant;
      kernel.function(arguments);
      for (u32 i = 0; i < lanes; ++i)
        ASSERT_EQ(arrays[s].get(i), expected[0][i]) << c.text << ", source " << s << ", lane " << i;
    }
  }
}

} // namespace
} // namespace warplens::sim::testing
