// See axes.h. Each register is a set of the special registers that its value is made of; a few passes carry it around loops.
#include "launcher/axes.h"
#include <bitset>

namespace warplens::launcher {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::Special;
using Parts = std::bitset<12>; // tid, ntid, ctaid, nctaid: x, y, z of each

constexpr std::array<Special, 4> first_axes{Special::tid_x, Special::ntid_x, Special::ctaid_x,
                                            Special::nctaid_x};

Parts part(Special special) {
  for (u32 kind = 0; kind < first_axes.size(); ++kind)
    if (const u32 axis = static_cast<u32>(special) - static_cast<u32>(first_axes[kind]); axis < 3)
      return Parts(1) << (3 * kind + axis);
  return {};
}

class AxisReading {
public:
  AxisReading(const ir::Module& module, const ir::Function& kernel)
      : module_(module), kernel_(kernel), parts_(kernel.registers.size()), is_read_(kernel.registers.size()) {
    for (const ir::Instruction& i : kernel.instructions)
      for (const Operand& source : kernel.sources(i))
        if (source.reg.valid()) is_read_[source.reg.value] = true;
  }

  std::vector<Special> run() {
    constexpr int settling = 3;
    for (int pass = 0; pass < settling; ++pass)
      for (const ir::Instruction& i : kernel_.instructions) read(i);
    std::vector<Special> out;
    for (Special special : {Special::tid_y, Special::tid_z, Special::ctaid_y, Special::ctaid_z})
      if ((asked_ & part(special)).any()) out.push_back(special);
    return out;
  }

private:
  Parts of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::special) return part(operand.special);
    return operand.reg.valid() ? parts_[operand.reg.value] : Parts();
  }

  void read(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    const auto sources = kernel_.sources(i);
    const bool is_product = form.opcode == Opcode::mul || form.opcode == Opcode::mad;
    Parts value;
    for (const Operand& source : sources.subspan(is_product ? 2 : 0)) value |= of(source);
    if (is_product) value |= product(of(sources[0]), of(sources[1]));
    if (form.opcode == Opcode::setp) return note_choice(value);
    const auto destinations = kernel_.destinations(i);
    bool goes_on = false;
    for (const Operand& to : destinations)
      if (to.reg.valid() && !i.site.valid()) parts_[to.reg.value] |= value, goes_on |= is_read_[to.reg.value];
    if (!goes_on && form.opcode != Opcode::mov) asked_ |= value;
  }

  // Times the size of an axis, those behind it are a part of the place.
  static Parts product(Parts one, Parts other) {
    for (u32 index = 0; index < 12; index += 6) { // of a thread, of a block
      const Parts sizes = Parts(7) << (index + 3);
      for (auto [value, by] : {std::pair{&one, other}, std::pair{&other, one}})
        for (u32 axis = 0; by.any() && (by & ~sizes).none() && axis < 2; ++axis)
          if (by[index + 3 + axis])
            for (u32 behind = axis + 1; behind < 3; ++behind) value->reset(index + behind);
    }
    return one | other;
  }
  // One of x, y and z together chooses a thread, or a block.
  void note_choice(Parts value) {
    for (u32 index = 0; index < 12; index += 6)
      if (!value[index]) asked_ |= value & (Parts(6) << index);
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::vector<Parts> parts_; // by register
  std::vector<bool> is_read_;
  Parts asked_;
};

} // namespace

std::vector<Special> axes_of(const ir::Module& module, const ir::Function& kernel) {
  return AxisReading(module, kernel).run();
}

} // namespace warplens::launcher
