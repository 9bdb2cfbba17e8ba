// The rules of 9.0 against every measured pattern: no tolerance, no exceptions.
#include "arch/count.h"
#include "arch/measured.h"
#include "arch/rules/blocks.h"
#include "arch/rules/requests.h"
#include "base/bits.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <zlib.h>

namespace warplens::test {
namespace {

using access::Kind;
using access::Space;
using nlohmann::json;

// Rows of 4096 bytes; an array keeps 4 × 2 texels in a sector.
u64 texel_address(u64 x, u64 y, bool array) {
  if (!array) return y * 4096 + x * 4;
  return ((y / 2) * 256 + x / 4) * 32 + (y % 2) * 16 + (x % 4) * 4;
}

access::WarpAccess to_access(const json& line) {
  static const std::map<std::string, Kind> kinds{
      {"load", Kind::load},     {"store", Kind::store},           {"reduction", Kind::reduction},
      {"atomic", Kind::atomic}, {"async_copy", Kind::async_copy}, {"ldmatrix", Kind::ldmatrix}};
  static const std::map<std::string, Space> spaces{{"global", Space::global},
                                                   {"shared", Space::shared},
                                                   {"constant", Space::constant},
                                                   {"local", Space::local}};
  access::WarpAccess out;
  auto space = spaces.find(line.at("space"));
  out.space = space == spaces.end() ? Space::texture : space->second;
  out.kind = kinds.at(line.at("op"));
  out.bytes = line.at("bytes").get<u8>();
  out.matrices = line.value("matrices", 0);
  out.active = static_cast<u32>(std::stoul(line.at("mask").get<std::string>(), nullptr, 16));
  for (const char* key : {"addresses", "offsets"})
    if (line.contains(key))
      for (u32 lane = 0; lane < warp_size; ++lane) out.address[lane] = line[key][lane].get<u64>();
  if (line.contains("texels"))
    for (u32 lane = 0; lane < warp_size; ++lane)
      out.address[lane] =
          texel_address(line["texels"][lane][0].get<u64>(), line["texels"][lane][1].get<u64>(),
                        line.at("space") == "texture2d_array");
  if (out.space == Space::texture) out.texture_dimensions = line.contains("texels") ? 2 : 1;
  return out;
}

} // namespace

u32 for_each_measured(const std::string& file, const std::function<void(const MeasuredPattern&)>& f) {
  gzFile in = gzopen((std::string(WARPLENS_TEST_DATA "/") + file).c_str(), "rb");
  if (!in) return 0;
  u32 count = 0;
  std::string buffer(1 << 16, '\0');
  while (gzgets(in, buffer.data(), static_cast<int>(buffer.size()))) {
    json line = json::parse(buffer.c_str());
    f({line.at("space"), line.at("op"), line.at("id").get<u32>(), to_access(line), line});
    ++count;
  }
  gzclose(in);
  return count;
}

namespace {

constexpr const char* first_set = "h100_patterns.jsonl.gz";

constexpr const char* second_set = "h100_wide_loads.jsonl.gz";

arch::Counts count90(const MeasuredPattern& pattern) { return arch::count(*arch::find(90), pattern.access); }

TEST(Measured, FileIsComplete) {
  EXPECT_EQ(for_each_measured(first_set, [](const MeasuredPattern&) {}), 1840u);
}

// The rule of the counter for one address, with lanes everywhere in the warp.
TEST(Measured, WideLoadsOfOneAddress) {
  std::ifstream in(WARPLENS_TEST_DATA "/h100_one_address_16.tsv");
  u32 seen = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream columns(line);
    u64 attributed = 0, data = 0;
    access::WarpAccess access;
    access.space = Space::shared, access.kind = Kind::load, access.bytes = 16;
    columns >> std::hex >> access.active >> std::dec >> attributed >> data;
    access.address.fill(0x400);
    const arch::Counts counts = arch::count(*arch::find(90), access);
    EXPECT_EQ(counts.wavefronts, attributed) << line;
    EXPECT_EQ(counts.data_wavefronts, data) << line;
    ++seen;
  }
  EXPECT_EQ(seen, 169u);
}

TEST(Measured, GlobalTheoreticalCounters) {
  u32 seen = 0;
  for_each_measured(first_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "global") return;
    ++seen;
    arch::Counts counts = count90(pattern);
    EXPECT_EQ(counts.sectors, pattern.counter("memory_l2_theoretical_sectors_global")) << pattern.json;
    EXPECT_EQ(counts.ideal_sectors, pattern.counter("memory_l2_theoretical_sectors_global_ideal"))
        << pattern.json;
    EXPECT_EQ(counts.tags, pattern.counter("smsp__sass_l1tex_tags_mem_global")) << pattern.json;
    if (pattern.op == "async_copy") {
      EXPECT_EQ(counts.requests,
                pattern.counter("smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts"));
      EXPECT_EQ(counts.wavefronts,
                pattern.counter("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts"))
          << pattern.json;
      return;
    }
    EXPECT_EQ(counts.tags, pattern.counter("memory_l1_tag_requests_global")) << pattern.json;
    static const std::map<std::string, std::string> suffix{
        {"load", "ld"}, {"store", "st"}, {"reduction", "red"}, {"atomic", "atom"}};
    EXPECT_EQ(counts.requests,
              pattern.counter("l1tex__t_requests_pipe_lsu_mem_global_op_" + suffix.at(pattern.op)))
        << pattern.json;
    if (pattern.op == "load" || pattern.op == "store") {
      EXPECT_EQ(counts.sectors,
                pattern.counter("l1tex__t_sectors_pipe_lsu_mem_global_op_" + suffix.at(pattern.op)))
          << pattern.json;
    }
  });
  EXPECT_EQ(seen, 1056u);
}

