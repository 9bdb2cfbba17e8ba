// What is shown of foreign text, by the code points that Unicode says of that they control something.
#include "base/characters.h"
#include <gtest/gtest.h>

namespace warplens {
namespace {

std::string utf8(u32 point) {
  auto byte = [](u32 value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0 | point >> 6), byte(0x80 | (point & 0x3f))};
  if (point < 0x10000)
    return {byte(0xe0 | point >> 12), byte(0x80 | (point >> 6 & 0x3f)), byte(0x80 | (point & 0x3f))};
  return {byte(0xf0 | point >> 18), byte(0x80 | (point >> 12 & 0x3f)), byte(0x80 | (point >> 6 & 0x3f)),
          byte(0x80 | (point & 0x3f))};
}

TEST(FirstCharacter, IsReadAndShownUnlessItControlsSomething) {
  for (u32 point :
       {0x20u, 0x7eu, 0xa0u, 0xe9u, 0x7ffu, 0x800u, 0x200du, 0x20acu, 0xfeffu, 0x1f600u, 0x10ffffu}) {
    const Character c = first_character(utf8(point) + "x");
    EXPECT_TRUE(c.shown && c.point == point && c.bytes == utf8(point).size()) << point;
  }
  for (u32 point : {0x0u, 0x9u, 0xau, 0xdu, 0x1bu, 0x7fu, 0x80u, 0x85u, 0x9fu, 0x61cu, 0x200eu, 0x200fu,
                    0x2028u, 0x2029u, 0x202au, 0x202eu, 0x2066u, 0x2069u}) {
    const Character c = first_character(utf8(point) + "x");
    EXPECT_FALSE(c.shown) << point;
    EXPECT_EQ(c.bytes, utf8(point).size()) << point;
  }
}

TEST(FirstCharacter, IsOneByteThatIsNotShownWhereThereIsNone) {
  for (std::string text : {"\x80", "\xc3", "\xc3(", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xe0\x80\xaf",
                           "\xf0\x80\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    const Character c = first_character(text);
    EXPECT_FALSE(c.shown) << escaped(text);
    EXPECT_EQ(c.bytes, 1u) << escaped(text);
  }
}

TEST(Visible, KeepsTabsAndLineEndsWhereThereMayBeLines) {
  EXPECT_EQ(one_line("a\nb\r\n\tc"), "a\\x0ab\\x0d\\x0a\tc");
  EXPECT_EQ(visible("a\nb\r\n\rc", true), "a\nb\r\n\\x0dc");
}

TEST(WithoutCommands, EscapesWhatGitHubWouldObeyAndNothingElse) {
  for (const char* text :
       {"", "a::b::c\n", "::atomicAdd(&x, 1);\n", "words ::error::words\n", "a##b[0]\nend"})
    EXPECT_EQ(without_commands(text), text);
  EXPECT_EQ(without_commands("::error::x\n"), "\\x3a:error::x\n");
  EXPECT_EQ(without_commands("words\n \t::add-mask::x"), "words\n \t\\x3a:add-mask::x");
  EXPECT_EQ(without_commands("\u00a0\u2003::stop-commands::x"), "\u00a0\u2003\\x3a:stop-commands::x")
      << "GitHub strips these blanks, too";
  EXPECT_EQ(without_commands("a ##[error]b ##[add-mask]c"), "a \\x23#[error]b \\x23#[add-mask]c");
}

} // namespace
} // namespace warplens
