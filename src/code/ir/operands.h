// The operands of a form: the words that its row of opcodes.def has for them, read once at compile time (a word
// that cannot be read does not compile). The parser, the verifier, the lowering to the emulator, and the tests' printer and
// random programs ask here what an operand is and which type it has.
//
//   OPCODE(shl, "shl", "d s s:u32", …)      shl.b64 %d1, %d2, %r3:   b64, b64, u32
//   OPCODE(setp, "setp", "q s s ?c", …)     setp.lt.f32 %p1|%p2, …:  pred, f32, f32
//
// Where a modifier changes what the operands are, a VARIANT row says what they are then ("atom.cas" has two
// data sources). opcodes.def lists the letters and the types.
#pragma once
#include "ir/form.h"
#include <span>

namespace warplens::ir {

enum class OperandType : u8 {
  none,   // a label: no value
  first,  // the form's first type
  second, // its second
  third,  // its third
  fourth, // its fourth
  wide,   // the first, or twice its width under .wide
  sum,    // s32 where one of the two types is signed, else u32
  packed, // elements of the first in a register of 32 bits
  part,   // the first; where braces hold n registers, an n-th of it
  pred,   // and these whatever the form is
  b32,
  u32,
  s32,
  u16,
  u64,
  f32,
};

struct OperandRule {
  char letter = 0; // of opcodes.def
  bool optional = false;
  OperandType type = OperandType::none;

  bool destination() const {
    return letter == 'd' || letter == 'D' || letter == 'V' || letter == 'q' || letter == 'e' || letter == 'M';
  }
  // braces where the form is a vector
  bool vector() const { return letter == 'D' || letter == 'S' || letter == 'V'; }
  bool texture() const { return letter == 'T'; }                 // [object, {coordinates}]
  bool box() const { return letter == 'B'; }                     // [tensor map, {coordinates}]
  bool changes() const { return letter == 'G'; }                 // braces always
  bool shift() const { return letter == 'O'; }                   // braces, or one of them without
  bool matrix() const { return letter == 'M' || letter == 'm'; } // braces always
  bool described() const { return letter == 'w'; } // braces, or the descriptor of a matrix in shared memory
  // may be followed by |p
  bool takes_predicate() const { return letter == 'q' || letter == 'e' || letter == 'V'; }
  bool in_text() const { return letter != 'k'; }
};

// In the order of the text.
std::span<const OperandRule> operands(const Form&);

// `registers`: how many the operand has in braces.
Type type_of(OperandRule, const Form&, u32 registers = 1);

// A video instruction of whole words, whose operands may be parts of registers (Operand::part), or one of halves or bytes,
// whose operands may name elements.
bool takes_parts(const Form&);
u32 element_bits(const Form&); // 16 or 8; 32 for what is no SIMD video instruction

// What an operand of a SIMD video instruction names ("r.h10", "r.b3201"), kept in Operand::value under Part::several: of
// sources, the element that goes to each place, lowest first, counted through both sources; of the destination, the elements
// that are written.
struct ElementList {
  u32 bits = 16, count = 0;
  std::array<u8, 4> element{}; // 0 to 3 or 0 to 7

  static std::optional<ElementList> read(std::string_view); // "b3210"
  static ElementList unpack(u64 value);
  u64 packed() const;
};

// An asynchronous copy to shared memory; a group of them committed, or waited for.
bool copies_asynchronously(const Form&);
bool waits_for_copies(const Form&);
bool arrives_after_copies(const Form&); // at an mbarrier

// A bulk copy, or what waits for some.
enum class BulkCopy : u8 {
  none,   // also: one whose operands are not known
  in,     // global to shared memory, of this CTA or others of the cluster
  across, // shared memory to that of a CTA of the cluster
  out,    // shared to global memory
  tensor_in,
  tensor_out,
  prefetch,
  tensor_prefetch,
  group // commits a group of them, or waits for some
};
BulkCopy bulk_copy(const Form&);
bool moves_global_in_bulk(const Form&); // into global memory or out of it
u32 tensor_dimensions(const Form&);     // of a copy with a tensor map
// How many numbers an im2col copy into shared memory says where it reads with: one for each dimension of an image.
u32 im2col_offsets(const Form&);

// The registers of wgmma's A, or 1 where a descriptor says where it is; `sources`: of the instruction.
u32 described_count(const Form&, u32 sources);

// How many operands of an instruction the rule describes: one per register in braces; at least, for `part`.
u32 least_count(OperandRule, const Form&);

// The rules laid over the operands of an instruction: which of them each rule describes. Optional operands are
// there when there are enough operands; `|p` belongs to its destination; the carry flag has a group of its own.
struct OperandGroup {
  OperandRule rule;
  u32 first = 0, count = 0; // numbered as ir::Instruction has them, destinations first

  Type type(const Form&, u32 n) const; // of the n-th of them
};
class OperandGroups {
public:
  const OperandGroup* begin() const { return list_.data(); }
  const OperandGroup* end() const { return list_.data() + count_; }
  void add(const OperandGroup& group) { list_[count_++] = group; }

private:
  std::array<OperandGroup, 10> list_;
  u32 count_ = 0;
};
OperandGroups operand_groups(const Form&, u32 destinations, u32 sources);

} // namespace warplens::ir
