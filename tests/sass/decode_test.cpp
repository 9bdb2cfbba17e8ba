// The decoder against the disassembler: text by text, and what it must refuse. data/README.md says where the samples are from.
#include "sass/instruction.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <vector>
#include <zlib.h>

namespace warplens::sass {
namespace {

struct Sample {
  std::vector<u32> architectures;
  u64 address, low, high;
  std::string text;
};

std::vector<Sample> samples() {
  gzFile in = gzopen(WARPLENS_TEST_DATA "/instructions.tsv.gz", "rb");
  std::vector<Sample> out;
  std::vector<char> buffer(1024);
  while (in != nullptr && gzgets(in, buffer.data(), static_cast<int>(buffer.size())) != nullptr) {
    std::istringstream line(buffer.data());
    std::string architectures, address, low, high, text, one;
    for (std::string* column : {&architectures, &address, &low, &high}) std::getline(line, *column, '\t');
    std::getline(line, text);
    Sample sample{{},
                  std::stoull(address, nullptr, 16),
                  std::stoull(low, nullptr, 16),
                  std::stoull(high, nullptr, 16),
                  text};
    std::istringstream list(architectures);
    while (std::getline(list, one, ',')) sample.architectures.push_back(static_cast<u32>(std::stoul(one)));
    out.push_back(std::move(sample));
  }
  if (in != nullptr) gzclose(in);
  return out;
}

// The disassembler pads names with blanks.
std::string squeezed(const std::string& text) {
  std::istringstream in(text);
  std::string out, word;
  while (in >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

TEST(Decode, EverySampleAsTheDisassemblerWritesIt) {
  std::map<u32, u32> equal;
  for (const Sample& sample : samples())
    for (u32 sm : sample.architectures) {
      const std::optional<Instruction> i = decode(sample.low, sample.high, sample.address, sm);
      ASSERT_TRUE(i) << "sm_" << sm << ": " << sample.text;
      ASSERT_EQ(squeezed(text(*i)), sample.text) << "sm_" << sm;
      ++equal[sm];
    }
  for (u32 sm : {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121})
    EXPECT_GT(equal[sm], 5000u) << "sm_" << sm;
  EXPECT_GT(equal[70], 2000u);
}

// A bit that is set besides those of a known instruction changes its text, or the instruction is refused: none is read as if the bit
// were not there.
TEST(Decode, NoBitGoesUnnoticed) {
  std::set<std::pair<u32, std::string>> seen;
  u32 tried = 0;
  for (const Sample& sample : samples()) {
    const u32 sm = sample.architectures[0];
    if (!seen.emplace(sm, sample.text.substr(0, sample.text.find(' '))).second) continue;
    for (u32 bit = 12; bit < 105; ++bit) {
      const u64 low = sample.low | (bit < 64 ? u64{1} << bit : 0),
                high = sample.high | (bit < 64 ? 0 : u64{1} << (bit - 64));
      if (low == sample.low && high == sample.high) continue;
      if (bit == 91) continue; // that a uniform register is used: the operands say so too
      if (sample.text.find("NAN") != std::string::npos && bit < 64) continue; // all NaN have one name
      if (sample.text.find("UPLOP3") != std::string::npos && bit == 67)
        continue; // its predicates are uniform
      const bool descriptor = (bit >= 32 && bit < 38) || (bit >= 64 && bit < 72);
      if (descriptor && sm < 90 && sample.text.find(".64") != std::string::npos)
        continue; // not in the text before sm_90
      const std::optional<Instruction> i = decode(low, high, sample.address, sm);
      ++tried;
      if (i && squeezed(text(*i)) == sample.text)
        ADD_FAILURE() << "sm_" << sm << ", bit " << bit << " of " << sample.text << " changes nothing";
    }
  }
  EXPECT_GT(tried, 100'000u);
}

TEST(Decode, AnyBitsAreDecodedOrRefused) {
  std::mt19937_64 random(1);
  u32 decoded = 0;
  for (u32 i = 0; i < 300'000; ++i) {
    const u32 sm = i % 3 == 0 ? 75 : i % 3 == 1 ? 90 : 120;
    if (std::optional<Instruction> one =
            decode(random(), random() & random() & random(), random() & ~u64{15}, sm)) {
      ++decoded;
      EXPECT_FALSE(text(*one).empty());
    }
  }
  EXPECT_GT(decoded, 100u);
}

} // namespace
} // namespace warplens::sass
