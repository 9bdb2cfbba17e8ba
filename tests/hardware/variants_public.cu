// Pairs that program.advice holds to its predictions, those after public kernels and some of our own, launched with enough blocks
// to fill a GPU: see variants.cu, which this is to be measured like.
//   variants_public [REPEATS]
#include "variants.h"
#include <utility>

#define KERNELS_ALONE
namespace loads {
#include "../scripts/programs/advice_public.cu"
}
namespace units {
#include "../scripts/programs/advice_public_units.cu"
}
namespace own {
#include "../scripts/programs/advice_units.cu"
}

constexpr int block_size = 256, many = 4096, m = many * block_size;

struct Data {
  std::vector<int> shuffled, sorted, digit, place, rank, key, row;
  std::vector<unsigned char> bytes;
};

Data make() {
  Data d;
  for (auto* v : {&d.shuffled, &d.sorted, &d.digit, &d.place, &d.rank, &d.key, &d.row}) v->resize(m);
  d.bytes.resize(4 * m);
  unsigned state = 12345;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < m; ++i) {
    d.sorted[i] = d.shuffled[i] = i;
    d.digit[i] = i < block_size ? int(next(16)) : d.digit[i - block_size];
    d.key[i] = int(next(units::bins));
    d.row[i] = i == 0 ? 0 : d.row[i - 1] + (next(4) == 0);
  }
  for (int i = m - 1; i > 0; --i) std::swap(d.shuffled[i], d.shuffled[next(unsigned(i + 1))]);
  for (unsigned char& b : d.bytes) b = (unsigned char)next(256);
  for (int block = 0; block < many; ++block) // a digit of 4 bits: each block's keys go to 16 runs
    for (int digit = 0, in_block = 0; digit < 16; ++digit)
      for (int i = block * block_size, of_digit = 0; i < (block + 1) * block_size; ++i)
        if (d.digit[i] == digit) {
          d.place[i] = digit * m / 8 + block * 32 + of_digit++;
          d.rank[i] = in_block++;
        }
  return d;
}

void measure_loads(const Data& d, float* a, float* b) {
  using namespace loads;
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *ints = reinterpret_cast<int*>(a), *ints_out = reinterpret_cast<int*>(b);
  auto *quads = reinterpret_cast<float4*>(a), *quads_out = reinterpret_cast<float4*>(b);
  auto *pairs = reinterpret_cast<float2*>(a), *pairs_out = reinterpret_cast<float2*>(b);
  int *at_random = ::device(d.shuffled), *in_order = ::device(d.sorted);
  int *keys = ::device(d.digit), *places = ::device(d.place), *ranks = ::device(d.rank);
  dim3 square(16, 16), squares(64, 64);
  measure("kmeans rows", "before", [&] { kmeans_rows<<<256, block_size>>>(a, b); });
  measure("kmeans rows", "after", [&] { kmeans_rows_by_warp<<<32 * 256, block_size>>>(a, b); });
  measure("kmeans tile", "before", [&] { kmeans_rows<<<256, block_size>>>(a, b); });
  measure("kmeans tile", "after", [&] { kmeans_rows_tiled<<<256, block_size>>>(a, b); });
  measure("atax", "before", [&] { atax<<<64, block_size>>>(wide, wide, wide_out); });
  measure("atax", "after", [&] { atax_by_warp<<<32 * 64, block_size>>>(wide, wide, wide_out); });
  measure("member", "before", [&] { interleaved<<<many, block_size>>>(reinterpret_cast<Six*>(a), b); });
  measure("member", "after", [&] { apart<<<many, block_size>>>(a, a + m, b); });
  measure("nw", "before", [&] { nw<<<2048, 16>>>(ints, ints_out, 129, 1); });
  measure("nw", "after", [&] { nw_pitched<<<2048, 16>>>(ints, ints_out, 160, 0); });
  measure("pathfinder", "before", [&] { pathfinder<<<many, block_size>>>(ints, ints_out); });
  measure("pathfinder", "after", [&] { pathfinder_aligned<<<many, block_size>>>(ints, ints_out); });
  measure("stencil1d", "before", [&] { stencil1d<<<many, block_size>>>(ints, ints_out); });
  measure("stencil1d", "after", [&] { stencil1d_aligned<<<many, block_size>>>(ints, ints_out); });
  measure("atoms", "before", [&] { atoms<<<many, block_size>>>(at_random, quads, quads_out); });
  measure("atoms", "after", [&] { atoms_sorted<<<many, block_size>>>(in_order, quads, quads_out); });
  measure("digits", "before", [&] { digits<<<many, block_size>>>(keys, places, ints_out); });
  measure("digits", "after", [&] { digits_in_shared<<<many, block_size>>>(keys, places, ranks, ints_out); });
  measure("centres", "before", [&] { nearest<<<1024, block_size>>>(a, a, b); });
  measure("centres", "after", [&] { nearest_shared<<<1024, block_size>>>(a, a, b); });
  measure("floyd", "before", [&] { floyd<<<squares, square>>>(ints, ints_out, 5); });
  measure("floyd", "after", [&] { floyd_shared<<<squares, square>>>(ints, ints_out, 5); });
  measure("vector add", "before", [&] { vector_add<<<4 * many, block_size>>>(a, b); });
  measure("vector add", "after", [&] { vector_add_4<<<4 * many, block_size / 4>>>(quads, quads_out); });
  measure("stream copy", "before", [&] { stream_copy<<<2 * many, block_size>>>(wide, wide_out); });
  measure("stream copy", "after", [&] {
    stream_copy_2<<<2 * many, block_size / 2>>>(reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b));
  });
  measure("complex", "before", [&] { complex_square<<<2 * many, block_size>>>(pairs, pairs_out); });
  measure("complex", "after", [&] { complex_square_2<<<2 * many, block_size / 2>>>(quads, quads_out); });
}

