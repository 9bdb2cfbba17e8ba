// Machine instructions as nvdisasm names them, and a cubin with lines: what its code does, told back to its PTX.
#include "machine_code/machine_code.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
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
    EXPECT_EQ(bits->name.find("POPC.INC") != bits->name.npos, text.find("POPC.INC") != text.npos) << line;
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

  // "LDS.128", how often, of what a kernel does to memory.
  std::multiset<std::string> opcodes(const MachineCode& of, const std::string& kernel) {
    std::multiset<std::string> out;
    for (u64 at = 0; at < bytes.size(); at += 16)
      if (std::optional<MemoryOpcode> one = of.opcode(kernel, at)) out.insert(one->name);
    return out;
  }
};

TEST_F(Cubin, OpcodesOfItsFunctions) {
  EXPECT_EQ(opcodes(code, "neighbours").count("LDS.128"), 2u); // of eight ld.shared.f32
  EXPECT_EQ(opcodes(code, "neighbours").count("LDS"), 0u);
  EXPECT_EQ(opcodes(code, "atomics").count("ATOMS.POPC.INC"), 1u);
  EXPECT_EQ(opcodes(code, "atomics").count("RED"), 4u);
  EXPECT_TRUE(opcodes(code, "nothing").empty());
}

// Sections that say the same bytes again and again: as much as the file has is read, and no more.
TEST_F(Cubin, SectionsThatShareTheirBytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof sections[0]);
  const auto named = [&](const Elf64_Shdr& s) {
    return std::string(bytes.data() + sections[header.e_shstrndx].sh_offset + s.sh_name);
  };
  const auto text =
      std::ranges::find_if(sections, [&](const Elf64_Shdr& s) { return named(s) == ".text.atomics"; });
  ASSERT_NE(text, sections.end());
  sections.insert(sections.end(), 2000, *text);
  header.e_shoff = bytes.size(), header.e_shnum = static_cast<u16>(sections.size());
  std::string many = bytes + std::string(reinterpret_cast<const char*>(sections.data()),
                                         sections.size() * sizeof sections[0]);
  std::memcpy(many.data(), &header, sizeof header);
  const MachineCode shared(std::as_bytes(std::span(many)));
  EXPECT_EQ(opcodes(shared, "atomics"), opcodes(code, "atomics"));
}

// What is left says what the whole says, or nothing.
TEST_F(Cubin, CutAnywhere) {
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    MachineCode cut(std::as_bytes(std::span(bytes).first(size)));
    for (const char* kernel : {"atomics", "loops", "neighbours"})
      for (u64 offset = 0; offset < 0x400; offset += 16) {
        if (const auto opcode = cut.opcode(kernel, offset)) {
          ASSERT_TRUE(code.opcode(kernel, offset));
          EXPECT_EQ(opcode->name, code.opcode(kernel, offset)->name);
        }
        if (const auto frames = cut.frames(kernel, offset); !frames.empty()) {
          EXPECT_EQ(frames, code.frames(kernel, offset)) << size << ' ' << kernel << ' ' << offset;
        }
      }
  }
}

} // namespace
} // namespace warplens::fatbin
