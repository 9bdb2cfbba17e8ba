// What is read from comments in source text, and what is told of those that cannot be.
#include "gates/comments.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::gates {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
  Comments out = read_comments("a.cu", text);
  return out.malformed.size() == 1 && out.all.empty()
             ? out.malformed[0].message + "; " + out.malformed[0].help
             : "?";
}

TEST(Comments, OneBehindCodeIsAboutItsLine) {
  Comments out = read_comments("a.cu", "\n  x = a[i]; // warplens: expect sectors<=4, wavefronts == 1\n");
  ASSERT_EQ(out.all.size(), 2);
  EXPECT_EQ(out.all[0].place, (diag::Span{"a.cu", 2, 13, 0}));
  EXPECT_EQ(out.all[0].line, 2);
  EXPECT_EQ(out.all[0].last_line, 2);
  EXPECT_EQ(out.all[0].expect->text, "sectors<=4");
  EXPECT_EQ(out.all[1].expect->relation, Relation::equal);
  EXPECT_TRUE(out.malformed.empty());
}

TEST(Comments, OneThatStandsAloneIsAboutTheNextStatement) {
  Comments out = read_comments("a.cu", "// warplens: ignore uncoalesced-load, bank-conflict: it: is\r\n"
                                       "/* and */ // more\n"
                                       "\n"
                                       "#pragma unroll\n"
                                       "  x =\n"
                                       "    a[i];\n"
                                       "  y = 1;\n");
  ASSERT_EQ(out.all.size(), 2);
  for (const Comment& comment : out.all) {
    EXPECT_EQ(comment.place.line, 1);
    EXPECT_EQ(comment.line, 5);
    EXPECT_EQ(comment.last_line, 6);
    EXPECT_EQ(comment.reason, "it: is");
  }
  EXPECT_EQ(out.all[1].ignore, findings::Rule::bank_conflict);
}

TEST(Comments, LinesOfThePreprocessorMayBeJoined) {
  Comments out =
      read_comments("a.cu", "// warplens: ignore bank-conflict: why\n#define B \\\n  b;\n  x = a[i];\n");
  ASSERT_EQ(out.all.size(), 1);
  EXPECT_EQ(out.all[0].line, 4);
}

TEST(Comments, BlocksMayHoldThemToo) {
  Comments out = read_comments("a.cu", "x(/* warplens: expect sectors<=4 */ a[i]);");
  ASSERT_EQ(out.all.size(), 1);
  EXPECT_EQ(out.all[0].line, 1);
}

TEST(Comments, StringsAndCharactersHoldNone) {
  EXPECT_TRUE(
      read_comments("a", R"x(f("// warplens: oops"); g('"'); h("\"// warplens: oops");)x").malformed.empty());
  EXPECT_TRUE(read_comments("a", "f(R\"y(\n)\" // warplens: oops\n)y\");").malformed.empty());
  EXPECT_EQ(read_comments("a", "int n = 1'000; // warplens: expect sectors<=4").all.size(), 1);
  EXPECT_EQ(read_comments("a", "char c = '\\''; // warplens: expect sectors<=4").all.size(), 1);
  EXPECT_TRUE(read_comments("a", "// see warplens: oops\n/* the warplens: oops */").malformed.empty());
  EXPECT_TRUE(read_comments("a", "// warplens counts this\n").malformed.empty());
}

TEST(Comments, MalformedOnesAreToldWithWhatToWrite) {
  EXPECT_THAT(complaint("// warplens: excpect sectors<=4"),
              HasSubstr("'excpect' is neither expect nor ignore"));
  EXPECT_THAT(complaint("// warplens: expect"), HasSubstr("'' compares nothing"));
  EXPECT_THAT(complaint("// warplens: expect sectors"), HasSubstr("'sectors' compares nothing"));
  EXPECT_THAT(complaint("// warplens: expect sektors<=4"), HasSubstr("did you mean 'sectors'?"));
  EXPECT_THAT(complaint("// warplens: expect sectors<=x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(complaint("// warplens: expect sectors=<4"), HasSubstr("'=<' is none of"));
  EXPECT_THAT(complaint("// warplens: expect excess<=4%"), HasSubstr("a line has no excess"));
  EXPECT_THAT(complaint("// warplens: ignore bank-conflict"), HasSubstr("it gives no reason"));
  EXPECT_THAT(complaint("// warplens: ignore bank-conflict:  "), HasSubstr("it gives no reason"));
  EXPECT_THAT(complaint("// warplens: ignore bank-conflit: why"), HasSubstr("did you mean 'bank-conflict'?"));
  EXPECT_THAT(complaint("// warplens ignore bank-conflict: why"), HasSubstr("no colon after 'warplens'"));
  EXPECT_THAT(complaint("/* warplens: expect\n sectors<=4 */"), HasSubstr("several lines"));
}

TEST(Comments, TextThatEndsInTheMiddleIsNoError) {
  const std::string whole =
      "/* warplens: x */ R\"d(warplens)d\" 'a' \"\\\"\" // warplens: expect sectors<=4 \\\n#a\nb;{}";
  for (std::size_t size = 0; size <= whole.size(); ++size) read_comments("a", whole.substr(0, size));
  for (const char* text :
       {"warplens /*", "warplens R\"", "warplens '", "warplens \"\\", "// warplens: expect sectors<=4"})
    EXPECT_TRUE(read_comments("a", text).malformed.empty()) << text;
  EXPECT_EQ(read_comments("a", "// warplens: expect sectors<=4").all.size(), 1) << "nothing follows";
}

} // namespace
} // namespace warplens::gates
