// See example.h. The code is read once: types by classes of registers, addresses by their origins, widths where a block's index is
// multiplied. Then sizes are tried, the largest first.
#include "launcher/example.h"
#include "ir/operands.h"
#include "ir/origin.h"
#include "launcher/arguments.h"
#include "launcher/kernels.h"
#include "launcher/reach.h"
#include "launcher/strides.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace warplens::launcher {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::Special;
using ir::Type;

// The type of the elements of one that is packed.
Type element_of(Type type) {
  switch (type) {
  case Type::f16x2: return Type::f16;
  case Type::bf16x2: return Type::bf16;
  case Type::f32x2:
  case Type::tf32: return Type::f32;
  default: return type;
  }
}

// What the registers of a kernel hold: those that one value moves through are one class, and the instructions that compute with any
// of them say its type.
class Types {
public:
  Types(const ir::Module& module, const ir::Function& kernel)
      : kernel_(kernel), parent_(kernel.registers.size()), type_(kernel.registers.size(), Type::none) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const ir::Instruction& i : kernel.instructions)
      if (Opcode opcode = module.form(i).opcode; opcode == Opcode::mov || opcode == Opcode::selp) join(i);
    for (const ir::Instruction& i : kernel.instructions) note(module.form(i), i);
  }
  // none: nothing tells.
  Type of(const Operand& operand) {
    return operand.reg.valid() ? type_[root(operand.reg.value)] : Type::none;
  }
  Type of_matrices() const { return of_matrices_; }

private:
  u32 root(u32 reg) {
    while (parent_[reg] != reg) reg = parent_[reg] = parent_[parent_[reg]];
    return reg;
  }
  void join(const ir::Instruction& i) {
    const auto sources = kernel_.sources(i).first(std::min<std::size_t>(2, i.sources));
    for (const Operand& to : kernel_.destinations(i))
      for (const Operand& from : sources)
        if (to.reg.valid() && from.kind == Operand::Kind::reg)
          parent_[root(to.reg.value)] = root(from.reg.value);
  }
  void note(const ir::Form& form, const ir::Instruction& i) {
    if (form.opcode == Opcode::mov) return;                            // of any type
    const bool is_product = form.shape.m != 0 && form.type_count >= 3; // .f32.f16.f16: of D, A and B
    if (is_product && of_matrices_ == Type::none) of_matrices_ = element_of(form.type(1));
    const u32 count = u32{i.destinations} + i.sources;
    for (u32 n = 0; n < count; ++n) {
      const Operand& operand = kernel_.operands[i.first_operand + n];
      const Type type = element_of(ir::operand_type(form, i.destinations, i.sources, n));
      const ir::TypeClass kind = ir::type_class(type);
      if (operand.kind != Operand::Kind::reg || kind == ir::TypeClass::predicate ||
          kind == ir::TypeClass::untyped)
        continue;
      Type& known = type_[root(operand.reg.value)];
      if (known == Type::none || (ir::is_float(type) && !ir::is_float(known))) known = type;
    }
  }

  const ir::Function& kernel_;
  std::vector<u32> parent_;
  std::vector<Type> type_;
  Type of_matrices_ = Type::none; // of the first operand of a product
};

// What the code says of a parameter.
struct Use {
  bool is_address = false, is_loaded = false; // loaded: of what the address leads to
  bool is_lock = false;                       // compared and exchanged there: a number that is 0 at first
  Type type = Type::none;                     // of its elements
  u32 widest = 4;                             // bytes of an element, where nothing tells its type
  double reach = 0;                           // bytes
  bool is_unknown = false;                    // reach is no use
};

constexpr u64 buffer_elements = u64{1} << 20, most_elements = u64{1} << 28;

class Example {
public:
  Example(const ir::Module& module, const ir::Function& kernel, const Words& words,
          const arch::Architecture& architecture)
      : module_(module), kernel_(kernel), words_(words), architecture_(architecture), types_(module, kernel),
        uses_(kernel.parameters.size()), value_of_(kernel.registers.size()) {
    for (const std::string& word : words.arguments) {
      if (given_.size() == uses_.size()) break;
      Result<Argument> one = read_argument(word, parameter(given_.size()), given_);
      if (!one) break;
      given_.push_back(std::move(*one));
    }
    for (const ir::Instruction& i : kernel.instructions) note(i);
    note_addresses();
    std::vector<u32> element_bytes;
    for (const Use& use : uses_) element_bytes.push_back(use.is_address ? ir::bytes(type_of(use)) : 0);
    strides_ = strides_of(module, kernel, sites_, element_bytes);
    shape_.grid =
        axes("--grid", words.grid, {8, asks(Special::ctaid_y) ? 8u : 1, asks(Special::ctaid_z) ? 2u : 1});
    shape_.block = axes("--block", words.block, block());
  }

