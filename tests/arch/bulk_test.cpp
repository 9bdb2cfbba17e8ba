// What moves in bulk: the copy engine's sectors as an H200 counts them, and matrices that wgmma reads.
#include "arch/count.h"
#include "arch/table.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::arch {
namespace {

access::BulkAccess copy_of(const std::vector<access::BulkRow>& rows) {
  access::BulkAccess bulk;
  bulk.kind = access::Kind::async_copy;
  bulk.bytes = 16;
  bulk.rows = rows;
  return bulk;
}

TEST(Bulk, SectorsOfTheCopyEngineAreThoseOfAnH200) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/arch/data/h200_bulk_copies.jsonl");
  u32 seen = 0;
  for (std::string line; std::getline(file, line); ++seen) {
    nlohmann::json pattern = nlohmann::json::parse(line);
    std::vector<access::BulkRow> rows;
    for (u64 r = 0; r < pattern["rows"].get<u64>(); ++r)
      rows.push_back(
          {pattern["first"].get<u64>() + r * pattern["pitch"].get<u64>(), pattern["bytes"].get<u64>()});
    const nlohmann::json& measured = pattern["measured"];
    const char* counter = pattern["kind"] == "in" ? "l1tex__m_xbar2l1tex_read_sectors.sum"
                                                  : "l1tex__m_l1tex2xbar_write_sectors.sum";
    Counts counts = count_bulk(*find(90), copy_of(rows));
    EXPECT_EQ(counts.sectors, measured[counter].get<u64>()) << line;
    EXPECT_EQ(counts.instructions, 1u);
    EXPECT_LE(counts.ideal_sectors, counts.sectors);
  }
  EXPECT_EQ(seen, 123u);
}

TEST(Bulk, ARowIsTakenInPiecesOf128BytesFromItsBeginning) {
  std::vector<access::BulkRow> row{{4096 + 16, 256}};
  Counts counts = count_bulk(*find(90), copy_of(row));
  EXPECT_EQ(counts.sectors, 10u); // two pieces, 5 sectors each, though the row touches 9
  EXPECT_EQ(counts.tags, 4u);
  EXPECT_EQ(counts.ideal_sectors, 8u);
  EXPECT_EQ(counts.bytes_used, 256u);
}

TEST(Bulk, MatricesOfAGroupTakeAPassFor128Bytes) {
  std::vector<access::BulkRow> matrices{{0, 64 * 32}, {32768, 256 * 32}};
  access::BulkAccess bulk = copy_of(matrices);
  bulk.space = access::Space::shared, bulk.kind = access::Kind::load;
  bulk.warps = 4, bulk.threads = 128;
  Counts counts = count_bulk(*find(90), bulk);
  EXPECT_EQ(counts.wavefronts, 16u + 64u);
  EXPECT_EQ(counts.ideal_wavefronts, counts.wavefronts);
  EXPECT_EQ(counts.data_wavefronts, 0u); // of loads and stores: these see nothing of it
  EXPECT_EQ(counts.instructions, 4u);
  EXPECT_EQ(counts.threads, 128u);
  EXPECT_EQ(counts.sectors, 0u);
}

} // namespace
} // namespace warplens::arch
