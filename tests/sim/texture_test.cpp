// The texture and surface instructions in kernels: operands in their places, lanes apart, faults, and what the sink hears.
#include "arch/count.h"
#include "arch/table.h"
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

constexpr TexelFormat one_float{ChannelKind::floating, 32, 1};

struct Counter final : access::Sink {
  std::vector<access::WarpAccess> seen;
  std::vector<std::vector<u64>> further;
  void lanes(const access::LaneBatch& batch) override {
    if (batch.space != access::Space::texture && batch.space != access::Space::surface) return;
    for (u32 w = 0; w < batch.active.size(); ++w) {
      access::WarpAccess one = access::warp_of(batch, w);
      further.emplace_back(one.further.begin(), one.further.end());
      one.further = {};
      seen.push_back(one);
    }
  }
  void affine(const access::AffineAccess&) override {}
};

// Every thread runs `body` with its number in %r1, its coordinates (floats %f1…%f4, whole numbers %r11…%r14) read from
// `at`, the object in %d9; %r2…%r5 and %h1…%h4 go to `out`.
std::string kernel(const std::string& body) {
  return ptx_header() + R"(
.visible .entry k(.param .u64 object, .param .u64 at, .param .u64 out) {
  .reg .b16 %h<5>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %d<12>; .reg .pred %p<3>;
  ld.param.u64 %d9, [object]; ld.param.u64 %d1, [at]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 16; add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1]; ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%d1];
  mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;
)" + body +
         R"(
  st.global.v4.u32 [%d2], {%r2, %r3, %r4, %r5};
  ret;
})";
}

class Textures : public testing::Test {
protected:
  template <class T>
  u64 image(TexelFormat format, ImageLayout layout, u8 dimensions, std::array<u64, 3> size,
            const std::vector<T>& texels, bool surface = false, u64 layers = 1) {
    TextureObject object;
    object.is_surface = surface;
    Image& i = object.image;
    i.format = format, i.layout = layout, i.dimensions = dimensions;
    i.layered = layers > 1, i.layers = layers;
    i.begin = memory = gpu.buffer(texels), i.bytes = texels.size() * sizeof(T);
    u64 row = size[0] * format.bytes();
    i.levels = {{i.begin, size[0], size[1], size[2], row, row * size[1]}};
    i.place_levels();
    object.sampler = sampler;
    return gpu.device.textures.add(std::move(object));
  }
  // One warp, or as many threads as there are places.
  std::vector<u32> run(const std::string& body, u64 object, const std::vector<std::array<u32, 4>>& places) {
    EXPECT_TRUE(gpu.load(kernel(body)));
    u64 at = gpu.buffer(places), out = gpu.buffer(std::vector<u32>(4 * places.size()));
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&counter};
    LaunchResult result = gpu.run("k", {1}, {static_cast<u32>(places.size())}, {object, at, out}, options);
    fault = result.fault ? result.fault->diagnostic.message : "";
    warnings = result.warnings.size();
    return gpu.read<u32>(out, 4 * places.size());
  }
  static std::array<u32, 4> floats(float x, float y = 0, float z = 0, float w = 0) {
    return {std::bit_cast<u32>(x), std::bit_cast<u32>(y), std::bit_cast<u32>(z), std::bit_cast<u32>(w)};
  }
  static u32 bits(float x) { return std::bit_cast<u32>(x); }

  Gpu gpu;
  Counter counter;
  Sampler sampler{};
  std::string fault;
  std::size_t warnings = 0;
  u64 memory = 0;
};

std::vector<float> counted(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(i);
  return out;
}

