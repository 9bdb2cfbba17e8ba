// Single-warp accesses to global memory by every operation that PTX has for it, anywhere in 46 bits of address, for an
// NVIDIA GPU, to be run under Nsight Compute by measure.sh: what they cost in the L1's tag stage and data stage.
//
//   operations list FAMILY, operations run FAMILY FIRST COUNT     as patterns.cu. SEED=N: other random numbers
//
// Families: operation_hash (which tag set address bits 35 to 44 lead to: a lane at the first place and a lane at another, once for each
// of four lines in four sets), operations (any form, mask and width, within one place
// or across several), operation_small (a few lanes with a bank each, in a few lines of a few sets: which lanes of stores of
// bytes, reductions and atomics go together), operation_moved (some of these, each at six places: whether it matters where
// memory lies). `addresses` are those of the program.
#include "random_lanes.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string>
#include <utility>
#include <vector>

// --- forms: one instruction each -----------------------------------------------------------------------------------

// X(op, bytes, text, statement): `at` is the lane's address; results go to a, b, c, d, w, x, h; v, n are operands.
#define LOADS(X, prefix)                                                                                                 \
  X(load, 1, prefix ".u8", asm volatile(prefix ".u8 %0, [%1];" : "=r"(a) : "l"(at)))                                     \
  X(load, 2, prefix ".u16", asm volatile(prefix ".u16 %0, [%1];" : "=h"(h) : "l"(at)))                                   \
  X(load, 4, prefix ".u32", asm volatile(prefix ".u32 %0, [%1];" : "=r"(a) : "l"(at)))                                   \
  X(load, 8, prefix ".u64", asm volatile(prefix ".u64 %0, [%1];" : "=l"(w) : "l"(at)))                                   \
  X(load, 16, prefix ".v4.u32",                                                                                          \
    asm volatile(prefix ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at)))
