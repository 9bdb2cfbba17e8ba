// Registers: R0 thread, R2:R3 what it reads, R4:R5 what it writes, R6 its shared memory, R7 turns of a loop, R8 to R39 values, R40 to
// R55 addresses, R56:R57 zeros. Predicates: P0 to P4 values, P5 carries of addresses, P6 branches. See machine_program.h.
#include "oracle/machine_program.h"
#include "oracle/machine.h"
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>

namespace warplens::oracle {
namespace {

using sass::Instruction;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using Kind = Operand::Kind;

constexpr u32 sm = 90, first_value = 8, values = 32, index = 52, offset = 54, zeros = 56;
constexpr u32 carry = 5, branch = 6, value_predicates = 5, nobody = sass::zero_register,
              always = sass::true_predicate;
constexpr u32 same = ~0u; // as the sample has it

struct Field {
  u32 at, width;
};
constexpr Field registers[] = {{16, 8}, {24, 8}, {32, 8}, {64, 8}};
constexpr Field predicates[] = {{81, 3}, {84, 3}, {87, 3}, {77, 3}, {68, 3}};
constexpr Field guard{12, 3}, guard_negation{15, 1}, immediate{32, 32}, displacement{40, 24};

u64 get(const MachineWord& w, Field f) {
  return (f.at < 64 ? w.low >> f.at : w.high >> (f.at - 64)) & ((u64{1} << f.width) - 1);
}
MachineWord with(MachineWord w, Field f, u64 value) {
  const u64 mask = (u64{1} << f.width) - 1;
  u64& half = f.at < 64 ? w.low : w.high;
  half = (half & ~(mask << f.at % 64)) | (value & mask) << f.at % 64;
  return w;
}
std::optional<Instruction> decoded(const MachineWord& w, u64 at = 0) {
  return sass::decode(w.low, w.high, at, sm);
}

// With another number in operand n: in the field whose change the decoder reads there, and nowhere else.
MachineWord with_number(const MachineWord& w, std::size_t n, u32 number) {
  const std::optional<Instruction> before = decoded(w);
  const Operand& o = before->operands()[n];
  if (o.number == number) return w;
  for (Field f : o.kind == Kind::predicate ? std::span<const Field>(predicates) : registers) {
    const MachineWord changed = with(w, f, number);
    const std::optional<Instruction> after = get(w, f) == o.number ? decoded(changed) : std::nullopt;
    bool alone = after && after->operands().size() == before->operands().size();
    for (std::size_t m = 0; alone && m < after->operands().size(); ++m)
      alone = after->operands()[m].number == (m == n ? number : before->operands()[m].number);
    if (alone) return changed;
  }
  throw std::runtime_error("no field for operand " + std::to_string(n) + " of " + sass::text(*before));
}

class Writer {
public:
  Writer(const std::vector<MachineWord>& samples, u64 seed) : random_(seed) {
    for (const MachineWord& sample : samples) {
      const MachineWord w = with(with(sample, guard, always), guard_negation, 0);
      const std::optional<Instruction> i = decoded(w);
      if (!i || !knows(*i)) continue;
      std::string text = sass::text(*i);
      if (i->opcode == Opcode::BRA || i->opcode == Opcode::BSSY)
        text.resize(text.rfind(' ')); // without the target
      by_text_.emplace(text, w);
      if (computes(*i)) by_opcode_[i->opcode].push_back(w);
    }
    for (const auto& [opcode, list] : by_opcode_) opcodes_.push_back(opcode);
  }

  MachineProgram program() {
    begin();
    for (u32 n = 4 + below(5); n-- > 0;) statement(true);
    end();
    MachineProgram out;
    for (u64 n = 0; n < code_.size(); ++n)
      out.code.push_back(*decoded(code_[n], n * sass::instruction_bytes));
    out.bytes.resize(code_.size() * sass::instruction_bytes);
    std::memcpy(out.bytes.data(), code_.data(), out.bytes.size());
    return out;
  }

private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  bool one_in(u32 n) { return below(n) == 0; }
  u32 value(u32 width = 1) { return first_value + below(values / width) * width; }
  u32 some_bits() {
    static constexpr u32 edges[] = {0,          1,   2,          31,         32,        0x7fffffff,
                                    0x80000000, ~0u, 0x3f800000, 0xbf800000, 0x7f800000};
    return one_in(2) ? edges[below(std::size(edges))] : static_cast<u32>(random_()) >> below(32);
  }

