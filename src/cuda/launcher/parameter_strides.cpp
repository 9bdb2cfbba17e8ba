// See parameter_strides.h. Each register is followed as a sum, over all of its definitions; a few passes carry it around loops.
#include "launcher/parameter_strides.h"
#include "ir/added_operands.h"
#include "ir/operands.h"
#include "launcher/arguments.h"
#include <algorithm>
#include <map>
#include <set>

namespace warplens::launcher {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::Special;
using Factors = std::map<std::size_t, double>; // of slots

// What a register holds, as far as parameters and indices are in it.
struct Sum {
  Factors parameters; // that it is, times a number
  Factors scaled;     // that an index is multiplied by, and then that number
  bool varies =
      false; // between threads, or from turn to turn of a loop, by an index that no parameter multiplies
  double thread =
      0; // the least number that the index of a thread is multiplied with, without a parameter; 0: none

  static void add(Factors& to, const Factors& from, double by = 1) {
    for (const auto& [parameter, factor] : from) {
      const auto [known, is_new] = to.try_emplace(parameter, factor * by);
      if (!is_new) known->second = std::min(known->second, factor * by);
    }
  }
  void add(const Sum& other, double by = 1) {
    add(parameters, other.parameters, by);
    add(scaled, other.scaled, by);
    varies |= other.varies;
    if (const double own = other.thread * by; own > 0) thread = thread > 0 ? std::min(thread, own) : own;
  }
  // A parameter that is one summand of several is a step.
  void become_summand() { add(scaled, std::exchange(parameters, {})); }
};

class Reading {
public:
  Reading(const ir::Module& module, const ir::Function& kernel, const Slots& slots,
          const std::vector<u32>& element_bytes)
      : module_(module), kernel_(kernel), slots_(slots), element_bytes_(element_bytes),
        sums_(kernel.registers.size()) {
    for (const ir::Instruction& i : kernel.instructions)
      if (module.form(i).opcode == Opcode::mov && kernel.sources(i)[0].reg.valid())
        moves_.emplace(kernel.destinations(i)[0].reg.value, kernel.sources(i)[0].reg.value);
    constexpr int settling = 4;
    for (int pass = 0; pass < settling; ++pass)
      for (const ir::Instruction& i : kernel.instructions) read(i);
  }

  std::vector<Stride> strides(const std::vector<std::size_t>& sites) const {
    std::map<std::size_t, Sum> addresses; // by the slot that is the pointer
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (sites[i] < element_bytes_.size())
        for (const Operand& o : kernel_.sources(kernel_.instructions[i]))
          if (o.kind == Operand::Kind::address) addresses[sites[i]].add(of(o));
    std::vector<Stride> out(element_bytes_.size());
    for (auto& [pointer, address] : addresses) {
      address.become_summand();
      std::erase_if(address.scaled, [&](const auto& one) { return sizes_.contains(one.first); });
      u32 rank =
          address.varies ? 1 : 0; // an index without a stride runs along the dimension that lies closest
      const double closest = std::max<double>(address.thread, element_bytes_[pointer]);
      for (auto one = address.scaled.rbegin(); one != address.scaled.rend(); ++one, ++rank)
        if (Stride& known = out[one->first]; known.unit == 0 || known.rank < rank)
          known = {rank, (rank > 0 ? closest : element_bytes_[pointer]) / one->second};
    }
    return out;
  }

private:
  Sum of(const Operand& operand) const {
    const auto is_size = [](Special s) {
      return (s >= Special::ntid_x && s <= Special::ntid_z) ||
             (s >= Special::nctaid_x && s <= Special::nctaid_z);
    };
    if (operand.kind == Operand::Kind::special)
      return {{}, {}, !is_size(operand.special), operand.special <= Special::tid_z ? 1.0 : 0.0};
    return operand.reg.valid() ? sums_[operand.reg.value] : Sum();
  }
  // x + 1 where x is the same register, a turn earlier.
  bool is_step(const ir::Instruction& i) const {
    const auto sources = kernel_.sources(i);
    const u32 to = kernel_.destinations(i)[0].reg.value;
    return module_.form(i).opcode == Opcode::add && sources[0].reg.valid() &&
           sources[1].kind == Operand::Kind::immediate &&
           (sources[0].reg.value == to || moves_.contains({sources[0].reg.value, to}));
  }