void measure_units(const Data& d, float* a, float* b) {
  using namespace units;
  int *keys = ::device(d.key), *rows = ::device(d.row), *out = reinterpret_cast<int*>(b);
  unsigned char *bytes = ::device(d.bytes), *bytes_out = reinterpret_cast<unsigned char*>(b);
  auto* counts = reinterpret_cast<unsigned*>(b);
  dim3 square(16, 16), small(8, 8);
  measure("scan", "before", [&] { scan<<<many, block_size>>>(out); });
  measure("scan", "after", [&] { scan_skewed<<<many, block_size>>>(out); });
  measure("perimeter", "before", [&] { perimeter<<<many, 16>>>(b); });
  measure("perimeter", "after", [&] { perimeter_padded<<<many, 16>>>(b); });
  measure("aes", "before", [&] { aes<<<4 * many, block_size>>>(bytes, bytes_out); });
  measure("aes", "after", [&] { aes_global<<<4 * many, block_size>>>(bytes, bytes, bytes_out); });
  measure("quantise", "before", [&] { quantise<<<4 * many, small>>>(b); });
  measure("quantise", "after", [&] { quantise_global<<<4 * many, small>>>(a, b); });
  measure("twister", "before", [&] { twister<<<many, block_size>>>(counts); });
  measure("twister", "after", [&] { twister_shared<<<many, block_size>>>(counts); });
  measure("nearest", "before", [&] { nearest<<<many, block_size>>>(a, b, 3); });
  measure("nearest", "after", [&] { nearest_shared<<<many, block_size>>>(a, b, 3); });
  measure("triplets", "before", [&] { triplets<<<many, block_size>>>(rows, a, b); });
  measure("triplets", "after", [&] { triplets_by_row<<<many, block_size>>>(rows, a, b); });
  measure("layer", "before", [&] { layer_forward<<<many, square>>>(b); });
  measure("layer", "after", [&] { layer_forward_packed<<<many, square>>>(b); });
  measure("bitonic", "before", [&] { bitonic<<<many, block_size>>>(keys, out, 4); });
  measure("bitonic", "after", [&] { bitonic_packed<<<many / 2, block_size>>>(keys, out, 4); });
  measure("keys", "before", [&] { count_keys<<<512, block_size>>>(keys, counts); });
  measure("keys", "after", [&] { count_keys_by_block<<<512, block_size>>>(keys, counts); });
  measure("weigh", "before", [&] { weigh<<<many, block_size>>>(bytes, out); });
  measure("weigh", "after", [&] { weigh_in_copies<<<many, block_size>>>(bytes, out); });
}

void measure_own(float* a, float* b) {
  using namespace own;
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *ints = reinterpret_cast<int*>(a), *ints_out = reinterpret_cast<int*>(b);
  measure("four", "before", [&] { four_add<<<many, block_size>>>(b); });
  measure("four", "after", [&] { one_of_four_adds<<<many, block_size>>>(b); });
  measure("four double", "before", [&] { four_add_double<<<many, block_size>>>(wide_out); });
  measure("four double", "after", [&] { one_of_four_adds_double<<<many, block_size>>>(wide_out); });
  measure("four shared", "before", [&] { four_raise_shared<<<many, block_size>>>(ints_out); });
  measure("four shared", "after", [&] { one_of_four_raises_shared<<<many, block_size>>>(ints_out); });
  measure("constant steps", "before", [&] { constant_steps<<<many, block_size>>>(b); });
  measure("constant steps", "after", [&] { global_steps<<<many, block_size>>>(a, b); });
  measure("constant thirds", "before", [&] { constant_doubles<<<many, block_size>>>(wide_out); });
  measure("constant thirds", "after", [&] { global_doubles<<<many, block_size>>>(wide, wide_out); });
  measure("local index", "before", [&] { own_index<<<many, block_size>>>(ints, ints_out); });
  measure("local index", "after", [&] { one_index<<<many, block_size>>>(ints, ints_out); });
  measure("local row", "before", [&] { local_row<<<many, block_size>>>(ints, ints_out); });
  measure("local row", "after", [&] { shared_row<<<many, block_size>>>(ints, ints_out); });
  measure("each fourth", "before", [&] { each_fourth<<<many, block_size>>>(b); });
  measure("each fourth", "after", [&] { first_fourth<<<many, block_size>>>(b); });
  measure("modulo", "before", [&] { modulo_reduction<<<many, block_size>>>(b); });
  measure("modulo", "after", [&] { packed_reduction<<<many, block_size>>>(b); });
  measure("remainder", "before", [&] { by_remainder<<<many, block_size>>>(b); });
  measure("remainder", "after", [&] { by_number<<<many, block_size>>>(b); });
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
  measure_loads(data, a, b);
  measure_units(data, a, b);
  measure_own(a, b);
  return 0;
}
