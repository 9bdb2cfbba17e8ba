// Operands and results of machine instructions as PTX's, and the frame of the entry. See kernel_translation.h.
#include "translate/kernel_translation.h"
#include <cstring>

namespace warplens::translate {

namespace {

// Where constant bank 0 says what the launch is; bytes. Found with ptxas 13.0 on kernels that read it.
constexpr u32 no_place = ~u32{0};
constexpr u32 hopper = 90;
struct LaunchState {
  u32 block = 0x0, grid = 0xc;
  u32 stack = 0x28, shared_window = 0x18, local_window = 0x20;
  u32 constants = 0x50; // the generic address of bank 3
  u32 descriptor = 0x118;
  u32 parameters = 0x40; // their generic address; before Hopper that of the bank
  u32 environment = 0x88, dynamic_shared = 0x2c, reserved_shared = 0x114;
  // Of clusters: whether the launch has some; blocks of one by axis, the reciprocals, how many clusters; blocks of one.
  u32 in_clusters = no_place, cluster = no_place, cluster_reciprocals = no_place, clusters = no_place,
      cluster_size = no_place;
};
constexpr std::string_view runtime_functions[] = {"vprintf", "malloc", "free", "__assertfail"};
// Of these, too: for copies in bulk to another block's memory 12.x calls them (call_builtin).
constexpr std::string_view copies_to_others = "__cuda_syscall_cp_async_bulk_";

// A function's local memory, as compilers call it in PTX: reports name the arrays in it.
constexpr const char* stack_name = "__local_depot0";

LaunchState launch_state(u32 sm) {
  constexpr u32 blackwell = 100;
  if (sm >= blackwell)
    return {.block = 0x360,
            .grid = 0x370,
            .stack = 0x37c,
            .shared_window = no_place,
            .local_window = 0x2f8,
            .constants = 0x120,
            .descriptor = 0x358,
            .parameters = 0x348,
            .environment = 0x250,
            .dynamic_shared = 0x2ac,
            .reserved_shared = 0x16c,
            .in_clusters = 0x36c,
            .cluster = 0x2a0,
            .cluster_reciprocals = 0x2b0,
            .clusters = 0x2c0,
            .cluster_size = 0x2cc};
  if (sm >= hopper)
    return {.constants = 0xd0,
            .descriptor = 0x208,
            .parameters = 0x198,
            .environment = 0x40,
            .in_clusters = 0x140,
            .cluster = 0x144,
            .cluster_reciprocals = 0x150,
            .clusters = 0x15c,
            .cluster_size = 0x188};
  return {};
}

// The variable that bank 3 is; null where there are more, which lie elsewhere here.
const DeviceVariable* only_constant(const Image& image) {
  const DeviceVariable* only = nullptr;
  for (const DeviceVariable& v : image.variables) {
    if (!v.is_constant || v.size == 0) continue;
    if (only != nullptr) return nullptr;
    only = &v;
  }
  return only;
}

} // namespace

Kernel::Kernel(const Image& image, const KernelImage& kernel, std::vector<Instruction> code)
    : image_(image), kernel_(kernel), code_(std::move(code)) {}

void Kernel::line(std::string_view text) {
  body_ += text;
  body_ += '\n';
  instructions.emplace_back(++lines_, place_.offset);
}

bool Kernel::refuse(std::string_view reason) {
  if (why_.empty()) why_ = fmt::format("'{}' at {:#x} {}", sass::text(*now_), now_->address, reason);
  return true; // it was one of theirs
}

std::string Kernel::temporary() {
  most_temporaries_ = std::max(most_temporaries_, ++temporaries_);
  return fmt::format("%t{}", temporaries_ - 1);
}
std::string Kernel::wide_temporary() {
  most_wide_ = std::max(most_wide_, ++wide_temporaries_);
  return fmt::format("%e{}", wide_temporaries_ - 1);
}
std::string Kernel::predicate_temporary() {
  most_predicates_ = std::max(most_predicates_, ++predicate_temporaries_);
  return fmt::format("%z{}", predicate_temporaries_ - 1);
}

std::string Kernel::register_name(const Operand& o, u32 add) {
  if (o.number == sass::zero_register) return "%sink";
  return fmt::format("%{}{}", o.kind == OperandKind::uniform ? 'u' : 'r', o.number + add);
}

// ---- constant banks

std::string Kernel::constant(u32 bank, u64 offset) {
  const std::string name = fmt::format("%k{}_{:x}", bank, offset);
  if (constants_.contains(name)) return name;
  std::string how;
  if (bank == 0)
    how = offset >= kernel_.parameters_at ? load_parameter(name, offset) : load_launch_state(name, offset);
  if (bank == 3)
    for (const DeviceVariable& v : image_.variables)
      if (v.is_constant && offset >= v.offset && offset + 4 <= v.offset + v.size)
        how = fmt::format("ld.const.b32 {}, [{}+{}];", name, v.name, offset - v.offset);
  if (bank == 2 && offset + 4 <= kernel_.literals.size()) {
    u32 word;
    std::memcpy(&word, kernel_.literals.data() + offset, sizeof word);
    how = fmt::format("mov.b32 {}, {:#x};", name, word);
  }
  if (bank == 4) how = load_address(name, offset);
  if (how.empty()) {
    refuse(fmt::format("reads constant bank {} at {:#x}, which is not known", bank, offset));
    return "0";
  }
  constants_.emplace(name, Constant{how, place_.offset});
  return name;
}

// 32 bits of the parameters: of one, or of several small ones and padding, whose bytes are put together.
std::string Kernel::load_parameter(const std::string& name, u64 offset) const {
  const u64 from = offset - kernel_.parameters_at;
  std::string out = fmt::format("mov.b32 {}, 0;", name);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KernelParameter& p = kernel_.parameters[i];
    if (from >= p.offset && from + 4 <= p.offset + p.size)
      return fmt::format("ld.param.b32 {}, [{}_param_{}+{}];", name, kernel_.name, i, from - p.offset);
    for (u64 byte = std::max<u64>(from, p.offset); byte < std::min<u64>(from + 4, p.offset + p.size); ++byte)
      out += fmt::format(
          " ld.param.u8 %sink, [{0}_param_{1}+{2}]; shl.b32 %sink, %sink, {3}; or.b32 {4}, {4}, %sink;",
          kernel_.name, i, byte - p.offset, (byte - from) * 8, name);
  }
  return out;
}

