// Fetching, by the formulas of the guide. With N texels along an axis and a coordinate x in texels (a normalised one times N):
//
//   point    T[floor(x)]
//   linear   (1 - a) T[i] + a T[i + 1], i = floor(x - 0.5), a = frac(x - 0.5), which is kept in 8 bits behind the point
//
// and so along each axis. Then each index is brought into the image by its axis's address mode: wrap takes it modulo N,
// mirror every second time backwards, clamp to the nearest texel, border gives the border colour outside. That is the same
// as bringing the coordinate there first, as the guide does.
//
// What the guide leaves open, and is done like this: x - 0.5 is rounded to the nearest multiple of 1/256, halves up, before i
// and a are taken from it. The sum is exact and rounded once. A level's number has 8 bits behind the point, too. A coordinate
// that is no number is 0. Of cubes, a filter at the edge of a face stays on the face, or reads the neighbouring face where
// the sampler is seamless; at a corner, where three faces meet, the fourth texel is the mean of the three.
#include "sim/texture/fetch.h"
#include "access/access.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace warplens::sim {
namespace {

constexpr double weight_steps = 256;

// How far from the image coordinates are told apart; a power of two, so that wrapping is exact.
constexpr double furthest = 1099511627776.0; // 2^40

double in_range(double x) { return std::isnan(x) ? 0 : std::clamp(x, -furthest, furthest); }

i64 modulo(i64 i, i64 n) {
  i64 rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// The texel that an index means; -1: the border colour.
i64 inside(i64 i, i64 n, AddressMode mode) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
  case AddressMode::wrap: return modulo(i, n);
  case AddressMode::mirror: {
    i64 twice = modulo(i, 2 * n);
    return twice < n ? twice : 2 * n - 1 - twice;
  }
  case AddressMode::clamp: return std::clamp<i64>(i, 0, n - 1);
  case AddressMode::border: return -1;
  }
  return -1;
}

// One axis of a footprint: two neighbouring texels and the weight of the second, of 256.
struct Along {
  i64 first = 0, second = 0;
  u32 weight = 0;
};

Along filtered(double x, u64 size, AddressMode mode) {
  i64 fixed = static_cast<i64>(std::floor(x * weight_steps + 0.5)) - 128, i = fixed >> 8,
      n = static_cast<i64>(size);
  return {inside(i, n, mode), inside(i + 1, n, mode), static_cast<u32>(fixed & 255)};
}

Along nearest(double x, u64 size, AddressMode mode) {
  i64 i = inside(static_cast<i64>(std::floor(x)), static_cast<i64>(size), mode);
  return {i, i, 0};
}

// A cube's face, and where on it, from 0 to 1 (the guide's table of cubemap textures).
struct OnFace {
  u32 face;
  double s, t;
};
OnFace on_face(double x, double y, double z) {
  double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), m, s, t;
  u32 face;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  }
  if (m == 0) return {face, 0.5, 0.5};
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

// The direction of the point of a face, as far out as s and t are beyond 0 and 1.
std::array<double, 3> direction(u32 face, double s, double t) {
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
      double x = in_range(normalized ? at[d] * static_cast<double>(size[d]) : at[d]);
      AddressMode mode = is_cube_ ? AddressMode::clamp : sampler_.mode[d];
      axis_[d] = filters ? filtered(x, size[d], mode) : nearest(x, size[d], mode);
      if (is_cube_ && filters && sampler_.seamless_cube) cross_edge(d, x);
    }
    dimensions_ = dimensions;
  }

  Channels point() {
    const std::byte* at = texel(axis_[0].first, axis_[1].first, axis_[2].first);
    return at == nullptr ? border() : read_texel(at, image_.format, sampler_.normalized_read, sampler_.srgb);
  }

  std::array<double, 4> linear() {
    std::array<double, 4> sum{};
    for (u32 corner = 0; corner < u32{1} << dimensions_; ++corner) {
      double weight = 1;
      std::array<i64, 3> i{};
      for (u32 d = 0; d < 3; ++d) {
        bool second = (corner >> d & 1) != 0;
        i[d] = second ? axis_[d].second : axis_[d].first;
        if (d < dimensions_) weight *= (second ? axis_[d].weight : 256 - axis_[d].weight) / weight_steps;
      }
      std::array<double, 4> value = values(i[0], i[1], i[2]);
      for (u32 c = 0; c < 4 && weight != 0; ++c) sum[c] += weight * value[c];
    }
    return sum;
  }

  // From the lower left one, whose row is the second, counter-clockwise.
  Channels corners(u32 channel) {
    const std::array<std::pair<i64, i64>, 4> order{{{axis_[0].first, axis_[1].second},
                                                    {axis_[0].second, axis_[1].second},
                                                    {axis_[0].second, axis_[1].first},
                                                    {axis_[0].first, axis_[1].first}}};
    Channels out{};
    for (u32 i = 0; i < 4; ++i) {
      const std::byte* at = texel(order[i].first, order[i].second, 0);
      out[i] =
          (at == nullptr ? border()
                         : read_texel(at, image_.format, sampler_.normalized_read, sampler_.srgb))[channel];
    }
    return out;
  }

