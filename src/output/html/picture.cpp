// Rows of cells for the lanes of a warp, per space, and which of them travel. See picture.h.
#include "html/picture.h"
#include "arch/count.h"
#include "base/bits.h"
#include "explain/view/picture.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace warplens::html {
namespace {

using access::WarpAccess;

// `masks`: of the lanes at each cell.
std::vector<CellRun> runs_of(const std::vector<u32>& masks) {
  std::vector<CellRun> out;
  for (u32 cell = 0; cell < masks.size(); ++cell) {
    const u32 lanes = masks[cell];
    if (lanes == 0) continue;
    CellRun* last = out.empty() ? nullptr : &out.back();
    if (last != nullptr && last->cell + last->cells == cell) {
      const bool same = lanes == last->lanes && (last->step == 0 || last->cells == 1);
      const bool next = (last->step == 1 || last->cells == 1) && lanes == last->lanes << last->cells &&
                        last->lanes << last->cells >> last->cells == last->lanes;
      if (same || next) {
        last->step = next;
        ++last->cells;
        continue;
      }
    }
    out.push_back({cell, 1, lanes, 0});
  }
  return out;
}

// A word of shared memory that lanes want, and in which pass of its group they get it.
struct Word {
  u64 word = 0;
  u32 lanes = 0;
};

// The lanes in groups of `size` one after the other; in each pass a bank gives one word, to all lanes that want it. With
// `apart`, each lane by itself.
std::vector<std::vector<u32>> passes_of(const WarpAccess& access, const arch::Banks& banks, u32 lanes,
                                        u32 size, bool apart) {
  std::vector<std::vector<u32>> out; // [pass][bank]: lanes
  for (u32 first = 0; first < warp_size; first += size) {
    std::vector<std::vector<Word>> wanted(banks.count);
    const u32 group = lanes & (size == warp_size ? full_mask : ((u32{1} << size) - 1) << first);
    for_each_lane(group, [&](u32 lane) {
      for (u32 byte = 0; byte < std::max<u32>(access.bytes, 1); byte += banks.width) {
        const u64 word = (access.address[lane] + byte) / banks.width;
        std::vector<Word>& bank = wanted[word % banks.count];
        auto same = std::ranges::find(bank, word, &Word::word);
        if (apart || same == bank.end())
          bank.push_back({word, u32{1} << lane});
        else
          same->lanes |= u32{1} << lane;
      }
    });
    const std::size_t before = out.size();
    for (u32 bank = 0; bank < banks.count; ++bank)
      for (std::size_t pass = 0; pass < wanted[bank].size(); ++pass) {
        if (out.size() <= before + pass) out.resize(before + pass + 1, std::vector<u32>(banks.count));
        out[before + pass][bank] = wanted[bank][pass].lanes;
      }
  }
  return out;
}

// The passes, where one of the ways in which architectures group lanes gives as many as the rule counts.
std::optional<std::vector<std::vector<u32>>> passes(const arch::Architecture& architecture,
                                                    const WarpAccess& access) {
  const u64 counted = arch::count(architecture, access).wavefronts;
  const u32 lanes = access.matrices != 0 && access.matrices < 4
                        ? access.active & ((u32{1} << (8 * access.matrices)) - 1)
                        : access.active;
  for (u32 size : {32u, 16u, 8u}) {
    auto out = passes_of(access, architecture.banks, lanes, size, is_atomic(access.kind));
    if (out.size() == counted) return out;
  }
  return {};
}

Picture picture_of_passes(const arch::Banks& banks, u32 active, const std::vector<std::vector<u32>>& passes) {
  Picture out{Picture::Kind::passes, active, banks.width, banks.count, banks.count, {}};
  for (const std::vector<u32>& pass : passes) {
    PictureRow row{static_cast<i64>(out.rows.size()) + 1, 0, banks.count * banks.width, 1, runs_of(pass)};
    for (u32 lanes : pass) row.used_bytes += lanes != 0 ? banks.width : 0;
    out.rows.push_back(std::move(row));
  }
  return out;
}

} // namespace

Picture picture_of(const arch::Architecture& architecture, const WarpAccess& measured, u32 section) {
  if (measured.space == access::Space::shared)
    if (auto found = passes(architecture, measured))
      return picture_of_passes(architecture.banks, measured.active, *found);
  WarpAccess access = measured;
  for (u64& address : access.address) address += explain::origin;
  const explain::Picture drawn =
      explain::picture(architecture, access, explain::transactions(architecture, access), section);
  Picture out{Picture::Kind::sectors, access.active, drawn.cell_bytes, drawn.cells_per_group, 32, {}};
  if (drawn.kind == explain::Picture::Kind::banks) out.kind = Picture::Kind::banks;
  if (drawn.kind == explain::Picture::Kind::addresses) out.kind = Picture::Kind::words;
  for (const explain::PictureRow& from : drawn.rows) {
    PictureRow row{static_cast<i64>(from.address), from.used_bytes, from.fetched_bytes, 0, {}};
    std::vector<u32> masks;
    for (const explain::Cell& cell : from.cells) masks.push_back(cell.lanes);
    row.runs = runs_of(masks);
    for (std::size_t group = 0; group < from.fetched.size(); ++group)
      row.moved_groups |= from.fetched[group] ? u32{1} << group : 0;
    out.row_cells = static_cast<u32>(masks.size());
    out.rows.push_back(std::move(row));
  }
  return out;
}

nlohmann::ordered_json json(const Picture& picture) {
  using Json = nlohmann::ordered_json;
  static constexpr std::string_view kinds[] = {"sectors", "passes", "banks", "words"};
  Json out{{"kind", kinds[static_cast<std::size_t>(picture.kind)]},
           {"active", picture.active},
           {"cell", picture.cell_bytes},
           {"group", picture.group_cells},
           {"cells", picture.row_cells}};
  Json& rows = out["rows"] = Json::array();
  for (const PictureRow& row : picture.rows) {
    Json runs = Json::array();
    for (const CellRun& run : row.runs)
      for (u32 number : {run.cell, run.cells, run.lanes, run.step}) runs.push_back(number);
    rows.push_back({row.label, row.used_bytes, row.moved_bytes, row.moved_groups, std::move(runs)});
  }
  return out;
}

} // namespace warplens::html
