// Coordinates of textures and tensor maps, bulk copies and wgmma operands: what is known of them without a launch. See moved.h.
#include "check/moved.h"
#include "arch/count.h"
#include "ir/matrix.h"
#include "ir/operands.h"
#include "ir/texture.h"

namespace warplens::check {
namespace {

using Step = TexelPattern::Step; // from a lane's texel to another's

// From lane 0; nothing where that is not known of a lane.
std::optional<std::array<Step, warp_size>> steps_of(Analysis& a, const Coordinates& where,
                                                    std::span<const symbolic::Value> of_each) {
  std::array<Step, warp_size> out{};
  for (u32 n = where.layers; n < of_each.size(); ++n) {
    const symbolic::Facts& facts = a.pool.facts(of_each[n]);
    if (facts.uniform) continue;
    const symbolic::LaneAlgebra::Parts parts = a.algebra.parts(of_each[n]);
    if (facts.varying || !parts.others.empty()) return {};
    const u32 axis = n - where.layers;
    const i64 unit = axis == 0 ? where.step : 1;
    for (u32 lane = 0; lane < warp_size; ++lane) {
      const i64 apart = symbolic::reduced(parts.constant[lane] - parts.constant[0], 32);
      if (apart % unit != 0) return {};
      out[lane][axis] = apart / unit;
    }
  }
  if (where.layers != 0 && !a.pool.facts(of_each[0]).uniform) return {};
  return out;
}

} // namespace

Pattern lie_of_texels(Analysis& a, const Coordinates& where, std::span<const symbolic::Value> of_each) {
  const auto steps = where.step == 0 ? std::nullopt : steps_of(a, where, of_each);
  if (!steps) return {};
  auto between = [&](u32 from, u32 to) {
    Step out;
    for (u32 axis = 0; axis < 3; ++axis) out[axis] = (*steps)[to][axis] - (*steps)[from][axis];
    return out;
  };
  const Step next = between(0, 1);
  u32 row = 1;
  while (row < warp_size && between(row - 1, row) == next) ++row;
  for (u32 lane = row; lane < warp_size; ++lane) // the same in all rows, and from one to the next
    if (between(lane - row, lane) != between(0, row)) return TexelPattern{.row = 0};
  return TexelPattern{row, next, row < warp_size ? between(0, row) : Step{}};
}

std::optional<BulkOperands> bulk_operands(const ir::Form& form, const ir::Instruction& i,
                                          const ir::Function& f) {
  const ir::BulkCopy copy = ir::bulk_copy(form);
  if (copy != ir::BulkCopy::in && copy != ir::BulkCopy::out) return {};
  const u32 first = i.first_operand + i.destinations; // destination, source, size
  if (i.sources < 3 || f.operands[first].kind != ir::Operand::Kind::address ||
      f.operands[first + 1].kind != ir::Operand::Kind::address)
    return {};
  return BulkOperands{copy == ir::BulkCopy::in ? first + 1 : first, first + 2};
}

std::optional<Coordinates> coordinates(const ir::Form& form, const ir::Instruction& i) {
  const u32 first = i.first_operand + i.destinations;
  if (const ir::Geometry* image = ir::geometry_of(form);
      image != nullptr && form.family() == ir::Family::texture) {
    const bool is_texture = form.opcode == ir::Opcode::tex || form.opcode == ir::Opcode::tld4;
    // Of a surface x counts bytes, but of .p.
    const u32 of_surface = form.has(ir::Modifier::p) ? 1 : form.vector * ir::bytes(form.type());
    const u32 step = !is_texture ? of_surface : image->cube || ir::is_float(form.type(1)) ? 0 : 1;
    return Coordinates{first + 1, image->layered + image->numbers(), Cause::Kind::texture, image->layered,
                       step};
  }
  const ir::BulkCopy copy = ir::bulk_copy(form);
  if (copy != ir::BulkCopy::tensor_in && copy != ir::BulkCopy::tensor_out) return {};
  const u32 before = copy == ir::BulkCopy::tensor_in ? 2 : 1; // where it writes, the map
  return Coordinates{first + before, ir::tensor_dimensions(form), Cause::Kind::tensor_map};
}

std::optional<Costs> group_costs(const ir::Form& form, const ir::Instruction& i,
                                 const arch::Architecture& row) {
  if (!ir::multiplies_in_group(form)) return {};
  constexpr u64 rows_of_a = 64,
                line = 32; // PTX ISA: A has 64 rows, and an instruction takes 32 bytes of each
  const u64 line_of_b = ir::is_sparse(form) ? 2 * line : line;
  std::array<access::BulkRow, 2> rows;
  std::size_t count = 0;
  if (ir::described_count(form, i.sources) == 1) rows[count++] = {0, rows_of_a * line};
  rows[count++] = {0, form.shape.n * line_of_b};
  access::BulkAccess bulk{{.space = access::Space::shared, .bytes = 16}};
  bulk.rows = {rows.data(), count};
  const u64 wavefronts = arch::count_bulk(row, bulk).wavefronts;
  Costs out;
  out.wavefronts = out.ideal = {wavefronts, wavefronts};
  return out;
}

} // namespace warplens::check
