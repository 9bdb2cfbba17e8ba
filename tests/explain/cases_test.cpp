// The built-in cases hold the numbers of the documents they come from, and their drawings are golden
// documents: WARPLENS_REBASE=1 rewrites tests/explain/data.
#include "explain/support.h"
#include "explain/view/picture.h"
#include "explain/view/render.h"
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace warplens::explain {
namespace {

Explanation shot(std::string_view name, std::size_t index = 0) {
  const Case* found = find_case(name);
  EXPECT_NE(found, nullptr) << name;
  std::vector<Frame> shots = found->shots();
  EXPECT_LT(index, shots.size());
  return std::move(shots[index].explanation);
}

using Sizes = std::map<u64, u64>;

TEST(Cases, FirstArchitectures) {
  EXPECT_EQ(shot("coalesced-1.0").warp_sizes, (Sizes{{64, 1}}));
  EXPECT_EQ(shot("coalesced-1.0").warp.threads, 15u);
  EXPECT_EQ(shot("permuted-1.0").warp_sizes, (Sizes{{32, 16}}));
  EXPECT_EQ(shot("misaligned-1.0").warp_sizes, (Sizes{{32, 16}}));
  EXPECT_EQ(shot("permuted-1.2").warp_sizes, (Sizes{{64, 1}}));
  EXPECT_EQ(shot("crossing-1.2").warp_sizes, (Sizes{{64, 1}, {32, 1}}));
  EXPECT_EQ(shot("one-segment-1.2").warp_sizes, (Sizes{{128, 1}}));
  Explanation crossing = shot("crossing-1.2");
  ASSERT_EQ(crossing.transactions[0].size(), 2u);
  EXPECT_EQ(crossing.transactions[0][0], (Transaction{origin + 64, 64, 0x0fff}));
  EXPECT_EQ(crossing.transactions[0][1], (Transaction{origin + 128, 32, 0xf000}));
}

TEST(Cases, BurstSections) {
  const u64 bursts[] = {1, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    Explanation e = shot("dram-bursts", i);
    EXPECT_EQ(groups_fetched(picture(*arch::find(90), e.drawn[0], e.transactions[0], 4)), bursts[i]);
  }
}

TEST(Cases, MatrixMultiply) {
  EXPECT_EQ(shot("matmul-a", 0).form.kind, FormKind::uniform);
  EXPECT_EQ(shot("matmul-a", 0).warp.sectors, 1u);
  EXPECT_EQ(shot("matmul-a", 1).form.kind, FormKind::strided);
  EXPECT_EQ(shot("matmul-a", 1).warp.sectors, 32u);
  EXPECT_EQ(shot("matmul-b", 0).form.kind, FormKind::consecutive);
  EXPECT_EQ(shot("matmul-b", 0).warp.sectors, 4u);
}

TEST(Cases, RequestsOfPartlyUsedLines) {
  Explanation eighth = shot("one-eighth");
  EXPECT_EQ(eighth.warp_sizes, (Sizes{{32, 32}}));
  EXPECT_DOUBLE_EQ(efficiency(eighth, eighth.warp), 1.0 / 8);
  EXPECT_EQ(shot("unaligned").warp.tags, 2u);
  EXPECT_EQ(shot("non-sequential").warp.tags, 3u);
}

TEST(Cases, Gather) {
  const auto numbers = [](const Explanation& e) {
    return std::array{e.block.instructions, e.block.threads, e.block.tags, e.block.sectors};
  };
  EXPECT_EQ(numbers(shot("gather-identity", 0)), (std::array<u64, 4>{313, 10000, 313, 1250}));
  EXPECT_EQ(numbers(shot("gather-identity", 1)), (std::array<u64, 4>{313, 10000, 625, 2500}));
  // One random shuffle on a Titan V made 9566 and 9895, 9740 and 9947.
  Explanation floats = shot("gather-shuffled", 0), doubles = shot("gather-shuffled", 1);
  EXPECT_NEAR(static_cast<double>(floats.block.tags), 9566, 50);
  EXPECT_NEAR(static_cast<double>(floats.block.sectors), 9895, 30);
  EXPECT_NEAR(static_cast<double>(doubles.block.tags), 9740, 50);
  EXPECT_NEAR(static_cast<double>(doubles.block.sectors), 9947, 30);
}

TEST(Cases, PitchBanksConstantLocal) {
  EXPECT_EQ(shot("two-dimensional", 0).block_sizes, (Sizes{{128, 7}}));
  EXPECT_EQ(shot("two-dimensional", 1).block_sizes, (Sizes{{128, 4}}));
  EXPECT_EQ(shot("two-dimensional", 2).block.sectors, 18u);
  EXPECT_EQ(shot("two-dimensional", 3).block.sectors, 16u);
  const u64 passes[] = {1, 2, 1, 8, 32, 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(shot("bank-conflicts", i).warp.wavefronts, passes[i]) << i;
  const u64 requests[] = {1, 4, 32};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shot("constant-serialised", i).warp.requests, requests[i]);
  EXPECT_EQ(shot("local-interleaved", 0).warp.tags, 1u);
  EXPECT_EQ(shot("local-interleaved", 1).warp.tags, 32u);
  EXPECT_EQ(shot("texture-locality", 0).warp.requests, 8u);
  EXPECT_EQ(shot("structure-alignment", 0).warp.instructions, 3u);
  EXPECT_EQ(shot("structure-alignment", 1).warp.instructions, 1u);
}

// ---- drawings

void expect_golden(const std::string& file, const std::string& text) {
  std::string path = std::string(WARPLENS_TEST_DATA) + "/" + file;
  if (std::getenv("WARPLENS_REBASE") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; WARPLENS_REBASE=1 writes it";
  std::stringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(wanted.str(), text) << path << " differs; WARPLENS_REBASE=1 rewrites it";
}

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<u8>(c) & 0xc0) != 0x80; }));
}

