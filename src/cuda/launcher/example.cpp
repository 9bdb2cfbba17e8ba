// See example.h. Sizes are tried, the largest first.
#include "launcher/example.h"
#include "base/bits.h"
#include "launcher/arguments.h"
#include "launcher/parameter_strides.h"
#include "launcher/reach.h"
#include "launcher/uses.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace warplens::launcher {
namespace {

using ir::Operand;
using ir::Special;
using ir::Type;

constexpr u64 buffer_elements = u64{1} << 20, most_elements = u64{1} << 28;

Dim3 axes(const char* option, const std::optional<std::string>& word, Dim3 otherwise) {
  if (!word) return otherwise;
  return dimensions(option, *word).value_or(otherwise);
}
std::string text(const Dim3& size) {
  std::string out = fmt::format("{}", size.x);
  if (size.y != 1 || size.z != 1) out += fmt::format(",{}", size.y);
  if (size.z != 1) out += fmt::format(",{}", size.z);
  return out;
}

u32& last_axis(Dim3& block) { return block.z > 1 ? block.z : block.y > 1 ? block.y : block.x; }

Dim3 usual_block(const ir::Function& kernel, const Uses& uses, u32 most) {
  const auto& required = kernel.required_threads;
  if (required[0] != 0) return {required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
  const bool has_y = uses.asks(Special::tid_y), has_z = uses.asks(Special::tid_z);
  if (const auto& declared = kernel.max_threads; declared[0] != 0)
    most = std::min(most, declared[0] * std::max(declared[1], 1u) * std::max(declared[2], 1u));
  auto width = [&](u32 axis, u32 usual) { return uses.widths[axis] != 0 ? uses.widths[axis] : usual; };
  const bool is_declared = kernel.max_threads[0] != 0; // __launch_bounds__
  Dim3 out{has_z || has_y ? width(0, has_z ? 8 : 16)
           : is_declared  ? most
                          : width(0, 128),
           has_y ? width(1, has_z ? 8 : 16) : 1, has_z ? width(2, 4) : 1};
  while (out.count() > most) last_axis(out) /= 2;
  return out;
}

// What nothing tells the type of is taken to be floating-point.
Type type_of(const Use& use) {
  if (use.type != Type::none) return use.type;
  if (use.is_lock) return use.widest == 8 ? Type::u64 : use.widest == 2 ? Type::u16 : Type::u32;
  return use.widest == 8 ? Type::f64 : use.widest == 4 ? Type::f32 : use.widest == 2 ? Type::f16 : Type::u8;
}

std::vector<Argument> arguments_of(const ir::Module& module, const ir::Function& kernel, const Words& words) {
  std::vector<Argument> out;
  for (const std::string& word : words.arguments) {
    if (out.size() == kernel.parameters.size()) break;
    Result<Argument> one = read_argument(word, module.variables[kernel.parameters[out.size()].value], out);
    if (!one) break;
    out.push_back(std::move(*one));
  }
  return out;
}

// The largest sizes at which all addresses lie in buffers of the usual length, or in those that are given; the arguments with these.
class Sizes {
public:
  Sizes(const ir::Module& module, const ir::Function& kernel, const Slots& slots, const Uses& uses,
        std::vector<Argument> given, Shape shape, bool may_narrow)
      : module_(module), kernel_(kernel), slots_(slots), uses_(uses), given_(std::move(given)), shape_(shape),
        is_unknown_(uses.of.size()) {
    std::vector<u32> element_bytes;
    for (const Use& use : uses.of) element_bytes.push_back(use.is_address ? ir::bytes(type_of(use)) : 0);
    strides_ = strides_of(module, kernel, slots, uses.sites, element_bytes);
    if (may_narrow) narrow_block();
    choose_size();
    // What no device has room for does not follow from sizes: the estimate is wrong.
    for (std::size_t i = 0; i < uses.of.size(); ++i) is_unknown_[i] = elements(i) > most_elements;
    if (std::ranges::find(is_unknown_, true) != is_unknown_.end()) choose_size();
  }
  const Shape& shape() const { return shape_; }

  // Of the parameter; of a structure member by member, and zeros for those that nobody reads.
  std::string argument(std::size_t parameter) const {
    const ir::Variable& v = module_.variables[kernel_.parameters[parameter].value];
    std::string out;
    u64 at = 0, widest = 1;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_.all()[i];
      if (slot.parameter != parameter) continue;
      if (!is_array(v) || is_array(slot.declared)) return value(i);
      const ir::Type type = slot.declared.type;
      const bool is_said = uses_.of[i].is_address || (ir::bits(type) == 64 && !ir::is_float(type));
      add_zeros(out, at, slot.at, slot.declared.size);
      out += (is_said ? value(i) : fmt::format("{}={}", ir::name(type), value(i))) + ",";
      at = slot.at + slot.declared.size, widest = std::max(widest, slot.declared.size);
    }
    add_zeros(out, at, v.size, widest);
    out.back() = '}';
    return '{' + out;
  }

private:
  // Members of a structure from one byte to another, less what the alignment of the next leaves out.
  static void add_zeros(std::string& out, u64 at, u64 to, u64 alignment) {
    while (align_up(at, alignment) != to) {
      const u64 size = std::min(at == 0 ? 8 : std::min<u64>(at & -at, 8), std::bit_floor(to - at));
      out += size == 8 ? "0," : fmt::format("s{}=0,", size * 8);
      at += size;
    }
  }

  std::string value(std::size_t i) const {
    const ir::Variable& v = declared(i);
    const Use& use = uses_.of[i];
    if (is_array(v)) return fmt::format("b8[{}]=zeros", v.size);
    if (!use.is_address) return ir::is_float(v.type) ? "1" : fmt::format("{}", number(i));
    const Type type = type_of(use);
    const u64 needed = is_unknown_[i] ? 0 : static_cast<u64>(elements(i));
    std::string out = fmt::format("{}[{}]", ir::name(type), std::max(buffer_elements, std::bit_ceil(needed)));
    if (!use.is_loaded || use.is_lock) return out;
    if (ir::is_float(type)) return out + "=random";
    const double below =
        std::min(shape_.size, std::exp2(ir::bits(type) - (ir::is_signed(type) ? 1 : 0))); // an index
    return out + fmt::format("=random:1:{}", below);
  }

  const ir::Variable& declared(std::size_t slot) const { return slots_.all()[slot].declared; }
  // What the words say of the slot; null: nothing, or not by members.
  const Argument* given(std::size_t i) const {
    const Slot& slot = slots_.all()[i];
    if (slot.parameter >= given_.size()) return nullptr;
    const Argument& all = given_[slot.parameter];
    if (!is_array(module_.variables[kernel_.parameters[slot.parameter].value])) return &all;
    const auto member = std::ranges::find(all.members, slot.at, &Argument::at);
    return member == all.members.end() ? nullptr : &*member;
  }
  std::vector<double> reached() const {
    return reaches(module_, kernel_, slots_, shape_, [&](std::size_t i) { return number(i); });
  }

  // Where the arrays in shared memory are too small for it: a thread may do the work of up to four. The width that the kernel names
  // stays.
  void narrow_block() {
    const Dim3 asked = shape_.block;
    shape_.loops = false;
    while (!fits_shared()) {
      last_axis(shape_.block) /= 2;
      if (shape_.block.count() * 4 < asked.count() || (uses_.widths[0] != 0 && shape_.block.x < asked.x)) {
        shape_.block = asked; // that is not it
        break;
      }
    }
    shape_.loops = true;
  }
  bool fits_shared() const {
    const std::vector<double> all = reached();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (uses_.shared[i] != 0 && all[i] > static_cast<double>(uses_.shared[i])) return false;
    return true;
  }

  void choose_size() {
    constexpr double largest = 1024, least = 16;
    for (shape_.size = largest; measure(), !fits() && shape_.size > least;) shape_.size /= 2;
  }
  void measure() {
    reach_.assign(uses_.of.size(), 0);
    const std::vector<double> all = reached();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const std::size_t p = uses_.sites[i]; p < reach_.size()) reach_[p] = std::max(reach_[p], all[i]);
  }
  bool fits() const {
    for (std::size_t i = 0; i < uses_.of.size(); ++i) {
      const Argument* known = given(i);
      const u64 bytes = known ? known->bytes() : buffer_elements * ir::bytes(type_of(uses_.of[i]));
      if (uses_.of[i].is_address && !is_unknown_[i] && reach_[i] > static_cast<double>(bytes)) return false;
    }
    return true;
  }