private:
  // Beyond a face: indices of -1 and N, which values() finds on the neighbours.
  void cross_edge(u32 d, double x) {
    i64 i = static_cast<i64>(std::floor(x * weight_steps + 0.5)) - 128;
    axis_[d].first = i >> 8, axis_[d].second = axis_[d].first + 1;
  }

  const std::byte* texel(i64 i, i64 j, i64 k) { return texel_of_slice(i, j, k, slice_); }
  const std::byte* texel_of_slice(i64 i, i64 j, i64 k, u64 layer) {
    if ((i | j | k) < 0) {
      out_.seen_at[out_.texels++] = access::no_texel;
      return nullptr;
    }
    u64 x = static_cast<u64>(i) * image_.format.bytes(), y = static_cast<u64>(j);
    u64 slice = image_.layered || image_.cube ? layer : static_cast<u64>(k);
    out_.seen_at[out_.texels++] = image_.seen_at(level_, x, y, slice);
    return reinterpret_cast<const std::byte*>(level_.address + slice * level_.slice_pitch +
                                              y * level_.row_pitch + x);
  }

  std::array<double, 4> values(i64 i, i64 j, i64 k) {
    i64 n = static_cast<i64>(level_.width);
    if (is_cube_ && (i < 0 || j < 0 || i >= n || j >= n)) return beyond_face(i, j, n);
    const std::byte* at = texel(i, j, k);
    if (at != nullptr) return texel_values(at, image_.format, sampler_.srgb);
    return {sampler_.border[0], sampler_.border[1], sampler_.border[2], sampler_.border[3]};
  }

  // Seen from the cube's middle, the texel beside an edge lies in the neighbouring face's texel at that edge.
  std::array<double, 4> beyond_face(i64 i, i64 j, i64 n) {
    auto is_outside = [&](i64 index) { return index < 0 || index >= n; };
    if (is_outside(i) && is_outside(j)) {
      i64 near_i = std::clamp<i64>(i, 0, n - 1), near_j = std::clamp<i64>(j, 0, n - 1);
      std::array<double, 4> a = values(near_i, near_j, 0), b = values(i, near_j, 0), c = values(near_i, j, 0);
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

  Channels border() const {
    Channels out;
    bool floats = reads_floats(image_.format, sampler_.normalized_read);
    for (u32 c = 0; c < 4; ++c)
      out[c] = floats ? std::bit_cast<u32>(sampler_.border[c])
                      : static_cast<u32>(static_cast<i64>(in_range(sampler_.border[c])));
    return out;
  }

  const Image& image_;
  const Sampler& sampler_;
  const ImageLevel& level_;
  Fetched& out_;
  std::array<Along, 3> axis_{};
  u64 slice_ = 0;
  u32 face_ = 0, dimensions_ = 1;
  bool is_cube_ = false;
};

// Two levels and the weight of the second, of 256.
Along levels_of(const TextureObject& object, const FetchPlace& place) {
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
  Along levels = levels_of(object, place);
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
  auto values = [&](i64 which) {
    Level one = level(which);
    if (linear) return one.linear();
    std::array<double, 4> v;
    Channels c = one.point();
    for (u32 d = 0; d < 4; ++d) v[d] = double{std::bit_cast<float>(c[d])};
    return v;
  };
  std::array<double, 4> sum = values(levels.first);
  if (levels.weight != 0) {
    std::array<double, 4> second = values(levels.second);
    double part = levels.weight / weight_steps;
    for (u32 c = 0; c < 4; ++c) sum[c] = (1 - part) * sum[c] + part * second[c];
  }
  for (u32 c = 0; c < 4; ++c) out.channels[c] = std::bit_cast<u32>(static_cast<float>(sum[c]));
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