  Proposal proposal(const std::string& file) {
    if (!can_be_given_)
      return {{},
              "no --arg fits: it reads textures, or pointers from memory. Run the program that launches it"};
    if (in_structure_)
      return {{},
              fmt::format("parameter {} is a structure with a pointer: give its members, --arg "
                          "'{{f32[1024],4096,s32=2}}'",
                          *in_structure_ + 1)};
    return {line(file), {}};
  }

private:
  std::string line(const std::string& file) {
    constexpr double largest = 1024, least = 16;
    narrow_block();
    auto choose_size = [&] {
      for (shape_.size = largest; measure(), !fits() && shape_.size > least;) shape_.size /= 2;
    };
    choose_size();
    // What no device has room for does not follow from sizes: the estimate is wrong.
    bool is_unknown = false;
    for (std::size_t i = 0; i < uses_.size(); ++i)
      is_unknown |= uses_[i].is_unknown = elements(i) > most_elements;
    if (is_unknown) choose_size();
    std::string out = fmt::format("warplens run {}", quoted(file));
    if (words_.kernel) out += fmt::format(" --kernel {}", quoted(*words_.kernel));
    out += fmt::format(" --grid {}", words_.grid.value_or(text(shape_.grid)));
    if (words_.block || kernel_.required_threads[0] == 0)
      out += fmt::format(" --block {}", words_.block.value_or(text(shape_.block)));
    if (words_.shared) out += fmt::format(" --shared {}", *words_.shared);
    for (std::size_t i = 0; i < uses_.size(); ++i)
      out +=
          fmt::format(" --arg {}", quoted(i < words_.arguments.size() ? words_.arguments[i] : argument(i)));
    return out;
  }

  const ir::Variable& parameter(std::size_t i) const {
    return module_.variables[kernel_.parameters[i].value];
  }
  bool asks(Special special) const { return std::ranges::find(asked_, special) != asked_.end(); }
  // The index of the parameter; past the last for other variables.
  std::size_t index_of(ir::VariableId variable) const {
    return static_cast<std::size_t>(std::ranges::find(kernel_.parameters, variable) -
                                    kernel_.parameters.begin());
  }

  static std::string text(const Dim3& size) {
    std::string out = fmt::format("{}", size.x);
    if (size.y != 1 || size.z != 1) out += fmt::format(",{}", size.y);
    if (size.z != 1) out += fmt::format(",{}", size.z);
    return out;
  }
  static Dim3 axes(const char* option, const std::optional<std::string>& word, Dim3 otherwise) {
    if (!word) return otherwise;
    return dimensions(option, *word).value_or(otherwise);
  }

  void note(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    const auto sources = kernel_.sources(i);
    for (const Operand& source : sources)
      if (source.kind == Operand::Kind::special) asked_.push_back(source.special);
    if (form.family() == ir::Family::texture || ir::tensor_dimensions(form) != 0) can_be_given_ = false;
    const Operand* to = i.destinations != 0 ? &kernel_.destinations(i)[0] : nullptr;
    if (to == nullptr || !to->reg.valid() || sources.empty()) return;
    Value& value = value_of_[to->reg.value];
    if (form.opcode == Opcode::ld && form.space() == ir::StateSpace::param)
      value.parameter = index_of(sources[0].variable);
    if (form.opcode == Opcode::mov && sources[0].kind == Operand::Kind::special)
      value.special = sources[0].special;
    if (form.opcode == Opcode::cvta && sources[0].reg.valid())
      if (const std::size_t p = value_of_[sources[0].reg.value].parameter; p < uses_.size())
        uses_[p].is_address = true;
    // "blockIdx.x * 256": the width of a block.
    const bool is_shift = form.opcode == Opcode::shl;
    if ((is_shift || form.opcode == Opcode::mul || form.opcode == Opcode::mad) && sources[0].reg.valid() &&
        sources[1].kind == Operand::Kind::immediate && !form.has(ir::Modifier::wide) &&
        ir::bits(form.type()) == 32)
      note_width(value_of_[sources[0].reg.value].special,
                 is_shift ? u64{1} << std::min<u64>(sources[1].value, 63) : sources[1].value);
  }
  void note_width(Special of, u64 width) {
    const u32 axis = static_cast<u32>(of) - static_cast<u32>(Special::ctaid_x);
    constexpr u64 least = 8; // fewer are bytes
    if (axis < 3 && widths_[axis] == 0 && width >= least && width <= architecture_.limits.threads_per_block)
      widths_[axis] = static_cast<u32>(width);
  }

