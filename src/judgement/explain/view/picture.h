// The drawing of one warp's access as data: rows of memory cells with the lanes that touch them. The terminal
// and the SVG writers draw the same picture.
#pragma once
#include "explain/model/explanation.h"

namespace warplens::explain {

struct Cell {
  u32 lanes = 0; // mask of the lanes that touch it
};

struct PictureRow {
  u64 address = 0; // of the first cell, bytes from the array's alignment boundary; two's complement below it
  std::vector<Cell> cells;
  std::vector<u8> fetched; // per group of cells: does it travel?
  u32 used_bytes = 0, fetched_bytes = 0;
};

// What a row's columns are: sectors of device memory, banks of shared memory, or plain words of constant
// memory.
struct Picture {
  enum class Kind : u8 { segments, banks, addresses } kind = Kind::segments;
  u32 cell_bytes = 4;
  u32 cells_per_group = 8;      // a sector; for banks all of a row
  std::vector<PictureRow> rows; // ascending
  std::vector<u32> per_bank;    // distinct words per bank, for banks
};

// `section`: bytes of a DRAM burst section to group by, with four of them in a row; 0: the architecture's
// segments.
Picture picture(const arch::Architecture&, const access::WarpAccess&, const std::vector<Transaction>&,
                u32 section = 0);
u64 groups_fetched(const Picture&);

// 0…9 a…v for lanes 0…31, '*' for several lanes.
char lane_symbol(u32 mask);

// "128–255": the bytes of a row; `dash` between them.
std::string bytes_text(const Picture&, const PictureRow&, std::string_view dash);

} // namespace warplens::explain
