// The bits of one instruction while they are decoded, and which of them were looked at. Internal to the room.
#pragma once
#include "sass/instruction.h"
#include <vector>

namespace warplens::sass {

// Where encodings change; the number is the first architecture of it. Volta and Turing are before all of these.
enum class Generation : u32 { ampere = 80, ada = 89, hopper = 90, blackwell = 100 };

class Fields {
public:
  Fields(u64 low, u64 high, u32 sm) : low_(low), high_(high), sm_(sm) {}

  u32 sm() const { return sm_; }
  bool since(Generation g) const { return sm_ >= static_cast<u32>(g); }
  u32 opcode12() const { return static_cast<u32>(low_ & 0xfff); }
  u32 form() const { return static_cast<u32>(low_ >> 9 & 7); } // where operands B and C are
  bool peek(u32 at) const { return (at < 64 ? low_ >> at : high_ >> (at - 64)) & 1; }

  u64 wide_field(u32 at, u32 width) {
    const u64 mask = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
    const u64 value = at >= 64 ? high_ >> (at - 64) : at == 0 ? low_ : low_ >> at | high_ << (64 - at);
    if (at < 64) read_low_ |= mask << at;
    if (at >= 64) read_high_ |= mask << (at - 64);
    if (at < 64 && at + width > 64) read_high_ |= mask >> (64 - at);
    return value & mask;
  }
  u32 field(u32 at, u32 width) { return static_cast<u32>(wide_field(at, width)); }
  bool bit(u32 at) { return field(at, 1) != 0; }
  i64 signed_field(u32 at, u32 width) {
    return static_cast<i64>(wide_field(at, width) << (64 - width)) >> (64 - width);
  }

  // A set bit that nothing has read. From bit 105 on are stall counts, scoreboards and .reuse, which every instruction has.
  bool unread() const {
    constexpr u64 opcode = 0xfff, scheduling = ~u64{0} << (105 - 64);
    return (low_ & ~(read_low_ | opcode)) != 0 || (high_ & ~(read_high_ | scheduling)) != 0;
  }

private:
  u64 low_, high_, read_low_ = 0, read_high_ = 0;
  u32 sm_;
};

// What a row of the table says behind its operands; table.def explains the words.
struct Options {
  char immediate = 's', variant = 0, kind = 0;
  bool uniform = false, guard_uniform = false, scaled = false, shows_zero = false;
  u32 from = 0, to = ~u32{0};
  u32 uniform_at = 32, descriptor_bit = 0, wide_bit = 90, bfloat_bit = 0;
  u32 only_bit = 0;
  bool only_value = false;
  std::vector<u32> ones;
};

struct Decoder {
  Fields& fields;
  Instruction& out;
  const Options& options;

  bool refused = false;

  void refuse() { refused = true; }
  // A field that this instruction does not use: it must say so, by RZ, PT or 0.
  void unused(u32 at, u32 width) {
    const u32 value = fields.field(at, width);
    if (value != 0 && value != (1u << width) - 1 && !(width == 8 && value == 63) &&
        !(width == 4 && value == true_predicate))
      refuse();
  }
  void add(const Operand& o) {
    if (!out.add(o)) refuse();
  }
  // ".F16.F32": several. Unknown ones refuse the instruction.
  void modifiers(std::string_view text);

  // Operands as they are at a bit, not yet in the list.
  Operand reg(u32 at, u32 reuse_bit = 0);
  Operand uniform(u32 at);
  Operand predicate(u32 at, u32 negated_bit = 0, bool is_uniform = false);
  Operand immediate(char style);
  Operand constant();                                 // c[bank][offset], or cx[UR][offset] with bit 91
  Operand source(char which, std::string_view marks); // A, B or C of an arithmetic instruction
  Operand memory(u32 reg_at);                         // without anything but its register
  Operand target();                                   // of a branch
  i64 displacement();                                 // of a branch, from the next instruction, bytes
};

Operand hex_operand(u64 value);
Operand word_operand(std::string_view);

void read_operand(Decoder&, std::string_view word);
void special_modifiers(Decoder&, std::string_view name); // ^name
void special_operands(Decoder&, std::string_view name);

} // namespace warplens::sass
