// wmma.load and wmma.store: a matrix in memory as the registers that wmma.mma takes, and back.
//
// PTX leaves open which lane has which element. Here it is as ptxas has it (ir::FragmentAccess): fragments are made of those
// of mma.sync (kernels/fragments.h), and each access is one that ptxas makes, so that what is counted is what a GPU does:
// ordinary loads and stores of each lane, exchanged by movmatrix where memory lies the other way round, and ldmatrix.
//
// Addresses. Each lane has a base: so many lines (rows of a row-major matrix) and so many bytes from the first element. An
// access is then at the same distance from it in all lanes: some lines further, and some bytes.
//
// Order of the registers. Blocks of 16 rows of the first factor, of 8 columns of the other, and of the sums; in each
// those of mma.sync. m8n32 is multiplied the other way round: there B is the first factor. f16 has eight registers for
// each factor, of which a small one needs two or four; the others repeat these.
#include "ir/matrix.h"
#include "sim/lower/lowering.h"
#include <algorithm>
#include <tuple>

namespace warplens::sim {

using ir::FragmentAccess;
using ir::MatrixOperand;
using ir::Modifier;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

// One access: how far it is from each lane's base, and the registers that it moves. Of bytes four make a register.
struct FragmentPart {
  u32 lines = 0, offset = 0;
  u32 first = 0, count = 1;
};

namespace {

struct Fragment {
  FragmentAccess access;
  u32 element_bytes = 0; // 0: parts of bytes
  u32 registers = 0;     // that hold something new
  // Lanes: a line for each (lane div 4) and `step` bytes for each (lane mod 4), or the other way round.
  bool across = false;
  u32 step = 0;
  // ldmatrix: which bit of (lane div 8) moves it 8 lines on, and which 16 bytes; 2: none.
  u32 line_bit = 2, byte_bit = 2;
  std::vector<FragmentPart> parts;
};

// PTX has these alone (PTX ISA, "Matrix Data-types and Shapes" of wmma); the others have no layout that could be followed.
bool is_shape_of_fragments(const ir::Form& form) {
  const auto& [m, n, k] = std::tuple(form.shape.m, form.shape.n, form.shape.k);
  if (m == 8 && n == 8) return k == 4 || k == 32 || k == 128;
  if (m == 16 && n == 16) return k == 8 || k == 16;
  return m * n == 256 && (m == 8 || n == 8) && k == 16;
}

bool is_exchanged(const ir::Form& form) { return form.shape.n > form.shape.m; }

// Accumulators: tiles of 8 rows and 8 columns.
void add_sums(const ir::Form& form, Fragment& f) {
  u32 rows = form.shape.m, columns = form.shape.n, bytes = f.element_bytes;
  if (is_exchanged(form)) std::swap(rows, columns);
  u32 halves = std::min(rows, 16u) / 8, each = bytes == 2 ? 1 : 2;
  f.registers = rows * columns / 64 * each;
  f.across = f.access == FragmentAccess::elements;
  f.step = bytes == 2 ? 4 : f.across ? 2 : 2 * bytes;
  u32 next = 0;
  for (u32 block = 0; block < std::max(rows / 16, 1u); ++block)
    for (u32 column = 0; column < columns; column += 8)
      for (u32 half = 0; half < halves; ++half, next += each) {
        u32 row = 16 * block + 8 * half;
        switch (f.access) {
        case FragmentAccess::words: f.parts.push_back({row, column * bytes, next, 1}); break;
        case FragmentAccess::transposed_words: f.parts.push_back({column, row * bytes, next, 1}); break;
        case FragmentAccess::pairs: f.parts.push_back({row, column * bytes, next, 2}); break;
        default:
          f.parts.push_back({column, row * bytes, next, 1});
          f.parts.push_back({column + 1, row * bytes, next + 1, 1});
        }
      }
}

// A factor: tiles of 8 lines along m or n, and a register's elements of four lanes along k.
void add_factor(const ir::Form& form, Fragment& f) {
  bool is_a = moved_matrix(form) == MatrixOperand::a, first = is_a != is_exchanged(form);
  bool along_k = form.has(Modifier::row) == is_a;
  u32 lines = is_a ? form.shape.m : form.shape.n, bits = ir::bits(form.type()),
      each = std::max(32 / bits, 1u), tiles = form.shape.k / (4 * each);
  f.registers = lines / 8 * tiles;
  f.across = f.access == FragmentAccess::elements && !along_k;
  f.step = f.access != FragmentAccess::elements ? 4 : f.across ? each : f.element_bytes;
  for (u32 line = 0; line < lines / 8; ++line)
    for (u32 tile = 0; tile < tiles; ++tile) {
      u32 at = lines == 8 ? tile : first ? line / 2 * 2 * tiles + tile * 2 + line % 2 : line * tiles + tile;
      if (f.access == FragmentAccess::words) f.parts.push_back({8 * line, 16 * tile, at, 1});
      if (f.access == FragmentAccess::transposed_words) f.parts.push_back({8 * tile, 16 * line, at, 1});
      if (f.access != FragmentAccess::elements) continue;
      for (u32 e = 0; e < each; ++e) {
        u32 k = 4 * each * tile + e;
        f.parts.push_back(f.across ? FragmentPart{k, 8 * line * f.element_bytes, at, 1}
                                   : FragmentPart{8 * line, k * f.element_bytes, at, 1});
      }
    }
}

// A factor by ldmatrix, 16 lines at once.
void add_matrices(const ir::Form& form, Fragment& f) {
  bool is_a = moved_matrix(form) == MatrixOperand::a, first = is_a != is_exchanged(form);
  bool transposed = f.access == FragmentAccess::transposed_matrices;
  u32 lines = is_a ? form.shape.m : form.shape.n, count = fragment_matrices(form);
  u32 along = lines == 8 ? 2 : first || count == 2 ? 0 : 1; // the bit that goes along the lines
  u32 deep = count == 1 || (count == 2 && along == 0) ? 2 : along == 0 ? 1 : 0;
  f.line_bit = transposed ? deep : along;
  f.byte_bit = transposed ? along : deep;
  for (u32 line = 0, next = 0; line < lines; line += 16, next += count)
    f.parts.push_back(transposed ? FragmentPart{0, 2 * line, next, count}
                                 : FragmentPart{line, 0, next, count});
  f.registers = static_cast<u32>(f.parts.size()) * count;
}

Fragment fragment_of(const ir::Form& form) {
  Fragment f{.access = fragment_access(form)};
  f.element_bytes = ir::bits(form.type()) < 8 ? 0 : ir::bytes(form.type());
  if (fragment_matrices(form) != 0)
    add_matrices(form, f);
  else if (moved_matrix(form) == MatrixOperand::a || moved_matrix(form) == MatrixOperand::b)
    add_factor(form, f);
  else
    add_sums(form, f);
  return f;
}

// Elements from one line to the next where the text does not say.
u32 least_stride(const ir::Form& form) {
  bool row = form.has(Modifier::row);
  switch (moved_matrix(form)) {
  case MatrixOperand::a: return row ? form.shape.k : form.shape.m;
  case MatrixOperand::b: return row ? form.shape.n : form.shape.k;
  default: return row ? form.shape.n : form.shape.m;
  }
}

} // namespace

// Bytes from one line to the next, 64 bits.
SlotId Lowering::line_bytes(const ir::Instruction& i, const Operand* stride) {
  static const LaneForm times("mul.lo.u64", 2), shifted("shr.u64", 2);
  const ir::Form& form = module_.form(i);
  u32 bits = ir::bits(form.type());
  auto number = [&](u64 value, u32 width) { return constant(Constant::Kind::value, value, width); };
  SlotId elements = stride == nullptr ? number(least_stride(form), 32) : source(i, *stride, 32);
  elements = resized(i, elements, 64, false);
  if (bits < 8) return computed(i, shifted, 64, {elements, number(bits == 4 ? 1 : 3, 32)});
  return computed(i, times, 64, {elements, number(bits / 8, 64)});
}

// first + lines · bytes, each of 64 bits but for the lines, of 32.
SlotId Lowering::lines_on(const ir::Instruction& i, SlotId first, SlotId lines, SlotId bytes) {
  static const LaneForm sum("mad.lo.u64", 3);
  return computed(i, sum, 64, {resized(i, lines, 64, false), bytes, first});
}

// Where each lane's accesses begin.
SlotId Lowering::fragment_base(const ir::Instruction& i, SlotId first, SlotId bytes) {
  static const LaneForm masked("and.b32", 2), right("shr.u32", 2), times("mul.lo.u32", 2), plus("add.u32", 2),
      sum("add.u64", 2);
  Fragment f = fragment_of(module_.form(i));
  auto number = [&](u64 value) { return constant(Constant::Kind::value, value, 32); };
  auto product = [&](SlotId a, u32 b) { return computed(i, times, 32, {a, number(b)}); };
  SlotId lane = temporary(32);
  read_special(i, ir::Special::laneid, lane).guard = no_slot;
  SlotId lines, rest;
  if (fragment_matrices(module_.form(i)) != 0) {
    auto eights = [&](u32 bit) { // 8 where the bit of (lane div 8) is set
      if (bit == 2) return number(0);
      SlotId set = computed(i, masked, 32, {lane, number(bit == 0 ? 8 : 16)});
      return bit == 0 ? set : computed(i, right, 32, {set, number(1)});
    };
    lines = computed(i, plus, 32, {computed(i, masked, 32, {lane, number(7)}), eights(f.line_bit)});
    rest = product(eights(f.byte_bit), 2);
  } else {
    SlotId quarter = computed(i, right, 32, {lane, number(2)}),
           within = computed(i, masked, 32, {lane, number(3)});
    lines = f.across ? product(within, f.step) : quarter;
    rest = f.across ? product(quarter, f.element_bytes) : product(within, f.step);
  }
  SlotId moved = computed(i, sum, 64, {first, resized(i, rest, 64, false)});
  return lines_on(i, moved, lines, bytes);
}

// The addresses of all parts, before a register changes that they depend on.
std::vector<SlotId> Lowering::fragment_addresses(const ir::Instruction& i,
                                                 std::span<const FragmentPart> parts, const Operand& where,
                                                 const Operand* stride, i64& offset) {
  SlotId first = address(where, offset);
  if (bits_of(first) != 64) first = resized(i, first, 64, false);
  SlotId bytes = line_bytes(i, stride), base = fragment_base(i, first, bytes);
  std::vector<SlotId> out;
  std::map<u32, SlotId> at{{0, base}};
  for (const FragmentPart& part : parts) {
    if (!at.contains(part.lines))
      at[part.lines] = lines_on(i, base, constant(Constant::Kind::value, part.lines, 32), bytes);
    out.push_back(at[part.lines]);
  }
  return out;
}

Op& Lowering::emit_access(const ir::Instruction& i, OpKind kind, std::span<const SlotId> values, SlotId where,
                          i64 offset) {
  Fragment f = fragment_of(module_.form(i));
  Op& op = emit(kind, i);
  bool loads = kind == OpKind::load;
  op.destinations = loads ? static_cast<u8>(values.size()) : 0;
  op.sources = loads ? 1 : static_cast<u8>(1 + values.size());
  std::copy(values.begin(), values.end(), op.slot.begin() + (loads ? 0 : 1));
  op.slot[op.destinations] = where;
  op.offset = offset;
  op.space = module_.form(i).space();
  bool words = f.access == FragmentAccess::words || f.access == FragmentAccess::transposed_words;
  op.element_bytes = static_cast<u8>(words ? 4 : f.element_bytes);
  op.elements = static_cast<u8>(values.size());
  return op;
}

// Four bytes, each in a register, the first the lowest.
void Lowering::join_bytes(const ir::Instruction& i, SlotId to, std::span<const SlotId> bytes) {
  static const LaneForm left("shl.b32", 2), either("or.b32", 2);
  SlotId all = bytes[0];
  for (u32 b = 1; b < bytes.size(); ++b)
    all = computed(i, either, 32,
                   {all, computed(i, left, 32, {bytes[b], constant(Constant::Kind::value, 8 * b, 32)})});
  simple(i, OpKind::move, to, all);
}

void Lowering::load_part(const ir::Instruction& i, const FragmentPart& part, std::span<const SlotId> to,
                         SlotId where, i64 offset, std::vector<SlotId>& bytes) {
  FragmentAccess access = fragment_access(module_.form(i));
  std::span<const SlotId> registers = to.subspan(part.first, part.count);
  if (access == FragmentAccess::matrices || access == FragmentAccess::transposed_matrices)
    return emit_matrices(i, OpKind::load_matrix, registers, where, offset,
                         access == FragmentAccess::transposed_matrices);
  bool turned = access == FragmentAccess::transposed_words;
  bool apart = access == FragmentAccess::elements && ir::bytes(module_.form(i).type()) == 1;
  if (!turned && !apart) {
    emit_access(i, OpKind::load, registers, where, offset);
    return;
  }
  SlotId loaded = temporary(32);
  emit_access(i, OpKind::load, {&loaded, 1}, where, offset);
  if (turned) return transpose(i, registers[0], loaded);
  bytes.push_back(loaded);
  if (bytes.size() < 4) return;
  join_bytes(i, registers[0], bytes);
  bytes.clear();
}

void Lowering::load_fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  Fragment f = fragment_of(form);
  std::vector<SlotId> to;
  for (const Operand& o : function_.destinations(i)) {
    if (o.kind != Operand::Kind::reg || bits_of(o.reg.value) != (form.type() == Type::f64 ? 64 : 32))
      return unsupported(i);
    to.push_back(o.reg.value);
  }
  std::span<const Operand> from = function_.sources(i);
  if (f.registers == 0 || to.size() % f.registers != 0) return unsupported(i);
  gather_warp(i);
  i64 offset = 0;
  std::vector<SlotId> where =
      fragment_addresses(i, f.parts, from[0], from.size() > 1 ? &from[1] : nullptr, offset);
  std::vector<SlotId> bytes;
  for (std::size_t p = 0; p < f.parts.size(); ++p)
    load_part(i, f.parts[p], to, where[p], offset + f.parts[p].offset, bytes);
  for (std::size_t r = f.registers; r < to.size(); ++r) simple(i, OpKind::move, to[r], to[r % f.registers]);
}

