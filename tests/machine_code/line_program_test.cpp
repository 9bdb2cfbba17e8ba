// Line programs of cubins: bytes that ptxas 13.0 made of a kernel with five source lines, and what is made of damage.
#include "machine_code/line_program.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace warplens::fatbin {
namespace {

using os::Bytes;

std::vector<std::byte> bytes_of(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  return out;
}

// nvcc 13.0.88 -cubin -lineinfo -arch=sm_90 of:
//   extern "C" __global__ void k(const float* a, float* b, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n)
//       b[i] = a[i * 3]
//            + a[i];
//   }
const std::vector<std::byte> of_source = bytes_of(
    "670000000200250000000101fb0e0a0001010101000000012f7372632f637500006b2e63750001c4ab8cd806a50100000902"
    "00000000000000000401030001f0030102c0000103010230010301022001037f02d00001f0037f0220010301022001eef0ee"
    "f1028002000101");
const std::vector<std::byte> of_text = bytes_of(
    "5e0000000200100000000101fb0e0a000101010100000001000000090200000000000000000400031301030e021001edf0f1"
    "f10301022001f7ecf7ecf00302022001eaf4036102100103290210010379021001ed0309021001eaf5f3028002000101");

std::vector<std::byte> relocation(u64 offset, u64 symbol, Relocations kind = Relocations::rela) {
  u64 entry[3] = {offset, symbol << 32 | 2, 0};
  std::vector<std::byte> out(kind == Relocations::rela ? sizeof entry : 16);
  std::memcpy(out.data(), entry, out.size());
  return out;
}

TEST(LineProgram, OfACubin) {
  LineProgram source = read_line_programs(of_source, relocation(50, 11), Relocations::rela);
  ASSERT_EQ(source.files, std::vector<std::string>{"/src/cu/k.cu"});
  ASSERT_EQ(source.sequences.size(), 1u);
  const LineSequence& rows = source.sequences[0];
  EXPECT_EQ(rows.symbol, 11u);
  EXPECT_EQ(rows.end, 0x280u);
  std::vector<std::pair<u64, u32>> seen; // as readelf --debug-dump=decodedline prints it
  for (const LineRow& row : rows.rows) seen.emplace_back(row.address, row.line);
  EXPECT_EQ(seen, (std::vector<std::pair<u64, u32>>{{0, 1},
                                                    {0x10, 2},
                                                    {0x50, 3},
                                                    {0x80, 4},
                                                    {0xa0, 5},
                                                    {0xf0, 4},
                                                    {0x100, 5},
                                                    {0x120, 4},
                                                    {0x140, 5},
                                                    {0x150, 4},
                                                    {0x160, 5},
                                                    {0x170, 4},
                                                    {0x180, 6}}));
}

// Below compute capability 9.0 relocations have no addend; two of them, so that their size matters.
TEST(LineProgram, RelocationsWithoutAddends) {
  std::vector<std::byte> both = relocation(7, 3, Relocations::rel);
  for (std::byte b : relocation(50, 11, Relocations::rel)) both.push_back(b);
  LineProgram source = read_line_programs(of_source, both, Relocations::rel);
  ASSERT_EQ(source.sequences.size(), 1u);
  EXPECT_EQ(source.sequences[0].symbol, 11u);
}

// Lines 48 and 50 of the text are the two loads (its lines count from 1, blank ones too).
TEST(LineProgram, GivesTheTextItsLinesBack) {
  LineProgram source = read_line_programs(of_source, relocation(50, 11), Relocations::rela),
              text = read_line_programs(of_text, relocation(29, 11), Relocations::rela);
  std::string ptx = "{\n";
  for (int line = 2; line <= 64; ++line) ptx += line == 20 ? "\n" : "op;\n";
  std::string with = with_locations(ptx, source, text);
  EXPECT_EQ(std::count(with.begin(), with.end(), '\n'), 64 + 2);
  EXPECT_NE(with.find("\n.file 1 \"/src/cu/k.cu\"\n"), std::string::npos);
  std::map<int, std::string> lines;
  std::istringstream in(with);
  std::string one;
  for (int line = 1; std::getline(in, one); ++line)
    if (one.starts_with(".loc")) lines[line] = one;
  ASSERT_FALSE(lines.empty());
  for (const auto& [line, words] : lines) {
    ASSERT_TRUE(words.ends_with(" op;")) << line;
    EXPECT_TRUE(words.starts_with(".loc 1 ")) << line;
  }
  EXPECT_FALSE(lines.contains(20)); // nothing to stand before
  // Another function's addresses are not these.
  EXPECT_EQ(with_locations(ptx, read_line_programs(of_source, relocation(50, 12), Relocations::rela), text),
            ptx);
}

TEST(LineProgram, StandsBeforeInstructionsAlone) {
  LineProgram source, text;
  source.files = {"a.cu"};
  source.sequences.push_back({0, {{0, 0, 7, {}}}, {0}, 100});
  for (u32 line = 1; line < 12; ++line) text.sequences.push_back({0, {{line, 0, line, {}}}, {0}, 100});
  std::string ptx = ".entry k(\n.param .u64 p)\n{\n.reg .b32 %r<2>;\nadd.s32 %r1, %r1, 1;\n@%p1 bra "
                    "L;\ncall.uni (r),\nfoo,\n(p0);\nL:\n}\n";
  EXPECT_EQ(with_locations(ptx, source, text),
            ".entry k(\n.param .u64 p)\n{\n.reg .b32 %r<2>;\n.loc 1 7 0 add.s32 %r1, %r1, 1;\n.loc 1 7 0 "
            "@%p1 bra L;\n"
            ".loc 1 7 0 call.uni (r),\nfoo,\n(p0);\n.loc 1 7 0 L:\n}\n\n.file 1 \"a.cu\"\n");
}

TEST(LineProgram, NamesTheCallersOfWhatWasInlined) {
  LineProgram source, text;
  source.files = {"a.cu", "b.h"};
  source.sequences.push_back({0, {{0, 0, 3, {}}, {0, 1, 5, 0}, {0, 1, 9, 1}}, {0, 1, 2}, 100});
  text.sequences.push_back({0, {{8, 0, 2, {}}}, {0}, 100});
  EXPECT_TRUE(
      with_locations("{\nret;\n}\n", source, text)
          .starts_with("{\n.loc 1 3 0 .loc 2 5 0, inlined_at 1 3 0 .loc 2 9 0, inlined_at 2 5 0 ret;\n}\n"));
}

// Every prefix, and every byte changed: whatever it makes of it, it ends.
TEST(LineProgram, DamageIsLeftOut) {
  for (std::size_t n = 0; n <= of_source.size(); ++n)
    read_line_programs(Bytes(of_source).first(n), relocation(50, 11), Relocations::rela);
  for (std::size_t at = 0; at < of_source.size(); ++at)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> damaged = of_source;
      damaged[at] = static_cast<std::byte>(value);
      LineProgram program = read_line_programs(damaged, relocation(50, 11), Relocations::rela);
      for (const LineSequence& sequence : program.sequences)
        for (const LineRow& row : sequence.rows)
          EXPECT_TRUE(row.file == 0 || row.file < program.files.size());
    }
}

} // namespace
} // namespace warplens::fatbin
