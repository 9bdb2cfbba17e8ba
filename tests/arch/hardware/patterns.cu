// Single-warp access patterns for an NVIDIA GPU, to be run under Nsight Compute by measure.sh.
//
//   patterns list FAMILY              one JSON object per pattern, as in tests/arch/data
//   patterns run FAMILY FIRST COUNT   one kernel launch per pattern
//
// Each launch executes exactly one instruction of interest, with the lanes of the mask active. Addresses come from a
// kernel parameter, not from memory, so that no other global or shared access disturbs the counters. Patterns are
// pseudo-random but the same in every run.
//
// Families ask what other data leaves open: wide_loads (which lanes merge passes of 8- and 16-byte shared loads, with
// partial masks and paired or broadcast groups), async_copy (what conflicting shared destinations add), local (4- and
// 16-byte elements), atomics (sectors of equal addresses), shared_atomics (lanes that meet at an address, by operation),
// global (wavefronts of the data stage), texture.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Pattern {
  std::string space, op;
  int bytes = 4;
  uint32_t mask = 0xffffffff;
  uint32_t address[32] = {};
  uint32_t shared[32] = {};  // async_copy: destinations
  int x[32] = {}, y[32] = {}; // 2-D textures
  bool bypass = false;       // async_copy: cp.async.cg
  int form = 0;              // shared_atomics: index into shared_forms
};

struct Lanes { uint32_t address[32], shared[32]; };

// --- kernels: one instruction each ---------------------------------------------------------------------------------

#define CONSUME(v) if ((v) == 0x7fc01234u) asm volatile("trap;")

template <int bytes> __global__ void shared_load(const __grid_constant__ Lanes lanes, uint32_t mask) {
  extern __shared__ __align__(1024) char memory[];
  uint32_t at = (uint32_t)__cvta_generic_to_shared(memory) + lanes.address[threadIdx.x], a = 0, b = 0, c = 0, d = 0;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 8) asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
    else asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  }
  CONSUME(a ^ b ^ c ^ d);
}

template <int bytes, bool bypass>
__global__ void async_copy(const __grid_constant__ Lanes lanes, uint32_t mask, const char* global) {
  extern __shared__ __align__(1024) char memory[];
  uint32_t to = (uint32_t)__cvta_generic_to_shared(memory) + lanes.shared[threadIdx.x];
  const char* from = global + lanes.address[threadIdx.x];
  if (mask >> threadIdx.x & 1) {
    if (bypass) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes));
  }
  asm volatile("cp.async.wait_all;");
}

// The array is written and read at places that the assembler cannot know, or it would not stay in local memory. The
// fill makes stores only.
template <int bytes> __global__ void local_load(const __grid_constant__ Lanes lanes, uint32_t mask, uint32_t* sink) {
  __align__(256) uint32_t array[64];
#pragma unroll 1
  for (unsigned i = 0; i < 64; ++i) array[(i + mask) & 63] = i;
  uint32_t at = lanes.address[threadIdx.x] / 4, value = 0;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 4) value = array[at & 63];
    else {
      uint4 quad = reinterpret_cast<const uint4*>(array)[at / 4 & 15];
      value = quad.x ^ quad.y ^ quad.z ^ quad.w;
    }
    sink[threadIdx.x] = value;
  }
}

template <int bytes> __global__ void global_load(const __grid_constant__ Lanes lanes, uint32_t mask, const char* global) {
  const char* at = global + lanes.address[threadIdx.x];
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(at));
    else if (bytes == 8) asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));
    else asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
  }
  CONSUME(a ^ b ^ c ^ d);
}

template <int bytes> __global__ void global_store(const __grid_constant__ Lanes lanes, uint32_t mask, char* global) {
  char* at = global + lanes.address[threadIdx.x];
  if (mask >> threadIdx.x & 1) {
    if (bytes == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(threadIdx.x));
    else if (bytes == 8) asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(threadIdx.x));
    else asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(threadIdx.x));
  }
}