#define STORES(X, prefix)                                                                                                \
  X(store, 1, prefix ".u8", asm volatile(prefix ".u8 [%0], %1;" ::"l"(at), "r"(v)))                                      \
  X(store, 2, prefix ".u16", asm volatile(prefix ".u16 [%0], %1;" ::"l"(at), "h"((uint16_t)v)))                          \
  X(store, 4, prefix ".u32", asm volatile(prefix ".u32 [%0], %1;" ::"l"(at), "r"(v)))                                    \
  X(store, 8, prefix ".u64", asm volatile(prefix ".u64 [%0], %1;" ::"l"(at), "l"(n)))                                    \
  X(store, 16, prefix ".v4.u32", asm volatile(prefix ".v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(v)))
#define RED4(X, what) X(reduction, 4, "red.global." what, asm volatile("red.global." what " [%0], %1;" ::"l"(at), "r"(v)))
#define RED8(X, what) X(reduction, 8, "red.global." what, asm volatile("red.global." what " [%0], %1;" ::"l"(at), "l"(n)))
#define ATOM4(X, what)                                                                                                   \
  X(atomic, 4, "atom.global." what, asm volatile("atom.global." what " %0, [%1], %2;" : "=r"(a) : "l"(at), "r"(v)))
#define ATOM8(X, what)                                                                                                   \
  X(atomic, 8, "atom.global." what, asm volatile("atom.global." what " %0, [%1], %2;" : "=l"(w) : "l"(at), "l"(n)))

#define FORMS(X)                                                                                                         \
  LOADS(X, "ld.global")                                                                                                  \
  LOADS(X, "ld.global.ca")                                                                                               \
  LOADS(X, "ld.global.cg")                                                                                               \
  LOADS(X, "ld.global.cs")                                                                                               \
  LOADS(X, "ld.global.cv")                                                                                               \
  LOADS(X, "ld.global.nc")                                                                                               \
  LOADS(X, "ld.global.nc.L1::no_allocate")                                                                               \
  LOADS(X, "ld.global.L1::evict_last")                                                                                   \
  LOADS(X, "ld.relaxed.gpu.global")                                                                                      \
  LOADS(X, "ld")                                                                                                         \
  STORES(X, "st.global")                                                                                                 \
  STORES(X, "st.global.cg")                                                                                              \
  STORES(X, "st.global.cs")                                                                                              \
  STORES(X, "st.global.wt")                                                                                              \
  STORES(X, "st.global.L1::no_allocate")                                                                                 \
  STORES(X, "st.relaxed.sys.global")                                                                                     \
  STORES(X, "st")                                                                                                        \
  RED4(X, "add.u32") RED4(X, "add.f32") RED4(X, "add.noftz.f16x2") RED4(X, "min.s32") RED4(X, "max.u32") RED4(X, "and.b32")  \
  RED4(X, "or.b32") RED4(X, "xor.b32") RED4(X, "inc.u32") RED4(X, "dec.u32")                                             \
  RED8(X, "add.u64") RED8(X, "add.f64") RED8(X, "min.s64") RED8(X, "max.u64") RED8(X, "and.b64") RED8(X, "xor.b64")      \
  X(reduction, 8, "red.global.v2.f32.add", asm volatile("red.global.v2.f32.add [%0], {%1,%1};" ::"l"(at), "f"(f)))       \
  X(reduction, 16, "red.global.v4.f32.add", asm volatile("red.global.v4.f32.add [%0], {%1,%1,%1,%1};" ::"l"(at), "f"(f)))  \
  ATOM4(X, "add.u32") ATOM4(X, "add.f32") ATOM4(X, "add.noftz.f16x2") ATOM4(X, "min.s32") ATOM4(X, "max.u32")            \
  ATOM4(X, "and.b32") ATOM4(X, "or.b32") ATOM4(X, "xor.b32") ATOM4(X, "inc.u32") ATOM4(X, "dec.u32") ATOM4(X, "exch.b32") \
  X(atomic, 4, "atom.global.cas.b32",                                                                                    \
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(a) : "l"(at), "r"(v), "r"(v + 1)))                       \
  ATOM8(X, "add.u64") ATOM8(X, "add.f64") ATOM8(X, "min.s64") ATOM8(X, "max.u64") ATOM8(X, "or.b64") ATOM8(X, "exch.b64") \
  X(atomic, 8, "atom.global.cas.b64",                                                                                    \
    asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(w) : "l"(at), "l"(n), "l"(n + 1)))                       \
  X(atomic, 8, "atom.global.v2.f32.add",                                                                                 \
    asm volatile("atom.global.v2.f32.add {%0,%1}, [%2], {%3,%3};" : "=f"(p), "=f"(q) : "l"(at), "f"(f)))                 \
  X(atomic, 16, "atom.global.exch.b128",                                                                                 \
    asm volatile("{.reg .b128 i, o; mov.b128 i, {%3,%3}; atom.global.exch.b128 o, [%2], i; mov.b128 {%0,%1}, o;}"        \
                 : "=l"(w), "=l"(x) : "l"(at), "l"(n)))                                                                  \
  X(atomic, 16, "atom.global.cas.b128",                                                                                  \
    asm volatile("{.reg .b128 i, o; mov.b128 i, {%3,%3}; atom.global.cas.b128 o, [%2], i, i; mov.b128 {%0,%1}, o;}"      \
                 : "=l"(w), "=l"(x) : "l"(at), "l"(n)))

struct Form { const char* op; uint64_t bytes; const char* text; };
#define ROW(op, bytes, text, statement) {#op, bytes, text},
const Form forms[] = {FORMS(ROW)};
constexpr int form_count = sizeof forms / sizeof *forms;

