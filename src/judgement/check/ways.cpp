// Both edges ask a condition. Each condition is followed back to what it is about: the same register, masked or moved by a constant.
// Where that leaves few numbers, all are tried: edges that no number takes one after the other exclude each other.
#include "check/ways.h"
#include "ir/added_operands.h"
#include <optional>

namespace warplens::check {
namespace {

using ir::Comparison;
using ir::Opcode;
using ir::Operand;

constexpr u64 most_numbers = 64; // that are tried
constexpr u32 most_moves = 8;    // from a condition to what it is about

u64 cut(u64 v, u32 bits) { return bits >= 64 ? v : v & ((u64{1} << bits) - 1); }

// A comparison of integers that a branch asks, and whether it holds on the edge.
struct Asked {
  const ir::Instruction* compare = nullptr;
  bool holds = true;
};

class WaySearch {
public:
  explicit WaySearch(const Flow& flow) : flow_(flow), f_(flow.function) {}

  std::optional<Asked> on_edge(u32 from, u32 to) const {
    const ir::Instruction* end = flow_.conditional_end(from);
    const auto& successors = f_.blocks[from].successors;
    if (end == nullptr || flow_.module.form(*end).opcode != Opcode::bra || successors.size() != 2 ||
        successors[0] == successors[1])
      return {};
    const u32 index = static_cast<u32>(end - f_.instructions.data());
    const ir::Instruction* compare = flow_.definition(flow_.ssa.of_guard[index]);
    if (compare == nullptr || compare->destinations != 1 || compare->sources != 2) return {};
    const ir::Form& form = flow_.module.form(*compare);
    if (form.opcode != Opcode::setp || ir::is_float(form.type()) || ir::bits(form.type()) < 32) return {};
    return Asked{compare, (successors[0].value == to) != end->guard_negated};
  }

  // Can no number be what both ask for?
  bool exclude(const Asked& a, const Asked& b) {
    std::optional<u32> root = root_of(first_source(*a.compare), 0);
    const std::optional<u64> count = numbers(a);
    if (!root || !count || *count > most_numbers) return false;
    const u32 bits = ir::bits(flow_.module.form(*a.compare).type());
    root_ = *root;
    number_ = 0;
    const std::optional<u64> shift =
        value_of(first_source(*a.compare), bits, 0); // what is asked of is the root and that
    const std::optional<u64> bound = value_of(first_source(*a.compare) + 1, bits, 0);
    if (!shift || !bound) return false;
    const bool one = is_equality(a);
    for (u64 n = 0; n < *count; ++n) {
      number_ = cut((one ? *bound : n) - *shift, bits);
      const std::optional<bool> first = answer(*a.compare), second = answer(*b.compare);
      if (!first || !second) return false;
      if (*first == a.holds && *second == b.holds) return false;
    }
    return true;
  }

private:
  static u32 first_source(const ir::Instruction& i) { return i.first_operand + i.destinations; }
  Comparison how(const Asked& a) const { return flow_.module.form(*a.compare).comparison(); }
  bool is_equality(const Asked& a) const {
    return a.holds ? how(a) == Comparison::eq : how(a) == Comparison::ne;
  }

  // How many numbers the left side may be, from 0 on, or the right side alone.
  std::optional<u64> numbers(const Asked& a) const {
    if (is_equality(a)) return 1;
    const ir::Form& form = flow_.module.form(*a.compare);
    const Operand& bound = f_.operands[first_source(*a.compare) + 1];
    if (ir::is_signed(form.type()) || bound.kind != Operand::Kind::immediate) return {};
    const Comparison c = how(a);
    if (a.holds ? c == Comparison::lt : c == Comparison::ge) return bound.value;
    if (a.holds ? c == Comparison::le : c == Comparison::gt) return bound.value + 1;
    return {};
  }

  // What a sum with known numbers begins with.
  std::optional<u32> root_of(u32 operand, u32 step) const {
    const u32 value = flow_.ssa.of_operand[operand];
    if (value == ir::no_value || step > most_moves) return {};
    const ir::Instruction* made = flow_.definition(value);
    if (made == nullptr) return value;
    const std::optional<u32> from = ir::moved(flow_.module.form(*made).opcode, f_.sources(*made));
    const std::optional<u32> root = from ? root_of(first_source(*made) + *from, step + 1) : std::nullopt;
    return root ? root : value;
  }

  // With the root as `number_`.
  std::optional<u64> value_of(u32 operand, u32 bits, u32 step) const {
    const Operand& o = f_.operands[operand];
    if (o.kind == Operand::Kind::immediate) return cut(o.value, bits);
    const u32 value = flow_.ssa.of_operand[operand];
    if (o.kind != Operand::Kind::reg || value == ir::no_value || step > most_moves) return {};
    if (value == root_) return cut(number_, bits);
    const ir::Instruction* made = flow_.definition(value);
    if (made == nullptr || made->destinations != 1 || made->sources > 2 || made->sources == 0) return {};
    const ir::Form& form = flow_.module.form(*made);
    if (form.type() == ir::Type::none || ir::is_float(form.type()) || ir::bits(form.type()) != bits ||
        form.has(ir::Modifier::sat))
      return {};
    const std::optional<u64> a = value_of(first_source(*made), bits, step + 1);
    if (form.opcode == Opcode::mov && made->sources == 1) return a;
    if (made->sources != 2) return {};
    const std::optional<u64> b = value_of(first_source(*made) + 1, bits, step + 1);
    if (!a || !b) return {};
    switch (form.opcode) {
    case Opcode::add: return cut(*a + *b, bits);
    case Opcode::sub: return cut(*a - *b, bits);
    case Opcode::and_: return *a & *b;
    default: return {};
    }
  }

  std::optional<bool> answer(const ir::Instruction& compare) const {
    const ir::Form& form = flow_.module.form(compare);
    const u32 bits = ir::bits(form.type());
    const std::optional<u64> a = value_of(first_source(compare), bits, 0),
                             b = value_of(first_source(compare) + 1, bits, 0);
    if (!a || !b) return {};
    const bool is_signed = ir::is_signed(form.type());
    auto wide = [&](u64 v) { return static_cast<i64>(v << (64 - bits)) >> (64 - bits); };
    const bool less = is_signed ? wide(*a) < wide(*b) : *a < *b;
    switch (form.comparison()) {
    case Comparison::eq: return *a == *b;
    case Comparison::ne: return *a != *b;
    case Comparison::lt: return less;
    case Comparison::le: return less || *a == *b;
    case Comparison::gt: return !less && *a != *b;
    case Comparison::ge: return !less;
    default: return {};
    }
  }

  const Flow& flow_;
  const ir::Function& f_;
  u32 root_ = ir::no_value;
  u64 number_ = 0;
};

} // namespace

bool exclude_each_other(const Flow& flow, u32 first, u32 second, u32 third) {
  WaySearch search(flow);
  const std::optional<Asked> a = search.on_edge(first, second), b = search.on_edge(second, third);
  return a && b && (search.exclude(*a, *b) || search.exclude(*b, *a));
}

} // namespace warplens::check
