// Bulk copies: rows, reductions, multicast, tiles of tensors with every swizzle, and what the sink is told.
#include "sim/harness.h"
#include "sim/memory/tensor_map.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warplens::sim {
namespace {

// A kernel k(in, out, map) of one thread per CTA that may use %rd1 (in), %rd2 (out), %rd3 (generic address of the tensor map),
// %r0 (ctaid), `tile` (32 KiB, 1024-byte aligned), `bar` (initialised for one arrival) and registers from 1 (%rd: 4) on.
std::string kernel(const std::string& body, std::string_view cluster = "1, 1, 1") {
  return fmt::format(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128]) .reqnctapercluster {} {{
  .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .b16 %h<4>;
  .shared .align 1024 .b8 tile[32768]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;
  mov.u32 %r0, %ctaid.x;
  mbarrier.init.shared.b64 [bar], 1; fence.proxy.async.shared::cta;
)",
                     cluster) +
         body + "\n  ret;\n}\n";
}

std::string arrive(u64 bytes) {
  return fmt::format("mbarrier.arrive.expect_tx.shared.b64 _, [bar], {};\n", bytes);
}
const char* const wait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n";
const char* const finish =
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\n";

struct BulkCounter final : access::Sink {
  void lanes(const access::LaneBatch&) override {}
  void affine(const access::AffineAccess&) override {}
  void bulk(const access::BulkAccess& access) override {
    rows.insert(rows.end(), access.rows.begin(), access.rows.end());
  }
  std::vector<access::BulkRow> rows;
};

class BulkCopies : public testing::Test, public Gpu {
protected:
  LaunchResult launch_kernel(const std::string& text, u64 in, u64 out, const TensorMap* map = nullptr,
                             u32 ctas = 1) {
    if (!load(text)) return {};
    std::vector<std::byte> parameters(192);
    std::memcpy(parameters.data(), &in, 8);
    std::memcpy(parameters.data() + 8, &out, 8);
    if (map != nullptr) map->write(parameters.data() + 64);
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&counter};
    LaunchSpec spec{*program->kernel("k"), {ctas}, {1}, {}, 0, parameters, false};
    return launch(device, *program, spec, options);
  }
  void expect_kernel(const std::string& text, u64 in, u64 out, const TensorMap* map = nullptr, u32 ctas = 1) {
    LaunchResult result = launch_kernel(text, in, out, map, ctas);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
  }
  static std::vector<u32> numbers(u32 n) {
    std::vector<u32> out(n);
    for (u32 i = 0; i < n; ++i) out[i] = i * 7 + 1;
    return out;
  }
  BulkCounter counter;
};

// --check memory judges what kernels read by this.
TEST_F(BulkCopies, WhatTheyWriteToGlobalMemoryCountsAsWritten) {
  device.memory->track();
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(64));
  WrittenBytes& written = *device.memory->written();
  ASSERT_EQ(written.first_unwritten(out, 256), out);
  expect_kernel(
      kernel("cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [tile], 208;\n" + std::string(finish)),
      in, out);
  EXPECT_EQ(written.first_unwritten(out + 16, 208), std::nullopt);
  EXPECT_EQ(written.first_unwritten(out, 17), out);
  EXPECT_EQ(written.first_unwritten(out + 16, 209), out + 224);
}

TEST_F(BulkCopies, AGenericAddressOfSharedMemoryIsTruncated) {
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(64));
  expect_kernel(kernel(arrive(256) + R"(
  mov.u64 %rd4, tile; cvta.shared.u64 %rd4, %rd4;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd4], [%rd1], 256, [bar];
)" + wait + "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%rd4], 256;\n" +
                       finish),
                in, out);
  EXPECT_EQ(read<u32>(out, 64), numbers(64));
}

TEST_F(BulkCopies, ToSharedMemoryAndBack) {
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(64));
  expect_kernel(kernel(arrive(256) + R"(
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+32], [%rd1], 256, [bar];
)" + wait + "cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [tile+32], 208;\n" +
                       finish),
                in, out);
  std::vector<u32> got = read<u32>(out, 64), want(64);
  for (u32 i = 0; i < 52; ++i) want[i + 4] = i * 7 + 1;
  EXPECT_EQ(got, want);
  ASSERT_EQ(counter.rows.size(), 2u);
  EXPECT_EQ(counter.rows[0].address, in);
  EXPECT_EQ(counter.rows[0].bytes, 256u);
  EXPECT_EQ(counter.rows[1].address, out + 16);
  EXPECT_EQ(counter.rows[1].bytes, 208u);
}

