// The workloads, one function each: inputs, launch, expected result. To add one, write its kernel in
// kernels.cu and kernels.cl and its function and row here.
//
// Seven have been compared before (they carry the goal against PoCL): streaming, strided and random access,
// two matrix products, a transpose, a reduction. Four add what those lack: atomics, divergence with a stack
// per thread, neighbours in two dimensions, rows of unequal length. Six are the kernels of whole programs: bodies
// in tiles, a Fourier transform, dynamic programming, a graph's levels, a sort, a row of attention.
//
// Inputs are the same in every run: a hash of the index, floats in [0, 1) with 16 bits so that sums stay well
// conditioned. Results are compared with the host's in double precision, because fused multiply-add and the
// order of a vectorised sum are the compiler's choice.
#include "workloads/workloads.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <numbers>

namespace warplens::bench {
namespace {

u32 hash(u64 i) {
  i = (i + 1) * 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 32)) * 0xd6e8feb86659fd93;
  return static_cast<u32>(i >> 32);
}
Argument number(u32 value) { return {false, value, 0}; }
u32 bits(float value) { return std::bit_cast<u32>(value); }
float real(u32 word) { return std::bit_cast<float>(word); }
Argument number(float value) { return number(bits(value)); }
Argument array(u32 index) { return {true, 0, index}; }

Words reals(u64 n, u64 seed) {
  Words out(n);
  for (u64 i = 0; i < n; ++i) out[i] = bits(static_cast<float>(hash(seed << 32 | i) >> 16) / 65536.0f);
  return out;
}
Words indices(u64 n, u64 seed, u32 below) {
  Words out(n);
  for (u64 i = 0; i < n; ++i) out[i] = hash(seed << 32 | i) % below;
  return out;
}
Words starts(u32 rows, u32 longest) { // of rows of 1 to `longest` elements; and their end
  Words out(rows + 1);
  for (u32 row = 0; row < rows; ++row) out[row + 1] = out[row] + 1 + hash(row) % longest;
  return out;
}
u32 blocks(u32 n, u32 size) { return (n + size - 1) / size; }

Case saxpy(u32 n) {
  Case c{{reals(n, 1), reals(n, 2)}};
  c.steps = {{"saxpy", {blocks(n, 256)}, {256}, {number(n), number(2.5f), array(0), array(1)}}};
  c.result = 1, c.expected.resize(n), c.within = 1e-6f;
  for (u32 i = 0; i < n; ++i) c.expected[i] = bits(2.5f * real(c.buffers[0][i]) + real(c.buffers[1][i]));
  return c;
}

Case strided(u32 n) {
  Case c{{reals(n, 1), Words(n)}};
  c.steps = {{"strided", {blocks(n, 256)}, {256}, {number(n), array(0), array(1)}}};
  c.result = 1, c.expected.resize(n);
  for (u64 i = 0; i < n; ++i) c.expected[i] = c.buffers[0][i * 32 % n];
  return c;
}

Case gather(u32 n) {
  Case c{{indices(n, 0, n), reals(n, 1), Words(n)}};
  c.steps = {{"gather", {blocks(n, 256)}, {256}, {number(n), array(0), array(1), array(2)}}};
  c.result = 2, c.expected.resize(n);
  for (u32 i = 0; i < n; ++i) c.expected[i] = c.buffers[1][c.buffers[0][i]];
  return c;
}

Case product(const char* kernel, u32 n) {
  Case c{{reals(u64{n} * n, 1), reals(u64{n} * n, 2), Words(u64{n} * n)}};
  c.steps = {{kernel, {blocks(n, 16), blocks(n, 16)}, {16, 16}, {number(n), array(0), array(1), array(2)}}};
  c.result = 2, c.expected.resize(u64{n} * n), c.within = 1e-4f;
  std::vector<double> sums(n);
  for (u64 row = 0; row < n; ++row) {
    sums.assign(n, 0);
    for (u64 k = 0; k < n; ++k)
      for (u64 col = 0; col < n; ++col)
        sums[col] += double{real(c.buffers[0][row * n + k])} * real(c.buffers[1][k * n + col]);
    for (u64 col = 0; col < n; ++col) c.expected[row * n + col] = bits(static_cast<float>(sums[col]));
  }
  return c;
}
Case matmul(u32 n) { return product("matmul", n); }
Case matmul_tiled(u32 n) { return product("matmul_tiled", n); }