void Lowering::store_fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  Fragment f = fragment_of(form);
  std::span<const Operand> from = function_.sources(i);
  if (from.size() < 1 + f.registers) return unsupported(i);
  std::span<const Operand> registers = from.subspan(1, f.registers);
  std::vector<SlotId> values;
  for (const Operand& o : registers) values.push_back(source(i, o, form.type() == Type::f64 ? 64 : 32));
  for (SlotId slot : values)
    if (slot == no_slot || bits_of(slot) != (form.type() == Type::f64 ? 64u : 32u)) return unsupported(i);
  gather_warp(i);
  i64 offset = 0;
  bool strided = from.size() > 1 + f.registers;
  std::vector<SlotId> where =
      fragment_addresses(i, f.parts, from[0], strided ? &from[1 + f.registers] : nullptr, offset);
  for (std::size_t p = 0; p < f.parts.size(); ++p) {
    const FragmentPart& part = f.parts[p];
    std::span<SlotId> stored = std::span(values).subspan(part.first, part.count);
    if (f.access == FragmentAccess::transposed_words) {
      SlotId turned = temporary(32);
      transpose(i, turned, stored[0]);
      stored[0] = turned;
    }
    emit_access(i, OpKind::store, stored, where[p], offset + part.offset);
  }
}

void Lowering::fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (!is_shape_of_fragments(form)) return unsupported(i);
  if (form.has(Modifier::mma)) return multiply_fragments(i);
  if (form.has(Modifier::load)) return load_fragment(i);
  store_fragment(i);
}

} // namespace warplens::sim