  Dim3 block() const {
    const auto& required = kernel_.required_threads;
    if (required[0] != 0) return {required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
    const bool has_y = asks(Special::tid_y), has_z = asks(Special::tid_z);
    u32 most = architecture_.limits.threads_per_block;
    if (const auto& declared = kernel_.max_threads; declared[0] != 0)
      most = std::min(most, declared[0] * std::max(declared[1], 1u) * std::max(declared[2], 1u));
    auto width = [&](u32 axis, u32 usual) { return widths_[axis] != 0 ? widths_[axis] : usual; };
    const bool is_declared = kernel_.max_threads[0] != 0; // __launch_bounds__
    Dim3 out{has_z || has_y ? width(0, has_z ? 8 : 16)
             : is_declared  ? most
                            : width(0, 128),
             has_y ? width(1, has_z ? 8 : 16) : 1, has_z ? width(2, 4) : 1};
    while (out.count() > most) {
      u32& longest = out.z > 1 ? out.z : out.y > 1 ? out.y : out.x;
      longest /= 2;
    }
    return out;
  }

  void note_addresses() {
    std::size_t next = 0;
    const std::vector<ir::SiteOrigin> origins = ir::origins(module_, kernel_);
    sites_.assign(kernel_.instructions.size(), uses_.size());
    shared_.assign(kernel_.instructions.size(), 0);
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      const ir::Instruction& instruction = kernel_.instructions[i];
      if (!instruction.site.valid()) continue;
      const ir::Origin& origin = origins[next++].origin;
      const std::size_t p = index_of(origin.variable);
      if (origin.kind == ir::Origin::Kind::one &&
          module_.variables[origin.variable.value].space == ir::StateSpace::shared)
        shared_[i] = module_.variables[origin.variable.value].size;
      if (origin.kind != ir::Origin::Kind::one || p == uses_.size() || origin.in_place) continue;
      if (origin.indirect) can_be_given_ = false;
      if (is_array(parameter(p))) in_structure_ = p;
      sites_[i] = p;
      note_access(uses_[p], instruction);
    }
  }
  void note_access(Use& use, const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    const bool stores = form.opcode == Opcode::st;
    use.is_address = true;
    use.is_lock |= form.has(ir::Modifier::cas);
    use.is_loaded |= !stores && ir::bulk_copy(form) != ir::BulkCopy::out;
    Type type = ir::copies_asynchronously(form) || ir::bulk_copy(form) != ir::BulkCopy::none
                    ? types_.of_matrices()
                    : element_of(form.type());
    if (type != Type::none) use.widest = std::clamp(ir::bytes(type), 1u, 8u);
    if (!ir::is_float(type) && ir::bytes(type) != 1)
      for (const Operand& data : stores ? kernel_.sources(i) : kernel_.destinations(i))
        if (const Type known = data.kind == Operand::Kind::reg ? types_.of(data) : Type::none;
            known != Type::none && ir::bytes(known) <= ir::bytes(type))
          type = known;
    const ir::TypeClass kind = ir::type_class(type);
    if (use.type == Type::none && kind != ir::TypeClass::untyped && kind != ir::TypeClass::predicate &&
        element_type(ir::name(type)))
      use.type = type;
  }

  // What nothing tells the type of is taken to be floating-point.
  Type type_of(const Use& use) const {
    if (use.type != Type::none) return use.type;
    if (use.is_lock) return use.widest == 8 ? Type::u64 : use.widest == 2 ? Type::u16 : Type::u32;
    return use.widest == 8 ? Type::f64 : use.widest == 4 ? Type::f32 : use.widest == 2 ? Type::f16 : Type::u8;
  }

