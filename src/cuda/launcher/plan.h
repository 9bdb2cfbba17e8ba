// The launch that `warplens run FILE.ptx WORDS…` asks for, as a value: the words, held against the kernel's parameters.
//
//   --kernel NAME     where the file has several: as in the file, or as in the source ("saxpy")
//   --grid 8,2        blocks in x, y, z; 8x2 is the same
//   --block 128       threads; not needed where the kernel says it itself (.reqntid)
//   --shared BYTES    dynamic shared memory of a block; without, 48 KiB where the kernel takes any
//   --arg ARGUMENT    one for each parameter, in their order:
//       1000, -1.5          a number, in the parameter's type; f32=1.5 says the type as well
//       f32[4096x1000]      a buffer of that many elements, whose address is passed; a parameter that is an array or a
//                           structure takes the elements themselves
//       f32[4096]=FILL      and what is in it (values.h); zeros without
//       f32[4097]+4=FILL    the same, and the address passed is 4 bytes behind its start; f32[4097]=FILL+4 and @2+4 likewise
//       @2                  the buffer of argument 2, counted from 1, once more
//       {f32[64],8,s32=2}   a structure, member by member, each at its natural alignment; a number without a type has 64 bits
//   --save 1=FILE     writes the buffer of argument 1 to a file when the kernel has ended
//
// WarpLens plans before anything starts, so that every mistake is told there and then; the program that launches the
// kernel (main.cpp) plans again, from the same words, and does what the plan says.
#pragma once
#include "arch/table.h"
#include "ir/module.h"
#include "launcher/values.h"
#include <algorithm>

namespace warplens::launcher {

struct Argument {
  ir::Type type = ir::Type::b8;
  u64 count = 1;                 // elements
  bool buffer = false;           // their address is passed, else they themselves
  std::optional<u32> same_as;    // the index of an earlier argument, whose buffer it is
  u64 offset = 0;                // bytes from the buffer's start to the address
  Fill fill;                     // of buffers, arrays and structures
  std::vector<std::byte> value;  // of a number
  std::vector<Argument> members; // of a structure that is given in braces
  u64 at = 0;                    // of a member: bytes from the start of the structure
  u64 bytes() const { return count * ir::bytes(type); }
  // Itself, or the first member that is one; null: there is none.
  const Argument* its_buffer() const {
    if (buffer) return this;
    const auto found = std::ranges::find_if(members, &Argument::buffer);
    return found == members.end() ? nullptr : &*found;
  }
};

struct Save {
  u32 argument = 0; // its index, from 0
  std::string file;
};

struct Plan {
  std::string kernel; // as in the file
  Dim3 grid, block;
  u32 shared = 0;                 // dynamic, bytes
  bool is_shared_assumed = false; // nobody said how many, and the kernel takes any
  bool is_cooperative = false;    // its blocks wait for each other (grid.sync())
  std::vector<Argument> arguments;
  std::vector<Save> saves;
  std::vector<const Argument*> buffers() const; // those that are made: of arguments, and of their members
};

// `file` is named in messages alone. Fails with what is wrong, and a help that shows a whole command line for the kernel
// where words are missing.
Result<Plan> plan_launch(const ir::Module&, const std::string& file, std::span<const std::string> words,
                         const arch::Architecture&);

bool is_launch_option(std::string_view word); // "--grid", "--grid=8"

} // namespace warplens::launcher
