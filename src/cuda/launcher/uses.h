// What a kernel's code says of what it is given and of the shape of its launches: which slots are addresses, of elements of which
// type; which arrays in shared memory it goes to; which axes it asks for, and the width of a block.
#pragma once
#include "launcher/slots.h"
#include <array>
#include <optional>

namespace warplens::launcher {

struct Use {
  bool is_address = false, is_loaded = false; // loaded: of what the address leads to
  bool is_lock = false;                       // compared and exchanged there: a number that is 0 at first
  ir::Type type = ir::Type::none;             // of its elements; none: nothing tells
  u32 widest = 4;                             // bytes of an element, where nothing tells its type
};

struct Uses {
  std::vector<Use> of;            // by slot
  std::vector<std::size_t> sites; // by instruction: the slot that it accesses through; else past the last
  std::vector<u64>
      shared; // by instruction: the bytes of the array in shared memory that it accesses; 0: of none
  std::array<u32, 3> widths{};      // that a block's index is multiplied with, by axis; 0: it is not
  std::vector<ir::Special> asked{}; // axes (axes.h)
  bool can_be_given = true;         // not: a pointer that is read from memory, a texture, a tensor map
  std::optional<std::size_t> in_structure{}; // the parameter with a pointer somewhere in it
  bool asks(ir::Special) const;
};

// `widest`: threads of a block.
Uses uses_of(const ir::Module&, const ir::Function& kernel, const Slots&, u32 widest);

} // namespace warplens::launcher
