// What a cubin holds besides instructions, as the translation needs it. Internal to the room.
#pragma once
#include "os/elf.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warplens::translate {

struct KernelParameter {
  u32 offset = 0, size = 0; // bytes, in the parameters
};

// An address that the driver fills in.
struct SymbolAddress {
  std::string name;
  i64 addend = 0;
  u64 pointer = 0; // of a function that was compiled apart: what a pointer to it holds here; 0: it is none
};

struct SharedArray {
  std::string name;
  u64 offset = 0, size = 0;
  u32 alignment = 1;
};

// An immediate that the linker fills in (nvlink, -rdc).
struct Relocated {
  SymbolAddress address;
  bool is_high = false;  // word of it
  bool is_known = false; // false: of another kind
};

// A function with a section of its own (-rdc), whose code lies behind that of the kernel that calls it.
struct LinkedFunction {
  u64 begin = 0;
  std::string name;
};

struct KernelImage {
  KernelImage() = default;
  KernelImage(KernelImage&&) = default; // `code` may point into `linked`, which a copy would not have
  KernelImage& operator=(KernelImage&&) = default;

  std::string name;
  os::Bytes code;                        // of functions, too; addresses of code in it are offsets
  std::vector<std::byte> linked;         // which `code` is, where there are functions
  std::vector<LinkedFunction> functions; // by where they begin
  std::map<u64, u64> calls;              // of them: offset of the call → where the function begins
  std::map<u64, u64>
      entries; // of functions that pointers are made to: what these hold → where the function begins
  bool calls_apart = false;                // CALL.ABS of a register calls them, as they were compiled apart
  std::vector<KernelParameter> parameters; // in the order of the signature
  u32 parameters_at = ~u32{0};             // in constant bank 0; the greatest number: there are none
  u64 shared_bytes = 0;                    // of its own variables, what is reserved in front of them included
  u64 shared_reserved = 0;                 // in front of them
  std::vector<SharedArray> shared_arrays;  // if they are known, all of them, in order
  u64 frame_bytes = 0;                     // of local memory
  os::Bytes jump_tables;                   // constant bank 2
  os::Bytes literals; // the same where it is final: numbers that instructions before 9.0 read there
  std::vector<u32> required_threads;              // .reqntid
  std::vector<u32> required_cluster;              // .reqnctapercluster
  bool explicit_cluster = false;                  // .explicitcluster
  std::map<u64, std::vector<u64>> branch_targets; // of BRX: offset → offsets
  std::map<u64, Relocated> relocated;             // immediates, by the offset of their instruction
  std::set<u64> spills; // offsets of instructions that save registers in local memory, or bring them back
};

struct DeviceVariable {
  std::string name;
  u64 offset = 0, size = 0; // in its section
  os::Bytes initial;        // empty: zero
  bool is_constant = false;
  std::map<u64, SymbolAddress> addresses; // that it begins with: 8 bytes at an offset
};

struct Image {
  u32 sm = 0;
  std::vector<KernelImage> kernels;
  std::vector<DeviceVariable> variables;  // by offset
  std::map<u64, SymbolAddress> addresses; // by offset in bank 4
  bool unknown_addresses = false;         // variables begin with addresses of another kind
};

// Damaged images have nothing in them.
Image read_image(os::Bytes cubin, u32 sm);

} // namespace warplens::translate