template <int bytes, bool result>
__global__ void global_atomic(const __grid_constant__ Lanes lanes, uint32_t mask, char* global) {
  char* at = global + lanes.address[threadIdx.x];
  uint32_t a = 0;
  uint64_t b = 0;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 4 && result) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : "l"(at), "r"(threadIdx.x));
    if (bytes == 8 && result) asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(b) : "l"(at), "l"((uint64_t)threadIdx.x));
    if (bytes == 4 && !result) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(threadIdx.x));
    if (bytes == 8 && !result) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"((uint64_t)threadIdx.x));
  }
  CONSUME(a ^ (uint32_t)b);
}

// What the assembler makes of a shared atomic depends on the operation, the operand and whether the result is used.
const char* const shared_forms[] = {"add 1", "add 1, result used", "add 5", "add variable", "add variable, result used",
                                    "sub 1", "max", "or", "exch", "cas", "add u64", "add f32"};

template <int form> __global__ void shared_atomic(const __grid_constant__ Lanes lanes, uint32_t mask, uint32_t* sink) {
  extern __shared__ __align__(1024) char memory[];
  char* at = memory + lanes.address[threadIdx.x];
  uint32_t* word = (uint32_t*)at;
  uint32_t result = 0;
  if (mask >> threadIdx.x & 1) {
    if (form == 0) atomicAdd(word, 1u);
    if (form == 1) result = atomicAdd(word, 1u);
    if (form == 2) atomicAdd(word, 5u);
    if (form == 3) atomicAdd(word, threadIdx.x);
    if (form == 4) result = atomicAdd(word, threadIdx.x);
    if (form == 5) atomicSub(word, 1u);
    if (form == 6) atomicMax(word, threadIdx.x);
    if (form == 7) atomicOr(word, threadIdx.x);
    if (form == 8) result = atomicExch(word, threadIdx.x);
    if (form == 9) result = atomicCAS(word, 0u, threadIdx.x);
    if (form == 10) atomicAdd((unsigned long long*)at, (unsigned long long)threadIdx.x);
    if (form == 11) atomicAdd((float*)at, 1.0f + threadIdx.x);
    if (form == 1 || form == 4 || form == 8 || form == 9) sink[threadIdx.x] = result;
  }
}

__global__ void texture_linear(const __grid_constant__ Lanes lanes, uint32_t mask, cudaTextureObject_t texture) {
  float v = 0;
  if (mask >> threadIdx.x & 1) v = tex1Dfetch<float>(texture, (int)(lanes.address[threadIdx.x] / 4));
  CONSUME(__float_as_uint(v));
}

__global__ void texture_plane(const __grid_constant__ Lanes lanes, uint32_t mask, cudaTextureObject_t texture) {
  float v = 0;
  if (mask >> threadIdx.x & 1)
    v = tex2D<float>(texture, lanes.address[threadIdx.x] + 0.5f, lanes.shared[threadIdx.x] + 0.5f);
  CONSUME(__float_as_uint(v));
}

// --- patterns ------------------------------------------------------------------------------------------------------

struct Random {
  uint64_t state;
  uint32_t operator()(uint32_t below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state * 0x2545F4914F6CDD1Dull) >> 33) % below;
  }
  uint32_t bits() { return (*this)(1u << 16) << 16 | (*this)(1u << 16); }
};

uint32_t random_mask(Random& random) {
  switch (random(8)) {
  case 0: return 0x55555555; case 1: return 0xffff; case 2: return 0xffff0000; case 3: return 0x00ff00ff;
  case 4: return random.bits(); case 5: return random.bits() | random.bits(); default: return 0xffffffff;
  }
}

