// The row of one compute capability: constants of its reference part, and for each memory space the rule that
// counts an access, with where the rule comes from.
//
// The idea: hardware is data. A row names rules (rules/); two architectures that behave alike share a rule, one
// that behaves differently gets a rule of its own. Nothing compares compute capabilities
// (scripts/check_capabilities.py looks), and nothing asks which rule it is: what else there is to know about one
// stands beside its function.
//
// The reference part is what a program sees when it asks the CUDA runtime for device properties: one shipping
// product per compute capability. Sizes are bytes, clocks kHz, as in cudaDeviceProp.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "arch/counts.h"
#include "base/launch_limits.h"

namespace warplens::arch {

// Where a rule or a constant comes from. `citation` names a public document, or the measurement and its data
// file.
struct Source {
  std::string_view rule; // what holds, in one sentence
  std::string_view citation;
  Grade grade = Grade::inferred;
};

// Which kernel counts many warps at a time as a rule does (forms/batch.cpp).
enum class BatchKernel : u8 {
  none,             // warps go one by one
  requests,         // global: a warp's words are one request
  interleaved,      // local: each 4-byte word of the element is such a request, where the global rule says so
  words,            // constant: one request per different word
  banks,            // shared: 32 banks of 4 bytes, equal words shared, 8-byte words by half-warps
  banks_with_pairs, // the same, and 8-byte loads of lanes in equal pairs merge
};

struct Rule {
  std::string_view id; // stable: reports name the rule by it
  // Adds one warp's access, which has at least one active lane. `threads` and `instructions` are the caller's.
  void (*count)(const Architecture&, const access::WarpAccess&, Counts&) = nullptr;
  BatchKernel kernel = BatchKernel::none;
  u32 widest = 0; // bytes of a lane's word up to which the kernel does
  // Shared memory: of a load some lanes may need more passes than all, where lanes are served in company. They never need
  // more than accesses of this kind by all.
  access::Kind fewer = access::Kind::load;
};

// How one memory space counts.
struct SpaceRule {
  const Rule* rule = nullptr; // none where the architecture has no such thing
  Source source;
};

// Which loads of global memory go through L1 and so move whole lines where the L1's unit is a line.
enum class L1Policy : u8 {
  none,   // no L1 for globals
  opt_in, // only loads marked `ca` (and, where the row says so, `nc`)
  on,     // every load that does not ask to bypass it
};
std::string_view name(L1Policy);

struct ReferencePart {
  std::string_view name; // "NVIDIA H100 80GB HBM3"
  u32 multiprocessors = 0;
  u32 clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  u64 memory_bytes = 0, l2_bytes = 0;
};

// Per-multiprocessor and per-block limits: what occupancy and cudaDeviceProp need.
struct Limits {
  u32 threads_per_block = 1024;
  u32 threads_per_sm = 0; // warp slots × 32
  u32 blocks_per_sm = 0;
  u32 registers_per_sm = 0, registers_per_block = 0, registers_per_thread = 0;
  u32 register_allocation_unit = 256; // registers, per warp (1.x: per block)
  u32 shared_per_block = 48 << 10;    // without opting in
  u32 shared_per_block_optin = 48 << 10;
  u32 shared_per_sm = 48 << 10;
  u32 shared_reserved_per_block = 0; // taken by the system from each block
  u32 shared_allocation_unit = 256;
  u32 warp_schedulers = 4;
  std::array<u32, 3> block{1024, 1024, 64};
  std::array<u32, 3> grid{2147483647, 65535, 65535};

  LaunchLimits launch() const { return {threads_per_block, block, grid}; }
};

struct Banks {
  u32 count = 32;
  u32 width = 4;        // bytes
  u32 group_lanes = 32; // lanes that can conflict with each other
};

struct Memory {
  L1Policy l1 = L1Policy::on;
  bool l1_for_nc = false;   // ld.global.nc moves lines although `l1` is opt_in
  bool local_lines = false; // local loads move whole L1 lines
  bool segments = false;    // 1.x: half-warps move segments of 32, 64 or 128 bytes
  u32 l1_line = 128, sector = 32;
  u32 constant_bytes = 64 << 10;
  u32 pitch_alignment = 512, texture_alignment = 512, texture_pitch_alignment = 32, surface_alignment = 512;
};

// What the stages that accesses pass through take for one unit of each, in cycles of one SM: the currency in which
// accesses of different spaces compare. The stages work side by side, so that the busiest one counts.
struct StageCosts {
  u32 tag_pass = 1, wavefront = 1; // of the L1, shared memory's included
  u32 sector = 4; // from memory, alone in its line; from L2, or with its neighbours, it takes less
  u32 constant_request = 1;
  Source source;
};

// What a program can ask of the device, beyond sizes.
struct Features {
  bool concurrent_managed_access = false; // host and device may use managed and registered memory at once
  bool cooperative_launch = false;
  bool cluster_launch = false;
  // Lanes of a warp may be at different instructions (CUDA C++ Programming Guide, "Independent Thread Scheduling").
  bool independent_threads = false;
};

struct Architecture {
  u32 sm = 0;                  // 90 is compute capability 9.0
  std::string_view generation; // "Hopper"
  ReferencePart part;
  Limits limits;
  Banks banks;
  Memory memory;
  Features features;
  SpaceRule global, shared, constant, local, texture;
  SpaceRule stages;      // of the L1, for global memory; no rule where none is known
  SpaceRule shared_wide; // instead of `shared`, in the 64-bit mode of the banks
  StageCosts costs;
  Source part_source; // of the constants
};

// Choices that a program or a compiler flag makes where the hardware left one.
struct Options {
  bool l1_on = false, l1_off = false; // -Xptxas -dlcm=ca / cg, for loads without a cache operator
  bool wide_banks = false;            // cudaSharedMemBankSizeEightByte: 64-bit bank mode, 3.x
};

// The row as those choices change it; a choice that the architecture does not offer changes nothing.
Architecture configured(const Architecture&, const Options&);

u32 major(const Architecture&);
u32 minor(const Architecture&);

} // namespace warplens::arch