  void read(const ir::Instruction& i) {
    const auto destinations = kernel_.destinations(i);
    if (module_.form(i).opcode == Opcode::setp)
      for (const Operand& source : kernel_.sources(i)) are_sizes(of(source).parameters);
    if (destinations.empty() || !destinations[0].reg.valid()) return;
    for (u32 n = 0; n < i.destinations; ++n)
      if (destinations[n].reg.valid()) sums_[destinations[n].reg.value].add(result(i, n));
  }

  // What the n-th destination gets.
  Sum result(const ir::Instruction& i, u32 n) {
    const ir::Form& form = module_.form(i);
    const auto sources = kernel_.sources(i);
    const std::span<const ir::Summand> summands = ir::summands(form.opcode);
    Sum out;
    if (form.opcode == Opcode::ld && form.space() == ir::StateSpace::param) {
      const std::size_t slot = slots_.loaded(i, n);
      if (slot < slots_.size() && element_bytes_[slot] == 0 && !is_array(slots_.all()[slot].declared))
        out.parameters[slot] = 1;
    } else if (form.opcode == Opcode::cvt) {
      out = of(sources[0]);
    } else if (!summands.empty() && !ir::is_float(form.type())) {
      const bool several = std::ranges::count_if(sources, [](const Operand& o) {
                             return o.kind != Operand::Kind::immediate;
                           }) > 1;
      for (const ir::Summand& s : summands) {
        Sum one = term(s, sources);
        if (several && summands.size() > 1) one.become_summand();
        out.add(one);
      }
      out.varies |= is_step(i);
    } else { // a part of an index, what is loaded, the lesser of two
      for (const Operand& source : sources) {
        const Sum one = of(source);
        are_sizes(one.parameters);
        out.varies |= one.varies || !one.scaled.empty();
      }
      out.varies |= form.opcode == Opcode::ld || form.opcode == Opcode::atom;
    }
    return out;
  }

  Sum term(const ir::Summand& s, std::span<const Operand> sources) {
    Sum one = of(sources[s.source]), out;
    if (const std::optional<u64> number = ir::times(s, sources)) {
      if (*number != 0) out.add(one, static_cast<double>(*number));
      return out;
    }
    Sum other = of(sources[s.factor]);
    if (!one.parameters.empty() && other.parameters.empty()) std::swap(one, other);
    if (!other.parameters.empty() && one.parameters.empty() && one.scaled.empty() && !s.is_power) {
      out.scaled = other.parameters; // an index times a parameter
      return out;
    }
    for (const Sum* side : {&one, &other}) { // a product of several: sizes
      are_sizes(side->parameters), are_sizes(side->scaled);
      out.varies |= side->varies || !side->scaled.empty();
    }
    return out;
  }
  void are_sizes(const Factors& parameters) {
    for (const auto& [parameter, factor] : parameters) sizes_.insert(parameter);
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  const Slots& slots_;
  const std::vector<u32>& element_bytes_;
  std::vector<Sum> sums_;               // by register
  std::set<std::pair<u32, u32>> moves_; // of registers: to, from
  std::set<std::size_t> sizes_;         // slots
};

} // namespace

std::vector<Stride> strides_of(const ir::Module& module, const ir::Function& kernel, const Slots& slots,
                               const std::vector<std::size_t>& sites, const std::vector<u32>& element_bytes) {
  return Reading(module, kernel, slots, element_bytes).strides(sites);
}

} // namespace warplens::launcher