// Groups of lanes (quarter-warps of 16-byte words, half-warps of 8-byte words), each with its own structure and mask.
Pattern wide_load(Random& random, int bytes) {
  Pattern p;
  p.space = "shared", p.op = "load", p.bytes = bytes, p.mask = 0;
  int group = bytes == 16 ? 8 : 16, units = 128 / bytes;    // units of one pass
  bool free = random(4) != 0;                                // one row per unit: no conflicts anywhere
  uint32_t row[16];
  for (auto& r : row) r = random(4);
  auto unit = [&] {
    uint32_t u = random(units);
    return (u + units * (free ? row[u] : random(4))) * bytes;
  };
  int sharing = random(3); // how often a group is structured
  for (int first = 0; first < 32; first += group) {
    int kind = sharing == 0 ? 0 : sharing == 1 ? random(6) : 1 + random(3);
    uint32_t all = unit(), mask = 0;
    for (int l = first; l < first + group; ++l) p.address[l] = unit();
    for (int l = first; l < first + group; ++l) {
      if (kind == 1) p.address[l] = p.address[l & ~1];                       // equal to n^1
      if (kind == 2) p.address[l] = p.address[l & ~2];                       // equal to n^2
      if (kind == 3) p.address[l] = all;                                     // broadcast
      if (kind == 4) p.address[l] = p.address[l & 4 ? l & ~1 : l & ~2];      // n^1 in some quads, n^2 in others
    }
    switch (random(8)) {
    case 0: mask = 0; break;
    case 1: mask = 1u << random(group); break;
    case 2: mask = random.bits(); break;
    case 3: mask = 0x5555; break;
    case 4: mask = 0x3333; break;
    default: mask = 0xffff;
    }
    p.mask |= (mask & ((1u << group) - 1)) << first;
  }
  if (p.mask == 0) p.mask = 1u << random(32);
  return p;
}

Pattern copy(Random& random) {
  Pattern p;
  p.space = "global", p.op = "async_copy";
  p.bytes = 4 << random(3);
  p.bypass = p.bytes == 16 && random(2);
  p.mask = random_mask(random);
  int to = random(6), from = random(3);
  for (int l = 0; l < 32; ++l) {
    uint32_t s = to == 0 ? l : to == 1 ? 2 * l : to == 2 ? 32 * l : to == 3 ? 8 * l : to == 4 ? l * 33 : random(256);
    if (to == 4) s = l * 33 % 256;
    p.shared[l] = (s % (8192 / p.bytes)) * p.bytes;
    p.address[l] = (from == 0 ? l : from == 1 ? 32 * l : random(1024)) * p.bytes;
  }
  return p;
}

Pattern local(Random& random) {
  Pattern p;
  p.space = "local", p.op = "load", p.bytes = random(2) ? 16 : 4, p.mask = random_mask(random);
  int choices = 1 + random(16);
  for (auto& a : p.address) a = random(choices) % (256 / p.bytes) * p.bytes;
  return p;
}

Pattern atomic(Random& random) {
  Pattern p;
  p.space = "global", p.op = random(2) ? "atomic" : "reduction", p.bytes = random(2) ? 8 : 4;
  p.mask = random_mask(random);
  int kind = random(5), choices = 1 << random(7);
  for (int l = 0; l < 32; ++l) {
    uint32_t w = kind == 0 ? l : kind == 1 ? l / 2 : kind == 2 ? l % (1 + choices) : kind == 3 ? random(choices) : l * choices;
    p.address[l] = w * p.bytes;
  }
  return p;
}

Pattern shared_atomic(Random& random, int form) {
  Pattern p;
  p.space = "shared", p.op = "atomic", p.form = form, p.bytes = form == 10 ? 8 : 4, p.mask = random_mask(random);
  int kind = random(4), choices = 1 << random(8), stride = 1 << random(6);
  for (int l = 0; l < 32; ++l) {
    uint32_t w = kind == 0 ? random(choices) : kind == 1 ? l * stride : kind == 2 ? l / 2 * stride : random(choices) * 32;
    p.address[l] = w * p.bytes % 16384;
  }
  return p;
}