TEST(Measured, SharedWavefronts) {
  u32 seen = 0;
  for_each_measured(first_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "shared") return;
    ++seen;
    arch::Counts counts = count90(pattern);
    EXPECT_EQ(counts.wavefronts, pattern.counter("memory_l1_wavefronts_shared")) << pattern.json;
    EXPECT_EQ(counts.ideal_wavefronts, pattern.counter("memory_l1_wavefronts_shared_ideal")) << pattern.json;
    std::string op = pattern.op == "store" ? "st" : pattern.op == "atomic" ? "atom" : "ld";
    EXPECT_EQ(counts.data_wavefronts, pattern.counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op))
        << pattern.json;
  });
  EXPECT_EQ(seen, 560u);
}

TEST(Measured, ConstantRequests) {
  u32 seen = 0;
  for_each_measured(first_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "constant") return;
    ++seen;
    EXPECT_EQ(count90(pattern).requests, pattern.counter("idc__requests_minus_baseline_2")) << pattern.json;
  });
  EXPECT_EQ(seen, 42u);
}

TEST(Measured, LocalRequestsAndSectors) {
  u32 seen = 0;
  for_each_measured(first_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "local") return;
    ++seen;
    arch::Counts counts = count90(pattern);
    EXPECT_EQ(counts.requests, pattern.counter("l1tex__t_requests_pipe_lsu_mem_local_op_ld")) << pattern.json;
    EXPECT_EQ(counts.sectors, pattern.counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld")) << pattern.json;
    EXPECT_EQ(counts.tags, pattern.counter("l1tex__t_set_accesses_pipe_lsu_mem_local_op_ld")) << pattern.json;
  });
  EXPECT_EQ(seen, 31u);
}

