// Matrices that the lanes of a warp hold together: ldmatrix, stmatrix, movmatrix, and multiplication (kernels/matrices.h).
//
// All lanes of a warp take part, and an op that waits for them stands before these (lower_matrix.cpp). The operands of a
// multiplication are more registers than an op has slots. So each operand is kept by ops of its own, in the rows of
// Exec::matrix, and the multiplication that follows at once, for the same lanes, finds all of them there (MatrixProduct).
#include "sim/kernels/matrices.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include <cstring>

namespace warplens::sim {
namespace {

// A matrix as ldmatrix reads it: eight rows of eight elements of 16 bits.
constexpr u32 tile = 8;
using Tile = std::array<std::array<u16, tile>, tile>;

// The first lanes of each warp: those that say where rows are.
Mask row_lanes(const Exec& x, u32 rows) {
  Mask out;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) out.word[w] = x.mask->word[w] & low_lanes(rows);
  return out;
}

// Rows that a missing lane should have named stay zero.
Tile read_tile(const AccessView& a, u32 warp, u32 first_lane) {
  Tile out{};
  for (u32 row = 0; row < tile; ++row) {
    u32 lane = first_lane + row;
    if ((a.mask->word[warp] >> lane & 1) == 0) continue;
    u64 from = a.host.at_warp(warp) + a.address[warp * warp_size + lane];
    std::memcpy(out[row].data(), host_pointer(from), sizeof out[row]);
  }
  return out;
}

// The tile that the lanes of a warp hold, two neighbours of row l / 4 in lane l.
Tile tile_of_lanes(const u32* lanes) {
  Tile out;
  for (u32 lane = 0; lane < warp_size; ++lane)
    for (u32 e = 0; e < 2; ++e) out[lane / 4][lane % 4 * 2 + e] = static_cast<u16>(lanes[lane] >> (16 * e));
  return out;
}

// Lane l gets two neighbours of row l / 4; of the transposed matrix under .trans.
u32 lane_part(const Tile& matrix, u32 lane, bool transposed) {
  u32 row = lane / 4, column = lane % 4 * 2;
  u32 low = transposed ? matrix[column][row] : matrix[row][column],
      high = transposed ? matrix[column + 1][row] : matrix[row][column + 1];
  return low | high << 16;
}

void give_tiles(Exec& x, const Op& op, const AccessView& a) {
  bool transposed = op.sign;
  for (u32 d = 0; d < op.destinations; ++d) {
    u32* result = static_cast<u32*>(x.scratch[d]);
    for (u32 w = x.first_warp; w < x.end_warp; ++w) {
      if (x.mask->word[w] == 0) continue;
      Tile matrix = read_tile(a, w, d * tile);
      for (u32 lane = 0; lane < warp_size; ++lane)
        result[w * warp_size + lane] = lane_part(matrix, lane, transposed);
    }
  }
  for (u32 d = 0; d < op.destinations; ++d) x.merge(x.values[op.destination(d)], x.scratch[d]);
}

void put_tiles(Exec& x, const Op& op, const AccessView& a) {
  for (u32 s = 1; s < op.sources; ++s) {
    const u32* from = static_cast<const u32*>(x.lanes_of(op.source(s)));
    for (u32 w = x.first_warp; w < x.end_warp; ++w) {
      if (x.mask->word[w] == 0) continue;
      Tile matrix = tile_of_lanes(from + w * warp_size);
      for (u32 row = 0; row < tile; ++row) {
        u32 lane = (s - 1) * tile + row;
        if ((a.mask->word[w] >> lane & 1) == 0) continue;
        std::array<u16, tile> line = matrix[row];
        for (u32 i = 0; op.sign && i < tile; ++i) line[i] = matrix[i][row];
        std::memcpy(host_pointer(a.host.at_warp(w) + a.address[w * warp_size + lane]), line.data(),
                    sizeof line);
      }
    }
  }
}

} // namespace

namespace ops {

// ldmatrix. Slots: destinations, address
void load_matrix(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Mask all = *x.mask;
  x.perform(row_lanes(x, op.destinations * tile));
  resolve(x, op, Purpose::atomic,
          [&](const AccessView& a) { check(x, op, a); }); // the others may point anywhere
  x.perform(all);
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    report(x, op, a);
    give_tiles(x, op, a);
  });
}

