// What moves in bulk, by paths that are not those of loads and stores.
//
// Bulk copies. The copy engine takes a row in pieces of 128 bytes from its beginning on, and asks L2 for the sectors of each
// piece: a row that begins 16 bytes into a sector costs 5 sectors for each 128 bytes, not 4. Into shared memory, out of it and
// reductions alike. Measured on 9.0: 123 of 123 patterns (tests/arch/data/h200_bulk_copies.jsonl), of which 3 are tiles,
// with destinations at multiples of 128 bytes and rows of tiles of 32 bytes. In shared memory the counters of loads and stores
// see nothing of it.
//
// wgmma. A pass is taken to move 128 bytes, as a matrix of eight rows of 16 bytes has: the arrangements that descriptors can
// say put such rows into different banks. Inferred: the counters of loads and stores do not see these reads either
// (144 launches on 9.0), and what else does was not measured.
#include "arch/count.h"
#include "arch/table.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::arch {
namespace {

constexpr u64 piece = 128, sector = 32, line = 128, pass = 128;

void add_copied_row(const access::BulkRow& row, Counts& counts) {
  for (u64 at = row.address, end = row.address + row.bytes; at < end; at += piece) {
    u64 last = std::min(at + piece, end) - 1;
    counts.sectors += last / sector - at / sector + 1;
    counts.tags += last / line - at / line + 1;
  }
  counts.bytes_used += row.bytes;
}

Counts count_copy(const Architecture& arch, const access::BulkAccess& bulk) {
  Counts counts;
  counts.requests = 1;
  for (const access::BulkRow& row : bulk.rows) add_copied_row(row, counts);
  counts.ideal_sectors = std::min(counts.sectors, ceil_div(counts.bytes_used, sector));
  counts.transactions = counts.sectors;
  counts.transaction_bytes = counts.sectors * arch.memory.sector;
  return counts;
}

Counts count_matrices(const access::BulkAccess& bulk) {
  Counts counts;
  for (const access::BulkRow& row : bulk.rows) {
    counts.bytes_used += row.bytes;
    counts.wavefronts += ceil_div(row.bytes, pass);
  }
  counts.ideal_wavefronts = counts.wavefronts;
  return counts;
}

} // namespace

Counts count_bulk(const Architecture& arch, const access::BulkAccess& bulk) {
  Counts counts = bulk.space == access::Space::shared ? count_matrices(bulk) : count_copy(arch, bulk);
  counts.instructions = bulk.warps;
  counts.threads = bulk.threads;
  return counts;
}

} // namespace warplens::arch