Pattern global(Random& random) {
  Pattern p;
  p.space = "global", p.op = random(3) ? "load" : "store", p.bytes = 4 << random(3);
  p.mask = random_mask(random);
  int kind = random(6), stride = 1 << random(8), choices = 1 << random(10), shift = random(32);
  for (int l = 0; l < 32; ++l) {
    uint32_t w = kind == 0 ? l + shift : kind == 1 ? l * stride : kind == 2 ? random(choices) : kind == 3 ? l / 2 * stride
               : kind == 4 ? (l ^ 1) + 32 * random(2) : (l % 8) * stride + l / 8;
    p.address[l] = w * p.bytes;
  }
  return p;
}

Pattern texture(Random& random) {
  Pattern p;
  int kind = random(3);
  p.space = kind == 0 ? "texture1d_linear" : kind == 1 ? "texture2d_array" : "texture2d_pitch_linear";
  p.op = "load", p.mask = random_mask(random);
  int shape = random(5), step = 1 << random(6), x0 = random(64), y0 = random(64);
  for (int l = 0; l < 32; ++l) {
    int x = shape == 0 ? l : shape == 1 ? l * step : shape == 2 ? l % 8 : shape == 3 ? (int)random(32) : l % 4;
    int y = shape == 2 ? l / 8 : shape == 3 ? (int)random(8) : shape == 4 ? l / 4 * step : 0;
    p.x[l] = (x0 + x) % 1024, p.y[l] = (y0 + y) % 1024;
    p.address[l] = kind == 0 ? 4 * ((x0 + x + 37 * y) % 65536) : p.x[l];
    p.shared[l] = p.y[l];
  }
  return p;
}

std::vector<Pattern> patterns_of(const std::string& family) {
  std::vector<Pattern> out;
  Random random{0x9E3779B97F4A7C15ull};
  if (family == "wide_loads") for (int i = 0; i < 1000; ++i) out.push_back(wide_load(random, i % 3 == 2 ? 8 : 16));
  if (family == "async_copy") for (int i = 0; i < 180; ++i) out.push_back(copy(random));
  if (family == "local") for (int i = 0; i < 60; ++i) out.push_back(local(random));
  if (family == "atomics") for (int i = 0; i < 180; ++i) out.push_back(atomic(random));
  if (family == "shared_atomics") for (int i = 0; i < 240; ++i) out.push_back(shared_atomic(random, i % 12));
  if (family == "global") for (int i = 0; i < 200; ++i) out.push_back(global(random));
  if (family == "texture") for (int i = 0; i < 150; ++i) out.push_back(texture(random));
  return out;
}

// --- running -------------------------------------------------------------------------------------------------------

char* device;
cudaTextureObject_t linear, plane_array, plane_pitch;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}

void make_memory() {
  check(cudaMalloc(&device, 8 << 20), "cudaMalloc");
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  description.filterMode = cudaFilterModePoint;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {device, cudaCreateChannelDesc<float>(), 4 << 20};
  check(cudaCreateTextureObject(&linear, &resource, &description, nullptr), "linear texture");
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {device, cudaCreateChannelDesc<float>(), 1024, 1024, 4096};
  check(cudaCreateTextureObject(&plane_pitch, &resource, &description, nullptr), "pitch texture");
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMallocArray(&array, &format, 1024, 1024), "cudaMallocArray");
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  check(cudaCreateTextureObject(&plane_array, &resource, &description, nullptr), "array texture");
}

using SharedAtomic = void (*)(const Lanes, uint32_t, uint32_t*);
const SharedAtomic shared_atomics[] = {shared_atomic<0>, shared_atomic<1>, shared_atomic<2>,  shared_atomic<3>,
                                       shared_atomic<4>, shared_atomic<5>, shared_atomic<6>,  shared_atomic<7>,
                                       shared_atomic<8>, shared_atomic<9>, shared_atomic<10>, shared_atomic<11>};

