// How many decoded accesses a second one core counts, for every access class. `items_per_second` is warps. Of the
// target in use: WARPLENS_TARGET=avx2 count_bench measures a lower one. COUNT_BENCH_ROUNDS=100 makes it so many rounds of 256
// warps, whatever time they take, which instructions.py counts.
#include "arch/count.h"
#include "base/cpu.h"
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <random>
#include <vector>

namespace warplens {
namespace {

using access::Kind;
using access::Space;

enum class Shape { contiguous, misaligned, broadcast, strided, permuted, random_near, random_far };
constexpr const char* shape_names[] = {"contiguous", "misaligned",  "broadcast", "strided",
                                       "permuted",   "random_near", "random_far"};

struct Batch {
  std::vector<u32> active;
  std::vector<u64> address;
};

constexpr u64 warps = 256;

Batch make(Shape shape, u8 bytes, bool shared, bool masks) {
  std::mt19937_64 random(42);
  Batch out;
  for (u64 warp = 0; warp < warps; ++warp) {
    u64 base = shared ? 0 : 0x7f0000000000 + warp * 4096;
    out.active.push_back(masks ? static_cast<u32>(random()) | 1 : full_mask);
    for (u64 lane = 0; lane < warp_size; ++lane) {
      u64 word = lane;
      switch (shape) {
      case Shape::contiguous: break;
      case Shape::misaligned: word = lane + 3; break;
      case Shape::broadcast: word = 5; break;
      case Shape::strided: word = lane * 8; break;
      case Shape::permuted: word = lane ^ 5; break;
      case Shape::random_near: word = random() % 256; break;
      case Shape::random_far: word = random() % (shared ? 1024 : 1 << 22); break;
      }
      out.address.push_back(base + word * bytes);
    }
  }
  return out;
}

void count_batches(benchmark::State& state, u32 sm, Space space, Kind kind, u8 bytes, Shape shape,
                   bool masks) {
  const arch::Architecture& row = *arch::find(sm);
  Batch batch = make(shape, bytes, space != Space::global, masks);
  access::LaneBatch lanes;
  lanes.space = space, lanes.kind = kind, lanes.bytes = bytes;
  lanes.active = batch.active, lanes.address = batch.address.data();
  for (auto _ : state) benchmark::DoNotOptimize(arch::count(row, lanes));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * warps));
}

void count_affine(benchmark::State& state, Space space, i64 stride) {
  const arch::Architecture& row = *arch::find(90);
  access::AffineAccess affine;
  affine.space = space, affine.stride = {stride, 4096, 0}, affine.block = {256, 1, 1};
  for (auto _ : state) {
    affine.base = (affine.base + 1024) & 0xffff;
    benchmark::DoNotOptimize(arch::count(row, affine));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * 8));
}

struct Class {
  const char* name;
  u32 sm;
  Space space;
  Kind kind;
  u8 bytes;
};

constexpr Class classes[] = {{"global_4", 90, Space::global, Kind::load, 4},
                             {"global_8", 90, Space::global, Kind::load, 8},
                             {"global_16", 90, Space::global, Kind::load, 16},
                             {"global_1", 90, Space::global, Kind::load, 1},
                             {"atomic_4", 90, Space::global, Kind::atomic, 4},
                             {"async_copy_16", 90, Space::global, Kind::async_copy, 16},
                             {"shared_4", 90, Space::shared, Kind::load, 4},
                             {"shared_8", 90, Space::shared, Kind::load, 8},
                             {"shared_16", 90, Space::shared, Kind::load, 16},
                             {"shared_store_16", 90, Space::shared, Kind::store, 16},
                             {"shared_atomic_4", 90, Space::shared, Kind::atomic, 4},
                             {"constant_4", 90, Space::constant, Kind::load, 4},
                             {"local_4", 90, Space::local, Kind::load, 4},
                             {"local_16", 90, Space::local, Kind::load, 16},
                             {"global_4_on_1.0", 10, Space::global, Kind::load, 4},
                             {"global_4_on_1.3", 13, Space::global, Kind::load, 4},
                             {"global_16_on_2.0", 20, Space::global, Kind::load, 16},
                             {"shared_4_on_1.3", 13, Space::shared, Kind::load, 4},
                             {"shared_8_on_3.5", 35, Space::shared, Kind::load, 8}};

void add(const std::string& title, u32 sm, Space space, Kind kind, u8 bytes, Shape shape, bool masks) {
  benchmark::internal::Benchmark* added =
      benchmark::RegisterBenchmark(title.c_str(), count_batches, sm, space, kind, bytes, shape, masks);
  if (const char* rounds = std::getenv("COUNT_BENCH_ROUNDS")) added->Iterations(std::atoi(rounds));
}

const int registered = [] {
  std::string target(name(cpu::target()));
  for (const Class& c : classes)
    for (Shape shape :
         {Shape::contiguous, Shape::strided, Shape::permuted, Shape::random_near, Shape::random_far}) {
      std::string title = target + '/' + c.name + '/' + shape_names[static_cast<int>(shape)];
      add(title, c.sm, c.space, c.kind, c.bytes, shape, false);
    }
  for (Shape shape : {Shape::contiguous, Shape::random_far})
    for (Space space : {Space::global, Space::local}) {
      std::string title = target + (space == Space::global ? "/global" : "/local") + "_4_masked/" +
                          shape_names[static_cast<int>(shape)];
      add(title, 90, space, Kind::load, 4, shape, true);
    }
  benchmark::RegisterBenchmark("affine_global/contiguous", count_affine, Space::global, i64{4});
  benchmark::RegisterBenchmark("affine_global/strided", count_affine, Space::global, i64{128});
  benchmark::RegisterBenchmark("affine_shared/strided", count_affine, Space::shared, i64{8});
  return 0;
}();

} // namespace
} // namespace warplens
