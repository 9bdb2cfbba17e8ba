// Which line is which: moved, edited, repeated, gone.
#include "text/lines.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::text {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<Item> items(const std::vector<std::string>& texts) {
  std::vector<Item> out;
  for (const std::string& text : texts) out.push_back({line_key(text), {"load global"}});
  return out;
}

TEST(Lines, EachIsFoundByItsNumber) {
  const std::vector<std::string_view> lines = lines_of("\t one\r\n\n  three");
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_EQ(line_at(lines, 1), "one");
  EXPECT_EQ(line_at(lines, 2), "");
  EXPECT_EQ(line_at(lines, 3), "three");
  EXPECT_FALSE(line_at(lines, 0));
  EXPECT_FALSE(line_at(lines, 4));
  EXPECT_EQ(lines_of("a\n").size(), 1u);
  EXPECT_TRUE(lines_of("").empty());
}

TEST(Match, LinesAreFoundAgainBehindNewOnes) {
  EXPECT_EQ(match_lines(items({"a[i]", "b[i]"}), items({"float x = 0;", "a[i]", "q(z) + 3", "b[i]"})),
            (Pairs{{0, 1}, {1, 3}}));
}

TEST(Match, BlanksDoNotTellLinesApart) {
  EXPECT_EQ(match_lines(items({"x = a[i] + 1;"}), items({"  x  =\ta[i] + 1;"})), (Pairs{{0, 0}}));
}

TEST(Match, RepeatedLinesKeepTheirOrder) {
  EXPECT_EQ(
      match_lines(items({"s += a[i];", "t += b[i];", "s += a[i];"}), items({"s += a[i];", "s += a[i];"})),
      (Pairs{{0, 0}, {2, 1}}));
}

TEST(Match, LinesThatChangedPlacesAreFoundToo) {
  EXPECT_EQ(match_lines(items({"x = in[i];", "out[j] = y * 7;"}), items({"out[j] = y * 7;", "x = in[i];"})),
            (Pairs{{0, 1}, {1, 0}}));
}

TEST(Match, AnEditedLineIsTheOneThatResemblesIt) {
  EXPECT_EQ(match_lines(items({"out[x * n + y] = in[y * n + x];", "count[0] = 1;"}),
                        items({"foo(bar, 3);", "out[y * n + x] = in[x * n + y];"})),
            (Pairs{{0, 1}}));
}

TEST(Match, AnEditedLineHasAnAccessInCommonWithWhatItWas) {
  std::vector<Item> before{{"a[i] = b[i];", {"store global"}}}, after{{"a[j] = b[j];", {"store shared"}}};
  EXPECT_TRUE(match_lines(before, after).empty());
  after[0].has.push_back("store global");
  EXPECT_EQ(match_lines(before, after).size(), 1u);
}

TEST(Match, NothingIsLikeNothing) {
  EXPECT_TRUE(match_lines({}, items({"a"})).empty());
  EXPECT_TRUE(match_lines(items({"a"}), {}).empty());
}

// Beyond what the table holds, equal ends and equal texts are found all the same, in no time.
TEST(Match, LongSourcesDoNotTakeATable) {
  std::vector<std::string> before, after{"new first line"};
  for (int i = 0; i < 6000; ++i) {
    before.push_back("old " + std::to_string(i));
    after.push_back((i % 2 == 0 ? "old " : "new ") + std::to_string(i));
  }
  EXPECT_EQ(match_lines(items(before), items(after)).size(), 3000u);
}

} // namespace
} // namespace warplens::text
