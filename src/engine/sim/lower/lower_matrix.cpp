// Matrices that the lanes of a warp hold together: ldmatrix and its like, and multiplication.
//
// The operands of a multiplication are more registers than an op has slots. So they are kept in the rows of Exec::matrix
// by ops of their own, one operand after the other; the multiplication that follows at once finds them there, by their rows
// (MatrixProduct). wmma multiplies larger matrices by several such multiplications, wgmma by an op that makes them
// itself, whose results are taken from the rows again.
#include "ir/matrix.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::MatrixOperand;
using ir::Modifier;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

// All lanes of a warp take part in what follows.
void Lowering::gather_warp(const ir::Instruction& i) {
  SlotId members = constant(Constant::Kind::value, full_mask, 32);
  Op& op = emit(OpKind::warp_barrier, i);
  op.sources = 1;
  op.slot[0] = members;
}

// The address of ldmatrix or stmatrix, in shared memory; no_slot where it is elsewhere.
SlotId Lowering::matrix_address(const ir::Instruction& i, i64& offset) {
  const ir::Form& form = module_.form(i);
  SlotId where = address(function_.sources(i)[0], offset);
  if (form.space() == StateSpace::shared) return where;
  if (form.space() != StateSpace::generic) return no_slot;
  SlotId in_shared = temporary(bits_of(where));
  simple(i, OpKind::from_generic, in_shared, where, StateSpace::shared);
  return in_shared;
}

// The instruction's destinations, and operands that it reads; nothing where one is no register of that width.
std::optional<std::vector<SlotId>> Lowering::destinations(const ir::Instruction& i, u32 bits) const {
  std::vector<SlotId> out;
  for (const Operand& o : function_.destinations(i)) {
    if (o.kind != Operand::Kind::reg || bits_of(o.reg.value) != bits) return {};
    out.push_back(o.reg.value);
  }
  return out;
}
std::optional<std::vector<SlotId>> Lowering::sources(const ir::Instruction& i,
                                                     std::span<const Operand> operands, u32 bits) {
  std::vector<SlotId> out;
  for (const Operand& o : operands) out.push_back(source(i, o, bits));
  for (SlotId slot : out)
    if (slot == no_slot || bits_of(slot) != bits) return {};
  return out;
}

// Between registers and memory: a load's destinations, or what a store reads besides its address.
Op& Lowering::emit_transfer(const ir::Instruction& i, OpKind kind, std::span<const SlotId> registers,
                            SlotId where, i64 offset) {
  Op& op = emit(kind, i);
  bool loads = kind == OpKind::load_matrix || kind == OpKind::load;
  op.destinations = loads ? static_cast<u8>(registers.size()) : 0;
  op.sources = loads ? 1 : static_cast<u8>(1 + registers.size());
  std::copy(registers.begin(), registers.end(), op.slot.begin() + (loads ? 0 : 1));
  op.slot[op.destinations] = where;
  op.offset = offset;
  return op;
}

void Lowering::emit_matrices(const ir::Instruction& i, OpKind kind, std::span<const SlotId> registers,
                             SlotId where, i64 offset, bool transposed) {
  Op& op = emit_transfer(i, kind, registers, where, offset);
  op.space = StateSpace::shared;
  op.element_bytes = 16; // a row
  op.sign = transposed;
}

void Lowering::load_matrix(const ir::Instruction& i) {
  std::optional<std::vector<SlotId>> to = destinations(i, 32);
  if (!to) return unsupported(i);
  i64 offset = 0;
  SlotId where = matrix_address(i, offset);
  if (where == no_slot) return unsupported(i);
  gather_warp(i);
  emit_matrices(i, OpKind::load_matrix, *to, where, offset, module_.form(i).has(Modifier::trans));
}

void Lowering::store_matrix(const ir::Instruction& i) {
  if (module_.form(i).type() != Type::b16) return unsupported(i);
  i64 offset = 0;
  SlotId where = matrix_address(i, offset);
  if (where == no_slot) return unsupported(i);
  std::optional<std::vector<SlotId>> from = sources(i, function_.sources(i).subspan(1), 32);
  if (!from) return unsupported(i);
  gather_warp(i);
  emit_matrices(i, OpKind::store_matrix, *from, where, offset, module_.form(i).has(Modifier::trans));
}

// movmatrix
void Lowering::transpose(const ir::Instruction& i, SlotId to, SlotId from) {
  Op& op = emit(OpKind::transpose_matrix, i);
  op.destinations = op.sources = 1;
  op.slot[0] = to;
  op.slot[1] = from;
}

void Lowering::move_matrix(const ir::Instruction& i) {
  const Operand& to = function_.destinations(i)[0];
  SlotId from = source(i, function_.sources(i)[0], 32);
  if (to.kind != Operand::Kind::reg || bits_of(to.reg.value) != 32 || from == no_slot || bits_of(from) != 32)
    return unsupported(i);
  gather_warp(i);
  transpose(i, to.reg.value, from);
}