TEST_F(BulkCopies, AReductionAddsToWhatIsThere) {
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(64, 1000));
  expect_kernel(
      kernel(arrive(256) + R"(
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile], [%rd1], 256, [bar], %rd4;
)" + wait +
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [tile], 256;\n"
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%rd2], [tile+128], 128;\n" +
             finish),
      in, out);
  std::vector<u32> got = read<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(got[i], 1000 + i * 7 + 1) << i;
}

TEST_F(BulkCopies, BetweenBlocksOfACluster) {
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(64));
  expect_kernel(kernel(R"(
  setp.eq.u32 %p2, %r0, 0; mov.u32 %r1, tile; mov.u32 %r2, bar;
  mapa.shared::cluster.u32 %r3, %r1, 1; mapa.shared::cluster.u32 %r4, %r2, 1;
  @!%p2 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
  @%p2 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
  barrier.cluster.arrive; barrier.cluster.wait;
  @!%p2 bra RECEIVE;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 256, [bar];
W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [tile], 256, [%r4];
  bra END;
RECEIVE: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra RECEIVE;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;
END: barrier.cluster.arrive; barrier.cluster.wait;)",
                       "2, 1, 1"),
                in, out, nullptr, 2);
  EXPECT_EQ(read<u32>(out, 64), numbers(64));
}

TEST_F(BulkCopies, ToSeveralBlocksAtOnce) {
  u64 in = buffer(numbers(64)), out = buffer(std::vector<u32>(4 * 64));
  expect_kernel(kernel(arrive(256) + R"(
  mul.wide.u32 %rd4, %r0, 256; add.s64 %rd2, %rd2, %rd4;
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.eq.u32 %p2, %r0, 1; mov.u16 %h1, 13;
  @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1], 256, [bar], %h1;
  @%p2 bra END;
)" + std::string(wait) + R"(
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;
END: barrier.cluster.arrive; barrier.cluster.wait;)",
                       "4, 1, 1"),
                in, out, nullptr, 4);
  std::vector<u32> got = read<u32>(out, 256);
  for (u32 block = 0; block < 4; ++block)
    for (u32 i = 0; i < 64; ++i)
      EXPECT_EQ(got[block * 64 + i], block == 1 ? 0 : i * 7 + 1) << block << " " << i;
}

TEST_F(BulkCopies, WhatIsNotAlignedOrNotThere) {
  u64 in = buffer(numbers(64)), out = buffer(numbers(64));
  for (const char* copy :
       {"[tile], [%rd1], 40, [bar];", "[tile+8], [%rd1], 32, [bar];", "[tile], [%rd1+4], 32, [bar];"}) {
    LaunchResult result = launch_kernel(
        kernel(std::string("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ") + copy), in,
        out);
    ASSERT_TRUE(result.fault.has_value()) << copy;
    EXPECT_EQ(result.fault->kind, FaultKind::misaligned_address) << copy;
  }
  for (const char* copy : {"[tile+32752], [%rd1], 32, [bar];", "[tile], [%rd4], 32, [bar];"}) {
    LaunchResult result = launch_kernel(
        kernel(std::string(
                   "mov.u64 %rd4, 64; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ") +
               copy),
        in, out);
    ASSERT_TRUE(result.fault.has_value()) << copy;
    EXPECT_EQ(result.fault->kind, FaultKind::illegal_address) << copy;
  }
}

TensorMap matrix_map(u64 at, u32 columns, u32 rows, u32 pitch, u32 box_columns, u32 box_rows, u32 swizzle) {
  TensorMap map;
  map.address = at;
  map.rank = 2;
  map.element = TensorElement::u32;
  map.swizzle = swizzle;
  map.extent = {columns, rows};
  map.stride = {4, pitch};
  map.box = {box_columns, box_rows};
  return map;
}

