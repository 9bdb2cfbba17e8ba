// Values of 64 bits, which machine code keeps in two registers, as registers of 64 bits: addresses above all. See kernel_translation.h.
//
// Each pair has a register of its own beside its two (%d4 beside %r4 and %r5). It is read instead of them wherever it says the same:
// behind an instruction that writes both at once, behind a sum that is made of two instructions (IADD3 and IADD3.X, LEA and
// LEA.HI.X), whose carry is a predicate, and behind a shift that is made of two (SHF.L.U32 and SHF.L.U64.HI). Elsewhere it is put together from the two. What is valid at a label is what is valid on all
// ways there: the code is written until what was assumed of ways back is so (Kernel::translate).
//
// The two words of a sum may be in any registers: a loop keeps an address's words in R8 and R3, and copies R8 to R2 for the access.
// Such a pair is %s8_3, and a copy of one word makes the pairs valid that are read somewhere.
#include "translate/kernel_translation.h"
#include <algorithm>
#include <array>
#include <bit>

namespace warplens::translate {

namespace {

constexpr u64 most_between = 64; // instructions between the halves of a sum

// One word of a sum. Its shape in every instruction that has it: terms, the predicates of carries out or in.
struct Word {
  std::vector<const Operand*> terms;
  std::array<const Operand*, 2> carries{};
};

bool is_operand(const Operand& o) { return !nothing(o) || o.inverted; }

std::optional<Word> low_word(const Instruction& i) {
  const auto o = i.operands();
  Word out;
  switch (i.opcode) {
  case Opcode::IADD3:
  case Opcode::UIADD3:
    if (i.has(Modifier::X) || i.has(Modifier::n64) || !wanted(o[1])) return {};
    for (u32 n : {3, 4, 5})
      if (is_operand(o[n]))
        out.terms.push_back(&o[n]);
      else if (o[n].negated)
        return {}; // -RZ has a carry
    out.carries = {&o[1], &o[2]};
    return out;
  case Opcode::LEA:
  case Opcode::ULEA:
    if (i.has(Modifier::X) || i.has(Modifier::HI) || !wanted(o[1])) return {};
    out.terms = {&o[2], &o[3]};
    out.carries[0] = &o[1];
    return out;
  default: return {};
  }
}

std::optional<Word> high_word(const Instruction& i) {
  if (!i.has(Modifier::X)) return {};
  const auto o = i.operands();
  Word out;
  switch (i.opcode) {
  case Opcode::IADD3:
  case Opcode::UIADD3:
    if (wanted(o[1]) || wanted(o[2])) return {};
    for (u32 n : {3, 4, 5})
      if (is_operand(o[n])) out.terms.push_back(&o[n]);
    out.carries = {&o[6], &o[7]};
    return out;
  case Opcode::IMAD:
  case Opcode::UIMAD:
    if (i.has(Modifier::WIDE) || i.has(Modifier::HI) || wanted(o[1])) return {};
    if (!nothing(o[2]) && !nothing(o[3])) {
      if (o[3].kind != OperandKind::immediate || o[3].value != 1) return {};
      out.terms.push_back(&o[2]);
    }
    if (is_operand(o[4])) out.terms.push_back(&o[4]);
    out.carries[0] = &o[5];
    return out;
  case Opcode::LEA:
  case Opcode::ULEA:
    if (!i.has(Modifier::HI) || wanted(o[1])) return {};
    out.terms = {&o[4], &o[3]};
    out.carries[0] = &o[6];
    return out;
  default: return {};
  }
}

bool false_constant(const Operand* o) {
  return o == nullptr || o->kind == OperandKind::none || (o->number == sass::true_predicate && o->negated);
}
bool same_predicate(const Operand& a, const Operand& b) { return a.kind == b.kind && a.number == b.number; }

// Each carry out comes in again, and no other.
bool takes_carries(const Word& low, const Word& high) {
  for (const Operand* in : high.carries) {
    if (false_constant(in)) continue;
    const bool known = std::ranges::any_of(low.carries, [&](const Operand* out) {
      return out != nullptr && wanted(*out) && same_predicate(*out, *in) && !in->negated;
    });
    if (!known) return false;
  }
  for (const Operand* out : low.carries) {
    if (out == nullptr || !wanted(*out)) continue;
    const auto comes_in = [&](const Operand* in) { return !false_constant(in) && same_predicate(*out, *in); };
    if (std::ranges::count_if(high.carries, comes_in) != 1) return false;
  }
  return true;
}

bool are_pair(const Operand& low, const Operand& high) {
  if (low.kind != high.kind) return false;
  if (low.kind == OperandKind::constant)
    return low.bank == high.bank && high.value == low.value + 4 && !low.has_register && !low.has_uniform &&
           !low.has_descriptor;
  return (low.kind == OperandKind::reg || low.kind == OperandKind::uniform) && !nothing(low) &&
         high.number == low.number + 1;
}

// Puts the terms of the high word into the order of those of the low one. Any order has the same sum; this one has addresses in it.
bool match_terms(const Word& low, Word& high) {
  static const Operand zero{.kind = OperandKind::reg};
  if (high.terms.size() > low.terms.size()) return false;
  high.terms.resize(low.terms.size(), &zero);
  for (std::size_t n = 0; n < low.terms.size(); ++n)
    for (std::size_t m = 0; m < high.terms.size(); ++m)
      if (are_pair(*low.terms[n], *high.terms[m])) std::swap(high.terms[n], high.terms[m]);
  for (std::size_t n = 0; n < low.terms.size(); ++n)
    if (high.terms[n]->negated || low.terms[n]->inverted || low.terms[n]->absolute ||
        low.terms[n]->negated != high.terms[n]->inverted)
      return false;
  return true;
}

// Where a plain copy takes its value from and puts it; none: it is no such copy.
struct Copy {
  const Operand *to, *from;
};
std::optional<Copy> copy_of(const Instruction& i) {
  const auto o = i.operands();
  switch (i.opcode) {
  case Opcode::MOV:
  case Opcode::UMOV:
    if (i.has(Modifier::n64)) return {};
    return Copy{&o[0], &o[1]};
  case Opcode::R2UR:
    if (wanted(o[0])) return {};
    return Copy{&o[1], &o[2]};
  case Opcode::IMAD:
    if (i.has(Modifier::X) || i.has(Modifier::WIDE) || i.has(Modifier::HI) || wanted(o[1]) ||
        (!nothing(o[2]) && !nothing(o[3])) || o[4].negated || o[4].inverted)
      return {};
    return Copy{&o[0], &o[4]};
  default: return {};
  }
}

// Sets `low` to the first register of the pair that two copies make.
bool make_pair(const Copy& a, const Copy& b, Operand& low) {
  if (a.to->kind != b.to->kind || is_zero(*a.to) || is_zero(*b.to)) return false;
  const bool in_order = b.to->number == a.to->number + 1 && are_pair(*a.from, *b.from);
  const bool reversed = a.to->number == b.to->number + 1 && are_pair(*b.from, *a.from);
  low = in_order ? *a.to : *b.to;
  return in_order || reversed;
}

// One word of a shift of 64 bits by a constant. Only one of its instructions names both words of what is shifted; the other has nullptr
// for one of them.
struct Shift {
  const Operand *to, *low, *high;
  u64 amount;
  bool is_left, is_signed, makes_high;
};
std::optional<Shift> shift_of(const Instruction& i) {
  const auto o = i.operands();
  const auto is_amount = [](const Operand& n) {
    return n.kind == OperandKind::immediate && n.value > 0 && n.value < 32;
  };
  switch (i.opcode) {
  case Opcode::SHF:
  case Opcode::USHF: {
    const bool left = i.has(Modifier::L), high = i.has(Modifier::HI),
               is_signed = i.has(Modifier::S32) || i.has(Modifier::S64);
    if (!is_amount(o[2])) return {};
    const Operand *low = nothing(o[1]) ? nullptr : &o[1], *upper = nothing(o[3]) ? nullptr : &o[3];
    if ((left || !high) && low == nullptr) return {};
    if ((!left || high) && upper == nullptr) return {};
    return Shift{&o[0], low, upper, o[2].value, left, is_signed, high};
  }
  case Opcode::IMAD: // .SHL
    if (!i.has(Modifier::SHL) || o[3].kind != OperandKind::immediate || o[3].value < 2) return {};
    return Shift{&o[0], &o[2], nullptr, static_cast<u64>(std::countr_zero(o[3].value)), true, false, false};
  default: return {};
  }
}

bool same_register(const Operand& a, const Operand& b) { return a.kind == b.kind && a.number == b.number; }

// The whole shift that two words belong to, with both words of what is shifted; none: they are of two.
std::optional<Shift> whole_shift(const Shift& a, const Shift& b) {
  const Shift &low = a.makes_high ? b : a, &high = a.makes_high ? a : b;
  if (low.makes_high || !high.makes_high || low.is_left != high.is_left || low.amount != high.amount)
    return {};
  const Shift &whole = low.is_left ? high : low, &part = low.is_left ? low : high;
  const Operand *one = low.is_left ? part.low : part.high, *same = low.is_left ? whole.low : whole.high;
  if (whole.low == nullptr || whole.high == nullptr || !same_register(*one, *same) ||
      (low.is_left ? part.high : part.low) != nullptr)
    return {};
  return Shift{nullptr, whole.low, whole.high, whole.amount, whole.is_left, high.is_signed, false};
}

bool reads_address(const Operand& o) {
  return o.kind == OperandKind::memory || o.has_register || o.has_uniform;
}

bool is_lea(const Instruction& i) { return i.opcode == Opcode::LEA || i.opcode == Opcode::ULEA; }

// Whether the two add the same things, each its word of them.
bool is_sum(const Instruction& first, const Instruction& second, const Word& low, Word& high) {
  if (is_lea(first) != is_lea(second)) return false;
  if (!is_lea(first)) return match_terms(low, high);
  const auto a = first.operands(), b = second.operands();
  return b[2].kind == a[2].kind && b[2].number == a[2].number && b[2].value == a[2].value &&
         b[5].value == a[5].value && !a[2].negated && !a[3].negated && !b[3].negated && !b[3].inverted;
}

} // namespace

u32 Kernel::number_of(const Operand& o) {
  return o.number + (o.kind == OperandKind::uniform ? uniform_registers : 0);
}
Kernel::Pair Kernel::pair_of(const Operand& low) { return {number_of(low), number_of(low) + 1}; }

// None: not two registers.
std::optional<Kernel::Pair> Kernel::pair_of(const Operand& low, const Operand& high) {
  const bool registers = low.kind == OperandKind::reg || low.kind == OperandKind::uniform;
  if (!registers || low.kind != high.kind || is_zero(low) || is_zero(high) || low.number == high.number)
    return {};
  return Pair{number_of(low), number_of(high)};
}

// Whether a register that the instruction reads is written at the offsets from `begin` to in front of `end`.
bool Kernel::changes(const Instruction& reader, u64 begin, u64 end) const {
  const Operand* target = reader.operands().data() + (reader.opcode == Opcode::R2UR ? 1 : 0);
  for (const Operand& o : reader.operands()) {
    if (reads_address(o)) return true;
    if (&o == target || (o.kind != OperandKind::reg && o.kind != OperandKind::uniform) || is_zero(o))
      continue;
    for (u64 at = begin; at < end; at += sass::instruction_bytes)
      if (auto written = written_.find(at);
          written != written_.end() && written->second.contains(number_of(o)))
        return true;
  }
  return false;
}

// Where sums follow from each other, the upper word of a term may come later.
void Kernel::keep_sum(u64 first, u64 second, const std::optional<Pair>& pair) {
  const bool late = changes(*code_at(second), first, second);
  if (pair && (!late || !changes(*code_at(first), first, second)))
    sums_[first] = {second, *pair, late, written_[first].contains(pair->high)};
}

// Looks for the instruction that makes the other word of the value whose one word is made here.
void Kernel::find_sum(u64 offset) {
  const Instruction& first = *code_at(offset);
  const std::optional<Word> low = low_word(first);
  const std::optional<Copy> copy = copy_of(first);
  const std::optional<Shift> shift = shift_of(first);
  if ((!low && !copy && !shift) || first.guard != sass::true_predicate || first.guard_negated) return;
  const Operand& d = copy ? *copy->to : first.operands()[0];
  if (is_zero(d)) return;
  for (u64 n = 1; n <= most_between; ++n) {
    const u64 there = offset + n * sass::instruction_bytes;
    const Instruction* i = code_at(there);
    if (i == nullptr || labelled_.contains(there)) return;
    const bool unguarded = i->guard == sass::true_predicate && !i->guard_negated;
    if (copy) {
      const std::optional<Copy> other = copy_of(*i);
      Operand pair;
      if (!other || !unguarded || !make_pair(*copy, *other, pair)) continue;
      if (!changes(*i, offset, there)) keep_sum(offset, there, pair_of(pair));
      return;
    }
    if (shift) {
      const std::optional<Shift> other = shift_of(*i);
      if (!other || !unguarded || !whole_shift(*shift, *other)) continue;
      const std::optional<Pair> pair =
          shift->makes_high ? pair_of(*other->to, *shift->to) : pair_of(*shift->to, *other->to);
      keep_sum(offset, there, pair);
      return;
    }
    if (std::optional<Word> high = high_word(*i); high && unguarded && takes_carries(*low, *high)) {
      const std::optional<Pair> pair = pair_of(d, i->operands()[0]);
      if (is_sum(first, *i, *low, *high)) keep_sum(offset, there, pair);
      return;
    }
    // The carry must come as it left.
    if (i->opcode == Opcode::R2P) return;
    for (const Operand& o : i->operands())
      for (const Operand* carry : low->carries)
        if (carry != nullptr && wanted(*carry) && same_predicate(o, *carry)) return;
  }
}

void Kernel::find_sums() {
  for (const auto& [place, open] : regions_)
    if (!sums_.contains(place.offset)) find_sum(place.offset);
  for (const auto& [first, sum] : sums_) sum_ends_[sum.end] = first, want(sum.pair);
  // What a copy makes of another pair: that one is wanted, too.
  for (auto place = regions_.rbegin(); place != regions_.rend(); ++place) {
    const std::optional<Copied> copied = copied_register(*code_at(place->first.offset));
    if (!copied) continue;
    const Pairs wanted = wanted_pairs_[copied->to];
    for (const Pair& pair : wanted)
      if (const Pair source = copied->source(pair); source.low != source.high) want(source);
  }
}

// 64 bits of two operands, without their signs.
std::string Kernel::both(const Operand& low, const Operand& high) {
  if (are_pair(low, high)) return read_wide(low);
  if (nothing(low) && nothing(high)) return "0";
  if (nothing(high) && low.kind == OperandKind::immediate)
    return fmt::format("{:#x}", low.value & 0xffff'ffff);
  if (const std::optional<Pair> pair = pair_of(low, high)) return read_pair(*pair);
  const std::string e = wide_temporary();
  if (nothing(high))
    put("cvt.u64.u32 {}, {};", e, read(low));
  else
    put("mov.b64 {}, {{{}, {}}};", e, read(low), read(high));
  return e;
}

// Whether the pair is that of the sum that began there: carries that are used one after the other can be in the same registers.
bool Kernel::waits(const Pair& pair, u64 first) const {
  const auto found = waited_.find(pair);
  return found != waited_.end() && found->second == first;
}

// Computes the whole sum where its first word is computed, or, where that is too early, its second, into the pair's own register.
void Kernel::begin_sum() {
  if (const auto found = sums_.find(place_.offset); found != sums_.end() && !found->second.late)
    add_words(*now_, *code_at(found->second.end), wide_name(found->second.pair));
  if (const auto end = sum_ends_.find(place_.offset); end != sum_ends_.end())
    if (const Sum& sum = sums_.at(end->second); sum.late && waits(sum.pair, end->second))
      add_words(*code_at(end->second), *now_, wide_name(sum.pair));
}

void Kernel::add_words(const Instruction& first, const Instruction& second, const std::string& name) {
  if (const std::optional<Copy> copy = copy_of(first)) {
    const Copy other = *copy_of(second);
    const bool in_order = copy->to->number < other.to->number;
    put("mov.b64 {}, {};", name,
        both(in_order ? *copy->from : *other.from, in_order ? *other.from : *copy->from));
    return;
  }
  if (const std::optional<Shift> shift = shift_of(first)) {
    const Shift whole = *whole_shift(*shift, *shift_of(second));
    put("{} {}, {}, {};",
        whole.is_left     ? "shl.b64"
        : whole.is_signed ? "shr.s64"
                          : "shr.u64",
        name, both(*whole.low, *whole.high), whole.amount);
    return;
  }
  const Word low = *low_word(first);
  Word high = *high_word(second);
  if (is_lea(first)) {
    const std::string shifted = wide_temporary(), to = wide_temporary();
    if (second.has(Modifier::SX32))
      put("cvt.s64.s32 {}, {};", shifted, read(first.operands()[2]));
    else
      put("mov.b64 {}, {};", shifted, both(*low.terms[0], *high.terms[0]));
    put("shl.b64 {}, {}, {};", to, shifted, first.operands()[5].value);
    const std::string base = both(*low.terms[1], *high.terms[1]);
    put("add.s64 {}, {}, {};", name, base, to);
    return;
  }
  match_terms(low, high);
  std::string sum = "0";
  for (std::size_t n = 0; n < low.terms.size(); ++n) {
    const bool last = n + 1 == low.terms.size(), minus = low.terms[n]->negated;
    const std::string term = both(*low.terms[n], *high.terms[n]);
    if (n == 0 && !minus && !last) {
      sum = term;
      continue;
    }
    const std::string to = last ? name : wide_temporary();
    put("{}.s64 {}, {}, {};", minus ? "sub" : "add", to, sum, term);
    sum = to;
  }
}

// A sum's words are those of the pair, so that nobody needs its carry; so are a shift's. A copy's are what they are.
void Kernel::take_word(const Pair& pair, bool is_high) {
  if (copy_of(*now_)) return;
  const std::string word = name_of(is_high ? pair.high : pair.low);
  put("mov.b64 {{{}}}, {};", is_high ? "%sink, " + word : word + ", %sink", wide_name(pair));
}

// From here on the pair's register says what its two do.
void Kernel::end_sum() {
  if (const auto sum = sums_.find(place_.offset); sum != sums_.end()) {
    const Pair pair = sum->second.pair;
    waiting_pairs_[pair] = place_.offset;
    if (!sum->second.late) take_word(pair, sum->second.high_first);
  }
  if (const auto end = sum_ends_.find(place_.offset); end != sum_ends_.end()) {
    const Sum& sum = sums_.at(end->second);
    if (!waits(sum.pair, end->second)) return;
    pairs_.insert(sum.pair);
    take_word(sum.pair, !sum.high_first);
  }
}

// Some instruction reads the pair.
void Kernel::want(const Pair& pair) {
  wanted_pairs_[pair.low].insert(pair);
  wanted_pairs_[pair.high].insert(pair);
}

std::optional<Kernel::Copied> Kernel::copied_register(const Instruction& i) {
  const std::optional<Copy> copy = copy_of(i);
  if (!copy || i.guard != sass::true_predicate || i.guard_negated || copy->from->absolute) return {};
  const std::optional<Pair> both = pair_of(*copy->to, *copy->from);
  if (!both) return {};
  return Copied{both->low, both->high};
}

// The pairs that a copy of one word makes: those that are read somewhere, and whose other word already is what it has to be.
std::vector<std::pair<Kernel::Pair, Kernel::Pair>> Kernel::copied_pairs() const {
  std::vector<std::pair<Pair, Pair>> out;
  const std::optional<Copied> copied = copied_register(*now_);
  if (!copied || sums_.contains(place_.offset) || sum_ends_.contains(place_.offset)) return out;
  const auto wanted = wanted_pairs_.find(copied->to);
  if (wanted == wanted_pairs_.end()) return out;
  for (const Pair& pair : wanted->second)
    if (const Pair source = copied->source(pair); source.low != source.high && pairs_.contains(source))
      out.emplace_back(pair, source);
  return out;
}

// Behind the copy. No pair that is written is one that is read: the one kind has the copy's target in it, the other has not.
void Kernel::copy_pairs(std::span<const std::pair<Pair, Pair>> copied) {
  for (const auto& [to, from] : copied) {
    put("mov.b64 {}, {};", wide_name(to), wide_name(from));
    pairs_.insert(to);
  }
}

// Control goes there from here.
void Kernel::arrive(const Place& there) { arriving_[there][place_] = pairs_; }

// What is valid on all ways there that are known. Ways back are from the time before.
Kernel::Pairs Kernel::entering(const Place& here) const {
  const auto ways = arriving_.find(here);
  if (ways == arriving_.end()) return {};
  Pairs out = ways->second.begin()->second;
  for (const auto& [from, pairs] : ways->second)
    std::erase_if(out, [&](const Pair& pair) { return !pairs.contains(pair); });
  return out;
}

std::string Kernel::name_of(u32 number) {
  return number < uniform_registers ? fmt::format("%r{}", number)
                                    : fmt::format("%u{}", number - uniform_registers);
}
std::string Kernel::wide_name(const Pair& pair) {
  if (pair.high != pair.low + 1) return fmt::format("%s{}_{}", pair.low, pair.high);
  return pair.low < uniform_registers ? fmt::format("%d{}", pair.low)
                                      : fmt::format("%v{}", pair.low - uniform_registers);
}

void Kernel::wrote(const Operand& o, u32 registers) {
  if (o.number == sass::zero_register) return;
  const u32 begin = number_of(o);
  for (u32 n = 0; n < registers; ++n) {
    written_[place_.offset].insert(begin + n);
    numbers_.erase(begin + n);
    if (o.kind != OperandKind::uniform) functions_.erase(static_cast<u8>(o.number + n));
  }
  auto changed = [&](const Pair& pair) {
    return pair.low - begin < registers || pair.high - begin < registers;
  };
  std::erase_if(pairs_, changed);
  std::erase_if(waiting_pairs_, [&](const auto& waiting) { // its other word is yet to be written
    const u32 made = sums_.at(waiting.second).high_first ? waiting.first.high : waiting.first.low;
    return made - begin < registers;
  });
}

// The register of a pair; it is put together here if it does not say the same as the two.
std::string Kernel::read_pair(const Pair& pair) {
  const std::string name = wide_name(pair);
  want(pair);
  if (pairs_.insert(pair).second) {
    put("mov.b64 {}, {{{}, {}}};", name, name_of(pair.low), name_of(pair.high));
    waiting_pairs_.erase(pair);
  }
  return name;
}

std::string Kernel::read_wide(const Operand& o) {
  if (is_zero(o)) return "0";
  if (o.kind == OperandKind::immediate)
    return fmt::format("{}", static_cast<i64>(o.value << (64 - o.bits)) >> (64 - o.bits));
  if (o.kind == OperandKind::constant) return wide_constant(o.bank, o.value);
  if (o.kind != OperandKind::reg && o.kind != OperandKind::uniform) {
    refuse("has an operand that is not known");
    return "0";
  }
  return read_pair(pair_of(o));
}

void Kernel::write_wide(const Operand& o, const std::string& value) {
  if (is_zero(o)) return;
  const bool known = guard_.empty() || pairs_.contains(pair_of(o));
  const std::string pair = wide_name(pair_of(o));
  if (pair != value) act("mov.b64 {}, {};", pair, value);
  act("mov.b64 {{{}, {}}}, {};", register_name(o), register_name(o, 1), pair);
  wrote(o, 2);
  if (known) pairs_.insert(pair_of(o));
}

} // namespace warplens::translate
