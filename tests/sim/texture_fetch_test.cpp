// Fetches rule by rule: filters and address modes against a reference in double (oracle/textures.h), formats, cubes, levels
// and gathers against values worked out by hand.
#include "access/access.h"
#include "oracle/textures.h"
#include "sem/half.h"
#include "sim/texture/fetch.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace warplens::sim {
namespace {

float as_float(u32 bits) { return std::bit_cast<float>(bits); }

// An image in host memory, one level.
template <class T> struct Stored {
  std::vector<T> texels;
  TextureObject object;
  Stored(TexelFormat format, ImageLayout layout, u8 dimensions, std::array<u64, 3> size, std::vector<T> data)
      : texels(std::move(data)) {
    Image& image = object.image;
    image.format = format;
    image.layout = layout;
    image.dimensions = dimensions;
    image.begin = reinterpret_cast<u64>(texels.data());
    image.bytes = texels.size() * sizeof(T);
    u64 row = size[0] * format.bytes();
    image.levels = {{image.begin, size[0], size[1], size[2], row, row * size[1]}};
    image.place_levels();
  }
  Fetched fetch(std::array<double, 3> at, bool whole = false) const {
    FetchPlace place;
    place.at = at, place.whole = whole;
    Fetched out;
    sim::fetch(object, object.image.dimensions, place, out);
    return out;
  }
};
constexpr TexelFormat one_float{ChannelKind::floating, 32, 1};

Stored<float> row_of(std::vector<float> texels) {
  u64 width = texels.size();
  return {one_float, ImageLayout::array, 1, {width, 1, 1}, std::move(texels)};
}

TEST(TextureFetch, EveryFilterAndAddressModeIsTheGuidesFormula) {
  std::mt19937 random(11);
  u32 fetches = 0;
  for (u8 dimensions : {1, 2, 3})
    for (u32 modes = 0; modes < 64; ++modes)
      for (bool linear : {false, true})
        for (bool normalized : {false, true}) {
          oracle::TextureImage image{.dimensions = dimensions};
          for (u8 d = 0; d < dimensions; ++d) image.size[d] = static_cast<int>(1 + random() % 7);
          std::vector<float> texels(static_cast<std::size_t>(image.size[0] * image.size[1] * image.size[2]));
          for (float& t : texels) t = static_cast<float>(random() % 2048) - 1024;
          image.texel.assign(texels.begin(), texels.end());
          image.border = 3.5;
          Stored<float> stored(one_float, ImageLayout::array, dimensions,
                               {static_cast<u64>(image.size[0]), static_cast<u64>(image.size[1]),
                                static_cast<u64>(image.size[2])},
                               texels);
          oracle::TextureFetch how{.normalized = normalized, .linear = linear};
          Sampler& sampler = stored.object.sampler;
          sampler.linear = linear, sampler.normalized_coordinates = normalized;
          sampler.border.fill(3.5f);
          for (u32 d = 0; d < 3; ++d) {
            how.mode[d] = static_cast<oracle::TextureMode>(modes >> 2 * d & 3);
            sampler.mode[d] = static_cast<AddressMode>(modes >> 2 * d & 3);
          }
          for (int n = 0; n < 20; ++n, ++fetches) {
            for (u32 d = 0; d < 3; ++d) // of 1/1024 texels, three times the size around the image
              how.at[d] =
                  (static_cast<double>(random() % 4096) / 1024 - 1.5) * (normalized ? 1 : image.size[d]);
            for (u32 d = 0; d < 3; ++d) how.at[d] += 1.0 / 8192; // never on an edge of a texel
            ASSERT_NEAR(as_float(stored.fetch(how.at).channels[0]), oracle::fetch(image, how), 1e-3)
                << int{dimensions} << " dimensions, modes " << modes << ", at " << how.at[0] << ' '
                << how.at[1] << ' ' << how.at[2] << ", linear " << linear << ", normalized " << normalized;
          }
        }
  EXPECT_GT(fetches, 15000u);
}

TEST(TextureFetch, WeightsHaveEightBitsBehindThePoint) {
  Stored<float> row = row_of({0, 256, 512, 1024});
  row.object.sampler.linear = true;
  EXPECT_EQ(as_float(row.fetch({0.5}).channels[0]), 0);
  EXPECT_EQ(as_float(row.fetch({1.0}).channels[0]), 128);
  EXPECT_EQ(as_float(row.fetch({0.5 + 1.0 / 256}).channels[0]), 1);
  EXPECT_EQ(as_float(row.fetch({0.5 + 0.4 / 256}).channels[0]), 0); // down to a multiple of 1/256
  EXPECT_EQ(as_float(row.fetch({0.5 + 0.6 / 256}).channels[0]), 1); // and up
  EXPECT_EQ(as_float(row.fetch({3.5}).channels[0]), 1024);
  EXPECT_EQ(as_float(row.fetch({100}).channels[0]), 1024);
  EXPECT_EQ(as_float(row.fetch({-100}).channels[0]), 0);
}

TEST(TextureFetch, CoordinatesThatAreNoNumbersOrFarAwayEndSomewhere) {
  Stored<float> row = row_of({1, 2, 3, 4});
  for (bool linear : {false, true})
    for (AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border})
      for (double x : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e38, -1e38}) {
        row.object.sampler.linear = linear, row.object.sampler.mode.fill(mode);
        float value = as_float(row.fetch({x}).channels[0]);
        EXPECT_TRUE(value >= 0 && value <= 4) << value;
      }
}