std::string tile_in(const char* dimensions, const std::string& coordinates, u64 bytes) {
  return arrive(bytes) +
         fmt::format("cp.async.bulk.tensor.{}.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[tile], [%rd3, {{{}}}], [bar];\n",
                     dimensions, coordinates) +
         wait;
}
std::string give_tile(u64 bytes) {
  return fmt::format("cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], {};\n", bytes) + finish;
}

// Element (column, row) of a tile lies at row · width + column, its 16-byte pieces exchanged: with 128 bytes, piece p of line l of
// the shared memory at p xor (l mod 8); with 64, p xor (l / 2 … ) and so on. Written out in another way than the product's.
u32 place(u32 byte, u32 swizzle) {
  u32 line = byte / 128, piece = byte / 16 % 8, rest = byte % 16;
  if (swizzle == 128) piece ^= line % 8;
  if (swizzle == 64) piece ^= line % 4;
  if (swizzle == 32) piece ^= line % 2;
  return line * 128 + piece * 16 + rest;
}

TEST_F(BulkCopies, TilesWithEverySwizzle) {
  constexpr u32 columns = 100, rows = 40, pitch = 416;
  std::vector<u32> tensor(pitch / 4 * rows);
  for (u32 i = 0; i < tensor.size(); ++i) tensor[i] = i + 1;
  u64 in = buffer(tensor);
  for (u32 swizzle : {0u, 32u, 64u, 128u})
    for (auto [x, y] : {std::pair{0, 0}, {16, 3}, {-8, -2}, {92, 36}, {200, 0}}) {
      u32 width = swizzle == 0 ? 32 : swizzle / 4, height = 16, bytes = width * height * 4;
      u64 out = buffer(std::vector<u32>(width * height, 99));
      TensorMap map = matrix_map(in, columns, rows, pitch, width, height, swizzle);
      counter.rows.clear();
      expect_kernel(kernel(tile_in("2d", fmt::format("{}, {}", x, y), bytes) + give_tile(bytes)), in, out,
                    &map);
      std::vector<u32> got = read<u32>(out, width * height);
      u32 seen = 0;
      for (i32 r = 0; r < static_cast<i32>(height); ++r)
        for (i32 c = 0; c < static_cast<i32>(width); ++c) {
          bool inside = x + c >= 0 && x + c < 100 && y + r >= 0 && y + r < 40;
          u32 want = inside ? tensor[static_cast<u32>(y + r) * pitch / 4 + static_cast<u32>(x + c)] : 0;
          seen += inside;
          ASSERT_EQ(got[place(static_cast<u32>(r) * width * 4 + static_cast<u32>(c) * 4, swizzle) / 4], want)
              << swizzle << " " << x << " " << y << " " << r << " " << c;
        }
      u64 moved = 0;
      for (std::size_t i = 0; i + 1 < counter.rows.size(); ++i)
        moved += counter.rows[i].bytes; // the last is the tile's
      EXPECT_EQ(moved, seen * 4);
    }
}

TEST_F(BulkCopies, TilesAreWrittenWhereTheTensorIs) {
  u64 in = buffer(numbers(16 * 8)), out = buffer(std::vector<u32>(20 * 10, 5));
  for (bool adds : {false, true}) {
    TensorMap map = matrix_map(out, 18, 10, 80, 16, 8, 64);
    expect_kernel(
        kernel(
            arrive(512) +
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 512, "
            "[bar];\n" +
            wait +
            (adds ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd3, {4, 1}], "
                    "[tile];\n"
                  : "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {4, 1}], [tile];\n") +
            finish),
        in, out, &map);
    std::vector<u32> got = read<u32>(out, 200);
    for (u32 r = 0; r < 10; ++r)
      for (u32 c = 0; c < 20; ++c) {
        bool written = c >= 4 && c < 20 && r >= 1 && r < 9; // of 18 columns: up to the next 16 bytes
        u32 value = written ? place((r - 1) * 64 + (c - 4) * 4, 64) / 4 * 7 + 1 : 5;
        ASSERT_EQ(got[r * 20 + c], written && adds ? 2 * value : value) << adds << " " << r << " " << c;
      }
  }
}