  // Where the arrays in shared memory are too small for it: a thread may do the work of up to four. The width that the kernel names
  // stays.
  void narrow_block() {
    if (words_.block || kernel_.required_threads[0] != 0) return;
    const Dim3 asked = shape_.block;
    shape_.loops = false;
    while (!fits_shared()) {
      u32& last = shape_.block.z > 1 ? shape_.block.z : shape_.block.y > 1 ? shape_.block.y : shape_.block.x;
      last /= 2;
      if (shape_.block.count() * 4 < asked.count() || (widths_[0] != 0 && shape_.block.x < asked.x)) {
        shape_.block = asked; // that is not it
        break;
      }
    }
    shape_.loops = true;
  }
  bool fits_shared() const {
    const std::vector<double> all =
        reaches(module_, kernel_, shape_, [&](std::size_t i) { return number(i); });
    for (std::size_t i = 0; i < all.size(); ++i)
      if (shared_[i] != 0 && all[i] > static_cast<double>(shared_[i])) return false;
    return true;
  }

  void measure() {
    for (Use& use : uses_) use.reach = 0;
    const std::vector<double> all =
        reaches(module_, kernel_, shape_, [&](std::size_t i) { return number(i); });
    for (std::size_t i = 0; i < all.size(); ++i)
      if (sites_[i] < uses_.size()) uses_[sites_[i]].reach = std::max(uses_[sites_[i]].reach, all[i]);
  }
  bool fits() const {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const u64 bytes =
          i < given_.size() ? given_[i].bytes() : buffer_elements * ir::bytes(type_of(uses_[i]));
      if (uses_[i].is_address && !uses_[i].is_unknown && uses_[i].reach > static_cast<double>(bytes))
        return false;
    }
    return true;
  }

  double elements(std::size_t i) const { return uses_[i].reach / ir::bytes(type_of(uses_[i])); }

  // The value of a number.
  double number(std::size_t i) const {
    const ir::Variable& v = parameter(i);
    if (uses_[i].is_address || is_array(v) || ir::is_float(v.type)) return 0;
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

  std::string argument(std::size_t i) const {
    const ir::Variable& v = parameter(i);
    const Use& use = uses_[i];
    if (is_array(v)) return fmt::format("b8[{}]=zeros", v.size);
    if (!use.is_address) return ir::is_float(v.type) ? "1" : fmt::format("{}", number(i));
    const Type type = type_of(use);
    const u64 needed = use.is_unknown ? 0 : static_cast<u64>(elements(i));
    std::string out = fmt::format("{}[{}]", ir::name(type), std::max(buffer_elements, std::bit_ceil(needed)));
    if (!use.is_loaded || use.is_lock) return out;
    if (ir::is_float(type)) return out + "=random";
    const double below =
        std::min(shape_.size, std::exp2(ir::bits(type) - (ir::is_signed(type) ? 1 : 0))); // an index
    return out + fmt::format("=random:1:{}", below);
  }

  struct Value { // of a register
    std::size_t parameter = ~std::size_t{0};
    Special special{};
  };
  const ir::Module& module_;
  const ir::Function& kernel_;
  const Words& words_;
  const arch::Architecture& architecture_;
  Types types_;
  std::vector<Use> uses_;          // by parameter
  std::vector<Stride> strides_;    // by parameter
  std::vector<Value> value_of_;    // by register
  std::vector<std::size_t> sites_; // by instruction: the parameter that it accesses through
  std::vector<u64>
      shared_; // by instruction: the bytes of the array in shared memory that it accesses; 0: of none
  std::vector<Argument> given_;
  std::vector<Special> asked_;
  std::array<u32, 3> widths_{};
  Shape shape_;
  bool can_be_given_ = true;
  std::optional<std::size_t> in_structure_; // the parameter with a pointer in it
};

} // namespace

Proposal propose(const ir::Module& module, const ir::Function& kernel, const std::string& file,
                 const Words& words, const arch::Architecture& architecture) {
  return Example(module, kernel, words, architecture).proposal(file);
}

} // namespace warplens::launcher
