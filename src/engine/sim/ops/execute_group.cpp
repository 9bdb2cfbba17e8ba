// wgmma.mma_async: four warps multiply a matrix of 64 rows together, each 16 of them; B, and A unless it is in registers, are
// in shared memory, where a descriptor says. Of a sparse A half of each line is there, and B's lines are twice as long; each
// lane has metadata as in mma.sp.
//
// Each warp multiplies on its own: none needs what another one has. So the four need not come at once here; that they do is
// the program's part. The multiplication takes place when it is issued, at any time before it is waited for being right;
// a program could tell only by a race.
//
// A matrix in shared memory (PTX ISA, "Matrix Descriptor"). The descriptor has, in units of 16 bytes, where it starts (bits 0
// to 13), the leading (16 to 29) and the stride dimension byte offset (32 to 45); in bits 62 and 63 the swizzle: none,
// 128, 64 or 32 bytes. Lines are rows of A and columns of B. Where a line's elements are neighbours,
//
//   no swizzle  8 lines of 16 bytes lie together; 16 bytes on along a line is a leading offset, 8 lines on a stride offset
//   swizzled    8 lines of the swizzle's width lie together; 8 lines on is a stride offset
//
// and otherwise elements of the same place in the lines are neighbours, in runs of 16 bytes, or of the swizzle's width:
//
//   no swizzle  8 runs lie together; 8 further places are a leading offset on, the next 8 lines a stride offset
//   swizzled    8 runs lie together; 8 further places are a stride offset on, the next run's lines a leading offset
//
// Swizzling exchanges the 16-byte pieces in each row of 128 bytes: address bits 4 to 6 (5, 4) are combined with bits 7 to 9
// (8, 7) by exclusive or. The base offset (bits 49 to 51), for matrices that do not start where that pattern does, is not
// supported.
//
// These reads have a path of their own (src/hardware/arch/MODEL.md, "Wide loads"): they are handed to the sink as one row of bytes for each
// matrix, once for the four warps.
#include "sim/exec/fault.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

constexpr u32 warps_of_group = 4, piece = 16, together = 8;

struct SharedMatrix {
  u32 start, leading, stride;
  u32 width;        // of the swizzle, in bytes; 16: none
  bool along_lines; // a line's elements are neighbours

  SharedMatrix(u64 descriptor, bool lines_are_runs) {
    auto field = [&](u32 from) { return static_cast<u32>(descriptor >> from & 0x3fff) * piece; };
    start = field(0), leading = field(16), stride = field(32);
    constexpr u32 widths[] = {16, 128, 64, 32};
    width = widths[descriptor >> 62];
    along_lines = lines_are_runs;
  }

  u32 swizzled(u32 address) const {
    u32 pieces = width / piece - 1; // a mask
    return address ^ ((address >> 7 & pieces) << 4);
  }
  // Of an element: its line, and where it is along k, in bytes (along_lines) or elements of 2 bytes.
  u32 address(u32 line, u32 k) const {
    if (along_lines) {
      u32 on = line / together * stride + line % together * width;
      return swizzled(start + on + (width == piece ? k / piece * leading + k % piece : k));
    }
    u32 run = width / 2, next_lines = width == piece ? stride : leading,
        next_places = width == piece ? leading : stride;
    return swizzled(start + line / run * next_lines + line % run * 2 + k / together * next_places +
                    k % together * width);
  }
};

struct SharedMemory {
  Exec& x;
  const Op& op;
  u32 thread;
  template <class T> T read(u32 at) const {
    T value;
    if (u64{at} + sizeof value > x.shared_bytes())
      raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
            fmt::format("a matrix of '{}' {}", op.form->text, outside_shared(x, at)), thread, at, {},
            "check the descriptor, and the dynamic shared size in the launch <<<…>>> (--shared BYTES for a "
            ".ptx file)");
    std::memcpy(&value, x.cta->shared.data() + x.cta_of(thread) * x.launch.shared_stride + at, sizeof value);
    return value;
  }
  // A register of 32 bits, as mma.sync has it: its elements, from k (bytes) on, of a line.
  u32 word(const SharedMatrix& m, u32 line, u32 k) const {
    if (m.along_lines) return read<u32>(m.address(line, k));
    return read<u16>(m.address(line, k / 2)) | u32{read<u16>(m.address(line, k / 2 + 1))} << 16;
  }
  // The registers of a tile of 8 lines, from `line` on: [register][lane], one every `step`.
  void tile(const SharedMatrix& m, u32 line, u32 registers, u32 step, u64 (*to)[warp_size]) const {
    for (u32 r = 0; r < registers; ++r)
      for (u32 lane = 0; lane < warp_size; ++lane)
        to[r * step][lane] = word(m, line + lane / 4, piece * r + 4 * (lane % 4));
  }
};

u32 sign_bits(ir::Type type) {
  switch (ir::bits(type)) {
  case 8: return 0x80808080;
  case 16: return 0x80008000;
  default: return 0x80000000;
  }
}

