// An address is followed to where 32 bits are widened, the index before it to its products. See overflow.h.
#include "check/overflow.h"
#include "ir/added_operands.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace warplens::check {
namespace {

using ir::Opcode;
constexpr u32 most_links = 24;
constexpr double largest_memory = 80e9; // bytes of a GPU
constexpr double most_threads = 1024;   // of a block

// gridDim.x*blockDim.x is one size, and threadIdx.x is less than blockDim.x.
Bound of_threads(const Bound& bound) {
  using K = Size::Kind;
  Bound out;
  for (const auto& [of, times] : bound) {
    Bound term{{{}, times}};
    for (const Size& size : of) {
      const bool thread = size.kind == K::thread;
      term = product(term, {{{thread ? Size{K::block_size, size.a, 0} : size}, 1.0}});
      if (!thread) continue;
      Product without = of;
      without.erase(std::ranges::find(without, size));
      term = sum(term, {{without, times}}, -1);
    }
    out = sum(out, term);
  }
  Bound merged;
  for (const auto& [of, times] : out) {
    Product now = of;
    for (u32 axis = 0; axis < 3; ++axis) {
      auto blocks = std::ranges::find(now, Size{K::blocks, axis, 0});
      if (blocks == now.end() || std::ranges::find(now, Size{K::block_size, axis, 0}) == now.end()) continue;
      now.erase(blocks);
      now.erase(std::ranges::find(now, Size{K::block_size, axis, 0}));
      now.push_back({K::threads, axis, 0});
    }
    std::ranges::sort(now);
    merged = sum(merged, {{now, times}});
  }
  return merged;
}

// Is it more than a number that each thread has, and what a parameter adds to that? What the threads of one block multiply is
// small.
bool is_multiple(const Bound& by_thread, const Bound& bound) {
  using K = Size::Kind;
  for (const auto& [of, times] : by_thread)
    if (of.size() == 1 && of[0].kind == K::thread && times >= 2) return true;
  return std::ranges::any_of(bound, [](const auto& term) {
    const auto& [of, times] = term;
    const auto large = std::ranges::count_if(of, [](const Size& size) { return size.kind != K::block_size; });
    if (large != 1) return large > 1 && times > 0;
    return of.size() == 1 && times >= (of[0].kind == K::blocks ? most_threads + 1 : 2);
  });
}

// The one that wraps first, of those that are there; `a`, where that is not clear.
std::optional<Overflow> earlier(std::optional<Overflow> a, std::optional<Overflow> b) {
  return !a || (b && is_earlier(*b, *a)) ? b : a;
}

} // namespace

bool is_earlier(const Overflow& a, const Overflow& b) {
  const auto first = [](const Overflow& one) {
    return one.where == Overflow::Where::size ? one.from : one.example_value;
  };
  if (a.certain != b.certain) return a.certain;
  return a.where == b.where && first(a) != 0 && first(a) < first(b);
}

Overflows::Overflows(const Flow& flow, const Launches& launches, const Names& names)
    : sizes_(flow, launches), launches_(launches), names_(names) {}

std::optional<Overflow> Overflows::of(u32 instruction, u32 block, u32 address) {
  place_ = {instruction, block};
  seen_.clear();
  sizes_.at(block);
  return in_address(address, 1, 0);
}

bool Overflows::is_unconditional() const {
  return sizes_.flow.decided_at[place_.block] == ir::no_value &&
         !sizes_.flow.function.instructions[place_.instruction].guard.valid();
}

