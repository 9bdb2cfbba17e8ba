#include "ir/texture.h"

namespace warplens::ir {

const Geometry* geometry_of(const Form& form) {
  static constexpr Geometry table[] = {
      {Modifier::tex1d, 1, false, false, 1, 1}, {Modifier::tex2d, 2, false, false, 2, 2},
      {Modifier::tex3d, 3, false, false, 4, 4}, {Modifier::a1d, 1, true, false, 2, 1},
      {Modifier::a2d, 2, true, false, 4, 2},    {Modifier::cube, 2, false, true, 4, 4},
      {Modifier::acube, 2, true, true, 4, 4},
  };
  for (const Geometry& geometry : table)
    if (form.has(geometry.name)) return &geometry;
  return nullptr;
}

u32 shifted_numbers(const Form& form) {
  const Geometry& geometry = *geometry_of(form);
  return geometry.cube ? 0u : geometry.dimensions == 3 ? 4u : geometry.dimensions;
}

} // namespace warplens::ir
