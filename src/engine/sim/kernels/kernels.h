// Lane-by-lane arithmetic over arrays of lanes: the inner loops of the emulator, one per form, generated from
// the functors of sem/. The same sources are compiled for plain x86-64, AVX2 and AVX-512; base/cpu.h
// picks once.
//
// Storage of one register, for `lanes` consecutive lanes (a multiple of 32, or 1 for a uniform value):
//   predicates       one u32 mask per 32 lanes (uniform: bit 0)
//   8- and 16-bit    u16 per lane (8-bit values zero- or sign-extended by their type)
//   32-bit           u32 per lane
//   64-bit           u64 per lane
// Arrays are 64-byte aligned when lanes ≥ 32. A destination may be the same array as a source, never overlap
// partly. Kernels compute every lane, active or not: they must not trap (division by zero gives what the
// hardware gives).
#pragma once
#include "ir/form.h"

namespace warplens::sim {

inline constexpr u32 every_block = 0xffffffffu, one_block = 0;

// What of a form a kernel's function may read while it runs. Where types and modifiers are data, one function
// serves many forms; most functions are made for one form and read nothing.
struct Variant {
  ir::Opcode opcode{};
  ir::Type type[3]{};
  ir::Rounding rounding{};
  ir::Comparison comparison{};
  ir::BoolOp bool_op{};
  u8 destinations = 0;
  // modifiers
  bool ftz : 1 = false, sat : 1 = false, satfinite : 1 = false, relu : 1 = false, nan : 1 = false;
  bool xorsign : 1 = false, wrap : 1 = false, po : 1 = false;
  bool add : 1 = false, min : 1 = false, max : 1 = false, shr7 : 1 = false, shr15 : 1 = false;
};

struct KernelArguments {
  void* destination[2];
  const void* source[5];
  u32 lanes;
  // Per source: one_block where all lanes hold the same value and only the first 32 are there to be read,
  // over and over. For sources of 16 bits and more.
  u32 blocks[5] = {every_block, every_block, every_block, every_block, every_block};
  const u32* masks = nullptr; // Kernel::masked: one per 32 lanes
  Variant variant;            // Kernel::variant
};
using KernelFunction = void (*)(const KernelArguments&);

struct Kernel {
  KernelFunction function = nullptr;
  // Leaves lanes outside of KernelArguments::masks as they are in the destination. Only where every operand
  // is a plain number or a predicate, and the result one of them.
  KernelFunction masked = nullptr;
  u8 destinations = 0, sources = 0;
  std::array<u8, 2> destination_bits{};     // 1 (predicate) 16 32 64
  std::array<bool, 2> destination_signed{}; // how the engine widens into a wider register
  std::array<u8, 5> source_bits{};
  Variant variant; // for KernelArguments
};

// The kernel of a form of family `compute`; none where the form has no semantics yet. Operands are those of
// the IR in order (module.h): carry flags and predicate sources included. Optional operands that the text
// left out are not passed: `operands` is destinations + sources of the instruction at hand.
std::optional<Kernel> find_kernel(const ir::Form&, u32 destinations, u32 sources);

// Device library functions that clang leaves as external calls: __nv_sinf, __nv_fmax, __nv_popc, … Parameters
// by value are the kernel's sources in order. `stores` of the destinations (the last ones) are written
// through the pointer parameters, which come last: __nv_sincosf(x, float*, float*) has 2 destinations, stores
// = 2; __nv_frexpf has 2 destinations (value, exponent), stores = 1.
struct MathFunction {
  Kernel kernel;
  u8 stores = 0;
  std::array<u8, 2> store_bytes{};
};
std::optional<MathFunction> find_math_function(std::string_view name);

} // namespace warplens::sim