// Keeps registers from row `first` on; false where one of them is no register of that width.
bool Lowering::keep(const ir::Instruction& i, std::span<const Operand> operands, u32 bits, u32 first) {
  constexpr std::size_t most = 8;
  for (std::size_t begin = 0; begin < operands.size(); begin += most) {
    std::optional<std::vector<SlotId>> slots =
        sources(i, operands.subspan(begin, std::min(most, operands.size() - begin)), bits);
    if (!slots) return false;
    Op& op = emit(OpKind::keep_matrix, i);
    std::copy(slots->begin(), slots->end(), op.slot.begin());
    op.sources = static_cast<u8>(slots->size());
    op.offset = static_cast<i64>(first + begin);
  }
  return true;
}

void Lowering::emit_product(const ir::Instruction& i, const MatrixProduct& product,
                            std::span<const Operand> to) {
  Op& op = emit(OpKind::multiply_matrices, i);
  for (const Operand& o : to)
    op.slot[op.destinations++] = o.kind == Operand::Kind::reg ? o.reg.value : no_slot;
  op.set_product_index(static_cast<u32>(code_->products.size()));
  code_->products.push_back(product);
}

namespace {

u32 register_width(Type element) { return element == Type::f64 ? 64 : 32; }

// Of mma, and of what wmma and wgmma are made of.
MatrixKind kind_of(const ir::Form& form) {
  MatrixKind kind;
  kind.shape = form.shape;
  kind.d = matrix_type(form, MatrixOperand::d);
  kind.a = matrix_type(form, MatrixOperand::a);
  kind.b = matrix_type(form, MatrixOperand::b);
  kind.c = matrix_type(form, MatrixOperand::c);
  kind.sparse = is_sparse(form);
  kind.stops = form.has(Modifier::satfinite);
  kind.differ = form.has(Modifier::xor_);
  return kind;
}

// Single bits are combined by .and.popc or .xor.popc, others never.
bool combines_rightly(const ir::Form& form) {
  bool bits = matrix_type(form, MatrixOperand::a) == Type::b1;
  return bits == form.has(Modifier::popc) && bits == (form.has(Modifier::xor_) || form.has(Modifier::and_));
}

} // namespace

void Lowering::multiply_matrices(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  MatrixKind kind = kind_of(form);
  auto comes = [&](std::string_view layouts) { return form.text.find(layouts) != form.text.npos; };
  kind.a_columns = comes(".col.row") || !form.has(Modifier::row);
  kind.b_rows = comes(".col.row") || !form.has(Modifier::col);
  std::span<const Operand> from = function_.sources(i);
  if (kind.sparse) {
    if (from.back().kind != Operand::Kind::immediate || from.back().value > 3) return unsupported(i);
    kind.selector = static_cast<u8>(from.back().value);
  }
  MatrixProduct product{.kind = kind, .multiply = find_multiply(kind)};
  if (product.multiply == nullptr || !combines_rightly(form)) return unsupported(i);
  MatrixSizes sizes = sizes_of(kind);
  product.b = sizes.a;
  product.c = product.b + sizes.b;
  product.metadata = product.c + sizes.c;
  gather_warp(i);
  bool kept = keep(i, from.first(sizes.a), register_width(kind.a), 0) &&
              keep(i, from.subspan(product.b, sizes.b), register_width(kind.b), product.b) &&
              keep(i, from.subspan(product.c, sizes.c), register_width(kind.c), product.c) &&
              (!kind.sparse || keep(i, from.subspan(product.metadata, 1), 32, product.metadata));
  if (!kept) return unsupported(i);
  emit_product(i, product, function_.destinations(i));
}

// wmma.mma: m16n16 is two multiplications of m16n8, m32n8 two as well, and m8n32 is m32n8 with the operands exchanged,
// since the transposed product is the product of the transposed. The fragments lie in the order of these blocks
// (lower_fragment.cpp).
void Lowering::multiply_fragments(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  MatrixKind kind = kind_of(form);
  bool exchanged = form.shape.n > form.shape.m;
  if (exchanged) {
    std::swap(kind.shape.m, kind.shape.n);
    std::swap(kind.a, kind.b);
  }
  u32 rows = std::max(kind.shape.m / 16u, 1u), columns = kind.shape.n / 8u;
  kind.shape.m = static_cast<u16>(std::min<u32>(kind.shape.m, 16));
  kind.shape.n = 8;
  MatrixProduct product{.kind = kind, .multiply = find_multiply(kind)};
  if (product.multiply == nullptr || !combines_rightly(form)) return unsupported(i);
  MatrixSizes sizes = sizes_of(kind);
  u32 of_a = matrix_registers(form, MatrixOperand::a), of_b = matrix_registers(form, MatrixOperand::b),
      of_c = matrix_registers(form, MatrixOperand::c), of_d = matrix_registers(form, MatrixOperand::d);
  if (i.sources != of_a + of_b + of_c || of_d != rows * columns * sizes.d || of_c != rows * columns * sizes.c)
    return unsupported(i);
  std::span<const Operand> from = function_.sources(i);
  gather_warp(i);
  bool kept = keep(i, from.first(of_a), register_width(kind.a), 0) &&
              keep(i, from.subspan(of_a, of_b), register_width(kind.b), of_a) &&
              keep(i, from.subspan(of_a + of_b), register_width(kind.c), of_a + of_b);
  if (!kept) return unsupported(i);
  for (u32 r = 0; r < rows; ++r)
    for (u32 c = 0; c < columns; ++c) {
      product.a = (exchanged ? of_a : 0) + r * sizes.a;
      product.b = (exchanged ? 0 : of_a) + c * sizes.b;
      product.c = of_a + of_b + (r * columns + c) * sizes.c;
      emit_product(i, product, function_.destinations(i).subspan((r * columns + c) * sizes.d, sizes.d));
    }
}

