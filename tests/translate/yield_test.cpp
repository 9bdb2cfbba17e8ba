// YIELD against traces of an H200: tests/hardware/data/h200_yield.txt.gz, which says how they were made; h200_yield.cubin.gz has its kernels.
#include "sim/harness.h"
#include "translate/translate.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>
#include <zlib.h>

namespace warplens::translate {
namespace {

std::string content(const std::string& name) {
  gzFile in = gzopen((WARPLENS_SOURCE_DIR "/tests/hardware/data/" + name).c_str(), "rb");
  std::string out;
  std::vector<char> buffer(1 << 16);
  for (int n = 0; in != nullptr && (n = gzread(in, buffer.data(), 1 << 16)) > 0;)
    out.append(buffer.data(), static_cast<std::size_t>(n));
  if (in != nullptr) gzclose(in);
  return out;
}

struct Note { // of one lane: __stcg(log + 128 * lane + n, make_uint4(point, active lanes, clock, i))
  u32 point, lanes, clock, i;
};

u32 need(u32 shape, u32 lane) {
  const u32 needs[] = {lane, lane & 1, lane / 8, 4, lane * 7 % 5, lane == 5 ? 3u : 0, lane == 5 ? 0 : 3u};
  return needs[shape];
}

// The points that a warp passes, as a line of the traces has them.
std::vector<std::string> trace(const MachineModule& made, const std::string& kernel, u32 shape) {
  sim::Gpu gpu;
  if (!gpu.load(made.module)) return {};
  std::vector<u32> needs(32);
  for (u32 lane = 0; lane < 32; ++lane) needs[lane] = need(shape, lane);
  const u64 log = gpu.buffer(std::vector<Note>(32 * 128)), count = gpu.buffer(std::vector<u32>(128));
  gpu.expect_run(kernel, {1}, {32}, {log, gpu.buffer(needs), count, 2});
  const std::vector<Note> notes = gpu.read<Note>(log, 32 * 128);
  const std::vector<u32> counts = gpu.read<u32>(count, 32);
  std::map<std::pair<u32, u32>, Note> passed; // by the clock, and the lanes
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 n = 0; n < std::min(counts[lane], 128u); ++n) {
      const Note& one = notes[lane * 128 + n];
      passed.try_emplace({one.clock, one.lanes}, one);
    }
  std::vector<std::string> out;
  for (const auto& [key, one] : passed)
    out.push_back(fmt::format("{}.{}:{:08x}", one.point, one.i, one.lanes));
  return out;
}

TEST(Yield, PartsRunInTheOrderOfAnH200) {
  const std::string cubin = content("h200_yield.cubin.gz");
  const MachineModule made = translate(std::as_bytes(std::span(cubin)), 90, "yield");
  ASSERT_TRUE(made.refused.empty()) << made.refused.begin()->second;
  std::istringstream lines(content("h200_yield.txt.gz"));
  u32 traces = 0, executions = 0, orders = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string kernel, word;
    u32 shape = 0;
    words >> kernel >> shape;
    std::vector<std::string> measured;
    while (words >> word) measured.push_back(word);
    const std::vector<std::string> counted = trace(made, kernel, shape);
    const auto points = [](const std::vector<std::string>& all) {
      std::multiset<std::string> out;
      for (const std::string& one : all) out.insert(one.substr(0, one.find('.')));
      return out;
    };
    ++traces;
    executions += points(counted) == points(measured);
    orders += counted == measured;
  }
  EXPECT_EQ(traces, 154u);
  EXPECT_EQ(executions, 150u); // of every point
  EXPECT_EQ(orders, 146u);     // and by the same lanes, in the same order
}

} // namespace
} // namespace warplens::translate
