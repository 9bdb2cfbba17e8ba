// WarpLens as a library: what one access costs on three architectures, and a kernel that runs on this program's own memory.
#include <array>
#include <cstdio>
#include <numeric>
#include <warplens/warplens.h>

namespace {

// y[i] = x[i·stride]
constexpr const char* gather = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u64 x, .param .u64 y, .param .u32 stride)
{
  .reg .u32 %r<6>;
  .reg .u64 %d<6>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r1, [stride];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.lo.u32 %r1, %r1, %r2;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d3, %d1, %d3;
  mul.wide.u32 %d4, %r2, 4;
  add.u64 %d4, %d2, %d4;
  ld.global.u32 %r5, [%d3];
  st.global.u32 [%d4], %r5;
  ret;
}
)";

int fail(const warplens::Error& error) {
  std::fprintf(stderr, "%s", error.text.c_str());
  return 1;
}

} // namespace

int main() {
  warplens::Access column; // each lane one row further down a matrix of 1024 floats a row
  for (std::size_t lane = 0; lane < 32; ++lane) column.address[lane] = lane * 4096;
  for (int sm : {20, 60, 90}) {
    auto counts = warplens::count(sm, column);
    if (!counts) return fail(counts.error());
    std::printf("a column on sm_%d: %llu bytes moved for 128\n", sm,
                static_cast<unsigned long long>(counts->transaction_bytes));
  }

  constexpr std::uint32_t threads = 1024, stride = 8;
  alignas(256) static std::array<std::uint32_t, threads * stride> x; // aligned as cudaMalloc's memory is
  alignas(256) static std::array<std::uint32_t, threads> y;
  std::iota(x.begin(), x.end(), 0u);
  auto gpu = warplens::Gpu::create(90);
  if (!gpu) return fail(gpu.error());
  if (auto error = gpu->share(x.data(), sizeof x)) return fail(*error);
  if (auto error = gpu->share(y.data(), sizeof y)) return fail(*error);
  auto program = gpu->load(gather, "gather.ptx");
  if (!program) return fail(program.error());
  warplens::Launch launch;
  launch.grid = {threads / 256};
  launch.block = {256};
  launch.arguments.add(x.data()).add(y.data()).add(stride);
  auto record = program->launch("gather", launch);
  if (!record) return fail(record.error());
  for (const warplens::SiteCounts& site : record->sites)
    std::printf("%s: %s, %llu sectors where %llu would do\n", site.instruction.c_str(), site.pattern.c_str(),
                static_cast<unsigned long long>(site.counts[0].sectors),
                static_cast<unsigned long long>(site.counts[0].ideal_sectors));
  return y[5] == 5 * stride ? 0 : 1;
}