// `scale`: how many bytes the address moves with one of the operand.
std::optional<Overflow> Overflows::in_address(u32 operand, u64 scale, u32 depth) {
  const ir::Module& module = sizes_.flow.module;
  const ir::Function& f = sizes_.flow.function;
  const ir::Operand& o = f.operands[operand];
  const bool is_register =
      o.kind == ir::Operand::Kind::reg || (o.kind == ir::Operand::Kind::address && o.reg.valid());
  const u32 value = is_register ? sizes_.flow.ssa.of_operand[operand] : ir::no_value;
  if (value == ir::no_value || depth > most_links || !seen_.insert(value).second) return {};
  const ir::Instruction* i = sizes_.flow.definition(value);
  if (i == nullptr) return {};
  const ir::Form& form = module.form(*i);
  if (form.has(ir::Modifier::hi)) return {};
  if (form.opcode == Opcode::cvt)
    return ir::bits(form.type(0)) == 64 && ir::bits(form.type(1)) == 32 && !ir::is_float(form.type(1))
               ? widened(sizes_.source(*i, 0), ir::is_signed(form.type(1)), scale)
               : std::nullopt;
  std::optional<Overflow> out;
  for (const ir::Summand& s : ir::summands(form.opcode)) {
    const std::optional<u64> times = ir::times(s, f.sources(*i));
    if (s.is_power && !times) return {};
    const bool is_wide = s.factor != ir::Summand::none && form.has(ir::Modifier::wide);
    for (const u32 n : {s.source, s.is_power ? ir::Summand::none : s.factor})
      if (n != ir::Summand::none)
        out = earlier(out, is_wide ? widened(sizes_.source(*i, n), ir::is_signed(form.type()),
                                             scale * times.value_or(1))
                                   : in_address(sizes_.source(*i, n), scale * times.value_or(1), depth + 1));
  }
  return out;
}

std::optional<Overflow> Overflows::widened(u32 operand, bool is_signed, u64 scale) {
  const ir::Operand& o = sizes_.flow.function.operands[operand];
  if (o.kind != ir::Operand::Kind::reg) return {};
  const std::optional<i64> first =
      is_signed || !is_unconditional() ? std::nullopt : sizes_.of_first_thread(operand);
  if (first && *first < 0) {
    Overflow out;
    out.limit = (u64{1} << 32) - static_cast<u64>(-*first);
    out.where = Overflow::Where::below_zero;
    out.certain = true;
    return out;
  }
  return in_index(sizes_.flow.ssa.of_operand[operand], u64{1} << (is_signed ? 31 : 32), scale, 0);
}

// Comparisons with the index come too late, and those with what it is made from do not.
std::optional<Overflow> Overflows::in_index(u32 value, u64 limit, u64 scale, u32 depth) {
  if (const std::optional<Bound> bound = sizes_.computed(value))
    if (std::optional<Overflow> out = overflow(value, *bound, limit, scale)) return out;
  const ir::Instruction* i = sizes_.flow.definition(value);
  if (i == nullptr || depth > most_links) return {};
  const Opcode opcode = sizes_.flow.module.form(*i).opcode;
  if (opcode != Opcode::cvt && ir::summands(opcode).empty()) return {};
  std::optional<Overflow> out;
  for (u32 n = 0; n < i->sources; ++n)
    if (const u32 operand = sizes_.source(*i, n);
        sizes_.flow.function.operands[operand].kind == ir::Operand::Kind::reg)
      out = earlier(out, in_index(sizes_.flow.ssa.of_operand[operand], limit, scale, depth + 1));
  return out;
}

bool Overflows::is_reached(u32 value, std::set<u32>& visited, u32 depth) const {
  if (!visited.insert(value).second) return true;
  const ir::Instruction* i = sizes_.flow.definition(value);
  if (i == nullptr) return true; // of a loop, or a parameter
  const ir::Form& form = sizes_.flow.module.form(*i);
  switch (form.opcode) {
  case Opcode::cvt:
  case Opcode::or_:
  case Opcode::shr:
  case Opcode::div: break;
  case Opcode::ld: return i->sources == 1 && form.space() == ir::StateSpace::param;
  default:
    if (ir::summands(form.opcode).empty()) return false;
  }
  for (u32 n = 0; n < i->sources; ++n) {
    const u32 operand = sizes_.source(*i, n);
    if (sizes_.flow.function.operands[operand].kind == ir::Operand::Kind::reg &&
        (depth > most_links || !is_reached(sizes_.flow.ssa.of_operand[operand], visited, depth + 1)))
      return false;
  }
  return true;
}