// What bank 0 says of the launch, in front of the parameters. Empty: not known.
std::string Kernel::load_launch_state(const std::string& name, u64 offset) {
  const LaunchState state = launch_state(image_.sm);
  auto axis = [&](u32 from) {
    return from != no_place && offset >= from && offset < from + 12 && offset % 4 == from % 4;
  };
  auto window = [&](u32 from) { return from != no_place && (offset == from || offset == from + 4); };
  constexpr char axes[] = "xyz";
  most_wide_ = std::max(most_wide_, 1u);
  if (axis(state.block)) return fmt::format("mov.u32 {}, %ntid.{};", name, axes[(offset - state.block) / 4]);
  if (axis(state.cluster))
    return fmt::format("mov.u32 {}, %cluster_nctaid.{};", name, axes[(offset - state.cluster) / 4]);
  if (axis(state.clusters))
    return fmt::format("mov.u32 {}, %nclusterid.{};", name, axes[(offset - state.clusters) / 4]);
  if (axis(state.cluster_reciprocals))
    return fmt::format("mov.u32 {0}, %cluster_nctaid.{1}; cvt.rn.f32.u32 {0}, {0}; rcp.rn.f32 {0}, {0};",
                       name, axes[(offset - state.cluster_reciprocals) / 4]);
  if (offset == state.cluster_size) return fmt::format("mov.u32 {}, %cluster_nctarank;", name);
  if (offset == state.in_clusters) {
    most_predicates_ = std::max(most_predicates_, 1u);
    return fmt::format("mov.pred %z0, %is_explicit_cluster; selp.b32 {}, 1, 0, %z0;", name);
  }
  if (axis(state.grid)) return fmt::format("mov.u32 {}, %nctaid.{};", name, axes[(offset - state.grid) / 4]);
  if (offset == state.stack &&
      returns_by_register_) { // how deep calls go is not known: all that a thread has
    most_wide_ = std::max(most_wide_, 2u);
    return fmt::format(
        "mov.u32 %sink, %envreg3; cvt.u64.u32 %e0, %sink; alloca.u64 %e1, %e0; cvt.u32.u64 {0}, %e1; "
        "add.u32 {0}, {0}, %sink;",
        name);
  }
  if (offset == state.stack) // it grows downwards
    return kernel_.frame_bytes == 0
               ? fmt::format("mov.b32 {}, 0;", name)
               : fmt::format("mov.u64 %e0, {0}; cvt.u32.u64 {1}, %e0; add.u32 {1}, {1}, {2};", stack_name,
                             name, kernel_.frame_bytes);
  if (window(state.shared_window) || window(state.local_window)) {
    const bool shared = window(state.shared_window);
    const bool high = offset == (shared ? state.shared_window : state.local_window) + 4;
    return fmt::format("mov.u64 %e0, 0; cvta.{}.u64 %e0, %e0; mov.b64 {{{}}}, %e0;",
                       shared ? "shared" : "local", high ? "%sink, " + name : name + ", %sink");
  }
  if (window(state.parameters) && !kernel_.parameters.empty())
    return fmt::format(
        "mov.u64 %e0, {}_param_0; cvta.param.u64 %e0, %e0; sub.u64 %e0, %e0, {}; mov.b64 {{{}}}, %e0;",
        kernel_.name, (image_.sm >= hopper ? 0 : kernel_.parameters_at) + kernel_.parameters[0].offset,
        offset == state.parameters ? name + ", %sink" : "%sink, " + name);
  // Where there are no constants: what asks whether an address is one of them compares it with the same twice.
  if (window(state.constants) && std::ranges::none_of(image_.variables, &DeviceVariable::is_constant))
    return fmt::format("mov.b32 {}, 0;", name);
  if (const DeviceVariable* only = only_constant(image_); window(state.constants) && only != nullptr)
    return fmt::format("mov.u64 %e0, {}; cvta.const.u64 %e0, %e0; sub.u64 %e0, %e0, {}; mov.b64 {{{}}}, %e0;",
                       only->name, only->offset,
                       offset == state.constants ? name + ", %sink" : "%sink, " + name);
  // Of the environment's registers the driver fills 1 and 2, for launches whose blocks wait for each other.
  if (offset == state.environment + 4 || offset == state.environment + 8)
    return fmt::format("mov.u32 {}, %envreg{};", name, (offset - state.environment) / 4);
  if (offset == state.dynamic_shared) return fmt::format("mov.u32 {}, %dynamic_smem_size;", name);
  // All of a block's shared memory is SR_SMEMSZ without that, which lies in front of the variables.
  if (offset == state.reserved_shared)
    return fmt::format("mov.b32 {}, {};", name, image_.sm >= hopper ? 0x400 : 0);
  if (window(state.descriptor)) return fmt::format("mov.b32 {}, 0;", name); // of global memory
  return {};
}

