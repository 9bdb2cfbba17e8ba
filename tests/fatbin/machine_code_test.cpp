// Machine instructions as nvdisasm names them, and a cubin with lines: what its code does, told back to its PTX.
#include "fatbin/machine_code.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace warplens::fatbin {
namespace {

using access::Kind;

std::string content(const std::string& name) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA) + "/" + name, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// Every opcode of the listing is read from its bits as from its text; what is no access is none.
TEST(MachineCode, InstructionsAreWhatNvdisasmSays) {
  std::istringstream lines(content("memory_instructions.tsv"));
  std::set<u32> architectures;
  u32 accesses = 0, others = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    u32 sm;
    u64 low, high;
    fields >> sm >> std::hex >> low >> high >> std::ws;
    std::string text;
    std::getline(fields, text);
    const std::optional<MemoryOpcode> bits = decode(low, high), words = memory_opcode(text);
    ASSERT_EQ(bits.has_value(), words.has_value()) << line;
    architectures.insert(sm);
    if (!bits) {
      ++others;
      continue;
    }
    ++accesses;
    EXPECT_EQ(bits->space, words->space) << line;
    EXPECT_EQ(bits->kind, words->kind) << line;
    EXPECT_EQ(bits->generic, words->generic) << line;
    EXPECT_EQ(bits->combines, text.find("POPC.INC") != text.npos) << line;
    const bool has_width =
        (bits->kind == Kind::load || bits->kind == Kind::store) && text.find("STSM") == text.npos;
    EXPECT_EQ(bits->bytes, has_width ? words->bytes : 0) << line;
  }
  EXPECT_EQ(architectures, (std::set<u32>{75, 80, 90, 100, 120}));
  EXPECT_GT(accesses, 200u);
  EXPECT_GT(others, 20u);
}

class Cubin : public testing::Test {
protected:
  std::string bytes = content("merged.cubin");
  MachineCode code{std::as_bytes(std::span(bytes))};

  // "LDS.128" of the kernel, by the statement of PTX that it comes from, without its blanks at the ends.
  std::multimap<std::string, std::string> by_statement(const std::string& kernel) {
    std::vector<std::string> lines;
    std::istringstream text(code.texts().at(0));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    std::multimap<std::string, std::string> out;
    for (const MemoryInstruction& i : code.accesses(kernel)) {
      if (i.line == 0 || i.line > lines.size()) continue;
      out.emplace(lines[i.line - 1], i.opcode.name + (i.one_lane ? " by one lane" : ""));
    }
    return out;
  }
};

TEST_F(Cubin, HasOneTextAndItsFunctions) {
  ASSERT_EQ(code.texts().size(), 1u);
  EXPECT_EQ(code.functions(), (std::vector<std::string>{"atomics", "kept", "loops", "neighbours"}));
  EXPECT_TRUE(code.accesses("nothing").empty());
}

TEST_F(Cubin, ToldBackToStatements) {
  std::multiset<std::string> opcodes;
  for (const auto& [statement, opcode] : by_statement("neighbours")) opcodes.insert(opcode);
  EXPECT_EQ(opcodes.count("LDS.128"), 2u); // of eight ld.shared.f32
  EXPECT_EQ(opcodes.count("LDS"), 0u);
  for (const auto& [statement, opcode] : by_statement("neighbours"))
    EXPECT_EQ(opcode.starts_with("LDS"), statement.find("ld.shared.f32") != statement.npos) << statement;
}

TEST_F(Cubin, AtomicsThatOneLanePerforms) {
  std::multiset<std::string> opcodes;
  for (const auto& [statement, opcode] : by_statement("atomics")) opcodes.insert(opcode);
  EXPECT_EQ(opcodes.count("ATOMS.POPC.INC"), 1u);
  EXPECT_EQ(opcodes.count("RED by one lane"), 2u); // of the two that go to one address
  EXPECT_EQ(opcodes.count("RED"), 2u);             // each lane's own, and a float's
}

TEST_F(Cubin, CutAnywhere) {
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    MachineCode cut(std::as_bytes(std::span(bytes).first(size)));
    for (const std::string& function : cut.functions()) (void)cut.accesses(function);
  }
}

} // namespace
} // namespace warplens::fatbin
