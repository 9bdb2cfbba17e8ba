// The pairs of program.advice that neither variants.cu nor variants_public.cu has, launched with enough blocks to fill a GPU
// where their shape allows it: see variants.cu, which this is to be measured like. A pair has the name that it has there.
//   variants_more [REPEATS]
#include "variants.h"
#include <utility>

#define KERNELS_ALONE
namespace plain {
#include "../scripts/programs/advice.cu"
}
namespace rows {
#include "../scripts/programs/advice_rows.cu"
}
namespace spread {
#include "../scripts/programs/advice_spread.cu"
}
namespace units {
#include "../scripts/programs/advice_units.cu"
}
namespace loads {
#include "../scripts/programs/advice_public.cu"
}
namespace atomics {
#include "../scripts/programs/advice_public_units.cu"
}

constexpr int block_size = 256, many = 4096, m = many * block_size;

struct Data {
  std::vector<int> shuffled, sorted, key, place, long_begin, short_begin, column;
};

Data make() {
  Data d;
  for (auto* v : {&d.shuffled, &d.sorted, &d.key, &d.place}) v->resize(m);
  d.long_begin.resize(block_size + 1), d.short_begin.resize(block_size + 1), d.column.resize(1 << 15);
  unsigned state = 7;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < m; ++i) d.sorted[i] = d.shuffled[i] = d.place[i] = i, d.key[i] = int(next(spread::bins));
  for (int i = m - 1; i > 0; --i) std::swap(d.shuffled[i], d.shuffled[next(unsigned(i + 1))]);
  for (int i = 0; i < m; ++i) std::swap(d.place[i], d.place[i / block_size * block_size + int(next(block_size))]);
  for (int i = 0; i < block_size; ++i) {
    d.long_begin[i + 1] = d.long_begin[i] + 20 + int(next(60));
    d.short_begin[i + 1] = d.short_begin[i] + 3 + int(next(8));
  }
  for (int& c : d.column) c = int(next(1024));
  return d;
}

void measure_plain(float* a, float* b) {
  using namespace plain;
  dim3 wide(32, 8), square_block(16, 16);
  measure("columns", "before", [&] { columns<<<many, wide>>>(b); });
  measure("columns", "after", [&] { columns_padded<<<many, wide>>>(b); });
  measure("jagged", "before", [&] { jagged<<<many, square_block>>>(b); });
  measure("jagged", "after", [&] { jagged_padded<<<many, square_block>>>(b); });
  measure("square", "before", [&] { square<<<many, square_block>>>(b); });
  measure("square", "after", [&] { square_padded<<<many, square_block>>>(b); });
  measure("triangle", "before", [&] { triangle<<<many, 16>>>(b); });
  measure("triangle", "after", [&] { triangle_padded<<<many, 16>>>(b); });
  measure("reduction", "before", [&] { doubling<<<many, block_size>>>(b); });
  measure("reduction", "after", [&] { halving<<<many, block_size>>>(b); });
  measure("structure", "before", [&] { structures<<<many, block_size>>>(reinterpret_cast<Point*>(a), b); });
  measure("structure", "after", [&] { members<<<many, block_size>>>(a, b); });
  measure("start", "before", [&] { shifted<<<many, block_size>>>(a, b); });
  measure("start", "after", [&] { aligned<<<many, block_size>>>(a, b); });
  measure("table", "before", [&] { constants<<<many, block_size>>>(b); });
  measure("table", "after", [&] { globals<<<many, block_size>>>(a, b); });
  measure("sum", "before", [&] { all_add<<<many, block_size>>>(b); });
  measure("sum", "after", [&] { one_adds<<<many, block_size>>>(b); });
}

