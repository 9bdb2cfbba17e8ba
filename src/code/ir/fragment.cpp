// Which parts a fragment is moved in, by its matrix and type. See fragment.h.
#include "ir/fragment.h"
#include <algorithm>
#include <tuple>

namespace warplens::ir {
namespace {

bool is_exchanged(const Form& form) { return form.shape.n > form.shape.m; }

// Accumulators: tiles of 8 rows and 8 columns.
void add_sums(const Form& form, Fragment& f) {
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
void add_factor(const Form& form, Fragment& f) {
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
void add_matrices(const Form& form, Fragment& f) {
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

} // namespace

bool is_shape_of_fragments(const Form& form) {
  const auto& [m, n, k] = std::tuple(form.shape.m, form.shape.n, form.shape.k);
  if (m == 8 && n == 8) return k == 4 || k == 32 || k == 128;
  if (m == 16 && n == 16) return k == 8 || k == 16;
  return m * n == 256 && (m == 8 || n == 8) && k == 16;
}

Fragment fragment_of(const Form& form) {
  Fragment f{.access = fragment_access(form)};
  f.element_bytes = bits(form.type()) < 8 ? 0 : bytes(form.type());
  if (fragment_matrices(form) != 0)
    add_matrices(form, f);
  else if (moved_matrix(form) == MatrixOperand::a || moved_matrix(form) == MatrixOperand::b)
    add_factor(form, f);
  else
    add_sums(form, f);
  return f;
}

u32 least_stride(const Form& form) {
  bool row = form.has(Modifier::row);
  switch (moved_matrix(form)) {
  case MatrixOperand::a: return row ? form.shape.k : form.shape.m;
  case MatrixOperand::b: return row ? form.shape.n : form.shape.k;
  default: return row ? form.shape.n : form.shape.m;
  }
}

FragmentPlace fragment_place(const Fragment& f, u32 lane) {
  if (f.access == FragmentAccess::matrices || f.access == FragmentAccess::transposed_matrices) {
    auto eights = [&](u32 bit) { return bit == 2 ? 0 : (lane >> (3 + bit) & 1) * 8; };
    return {lane % 8 + eights(f.line_bit), 2 * eights(f.byte_bit)};
  }
  const u32 quarter = lane / 4, within = lane % 4;
  return f.across ? FragmentPlace{within * f.step, quarter * f.element_bytes}
                  : FragmentPlace{quarter, within * f.step};
}

} // namespace warplens::ir
