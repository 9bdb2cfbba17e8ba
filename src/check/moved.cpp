#include "check/moved.h"
#include "arch/count.h"
#include "ir/matrix.h"
#include "ir/operands.h"
#include "ir/texture.h"

namespace warplens::check {

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
      image != nullptr && form.family() == ir::Family::texture)
    return Coordinates{first + 1, image->layered + image->numbers(),
                       "the format and the layout of the texture, which are made at run time"};
  const ir::BulkCopy copy = ir::bulk_copy(form);
  if (copy != ir::BulkCopy::tensor_in && copy != ir::BulkCopy::tensor_out) return {};
  const u32 before = copy == ir::BulkCopy::tensor_in ? 2 : 1; // where it writes, the map
  return Coordinates{first + before, ir::tensor_dimensions(form),
                     "the tensor map, which is made at run time"};
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