Case transpose(u32 n) {
  Case c{{reals(u64{n} * n, 1), Words(u64{n} * n)}};
  c.steps = {{"transpose", {blocks(n, 16), blocks(n, 16)}, {16, 16}, {number(n), array(0), array(1)}}};
  c.result = 1, c.expected.resize(u64{n} * n);
  for (u64 y = 0; y < n; ++y)
    for (u64 x = 0; x < n; ++x) c.expected[x * n + y] = c.buffers[0][y * n + x];
  return c;
}

Case reduce(u32 n) {
  Case c{{reals(n, 1), Words(blocks(n, 256))}};
  c.steps = {{"reduce", {blocks(n, 256)}, {256}, {number(n), array(0), array(1)}}};
  c.result = 1, c.within = 1e-5f;
  for (u64 begin = 0; begin < n; begin += 256) {
    double sum = 0;
    for (u64 i = begin; i < begin + 256 && i < n; ++i) sum += real(c.buffers[0][i]);
    c.expected.push_back(bits(static_cast<float>(sum)));
  }
  return c;
}

Case histogram(u32 n) { // of n bytes, n a multiple of 4
  Case c{{Words(n / 4), Words(256)}};
  c.steps = {{"histogram", {std::min(blocks(n, 256), 1024u)}, {256}, {number(n), array(0), array(1)}}};
  c.result = 1, c.expected.resize(256);
  for (u32 i = 0; i < n / 4; ++i) {
    u32 word = c.buffers[0][i] = hash(i);
    for (u32 byte = 0; byte < 4; ++byte) ++c.expected[word >> 8 * byte & 255];
  }
  return c;
}

