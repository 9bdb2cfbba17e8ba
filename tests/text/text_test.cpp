// Columns, lines and words as a terminal shows them, and what the terminal is asked.
#include "text/layout.h"
#include "text/style.h"
#include "text/terminal_settings.h"
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warplens::text {
namespace {

TEST(Layout, CountsCharactersNotBytesAndNoColours) {
  EXPECT_EQ(width_of(""), 0u);
  EXPECT_EQ(width_of("matmul"), 6u);
  EXPECT_EQ(width_of("2×32 …"), 6u);
  EXPECT_EQ(width_of(Style{true}.bad("2×32")), 4u);
  EXPECT_EQ(pad_left("×", 3), "  ×");
  EXPECT_EQ(pad_right(Style{true}.bad("ab"), 4), "\x1b[31mab\x1b[0m  ");
  EXPECT_EQ(pad_right("longer", 3), "longer");
}

TEST(Layout, ClipsInCharactersAndMakesForeignTextHarmless) {
  EXPECT_EQ(clip("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(clip("abcdefghij", 8), "abcde...");
  EXPECT_EQ(clip("ééééé", 4), "é...");
  EXPECT_EQ(clip("abcdef", 3), "abc");
  EXPECT_EQ(clip_middle("/home/somebody/matmul.cu", 14), "/home...mul.cu");
  EXPECT_EQ(clip("a\tb\x1b[2J\n", 20), "a  b?[2J?");
  EXPECT_EQ(clip("\xc2\x9b"  // U+009B, a control character
                 "\xff\xc3", // two bytes that are no UTF-8
                 20),
            "???");
  for (std::string_view cut : {"\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(clip(cut, 20).find_first_not_of('?'), std::string::npos) << "not a whole character";
  EXPECT_EQ(clip("€😀", 20), "€😀");
  EXPECT_EQ(clip("a\u202eb\u2066c\u2028d", 20), "a?b?c?d");
}

TEST(Layout, WrapsAtBlanks) {
  EXPECT_EQ(wrap("", 10), "");
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 8, "  "), "one two\n  three");
  EXPECT_EQ(wrap("one two", 8, "   ", 3), "one\n   two") << "the first line starts in column 3";
  EXPECT_EQ(wrap("  one\ntwo  ", 20), "one two");
  EXPECT_EQ(wrap("a incomprehensibilities b", 5), "a\nincomprehensibilities\nb");
  EXPECT_EQ(wrap(Style{true}.bad("one") + " two", 7), "\x1b[31mone\x1b[0m two");
}

TEST(Layout, NumbersOfThings) {
  EXPECT_EQ(plural(1, "kernel"), "1 kernel");
  EXPECT_EQ(plural(0, "kernel"), "0 kernels");
  EXPECT_EQ(plural(2, "launch"), "2 launches");
  EXPECT_EQ(plural(12345, "pass"), "12345 passes");
}

TEST(StyleTest, WithoutColourNothingIsAdded) {
  EXPECT_EQ(Style{}.bold("text"), "text");
  EXPECT_EQ(Style{true}.bold("text"), "\x1b[1mtext\x1b[0m");
  EXPECT_EQ(Style{true}.bold(""), "");
}

class Terminal : public testing::Test {
protected:
  Terminal() : master(posix_openpt(O_RDWR | O_NOCTTY)) {
    unsetenv("NO_COLOR");
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return;
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    pipe_open = pipe(pipe_ends) == 0;
  }
  ~Terminal() override {
    unsetenv("NO_COLOR");
    for (int descriptor : {master, terminal, pipe_ends[0], pipe_ends[1]}) close(descriptor);
  }
  void SetUp() override {
    if (terminal < 0 || !pipe_open) GTEST_SKIP() << "no pseudo-terminals here";
  }
  int master, terminal = -1, pipe_ends[2] = {-1, -1};
  bool pipe_open = false;
};

TEST_F(Terminal, ColourIsForTerminalsUnlessSomebodySaysNo) {
  EXPECT_TRUE(colour_wanted(terminal));
  EXPECT_FALSE(colour_wanted(pipe_ends[1]));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(colour_wanted(terminal)) << "no-color.org: present and not an empty string";
  setenv("NO_COLOR", "0", 1);
  EXPECT_FALSE(colour_wanted(terminal)) << "regardless of its value";
}

TEST_F(Terminal, ItsWidthWhereItHasOne) {
  winsize size{24, 132, 0, 0};
  ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_width(terminal), 132u);
  size.ws_col = 20;
  ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_width(terminal), 80u);
  EXPECT_EQ(terminal_width(pipe_ends[1]), 80u);
}

TEST(Unicode, TheFirstVariableThatIsSetDecides) {
  auto wanted = [](const char* all, const char* type, const char* lang) {
    setenv("LC_ALL", all, 1), setenv("LC_CTYPE", type, 1), setenv("LANG", lang, 1);
    return unicode_wanted();
  };
  EXPECT_TRUE(wanted("", "", ""));
  EXPECT_TRUE(wanted("", "", "en_GB.UTF-8"));
  EXPECT_FALSE(wanted("C", "en_GB.UTF-8", "en_GB.UTF-8"));
  EXPECT_TRUE(wanted("", "C.utf8", "C"));
}

} // namespace
} // namespace warplens::text
