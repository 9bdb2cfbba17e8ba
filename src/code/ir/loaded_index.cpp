// See loaded_index.h.
#include "ir/loaded_index.h"
#include "ir/values.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace warplens::ir {
namespace {

// How a value differs between the threads of a warp.
enum class Differs : u8 { no, by_number, by_data };

Differs either(const Differs& a, const Differs& b) { return std::max(a, b); }

bool numbers_threads(const Operand& o) {
  return o.kind == Operand::Kind::special && (o.special == Special::tid_x || o.special == Special::tid_y ||
                                              o.special == Special::tid_z || o.special == Special::laneid);
}

bool loads(const Form& form) {
  return (form.opcode == Opcode::ld || form.opcode == Opcode::ldu) && form.space() != StateSpace::param;
}

// Of what instructions compute from values that differ so.
Differs result(const Form& form, Differs in) {
  switch (form.opcode) {
  case Opcode::ld:
  case Opcode::ldu: return !loads(form) || in == Differs::no ? in : Differs::by_data;
  case Opcode::atom: // a place in a queue is nobody's to sort
  case Opcode::set:
  case Opcode::setp: return in == Differs::no ? in : Differs::by_number;
  default: return in;
  }
}

class Analysis {
public:
  Analysis(const Module& module, const Function& function)
      : module_(module), function_(function), values_(function, either) {
    values_.settle([&](const Instruction& i) {
      Differs in{};
      for (const Operand& source : function_.sources(i)) in = std::max(in, of(source));
      for (const Operand& to : function_.destinations(i)) values_.define(i, to, result(module_.form(i), in));
    });
  }

  LoadedIndices run() const {
    std::vector<std::pair<const Instruction*, u32>> loaded; // with the value of the address
    for (const Instruction& i : function_.instructions)
      for (const Operand& source : function_.sources(i))
        if (i.site.valid() && source.kind == Operand::Kind::address && of(source) == Differs::by_data)
          loaded.emplace_back(&i, values_.number(source));
    LoadedIndices out;
    if (loaded.empty()) return out;
    const std::vector<std::vector<u32>> inputs = values_.inputs();
    std::set<u32> links; // addresses
    for (const auto& [i, address] : loaded)
      if (loads(module_.form(*i)) && feeds_itself(*i, address, inputs)) links.insert(address);
    for (const auto& [i, address] : loaded) {
      out.all.insert(i->site);
      if (links.contains(address)) out.links.insert(i->site);
    }
    return out;
  }

private:
  Differs of(const Operand& o) const { return numbers_threads(o) ? Differs::by_number : values_.of(o); }

  // Is the address made of what the load found before, and of nothing else that changes from step to step?
  bool feeds_itself(const Instruction& load, u32 address, const std::vector<std::vector<u32>>& inputs) const {
    std::set<u32> made_of{address},
        after; // values that differ by data; those that follow from what the load found
    for (std::vector<u32> todo{address}; !todo.empty();) {
      const u32 value = todo.back();
      todo.pop_back();
      for (u32 from : inputs[value])
        if (values_.of(from) == Differs::by_data && made_of.insert(from).second) todo.push_back(from);
    }
    for (const Operand& to : function_.destinations(load))
      if (made_of.contains(values_.number(to))) after.insert(values_.number(to));
    if (after.empty()) return false;
    auto follows = [&](u32 value) {
      return std::ranges::any_of(inputs[value], [&](u32 from) { return after.contains(from); });
    };
    for (std::size_t known = 0; known != after.size();) {
      known = after.size();
      for (u32 value : made_of)
        if (follows(value)) after.insert(value);
    }
    return std::ranges::all_of(
        made_of, [&](u32 value) { return after.contains(value) || !values_.changes_with_any(value, after); });
  }

  const Module& module_;
  const Function& function_;
  Values<Differs> values_;
};

} // namespace

LoadedIndices loaded_indices(const Module& module, const Function& function) {
  return Analysis(module, function).run();
}

} // namespace warplens::ir
