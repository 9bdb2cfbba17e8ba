// Which face of a cube a direction meets, and where on it (CUDA C++ Programming Guide, "Cubemap Textures").
#pragma once
#include "base/types.h"
#include <array>
#include <cmath>

namespace warplens::sim {

struct OnFace {
  u32 face;
  double s, t; // from 0 to 1
};

// Of numbers equally far out, z counts before y before x: measured for y and z, the rest inferred.
inline OnFace on_face(double x, double y, double z) {
  double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), m, s, t;
  u32 face;
  if (az >= ay && az >= ax) {
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  } else if (ay >= ax) {
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  }
  if (m == 0) return {face, 0.5, 0.5};
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

// The direction of the point of a face, as far out as s and t are beyond 0 and 1.
inline std::array<double, 3> direction(u32 face, double s, double t) {
  double a = 2 * s - 1, b = 2 * t - 1;
  switch (face) {
  case 0: return {1, -b, -a};
  case 1: return {-1, -b, a};
  case 2: return {a, 1, b};
  case 3: return {a, -1, -b};
  case 4: return {a, -b, 1};
  default: return {-a, -b, -1};
  }
}

} // namespace warplens::sim
