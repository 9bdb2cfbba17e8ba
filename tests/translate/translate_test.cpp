// Cubins as modules: what becomes of kernels, and that damaged ones do no harm. That translated kernels compute and count what the
// originals do, programs show (tests/scripts/machine_test.sh).
#include "ir/origin.h"
#include "machine_code/machine_code.h"
#include "translate/translate.h"
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>

namespace warplens::translate {
namespace {

std::string cubin_of(const std::string& name) { // tests/machine_code/data/NAME.cu, for 9.0
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/machine_code/data/" + name + ".cubin", std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}
std::string merged() { return cubin_of("merged"); }

MachineModule translated(const std::string& cubin) {
  return translate(std::as_bytes(std::span(cubin)), 90, "test");
}

TEST(Translate, EachAccessIsOneOfTheModule) {
  const MachineModule made = translated(merged());
  EXPECT_TRUE(made.refused.empty()) << made.refused.begin()->second;
  ASSERT_FALSE(made.module.functions.empty());
  EXPECT_EQ(made.module.sm, 90u);
  const std::string cubin = merged();
  const fatbin::MachineCode machine{std::as_bytes(std::span(cubin))};
  u32 accesses = 0;
  for (const ir::Function& function : made.module.functions) {
    if (!function.entry) continue;
    EXPECT_EQ(function.meetings.size(), function.blocks.size());
    std::multiset<std::string> ours, theirs; // by kind
    for (const ir::Instruction& i : function.instructions) {
      if (!i.site.valid() || made.module.sites[i.site.value].space == access::Space::constant) continue;
      EXPECT_TRUE(i.location.valid()) << made.module.sites[i.site.value].opcode;
      ours.insert(std::string(name(made.module.sites[i.site.value].kind)));
      ++accesses;
    }
    for (u64 at = 0; at < cubin.size(); at += 16)
      if (std::optional<fatbin::MemoryOpcode> one = machine.opcode(function.name, at))
        theirs.insert(std::string(name(one->kind)));
    EXPECT_EQ(ours, theirs) << function.name;
  }
  EXPECT_GT(accesses, 20u);
}

// Addresses are followed back through pairs of registers, sums in two instructions and loops.
TEST(Translate, AddressesLeadToParameters) {
  const MachineModule made = translated(merged());
  u32 accesses = 0;
  for (const ir::Function& function : made.module.functions)
    for (const ir::SiteOrigin& one : ir::origins(made.module, function)) {
      const access::Site& site = made.module.sites[one.site.value];
      if (site.space != access::Space::global) continue;
      EXPECT_EQ(ir::array_of(made.module, function, one.origin).kind, access::ArrayKind::parameter)
          << function.name << ' ' << site.opcode;
      ++accesses;
    }
  EXPECT_GT(accesses, 10u);
}

// An address whose words a loop keeps in registers that are no neighbours is one number of 64 bits there: nothing is put together, and
// nobody asks for a carry.
TEST(Translate, WordsOfAnAddressMayBeInAnyRegisters) {
  const MachineModule made = translated(cubin_of("words"));
  ASSERT_EQ(made.module.functions.size(), 1u);
  const ir::Function& function = made.module.functions[0];
  std::string opcodes;
  for (const ir::Block& block : function.blocks)
    for (u32 n = block.first; n < block.first + block.count; ++n)
      if (std::ranges::find(block.successors,
                            ir::BlockId(static_cast<u32>(&block - function.blocks.data()))) !=
          block.successors.end())
        opcodes += std::string(info(made.module.form(function.instructions[n]).opcode).text) + " ";
  EXPECT_EQ(opcodes, "mov ld ld add add mad setp fma bra ");
}

// Two shifts make one number of 64 bits, also where the upper word of what is shifted comes between them. Nobody asks for a carry.
TEST(Translate, WordsOfAShiftAreOneNumber) {
  const MachineModule made = translated(cubin_of("shifts"));
  ASSERT_EQ(made.module.functions.size(), 2u);
  for (const ir::Function& function : made.module.functions)
    for (const ir::Instruction& i : function.instructions) {
      const ir::Opcode opcode = made.module.form(i).opcode;
      EXPECT_NE(opcode, ir::Opcode::shf) << function.name;
      EXPECT_NE(opcode, ir::Opcode::setp) << function.name;
    }
}

// What a kernel calls is part of it, wherever its code lies; so are functions of the runtime.
TEST(Translate, FunctionsWithSectionsOfTheirOwnArePartOfTheKernel) {
  const MachineModule made = translated(cubin_of("apart"));
  EXPECT_TRUE(made.refused.empty()) << made.refused.begin()->second;
  ASSERT_TRUE(made.module.find_function("_Z6ratiosPKfPfi").valid());
  EXPECT_NE(made.ptx.find("vprintf, (format, values)"), std::string::npos);
}

// YIELD behind a load of global memory says nothing of the load: one that polls is STRONG.
TEST(Translate, ALoadInFrontOfALockDoesNotPoll) {
  const MachineModule made = translated(cubin_of("locks"));
  EXPECT_TRUE(made.refused.empty()) << made.refused.begin()->second;
  EXPECT_NE(made.ptx.find("yield;"), std::string::npos);
  EXPECT_EQ(made.ptx.find("volatile"), std::string::npos);
}

TEST(Translate, TruncatedCubinsDoNoHarm) {
  for (const char* name : {"merged", "apart"}) {
    const std::string whole = cubin_of(name);
    const std::size_t functions = translated(whole).module.functions.size();
    for (std::size_t size = 0; size < whole.size();
         size += 37) { // all of it, where only padding is cut off, or nothing
      const std::size_t left = translated(whole.substr(0, size)).module.functions.size();
      EXPECT_TRUE(left == 0 || left == functions) << name << ' ' << size;
    }
  }
}

TEST(Translate, DamagedCubinsDoNoHarm) {
  std::mt19937 random(7);
  for (const char* name : {"merged", "apart"})
    for (u32 i = 0; i < 300; ++i) {
      std::string damaged = cubin_of(name);
      for (u32 n = 0; n < 1 + i % 20; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
      const MachineModule made = translated(damaged);
      for (const auto& [kernel, why] : made.refused) EXPECT_FALSE(why.empty()) << kernel;
    }
}

TEST(Translate, NothingIsMadeOfWhatIsNoCubin) {
  EXPECT_TRUE(translated("").module.functions.empty());
  EXPECT_TRUE(translated("no cubin").module.functions.empty());
}

} // namespace
} // namespace warplens::translate