void expect_fits(const std::string& text, const std::string& what) {
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(columns_of(line), 100u) << what << ": " << line;
}

// Of one tag, without its brackets: each attribute is a blank, a name that did not occur yet, and a quoted
// value; a class is one that the style sheet declares.
bool attributes_are_sound(std::string_view rest, std::string_view xml) {
  std::set<std::string_view> seen;
  while (!rest.empty() && rest != "/") {
    std::size_t equals = rest.find("=\"");
    if (!rest.starts_with(' ') || equals == rest.npos) return false;
    std::string_view name = rest.substr(1, equals - 1);
    bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':';
    });
    std::size_t end = rest.find('"', equals + 2);
    if (!is_name || end == rest.npos || !seen.insert(name).second) return false;
    std::string value(rest.substr(equals + 2, end - equals - 2));
    if (name == "class" && xml.find("." + value + "{") == xml.npos) return false;
    rest.remove_prefix(end + 1);
  }
  return true;
}

// Tags balance, their attributes are sound, no stray '<' or '&'.
bool well_formed(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      std::size_t end = xml.find(';', at);
      if (end == xml.npos || end - at > 6) return false;
    }
    if (xml[at] != '<') continue;
    std::size_t end = xml.find('>', at);
    if (end == xml.npos) return false;
    std::string_view tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
      continue;
    }
    std::string_view name = tag.substr(0, tag.find_first_of(" /"));
    if (name.empty() || tag.find('<') != tag.npos || !attributes_are_sound(tag.substr(name.size()), xml))
      return false;
    if (!tag.ends_with('/')) open.emplace_back(name);
  }
  return open.empty();
}

