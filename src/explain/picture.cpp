#include "explain/picture.h"
#include "arch/table.h"
#include "base/bits.h"
#include <bit>
#include <fmt/format.h>
#include <map>

namespace warplens::explain {
namespace {

constexpr u32 line_bytes = 128, sector_bytes = 32;

// Local memory is drawn where it lies in device memory: word w of lane l at (32·w + l)·4.
u64 place(const access::WarpAccess& access, u32 lane, u32 byte) {
  u64 address = access.address[lane] + byte;
  if (access.space != access::Space::local) return address;
  u64 word = (address - origin) >> 2;
  return origin + (word * warp_size + lane) * 4 + (address & 3);
}

// Cells by row, from the bytes of every lane.
std::map<u64, Row> rows_of(const access::WarpAccess& access, u32 cell_bytes, u32 row_bytes) {
  std::map<u64, Row> rows;
  for_each_lane(access.active, [&](u32 lane) {
    for (u32 byte = 0; byte < access.bytes; ++byte) {
      u64 at = place(access, lane, byte), start = align_down(at, row_bytes);
      Row& row = rows[start];
      row.address = start - origin;
      row.cells.resize(row_bytes / cell_bytes);
      row.cells[(at - start) / cell_bytes].lanes |= u32{1} << lane;
    }
  });
  return rows;
}

void mark_fetched(const arch::Architecture& arch, const access::WarpAccess& access,
                  const std::vector<Transaction>& list, std::map<u64, Row>& rows) {
  arch::Counts counts = arch::count(arch, access);
  u64 unit = counts.transactions != 0 ? counts.transaction_bytes / counts.transactions : sector_bytes;
  for (auto& [start, row] : rows) {
    u32 groups = static_cast<u32>(row.fetched.size());
    for (u32 group = 0; group < groups; ++group) {
      u64 at = start + group * sector_bytes;
      bool touched = unit >= line_bytes && list.empty();
      std::size_t per_group = row.cells.size() / groups;
      for (std::size_t i = 0; i < per_group; ++i)
        touched = touched || row.cells[group * per_group + i].lanes != 0;
      for (const Transaction& t : list) touched = touched || (t.address <= at && at < t.address + t.bytes);
      row.fetched[group] = touched;
    }
  }
}

} // namespace

Picture picture(const arch::Architecture& arch, const access::WarpAccess& access,
                const std::vector<Transaction>& list) {
  Picture out;
  bool banks = access.space == access::Space::shared;
  out.kind = banks ? Picture::Kind::banks : Picture::Kind::segments;
  out.cell_bytes = banks                                  ? arch.banks.width
                   : access.space == access::Space::local ? 4
                   : access.bytes < 4                     ? access.bytes
                                                          : 4;
  u32 row_bytes = banks                 ? arch.banks.count * arch.banks.width
                  : out.cell_bytes == 1 ? line_bytes / 2
                                        : line_bytes;
  out.cells_per_group = banks ? arch.banks.count : sector_bytes / out.cell_bytes;
  std::map<u64, Row> rows = rows_of(access, out.cell_bytes, row_bytes);
  for (auto& [start, row] : rows) row.fetched.resize(row.cells.size() / out.cells_per_group);
  if (banks)
    out.per_bank.resize(arch.banks.count);
  else
    mark_fetched(arch, access, list, rows);
  for (auto& [start, row] : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].lanes == 0) continue;
      row.used_bytes += out.cell_bytes;
      if (banks) ++out.per_bank[i];
    }
    for (u8 fetched : row.fetched) row.fetched_bytes += fetched ? sector_bytes : 0;
    out.rows.push_back(std::move(row));
  }
  return out;
}

char lane_symbol(u32 mask) {
  if (mask == 0) return ' ';
  if (!std::has_single_bit(mask)) return '*';
  return "0123456789abcdefghijklmnopqrstuv"[std::countr_zero(mask)];
}

std::string bytes_text(const Picture& picture, const Row& row, std::string_view dash) {
  i64 first = static_cast<i64>(row.address);
  return fmt::format("{}{}{}", first, dash,
                     first + static_cast<i64>(row.cells.size() * picture.cell_bytes) - 1);
}

} // namespace warplens::explain
