// Inline stacks as nvcc and clang write them. The .ptx files are compiled from data/inline.cu, whose line 4
// (as the compilers saw it, with its comment) calls pair() twice, which calls ld() twice.
#include "ptx/ptx_test.h"
#include <gmock/gmock.h>

namespace warplens::ptx {
namespace {

using testing::ElementsAre;

std::vector<std::string> stacks(const ir::Module& m, std::string_view function) {
  std::vector<std::string> all;
  for (const access::Site& site : m.sites) {
    if (site.function != function) continue;
    std::string text;
    for (const access::SourceFrame& frame : site.frames) {
      std::string at = std::to_string(frame.line) + ":" + std::to_string(frame.column);
      text += (text.empty() ? "" : " < ") + (frame.function.empty() ? at : frame.function + " " + at);
      EXPECT_EQ(frame.file.substr(frame.file.rfind('/') + 1), "inline.cu");
    }
    all.push_back(text);
  }
  return all;
}

TEST(LineTable, NvccNamesInlinedFunctionsAndCallers) {
  const std::string chain = "ld(float const*, int) 2:31 < pair(float const*, int) 3:31 < 6:3";
  EXPECT_THAT(stacks(parsed(read_data("inline.nvcc.ptx")), "k"),
              ElementsAre(chain, chain, chain, chain, "6:3"));
}

TEST(LineTable, ClangsDwarfGivesEachCallItsColumn) {
  EXPECT_THAT(stacks(parsed(read_data("inline.clang.ptx")), "k"),
              ElementsAre("ld 2:53 < pair 3:55 < 6:21", "ld 2:53 < pair 3:66 < 6:21",
                          "ld 2:53 < pair 3:55 < 6:34", "ld 2:53 < pair 3:66 < 6:34", "6:19"));
}

TEST(LineTable, LineZeroIsNoPosition) {
  ir::Module m = parsed(kernel(".loc 1 7 3\nld.global.u32 %r1, [%d1];\n.loc 1 0 0\nld.global.u32 %r1, [%d1];",
                               ".file 1 \"a.cu\"\n"));
  ASSERT_EQ(m.sites.size(), 2u);
  EXPECT_THAT(m.sites[0].frames, ElementsAre(access::SourceFrame{"a.cu", 7, 3, ""}));
  EXPECT_TRUE(m.sites[1].frames.empty());
}

TEST(LineTable, DamagedDwarfLeavesThePlainPositions) {
  std::string text = read_data("inline.clang.ptx");
  std::size_t info = text.find(".section\t.debug_info");
  text.replace(text.find(".b8 2", info), 5, ".b8 9"); // an unknown DWARF version
  EXPECT_THAT(stacks(parsed(text), "k"), ElementsAre("2:53", "2:53", "2:53", "2:53", "6:19"));
}

} // namespace
} // namespace warplens::ptx
