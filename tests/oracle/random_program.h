// Random PTX kernels that always end, never race, and whose every result the PTX ISA defines: food for the
// comparison of the emulator with the naïve interpreter.
//
// A kernel seeds a pool of registers of every kind from thread indices, parameters and an input buffer, runs
// random statements (arithmetic from random_shapes, guards, carry chains, branches, loops with uniform or
// diverging trip counts and breaks, jump tables, calls, recursion, loads and stores of every space and width,
// shared memory between barriers, shuffles, votes and matches where the warp is whole), and writes the pool
// to an output buffer.
#pragma once
#include "base/types.h"
#include <string>
#include <vector>

namespace warplens::oracle {

// One output value of a thread. NaNs of one slot compare equal: their bits are not defined.
enum class SlotKind : u8 { b16, b32, b64, f16, bf16, f16x2, bf16x2, f32, f64 };
u32 slot_bytes(SlotKind);

struct RandomProgram {
  std::string ptx; // .entry k(.u64 in, .u64 out, .u64 scratch, .u32 a, .u64 b)
  Dim3 grid, block;
  u32 dynamic_shared = 0;
  u32 a = 0;
  u64 b = 0;
  std::vector<std::byte> input;
  u64 scratch_bytes = 0;
  u32 output_stride = 0;       // bytes per thread, by linear global thread index
  std::vector<SlotKind> slots; // in order, each at the next multiple of its size
};
RandomProgram random_program(u64 seed);

// Whether two outputs agree; else says where: "thread 17, slot 3 (f32): 0x… against 0x…".
std::string compare_outputs(const RandomProgram&, const std::vector<std::byte>& a,
                            const std::vector<std::byte>& b);

} // namespace warplens::oracle