TEST_F(Textures, CoordinatesAndLayersComeInTheOrderOfTheText) {
  u64 plane = image(one_float, ImageLayout::array, 2, {8, 4, 1}, counted(32));
  EXPECT_EQ(run("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}];", plane, {floats(3.5, 2.5)}),
            (std::vector<u32>{bits(19), 0, 0, 0}));
  EXPECT_EQ(run("tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11, %r12}];", plane, {{3, 2}})[0],
            bits(19));
  u64 solid = image(one_float, ImageLayout::array, 3, {4, 2, 3}, counted(24));
  EXPECT_EQ(run("tex.3d.v4.u32.f32 {%r2, _, _, _}, [%d9, {%f1, %f2, %f3, %f3}];", solid,
                {floats(1.5, 1.5, 2.5)})[0],
            bits(21));
  u64 layers = image(one_float, ImageLayout::array, 2, {4, 2, 3}, counted(24), false, 3);
  EXPECT_EQ(run("tex.a2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%r13, %f1, %f2, %f2}];", layers,
                {{bits(1.5), bits(0.5), 2, 0}})[0],
            bits(17));
  EXPECT_EQ(warnings, 0u);
}

TEST_F(Textures, ThereIsNoObjectZero) {
  run("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {5}];", 0, {{}});
  EXPECT_EQ(fault, "there is no texture object 0x0");
}

TEST_F(Textures, LinesAreCountedFromImmediatesToo) {
  u64 row = image(one_float, ImageLayout::buffer, 1, {8, 1, 1}, counted(8));
  EXPECT_EQ(run("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {5}];", row, {{}})[0], bits(5));
  EXPECT_EQ(
      run("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}|%p1, [%d9, {%r11}]; selp.u32 %r3, 7, 9, %p1;", row, {{6}}),
      (std::vector<u32>{bits(6), 7, 0, 0}));
  EXPECT_EQ(
      run("tex.1d.v4.f16.s32 {%h1, %h2, %h3, %h4}, [%d9, {%r11}]; cvt.u32.u16 %r2, %h1;", row, {{1}})[0],
      0x3c00u);
  EXPECT_EQ(run("tex.1d.v2.f16x2.s32 {%r2, %r3}, [%d9, {%r11}];", row, {{2}})[0], 0x4000u);
}