// As an H200 does (tests/hardware/data/h200_tensor_edges.txt).
TEST_F(BulkCopies, TilesBeginAtSixteenBytesAndStoresNotInFront) {
  u64 in = buffer(std::vector<u32>(4096, 1)), out = buffer(std::vector<u32>(4096, 1));
  auto store = [](const char* place) {
    return fmt::format("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {{{}}}], [tile];\n",
                       place);
  };
  auto fault_of = [&](const std::string& body) {
    TensorMap map = matrix_map(in, 100, 40, 416, 32, 16, 0);
    LaunchResult result = launch_kernel(kernel(body), in, out, &map);
    return result.fault ? result.fault->diagnostic.message : std::string();
  };
  EXPECT_THAT(fault_of(tile_in("2d", "3, 0", 2048)),
              testing::HasSubstr("a tile from element 3 on, 12 bytes"));
  EXPECT_THAT(fault_of(store("0, -1")), testing::HasSubstr("begins in front of the tensor"));
  EXPECT_THAT(fault_of(store("-4, 0")), testing::HasSubstr("begins in front of the tensor"));
}

TEST_F(BulkCopies, FiveDimensionsWithSteps) {
  std::vector<u16> tensor(16 * 4 * 3 * 3 * 2);
  for (u32 i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<u16>(i + 1);
  u64 in = buffer(tensor), out = buffer(std::vector<u16>(8 * 2 * 2 * 2 * 2));
  TensorMap map;
  map.address = in;
  map.rank = 5;
  map.element = TensorElement::f16;
  map.nan = true;
  map.extent = {16, 4, 3, 3, 2};
  map.stride = {2, 32, 128, 384, 1152};
  map.box = {8, 4, 2, 2, 2};
  map.step = {1, 2, 1, 1, 1};
  expect_kernel(kernel(tile_in("5d", "8, 1, 0, 1, 1", 256) + give_tile(256)), in, out, &map);
  std::vector<u16> got = read<u16>(out, 128);
  u32 at = 0;
  for (u32 e = 0; e < 2; ++e)
    for (u32 d = 0; d < 2; ++d)
      for (u32 c = 0; c < 2; ++c)
        for (u32 b = 0; b < 2; ++b)
          for (u32 a = 0; a < 8; ++a, ++at) {
            u32 i1 = 1 + b * 2, i4 = 1 + e;
            u32 want = i4 < 2 ? tensor[8 + a + i1 * 16 + c * 64 + (1 + d) * 192 + i4 * 576] : 0x7fff;
            ASSERT_EQ(got[at], want) << at;
          }
}

// Images of 6 x 5 pixels of 8 halves, two of them; the pixels under a filter of 3 x 3 with a border of one, which im2col reads
// for one element of the filter.
TEST_F(BulkCopies, ColumnsOfPixels) {
  constexpr u32 channels = 8, width = 6, height = 5, images = 2, pixels = 40;
  std::vector<u16> tensor(channels * width * height * images);
  for (u32 i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<u16>(i + 1);
  u64 in = buffer(tensor);
  TensorMap map;
  map.address = in;
  map.rank = 4;
  map.element = TensorElement::f16;
  map.extent = {channels, width, height, images};
  map.stride = {2, 16, 96, 480};
  map.box = {channels, 1, 1, 1, 1};
  map.pixels = pixels;
  map.lower = {-1, -1, 0}, map.upper = {-1, -1, 0};
  for (u32 step : {1u, 2u})
    for (auto [s, r] : {std::pair{0, 0}, {2, 1}, {1, 2}}) {
      map.step = {1, step, step, 1, 1};
      u64 out = buffer(std::vector<u16>(channels * pixels));
      expect_kernel(
          kernel(arrive(640) + fmt::format("mov.u16 %h1, {}; mov.u16 %h2, {};\n", s, r) +
                 "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[tile], [%rd3, {0, 1, -1, 0}], [bar], {%h1, %h2};\n" +
                 wait + give_tile(640)),
          in, out, &map);
      std::vector<u16> got = read<u16>(out, channels * pixels);
      // Corners of the filter that lie in the images' boxes, from the second column on: [-1, 4] x [-1, 3].
      std::vector<std::array<i32, 3>> corners;
      for (i32 n = 0; n < 8; ++n)
        for (i32 y = -1; y <= 3; y += static_cast<i32>(step))
          for (i32 x = n == 0 && y == -1 ? 1 : -1; x <= 4; x += static_cast<i32>(step))
            corners.push_back({x, y, n});
      for (u32 p = 0; p < pixels; ++p) {
        i32 x = corners[p][0] + s, y = corners[p][1] + r, n = corners[p][2];
        bool inside = x >= 0 && x < 6 && y >= 0 && y < 5 && n < 2;
        for (u32 c = 0; c < channels; ++c)
          ASSERT_EQ(got[p * channels + c],
                    inside ? tensor[static_cast<u32>((n * 5 + y) * 6 + x) * channels + c] : 0)
              << step << " " << s << " " << r << " pixel " << p;
      }
    }
}

TEST_F(BulkCopies, AMapOfTheOtherModeIsRefused) {
  u64 in = buffer(numbers(64));
  TensorMap map = matrix_map(in, 8, 8, 32, 8, 4, 0);
  map.rank = 3, map.extent[2] = 1, map.stride[2] = 256, map.box[2] = 1;
  LaunchResult result = launch_kernel(kernel("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_"
                                             "group [%rd3, {0, 0, 0}], [tile];\n"),
                                      in, in, &map);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-tensor-map");
}

// A block takes the map that the host made, lets it describe another tensor and copies with that.
TEST_F(BulkCopies, AKernelChangesATensorMap) {
  std::vector<u32> tensor = numbers(24 * 10);
  u64 in = buffer(tensor), changed = buffer(std::vector<u64>(16)), out = buffer(std::vector<u32>(64));
  TensorMap map = matrix_map(buffer(numbers(64)), 8, 8, 32, 4, 4, 32);
  map.nan = false;
  std::string text =
      kernel(fmt::format(R"(
  ld.param.b64 %rd4, [map]; st.shared.b64 [tile+1024], %rd4;
  mov.u32 %r1, 8;
  COPY: cvt.u64.u32 %rd4, %r1; add.u64 %rd4, %rd4, %rd3; ld.b64 %rd5, [%rd4];
  mov.u32 %r2, tile; add.u32 %r2, %r2, %r1; st.shared.b64 [%r2+1024], %rd5;
  add.u32 %r1, %r1, 8; setp.lt.u32 %p2, %r1, 128; @%p2 bra COPY;
  mov.u32 %r2, tile; add.u32 %r2, %r2, 1024; mov.u64 %rd6, {};
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %rd1;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 1;
  mov.u32 %r3, 24; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, %r3;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 1, 10;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 0, 96;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 0, 8;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, 8;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2], 1, 1;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 3;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2], 0;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r2], 0;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [%r2], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
)",
                         changed) +
             arrive(256) +
             "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[tile], [%rd6, {4, 2}], [bar];\n" +
             wait + give_tile(256));
  expect_kernel(text, in, out, &map);
  std::vector<u32> got = read<u32>(out, 64);
  for (u32 r = 0; r < 8; ++r)
    for (u32 c = 0; c < 8; ++c) ASSERT_EQ(got[r * 8 + c], tensor[(2 + r) * 24 + 4 + c]) << r << " " << c;
}

