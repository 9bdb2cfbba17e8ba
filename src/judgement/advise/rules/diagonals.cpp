// A table whose cells follow from those above and beside them, as in sequence alignment: all cells of a diagonal can be computed
// at once, one by each thread. Neighbouring lanes are a row and a cell apart, in the other order of indices, too. Side by side
// they are where the table is stored by diagonals, a diagonal in each row.
//
// Seen by the places that are read, relative to the one that is written: with rows of w bytes and cells of b, -w, -b and -w-b,
// where lanes are w-b apart (along the other diagonals w+b). Two of them are enough where other arrays are read in both
// directions, as sequences by i and by d - i are. Cells above belong to the thread before, so that they begin a cell
// off where the others are aligned.
#include "advise/rules/rules.h"
#include <numeric>
#include <set>

namespace warplens::advise::rules {

namespace {

struct Cells {
  std::set<u64> read; // places relative to the written cell, modulo the period
  u64 period = 0;
  i64 written = 0;
  u64 place(i64 apart) const { return static_cast<u64>(apart) % period; }
  bool both_ways = false; // are other arrays read in both directions?
  bool has(i64 apart) const { return read.contains(place(apart)); }
  // Is that place one of several side by side around the written one? These are of a loop along one row, and addresses, which are
  // known up to the period, do not tell rows above from it.
  bool is_in_own_row(i64 apart, i64 bytes) const {
    constexpr std::size_t several = 4;
    std::set<u64> row{place(0)};
    for (const i64 step : {bytes, -bytes})
      for (i64 at = step; has(at) && row.insert(place(at)).second;) at += step;
    return row.size() >= several && row.contains(place(apart));
  }
};

bool is_of_table(const Subject& s, const measure::SiteRecord& other, access::Kind kind) {
  return other.site.kind == kind && is_device(other.space) && other.site.array == s.site.site.array &&
         other.site.bytes == s.site.site.bytes;
}

Cells cells_of(const Subject& s, u64 stride) {
  Cells out{{}, std::gcd(arch::address_period, u64{warp_size} * stride)};
  const measure::SiteRecord* store = nullptr;
  for (const measure::SiteRecord& other : of_stride(s, stride))
    if (is_of_table(s, other, access::Kind::store)) store = &other;
  if (store == nullptr) return out;
  auto read_by = [&](i64 way) {
    return std::ranges::any_of(in_function(s), [&](const measure::SiteRecord& other) {
      return other.site.kind == access::Kind::load && other.site.array != s.site.site.array &&
             other.pattern.shape.rows < 2 && other.pattern.shape.stride == way * i64{other.site.bytes};
    });
  };
  out.both_ways = read_by(1) && read_by(-1);
  out.written = start_of_lanes(store->distribution.classes.front());
  for (const measure::SiteRecord& other : of_stride(s, stride))
    if (is_of_table(s, other, access::Kind::load))
      out.read.insert(out.place(start_of_lanes(other.distribution.classes.front()) - out.written));
  return out;
}

// From a cell to the one above it, in bytes; 0: there is no such table.
i64 to_cell_above(const Cells& cells, i64 stride, i64 bytes) {
  if (cells.has(stride) || cells.has(-stride)) return 0; // what lanes beside it read: along a column
  for (const i64 row : {stride + bytes, stride - bytes, -stride - bytes, bytes - stride})
    for (const i64 beside : {bytes, -bytes})
      if (row + beside != stride && row + beside != -stride && cells.has(row) && cells.has(beside) &&
          !cells.is_in_own_row(row, bytes) && (cells.both_ways || cells.has(row + beside)))
        return row;
  return 0;
}

} // namespace

bool follows_diagonals(const Subject& s, u64 stride) {
  return stride > largest_structure &&
         to_cell_above(cells_of(s, stride), static_cast<i64>(stride), s.site.site.bytes) != 0;
}

void say_diagonals(const Subject& s, u64 stride, Advice& out) {
  const i64 bytes = s.site.site.bytes;
  const Cells cells = cells_of(s, stride);
  const i64 above = to_cell_above(cells, static_cast<i64>(stride), bytes);
  out.change =
      "store the table by diagonals, each in a row that begins at a multiple of 32 bytes. The other order "
      "of indices is no better: lanes then step over a row and a cell, too";
  out.example = "t[d*width + i] instead of t[i*width + d - i]";
  auto in_row_above = [&](const measure::SiteRecord& other) {
    const u64 at = cells.place(start_of_lanes(other.distribution.classes.front()) - cells.written);
    return at == cells.place(above) || at == cells.place(above + bytes) || at == cells.place(above - bytes);
  };
  const Change aligned = consecutive(s);
  const Change a_cell_before = [aligned, bytes](access::WarpAccess& access) {
    aligned(access);
    for (u64& address : access.address) address += measure::sector_bytes - static_cast<u64>(bytes);
  };
  predict_share(s, aligned, share_at_place(s, in_row_above), a_cell_before, out);
}

} // namespace warplens::advise::rules