namespace {

// wgmma: A in registers, or described like B; of a sparse A its metadata and whose of it counts; then whether to add to D, and
// the immediates behind it.
struct GroupOperands {
  const Operand *a = nullptr, *b = nullptr, *metadata = nullptr, *adds = nullptr, *immediate = nullptr;
  u32 of_a = 1, immediates = 0;
  // The n-th; `otherwise` where it is left out.
  i64 value(u32 n, i64 otherwise) const {
    return n < immediates ? static_cast<i32>(immediate[n].value) : otherwise;
  }
};

GroupOperands group_operands(const ir::Form& form, std::span<const Operand> from) {
  GroupOperands out;
  out.of_a = ir::described_count(form, static_cast<u32>(from.size()));
  out.a = from.data();
  out.b = out.a + out.of_a;
  out.adds = out.b + 1;
  if (is_sparse(form)) out.metadata = out.adds, out.adds += 2;
  out.immediate = out.adds + 1;
  out.immediates = static_cast<u32>(from.data() + from.size() - out.immediate);
  return out;
}

} // namespace

void Lowering::multiply_group(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (!multiplies_in_group(form)) { // fence, commit_group, wait_group: what was multiplied is there at once
    emit(OpKind::fence, i);
    return;
  }
  GroupOperands given = group_operands(form, function_.sources(i));
  MatrixKind kind = kind_of(form);
  if (kind.sparse) {
    const Operand& selector = given.metadata[1];
    if (selector.kind != Operand::Kind::immediate || selector.value > 3) return unsupported(i);
    kind.selector = static_cast<u8>(selector.value);
  }
  kind.shape.m = 16;
  kind.shape.n = 8;
  MatrixProduct product{.kind = kind, .multiply = find_multiply(kind)};
  if (product.multiply == nullptr || !combines_rightly(form)) return unsupported(i);
  product.blocks = form.shape.n / 8u;
  product.a_described = given.of_a == 1;
  product.negated = given.value(0, 1) * given.value(1, 1) < 0;
  product.a_columns = product.a_described && given.value(2, 0) != 0;
  product.b_rows = given.value(product.a_described ? 3 : 2, 0) != 0;
  bool narrow = ir::bits(kind.a) == 16;
  if (!narrow && (product.a_columns || product.b_rows)) return unsupported(i);
  u32 sums = i.destinations;
  product.a = sums;
  product.c = 0;
  std::span<const Operand> d = function_.destinations(i);
  product.metadata = sums + (product.a_described ? 0 : given.of_a);
  SlotId a = product.a_described ? source(i, *given.a, 64) : constant(Constant::Kind::value, 0, 64),
         b = source(i, *given.b, 64), adds = source(i, *given.adds, 1);
  gather_warp(i);
  bool kept = keep(i, d, 32, 0) && (product.a_described || keep(i, {given.a, given.of_a}, 32, product.a)) &&
              (!kind.sparse || keep(i, {given.metadata, 1}, 32, product.metadata));
  if (!kept || bits_of(a) != 64 || bits_of(b) != 64 || bits_of(adds) != 1) return unsupported(i);
  Op& op = emit(OpKind::multiply_group, i);
  op.sources = 3;
  op.slot[0] = a, op.slot[1] = b, op.slot[2] = adds;
  op.set_product_index(static_cast<u32>(code_->products.size()));
  code_->products.push_back(product);
  take(i, d);
}

// Registers from the rows that were kept, from the first on.
void Lowering::take(const ir::Instruction& i, std::span<const Operand> to) {
  constexpr std::size_t most = 8;
  for (std::size_t begin = 0; begin < to.size(); begin += most) {
    Op& op = emit(OpKind::take_matrix, i);
    op.offset = static_cast<i64>(begin);
    for (const Operand& o : to.subspan(begin, std::min(most, to.size() - begin)))
      op.slot[op.destinations++] = o.kind == Operand::Kind::reg ? o.reg.value : no_slot;
  }
}

} // namespace warplens::sim