// stmatrix. Slots: address, matrices. To the sink it is a store of 16 bytes by all lanes, of which the first name rows.
void store_matrix(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  x.writes += 1;
  ++x.effects;
  for (u32 s = 1; s < op.sources; ++s) { // lanes may go where others that are still in memory come from
    x.lanes_of(op.source(s));
    x.values[op.source(s)].materialize();
  }
  Mask all = *x.mask;
  x.perform(row_lanes(x, (op.sources - 1u) * tile));
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check(x, op, a);
    if (x.performs_stores) put_tiles(x, op, a);
  });
  x.perform(all);
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) { report(x, op, a); });
}

// movmatrix. Slots: destination, source
void transpose_matrix(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const u32* from = static_cast<const u32*>(x.lanes_of(op.source(0)));
  u32* result = static_cast<u32*>(x.scratch[0]);
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    if (x.mask->word[w] == 0) continue;
    Tile matrix = tile_of_lanes(from + w * warp_size);
    for (u32 lane = 0; lane < warp_size; ++lane) result[w * warp_size + lane] = lane_part(matrix, lane, true);
  }
  x.merge(x.values[op.destination(0)], result);
}

// Slots: an operand's registers
void keep_matrix(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  u64 lanes = x.shape.lanes, first = static_cast<u64>(op.offset);
  if (x.matrix.size() < (first + op.sources) * lanes) x.matrix.resize((first + op.sources) * lanes);
  for (u32 s = 0; s < op.sources; ++s) {
    u64* to = &x.matrix[(first + s) * lanes];
    Value& v = x.values[op.source(s)];
    need_lanes(v, x.shape);
    u64 begin = x.first_warp * warp_size, end = x.end_warp * warp_size;
    if (v.bits == 64)
      std::copy(v.read<u64>(0) + begin, v.read<u64>(0) + end, to + begin);
    else
      std::copy(v.read<u32>(0) + begin, v.read<u32>(0) + end, to + begin);
  }
}

// The way back. Slots: registers
void take_matrix(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  for (u32 d = 0; d < op.destinations; ++d) {
    if (op.destination(d) == no_slot) continue;
    const u64* from = &x.matrix[(static_cast<u64>(op.offset) + d) * x.shape.lanes];
    u32* lanes = static_cast<u32*>(x.scratch[0]);
    for (u32 lane = x.first_warp * warp_size; lane < x.end_warp * warp_size; ++lane)
      lanes[lane] = static_cast<u32>(from[lane]);
    x.merge(x.values[op.destination(d)], lanes);
  }
}

// The lanes of a warp's register, which has 32 or 64 bits.
static void put_lanes(Exec& x, Value& to, u32 warp, u32 lanes, const u64 (&values)[warp_size]) {
  if (to.bits != 32 || lanes != full_mask) {
    for_each_lane(lanes, [&](u32 lane) { x.set_lane(to, warp * warp_size + lane, values[lane]); });
    return;
  }
  u32* out = to.writable<u32>(warp);
  for (u32 lane = 0; lane < warp_size; ++lane) out[lane] = static_cast<u32>(values[lane]);
}

// mma. Slots: destinations
void multiply_matrices(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const MatrixProduct& product = x.code->products[op.product_index()];
  MatrixResult out;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    if (x.mask->word[w] == 0) continue;
    auto row = [&](u32 r) { return x.matrix.data() + u64{r} * x.shape.lanes + w * warp_size; };
    product.multiply(product.kind,
                     {row(product.a), row(product.b), row(product.c), row(product.metadata), x.shape.lanes},
                     out);
    for (u32 d = 0; d < op.destinations; ++d) {
      if (op.destination(d) == no_slot) continue;
      Value& to = x.values[op.destination(d)];
      need_lanes(to, x.shape);
      put_lanes(x, to, w, x.mask->word[w], out[d]);
    }
  }
  for (u32 d = 0; d < op.destinations; ++d)
    if (op.destination(d) != no_slot) x.values[op.destination(d)].set_lanes();
}

} // namespace ops
} // namespace warplens::sim