SharedMatrix matrix_at(Exec& x, const Op& op, SlotId slot, u32 thread, bool along_lines) {
  u64 descriptor = x.lane_value(slot, thread);
  if ((descriptor >> 49 & 7) != 0)
    raise(x, op, FaultKind::unsupported_instruction, "kernel-unsupported-instruction",
          fmt::format("'{}' with a base offset in a matrix descriptor is not supported", op.form->text),
          thread, 0, {}, "let matrices start at a multiple of the swizzle's pattern: 256, 512 or 1024 bytes");
  return {descriptor, along_lines};
}

constexpr u32 group_rows = 64, line_bytes = 32; // of A; of B twice as many where A is sparse
constexpr u32 factor_registers = 4;             // of A: 16 rows; of B at most, 8 columns
using Factor = u64[factor_registers][warp_size];

u32 line_bytes_of_b(const MatrixProduct& p) { return p.kind.sparse ? 2 * line_bytes : line_bytes; }

void read_a(Exec& x, const Op& op, const MatrixProduct& p, u32 warp, Factor& a) {
  u32 thread = warp * warp_size;
  if (p.a_described) {
    SharedMatrix m = matrix_at(x, op, op.source(0), thread, !p.a_columns);
    SharedMemory memory{x, op, thread};
    for (u32 half = 0; half < 2; ++half)
      memory.tile(m, warp % x.shape.cta_warps % warps_of_group * 16 + 8 * half, 2, 2, a + half);
  } else {
    for (u32 r = 0; r < factor_registers; ++r)
      std::memcpy(a[r], x.matrix.data() + u64{p.a + r} * x.shape.lanes + thread, sizeof a[r]);
  }
  if (!p.negated) return;
  for (auto& lanes : a)
    for (u64& value : lanes) value ^= sign_bits(p.kind.a);
}

void multiply_warp(Exec& x, const Op& op, const MatrixProduct& p, u32 warp) {
  u32 thread = warp * warp_size;
  Factor a;
  read_a(x, op, p, warp, a);
  SharedMatrix m = matrix_at(x, op, op.source(1), thread, !p.b_rows);
  SharedMemory memory{x, op, thread};
  bool adds = (x.lane_value(op.source(2), thread) & 1) != 0;
  const u32 sums = sizes_of(p.kind).d, of_b = line_bytes_of_b(p) / piece;
  const u64* metadata = x.matrix.data() + u64{p.metadata} * x.shape.lanes + thread;
  for (u32 block = 0; block < p.blocks; ++block) {
    u64 c[4][warp_size] = {};
    Factor b;
    memory.tile(m, 8 * block, of_b, 1, b);
    auto row = [&](u32 r) { return x.matrix.data() + u64{p.c + block * sums + r} * x.shape.lanes + thread; };
    for (u32 r = 0; adds && r < sums; ++r) std::memcpy(c[r], row(r), sizeof c[r]);
    MatrixResult out;
    p.multiply(p.kind, {a[0], b[0], c[0], p.kind.sparse ? metadata : nullptr, warp_size}, out);
    for (u32 r = 0; r < sums; ++r) std::memcpy(row(r), out[r], sizeof out[r]);
  }
}

// Of the four warps that begin with this one.
void report_reads(Exec& x, const Op& op, const MatrixProduct& p, u32 warp) {
  if (x.sink == nullptr || !op.site.valid()) return;
  u32 thread = warp * warp_size;
  auto start = [&](u32 source) { return (x.lane_value(op.source(source), thread) & 0x3fff) * piece; };
  std::array<access::BulkRow, 2> rows;
  std::size_t count = 0;
  if (p.a_described) rows[count++] = {start(0), u64{group_rows} * line_bytes};
  rows[count++] = {start(1), u64{p.blocks} * together * line_bytes_of_b(p)};
  const access::Site& site = x.code->module->sites[op.site.value];
  access::BulkAccess bulk{
      {.site = op.site, .space = access::Space::shared, .kind = site.kind, .bytes = site.bytes}};
  bulk.cta = x.cta->index + x.cta_of(thread);
  bulk.warps = warps_of_group, bulk.threads = warps_of_group * warp_size;
  bulk.rows = {rows.data(), count};
  x.sink->bulk(bulk);
}

} // namespace

namespace ops {

// Slots: A's descriptor, or nothing of interest; B's; whether to add to D
void multiply_group(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const MatrixProduct& p = x.code->products[op.product_index()];
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    if (x.mask->word[w] == 0) continue;
    u32 own = w % x.shape.cta_warps;
    if (x.mask->word[w] != full_mask || own - own % warps_of_group + warps_of_group > x.shape.cta_warps)
      raise(x, op, FaultKind::invalid_instruction, "kernel-invalid-instruction",
            fmt::format("'{}' needs four whole warps of a block", op.form->text), w * warp_size, 0, {},
            "give the block a multiple of 128 threads, and let all of them come to it");
    if (own % warps_of_group == 0) report_reads(x, op, p, w);
    multiply_warp(x, op, p, w);
  }
}

} // namespace ops
} // namespace warplens::sim