  // The sample of that text, with other numbers of registers and predicates, operand by operand.
  MachineWord sample(const char* text, std::initializer_list<u32> numbers) {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) throw std::runtime_error(std::string("no sample: ") + text);
    MachineWord w = found->second;
    std::size_t n = 0;
    for (u32 number : numbers) {
      if (number != same) w = with_number(w, n, number);
      ++n;
    }
    return w;
  }
  void put(const char* text, std::initializer_list<u32> numbers) { code_.push_back(sample(text, numbers)); }
  void put(const char* text, std::initializer_list<u32> numbers, u32 number, Field f = immediate) {
    code_.push_back(with(sample(text, numbers), f, number));
  }

  void move(u32 to, u32 from) { put("MOV R11, R23", {to, from}); }
  void add(u32 to, u32 from, u32 number) { put("IADD3 R10, R10, 0x4, RZ", {to, same, same, from}, number); }
  void and_number(u32 to, u32 from, u32 number) {
    put("LOP3.LUT R86, R91, 0x7ff00000, RZ, 0xc0, !PT", {same, to, from}, number);
  }
  void test(u32 predicate, u32 a, u32 number) { // P = a != number
    put("ISETP.NE.AND P1, PT, R17, 0x1, PT", {predicate, same, a}, number);
  }
  void multiply_wide(u32 to, u32 from, u32 by, u32 plus) {
    const bool is_unsigned = one_in(2);
    put(is_unsigned ? "IMAD.WIDE.U32 R10, R11, 0x4, R8" : "IMAD.WIDE R10, R0, 0x4, R10",
        {to, same, from, same, plus}, by);
  }
  void add_carry(u32 to, u32 from) {
    put("IADD3.X R6, R6, RZ, RZ, P0, !PT", {to, same, same, from, same, same, carry});
  }
  // An access of 1, 2 or 4 registers.
  void load_global(u32 width, u32 to, u32 at, u32 bytes) {
    static constexpr const char* texts[] = {"LDG.E R0, desc[UR6][R2.64]", "LDG.E.64 R16, desc[UR8][R18.64]",
                                            "LDG.E.128 R12, desc[UR14][R2.64]"};
    put(texts[width / 2], {same, to, at}, bytes, displacement);
  }
  void store_global(u32 width, u32 at, u32 from, u32 bytes) {
    static constexpr const char* texts[] = {"STG.E desc[UR4][R4.64], R27", "STG.E.64 desc[UR20][R2.64], R8",
                                            "STG.E.128 desc[UR14][R26.64], R16"};
    put(texts[width / 2], {at, from}, bytes, displacement);
  }
  void load_shared(u32 width, u32 to, u32 bytes) {
    static constexpr const char* texts[] = {"LDS R11, [R0]", "LDS.64 R2, [R7]", "LDS.128 R12, [R19]"};
    put(texts[width / 2], {to, 6}, bytes, displacement);
  }
  void store_shared(u32 width, u32 from, u32 bytes) {
    static constexpr const char* texts[] = {"STS [R3], R6", "STS.64 [R0], R18", "STS.128 [R0], R16"};
    put(texts[width / 2], {6, from}, bytes, displacement);
  }

  void jump(u32 predicate, bool if_false, std::size_t to) { // what is ahead is aimed at later
    code_.push_back(with(with(sample("BRA", {}), guard, predicate), guard_negation, if_false));
    aim(code_.size() - 1, to);
  }
  void aim(std::size_t from, std::size_t to) {
    const i64 words =
        (static_cast<i64>(to) - static_cast<i64>(from) - 1) * static_cast<i64>(sass::instruction_bytes) / 4;
    const u64 high = static_cast<u64>(words >> 8);
    code_[from] =
        with(with(with(code_[from], {16, 8}, static_cast<u64>(words)), {34, 30}, high), {64, 18}, high >> 30);
  }
  std::size_t open_region() {
    put("BSSY B0,", {});
    return code_.size() - 1;
  }
  void close_region(std::size_t begin) {
    put("BSYNC B0", {});
    code_[begin] = with(code_[begin], {34, 30}, (code_.size() - begin - 1) * sass::instruction_bytes / 4);
  }
  void close_loop(std::size_t region, std::size_t top) { // at most four turns
    add(7, 7, ~0u);
    and_number(7, 7, 3);
    test(branch, 7, 3);
    jump(branch, false, top);
    close_region(region);
  }

