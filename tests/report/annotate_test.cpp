// --annotate and --group-by on fixed records: every count stands at its line, whole functions are shown, long ones folded.
#include "measure/collect.h"
#include "report/terminal.h"
#include "source/functions.h"
#include "text/words.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::report {
namespace {

using access::Space;
using testing::HasSubstr;
using testing::Not;
using text::width_of;

std::vector<std::pair<u32, u32>> extents(std::string_view text) {
  std::vector<std::pair<u32, u32>> out;
  for (const source::Extent& extent : source::functions_in(source::Tokens(text)))
    out.emplace_back(extent.first, extent.last);
  return out;
}

using Lines = std::vector<std::pair<u32, u32>>;

TEST(Functions, BeginWithTheirDeclarationAndEndWithTheirBrace) {
  EXPECT_EQ(
      extents("#include <x>\n\nint a;\ntemplate <class T>\nvoid f(T t) {\n  if (t) {\n  }\n}\nvoid g() {}\n"),
      (Lines{{4, 8}, {9, 9}}));
}

TEST(Functions, AreFoundInNamespacesAndClasses) {
  EXPECT_EQ(extents("namespace n {\nstruct S {\n  int x;\n  void f() {\n  }\n};\n}\nextern \"C\" {\nvoid g() "
                    "{\n}\n}\n"),
            (Lines{{4, 5}, {9, 10}}));
}

TEST(Functions, BracesInCommentsTextsAndDirectivesAreNone) {
  EXPECT_EQ(
      extents("#define OPEN {\n// {\nvoid f() {\n  char c = '{', d = '\\'';\n  puts(\"{\"); /* { */\n}\n"),
      (Lines{{3, 6}}));
}

TEST(Functions, OfTextThatNeverClosesThereAreNone) {
  EXPECT_TRUE(extents("void f() {\n  {\n").empty());
  EXPECT_TRUE(extents("}}}\n'").empty());
  EXPECT_TRUE(extents("").empty());
}

// Line 3 is bad and line 30 is good; line 12, in another function, was inlined at line 31.
std::string source_text() {
  std::string out =
      "// a file\n__global__ void first(float* p) {\n  p[i * 32] = 0;\n}\n\n\n\n\n\n\n"
      "__device__ float at(float* p) {\n  return p[0];\n}\n__global__ void second(float* p) {\n";
  for (u32 line = 15; line < 30; ++line) out += fmt::format("  int filler{};\n", line);
  return out + "  p[i] = 1;\n  at(p);\n}\n\n\n\n\n\n\nint unseen() { return 0; }\n";
}

measure::LaunchRecord launch_of(std::string kernel, std::vector<std::pair<u32, i64>> lines) {
  measure::LaunchRecord launch;
  launch.kernel = kernel, launch.name = kernel + "(float*)";
  launch.grid = {8, 1, 1}, launch.block = {32, 1, 1}, launch.sm = {90};
  std::vector<access::Site> sites;
  for (const auto& [line, stride] : lines) {
    access::Site& site = sites.emplace_back();
    site.id = access::SiteId(static_cast<u32>(sites.size() - 1)), site.function = kernel, site.opcode = "st",
    site.ptx_line = line;
    std::vector<access::SourceFrame> frames{{"/src/a.cu", line, 1, ""}};
    if (line == 12) frames.push_back({"/src/a.cu", 31, 1, ""});
    site.frames = frames;
  }
  std::vector<const arch::Architecture*> architectures{arch::find(90)};
  measure::Collector collector(architectures, sites, 1);
  for (u64 cta = 0; cta < launch.grid.count(); ++cta)
    for (std::size_t i = 0; i < lines.size(); ++i) {
      access::AffineAccess access{{.site = access::SiteId(static_cast<u32>(i))}};
      access.cta = cta, access.block = launch.block, access.base = 0, access.stride = {lines[i].second, 0, 0};
      collector.sinks()[0]->affine(access);
    }
  launch.sites = collector.finish();
  return launch;
}

Model sample() {
  Input input;
  input.sm = {90};
  input.launches = {launch_of("first", {{3, 128}}), launch_of("second", {{30, 4}, {12, 16}})};
  const std::string text = source_text();
  auto line_of = [&](const std::string&, u32 number) -> std::optional<std::string> {
    std::string_view rest = text;
    for (u32 line = 1; line < number; ++line) rest.remove_prefix(rest.find('\n') + 1);
    rest = rest.substr(0, rest.find('\n'));
    return std::string(rest.substr(std::min(rest.find_first_not_of(' '), rest.size())));
  };
  auto model = build(std::move(input), line_of, {.root = "/src"});
  return model ? std::move(*model) : Model{};
}

std::string shown(TerminalOptions options, const std::string& text) {
  options.annotate = true;
  options.source = [&](const std::string&) { return std::string_view(text); };
  return terminal(sample(), options);
}

TEST(Annotate, WholeFunctionsWithTheirCountsInTheOrderOfTheSource) {
  const std::string text = shown({}, source_text());
  EXPECT_THAT(text, HasSubstr(">"));
  EXPECT_THAT(text, testing::ContainsRegex(">[ 0-9%]+ 256 │  3   p\\[i \\* 32\\] = 0;"));
  EXPECT_THAT(text, testing::ContainsRegex(" 32 │ 30   p\\[i\\] = 1;"));
  EXPECT_THAT(text, HasSubstr(" 2 __global__ void first(float* p) {"));
  EXPECT_THAT(text, HasSubstr("stride 128 bytes"));
  EXPECT_LT(text.find("│  3 "), text.find("│ 12 "));
  EXPECT_LT(text.find("│ 12 "), text.find("│ 30 "));
  EXPECT_THAT(text, Not(HasSubstr("unseen")));
}

TEST(Annotate, ACallThatWasInlinedRepeatsWhatItsCalleeCost) {
  EXPECT_THAT(shown({}, source_text()), testing::ContainsRegex("\\(128\\) │ 31   at\\(p\\);"));
}

TEST(Annotate, LongStretchesWithoutCountsAreFolded) {
  EXPECT_THAT(shown({}, source_text()), HasSubstr("⋮ 11 lines"));
  EXPECT_THAT(shown({.top_lines = 0}, source_text()), Not(HasSubstr("⋮")));
}

TEST(Annotate, ATextThatIsNotTheOneThatRanIsNotShown) {
  const std::string text = shown({}, "something else\n");
  EXPECT_THAT(text, HasSubstr("was not found, or has changed"));
  EXPECT_THAT(text, HasSubstr("p[i * 32] = 0;"));
  EXPECT_THAT(text, Not(HasSubstr("something else")));
}

TEST(Annotate, NoLineIsWiderThanTheTerminal) {
  for (u32 width : {60u, 80u, 200u}) {
    std::string text = shown({.width = width}, source_text());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(width_of(text.substr(at, end - at)), width) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(GroupBy, EveryGroupingSumsUpToTheSame) {
  for (Grouping grouping : {Grouping::line, Grouping::kernel, Grouping::file, Grouping::array}) {
    const std::string text = terminal(sample(), {.width = 100, .top_lines = 0, .group_by = grouping});
    u64 sectors = 0;
    bool table = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (table && line.empty()) break;
      if (table) sectors += std::stoull(line.substr(29, 10));
      table |= line.find("for nothing") != line.npos && line.find("wavefr.") != line.npos;
    }
    EXPECT_EQ(sectors, 256u + 32 + 128) << text;
  }
}

TEST(GroupBy, ArraysOfDifferentKernelsAreDifferent) {
  const std::string text = terminal(sample(), {.width = 120, .group_by = Grouping::array});
  EXPECT_THAT(text, HasSubstr("of first"));
  EXPECT_THAT(text, HasSubstr("of second"));
}

} // namespace
} // namespace warplens::report