u32 completions(u32 all, u32 columns, u32 left, u32 right) {
  if (columns == all) return 1;
  u32 found = 0;
  for (u32 open = all & ~(columns | left | right); open != 0; open &= open - 1) {
    u32 queen = open & (~open + 1);
    found += completions(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
  return found;
}

Case queens(u32 n) { // one thread per placement of the first rows, legal or not
  constexpr u32 given = 4;
  u32 threads = n * n * n * n, all = (u32{1} << n) - 1;
  Case c{{Words(threads)}};
  c.steps = {
      {"queens", {blocks(threads, 128)}, {128}, {number(n), number(given), number(threads), array(0)}}};
  for (u32 id = 0; id < threads; ++id) {
    u32 columns = 0, left = 0, right = 0, rest = id, row = 0;
    for (; row < given; ++row, rest /= n) {
      u32 queen = u32{1} << rest % n;
      if ((queen & (columns | left | right)) != 0) break;
      columns |= queen, left = (left | queen) << 1, right = (right | queen) >> 1;
    }
    c.expected.push_back(row == given ? completions(all, columns, left, right) : 0);
  }
  return c;
}

Case stencil(u32 n) {
  Case c{{reals(u64{n} * n, 1), Words(u64{n} * n)}};
  c.steps = {{"stencil", {blocks(n, 32), blocks(n, 8)}, {32, 8}, {number(n), array(0), array(1)}}};
  c.result = 1, c.expected.resize(u64{n} * n), c.within = 1e-5f;
  for (u64 y = 1; y + 1 < n; ++y)
    for (u64 x = 1; x + 1 < n; ++x) {
      const u32* at = &c.buffers[0][y * n + x];
      float around = real(at[-1]) + real(at[1]) + real(at[-static_cast<i64>(n)]) + real(at[n]);
      c.expected[y * n + x] = bits(0.5f * real(*at) + 0.125f * around);
    }
  return c;
}

Case spmv(u32 rows) { // 1 to 31 elements per row, anywhere
  Words start = starts(rows, 31);
  u32 elements = start[rows];
  Case c{{std::move(start), indices(elements, 7, rows), reals(elements, 1), reals(rows, 2), Words(rows)}};
  c.steps = {
      {"spmv", {blocks(rows, 256)}, {256}, {number(rows), array(0), array(1), array(2), array(3), array(4)}}};
  c.result = 4, c.expected.resize(rows), c.within = 1e-5f;
  for (u32 row = 0; row < rows; ++row) {
    double sum = 0;
    for (u32 k = c.buffers[0][row]; k < c.buffers[0][row + 1]; ++k)
      sum += double{real(c.buffers[2][k])} * real(c.buffers[3][c.buffers[1][k]]);
    c.expected[row] = bits(static_cast<float>(sum));
  }
  return c;
}

// The kernels of whole programs.

Case nbody(u32 n) {
  Case c{{reals(4 * n, 1), Words(4 * n, bits(2)), Words(4 * n)}};
  float seconds = 1.0f / static_cast<float>(n);
  c.steps = {{"nbody", {n / 256}, {256}, {number(n), number(seconds), array(0), array(1), array(2)}}};
  c.result = 2, c.within = 1e-4f;
  const Words& body = c.buffers[0];
  for (u32 i = 0; i < n; ++i) {
    std::array<double, 3> sum{};
    for (u32 k = 0; k < n; ++k) {
      std::array<double, 3> way{};
      double square = 0.01;
      for (u32 axis = 0; axis < 3; ++axis) {
        way[axis] = double{real(body[4 * k + axis])} - real(body[4 * i + axis]);
        square += way[axis] * way[axis];
      }
      double pull = real(body[4 * k + 3]) / (square * std::sqrt(square));
      for (u32 axis = 0; axis < 3; ++axis) sum[axis] += pull * way[axis];
    }
    for (double part : sum) c.expected.push_back(bits(static_cast<float>(2 + part / n)));
    c.expected.push_back(bits(2));
  }
  return c;
}

using Points = std::vector<std::complex<double>>;
Points transformed(const Points& in) { // a power of two of them
  u64 half = in.size() / 2;
  if (half == 0) return in;
  Points even(half), odd(half), out(2 * half);
  for (u64 i = 0; i < half; ++i) even[i] = in[2 * i], odd[i] = in[2 * i + 1];
  even = transformed(even), odd = transformed(odd);
  for (u64 i = 0; i < half; ++i) {
    std::complex<double> turned = odd[i] * std::polar(1.0, -std::numbers::pi * static_cast<double>(i) / half);
    out[i] = even[i] + turned, out[half + i] = even[i] - turned;
  }
  return out;
}

Case fft(u32 n) { // of n × n complex points: rows, then columns
  Case c{{reals(2 * u64{n} * n, 1), Words(2 * u64{n} * n)}};
  c.steps = {{"fft", {n}, {n / 4}, {number(n), number(1u), number(n), array(0), array(1)}},
             {"fft", {n}, {n / 4}, {number(n), number(n), number(1u), array(1), array(1)}}};
  c.result = 1, c.within = 1e-4f, c.least = 0.3f * static_cast<float>(n);
  Points points(u64{n} * n), line(n);
  for (u64 i = 0; i < points.size(); ++i)
    points[i] = {real(c.buffers[0][2 * i]), real(c.buffers[0][2 * i + 1])};
  for (u64 stride : {u64{1}, u64{n}})
    for (u64 l = 0; l < n; ++l) {
      u64 first = stride == 1 ? l * n : l;
      for (u64 i = 0; i < n; ++i) line[i] = points[first + i * stride];
      line = transformed(line);
      for (u64 i = 0; i < n; ++i) points[first + i * stride] = line[i];
    }
  for (std::complex<double> point : points)
    for (double part : {point.real(), point.imag()}) c.expected.push_back(bits(static_cast<float>(part)));
  return c;
}

Case pathfinder(u32 columns) {
  constexpr u32 rows = 64, at_once = 16;
  Case c{{indices(u64{columns} * (rows + 1), 1, 10), Words(columns), Words(columns)}};
  const Words& cost = c.buffers[0];
  Words best(cost.begin(), cost.begin() + columns), before;
  for (u32 row = 0; row < rows; row += at_once) {
    u32 from = c.result; // the costs' own first row, then what the launch before wrote
    c.result = 1 + row / at_once % 2;
    c.steps.push_back(
        {"pathfinder",
         {blocks(columns, 256 - 2 * at_once)},
         {256},
         {number(columns), number(row), number(at_once), array(0), array(from), array(c.result)}});
  }
  for (u32 row = 1; row <= rows; ++row) {
    before = best;
    for (u32 x = 0; x < columns; ++x)
      best[x] = std::min({before[x > 0 ? x - 1 : 0], before[x], before[x + 1 < columns ? x + 1 : x]}) +
                cost[u64{row} * columns + x];
  }
  c.expected = best;
  return c;
}

Case bfs(u32 nodes) { // 1 to 15 neighbours each, anywhere
  constexpr u32 unreached = ~u32{0};
  Words start = starts(nodes, 15), neighbour = indices(start[nodes], 7, nodes);
  Words level(nodes, unreached);
  Case c{{start, neighbour, level}};
  c.steps = {{"bfs_start", {blocks(nodes, 256)}, {256}, {number(nodes), array(2)}}};
  level[0] = 0;
  bool reached = true;
  for (u32 depth = 0; reached; ++depth) {
    reached = false;
    for (u32 node = 0; node < nodes; ++node)
      for (u32 k = start[node]; k < start[node + 1] && level[node] == unreached; ++k)
        if (level[neighbour[k]] == depth) level[node] = depth + 1, reached = true;
    c.steps.push_back(
        {"bfs", {blocks(nodes, 256)}, {256}, {number(nodes), number(depth), array(0), array(1), array(2)}});
  }
  c.result = 2, c.expected = level;
  return c;
}

Case sort(u32 n) { // a power of two, at least 512
  Case c{{indices(n, 1, ~u32{0}), Words(n)}};
  auto block = [&](u32 smallest, u32 largest, u32 from) {
    c.steps.push_back(
        {"sort_block", {n / 512}, {256}, {number(smallest), number(largest), array(from), array(1)}});
  };
  block(2, 512, 0);
  for (u32 size = 1024; size <= n; size *= 2) {
    for (u32 distance = size / 2; distance >= 512; distance /= 2)
      c.steps.push_back({"sort_step", {n / 512}, {256}, {number(size), number(distance), array(1)}});
    block(size, size, 1);
  }
  c.result = 1, c.expected = c.buffers[0];
  std::sort(c.expected.begin(), c.expected.end());
  return c;
}

Case attention(u32 n) {
  constexpr u32 width = 64;
  Case c{{reals(n * width, 1), reals(n * width, 2), reals(n * width, 3), Words(n * width)}};
  c.steps = {{"attention", {n}, {width}, {number(n), array(0), array(1), array(2), array(3)}}};
  c.result = 3, c.within = 1e-4f;
  for (u32 q = 0; q < n; ++q) {
    std::array<double, width> out{};
    double sum = 0;
    for (u32 k = 0; k <= q; ++k) {
      double score = 0;
      for (u32 i = 0; i < width; ++i)
        score += double{real(c.buffers[0][q * width + i])} * real(c.buffers[1][i * n + k]);
      double weight = std::exp(score / 8);
      sum += weight;
      for (u32 i = 0; i < width; ++i) out[i] += weight * real(c.buffers[2][k * width + i]);
    }
    for (double part : out) c.expected.push_back(bits(static_cast<float>(part / sum)));
  }
  return c;
}

constexpr u32 Ki = 1024, Mi = 1024 * Ki;
constexpr Workload table[] = {
    // name, goal, program, full, quick, reduced, tiny
    {"saxpy", true, false, 16 * Mi, 4 * Mi, Mi, 1000, saxpy},
    {"strided", true, false, 4 * Mi, 2 * Mi, Mi, 1024, strided},
    {"gather", true, false, 4 * Mi, 2 * Mi, Mi, 1000, gather},
    {"matmul", true, false, 512, 256, 128, 40, matmul},
    {"transpose", true, false, 4096, 2048, 1024, 50, transpose},
    {"matmul_tiled", true, false, 512, 256, 128, 48, matmul_tiled},
    {"reduce", true, false, 16 * Mi, 4 * Mi, 512 * Ki, 1000, reduce},
    {"histogram", false, false, 16 * Mi, 4 * Mi, 512 * Ki, 4000, histogram},
    {"queens", false, false, 13, 11, 9, 6, queens},
    {"stencil", false, false, 4096, 2048, 512, 50, stencil},
    {"spmv", false, false, 256 * Ki, 64 * Ki, 16 * Ki, 500, spmv},
    {"nbody", false, true, 4096, 2048, 512, 256, nbody},
    {"fft", false, true, 1024, 256, 256, 64, fft},
    {"pathfinder", false, true, 256 * Ki, 64 * Ki, 8 * Ki, 500, pathfinder},
    {"bfs", false, true, 256 * Ki, 64 * Ki, 16 * Ki, 500, bfs},
    {"sort", false, true, 256 * Ki, 64 * Ki, 8 * Ki, 2048, sort},
    {"attention", false, true, 1024, 512, 128, 70, attention},
};

} // namespace

std::span<const Workload> workloads() { return table; }

std::string difference(const Case& c, const Words& result) {
  for (u64 i = 0; i < c.expected.size(); ++i) {
    if (result[i] == c.expected[i]) continue;
    if (c.within < 0) return fmt::format("element {} is {:#x}, expected {:#x}", i, result[i], c.expected[i]);
    float got = real(result[i]), wanted = real(c.expected[i]);
    if (!(std::abs(got - wanted) <= c.within * std::max(std::abs(wanted), c.least)))
      return fmt::format("element {} is {}, expected {}", i, got, wanted);
  }
  return {};
}

} // namespace warplens::bench