std::optional<Overflow> Overflows::overflow(u32 value, const Bound& by_thread, u64 limit, u64 scale) const {
  const Bound bound = of_threads(by_thread);
  const double reached = static_cast<double>(limit);
  Overflow out;
  out.limit = limit;
  out.bytes = limit * scale;
  if (static_cast<double>(out.bytes) > largest_memory || largest(bound, 1e15) < reached) return {};
  const bool fixed = bound.empty() || (bound.size() == 1 && bound.begin()->first.empty());
  if (fixed) {
    std::set<u32> visited;
    if (!is_reached(value, visited)) return {};
    out.certain = is_unconditional();
    out.where = Overflow::Where::this_launch;
    return out;
  }
  if (!is_multiple(by_thread, bound)) return {};
  double least = 1, enough = 1e15;
  while (least < enough) {
    const double middle = std::floor((least + enough) / 2);
    if (largest(bound, middle) >= reached)
      enough = middle;
    else
      least = middle + 1;
  }
  // What the bound is next to, where it is large.
  std::size_t degree = 0;
  for (const auto& [of, times] : bound)
    if (times > 0) degree = std::max(degree, of.size());
  std::set<Size> sizes;
  for (const auto& [of, times] : bound) {
    if (of.size() != degree || times <= 0) continue;
    sizes.insert(of.begin(), of.end());
    out.of += (out.of.empty() ? "" : " + ") + name(of, times);
  }
  if (sizes.size() == 1) {
    out.where = Overflow::Where::size;
    out.of = name(*sizes.begin());
    out.from = static_cast<u64>(least);
    return out;
  }
  out.where = Overflow::Where::sizes;
  if (degree > 1) {
    out.example_value = static_cast<u64>(least);
    if (std::ranges::all_of(sizes, [&](const Size& size) { return least <= most(size); }))
      for (const Size& size : sizes) out.example.push_back(name(size));
    return out;
  }
  const auto& [of, times] = *std::ranges::max_element(bound, {}, [](const auto& term) { // the others 0
    return term.first.size() == 1 ? term.first[0].kind : Size::Kind::parameter;
  });
  if (of.size() == 1 && of[0].kind != Size::Kind::parameter) {
    out.example = {name(of[0])};
    out.example_value = static_cast<u64>(std::ceil(reached / times));
  }
  return out;
}

std::string Overflows::name(const Size& size) const {
  const char axis = static_cast<char>('x' + size.a);
  switch (size.kind) {
  case Size::Kind::parameter: {
    std::string out = size.a < names_.size() && !names_[size.a].name.empty()
                          ? names_[size.a].name
                          : fmt::format("parameter {}", size.a + 1);
    return size.b == 0 ? out : fmt::format("({} at byte {})", out, size.b);
  }
  case Size::Kind::loaded: {
    const ir::Instruction& i = sizes_.flow.function.instructions[size.a];
    const std::vector<access::SourceFrame> frames = sizes_.flow.module.frames(i.location);
    if (frames.empty()) return fmt::format("(the value loaded in PTX line {})", i.ptx_line);
    return fmt::format("(the value loaded at {}:{})", frames[0].file.substr(frames[0].file.rfind('/') + 1),
                       frames[0].line);
  }
  case Size::Kind::blocks: return fmt::format("gridDim.{}", axis);
  case Size::Kind::threads: return fmt::format("gridDim.{0}*blockDim.{0}", axis);
  case Size::Kind::block_size:
  case Size::Kind::thread: return fmt::format("blockDim.{}", axis);
  }
  return {};
}

std::string Overflows::name(const Product& of, double factor) const {
  std::string out;
  for (const Size& size : of) out += (out.empty() ? "" : "*") + name(size);
  const std::string times = fmt::format("{:g}", factor >= 1 ? factor : 1 / factor);
  return times == "1"  ? out
         : factor >= 1 ? fmt::format("{}*{}", times, out)
                       : fmt::format("{}/{}", out, times);
}

} // namespace warplens::check
