// Fetching. With N texels along an axis and a coordinate x in texels (a normalised one times N):
//
//   point    T[floor(x)]
//   linear   (1 - a) T[i] + a T[i + 1], i = floor(x - 0.5), a = frac(x - 0.5), which is kept in 8 bits behind the point
//
// and so along each axis. Then each index is brought into the image by its axis's address mode: wrap takes it modulo N,
// mirror every second time backwards, clamp to the nearest texel, border gives the border colour outside. That is the same
// as bringing the coordinate there first, as the guide does (CUDA C++ Programming Guide, "Texture Fetching").
//
// What the guide leaves open is done as an H200 does it, whose fetches tests/hardware/data holds: a normalised coordinate is
// cut off to a multiple of 2^-21, downwards; x - 0.5 is rounded to the nearest multiple of 1/256, halves up, before i and a
// are taken from it; weights and sums are filter.h's. Cubes have address modes as planes do. Not measured: a level's number
// that has more than 8 bits behind the point is rounded to 8; a coordinate that is no number is 0; with a seamless sampler a
// filter at the edge of a cube's face reads the neighbouring face, and at a corner, where three faces meet, the mean of the
// three.
#include "sim/texture/fetch.h"
#include "access/access.h"
#include "sim/texture/cube.h"
#include "sim/texture/filter.h"
#include <algorithm>
#include <cmath>