  double elements(std::size_t i) const { return reach_[i] / ir::bytes(type_of(uses_.of[i])); }

  // The value of a number.
  double number(std::size_t i) const {
    const ir::Variable& v = declared(i);
    if (uses_.of[i].is_address || is_array(v) || ir::is_float(v.type)) return 0;
    if (const Argument* known = given(i)) {
      u64 value = 0;
      std::memcpy(&value, known->value.data(), std::min(sizeof value, known->value.size()));
      return static_cast<double>(value);
    }
    if (!is_read(i)) return 0;
    if (v.size == 1) return 1; // most often one
    if (const Stride& stride = strides_[i]; stride.unit != 0)
      return std::max(1.0, std::floor(stride.unit * std::pow(shape_.size, stride.rank)));
    return shape_.size;
  }
  bool is_read(std::size_t i) const { // members are those that are
    const ir::VariableId parameter = kernel_.parameters[slots_.all()[i].parameter];
    return is_array(module_.variables[parameter.value]) ||
           std::ranges::any_of(kernel_.operands, [&](const Operand& o) { return o.variable == parameter; });
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  const Slots& slots_;
  const Uses& uses_;
  std::vector<Argument> given_;
  Shape shape_;
  std::vector<Stride> strides_{};  // by slot
  std::vector<double> reach_{};    // by slot, bytes
  std::vector<bool> is_unknown_{}; // by slot: its reach is no use
};

} // namespace

