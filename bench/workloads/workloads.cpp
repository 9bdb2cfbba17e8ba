// The workloads, one function each: inputs, launch, expected result. To add one, write its kernel in
// kernels.cu and kernels.cl and its function and row here.
//
// Seven have been compared before (they carry the goal against PoCL): streaming, strided and random access,
// two matrix products, a transpose, a reduction. Four add what those lack: atomics, divergence with a stack
// per thread, neighbours in two dimensions, rows of unequal length.
//
// Inputs are the same in every run: a hash of the index, floats in [0, 1) with 16 bits so that sums stay well
// conditioned. Results are compared with the host's in double precision, because fused multiply-add and the
// order of a vectorised sum are the compiler's choice.
#include "workloads/workloads.h"
#include <cmath>
#include <fmt/format.h>

namespace warplens::bench {
namespace {

u32 hash(u64 i) {
  i = (i + 1) * 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 32)) * 0xd6e8feb86659fd93;
  return static_cast<u32>(i >> 32);
}
u32 bits(float value) { return std::bit_cast<u32>(value); }
float real(u32 word) { return std::bit_cast<float>(word); }

Words reals(u64 n, u64 seed) {
  Words out(n);
  for (u64 i = 0; i < n; ++i) out[i] = bits(static_cast<float>(hash(seed << 32 | i) >> 16) / 65536.0f);
  return out;
}
u32 blocks(u32 n, u32 size) { return (n + size - 1) / size; }

Case saxpy(u32 n) {
  Case c{"saxpy", {blocks(n, 256)}, {256}, {reals(n, 1), reals(n, 2)}};
  c.arguments = {Argument::integer(n), Argument::real(2.5f), Argument::array(0), Argument::array(1)};
  c.result = 1, c.expected.resize(n), c.within = 1e-6f;
  for (u32 i = 0; i < n; ++i) c.expected[i] = bits(2.5f * real(c.buffers[0][i]) + real(c.buffers[1][i]));
  return c;
}

Case strided(u32 n) {
  Case c{"strided", {blocks(n, 256)}, {256}, {reals(n, 1), Words(n)}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1)};
  c.result = 1, c.expected.resize(n);
  for (u64 i = 0; i < n; ++i) c.expected[i] = c.buffers[0][i * 32 % n];
  return c;
}

Case gather(u32 n) {
  Case c{"gather", {blocks(n, 256)}, {256}, {Words(n), reals(n, 1), Words(n)}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1), Argument::array(2)};
  c.result = 2, c.expected.resize(n);
  for (u32 i = 0; i < n; ++i) {
    c.buffers[0][i] = hash(i) % n;
    c.expected[i] = c.buffers[1][c.buffers[0][i]];
  }
  return c;
}

Case product(const char* kernel, u32 n) {
  Case c{kernel, {blocks(n, 16), blocks(n, 16)}, {16, 16}};
  c.buffers = {reals(u64{n} * n, 1), reals(u64{n} * n, 2), Words(u64{n} * n)};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1), Argument::array(2)};
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
  Case c{"transpose", {blocks(n, 16), blocks(n, 16)}, {16, 16}, {reals(u64{n} * n, 1), Words(u64{n} * n)}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1)};
  c.result = 1, c.expected.resize(u64{n} * n);
  for (u64 y = 0; y < n; ++y)
    for (u64 x = 0; x < n; ++x) c.expected[x * n + y] = c.buffers[0][y * n + x];
  return c;
}

Case reduce(u32 n) {
  Case c{"reduce", {blocks(n, 256)}, {256}, {reals(n, 1), Words(blocks(n, 256))}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1)};
  c.result = 1, c.within = 1e-5f;
  for (u64 begin = 0; begin < n; begin += 256) {
    double sum = 0;
    for (u64 i = begin; i < begin + 256 && i < n; ++i) sum += real(c.buffers[0][i]);
    c.expected.push_back(bits(static_cast<float>(sum)));
  }
  return c;
}

Case histogram(u32 n) { // of n bytes, n a multiple of 4
  Case c{"histogram", {std::min(blocks(n, 256), 1024u)}, {256}, {Words(n / 4), Words(256)}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1)};
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
  Case c{"queens", {blocks(threads, 128)}, {128}, {Words(threads)}};
  c.arguments = {Argument::integer(n), Argument::integer(given), Argument::integer(threads),
                 Argument::array(0)};
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
  Case c{"stencil", {blocks(n, 32), blocks(n, 8)}, {32, 8}, {reals(u64{n} * n, 1), Words(u64{n} * n)}};
  c.arguments = {Argument::integer(n), Argument::array(0), Argument::array(1)};
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
  Words start(rows + 1);
  for (u32 row = 0; row < rows; ++row) start[row + 1] = start[row] + 1 + hash(row) % 31;
  Words column(start[rows]);
  for (u64 k = 0; k < column.size(); ++k) column[k] = hash(u64{7} << 32 | k) % rows;
  Words value = reals(column.size(), 1);
  Case c{"spmv", {blocks(rows, 256)}, {256}};
  c.buffers = {std::move(start), std::move(column), std::move(value), reals(rows, 2), Words(rows)};
  c.arguments = {Argument::integer(rows), Argument::array(0), Argument::array(1),
                 Argument::array(2),      Argument::array(3), Argument::array(4)};
  c.result = 4, c.expected.resize(rows), c.within = 1e-5f;
  for (u32 row = 0; row < rows; ++row) {
    double sum = 0;
    for (u32 k = c.buffers[0][row]; k < c.buffers[0][row + 1]; ++k)
      sum += double{real(c.buffers[2][k])} * real(c.buffers[3][c.buffers[1][k]]);
    c.expected[row] = bits(static_cast<float>(sum));
  }
  return c;
}

constexpr u32 Ki = 1024, Mi = 1024 * Ki;
constexpr Workload table[] = {
    // name          goal      full    quick reduced  tiny
    {"saxpy", true, 16 * Mi, 4 * Mi, Mi, 1000, saxpy},
    {"strided", true, 4 * Mi, 2 * Mi, Mi, 1024, strided},
    {"gather", true, 4 * Mi, 2 * Mi, Mi, 1000, gather},
    {"matmul", true, 512, 256, 128, 40, matmul},
    {"transpose", true, 4096, 2048, 1024, 50, transpose},
    {"matmul_tiled", true, 512, 256, 128, 48, matmul_tiled},
    {"reduce", true, 16 * Mi, 4 * Mi, 512 * Ki, 1000, reduce},
    {"histogram", false, 16 * Mi, 4 * Mi, 512 * Ki, 4000, histogram},
    {"queens", false, 13, 11, 9, 6, queens},
    {"stencil", false, 4096, 2048, 512, 50, stencil},
    {"spmv", false, 256 * Ki, 64 * Ki, 16 * Ki, 500, spmv},
};

} // namespace

std::span<const Workload> workloads() { return table; }

std::string difference(const Case& c, const Words& result) {
  for (u64 i = 0; i < c.expected.size(); ++i) {
    if (result[i] == c.expected[i]) continue;
    if (c.within < 0) return fmt::format("element {} is {:#x}, expected {:#x}", i, result[i], c.expected[i]);
    float got = real(result[i]), wanted = real(c.expected[i]);
    if (!(std::abs(got - wanted) <= c.within * std::abs(wanted)))
      return fmt::format("element {} is {}, expected {}", i, got, wanted);
  }
  return {};
}

} // namespace warplens::bench