void launch(const Pattern& p) {
  Lanes lanes;
  memcpy(lanes.address, p.address, sizeof lanes.address);
  memcpy(lanes.shared, p.shared, sizeof lanes.shared);
  uint32_t m = p.mask;
  char* g = (char*)(((uintptr_t)device + (1 << 20) - 1) & ~(uintptr_t)((1 << 20) - 1));
  bool store = p.op == "store", result = p.op == "atomic";
  if (p.space == "shared" && p.op == "atomic") shared_atomics[p.form]<<<1, 32, 16384>>>(lanes, m, (uint32_t*)g);
  else if (p.space == "shared") p.bytes == 8 ? shared_load<8><<<1, 32, 16384>>>(lanes, m) : shared_load<16><<<1, 32, 16384>>>(lanes, m);
  else if (p.op == "async_copy") {
    if (p.bypass) async_copy<16, true><<<1, 32, 16384>>>(lanes, m, g);
    else if (p.bytes == 4) async_copy<4, false><<<1, 32, 16384>>>(lanes, m, g);
    else if (p.bytes == 8) async_copy<8, false><<<1, 32, 16384>>>(lanes, m, g);
    else async_copy<16, false><<<1, 32, 16384>>>(lanes, m, g);
  } else if (p.space == "local") p.bytes == 4 ? local_load<4><<<1, 32>>>(lanes, m, (uint32_t*)g) : local_load<16><<<1, 32>>>(lanes, m, (uint32_t*)g);
  else if (p.op == "atomic" || p.op == "reduction") {
    if (p.bytes == 4) result ? global_atomic<4, true><<<1, 32>>>(lanes, m, g) : global_atomic<4, false><<<1, 32>>>(lanes, m, g);
    else result ? global_atomic<8, true><<<1, 32>>>(lanes, m, g) : global_atomic<8, false><<<1, 32>>>(lanes, m, g);
  } else if (p.space == "global") {
    if (p.bytes == 4) store ? global_store<4><<<1, 32>>>(lanes, m, g) : global_load<4><<<1, 32>>>(lanes, m, g);
    else if (p.bytes == 8) store ? global_store<8><<<1, 32>>>(lanes, m, g) : global_load<8><<<1, 32>>>(lanes, m, g);
    else store ? global_store<16><<<1, 32>>>(lanes, m, g) : global_load<16><<<1, 32>>>(lanes, m, g);
  } else if (p.space == "texture1d_linear") texture_linear<<<1, 32>>>(lanes, m, linear);
  else texture_plane<<<1, 32>>>(lanes, m, p.space == "texture2d_array" ? plane_array : plane_pitch);
  check(cudaDeviceSynchronize(), "launch");
}

void print_array(const char* key, const uint32_t* values) {
  printf(",\"%s\":[", key);
  for (int l = 0; l < 32; ++l) printf("%s%u", l ? "," : "", values[l]);
  printf("]");
}

void print(const Pattern& p, int id) {
  printf("{\"id\":%d,\"space\":\"%s\",\"op\":\"%s\",\"bytes\":%d,\"mask\":\"0x%08x\"", id, p.space.c_str(), p.op.c_str(), p.bytes, p.mask);
  bool plane = p.space.rfind("texture2d", 0) == 0;
  if (plane) {
    printf(",\"texels\":[");
    for (int l = 0; l < 32; ++l) printf("%s[%d,%d]", l ? "," : "", p.x[l], p.y[l]);
    printf("]");
  } else print_array(p.space == "local" ? "offsets" : "addresses", p.address);
  if (p.space == "shared" && p.op == "atomic") printf(",\"form\":\"%s\"", shared_forms[p.form]);
  if (p.op == "async_copy") {
    print_array("shared_addresses", p.shared);
    printf(",\"cache\":\"%s\"", p.bypass ? "cg" : "ca");
  }
  printf("}\n");
}

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: patterns list FAMILY | patterns run FAMILY FIRST COUNT\n"), 2;
  std::vector<Pattern> all = patterns_of(argv[2]);
  if (!strcmp(argv[1], "list")) {
    for (size_t i = 0; i < all.size(); ++i) print(all[i], (int)i);
    return 0;
  }
  make_memory();
  size_t first = argc > 3 ? atol(argv[3]) : 0, count = argc > 4 ? atol(argv[4]) : all.size();
  for (size_t i = first; i < all.size() && i < first + count; ++i) launch(all[i]);
  return 0;
}