// Half of the address that is at an offset of bank 4.
std::string Kernel::load_address(const std::string& name, u64 offset) {
  auto symbol = image_.addresses.find(offset & ~u64{7});
  return symbol == image_.addresses.end() ? "" : load_half(name, symbol->second, (offset & 4) != 0);
}

// Half of the address of a variable, of a pointer to a function, or, of a function of the runtime, nothing: call_builtin() knows it by its
// offset. Empty: none of these.
std::string Kernel::load_half(const std::string& name, const SymbolAddress& of, bool high) {
  if (of.pointer != 0) return fmt::format("mov.b32 {}, {:#x};", name, high ? 0 : of.pointer);
  if (std::ranges::find(runtime_functions, of.name) != std::end(runtime_functions) ||
      of.name.starts_with(copies_to_others))
    return fmt::format("mov.b32 {}, 0;", name);
  if (std::ranges::find(image_.variables, of.name, &DeviceVariable::name) == image_.variables.end())
    return {};
  most_wide_ = std::max(most_wide_, 1u);
  return fmt::format("mov.u64 %e0, {}; add.u64 %e0, %e0, {}; mov.b64 {{{}}}, %e0;", of.name, of.addend,
                     high ? "%sink, " + name : name + ", %sink");
}

// What the linker puts into the instruction that is translated.
std::string Kernel::relocated(const Relocated& r) {
  const std::string name = fmt::format("%k_at_{:x}", place_.offset);
  if (constants_.contains(name)) return name;
  std::string how = r.is_known ? load_half(name, r.address, r.is_high) : "";
  if (r.is_known && r.address.name == kernel_.name) // where a call returns to
    return fmt::format("{:#x}", r.is_high ? 0 : r.address.addend);
  if (how.empty()) {
    refuse(fmt::format("needs the address of '{}'", r.address.name));
    return "0";
  }
  constants_.emplace(name, Constant{how, place_.offset});
  return name;
}