// `never` is a value that only the launch knows, so that no result is known to differ from it and left out.
template <int form> __global__ void perform(const __grid_constant__ Lanes lanes, uint32_t mask, uint32_t never) {
  char* at = (char*)lanes.address[threadIdx.x];
  uint32_t v = threadIdx.x, a = 0, b = 0, c = 0, d = 0;
  uint64_t n = v, w = 0, x = 0;
  uint16_t h = 0;
  float f = 0.5f * v, p = 0, q = 0;
  if (mask >> threadIdx.x & 1) {
    int i = 0;
#define PERFORM(op, bytes, text, statement) if (form == i++) statement;
    FORMS(PERFORM)
  }
  if ((a ^ b ^ c ^ d ^ h ^ (uint32_t)w ^ (uint32_t)(w >> 32) ^ (uint32_t)x ^ __float_as_uint(p) ^ __float_as_uint(q)) == never)
    asm volatile("trap;");
}

using Kernel = void (*)(const Lanes, uint32_t, uint32_t);
template <int... n> void list_kernels(std::vector<Kernel>& out, std::integer_sequence<int, n...>) { (out.push_back(perform<n>), ...); }

// --- places --------------------------------------------------------------------------------------------------------

constexpr uint64_t window_bytes = uint64_t{16} << 20;
constexpr int lowest_bit = 35;

// What is reserved of the address space, at the same place in each run: the driver gives none at another address that is asked for.
constexpr uint64_t first_window = uint64_t{1} << 45, reserved_bytes = first_window;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}
template <class F> F driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
  return (F)found;
}
#define DRIVER(name) driver_function<decltype(&name)>(#name)

void check(CUresult error, const char* what) {
  if (error != CUDA_SUCCESS) fprintf(stderr, "%s: %d\n", what, (int)error), exit(2);
}

// Where there is memory, 16 MiB each: the first, those that differ from it in one bit, and some anywhere.
std::vector<uint64_t> windows() {
  std::vector<uint64_t> out{first_window};
  for (int bit = lowest_bit; bit < 45; ++bit) out.push_back(first_window + (uint64_t{1} << bit));
  Random random{0xD1B54A32D192ED03ull};
  for (int i = 0; i < 12; ++i) out.push_back(first_window + random(reserved_bytes / window_bytes) * window_bytes);
  return out;
}

void make_windows() {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED, prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUdeviceptr got = 0;
  check(DRIVER(cuMemAddressReserve)(&got, reserved_bytes, reserved_bytes, first_window, 0), "cuMemAddressReserve");
  if (got != first_window) fprintf(stderr, "got another address: %llx\n", (unsigned long long)got), exit(2);
  for (uint64_t at : windows()) {
    CUmemGenericAllocationHandle handle;
    check(DRIVER(cuMemCreate)(&handle, window_bytes, &prop, 0), "cuMemCreate");
    check(DRIVER(cuMemMap)(at, window_bytes, 0, handle, 0), "cuMemMap");
    check(DRIVER(cuMemSetAccess)(at, window_bytes, &access, 1), "cuMemSetAccess");
  }
}

// --- patterns ------------------------------------------------------------------------------------------------------

struct Pattern {
  int form = 0;
  uint32_t mask = 0xffffffff;
  Lanes lanes = {};
};

int form_of(const char* text) {
  for (int i = 0; i < form_count; ++i) if (!strcmp(forms[i].text, text)) return i;
  return exit(2), 0;
}

std::vector<Pattern> hash(const std::vector<uint64_t>& places) {
  std::vector<Pattern> out;
  for (size_t i = 1; i < places.size(); ++i)
    for (uint64_t line = 0; line < 4; ++line) {
      Pattern p{form_of("ld.global.u32"), 3, {}};
      p.lanes.address[0] = places[0], p.lanes.address[1] = places[i] + line * 128;
      for (int l = 2; l < 32; ++l) p.lanes.address[l] = places[0];
      out.push_back(p);
    }
  return out;
}

// Half of them within one place; the others across some, by runs of lanes or by chance.
Pattern any(Random& random, const std::vector<uint64_t>& places) {
  static const char* const ops[] = {"load", "store", "reduction", "atomic"};
  Pattern p;
  const char* op = ops[random(4)];
  do p.form = (int)random(form_count); while (strcmp(forms[p.form].op, op) != 0);
  p.mask = random_mask(random);
  place(random, forms[p.form].bytes, random(2) ? window_bytes : 1 << 20, p.lanes);
  uint64_t some = random(2) ? 1 : 2 + random(places.size() - 1), from = random(places.size()), run = uint64_t{1} << random(6);
  bool chance = random(2);
  for (uint64_t l = 0; l < 32; ++l)
    p.lanes.address[l] += places[(from + (chance ? random(some) : l / run % some)) % places.size()];
  return p;
}