template <class T> std::array<float, 4> normalized(std::vector<T> texel, ChannelKind kind) {
  TexelFormat format{kind, sizeof(T) * 8, static_cast<u8>(texel.size())};
  Stored<T> stored(format, ImageLayout::array, 1, {1, 1, 1}, std::move(texel));
  stored.object.sampler.normalized_read = true;
  Channels got = stored.fetch({0.5}).channels;
  return {as_float(got[0]), as_float(got[1]), as_float(got[2]), as_float(got[3])};
}

TEST(TextureFetch, NormalisedIntegersArePartsOfTheGreatest) {
  using Four = std::array<float, 4>;
  EXPECT_EQ(normalized<u8>({0, 255, 128, 1}, ChannelKind::unsigned_integer),
            (Four{0, 1, 128.0f / 255, 1.0f / 255}));
  EXPECT_EQ(normalized<i8>({127, -127, -128, 1}, ChannelKind::signed_integer), (Four{1, -1, -1, 1.0f / 127}));
  EXPECT_EQ(normalized<u16>({65535, 1}, ChannelKind::unsigned_integer), (Four{1, 1.0f / 65535, 0, 0}));
  EXPECT_EQ(normalized<i16>({-32768, 32767}, ChannelKind::signed_integer), (Four{-1, 1, 0, 0}));
}

TEST(TextureFetch, IntegersAreExtendedAndMissingChannelsAreZero) {
  Stored<i8> bytes({ChannelKind::signed_integer, 8, 2}, ImageLayout::buffer, 1, {2, 1, 1},
                   {-1, 5, -128, 127});
  EXPECT_EQ(bytes.fetch({0}, true).channels, (Channels{~0u, 5, 0, 0}));
  EXPECT_EQ(bytes.fetch({1}, true).channels, (Channels{~u32{127}, 127, 0, 0}));
  Stored<u16> words({ChannelKind::unsigned_integer, 16, 1}, ImageLayout::buffer, 1, {1, 1, 1}, {0xffff});
  EXPECT_EQ(words.fetch({0}, true).channels, (Channels{0xffff, 0, 0, 0}));
  Stored<u16> half({ChannelKind::floating, 16, 1}, ImageLayout::buffer, 1, {1, 1, 1},
                   {sem::to_half<sem::F16>(-1.5f).bits});
  EXPECT_EQ(half.fetch({0}, true).channels, (Channels{std::bit_cast<u32>(-1.5f), 0, 0, 0}));
  Stored<u32> nan(one_float, ImageLayout::buffer, 1, {1, 1, 1}, {0x7fa12345}); // its payload too
  EXPECT_EQ(nan.fetch({0}, true).channels[0], 0x7fa12345u);
}

TEST(TextureFetch, SrgbGoesThroughItsCurve) {
  Stored<u8> stored({ChannelKind::unsigned_integer, 8, 4}, ImageLayout::array, 1, {1, 1, 1},
                    {255, 0, 128, 128});
  stored.object.sampler.normalized_read = stored.object.sampler.srgb = true;
  Channels got = stored.fetch({0.5}).channels;
  EXPECT_EQ(as_float(got[0]), 1);
  EXPECT_EQ(as_float(got[1]), 0);
  EXPECT_NEAR(as_float(got[2]), 0.21586, 1e-4);
  EXPECT_EQ(as_float(got[3]), 128.0f / 255);
}

