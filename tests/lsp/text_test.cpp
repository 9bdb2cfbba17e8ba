// Lines, UTF-16, edits, and which line is which after them.
#include "lsp/text.h"
#include "lsp/uri.h"
#include <gtest/gtest.h>
#include <random>

namespace warplens::lsp {
namespace {

constexpr Encoding utf16 = Encoding::utf16, utf8 = Encoding::utf8;

TEST(Text, LinesEndAsTheProtocolSays) {
  const Text text("a\r\nb\rc\n\nd");
  ASSERT_EQ(text.lines(), 5);
  EXPECT_EQ(text.line(0), "a");
  EXPECT_EQ(text.line(1), "b");
  EXPECT_EQ(text.line(2), "c");
  EXPECT_EQ(text.line(3), "");
  EXPECT_EQ(text.line(4), "d");
  EXPECT_EQ(text.line(5), "");
  EXPECT_EQ(Text("").lines(), 1);
  EXPECT_EQ(Text("x\n").lines(), 2);
}

TEST(Text, PositionsCountUnitsOfUtf16) {
  const Text text("é𝄞x\n"); // 2 and 4 bytes, 1 and 2 units
  EXPECT_EQ(text.position(0, 6, utf16), (Position{0, 3}));
  EXPECT_EQ(text.position(0, 6, utf8), (Position{0, 6}));
  EXPECT_EQ(text.offset({0, 3}, utf16), 6);
  EXPECT_EQ(text.offset({0, 2}, utf16), 2); // within the pair: before it
  EXPECT_EQ(text.offset({0, 99}, utf16), 7);
  EXPECT_EQ(text.offset({9, 0}, utf16), text.content().size());
}

TEST(Text, BytesThatAreNoUtf8CountAsOne) {
  const Text text("\xff\xe2\x82z\xf0");
  for (std::size_t byte = 0; byte <= 5; ++byte) {
    EXPECT_EQ(text.position(0, byte, utf16), (Position{0, static_cast<u32>(byte)}));
    EXPECT_EQ(text.offset({0, static_cast<u32>(byte)}, utf16), byte);
  }
}

TEST(Text, EditsReplaceRanges) {
  Text text("one\ntwo\nthree");
  text.replace({{0, 1}, {1, 2}}, "X\nY", utf16);
  EXPECT_EQ(text.content(), "oX\nYo\nthree");
  text.replace({{2, 5}, {2, 5}}, "\n", utf16);
  EXPECT_EQ(text.lines(), 4);
  text.replace({{5, 0}, {0, 0}}, "end", utf16); // an end before the start takes nothing away
  EXPECT_EQ(text.content(), "oX\nYo\nthree\nend");
}

TEST(Text, RandomEditsAgreeWithStrings) {
  std::mt19937 random(1);
  Text text;
  std::string plain;
  for (u32 round = 0; round < 2000; ++round) {
    std::size_t a = random() % (plain.size() + 1), b = std::min<std::size_t>(plain.size(), a + random() % 5);
    auto position = [&](std::size_t at) {
      u32 line = static_cast<u32>(std::count(plain.begin(), plain.begin() + static_cast<long>(at), '\n'));
      std::size_t start = at == 0 ? plain.npos : plain.rfind('\n', at - 1);
      return Position{line, static_cast<u32>(at - (start == plain.npos ? 0 : start + 1))};
    };
    const std::string with = std::string(random() % 3, 'x') + (random() % 3 == 0 ? "\n" : "");
    text.replace({position(a), position(b)}, with, utf16);
    plain.replace(a, b - a, with);
    ASSERT_EQ(text.content(), plain);
    if (plain.size() > 200) plain.clear(), text = Text();
  }
}

TEST(LineMap, LinesBeforeAndBehindAChangeAreFoundAgain) {
  const LineMap map(Text("a\nb\nc\nd"), Text("a\nX\nY\nc\nd"));
  EXPECT_EQ(map.now(0), 0);
  EXPECT_EQ(map.now(1), std::nullopt);
  EXPECT_EQ(map.now(2), 3);
  EXPECT_EQ(map.now(3), 4);
  EXPECT_EQ(map.now(4), std::nullopt);
  EXPECT_EQ(map.then(2), std::nullopt);
  EXPECT_EQ(map.then(4), 3);
  const LineMap same(Text("a\na"), Text("a\na\na"));
  EXPECT_EQ(same.now(1), 1);
  EXPECT_EQ(same.then(2), std::nullopt);
}

TEST(Expression, HasItsNameItsMembersAndItsBrackets) {
  auto of = [](std::string_view line, std::size_t begin) {
    return std::string(line.substr(begin, end_of_expression(line, begin) - begin));
  };
  EXPECT_EQ(of("x = a[b[i] * (n + 1)] + c;", 4), "a[b[i] * (n + 1)]");
  EXPECT_EQ(of("x = p->q.r[i].s;", 4), "p->q.r[i].s");
  EXPECT_EQ(of("x = a[i", 4), "a[i");
  EXPECT_EQ(of("*p = 1;", 0), "*");
  EXPECT_EQ(of("", 0), "");
  EXPECT_EQ(end_of_expression("a", 7), 1);
  EXPECT_EQ(of("f()) + 1", 0), "f()");
}

TEST(Uri, PathsComeBack) {
  for (const char* path : {"/a/b.cu", "/with space/ä%20#?.cu", "/a+b,c/(x).cu"})
    EXPECT_EQ(path_of(uri_of(path)), path);
  EXPECT_EQ(path_of("file:///a/../b/./c.cu"), "/b/c.cu");
  EXPECT_EQ(path_of("file://localhost/c.cu"), "/c.cu");
  EXPECT_EQ(path_of("file:///a%2Fb"), "/a/b");
  for (const char* none : {"", "untitled:1", "file://host/a", "file:///a%0", "file:///a%zz", "file:///a%00b"})
    EXPECT_EQ(path_of(none), std::nullopt) << none;
}

} // namespace
} // namespace warplens::lsp
