// What do the profiler's counters by instruction say of an asynchronous copy that is predicated off for some lanes, or for all? The
// machine neither reads nor writes for these lanes; their registers hold addresses all the same. A launch for each case: lanes
// `mask` copy, the others have the addresses of the case. The copy must be one predicated LDGSTS in machine code (sm_90, CUDA 13.0).
//
//   nvcc -O3 -arch=sm_90 -o predicated_copies predicated_copies.cu && ./predicated_copies --list     # the cases, a JSON object a line
//   ncu --csv --page raw --metrics … ./predicated_copies                                             # launch n is case n
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

constexpr unsigned lanes = 32;
struct Place {
  unsigned from[lanes], to[lanes];
};
struct Case {
  std::string name;
  unsigned bytes, mask;
  bool cg;
  Place place;
};

template <int bytes, bool cg>
__global__ void copies(const char* base, Place place, unsigned mask, char* out) {
  extern __shared__ __align__(1024) char shared[];
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + place.to[threadIdx.x];
  const char* from = base + place.from[threadIdx.x];
  int p = mask >> threadIdx.x & 1;
  if constexpr (cg)
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(to),
        "l"(from), "r"(p)
        : "memory");
  else
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(to),
        "l"(from), "r"(p), "n"(bytes)
        : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (shared[threadIdx.x] == 77) out[threadIdx.x] = 1;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (unsigned how = 0; how < 4; ++how) {
    const unsigned bytes = how < 2 ? 16 : how == 2 ? 8 : 4;
    auto add = [&](std::string name, unsigned mask, auto from, auto to) {
      Case c{name, bytes, mask, how == 0, {}};
      for (unsigned l = 0; l < lanes; ++l) c.place.from[l] = from(l), c.place.to[l] = to(l);
      out.push_back(c);
    };
    auto row = [&](unsigned l) { return l * bytes; };
    for (unsigned mask : {~0u, 0u, 1u, 0xffffu, 0xffff0000u, 0x000f000fu, 0x55555555u, 0x80000000u}) {
      add("rows", mask, row, row);
      add(
          "lines", mask, [](unsigned l) { return l * 128; }, row);
      add("banks", mask, row, [](unsigned l) { return l * 512; });
      add(
          "one", mask, [](unsigned) { return 0u; }, [](unsigned) { return 0u; });
      // lanes that take part as in "rows"; the others somewhere else
      auto off = [&](unsigned l) { return !(mask >> l & 1); };
      add(
          "off lines", mask, [&](unsigned l) { return off(l) ? 65536 + l * 4096 : row(l); }, row);
      add(
          "off sectors", mask, [&](unsigned l) { return off(l) ? 65536 + l * 32 : row(l); }, row);
      add("off banks", mask, row, [&](unsigned l) { return off(l) ? l * 512 : row(l); });
      add(
          "off both", mask, [&](unsigned l) { return off(l) ? 65536 + l * 4096 : row(l); },
          [&](unsigned l) { return off(l) ? l * 512 : row(l); });
      add(
          "off one", mask, [&](unsigned l) { return off(l) ? 65536 : row(l); },
          [&](unsigned l) { return off(l) ? 8192 : row(l); });
      add(
          "off odd", mask, [&](unsigned l) { return off(l) ? 65536 + l * 37 : row(l); },
          [&](unsigned l) { return off(l) ? l * 41 : row(l); });
    }
  }
  return out;
}

int main(int argc, char** argv) {
  std::vector<Case> all = cases();
  if (argc > 1 && !strcmp(argv[1], "--list")) {
    for (const Case& c : all) {
      printf("{\"name\": \"%s\", \"bytes\": %u, \"cache\": \"%s\", \"mask\": \"%#x\", \"from\": [",
             c.name.c_str(), c.bytes, c.cg ? "cg" : "ca", c.mask);
      for (unsigned l = 0; l < lanes; ++l) printf("%s%u", l ? ", " : "", c.place.from[l]);
      printf("], \"to\": [");
      for (unsigned l = 0; l < lanes; ++l) printf("%s%u", l ? ", " : "", c.place.to[l]);
      printf("]}\n");
    }
    return 0;
  }
  char *base, *out;
  cudaMalloc(&base, 1 << 22), cudaMalloc(&out, 1 << 16);
  cudaMemset(base, 1, 1 << 22);
  for (const Case& c : all) {
    auto launch = [&](auto kernel) { kernel<<<1, lanes, 32768>>>(base, c.place, c.mask, out); };
    if (c.cg)
      launch(copies<16, true>);
    else if (c.bytes == 16)
      launch(copies<16, false>);
    else if (c.bytes == 8)
      launch(copies<8, false>);
    else
      launch(copies<4, false>);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
