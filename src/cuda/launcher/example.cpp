// See example.h. Sizes are tried, the largest first.
#include "launcher/example.h"
#include "launcher/arguments.h"
#include "launcher/reach.h"
#include "launcher/strides.h"
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
  Sizes(const ir::Module& module, const ir::Function& kernel, const Uses& uses, std::vector<Argument> given,
        Shape shape, bool may_narrow)
      : module_(module), kernel_(kernel), uses_(uses), given_(std::move(given)), shape_(shape),
        is_unknown_(uses.of.size()) {
    std::vector<u32> element_bytes;
    for (const Use& use : uses.of) element_bytes.push_back(use.is_address ? ir::bytes(type_of(use)) : 0);
    strides_ = strides_of(module, kernel, uses.sites, element_bytes);
    if (may_narrow) narrow_block();
    choose_size();
    // What no device has room for does not follow from sizes: the estimate is wrong.
    for (std::size_t i = 0; i < uses.of.size(); ++i) is_unknown_[i] = elements(i) > most_elements;
    if (std::ranges::find(is_unknown_, true) != is_unknown_.end()) choose_size();
  }
  const Shape& shape() const { return shape_; }

  std::string argument(std::size_t i) const {
    const ir::Variable& v = parameter(i);
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

private:
  const ir::Variable& parameter(std::size_t i) const {
    return module_.variables[kernel_.parameters[i].value];
  }
  std::vector<double> reached() const {
    return reaches(module_, kernel_, shape_, [&](std::size_t i) { return number(i); });
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
      const u64 bytes =
          i < given_.size() ? given_[i].bytes() : buffer_elements * ir::bytes(type_of(uses_.of[i]));
      if (uses_.of[i].is_address && !is_unknown_[i] && reach_[i] > static_cast<double>(bytes)) return false;
    }
    return true;
  }

  double elements(std::size_t i) const { return reach_[i] / ir::bytes(type_of(uses_.of[i])); }

  // The value of a number.
  double number(std::size_t i) const {
    const ir::Variable& v = parameter(i);
    if (uses_.of[i].is_address || is_array(v) || ir::is_float(v.type)) return 0;
    if (i < given_.size()) {
      u64 value = 0;
      std::memcpy(&value, given_[i].value.data(), std::min(sizeof value, given_[i].value.size()));
      return static_cast<double>(value);
    }
    if (!is_read(i)) return 0;
    if (v.size == 1) return 1; // most often one
    if (const Stride& stride = strides_[i]; stride.unit != 0)
      return std::max(1.0, std::floor(stride.unit * std::pow(shape_.size, stride.rank)));
    return shape_.size;
  }
  bool is_read(std::size_t i) const {
    return std::ranges::any_of(kernel_.operands,
                               [&](const Operand& o) { return o.variable == kernel_.parameters[i]; });
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  const Uses& uses_;
  std::vector<Argument> given_;
  Shape shape_;
  std::vector<Stride> strides_{};  // by parameter
  std::vector<double> reach_{};    // by parameter, bytes
  std::vector<bool> is_unknown_{}; // by parameter: its reach is no use
};

} // namespace

Proposal propose(const ir::Module& module, const ir::Function& kernel, const std::string& file,
                 const Words& words, const arch::Architecture& architecture) {
  const u32 widest = architecture.limits.threads_per_block;
  const Uses uses = uses_of(module, kernel, widest);
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
      module, kernel, uses, arguments_of(module, kernel, words),
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
