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

// A product of weights of 256, to the nearest, halves up: an H200's (tests/hardware/data).
int of_256(int a, int b) { return static_cast<int>(std::floor(a * b / 256.0 + 0.5)); }

// The weights of the corners, of 256, x lowest. Each product is rounded once, and what is left goes to the other corner.
std::array<int, 8> corner_weights(const std::array<int, 3>& part) {
  int far = part[2], near_x = of_256(256 - far, part[0]), far_x = part[0] - near_x;
  std::array<std::array<int, 2>, 2> along{{{256 - far - near_x, near_x}, {far - far_x, far_x}}};
  std::array<int, 8> out{};
  for (std::size_t z = 0; z < 2; ++z) {
    int low = of_256(along[z][0], 256 - part[1]), high = of_256(along[z][1], part[1]);
    out[4 * z] = low, out[4 * z + 1] = along[z][1] - high;
    out[4 * z + 2] = along[z][0] - low, out[4 * z + 3] = high;
  }
  return out;
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
  std::array<double, 3> x = how.at, first{};
  std::array<int, 3> part{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (how.normalized) x[d] = std::floor(x[d] * 2097152) / 2097152 * image.size[d]; // 21 bits
    if (!how.linear) {
      first[d] = std::floor(x[d]) + 0.5;
      continue;
    }
    double b = x[d] - 0.5;
    b = std::floor(b * 256 + 0.5) / 256; // 8 bits behind the point
    first[d] = std::floor(b) + 0.5;
    part[d] = static_cast<std::size_t>(image.dimensions) > d ? static_cast<int>(frac(b) * 256) : 0;
  }
  if (!how.linear) return texel(image, how, first);
  if (image.dimensions == 3) { // both slices are the same one: it counts once
    int near = texel_at(first[2], image.size[2], how.mode[2]),
        far = texel_at(first[2] + 1, image.size[2], how.mode[2]);
    if (near == far) part[2] = 0;
  }
  double sum = 0;
  const std::array<int, 8> weights = corner_weights(part);
  for (int corner = 0; corner < 1 << image.dimensions; ++corner) {
    const int weight = weights[static_cast<std::size_t>(corner)];
    std::array<double, 3> at = first;
    for (std::size_t d = 0; d < static_cast<std::size_t>(image.dimensions); ++d) {
      if ((corner >> d & 1) != 0) at[d] += 1;
    }
    if (weight != 0) sum += weight / 256.0 * texel(image, how, at);
  }
  return sum;
}

} // namespace warplens::oracle