  // One instruction of the samples, with other operands. Results go to values and their predicates alone.
  void arithmetic() {
    const std::vector<MachineWord>& list = by_opcode_[opcodes_[below(static_cast<u32>(opcodes_.size()))]];
    MachineWord w = list[below(static_cast<u32>(list.size()))];
    const std::optional<Instruction> i = decoded(w);
    const u32 guarded_by = below(value_predicates);
    const bool table = i->opcode == Opcode::LOP3 || i->opcode == Opcode::PLOP3;
    for (std::size_t n = 0; n < i->operands().size(); ++n) {
      const Operand& o = i->operands()[n];
      if (o.kind == Kind::reg && o.number != nobody) // zero, too: -RZ has a carry
        w = with_number(w, n, one_in(16) ? nobody : value(width_of(*i, n)));
      if (o.kind == Kind::predicate && o.number != always) // the guard's, too: results and sources of its own
        w = with_number(w, n, one_in(3) ? guarded_by : below(value_predicates));
      const bool is_word = o.kind == Kind::immediate && !o.hidden && o.value == get(w, immediate);
      if (is_word && !table && n + 1 != i->operands().size() && one_in(2))
        w = with(w, immediate, some_bits());
    }
    if (one_in(4)) w = with(with(w, guard, guarded_by), guard_negation, below(2));
    if (const std::optional<Instruction> made = decoded(w); made && knows(*made)) code_.push_back(w);
  }

  // A word's place in what the thread has to itself, as an address in two registers that lie together, as compilers make it.
  u32 address(u32 words) {
    const u32 pair = 40 + 2 * below(3), apart = pair + 6;
    and_number(index, value(), 16 - words);
    const u32 way = below(4);
    if (way == 0) {
      multiply_wide(pair, index, 4, 4);
    } else if (way == 1) {
      put("LEA R10, P1, R14, R10, 0x2", {pair, carry, index, 4});
      if (one_in(2)) arithmetic();
      put("LEA.HI.X R11, R14, R11, R15, 0x2, P1", {pair + 1, same, index, 5, nobody, same, carry});
    } else {
      const u32 low = way == 2 ? apart : pair, high = way == 2 ? apart + 3 : pair + 1;
      multiply_wide(offset, index, 4, zeros);
      put("IADD3 R10, P2, R17, R10, RZ", {low, carry, same, 4, offset});
      if (one_in(2)) arithmetic();
      add_carry(high, 5);
      if (way == 2) move(pair, low), move(pair + 1, high);
    }
    return pair;
  }
  // Two sums of 64 bits in the same few registers, one begun while the other waits for its high word, as in longer numbers.
  void sums() {
    const u32 few = first_value + below(values - 2), first = below(value_predicates);
    struct {
      u32 low, high, carry, done;
    } both[2];
    for (u32 n = 0; n < 2; ++n) both[n] = {few + below(3), few + below(3), (first + n) % value_predicates, 0};
    for (u32 n = 0; n < 4; ++n) {
      auto& sum = both[both[0].done == 2 || (both[1].done != 2 && one_in(2)) ? 1 : 0];
      if (sum.done++ == 0)
        put("IADD3 R10, P2, R17, R10, RZ", {sum.low, sum.carry, same, value(), value()});
      else
        put("IADD3.X R6, R6, RZ, RZ, P0, !PT", {sum.high, same, same, value(), same, same, sum.carry});
      move(one_in(3) ? few + below(3) : value(), sum.done == 1 ? sum.low : sum.high);
      if (one_in(3)) multiply_wide(value(2), value(), 3, first_value + (few - first_value + 1) / 2 * 2);
    }
  }
  void memory() {
    const u32 width = 1u << below(3), data = value(width), within = below(4 / width) * width * 4;
    if (one_in(3)) return one_in(2) ? load_shared(width, data, within) : store_shared(width, data, within);
    const u32 at = address(width);
    for (u32 n = below(3); n-- > 0;) arithmetic();
    if (one_in(2))
      load_global(width, data, at, MachineProgram::words_in * 4);
    else
      store_global(width, at, data, MachineProgram::words_in * 4);
  }
  // A pointer that goes on by a word in each turn, in registers that lie together or not.
  void walk() {
    const u32 low = 50, high = one_in(2) ? 51 : 55, pair = 48;
    move(low, 4), move(high, 5);
    and_number(7, value(), 3);
    const std::size_t region = open_region(), top = code_.size();
    if (high != low + 1) move(pair, low), move(pair + 1, high);
    store_global(1, high == low + 1 ? low : pair, value(), MachineProgram::words_in * 4);
    for (u32 n = below(4); n-- > 0;) arithmetic();
    put("IADD3 R20, P3, R20, 0x10, RZ", {low, carry, same, low}, 4);
    add_carry(high, high);
    close_loop(region, top);
  }
  void choice() {
    test(branch, value(), some_bits() & 1);
    const std::size_t region = open_region(), to_other = code_.size();
    jump(branch, one_in(2), to_other);
    for (u32 n = below(3); n-- > 0;) statement(false);
    const std::size_t over = code_.size();
    jump(always, false, over);
    aim(to_other, code_.size());
    for (u32 n = below(3); n-- > 0;) statement(false);
    aim(over, code_.size());
    close_region(region);
  }
  void loop() {
    and_number(7, value(), 3);
    const std::size_t region = open_region(), top = code_.size();
    for (u32 n = 1 + below(3); n-- > 0;) statement(false);
    close_loop(region, top);
  }
  void statement(bool outermost) {
    switch (below(outermost ? 6 : 3)) {
    case 1: return sums();
    case 2: return memory();
    case 3: return choice();
    case 4: return loop();
    case 5: return walk();
    default:
      for (u32 n = 2 + below(8); n-- > 0;) arithmetic();
    }
  }