// The tag set of a line near the first place, up to what all of them have in common (src/hardware/arch/MODEL.md, "The L1's stages").
int set_of(uint64_t line) { return __builtin_parityll(line & 0xf6f) | __builtin_parityll(line & 0x1ab5) << 1; }

Pattern small(Random& random, int i) {
  static const char* const texts[] = {"red.global.add.u32", "atom.global.add.u32", "red.global.add.u64", "st.global.u8"};
  Pattern p{form_of(texts[i % 4]), 0, {}};
  int lanes = 3 + (int)random(10), sets = 1 + (int)random(4), lines = 2 + (int)random(lanes - 1), bank = (int)random(16);
  uint64_t line[16];
  for (int n = 0; n < lines; ++n)
    do line[n] = random(8192); while (set_of(line[n]) >= sets);
  while (__builtin_popcount(p.mask) < lanes) p.mask |= 1u << random(32);
  for (int l = 0, n = 0; l < 32; ++l) {
    uint64_t of = n < lines ? n : random(lines);
    p.lanes.address[l] = first_window + line[of] * 128 + (bank + (p.mask >> l & 1 ? n++ : 0)) % 16 * 8;
  }
  return p;
}

std::vector<Pattern> patterns_of(const std::string& family) {
  std::vector<uint64_t> places = windows();
  if (family == "operation_hash") return hash(places);
  const char* seed = getenv("SEED");
  Random random{0x9E3779B97F4A7C15ull + 2 * (seed == nullptr ? 0 : strtoull(seed, nullptr, 10))};
  std::vector<Pattern> out;
  if (family == "operations") for (int i = 0; i < 1600; ++i) out.push_back(any(random, places));
  if (family == "operation_small") for (int i = 0; i < 480; ++i) out.push_back(small(random, i));
  if (family == "operation_moved")
    for (int i = 0; i < 120; ++i) {
      Pattern p = small(random, i);
      for (int n = 0; n < 6; ++n) {
        out.push_back(p);
        for (uint64_t& at : out.back().lanes.address) at += places[n == 0 ? 0 : 10 + n] - first_window;
      }
    }
  return out;
}

void print(const Pattern& p, int id) {
  const Form& form = forms[p.form];
  printf("{\"id\":%d,\"space\":\"global\",\"op\":\"%s\",\"form\":\"%s\",\"bytes\":%d,\"mask\":\"0x%08x\",\"addresses\":[", id, form.op,
         form.text, (int)form.bytes, p.mask);
  for (int l = 0; l < 32; ++l) printf("%s%llu", l ? "," : "", (unsigned long long)p.lanes.address[l]);
  printf("]}\n");
}

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: operations list FAMILY | operations run FAMILY FIRST COUNT\n"), 2;
  std::vector<Pattern> all = patterns_of(argv[2]);
  if (!strcmp(argv[1], "list")) {
    for (size_t i = 0; i < all.size(); ++i) print(all[i], (int)i);
    return 0;
  }
  check(cudaFree(nullptr), "cudaFree");
  make_windows();
  std::vector<Kernel> kernels;
  list_kernels(kernels, std::make_integer_sequence<int, form_count>());
  size_t first = argc > 3 ? atol(argv[3]) : 0, count = argc > 4 ? atol(argv[4]) : all.size();
  for (size_t i = first; i < all.size() && i < first + count; ++i) {
    kernels[all[i].form]<<<1, 32>>>(all[i].lanes, all[i].mask, 0x7fc01234u);
    check(cudaDeviceSynchronize(), forms[all[i].form].text);
  }
  return 0;
}