TEST(Drawing, TheCheckOfTheDocumentsCanFail) {
  auto with = [](std::string_view rectangle) {
    return well_formed("<svg><style>.dot{fill:none}</style>" + std::string(rectangle) + "</svg>");
  };
  EXPECT_TRUE(with("<rect class=\"dot\" rx=\"5\"/>"));
  for (std::string_view wrong :
       {"<rect class=\"dot&quot; rx=&quot;5\"/>", "<rect class=\"square\"/>", "<rect x=\"1\" x=\"2\"/>",
        "<rect x=\"1\"y=\"2\"/>", "<rect x=1/>", "<rect x=\"1/>", "<rect =\"1\"/>", "<rect>", "</rect>",
        "&amp", "<rect <x/>"})
    EXPECT_FALSE(with(wrong)) << wrong;
}

TEST(Drawing, WordsOfTheUserStayWords) {
  Question q = question("A[threadIdx.x < 4 ? 0 : threadIdx.x & 3]");
  std::string text = svg(answered(q), "a \"caption\" rx=\"5\" <b>");
  EXPECT_TRUE(well_formed(text)) << text;
  EXPECT_NE(text.find("a &quot;caption&quot; rx=&quot;5&quot; &lt;b&gt;"), text.npos);
}

TEST(Cases, DrawAsTheirGoldenDocuments) {
  for (const Case& c : cases()) {
    std::string text = terminal(c, {true, false});
    expect_golden(std::string(c.name) + ".txt", text);
    expect_fits(text, std::string(c.name));
    std::string plain = terminal(c, {false, false});
    EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](char ch) { return static_cast<u8>(ch) < 0x80; }))
        << c.name;
    EXPECT_TRUE(well_formed(svg(c))) << c.name;
  }
}

TEST(Drawing, ExplanationsAsGoldenDocuments) {
  Question rows = question("A[threadIdx.y*n + threadIdx.x]", {32, 8, 1}, 70);
  rows.settings = {{"n", "1010"}};
  Question structure = question("p[threadIdx.x]", {256, 1, 1});
  structure.type = "struct{float x,y,z;}";
  Question tile = question("tile[threadIdx.x][threadIdx.y]", {32, 8, 1});
  tile.space = access::Space::shared;
  tile.dims = {32, 32};
  Question swapped = question("A[threadIdx.x*n + threadIdx.y]", {32, 8, 1}, 13);
  swapped.settings = {{"n", "1024"}};
  const std::pair<std::string, Question> documents[] = {{"explain-rows", rows},
                                                        {"explain-structure", structure},
                                                        {"explain-tile", tile},
                                                        {"explain-column", swapped}};
  for (const auto& [name, q] : documents) {
    Explanation e = answered(q);
    std::string text = terminal(e, {true, false});
    expect_golden(name + ".txt", text);
    expect_fits(text, name);
    EXPECT_TRUE(well_formed(svg(e, "")));
  }
  expect_golden("crossing-1.2.svg", svg(*find_case("crossing-1.2")));
}

TEST(Drawing, NothingToDrawIsSaid) {
  Question q = question("A[threadIdx.x]");
  q.condition = "0";
  EXPECT_NE(terminal(answered(q), {}).find("No lane of this warp takes part"), std::string::npos);
  EXPECT_TRUE(well_formed(svg(answered(q), "")));
}

TEST(Drawing, SurvivesEveryWidthSpaceAndArchitecture) {
  for (const arch::Architecture* arch : arch::all())
    for (std::string type : {"char", "short", "float", "double", "float4"})
      for (access::Space space : {access::Space::global, access::Space::shared, access::Space::local,
                                  access::Space::constant, access::Space::texture})
        for (std::string text : {"A[threadIdx.x]", "A[threadIdx.x*33]", "A[0]"}) {
          Question q = question(text, {48, 1, 1}, arch::sm(*arch));
          q.type = type;
          q.space = space;
          Explanation e = answered(q);
          EXPECT_FALSE(terminal(e, {}).empty());
          EXPECT_TRUE(well_formed(svg(e, "")));
        }
}

} // namespace
} // namespace warplens::explain
