// How a diagnostic looks to a user: place, caret, notes, help, colour.
#include "base/diagnostic.h"
#include <gtest/gtest.h>

namespace warplens::diag {
namespace {

TEST(Render, ShowsThePlaceWithACaretThenNotesAndHelp) {
  Diagnostic d = error("ptx-unknown-opcode", "'lod' is no opcode", {"a.ptx", 2, 3, 3}, "did you mean 'ld'?");
  d.notes = {"in function 'f'"};
  EXPECT_EQ(render(d, "first\n  lod.u32\nthird"), "a.ptx:2:3: error: 'lod' is no opcode\n"
                                                  "      lod.u32\n"
                                                  "      ^~~\n"
                                                  "  note: in function 'f'\n"
                                                  "  help: did you mean 'ld'?\n");
}

TEST(Render, TheEndOfALineIsNotShown) {
  for (const char* source : {"a\r\nlod\r\nb", "a\nlod\r\n", "a\nlod\r", "a\r\nlod"})
    EXPECT_EQ(render(error("e", "words", {"", 2, 1, 1}), source), "2:1: error: words\n    lod\n    ^\n");
  EXPECT_EQ(render(error("e", "words", {"", 1, 1, 1}), "a\rb"), "1:1: error: words\n    a\\x0db\n    ^\n");
}

TEST(Render, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(render(warning("w", "words")), "warning: words\n");
  EXPECT_EQ(render(error("e", "words", {"file", 0, 0, 0})), "file: error: words\n");
  EXPECT_EQ(render(error("e", "words", {"file", 7, 1, 1}), "one line"), "file:7:1: error: words\n")
      << "the source has no such line";
}

TEST(Render, ATabStaysATabUnderTheCaret) {
  EXPECT_EQ(render(error("e", "words", {"", 1, 2, 1}), "\tx"), "1:2: error: words\n    \tx\n    \t^\n");
}

TEST(Render, ColoursTheSeverityAlone) {
  EXPECT_EQ(render(error("e", "words"), {}, true), "\x1b[1;31merror:\x1b[0m words\n");
}

TEST(Render, WhatATerminalWouldObeyIsShown) {
  Diagnostic d = error("e", "no '\x1b[31m'", {"a\x1b.cu", 1, 1, 1}, "\x9b");
  d.notes = {"\x7f"};
  EXPECT_EQ(render(d, "x\x1b]0;title\a"),
            "a\\x1b.cu:1:1: error: no '\\x1b[31m'\n    x\\x1b]0;title\\x07\n    ^\n"
            "  note: \\x7f\n  help: \\x9b\n");
}

TEST(Render, ANameStaysOnItsLineAndIsNoCommand) {
  Diagnostic d =
      error("e", "no 'a\n::error::b'", {"::error file=a,line=1::b\n::stop-commands::c\u202e.cu", 1, 0, 0});
  d.notes = {"a\r\n::add-mask::b"}, d.help = "##[add-mask]\u2028";
  EXPECT_EQ(render(d, "::error::from the source"),
            "\\x3a:error file=a,line=1::b\\x0a::stop-commands::c\\xe2\\x80\\xae.cu:1: error: no "
            "'a\\x0a::error::b'\n"
            "    \\x3a:error::from the source\n"
            "  note: a\\x0d\\x0a::add-mask::b\n"
            "  help: \\x23#[add-mask]\\xe2\\x80\\xa8\n");
}

TEST(WithoutControls, KeepsTextAndShowsTheRest) {
  for (const char* text : {"", "words\tand\nlines\r\n", "täglich 4 × 32 → 😀"})
    EXPECT_EQ(without_controls(text), text);
  EXPECT_EQ(without_controls("a\rb"), "a\\x0db");
  EXPECT_EQ(without_controls("\xc2\x9b"), "\\xc2\\x9b") << "U+009B starts a sequence as ESC does";
  EXPECT_EQ(without_controls("\xc3"), "\\xc3") << "a sequence that is cut off";
  EXPECT_EQ(without_controls("\xe2\x82x"), "\\xe2\\x82x");
  EXPECT_EQ(without_controls(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(without_controls("\u202e\u2066\u2029"), "\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xe2\\x80\\xa9");
  EXPECT_EQ(without_controls("a\n  ::error::b\n"), "a\n  \\x3a:error::b\n");
}

} // namespace
} // namespace warplens::diag
