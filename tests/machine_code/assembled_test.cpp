// Machine code against its own PTX: the kernels of tests/machine_code/data/merged.cu.
#include "machine_code/assembled.h"
#include "machine_code/fatbin.h"
#include "ptx/parse.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace warplens::assembly {
namespace {

using access::Assembled;

class Merged : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(std::string(WARPLENS_SOURCE_DIR) + "/tests/machine_code/data/merged.cubin",
                       std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    bytes = content.str();
    fatbin::Fatbin fatbin = fatbin::read_fatbin(std::as_bytes(std::span(bytes)), true);
    ASSERT_EQ(fatbin.ptx.size(), 1u);
    const fatbin::CubinImage* image = fatbin::choose_machine_code(fatbin, 90);
    ASSERT_NE(image, nullptr);
    code.emplace(os::Bytes(image->bytes));
    Result<ptx::Parsed> parsed = ptx::parse(fatbin.ptx[0].text);
    ASSERT_TRUE(parsed.has_value());
    module = std::move(parsed->module);
    cubin = std::move(fatbin.machine_code[0].bytes);
  }

  // The accesses of a kernel whose opcode begins so, in order: "widened 16 -12".
  std::vector<std::string> of(const std::string& kernel, const std::string& opcode) {
    std::vector<std::string> out;
    for (const access::Site& site : module.sites) {
      if (site.function != kernel || !site.opcode.starts_with(opcode)) continue;
      std::ostringstream text;
      text << name(site.assembled);
      if (site.assembled == Assembled::widened)
        text << ' ' << int{site.bytes} << ' ' << int{site.begins} << ' ' << int{site.vector};
      out.push_back(text.str());
    }
    return out;
  }

  std::string bytes;
  std::vector<std::byte> cubin;
  std::optional<fatbin::MachineCode> code;
  ir::Module module;
};

TEST_F(Merged, NeighboursBecomeOne) {
  const Outcome outcome = apply(module, *code);
  EXPECT_EQ(outcome.functions, 5u);
  EXPECT_EQ(outcome.unclear, 0u);
  const std::string e = "elsewhere";
  // The assembler's instruction stands where the last is stored, and where the first is loaded.
  EXPECT_EQ(of("neighbours", "st.shared"),
            (std::vector<std::string>{e, e, e, "widened 16 -12 4", e, e, e, "widened 16 -12 4"}));
  EXPECT_EQ(of("neighbours", "ld.shared"),
            (std::vector<std::string>{"widened 16 0 4", e, e, e, "widened 16 0 4", e, e, e}));
  EXPECT_EQ(of("neighbours", "ld.global"), std::vector<std::string>(8));
}

// Machine code whose lines are not known says nothing of accesses: not that there are none.
TEST_F(Merged, WithoutLinesNothingIsKnown) {
  std::string_view all(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  const std::size_t name = all.find(".rela.nv_debug_line_sass");
  ASSERT_NE(name, all.npos);
  cubin[name + 1] = std::byte{'x'};
  const Outcome outcome = apply(module, fatbin::MachineCode{os::Bytes(cubin)});
  EXPECT_EQ(outcome.functions, 0u);
  for (const access::Site& site : module.sites)
    EXPECT_EQ(site.assembled, Assembled::as_written) << site.opcode;
}

TEST_F(Merged, ArraysInRegisters) {
  apply(module, *code);
  EXPECT_EQ(of("kept", "st.local"), std::vector<std::string>(of("kept", "st.local").size(), "elsewhere"));
  EXPECT_GE(of("kept", "st.local").size(), 2u);
  EXPECT_EQ(of("kept", "ld.local"), std::vector<std::string>(of("kept", "ld.local").size(), "elsewhere"));
  EXPECT_EQ(of("kept", "ld.global"), std::vector<std::string>(2));
}

TEST_F(Merged, Atomics) {
  const std::size_t before = module.sites.size();
  apply(module, *code);
  EXPECT_EQ(of("atomics", "atom"), (std::vector<std::string>{"combined", "one-lane", "one-lane", "", ""}));
  EXPECT_EQ(of("loops", "atom"),
            (std::vector<std::string>{"looped", "looped", "", ""})); // and the loops' loads
  ASSERT_EQ(module.sites.size(), before + 2);
  for (const access::Site& site : module.sites) {
    if (site.assembled != Assembled::looped) continue;
    const access::Site& load = module.sites.at(site.loop_load.value);
    EXPECT_EQ(load.kind, access::Kind::load);
    EXPECT_EQ(load.ptx_line, site.ptx_line);
  }
}

// `least` is loaded by warps alone that come to the loop, `pivot` by all, since it is compared behind the loop, too.
TEST_F(Merged, BehindTheBranchThatEndsItsBlock) {
  apply(module, *code);
  EXPECT_EQ(of("one_way", "ld.global"), (std::vector<std::string>{"", "behind-branch", ""}));
  const auto late = std::ranges::find(module.sites, Assembled::unless_taken, &access::Site::assembled);
  ASSERT_NE(late, module.sites.end()); // the branch leads around the loop
  EXPECT_EQ(late->function, "one_way");
}

// Of PTX that machine code was not made from nothing is said.
TEST_F(Merged, OtherPtxStaysAsItIs) {
  std::erase_if(module.functions, [](const ir::Function& f) { return f.name != "neighbours"; });
  ir::Function& function = module.functions[0];
  std::erase_if(function.instructions,
                [n = 0](const ir::Instruction& i) mutable { return i.site.valid() && n++ == 3; });
  EXPECT_EQ(apply(module, *code).functions, 0u);
  for (const access::Site& site : module.sites) EXPECT_EQ(site.assembled, Assembled::as_written);
}

TEST_F(Merged, DamagedMachineCode) {
  for (std::size_t at = 64; at < cubin.size(); at += 61) {
    std::vector<std::byte> damaged = cubin;
    damaged[at] ^= std::byte{0x55};
    ir::Module other = module;
    (void)apply(other, fatbin::MachineCode(os::Bytes(damaged)));
  }
}

} // namespace
} // namespace warplens::assembly
