// What a cubin holds besides instructions, as the translation needs it. Internal to the room.
#pragma once
#include "os/elf.h"
#include <map>
#include <string>
#include <vector>

namespace warplens::translate {

struct KernelParameter {
  u32 offset = 0, size = 0; // bytes, in the parameters
};

struct KernelImage {
  std::string name;
  os::Bytes code;
  std::vector<KernelParameter> parameters; // in the order of the signature
  u32 parameters_at = 0;                   // in constant bank 0
  u64 shared_bytes = 0;                    // of its own variables, what is reserved in front of them included
  u64 frame_bytes = 0;                     // of local memory
  os::Bytes jump_tables;                   // constant bank 2
  std::vector<u32> required_threads;       // .reqntid
  std::map<u64, std::vector<u64>> branch_targets; // of BRX: offset → offsets
};

struct DeviceVariable {
  std::string name;
  u64 offset = 0, size = 0; // in its section
  os::Bytes initial;        // empty: zero
  bool is_constant = false;
};

// A symbol in constant bank 4.
struct SymbolAddress {
  std::string name;
  i64 addend = 0;
};

struct Image {
  u32 sm = 0;
  std::vector<KernelImage> kernels;
  std::vector<DeviceVariable> variables;  // by offset
  std::map<u64, SymbolAddress> addresses; // by offset in bank 4
  bool initial_pointers = false;          // variables are initialised with addresses
};

// Damaged images have nothing in them.
Image read_image(os::Bytes cubin, u32 sm);

} // namespace warplens::translate