TEST_F(Textures, OutsideABufferAreZeros) {
  sampler.mode.fill(AddressMode::border);
  u64 row = image(one_float, ImageLayout::buffer, 1, {4, 1, 1}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(run("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11}];", row, {{~0u}, {4}, {3}}),
            (std::vector<u32>{0, 0, 0, 0, 0, 0, 0, 0, bits(4), 0, 0, 0}));
}

// cuda-samples' convolutionFFT2D describes 16 columns more than it has, and never fetches them.
TEST_F(Textures, ABufferDescribedLongerThanItsMemoryIsCheckedByTheFetch) {
  sampler.mode.fill(AddressMode::border);
  const char* body = "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11}];";
  TextureObject longer;
  longer.sampler = sampler;
  Image& i = longer.image;
  i.format = one_float, i.layout = ImageLayout::buffer;
  i.begin = gpu.buffer(std::vector<float>{1, 2, 3, 4}), i.bytes = 16;
  constexpr u64 width = u64{1} << 27;
  i.levels = {{i.begin, width, 1, 1, width * 4, width * 4}};
  u64 row = gpu.device.textures.add(std::move(longer));
  EXPECT_EQ(run(body, row, {{3}, {width}}), (std::vector<u32>{bits(4), 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(fault + std::to_string(warnings), "0");
  run(body, row, {{4}}); // past the allocation, inside a page
  EXPECT_EQ(fault + std::to_string(warnings), "1");
  run(body, row, {{width - 1}});
  EXPECT_NE(fault.find("is outside all device memory"), fault.npos) << fault;
}

TEST_F(Textures, LanesThatDoNotTakePartKeepWhatTheyHave) {
  u64 row = image(one_float, ImageLayout::buffer, 1, {8, 1, 1}, counted(8));
  std::vector<u32> got =
      run("mov.u32 %r2, 77; setp.lt.u32 %p1, %r1, 2; @%p1 tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, "
          "[%d9, {%r11}];",
          row, {{3}, {4}, {5}, {6}});
  EXPECT_EQ(got[0], bits(3));
  EXPECT_EQ(got[4], bits(4));
  EXPECT_EQ(got[8], 77u);
  EXPECT_EQ(got[12], 77u);
  ASSERT_EQ(counter.seen.size(), 1u);
  EXPECT_EQ(counter.seen[0].active, 3u);
}

TEST_F(Textures, GathersAndGradientsAndLevelsRun) {
  u64 plane = image(one_float, ImageLayout::array, 2, {4, 4, 1}, counted(16));
  EXPECT_EQ(run("tld4.r.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}];", plane, {floats(2, 2)}),
            (std::vector<u32>{bits(9), bits(10), bits(6), bits(5)}));
  EXPECT_EQ(run("tex.level.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], %f3;", plane,
                {floats(2, 2, 3)})[0],
            bits(10));
  EXPECT_EQ(run("tex.grad.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], {%f3, %f3}, {%f4, %f4};",
                plane, {floats(2, 2, 3, 4)})[0],
            bits(10));
}

TEST_F(Textures, QueriesTellWhatTheObjectIs) {
  sampler.normalized_coordinates = true;
  u64 plane = image(TexelFormat{ChannelKind::unsigned_integer, 8, 4}, ImageLayout::array, 2, {8, 4, 1},
                    std::vector<u32>(32));
  EXPECT_EQ(run("txq.width.b32 %r2, [%d9]; txq.height.b32 %r3, [%d9]; txq.channel_order.b32 %r4, [%d9]; "
                "txq.normalized_coords.b32 %r5, [%d9];",
                plane, {{}}),
            (std::vector<u32>{8, 4, 0x10b5, 1}));
  EXPECT_EQ(run("txq.channel_data_type.b32 %r2, [%d9]; txq.level.width.b32 %r3, [%d9], 0; "
                "txq.num_mipmap_levels.b32 %r4, [%d9]; txq.depth.b32 %r5, [%d9];",
                plane, {{}}),
            (std::vector<u32>{0x10da, 8, 1, 0}));
}

TEST_F(Textures, SurfacesAreReadAndWrittenByTheByte) {
  u64 surface = image(TexelFormat{ChannelKind::unsigned_integer, 8, 4}, ImageLayout::array, 2, {4, 2, 1},
                      std::vector<u32>{0, 1, 2, 3, 4, 0x08070605, 6, 7}, true);
  EXPECT_EQ(run("suld.b.2d.b32.trap {%r2}, [%d9, {%r11, %r12}]; suld.b.2d.v4.b8.trap {%h1, %h2, %h3, %h4}, "
                "[%d9, {%r11, %r12}]; cvt.u32.u16 %r3, %h4;",
                surface, {{4, 1}}),
            (std::vector<u32>{0x08070605, 8, 0, 0}));
  run("sust.b.2d.v2.b16.trap [%d9, {%r11, %r12}], {%h1, %h2};"
      "mov.u16 %h3, 258; sust.b.2d.b8.trap [%d9, {0, 0}], {%h3};",
      surface, {{12, 0}});
  EXPECT_EQ(gpu.read<u32>(memory, 1)[0], 2u); // the low byte of 258
  ASSERT_GE(counter.seen.size(), 4u);
  EXPECT_EQ(counter.seen.back().space, access::Space::surface);
  EXPECT_EQ(counter.seen.back().kind, access::Kind::store);
  EXPECT_EQ(counter.seen.back().bytes, 1);
}

TEST_F(Textures, OutsideASurfaceTheModeDecides) {
  u64 surface =
      image(one_float, ImageLayout::array, 2, {4, 2, 1}, std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 8}, true);
  EXPECT_EQ(
      run("suld.b.2d.b32.zero {%r2}, [%d9, {%r11, %r12}]; suld.b.2d.b32.clamp {%r3}, [%d9, {%r11, %r12}];",
          surface, {{16, 0}, {~0u, 1}, {4, 9}, {4, 1}}),
      (std::vector<u32>{0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 6, 6, 0, 0}));
  run("mov.u32 %r3, 99; sust.b.2d.b32.zero [%d9, {%r11, %r12}], {%r3};", surface, {{16, 0}});
  EXPECT_EQ(gpu.read<u32>(memory, 8), (std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 8}));
  run("suld.b.2d.b32.trap {%r2}, [%d9, {%r11, %r12}];", surface, {{0, 2}});
  EXPECT_NE(fault.find("outside a surface of 16 bytes x 2 rows"), fault.npos) << fault;
  run("suld.b.2d.b32.trap {%r2}, [%d9, {%r11, %r12}];", surface, {{2, 0}});
  EXPECT_NE(fault.find("not a multiple of 4"), fault.npos) << fault;
}

TEST_F(Textures, ReductionsOfSurfacesMeetAtATexel) {
  u64 surface = image(TexelFormat{ChannelKind::unsigned_integer, 32, 1}, ImageLayout::array, 1, {4, 1, 1},
                      std::vector<u32>{0, 100, 0, 0}, true);
  run("mov.u32 %r3, 3; sured.b.add.1d.u32.trap [%d9, {0}], %r3; mov.s32 %r4, -5; sured.b.min.1d.s32.trap "
      "[%d9, {4}], %r4;",
      surface, std::vector<std::array<u32, 4>>(32));
  EXPECT_EQ(gpu.read<u32>(memory, 2), (std::vector<u32>{96, static_cast<u32>(-5)}));
}

TEST_F(Textures, HandlesOfNothingAreNamed) {
  const char* body = "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11}];";
  run(body, 0x1234, {{0}});
  EXPECT_NE(fault.find("there is no texture object 0x1234"), fault.npos) << fault;
  u64 row = image(one_float, ImageLayout::buffer, 1, {4, 1, 1}, counted(4));
  gpu.device.textures.remove(row, false);
  run(body, row, {{0}});
  EXPECT_NE(fault.find("was destroyed"), fault.npos) << fault;
  u64 surface = image(one_float, ImageLayout::array, 1, {4, 1, 1}, counted(4), true);
  run(body, surface, {{0}});
  EXPECT_NE(fault.find("is a surface object, not a texture object"), fault.npos) << fault;
  // Large, so that what run() allocates does not take all of its place.
  u64 freed = image(one_float, ImageLayout::buffer, 1, {1 << 16, 1, 1}, counted(1 << 16));
  gpu.device.memory->release(memory);
  run(body, freed, {{0}});
  EXPECT_NE(fault.find("was freed"), fault.npos) << fault;
}

TEST_F(Textures, AFetchOfAnotherGeometryIsToldOf) {
  u64 row = image(one_float, ImageLayout::buffer, 1, {4, 1, 1}, counted(4));
  run("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}];", row, {floats(1, 1)});
  EXPECT_EQ(fault, "");
  EXPECT_EQ(warnings, 1u);
}

TEST_F(Textures, WholeTexelsAreAddedToCoordinates) {
  sampler.normalized_coordinates = false;
  u64 plane = image(one_float, ImageLayout::array, 2, {4, 4, 1}, counted(16));
  const std::string fetch = "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}]";
  auto first = [&](const std::string& text, const std::array<u32, 4>& at) {
    return run(text, plane, {at})[0];
  };
  EXPECT_EQ(first(fetch + ", {1, -2};", floats(1.5, 3.5)), bits(6));
  EXPECT_EQ(first("mov.b32 %r11, -1; mov.b32 %r12, 1; " + fetch + ", {%r11, %r12};", floats(1.5, 1.5)),
            bits(8));
  EXPECT_EQ(first(fetch + ", {7, -8};", floats(1.5, 1.5)), bits(3)); // beyond the edge: the mode's
  EXPECT_EQ(first("tex.level.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], 0f00000000, {1, 0};",
                  floats(1.5, 1.5)),
            bits(6));
  EXPECT_EQ(first("tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11, %r12}], {1, 1};", {1, 1, 0, 0}),
            bits(10));
  EXPECT_EQ(
      run("tld4.r.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], {1, 1};", plane, {floats(1, 1)}),
      (std::vector<u32>{bits(9), bits(10), bits(6), bits(5)}));
  u64 row = image(one_float, ImageLayout::array, 1, {8, 1, 1}, counted(8));
  for (const char* offset : {"3", "{3}", "%r11"})
    EXPECT_EQ(
        run(fmt::format("mov.b32 %r11, 3; tex.1d.v4.u32.f32 {{%r2, %r3, %r4, %r5}}, [%d9, {{%f1}}], {};",
                        offset),
            row, {floats(2.5)})[0],
        bits(5));
  EXPECT_EQ(fault, "");
}

TEST_F(Textures, ADepthToCompareWithHasNoEffect) { // as on an H200, whatever it is
  sampler.normalized_coordinates = false;
  u64 plane = image(one_float, ImageLayout::array, 2, {4, 4, 1}, counted(16));
  for (const char* tail : {"0f3F000000", "%f3", "{1, 0}, %f3"})
    EXPECT_EQ(run(fmt::format("tex.2d.v4.u32.f32 {{%r2, %r3, %r4, %r5}}, [%d9, {{%f1, %f2}}], {};", tail),
                  plane, {floats(1.5, 2.5, 0.25)})[0],
              bits(tail[0] == '{' ? 10.0f : 9.0f));
  u64 row = image(one_float, ImageLayout::array, 1, {8, 1, 1}, counted(8));
  EXPECT_EQ(run("tex.1d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1}], %f2;", row, {floats(2.5, 7)})[0],
            bits(2));
  EXPECT_EQ(fault, "");
}

TEST_F(Textures, OffsetsOfAnotherNumberAreErrors) {
  EXPECT_FALSE(ptx::parse(kernel("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], {1, 2, 3};"))
                   .has_value());
  EXPECT_FALSE(
      ptx::parse(kernel("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}], {};")).has_value());
}

TEST_F(Textures, WhatIsNotKnownStopsTheLaunchByName) {
  u64 plane = image(one_float, ImageLayout::array, 2, {4, 4, 1}, counted(16));
  for (const char* text : {"tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, %d1, {%f1, %f2}];",
                           "tex.2dms.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11, %r12, %r11, %r11}];",
                           "sured.b.exch.1d.u32.trap [%d9, {%r11}], %r2;"}) {
    run(text, plane, {{}});
    std::string name(text, std::string_view(text).find(' '));
    EXPECT_NE(fault.find(name), fault.npos) << fault;
  }
}

TEST_F(Textures, LayersAndCubesAreGathered) {
  sampler.normalized_coordinates = false;
  u64 layers = image(one_float, ImageLayout::array, 2, {4, 2, 1}, counted(24), false, 3);
  EXPECT_EQ(run("tld4.r.a2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%r13, %f1, %f2, %f2}];", layers,
                {{bits(2.0f), bits(1.0f), 2, 0}}),
            (std::vector<u32>{bits(21), bits(22), bits(18), bits(17)}));
  // The face of +z of a cube of 2 x 2 texels: its four, around the middle.
  sampler.normalized_coordinates = true;
  u64 cube = image(one_float, ImageLayout::array, 2, {2, 2, 1}, counted(24), false, 1);
  TextureObject object = *gpu.device.textures.find(cube);
  object.image.cube = true, object.image.layers = 6;
  cube = gpu.device.textures.add(object);
  EXPECT_EQ(run("tld4.r.cube.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2, %f3, %f3}];", cube,
                {floats(0, 0, 1)}),
            (std::vector<u32>{bits(18), bits(19), bits(17), bits(16)}));
  EXPECT_EQ(warnings, 0u);
}

// sust.p counts elements, and stores numbers in the format of the surface.
TEST_F(Textures, SurfacesAreWrittenByTheElement) {
  constexpr TexelFormat two_halves{ChannelKind::floating, 16, 2};
  u64 plane = image(two_halves, ImageLayout::array, 2, {4, 2, 1}, std::vector<u16>(16), true);
  run("sust.p.2d.v2.b32.trap [%d9, {%r13, %r14}], {%f1, %f2};", plane, {{bits(1.0f), bits(-2.0f), 3, 1}});
  EXPECT_EQ(fault, "");
  std::vector<u16> texels = gpu.read<u16>(memory, 16);
  EXPECT_EQ(texels[14], 0x3c00);
  EXPECT_EQ(texels[15], 0xc000);
  constexpr TexelFormat byte{ChannelKind::unsigned_integer, 8, 1};
  u64 bytes = image(byte, ImageLayout::array, 2, {4, 2, 1}, std::vector<u8>(8), true);
  run("sust.p.2d.b32.trap [%d9, {%r13, %r14}], {%r13};", bytes, {{0, 0, 3, 1}});
  EXPECT_NE(fault.find("integers of 8 bits"), fault.npos) << fault;
}

// A reference is a variable that the host gives an object's handle; an instruction may name it, or its address in a register.
TEST_F(Textures, ReferencesNameWhatTheyAreBoundTo) {
  u64 plane = image(one_float, ImageLayout::array, 2, {4, 4, 1}, counted(16));
  std::string text =
      kernel("mov.u64 %d10, t; tex.2d.v4.u32.s32 {%r2, _, _, _}, [t, {%r13, %r14}]; "
             "tex.2d.v4.u32.s32 {%r3, _, _, _}, [%d10, {%r14, %r13}]; istypep.texref %p1, %d10; "
             "istypep.surfref %p2, %d10; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p2;");
  text.insert(text.find(".visible"), ".global .texref t;\n");
  ASSERT_TRUE(gpu.load(text));
  u64 at = gpu.buffer(std::vector<u32>{0, 0, 3, 1}), out = gpu.buffer(std::vector<u32>(4));
  LaunchResult unbound = gpu.run("k", {1}, {1}, {plane, at, out});
  ASSERT_TRUE(unbound.fault.has_value());
  EXPECT_NE(unbound.fault->diagnostic.message.find("bound to nothing"), std::string::npos)
      << unbound.fault->diagnostic.message;
  std::memcpy(reinterpret_cast<void*>(gpu.program->symbol("t")->address), &plane, sizeof plane);
  gpu.expect_run("k", {1}, {1}, {plane, at, out});
  EXPECT_EQ(gpu.read<u32>(out, 4), (std::vector<u32>{bits(7), bits(13), 1, 0}));
}

// A row of an array by 32 lanes: 8 quads, each in a sector of its own. Four rows of eight: a quad is a row of a tile, and two
// of them share it, but not a request.
TEST_F(Textures, TheSinkHearsQuadsInTheLayoutOfArrays) {
  u64 plane = image(one_float, ImageLayout::array, 2, {32, 8, 1}, counted(256));
  std::vector<std::array<u32, 4>> places;
  for (u32 lane = 0; lane < 32; ++lane) places.push_back({lane, 0});
  run("tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d9, {%r11, %r12}];", plane, places);
  ASSERT_EQ(counter.seen.size(), 1u);
  EXPECT_EQ(counter.seen[0].bytes, 4);
  EXPECT_EQ(counter.seen[0].texture_dimensions, 2);
  arch::Counts counts = arch::count(*arch::find(90), counter.seen[0]);
  EXPECT_EQ(counts.requests, 8u);
  EXPECT_EQ(counts.sectors, 8u);
  EXPECT_EQ(counts.ideal_sectors, 8u);
}

TEST_F(Textures, AFilteredFetchTouchesTheSectorsOfItsFootprint) {
  sampler.linear = true;
  u64 plane = image(one_float, ImageLayout::array, 2, {32, 8, 1}, counted(256));
  std::vector<std::array<u32, 4>> places;
  for (u32 lane = 0; lane < 32; ++lane)
    places.push_back(floats(static_cast<float>(lane % 4) + 1, lane < 4 ? 1.0f : 2.0f));
  run("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%d9, {%f1, %f2}];", plane, places);
  ASSERT_EQ(counter.seen.size(), 1u);
  access::WarpAccess access = counter.seen[0];
  access.further = counter.further[0];
  EXPECT_EQ(access.further.size(), 3 * warp_size);
  access.active = 0xf; // columns 0 to 4, rows 0 and 1: tiles (0, 0) and (1, 0)
  EXPECT_EQ(arch::count(*arch::find(90), access).sectors, 2u);
  access.active = 0xf0; // rows 1 and 2
  EXPECT_EQ(arch::count(*arch::find(90), access).sectors, 4u);
}

} // namespace
} // namespace warplens::sim
