// Accesses of some lanes at addresses in affine form: blocks of many widths, every element width, images that
// end within a block and exactly at the end of their allocation. Results and what the sink sees are compared
// with the same worked out here, thread by thread, for batches of one CTA and of many.
#include "sim/harness.h"
#include <map>
#include <sstream>
#include <tuple>

namespace warplens::sim {
namespace {

// (site, CTA, warp) → active lanes and their addresses
using Seen = std::map<std::tuple<u32, u64, u32>, std::pair<u32, std::vector<u64>>>;

struct Recorder final : access::Sink {
  Seen seen;
  void add(u32 site, u64 cta, u32 warp, u32 active, const u64* address) {
    if (active == 0) return;
    auto& [lanes, at] = seen[{site, cta, warp}];
    lanes = active;
    for (u32 i = 0; i < warp_size; ++i)
      if (active >> i & 1) at.push_back(address[i]);
  }
  void lanes(const access::LaneBatch& b) override {
    u32 cta_warps = b.cta_warps == 0 ? static_cast<u32>(b.active.size()) : b.cta_warps;
    for (u32 w = 0; w < b.active.size(); ++w)
      add(b.site.value, b.cta + w / cta_warps, w % cta_warps, b.active[w], b.address + u64{w} * warp_size);
  }
  void affine(const access::AffineAccess& a) override {
    u32 warps = static_cast<u32>(ceil_div(a.block.count(), warp_size));
    for (u64 k = 0; k < a.count; ++k) {
      access::AffineAccess one = access::cta_of(a, k);
      for (u32 w = 0; w < warps; ++w) {
        access::WarpAccess access = access::expand(one, w);
        add(a.site.value, a.cta + k, w, access.active, access.address.data());
      }
    }
  }
};

// out[i] = in[i - 1] + in[i + pitch], i = y·pitch + x or, mirrored, y·pitch + width - 1 - x, where
// 0 < x < width and y < height; elsewhere inside the image 7, loaded and stored under guards.
std::string kernel(const std::string& type, u32 bytes, bool mirrored, bool guarded) {
  std::ostringstream ptx;
  std::string reg = bytes == 8 ? "%rd" : bytes == 4 ? "%r" : "%h";
  std::string a = reg + "50", b = reg + "51", c = reg + "52", bits = std::to_string(std::max(bytes * 8, 16u));
  ptx << ptx_header() << ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 width, .param .u32 "
      << "height, .param .u32 pitch)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<60>;\n.reg .b32 %r<60>;\n.reg .b64 "
         "%rd<60>;\n"
      << "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [width];\n"
      << "ld.param.u32 %r2, [height];\nld.param.u32 %r3, [pitch];\n"
      << "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\nmad.lo.s32 %r7, %r4, %r5, "
         "%r6;\n"
      << "mov.u32 %r8, %ctaid.y;\nmov.u32 %r9, %ntid.y;\nmov.u32 %r10, %tid.y;\nmad.lo.s32 %r11, %r8, %r9, "
         "%r10;\n"
      << "setp.gt.s32 %p1, %r7, 0;\nsetp.lt.s32 %p2, %r7, %r1;\nsetp.lt.s32 %p3, %r11, %r2;\n"
      << "and.pred %p4, %p2, %p3;\nand.pred %p5, %p4, %p1;\n";
  if (mirrored)
    ptx << "sub.s32 %r12, %r1, %r7;\nadd.s32 %r12, %r12, -1;\n";
  else
    ptx << "mov.u32 %r12, %r7;\n";
  ptx << "mad.lo.s32 %r13, %r11, %r3, %r12;\nmul.wide.s32 %rd3, %r13, " << bytes << ";\n"
      << "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\nmul.wide.s32 %rd6, %r3, " << bytes << ";\n"
      << "add.s64 %rd7, %rd4, %rd6;\n";
  std::string loads =
      "ld.global." + type + " " + a + ", [%rd4+" + (mirrored ? "" : "-") + std::to_string(bytes) + "];\n";
  std::string other = "ld.global." + type + " " + b + ", [%rd7];\n";
  std::string sum = "add.u" + bits + " " + c + ", " + a + ", " + b + ";\n";
  std::string store = "st.global." + type + " [%rd5], " + c + ";\n";
  if (guarded)
    ptx << "mov.b" << bits << " " << a << ", 3;\nmov.b" << bits << " " << b << ", 4;\n@%p5 " << loads
        << "@%p5 " << other << sum << "@%p4 " << store;
  else
    ptx << "@!%p5 bra L;\n" << loads << other << sum << store << "L:\n";
  ptx << "ret;\n}\n";
  return ptx.str();
}

template <class T> void check(const std::string& type, Dim3 block, bool mirrored, bool guarded) {
  SCOPED_TRACE(type + " " + std::to_string(block.x) + "x" + std::to_string(block.y) + "x" +
               std::to_string(block.z) + (mirrored ? " mirrored" : "") + (guarded ? " guarded" : ""));
  Gpu gpu;
  if (!gpu.load(kernel(type, sizeof(T), mirrored, guarded))) return;
  // More CTAs than take part, and rows that end within one; the last row of `in` ends its allocation.
  Dim3 grid{9, 5, 1};
  i32 width = static_cast<i32>(block.x * 7 + block.x / 2 + 1), height = static_cast<i32>(block.y * 4 + 1),
      pitch = width;
  std::vector<T> in(u64(pitch) * (height + 1)), none(u64(pitch) * height, T{1}), want = none;
  for (u64 i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 11 + 5);
  u64 input = gpu.buffer(in), output = gpu.buffer(none);
  Seen expected;
  u32 warps = static_cast<u32>(ceil_div(block.count(), warp_size));
  for (u64 cta = 0; cta < grid.count(); ++cta)
    for (u32 t = 0; t < block.count(); ++t) {
      i32 x = static_cast<i32>(cta % grid.x * block.x + t % block.x),
          y = static_cast<i32>(cta / grid.x * block.y + t / block.x % block.y);
      bool image = x < width && y < height, inner = image && x > 0;
      u64 i = u64(i64{y} * pitch + (mirrored ? width - 1 - x : x));
      u64 left = mirrored ? i + 1 : i - 1;
      auto access = [&](u32 site, u64 address) {
        auto& [lanes, at] = expected[{site, cta, t / warp_size}];
        lanes |= 1u << t % warp_size;
        at.push_back(address);
      };
      if (inner) access(0, input + left * sizeof(T)), access(1, input + (i + pitch) * sizeof(T));
      if (guarded ? image : inner) access(2, output + i * sizeof(T));
      if (inner)
        want[i] = static_cast<T>(in[left] + in[i + pitch]);
      else if (guarded && image)
        want[i] = T{7};
    }
  ASSERT_GT(warps, 0u);
  for (u32 batch : {1u, 3u, 0u}) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    std::memcpy(reinterpret_cast<void*>(output), none.data(), none.size() * sizeof(T));
    Recorder recorder;
    LaunchOptions options;
    options.workers = 1;
    options.batch = batch == 0 ? 64 : batch;
    options.strict_memory = true;
    options.sinks = {&recorder};
    gpu.expect_run("k", grid, block, {input, output, u64(width), u64(height), u64(pitch)}, options);
    EXPECT_TRUE(gpu.read<T>(output, want.size()) == want);
    EXPECT_TRUE(recorder.seen == expected) << recorder.seen.size() << " against " << expected.size();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MaskedAccess, OfEveryWidthInBlocksOfEveryShape) {
  // Where a block has z, its layers do the same: fine for loads, and the stores agree.
  for (Dim3 block : {Dim3{32, 8, 1}, Dim3{16, 16, 1}, Dim3{8, 8, 1}, Dim3{8, 4, 2}, Dim3{64, 2, 1},
                     Dim3{96, 1, 1}, Dim3{100, 1, 1}, Dim3{20, 20, 1}, Dim3{24, 4, 1}, Dim3{4, 8, 1},
                     Dim3{1, 64, 1}, Dim3{256, 1, 1}, Dim3{32, 1, 4}, Dim3{40, 3, 1}})
    for (bool mirrored : {false, true})
      for (bool guarded : {false, true}) {
        check<u8>("u8", block, mirrored, guarded);
        check<u16>("u16", block, mirrored, guarded);
        check<u32>("u32", block, mirrored, guarded);
        check<u64>("u64", block, mirrored, guarded);
      }
}

} // namespace
} // namespace warplens::sim