namespace warplens::sim {
namespace {

constexpr double weight_steps = whole_weight, normalized_steps = 2097152; // 2^21

// How far from the image coordinates are told apart; a power of two, so that wrapping is exact.
constexpr double furthest = 1099511627776.0; // 2^40

double in_range(double x) { return std::isnan(x) ? 0 : std::clamp(x, -furthest, furthest); }

i64 modulo(i64 i, i64 n) {
  i64 rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// The texel that an index means. Outside, where the border colour is, the nearest one: its sector is fetched all the same.
struct Index {
  i64 at = 0;
  bool border = false;
};
Index inside(i64 i, i64 n, AddressMode mode) {
  if (i >= 0 && i < n) return {i};
  switch (mode) {
  case AddressMode::wrap: return {modulo(i, n)};
  case AddressMode::mirror: {
    i64 twice = modulo(i, 2 * n);
    return {twice < n ? twice : 2 * n - 1 - twice};
  }
  case AddressMode::clamp:
  case AddressMode::border: break;
  }
  return {std::clamp<i64>(i, 0, n - 1), mode == AddressMode::border};
}

// One axis of a footprint: two neighbouring texels and the weight of the second, of 256.
struct Along {
  Index first, second;
  u32 weight = 0;
  Index of(u32 second_one) const { return second_one != 0 ? second : first; }
};

i64 fixed_point(double x) { return static_cast<i64>(std::floor(x * weight_steps + 0.5)) - 128; }

Along filtered(double x, u64 size, AddressMode mode) {
  i64 fixed = fixed_point(x), i = fixed >> 8, n = static_cast<i64>(size);
  return {inside(i, n, mode), inside(i + 1, n, mode), static_cast<u32>(fixed & 255)};
}

Along nearest(double x, u64 size, AddressMode mode) {
  Index i = inside(static_cast<i64>(std::floor(x)), static_cast<i64>(size), mode);
  return {i, i, 0};
}

// In texels.
double scaled(double part, u64 size) {
  return std::floor(part * normalized_steps) / normalized_steps * static_cast<double>(size);
}

// A fetch from one level of one object.
class Level {
public:
  Level(const TextureObject& object, const ImageLevel& level, Fetched& out)
      : image_(object.image), sampler_(object.sampler), level_(level), out_(out) {}

  // `slice`: the layer, where there are layers.
  void place(const FetchPlace& place, u32 dimensions, bool filters) {
    bool normalized = sampler_.normalized_coordinates && !place.whole;
    std::array<u64, 3> size{level_.width, level_.height, image_.layered || image_.cube ? 1 : level_.depth};
    slice_ = std::min<u64>(place.layer, image_.layers / (image_.cube ? 6 : 1) - 1);
    std::array<double, 3> at = place.at;
    if (place.cube) {
      OnFace on = on_face(at[0], at[1], at[2]);
      slice_ = slice_ * 6 + on.face, face_ = on.face;
      at = {on.s, on.t, 0};
      normalized = true;
    }
    is_cube_ = place.cube && image_.cube;
    for (u32 d = 0; d < 3; ++d) {
      axis_[d] = {};
      if (d >= dimensions) continue;
      double x = (normalized ? scaled(in_range(at[d]), size[d]) : in_range(at[d])) + place.shift[d];
      axis_[d] = filters ? filtered(x, size[d], sampler_.mode[d]) : nearest(x, size[d], sampler_.mode[d]);
      if (is_cube_ && filters && sampler_.seamless_cube) cross_edge(d, x);
    }
    const Along& z = axis_[2]; // one slice twice is one: its weights are rounded once
    if (z.first.at == z.second.at && z.first.border == z.second.border) axis_[2].weight = 0;
  }

  Channels point() { return read(axis_[0].first, axis_[1].first, axis_[2].first); }

  // All that is fetched has that weight together. Texels that have none along an axis are not read.
  void weigh(u32 weight, bool linear, WeightedSum& sum) {
    if (!linear) return sum.add(weight, values(axis_[0].first, axis_[1].first, axis_[2].first));
    const u32 far = share(weight, axis_[2].weight), second = share(weight, axis_[0].weight),
              near_second = share(weight - far, axis_[0].weight),
              far_second = second - near_second; // what two slices have of a column is not rounded twice
    for (u32 z = 0; z < (axis_[2].weight != 0 ? 2 : 1); ++z) {
      std::array<u32, 4> weights =
          slice_weights(z == 0 ? weight - far : far, z == 0 ? near_second : far_second, axis_[1].weight);
      for (u32 corner = 0; corner < 4; ++corner) {
        u32 x = corner & 1, y = corner >> 1;
        if ((x != 0 && axis_[0].weight == 0) || (y != 0 && axis_[1].weight == 0)) continue;
        sum.add(weights[corner], values(axis_[0].of(x), axis_[1].of(y), axis_[2].of(z)));
      }
    }
  }

  // From the lower left one, whose row is the second, counter-clockwise.
  Channels corners(u32 channel) {
    constexpr std::array<std::pair<u32, u32>, 4> order{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    Channels out{};
    for (u32 i = 0; i < 4; ++i)
      out[i] = read(axis_[0].of(order[i].first), axis_[1].of(order[i].second), {})[channel];
    return out;
  }

private:
  // Beyond a face: indices of -1 and N, which values() finds on the neighbours.
  void cross_edge(u32 d, double x) {
    i64 i = fixed_point(x) >> 8;
    axis_[d].first = {i}, axis_[d].second = {i + 1};
  }

  const std::byte* texel(i64 i, i64 j, i64 k) { return texel_of_slice(i, j, k, slice_); }
  const std::byte* texel_of_slice(i64 i, i64 j, i64 k, u64 layer) {
    u64 x = static_cast<u64>(i) * image_.format.bytes(), y = static_cast<u64>(j);
    u64 slice = image_.layered || image_.cube ? layer : static_cast<u64>(k);
    out_.seen_at[out_.texels++] = image_.seen_at(level_, x, y, slice);
    return reinterpret_cast<const std::byte*>(level_.address + slice * level_.slice_pitch +
                                              y * level_.row_pitch + x);
  }

  // Calls f(texel's bytes, whether they may go through the sRGB curve).
  template <class F> auto with_texel(Index i, Index j, Index k, F&& f) {
    const std::byte* at = texel(i.at, j.at, k.at);
    if (!i.border && !j.border && !k.border) return f(at, sampler_.srgb);
    if (image_.layout == ImageLayout::buffer) out_.seen_at[out_.texels - 1] = access::no_texel;
    return f(border_texel(sampler_.border, image_.format, sampler_.normalized_read).data(), false);
  }

  Channels read(Index i, Index j, Index k) {
    return with_texel(i, j, k, [&](const std::byte* at, bool srgb) {
      return read_texel(at, image_.format, sampler_.normalized_read, srgb);
    });
  }

  std::array<double, 4> values(Index i, Index j, Index k) {
    i64 n = static_cast<i64>(level_.width);
    if (is_cube_ && (i.at < 0 || j.at < 0 || i.at >= n || j.at >= n)) return beyond_face(i.at, j.at, n);
    return with_texel(i, j, k,
                      [&](const std::byte* at, bool srgb) { return texel_values(at, image_.format, srgb); });
  }

  // Seen from the cube's middle, the texel beside an edge lies in the neighbouring face's texel at that edge.
  std::array<double, 4> beyond_face(i64 i, i64 j, i64 n) {
    auto is_outside = [&](i64 index) { return index < 0 || index >= n; };
    if (is_outside(i) && is_outside(j)) {
      i64 near_i = std::clamp<i64>(i, 0, n - 1), near_j = std::clamp<i64>(j, 0, n - 1);
      std::array<double, 4> a = values({near_i}, {near_j}, {}), b = values({i}, {near_j}, {}),
                            c = values({near_i}, {j}, {});
      for (u32 d = 0; d < 4; ++d) a[d] = (a[d] + b[d] + c[d]) / 3;
      --out_.texels; // as many as the footprint has
      --out_.texels;
      return a;
    }
    double size = static_cast<double>(n);
    std::array<double, 3> to =
        direction(face_, (static_cast<double>(i) + 0.5) / size, (static_cast<double>(j) + 0.5) / size);
    OnFace on = on_face(to[0], to[1], to[2]);
    auto index = [&](double at) {
      return std::clamp<i64>(static_cast<i64>(std::floor(at * size)), 0, n - 1);
    };
    const std::byte* at = texel_of_slice(index(on.s), index(on.t), 0, slice_ - face_ + on.face);
    return texel_values(at, image_.format, sampler_.srgb);
  }

  const Image& image_;
  const Sampler& sampler_;
  const ImageLevel& level_;
  Fetched& out_;
  std::array<Along, 3> axis_{};
  u64 slice_ = 0;
  u32 face_ = 0;
  bool is_cube_ = false;
};

// Two levels and the weight of the second, of 256.
struct Levels {
  i64 first = 0, second = 0;
  u32 weight = 0;
};
Levels levels_of(const TextureObject& object, const FetchPlace& place) {
  i64 last = static_cast<i64>(object.image.levels.size()) - 1;
  if (!place.chooses_level || last == 0) return {};
  const Sampler& sampler = object.sampler;
  double level = std::clamp<double>(in_range(double{place.level} + sampler.level_bias), sampler.least_level,
                                    std::max(sampler.least_level, sampler.greatest_level));
  i64 fixed = static_cast<i64>(std::floor(level * weight_steps + 0.5));
  fixed = std::clamp<i64>(fixed, 0, last * 256);
  if (!sampler.linear_between_levels) return {(fixed + 128) >> 8, 0, 0};
  i64 first = fixed >> 8;
  return {first, std::min(first + 1, last), static_cast<u32>(fixed & 255)};
}

bool filters(const TextureObject& object, const FetchPlace& place) {
  return object.sampler.linear && !place.whole && object.image.layout != ImageLayout::buffer &&
         reads_floats(object.image.format, object.sampler.normalized_read);
}

} // namespace

void fetch(const TextureObject& object, u32 dimensions, const FetchPlace& place, Fetched& out) {
  out.texels = 0;
  Levels levels = levels_of(object, place);
  const bool linear = filters(object, place);
  auto level = [&](i64 which) {
    Level one(object,
              object.image.levels[static_cast<u64>(
                  std::clamp<i64>(which, 0, static_cast<i64>(object.image.levels.size()) - 1))],
              out);
    one.place(place, dimensions, linear);
    return one;
  };
  if (!linear && levels.weight == 0) {
    out.channels = level(levels.first).point();
    return;
  }
  WeightedSum sum(object.image.format, object.sampler.srgb);
  level(levels.first).weigh(whole_weight - levels.weight, linear, sum);
  if (levels.weight != 0) level(levels.second).weigh(levels.weight, linear, sum);
  out.channels = sum.rounded();
}

void gather(const TextureObject& object, const FetchPlace& place, u32 channel, Fetched& out) {
  out.texels = 0;
  Level level(object, object.image.levels[0], out);
  level.place(place, 2, true);
  out.channels = level.corners(channel);
}

float level_of_changes(const TextureObject& object, std::span<const float> dx, std::span<const float> dy) {
  const ImageLevel& top = object.image.levels[0];
  std::array<double, 3> size{static_cast<double>(top.width), static_cast<double>(top.height),
                             static_cast<double>(top.depth)};
  if (object.image.cube)
    size.fill(static_cast<double>(top.width) / 2); // a face is 2 wide where the direction is 1
  auto length = [&](std::span<const float> change) {
    double sum = 0;
    for (std::size_t d = 0; d < change.size() && d < 3; ++d) {
      double texels = change[d] * (object.sampler.normalized_coordinates ? size[d] : 1);
      sum += texels * texels;
    }
    return std::sqrt(sum);
  };
  double longer = std::max(length(dx), length(dy));
  return static_cast<float>(longer > 0 ? std::log2(longer) : -furthest);
}

u32 texels_of(const TextureObject& object, u32 dimensions) {
  FetchPlace plain;
  u32 each = filters(object, plain) ? u32{1} << dimensions : 1;
  return object.sampler.linear_between_levels && object.image.levels.size() > 1 ? 2 * each : each;
}

} // namespace warplens::sim