std::string Kernel::wide_constant(u32 bank, u64 offset) {
  const std::string name = fmt::format("%w{}_{:x}", bank, offset);
  if (constants_.contains(name)) return name;
  std::string how;
  if (bank == 0 && offset >= kernel_.parameters_at)
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const KernelParameter& p = kernel_.parameters[i];
      const u64 at = offset - kernel_.parameters_at;
      if (at >= p.offset && at + 8 <= p.offset + p.size && (at - p.offset) % 8 == 0)
        how = fmt::format("ld.param.b64 {}, [{}_param_{}+{}];", name, kernel_.name, i, at - p.offset);
    }
  if (bank == 4) {
    auto symbol = image_.addresses.find(offset);
    for (const DeviceVariable& v : image_.variables)
      if (symbol != image_.addresses.end() && v.name == symbol->second.name)
        how = fmt::format("mov.u64 {0}, {1}; add.u64 {0}, {0}, {2};", name, v.name, symbol->second.addend);
  }
  if (how.empty()) {
    const std::string low = constant(bank, offset), high = constant(bank, offset + 4);
    how = fmt::format("mov.b64 {}, {{{}, {}}};", name, low, high);
  }
  constants_.emplace(name, Constant{how, place_.offset});
  return name;
}

// ---- sources

std::string Kernel::read(const Operand& o) {
  switch (o.kind) {
  case OperandKind::reg:
  case OperandKind::uniform: return is_zero(o) ? "0" : register_name(o);
  case OperandKind::immediate: {
    const auto linked = kernel_.relocated.find(place_.offset);
    return linked != kernel_.relocated.end() ? relocated(linked->second)
                                             : fmt::format("{:#x}", o.value & 0xffff'ffff);
  }
  case OperandKind::constant:
    if (o.has_register || o.has_uniform || o.has_descriptor) refuse("has an index here");
    return constant(o.bank, o.value);
  default: refuse("has an operand that is not known"); return "0";
  }
}

std::string Kernel::half_of(const Operand& o, u32 n) {
  switch (o.kind) {
  case OperandKind::reg:
  case OperandKind::uniform: return is_zero(o) ? "0" : register_name(o, n);
  case OperandKind::constant: return constant(o.bank, o.value + 4 * n);
  case OperandKind::immediate: return n == 0 ? read(o) : "0";
  default: refuse("has an operand that is not known"); return "0";
  }
}

std::string Kernel::read_integer(const Operand& o) {
  std::string value = read(o);
  if (!o.negated && !o.inverted) return value;
  const std::string t = temporary();
  put("{} {}, {};", o.inverted ? "not.b32" : "neg.s32", t, value);
  return t;
}

std::string Kernel::read_float(const Operand& o) {
  if (o.kind == OperandKind::immediate) return fmt::format("0f{:08X}", o.value & 0xffff'ffff);
  std::string value = is_zero(o) ? "0f00000000" : read(o);
  if (o.absolute) {
    const std::string t = temporary();
    put("and.b32 {}, {}, 0x7fffffff;", t, is_zero(o) ? "0" : value);
    value = t;
  }
  if (o.negated) {
    if (is_zero(o)) return "0f80000000";
    const std::string t = temporary();
    put("xor.b32 {}, {}, 0x80000000;", t, value);
    value = t;
  }
  return value;
}

std::string Kernel::read_double(const Operand& o) {
  if (o.kind == OperandKind::immediate) return fmt::format("0d{:08X}00000000", o.value & 0xffff'ffff);
  if (is_zero(o)) return o.negated ? "0d8000000000000000" : "0d0000000000000000";
  std::string value = read_wide(o);
  if (o.absolute) {
    const std::string e = wide_temporary();
    put("abs.f64 {}, {};", e, value);
    value = e;
  }
  if (o.negated) {
    const std::string e = wide_temporary();
    put("neg.f64 {}, {};", e, value);
    value = e;
  }
  return value;
}

std::string Kernel::read_half(const Operand& o) {
  std::string value = read(o);
  auto change = [&](const std::string& how) {
    const std::string t = temporary();
    put(fmt::runtime(how + ";"), t, value);
    value = t;
  };
  if (o.kind == OperandKind::immediate) return value;
  if (o.part == Modifier::H0_H0) change("prmt.b32 {}, {}, 0, 0x1010");
  if (o.part == Modifier::H1_H1) change("prmt.b32 {}, {}, 0, 0x3232");
  if (o.absolute) change("and.b32 {}, {}, 0x7fff7fff");
  if (o.negated) change("xor.b32 {}, {}, 0x80008000");
  return value;
}

std::string Kernel::read_halves(const Operand& o) {
  std::string value = read(o);
  if (!o.negated) return value;
  const std::string t = temporary();
  put("not.b32 {}, {};", t, value);
  put("add.u16x2 {0}, {0}, 0x10001;", t);
  return t;
}

Predicate Kernel::predicate(const Operand& o) const {
  if (o.kind == OperandKind::none || o.number == sass::true_predicate) return {true, !o.negated, {}, false};
  return {false, false, fmt::format("%{}{}", o.kind == OperandKind::uniform_predicate ? 'q' : 'p', o.number),
          o.negated};
}

std::string Kernel::predicate_register(const Operand& o) {
  const Predicate p = predicate(o);
  if (!p.is_constant && !p.negated) return p.name;
  const std::string z = predicate_temporary();
  if (p.is_constant)
    put("setp.{}.u32 {}, 0, 0;", p.value ? "eq" : "ne", z);
  else
    put("not.pred {}, {};", z, p.name);
  return z;
}

std::string Kernel::as_number(const Predicate& p, u32 if_true) {
  if (p.is_constant) return fmt::format("{:#x}", p.value ? if_true : 0);
  const std::string t = temporary();
  put("selp.b32 {}, {:#x}, {:#x}, {};", t, p.negated ? 0 : if_true, p.negated ? if_true : 0, p.name);
  return t;
}

std::string Kernel::carry(const std::string& value, const Predicate& p) {
  if (p.is_constant && !p.value) return value;
  const std::string t = temporary();
  put("add.u32 {}, {}, {};", t, value, as_number(p));
  return t;
}

// ---- results

std::string Kernel::target(const Operand& o) {
  wrote(o, 1);
  return register_name(o);
}

std::string Kernel::targets(const Operand& o, u32 count) {
  wrote(o, count);
  std::string out = "{";
  for (u32 i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + register_name(o, i);
  return out + "}";
}

std::string Kernel::sources(const Operand& o, u32 count) {
  std::string out = "{";
  for (u32 i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + half_of(o, i);
  return out + "}";
}

void Kernel::select(const Operand& d, const Predicate& p, const std::string& a, const std::string& b) {
  if (p.is_constant) return write(d, p.value ? a : b);
  act("selp.b32 {}, {}, {}, {};", target(d), p.negated ? b : a, p.negated ? a : b, p.name);
}

void Kernel::write(const Operand& o, const std::string& value) {
  act("mov.b32 {}, {};", target(o), value);
  if (guard_.empty() && (o.kind == OperandKind::reg || o.kind == OperandKind::uniform) &&
      o.number != sass::zero_register && !value.empty() && value[0] != '%')
    numbers_[number_of(o)] = std::strtoull(value.c_str(), nullptr, 0);
}

void Kernel::write_predicate(const Operand& o, const std::string& name, bool inverted) {
  const Predicate p = predicate(o);
  if (p.is_constant) return;
  act("{} {}, {};", inverted ? "not.pred" : "mov.pred", p.name, name);
}

void Kernel::set_predicate(const Operand& o, bool value) {
  const Predicate p = predicate(o);
  if (!p.is_constant) act("setp.{}.u32 {}, 0, 0;", value ? "eq" : "ne", p.name);
}

void Kernel::write_comparison(const Operand& p, const Operand& q, const std::string& value,
                              const Predicate& with) {
  const bool conjunction = has(Modifier::AND), exclusive = has(Modifier::XOR);
  std::string other; // of the predicate it is combined with, or nothing
  if (!with.is_constant) {
    other = with.name;
    if (with.negated || (wanted(p) && wanted(q))) { // the first result may go where it is
      other = predicate_temporary();
      put("{} {}, {};", with.negated ? "not.pred" : "mov.pred", other, with.name);
    }
  }
  auto write_one = [&](const Operand& to, bool inverted) {
    if (to.number == sass::true_predicate) return;
    if (with.is_constant) {
      const bool fixed = conjunction ? !with.value : exclusive ? false : with.value;
      if (fixed) return set_predicate(to, !conjunction);
      return write_predicate(to, value, inverted != (exclusive && with.value));
    }
    std::string mine = value;
    if (inverted) {
      mine = predicate_temporary();
      put("not.pred {}, {};", mine, value);
    }
    act("{}.pred {}, {}, {};",
        conjunction ? "and"
        : exclusive ? "xor"
                    : "or",
        predicate(to).name, mine, other);
  };
  write_one(p, false);
  write_one(q, true);
}

// ---- the entry

std::string Kernel::text() {
  std::string out = fmt::format(".visible .entry {}(", kernel_.name);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KernelParameter& p = kernel_.parameters[i];
    // Placed as the driver places them: an index may run from one parameter into the next.
    const bool scalar = p.size <= 8 && std::has_single_bit(p.size) && p.offset % p.size == 0;
    const u32 alignment = p.offset == 0 ? 16 : p.offset & -p.offset;
    out += fmt::format("{}{} {}_param_{}{}", i == 0 ? "" : ", ",
                       scalar ? fmt::format(".param .b{}", p.size * 8)
                              : fmt::format(".param .align {} .b8", alignment),
                       kernel_.name, i, scalar ? "" : fmt::format("[{}]", p.size));
  }
  out += ")";
  if (kernel_.explicit_cluster) out += " .explicitcluster";
  for (const auto& [directive, sizes] :
       {std::pair(".maxntid", &kernel_.most_threads), std::pair(".reqntid", &kernel_.required_threads),
        std::pair(".reqnctapercluster", &kernel_.required_cluster)})
    if (sizes->size() == 3) out += fmt::format(" {} {}", directive, fmt::join(*sizes, ", "));
  out += "\n{\n";
  out += ".reg .b32 %r<256>;\n.reg .b32 %u<256>;\n.reg .b64 %d<256>;\n.reg .b64 %v<256>;\n.reg .pred "
         "%p<8>;\n.reg .pred %q<8>;\n";
  out += fmt::format(
      ".reg .b32 %sink;\n.reg .b64 %wide_sink;\n.reg .b32 %t<{}>;\n.reg .b64 %e<{}>;\n.reg .pred "
      "%z<{}>;\n.reg .b16 %h<8>, %mask;\n.reg .b32 %barrier_result, %team;\n.reg .pred %barrier_any;\n",
      most_temporaries_ + 1, most_wide_ + 1, most_predicates_ + 1);
  for (const auto& [number, pairs] : wanted_pairs_)
    for (const Pair& pair : pairs)
      if (pair.low == number && pair.high != pair.low + 1)
        out += fmt::format(".reg .b64 {};\n", wide_name(pair));
  for (const auto& [name, constant] : constants_)
    out += fmt::format(".reg .{} {};\n", name[1] == 'w' ? "b64" : "b32", name);
  std::string uses; // what nothing names takes no room
  auto shared = [&](const std::string& name, u64 size, u32 alignment) {
    out += fmt::format(".shared .align {} .b8 {}[{}];\n", alignment, name, size);
    uses += fmt::format("mov.u32 %sink, {};\n", name);
  };
  const u64 nameless = kernel_.shared_arrays.empty() ? kernel_.shared_bytes : kernel_.shared_reserved;
  if (nameless != 0) shared(kernel_.name + "_shared", nameless, 128);
  for (const SharedArray& array : kernel_.shared_arrays) shared(array.name, array.size, array.alignment);
  if (kernel_.frame_bytes != 0 && !returns_by_register_)
    out += fmt::format(".local .align 16 .b8 {}[{}];\n", stack_name, kernel_.frame_bytes);
  out += uses;
  u32 before = static_cast<u32>(std::ranges::count(out, '\n'));
  std::vector<std::pair<u32, u64>> loads; // line → offset of the instruction that has it as an operand
  for (const char width : {'k', 'w'})     // 32 bits first, which the others may be made of
    for (const auto& [name, constant] : constants_) {
      if (name[1] != width) continue;
      loads.emplace_back(++before, constant.first);
      out += constant.how + "\n";
    }
  for (auto& [line, offset] : instructions) line += before;
  instructions.insert(instructions.end(), loads.begin(), loads.end());
  for (auto& [branch, place] : waiting_meetings_) {
    auto met = label_lines_.find(place);
    meetings.push_back({branch + before, met == label_lines_.end() ? 0 : met->second + before});
  }
  return out + body_ + "}\n";
}

} // namespace warplens::translate