// Six faces of one texel row each: which one a direction meets.
TEST(TextureFetch, CubesAreLookedUpByTheGreatestPartOfTheDirection) {
  std::vector<float> texels;
  for (int face = 0; face < 6; ++face)
    for (int t = 0; t < 2; ++t)
      for (int s = 0; s < 2; ++s) texels.push_back(static_cast<float>(100 * face + 10 * t + s));
  Stored<float> cube(one_float, ImageLayout::array, 2, {2, 2, 6}, texels);
  cube.object.image.cube = true, cube.object.image.layers = 6;
  struct Row {
    std::array<double, 3> direction;
    float value;
  };
  // s and t by the guide's table: +x (-z, -y), -x (z, -y), +y (x, z), -y (x, -z), +z (x, -y), -z (-x, -y).
  for (const Row& row : {Row{{2, 1, -1}, 1}, Row{{2, -1, 1}, 10}, Row{{-2, -1, 1}, 111}, Row{{1, 2, -1}, 201},
                         Row{{1, -2, -1}, 311}, Row{{1, 1, 2}, 401}, Row{{1, 1, -2}, 500}}) {
    FetchPlace place;
    place.at = row.direction, place.cube = true;
    Fetched out;
    fetch(cube.object, 2, place, out);
    EXPECT_EQ(as_float(out.channels[0]), row.value)
        << row.direction[0] << row.direction[1] << row.direction[2];
  }
}

TEST(TextureFetch, SeamlessCubesFilterAcrossEdges) {
  std::vector<float> texels;
  for (int face = 0; face < 6; ++face) texels.insert(texels.end(), 4, static_cast<float>(face));
  Stored<float> cube(one_float, ImageLayout::array, 2, {2, 2, 6}, texels);
  cube.object.image.cube = true, cube.object.image.layers = 6;
  cube.object.sampler.linear = true;
  auto at = [&](std::array<double, 3> direction) {
    FetchPlace place;
    place.at = direction, place.cube = true;
    Fetched out;
    fetch(cube.object, 2, place, out);
    return as_float(out.channels[0]);
  };
  EXPECT_EQ(at({1.0001, 0, 1}), 0); // stays on +x
  cube.object.sampler.seamless_cube = true;
  EXPECT_NEAR(at({1.0001, 0, 1}), 2.0, 0.02);               // half of +x, half of +z, which is face 4
  EXPECT_NEAR(at({1.0001, 1, 1}), (0 + 2 + 4) / 3.0, 0.02); // a third of each at the corner
  EXPECT_EQ(at({1, 0, 0}), 0);
}

Stored<float> with_levels() { // 4, 2 and 1 texels of 10, 20 and 30
  Stored<float> out(one_float, ImageLayout::array, 1, {4, 1, 1}, {10, 10, 10, 10, 20, 20, 30});
  u64 begin = out.object.image.begin;
  out.object.image.levels = {
      {begin, 4, 1, 1, 16, 16}, {begin + 16, 2, 1, 1, 8, 8}, {begin + 24, 1, 1, 1, 4, 4}};
  out.object.image.place_levels();
  out.object.sampler.normalized_coordinates = true;
  out.object.sampler.greatest_level = 10;
  return out;
}
float at_level(const TextureObject& object, float level) {
  FetchPlace place;
  place.at = {0.3}, place.chooses_level = true, place.level = level;
  Fetched out;
  fetch(object, 1, place, out);
  return as_float(out.channels[0]);
}

TEST(TextureFetch, LevelsAreChosenBiasedClampedAndMixed) {
  Stored<float> image = with_levels();
  Sampler& sampler = image.object.sampler;
  EXPECT_EQ(at_level(image.object, 0), 10);
  EXPECT_EQ(at_level(image.object, 0.49f), 10);
  EXPECT_EQ(at_level(image.object, 0.51f), 20);
  EXPECT_EQ(at_level(image.object, 7), 30);
  EXPECT_EQ(at_level(image.object, -3), 10);
  sampler.linear_between_levels = true;
  EXPECT_EQ(at_level(image.object, 0.5f), 15);
  EXPECT_EQ(at_level(image.object, 1.25f), 22.5f);
  sampler.level_bias = 1;
  EXPECT_EQ(at_level(image.object, 0.25f), 22.5f);
  sampler.level_bias = 0, sampler.least_level = 1.5f;
  EXPECT_EQ(at_level(image.object, 0), 25);
  sampler.least_level = 0, sampler.greatest_level = 0.5f;
  EXPECT_EQ(at_level(image.object, 2), 15);
  EXPECT_EQ(as_float(image.fetch({0.3}).channels[0]), 10); // without a level: the greatest one
}

