// Bulk copies: rows, reductions, multicast, tiles of tensors with every swizzle, and what the sink is told.
#include "sim/harness.h"
#include "sim/tensor_map.h"
#include <fmt/format.h>

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
    for (auto [x, y] : {std::pair{0, 0}, {16, 3}, {-5, -2}, {92, 36}, {200, 0}}) {
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
            (adds ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd3, {4, -1}], "
                    "[tile];\n"
                  : "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {4, -1}], [tile];\n") +
            finish),
        in, out, &map);
    std::vector<u32> got = read<u32>(out, 200);
    for (u32 r = 0; r < 10; ++r)
      for (u32 c = 0; c < 20; ++c) {
        bool written = c >= 4 && c < 18 && r < 7;
        u32 value = written ? place((r + 1) * 64 + (c - 4) * 4, 64) / 4 * 7 + 1 : 5;
        ASSERT_EQ(got[r * 20 + c], written && adds ? 2 * value : value) << adds << " " << r << " " << c;
      }
  }
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

TEST_F(BulkCopies, WithoutATensorMapThereIsNoTile) {
  u64 in = buffer(numbers(64));
  LaunchResult result = launch_kernel(kernel(tile_in("2d", "0, 0", 64)), in, in);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-tensor-map");
}

} // namespace
} // namespace warplens::sim