// Rows of different lengths come from one block of 256 rows, as in the programs: a thread for each, then a warp.
void measure_rows(const Data& d, float* a, float* b) {
  using namespace rows;
  int *lengths = ::device(d.long_begin), *few = ::device(d.short_begin), *columns = ::device(d.column);
  int *at_random = ::device(d.shuffled), *in_order = ::device(d.sorted);
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *quads = reinterpret_cast<double2*>(a), *quads_out = reinterpret_cast<double2*>(b);
  auto* points = reinterpret_cast<float4*>(a);
  dim3 tiles(side / 32, side / 32), tile(32, 32), strip(32, 8);
  measure("walk", "before", [&] { walk<<<many / 8, block_size>>>(a, b); });
  measure("walk", "after", [&] { walk_together<<<32 * many / 8, block_size>>>(a, b); });
  measure("long_rows", "before", [&] { long_rows<<<1, block_size>>>(lengths, a, b); });
  measure("long_rows", "after", [&] { long_rows_by_warp<<<32, block_size>>>(lengths, a, b); });
  measure("short_rows", "before", [&] { short_rows<<<1, block_size>>>(few, wide, wide_out); });
  measure("short_rows", "after", [&] { short_rows_by_8<<<8, block_size>>>(few, wide, wide_out); });
  measure("sparse", "before", [&] { sparse<<<1, block_size>>>(lengths, columns, a, a, b); });
  measure("sparse", "after", [&] { sparse_by_warp<<<32, block_size>>>(lengths, columns, a, a, b); });
  measure("left", "before", [&] { product<<<tiles, tile>>>(a, a, b); });
  measure("left", "after", [&] { product_tiled<<<tiles, tile>>>(a, a, b); });
  measure("bodies", "before", [&] { bodies<<<many, block_size>>>(points, b); });
  measure("bodies", "after", [&] { bodies_tiled<<<many, block_size>>>(points, b); });
  measure("gather", "before", [&] { gather<<<many, block_size>>>(at_random, a, b); });
  measure("gather", "after", [&] { gather_sorted<<<many, block_size>>>(in_order, a, b); });
  measure("gather_wide", "before", [&] { gather_wide<<<many, block_size>>>(at_random, quads, quads_out); });
  measure("gather_wide", "after", [&] { gather_wide_sorted<<<many, block_size>>>(in_order, quads, quads_out); });
  measure("scatter", "before", [&] { scatter<<<many, block_size>>>(at_random, a, b); });
  measure("scatter", "after", [&] { scatter_sorted<<<many, block_size>>>(in_order, a, b); });
  measure("store_start", "before", [&] { store_shifted<<<many, block_size>>>(b); });
  measure("store_start", "after", [&] { store_aligned<<<many, block_size>>>(b); });
  measure("pitch", "before", [&] { rows_of_101<<<many, strip>>>(wide, wide_out); });
  measure("pitch", "after", [&] { rows_of_112<<<many, strip>>>(wide, wide_out); });
}

void measure_public(const Data& d, float* a, float* b) {
  using namespace loads;
  int *begins = ::device(d.long_begin), *edges = ::device(d.column), *out = reinterpret_cast<int*>(b);
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  measure("transpose", "before", [&] { transpose<<<dim3(8, 8), dim3(16, 16)>>>(a, b); });
  measure("transpose", "after", [&] { transpose_tiled<<<dim3(8, 8), dim3(16, 16)>>>(a, b); });
  measure("bfs", "before", [&] { bfs<<<1, block_size>>>(begins, edges, out); });
  measure("bfs", "after", [&] { bfs_by_warp<<<32, block_size>>>(begins, edges, out); });
  measure("segments", "before", [&] { segments<<<1, block_size>>>(begins, wide, wide_out); });
  measure("segments", "after", [&] { segments_by_warp<<<32, block_size>>>(begins, wide, wide_out); });
  using namespace atomics;
  measure("dot", "before", [&] { dot<<<many, block_size>>>(a, a, b); });
  measure("dot", "after", [&] { dot_by_warp<<<many, block_size>>>(a, a, b); });
  measure("norm", "before", [&] { norm<<<many, block_size>>>(b); });
  measure("norm", "after", [&] { norm_by_block<<<many, block_size>>>(b); });
}

