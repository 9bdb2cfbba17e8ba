// What a fetch from a texture gives, written in double by the formulas of the CUDA C++ Programming Guide ("Texture Fetching")
// and without the product's code: a coordinate is brought into the image first, in parts of its size, then texels are looked
// up. Slow on purpose.
#pragma once
#include <array>
#include <vector>

namespace warplens::oracle {

enum class TextureMode { wrap, clamp, mirror, border };

struct TextureImage {
  int dimensions = 1;
  std::array<int, 3> size{1, 1, 1};
  std::vector<double> texel; // x fastest
  double border = 0;
  double at(int x, int y, int z) const {
    return texel[static_cast<std::size_t>((z * size[1] + y) * size[0] + x)];
  }
};

struct TextureFetch {
  std::array<double, 3> at{}; // texels, or parts of the size
  bool normalized = false, linear = false;
  std::array<TextureMode, 3> mode{};
};

double fetch(const TextureImage&, const TextureFetch&);

} // namespace warplens::oracle
