// Rows of 128 bytes (64 for single bytes, all banks for shared memory) that the warp touches; untouched rows
// are not drawn. Which sectors travel is the architecture's answer: its listed segments on 1.x, whole lines
// where L1 moves lines, else the touched sectors.
#include "explain/view/picture.h"
#include "arch/table.h"
#include "base/bits.h"
#include <algorithm>
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
std::map<u64, PictureRow> rows_of(const access::WarpAccess& access, u32 cell_bytes, u32 row_bytes) {
  std::map<u64, PictureRow> rows;
  for_each_lane(access.active, [&](u32 lane) {
    for (u32 byte = 0; byte < access.bytes; ++byte) {
      u64 at = place(access, lane, byte), start = align_down(at, row_bytes);
      PictureRow& row = rows[start];
      row.address = start - origin;
      row.cells.resize(row_bytes / cell_bytes);
      row.cells[(at - start) / cell_bytes].lanes |= u32{1} << lane;
    }
  });
  return rows;
}

// A burst section travels when it is touched. A segment also when the architecture moves more than one at
// once.
void mark_fetched(const arch::Architecture& arch, const access::WarpAccess& access,
                  const std::vector<Transaction>& list, u32 section, std::map<u64, PictureRow>& rows) {
  arch::Counts counts = arch::count(arch, access);
  bool whole_lines = section == 0 && list.empty() && counts.transactions != 0 &&
                     counts.transaction_bytes / counts.transactions >= line_bytes;
  for (auto& [start, row] : rows) {
    std::size_t groups = row.fetched.size(), per_group = row.cells.size() / groups;
    for (std::size_t group = 0; group < groups; ++group) {
      bool fetched = whole_lines;
      for (std::size_t i = 0; i < per_group; ++i)
        fetched = fetched || row.cells[group * per_group + i].lanes != 0;
      u64 at = start + group * sector_bytes;
      for (const Transaction& t : list)
        fetched = fetched || (section == 0 && t.address <= at && at < t.address + t.bytes);
      row.fetched[group] = fetched;
    }
  }
}

} // namespace

Picture picture(const arch::Architecture& arch, const access::WarpAccess& access,
                const std::vector<Transaction>& list, u32 section) {
  Picture out;
  bool banks = access.space == access::Space::shared;
  out.kind = banks                                     ? Picture::Kind::banks
             : access.space == access::Space::constant ? Picture::Kind::addresses
                                                       : Picture::Kind::segments;
  u32 group_bytes = banks ? arch.banks.count * arch.banks.width : section != 0 ? section : sector_bytes;
  out.cell_bytes = banks                                  ? arch.banks.width
                   : access.space == access::Space::local ? 4
                                                          : std::min({u32{access.bytes}, 4u, group_bytes});
  u32 row_bytes = banks                                 ? group_bytes
                  : section == 0 && out.cell_bytes == 1 ? 2 * group_bytes
                                                        : 4 * group_bytes;
  out.cells_per_group = group_bytes / out.cell_bytes;
  std::map<u64, PictureRow> rows = rows_of(access, out.cell_bytes, row_bytes);
  for (auto& [start, row] : rows) row.fetched.resize(row.cells.size() / out.cells_per_group);
  if (banks)
    out.per_bank.resize(arch.banks.count);
  else if (out.kind == Picture::Kind::segments)
    mark_fetched(arch, access, list, section, rows);
  for (auto& [start, row] : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].lanes == 0) continue;
      row.used_bytes += out.cell_bytes;
      if (banks) ++out.per_bank[i];
    }
    for (u8 fetched : row.fetched) row.fetched_bytes += fetched ? group_bytes : 0;
    out.rows.push_back(std::move(row));
  }
  return out;
}

u64 groups_fetched(const Picture& picture) {
  u64 out = 0;
  for (const PictureRow& row : picture.rows)
    for (u8 fetched : row.fetched) out += fetched;
  return out;
}

char lane_symbol(u32 mask) {
  if (mask == 0) return ' ';
  if (!std::has_single_bit(mask)) return '*';
  return "0123456789abcdefghijklmnopqrstuv"[std::countr_zero(mask)];
}

std::string bytes_text(const Picture& picture, const PictureRow& row, std::string_view dash) {
  i64 first = static_cast<i64>(row.address);
  return fmt::format("{}{}{}", first, dash,
                     first + static_cast<i64>(row.cells.size() * picture.cell_bytes) - 1);
}

} // namespace warplens::explain