Proposal propose(const ir::Module& module, const ir::Function& kernel, const std::string& file,
                 const Words& words, const arch::Architecture& architecture) {
  const u32 widest = architecture.limits.threads_per_block;
  const Slots slots(module, kernel);
  const Uses uses = uses_of(module, kernel, slots, widest);
  if (!uses.can_be_given)
    return {{},
            "no --arg fits: it reads textures, or pointers from memory. Run the program that launches it"};
  if (uses.in_structure)
    return {{},
            fmt::format("parameter {} is a structure with a pointer: give its members, --arg "
                        "'{{f32[1024],4096,s32=2}}'",
                        *uses.in_structure + 1)};
  const Dim3 grid{8, uses.asks(Special::ctaid_y) ? 8u : 1, uses.asks(Special::ctaid_z) ? 2u : 1};
  const bool chooses_block = !words.block && kernel.required_threads[0] == 0;
  const Sizes sizes(
      module, kernel, slots, uses, arguments_of(module, kernel, words),
      {axes("--grid", words.grid, grid), axes("--block", words.block, usual_block(kernel, uses, widest))},
      chooses_block);
  std::string out = fmt::format("warplens run {}", quoted(file));
  if (words.kernel) out += fmt::format(" --kernel {}", quoted(*words.kernel));
  out += fmt::format(" --grid {}", words.grid.value_or(text(sizes.shape().grid)));
  if (words.block || chooses_block)
    out += fmt::format(" --block {}", words.block.value_or(text(sizes.shape().block)));
  if (words.shared) out += fmt::format(" --shared {}", *words.shared);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    out +=
        fmt::format(" --arg {}", quoted(i < words.arguments.size() ? words.arguments[i] : sizes.argument(i)));
  return {std::move(out), {}};
}

} // namespace warplens::launcher
