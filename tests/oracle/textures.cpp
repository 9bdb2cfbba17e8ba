#include "oracle/textures.h"
#include <cmath>

namespace warplens::oracle {
namespace {

double frac(double x) { return x - std::floor(x); }

// The texel that the point `x`, in texels, is in; -1 for the border. Repeating modes are of parts of the size.
int texel_at(double x, int size, TextureMode mode) {
  double part = x / size;
  switch (mode) {
  case TextureMode::wrap: part = frac(part); break;
  case TextureMode::mirror: part = std::fmod(std::floor(part), 2) == 0 ? frac(part) : 1 - frac(part); break;
  case TextureMode::clamp:
    if (part < 0) part = 0;
    break;
  case TextureMode::border:
    if (part < 0 || part >= 1) return -1;
    break;
  }
  int i = static_cast<int>(std::floor(part * size + 1e-9)); // the middle of a texel: far from both its ends
  return i >= size ? size - 1 : i;
}

double texel(const TextureImage& image, const TextureFetch& how, std::array<double, 3> middle) {
  std::array<int, 3> i{};
  for (int d = 0; d < image.dimensions; ++d) {
    auto axis = static_cast<std::size_t>(d);
    i[axis] = texel_at(middle[axis], image.size[axis], how.mode[axis]);
    if (i[axis] < 0) return image.border;
  }
  return image.at(i[0], i[1], i[2]);
}

} // namespace

double fetch(const TextureImage& image, const TextureFetch& how) {
  std::array<double, 3> x = how.at, first{}, part{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (how.normalized) x[d] *= image.size[d];
    if (!how.linear) {
      first[d] = std::floor(x[d]) + 0.5;
      continue;
    }
    double b = x[d] - 0.5;
    first[d] = std::floor(b) + 0.5;
    part[d] = std::floor(frac(b) * 256 + 0.5) / 256; // 1.8 fixed point
  }
  if (!how.linear) return texel(image, how, first);
  double sum = 0;
  for (int corner = 0; corner < 1 << image.dimensions; ++corner) {
    double weight = 1;
    std::array<double, 3> at = first;
    for (std::size_t d = 0; d < static_cast<std::size_t>(image.dimensions); ++d) {
      bool second = (corner >> d & 1) != 0;
      weight *= second ? part[d] : 1 - part[d];
      if (second) at[d] += 1;
    }
    if (weight != 0) sum += weight * texel(image, how, at);
  }
  return sum;
}

} // namespace warplens::oracle