TEST_F(BulkCopies, WhatNoTensorMapCanBeIsRefused) {
  u64 in = buffer(std::vector<u32>(64)), map_at = buffer(std::vector<u64>(16));
  TensorMap map = matrix_map(in, 8, 8, 32, 4, 4, 0);
  auto refused = [&](const std::string& text) {
    LaunchResult result =
        launch_kernel(kernel(fmt::format("mov.u64 %rd6, {};\n", map_at) + text), in, in, &map);
    ASSERT_TRUE(result.fault.has_value()) << text;
    EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-tensor-map") << text;
  };
  refused("tensormap.replace.tile.rank.global.b1024.b32 [%rd6], 1;\n"); // there is none yet
  map.write(reinterpret_cast<void*>(map_at));
  refused("tensormap.replace.tile.rank.global.b1024.b32 [%rd6], 5;\n");
  refused("tensormap.replace.tile.global_address.global.b1024.b64 [%rd6], 24;\n");
  refused("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd6], 0, 257;\n");
  refused("tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd6], 1;\n");
}

TEST_F(BulkCopies, WithoutATensorMapThereIsNoTile) {
  u64 in = buffer(numbers(64));
  LaunchResult result = launch_kernel(kernel(tile_in("2d", "0, 0", 64)), in, in);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-tensor-map");
}

} // namespace
} // namespace warplens::sim