TEST(MeasuredSecondSet, WideSharedLoads) {
  u32 seen = 0;
  for_each_measured(second_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "shared") return;
    ++seen;
    arch::Counts counts = count90(pattern);
    EXPECT_EQ(counts.wavefronts, pattern.counter("memory_l1_wavefronts_shared")) << pattern.json;
    EXPECT_EQ(counts.ideal_wavefronts, pattern.counter("memory_l1_wavefronts_shared_ideal")) << pattern.json;
    EXPECT_EQ(counts.data_wavefronts, pattern.counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"))
        << pattern.json;
  });
  EXPECT_EQ(seen, 1000u);
}

TEST(MeasuredSecondSet, GlobalSectorsAndTags) {
  u32 seen = 0;
  for_each_measured(second_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "global") return;
    // Copies past L1 make more sectors when neighbours have scattered destinations: not part of a WarpAccess.
    if (pattern.json.value("cache", "") == "cg") return;
    ++seen;
    arch::Counts counts = count90(pattern);
    EXPECT_EQ(counts.sectors, pattern.counter("memory_l2_theoretical_sectors_global")) << pattern.json;
    if (pattern.has("memory_l1_tag_requests_global")) {
      EXPECT_EQ(counts.tags, pattern.counter("memory_l1_tag_requests_global")) << pattern.json;
    }
  });
  EXPECT_EQ(seen, 528u);
}

// The second set was measured to test rules that the first one suggests.
// Two counters of what the memory system did, which no count predicts: src/hardware/arch/MODEL.md states the rules that the
// measurements show.

// l1tex__t_requests_pipe_tex_mem_texture: quads with an active lane, from a linear buffer groups of 8 lanes.
u64 texture_tag_requests(const access::WarpAccess& access) {
  u64 groups = 0;
  arch::for_each_group(access.active, access.texture_dimensions == 1 ? 8 : 4, [&](u32) { ++groups; });
  return groups;
}

// l1tex__t_sectors_pipe_lsu_mem_global_op_atom and _op_red: each sector is visited once for every lane that wants the
// same address in it, so the sum over sectors of the most lanes on one address.
u64 atomic_sector_visits(const access::WarpAccess& access) {
  u64 sum = 0;
  for (u64 sector : arch::touched(access.address, access.active, 1, 5)) {
    u64 most = 0;
    for_each_lane(access.active, [&](u32 lane) {
      if (access.address[lane] >> 5 != sector) return;
      u64 equal = 0;
      for_each_lane(access.active,
                    [&](u32 other) { equal += access.address[other] == access.address[lane]; });
      most = std::max(most, equal);
    });
    sum += most;
  }
  return sum;
}

TEST(Measured, TextureRequestsAndSectors) {
  u32 seen = 0;
  for (const char* file : {first_set, second_set})
    for_each_measured(file, [&](const MeasuredPattern& pattern) {
      if (pattern.access.space != Space::texture) return;
      ++seen;
      arch::Counts counts = count90(pattern);
      EXPECT_EQ(counts.requests, pattern.counter("l1tex__texin_requests_mem_texture")) << pattern.json;
      EXPECT_EQ(counts.sectors, pattern.counter("l1tex__t_sectors_pipe_tex_mem_texture")) << pattern.json;
      EXPECT_EQ(texture_tag_requests(pattern.access),
                pattern.counter("l1tex__t_requests_pipe_tex_mem_texture"))
          << pattern.json;
    });
  EXPECT_EQ(seen, 301u);
}

TEST(Measured, SectorsThatAtomicsVisit) {
  u32 seen = 0, wrong = 0;
  for (const char* file : {first_set, second_set})
    for_each_measured(file, [&](const MeasuredPattern& pattern) {
      if (pattern.space != "global" || (pattern.op != "atomic" && pattern.op != "reduction")) return;
      ++seen;
      const char* op = pattern.op == "atomic" ? "atom" : "red";
      u64 visits = pattern.counter(std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + op);
      wrong += atomic_sector_visits(pattern.access) != visits;
    });
  EXPECT_EQ(seen, 366u);
  EXPECT_EQ(wrong, 1u); // an 8-byte atomic that made one sector more
}

} // namespace
} // namespace warplens::test
