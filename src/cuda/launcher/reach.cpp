// See reach.h. A few passes over the instructions settle what does not grow; what grows from pass to pass is in a loop.
#include "launcher/reach.h"
#include <algorithm>
#include <cmath>

namespace warplens::launcher {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::Special;

class Estimate {
public:
  Estimate(const ir::Module& module, const ir::Function& kernel, const Slots& slots, const Shape& shape,
           const std::function<double(std::size_t)>& value)
      : module_(module), kernel_(kernel), slots_(slots), shape_(shape), value_(value),
        most_(kernel.registers.size()) {}

  std::vector<double> run() {
    constexpr int settling = 3; // passes: code stands in order, but for loops
    for (int i = 0; i < settling; ++i) pass();
    const std::vector<double> before = most_;
    pass();
    const double trips = shape_.loops ? trips_of(before) : 0;
    for (std::size_t i = 0; i < most_.size(); ++i) most_[i] += trips * (most_[i] - before[i]);
    std::vector<double> out;
    for (const ir::Instruction& i : kernel_.instructions) out.push_back(i.site.valid() ? reach(i) : 0);
    return out;
  }

private:
  void pass() {
    for (const ir::Instruction& i : kernel_.instructions) {
      const auto destinations = kernel_.destinations(i);
      for (u32 d = 0; d < destinations.size(); ++d) {
        const Operand& to = destinations[d];
        if (!to.reg.valid()) continue;
        const ir::Type type = kernel_.registers[to.reg.value].type;
        const double widest = std::ldexp(1.0, static_cast<int>(ir::bits(type)) - 1);
        double& known = most_[to.reg.value];
        if (!ir::is_float(type)) known = std::max(known, std::min(result(i, d), widest));
      }
    }
  }

  // How often a loop goes round at most: until what grows reaches what it is compared with.
  double trips_of(const std::vector<double>& before) const {
    double out = 0;
    bool is_compared = false;
    for (const ir::Instruction& i : kernel_.instructions) {
      if (module_.form(i).opcode != Opcode::setp) continue;
      const auto sources = kernel_.sources(i);
      for (u32 s = 0; s < 2; ++s) {
        const ir::RegisterId reg = sources[s].reg;
        const double step = reg.valid() ? most_[reg.value] - before[reg.value] : 0;
        if (step <= 0) continue;
        is_compared = true;
        out = std::max(out, (of(sources[1 - s], i, 1 - s) - most_[reg.value]) / step);
      }
    }
    return is_compared ? out : shape_.size;
  }

  double of(Special special) const {
    static constexpr struct {
      Special x; // y and z follow it
      Dim3 Shape::*size;
      double past; // the last one
    } all[] = {{Special::tid_x, &Shape::block, 1},
               {Special::ntid_x, &Shape::block, 0},
               {Special::ctaid_x, &Shape::grid, 1},
               {Special::nctaid_x, &Shape::grid, 0}};
    for (const auto& [x, size, past] : all) {
      const Dim3& of = shape_.*size;
      const u32 axis = static_cast<u32>(special) - static_cast<u32>(x);
      if (axis < 3) return (axis == 0 ? of.x : axis == 1 ? of.y : of.z) - past;
    }
    return warp_size;
  }

  // The n-th source. Negative numbers take away.
  double of(const Operand& operand, const ir::Instruction& i, u32 n) const {
    if (operand.kind == Operand::Kind::special) return of(operand.special);
    if (operand.kind == Operand::Kind::immediate) {
      const ir::Type type = ir::operand_type(module_.form(i), i.destinations, i.sources, i.destinations + n);
      const u32 unused = 64 - std::clamp(ir::bits(type), 1u, 64u);
      return static_cast<double>(static_cast<i64>(operand.value << unused) >> unused);
    }
    const double base = operand.reg.valid() ? most_[operand.reg.value] : 0;
    return operand.kind == Operand::Kind::address
               ? base + static_cast<double>(static_cast<i64>(operand.value))
               : base;
  }

