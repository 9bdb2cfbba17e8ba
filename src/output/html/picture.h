// Where the lanes of one warp go, as the page draws it: rows of memory cells, and which of them travel. For shared memory the
// rows are passes, where the lanes can be laid out in as many as the architecture's rule counts; else rows of the banks.
#pragma once
#include "access/access.h"
#include "arch/table.h"
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace warplens::html {

// Neighbouring cells: each of the next lane (`step` 1), or all of the same lanes (`step` 0).
struct CellRun {
  u32 cell = 0, cells = 1;
  u32 lanes = 0; // mask, of the first cell
  u32 step = 0;
  bool operator==(const CellRun&) const = default;
};

struct PictureRow {
  i64 label =
      0; // the first cell's byte, from the least multiple of the address period on; the number of a pass, from 1 on
  u32 used_bytes = 0, moved_bytes = 0;
  u32 moved_groups = 0; // mask: which groups of cells travel
  std::vector<CellRun> runs;
};

struct Picture {
  enum class Kind : u8 { sectors, passes, banks, words } kind = Kind::sectors;
  u32 active = 0;
  u32 cell_bytes = 4, group_cells = 8, row_cells = 32;
  std::vector<PictureRow> rows;
};

// `section`: as explain::picture() has it.
Picture picture_of(const arch::Architecture&, const access::WarpAccess&, u32 section = 0);

// As web/src/picture.tsx reads it.
nlohmann::ordered_json json(const Picture&);

} // namespace warplens::html