  void begin() {
    put("S2R R0, SR_TID.X", {});
    move(zeros, nobody), move(zeros + 1, nobody);
    for (u32 n = 0; n < 2; ++n)
      put("LDC.64 R2, c[0x0][0x210]", {40 + 2 * n}, MachineProgram::parameters_at + 8 * n, {38, 16});
    multiply_wide(2, 0, MachineProgram::words_in * 4, 40);
    multiply_wide(4, 0, MachineProgram::words_out * 4, 42);
    multiply_wide(6, 0, MachineProgram::shared_bytes, zeros);
    add(6, 6, MachineProgram::shared_at);
    for (u32 n = 0; n < values; n += 4) load_global(4, first_value + n, 2, 4 * n);
    for (u32 n = 0; n < value_predicates; ++n) test(n, first_value + n, 0);
    store_shared(4, first_value, 0);
  }
  void end() {
    for (u32 n = 0; n < values; n += 4) store_global(4, 4, first_value + n, 4 * n);
    for (u32 n = 0; n < value_predicates; ++n) {
      put("SEL R143, RZ, 0x1, P3", {7, same, same, n});
      store_global(1, 4, 7, 4 * (values + n));
    }
    load_shared(4, first_value, 0);
    store_global(4, 4, first_value, 4 * (values + 8));
    put("EXIT", {});
  }

  std::mt19937_64 random_;
  std::map<std::string, MachineWord> by_text_;
  std::map<Opcode, std::vector<MachineWord>> by_opcode_;
  std::vector<Opcode> opcodes_;
  std::vector<MachineWord> code_;
};

} // namespace

MachineProgram machine_program(const std::vector<MachineWord>& samples, u64 seed) {
  return Writer(samples, seed).program();
}

void leave_out(MachineProgram& program, std::size_t instruction) {
  const MachineWord nop{0x7918, 0};
  program.code[instruction] = *decoded(nop, instruction * sass::instruction_bytes);
  std::memcpy(program.bytes.data() + instruction * sass::instruction_bytes, &nop, sizeof nop);
}

std::string listing(const MachineProgram& program) {
  std::string out;
  for (const Instruction& i : program.code)
    if (i.opcode != Opcode::NOP) out += std::to_string(i.address) + "  " + sass::text(i) + "\n";
  return out;
}

} // namespace warplens::oracle