void measure_spread(const Data& d, float* a, float* b) {
  using namespace spread;
  int *keys = ::device(d.key), *places = ::device(d.place), *out = reinterpret_cast<int*>(b);
  auto* counts = reinterpret_cast<unsigned*>(b);
  measure("latest", "before", [&] { latest<<<many, block_size>>>(keys, out); });
  measure("latest", "after", [&] { latest_in_copies<<<many, block_size>>>(keys, out); });
  measure("turns", "before", [&] { turns<<<many, block_size>>>(keys, counts); });
  measure("turns", "after", [&] { turns_in_copies<<<many, block_size>>>(keys, counts); });
  measure("histogram", "before", [&] { histogram<<<512, block_size>>>(keys, counts); });
  measure("histogram", "after", [&] { histogram_by_block<<<512, block_size>>>(keys, counts); });
  measure("sums", "before", [&] { sums<<<512, block_size>>>(keys, b); });
  measure("sums", "after", [&] { sums_by_block<<<512, block_size>>>(keys, b); });
  measure("permute", "before", [&] { permute<<<many, block_size>>>(places, a, b); });
  measure("permute", "after", [&] { permute_in_shared<<<many, block_size>>>(places, a, b); });
}

void measure_units(float* a, float* b) {
  using namespace units;
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *quads = reinterpret_cast<uint4*>(a), *quads_out = reinterpret_cast<uint4*>(b);
  auto *bytes = reinterpret_cast<unsigned char*>(a), *bytes_out = reinterpret_cast<unsigned char*>(b);
  auto* ints = reinterpret_cast<int*>(b);
  dim3 square(16, 16);
  measure("sum_double", "before", [&] { all_add_double<<<many, block_size>>>(wide_out); });
  measure("sum_double", "after", [&] { one_adds_double<<<many, block_size>>>(wide_out); });
  measure("most", "before", [&] { all_raise<<<many, block_size>>>(ints); });
  measure("most", "after", [&] { one_raises<<<many, block_size>>>(ints); });
  measure("tickets", "before", [&] { all_take<<<many, block_size>>>(ints, ints + 64); });
  measure("tickets", "after", [&] { one_takes<<<many, block_size>>>(ints, ints + 64); });
  measure("sum_shared", "before", [&] { all_add_shared<<<many, block_size>>>(b); });
  measure("sum_shared", "after", [&] { one_adds_shared<<<many, block_size>>>(b); });
  measure("rows", "before", [&] { constant_rows<<<many, square>>>(b); });
  measure("rows", "after", [&] { global_rows<<<many, square>>>(a, b); });
  measure("own_doubles", "before", [&] { own_doubles<<<many, block_size>>>(wide, wide_out); });
  measure("own_doubles", "after", [&] { one_doubles<<<many, block_size>>>(wide, wide_out); });
  measure("bytes", "before", [&] { by_bytes<<<8 * many, block_size>>>(bytes, bytes_out); });
  measure("bytes", "after", [&] { by_16_bytes<<<many / 2, block_size>>>(quads, quads_out); });
  measure("floats", "before", [&] { by_floats<<<4 * many, block_size>>>(a, b); });
  measure("floats", "after", [&] {
    by_4_floats<<<many, block_size>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  });
  measure("doubles", "before", [&] { store_doubles<<<2 * many, block_size>>>(wide_out); });
  measure("doubles", "after", [&] { store_2_doubles<<<many, block_size>>>(reinterpret_cast<double2*>(b)); });
  measure("eighth", "before", [&] { each_eighth<<<many, block_size>>>(a, b); });
  measure("eighth", "after", [&] { first_eighth<<<many, block_size>>>(a, b); });
}

int main(int argc, char** argv) {
  if (argc > 1) repeats = std::max(1, std::atoi(argv[1]));
  constexpr std::size_t room = 64 << 20;
  float *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, room));
  CHECK(cudaMalloc(&b, room));
  CHECK(cudaMemset(a, 0, room));
  CHECK(cudaMemset(b, 0, room));
  const Data data = make();
  measure_plain(a, b);
  measure_rows(data, a, b);
  measure_public(data, a, b);
  measure_spread(data, a, b);
  measure_units(a, b);
  return 0;
}