TEST(TextureFetch, LevelsFollowFromHowCoordinatesChange) {
  Stored<float> image = with_levels();
  const float quarter = 0.25f, half = 0.5f, none = 0;
  EXPECT_EQ(level_of_changes(image.object, {&quarter, 1}, {&none, 1}), 0); // a texel further
  EXPECT_EQ(level_of_changes(image.object, {&none, 1}, {&half, 1}), 1);
  EXPECT_LT(level_of_changes(image.object, {&none, 1}, {&none, 1}), -100);
}

TEST(TextureFetch, GathersCounterClockwiseFromTheLowerLeft) {
  std::vector<u32> texels;
  for (u32 i = 0; i < 16; ++i) texels.insert(texels.end(), {i, 100 + i, 200 + i, 300 + i});
  Stored<u32> image({ChannelKind::unsigned_integer, 32, 4}, ImageLayout::array, 2, {4, 4, 1}, texels);
  FetchPlace place;
  place.at = {2, 2}; // between texels (1, 1) and (2, 2)
  Fetched out;
  gather(image.object, place, 2, out);
  EXPECT_EQ(out.channels, (Channels{209, 210, 206, 205}));
  EXPECT_EQ(out.texels, 4u);
}

TEST(TextureFetch, LayersPastTheLastAreTheLast) {
  Stored<float> image(one_float, ImageLayout::array, 1, {1, 1, 3}, {7, 8, 9});
  image.object.image.layered = true, image.object.image.layers = 3;
  FetchPlace place;
  for (u32 layer : {0u, 1u, 2u, 3u, 1000u}) {
    place.layer = layer;
    Fetched out;
    fetch(image.object, 1, place, out);
    EXPECT_EQ(as_float(out.channels[0]), static_cast<float>(7 + std::min(layer, 2u)));
  }
}

TEST(TextureFetch, TellsWhichBytesTheMemorySystemSees) {
  std::vector<float> texels(64);
  Stored<float> image(one_float, ImageLayout::array, 2, {8, 8, 1}, texels);
  u64 begin = image.object.image.begin;
  EXPECT_EQ(image.fetch({0, 0}).seen_at[0], begin);
  EXPECT_EQ(image.fetch({3, 1}).seen_at[0], begin + 16 + 12); // a sector holds 4 x 2 texels
  EXPECT_EQ(image.fetch({4, 0}).seen_at[0], begin + 32);
  EXPECT_EQ(image.fetch({0, 2}).seen_at[0], begin + 64);
  image.object.sampler.mode.fill(AddressMode::border);
  EXPECT_EQ(image.fetch({-1, 2}).seen_at[0], begin + 64); // the nearest texel's sector
  image.object.sampler.linear = true;
  EXPECT_EQ(image.fetch({4, 4}).texels, 4u);
  EXPECT_EQ(image.fetch({4.5, 4}).texels, 2u); // those that have a weight
  EXPECT_EQ(image.fetch({4.5, 4.5}).texels, 1u);
  image.object.image.layout = ImageLayout::rows;
  EXPECT_EQ(image.fetch({4, 4}).seen_at[3], begin + 4 * 32 + 16);
}

TEST(TextureObjects, HandlesAreNeverUsedTwice) {
  TextureObjects objects;
  u64 first = objects.add({}), second = objects.add({});
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  EXPECT_NE(objects.find(first), nullptr);
  EXPECT_FALSE(objects.remove(first, true)); // a texture, not a surface
  EXPECT_TRUE(objects.remove(first, false));
  EXPECT_EQ(objects.find(first), nullptr);
  EXPECT_TRUE(objects.existed(first));
  EXPECT_NE(objects.add({}), first);
  for (u64 handle : {u64{0}, u64{99}, ~u64{0}}) {
    EXPECT_EQ(objects.find(handle), nullptr);
    EXPECT_FALSE(objects.existed(handle));
  }
}

} // namespace
} // namespace warplens::sim