  double loaded(const ir::Instruction& i, u32 destination) const {
    const ir::Form& form = module_.form(i);
    if (form.space() != ir::StateSpace::param) return ir::is_float(form.type()) ? 0 : shape_.size;
    const std::size_t slot = slots_.loaded(i, destination);
    return slot == slots_.size() ? shape_.size : value_(slot);
  }

  // What the instruction gives at most to one of its destinations.
  double result(const ir::Instruction& i, u32 destination) const {
    const ir::Form& form = module_.form(i);
    const auto sources = kernel_.sources(i);
    auto source = [&](u32 n) { return n < sources.size() ? of(sources[n], i, n) : 0; };
    auto is_number = [&](u32 n) { return n < sources.size() && sources[n].kind == Operand::Kind::immediate; };
    auto largest = [&] {
      double out = 0;
      for (u32 n = 0; n < sources.size(); ++n) out = std::max(out, source(n));
      return out;
    };
    auto all_bits = [&](u32 most) { // of the largest
      double out = 0;
      for (u32 n = 0; n < std::min<u64>(sources.size(), most); ++n) out = std::max(out, source(n));
      return std::exp2(std::ceil(std::log2(out + 1))) - 1;
    };
    auto product = [&] {
      const double all = std::max(source(0), 0.0) * std::max(source(1), 0.0);
      return form.has(Modifier::hi) ? std::ldexp(all, -static_cast<int>(ir::bits(form.type()))) : all;
    };
    switch (form.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return loaded(i, destination);
    case Opcode::atom: return ir::is_float(form.type()) ? 0 : shape_.size;
    case Opcode::call: return shape_.size;
    case Opcode::add: return source(0) + source(1);
    case Opcode::sub: return is_number(1) ? source(0) - source(1) : source(0);
    case Opcode::mul: return product();
    case Opcode::mad: return product() + source(2);
    case Opcode::shl: return source(0) * (is_number(1) ? std::exp2(source(1)) : shape_.size);
    case Opcode::shr: return is_number(1) ? std::floor(source(0) / std::exp2(source(1))) : source(0);
    case Opcode::div: return is_number(1) && source(1) > 0 ? std::floor(source(0) / source(1)) : source(0);
    case Opcode::rem: return std::min(source(0), source(1));
    case Opcode::min: return std::min(source(0), source(1));
    case Opcode::and_:
      for (u32 n = 0; n < 2; ++n) // a mask that is negative keeps the high bits
        if (is_number(n) && source(n) < 0) return source(1 - n);
      return std::min(source(0), source(1));
    case Opcode::or_:
    case Opcode::xor_: return all_bits(2);
    case Opcode::lop3: return all_bits(3);
    case Opcode::bfe: return is_number(2) ? std::min(source(0), std::exp2(source(2)) - 1) : source(0);
    case Opcode::not_:
    case Opcode::neg: return 0;
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind: return 64;
    case Opcode::cvt: return ir::is_float(form.type(1)) ? shape_.size : source(0);
    default: return largest();
    }
  }

  double reach(const ir::Instruction& i) const {
    const ir::Form& form = module_.form(i);
    constexpr u32 widest = 16; // bytes of a copy
    const u32 bytes = form.type_count == 0 ? widest : ir::bytes(form.type()) * form.vector;
    double out = 0;
    const auto sources = kernel_.sources(i);
    for (u32 n = 0; n < sources.size(); ++n)
      if (sources[n].kind == Operand::Kind::address) out = std::max(out, of(sources[n], i, n) + bytes);
    return out;
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  const Slots& slots_;
  const Shape& shape_;
  const std::function<double(std::size_t)>& value_;
  std::vector<double> most_; // by register
};

} // namespace

std::vector<double> reaches(const ir::Module& module, const ir::Function& kernel, const Slots& slots,
                            const Shape& shape, const std::function<double(std::size_t)>& value) {
  return Estimate(module, kernel, slots, shape, value).run();
}

} // namespace warplens::launcher
