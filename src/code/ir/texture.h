// What tex, tld4, suld, sust and sured say of the place that they go to (PTX ISA, "Texture Instructions", "Surface
// Instructions").
#pragma once
#include "ir/form.h"

namespace warplens::ir {

// Of a texture or surface as an instruction sees it. Coordinates are a vector: the layer first where there are layers, then
// one number per dimension, padded to four for .3d, .a2d and .cube. Of a cube, the three say a direction.
struct Geometry {
  Modifier name;
  u8 dimensions; // of an image in it: 1 to 3; of a cube's face 2
  bool layered;
  bool cube;
  u8 elements;                                           // of the vector of coordinates
  u8 changes;                                            // and of a vector of how they change (.grad)
  u32 numbers() const { return cube ? 3u : dimensions; } // coordinates without the layer
};

// Null where the form names none that is known (multi-sampled textures).
const Geometry* geometry_of(const Form&);

// The vector of whole texels that may be added to a place has as many numbers, padded to four for .3d; none for cubes.
u32 shifted_numbers(const Form&);

inline bool names_place(const Form& form) { return geometry_of(form) != nullptr; }

} // namespace warplens::ir
