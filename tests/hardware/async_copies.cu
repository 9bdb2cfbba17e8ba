// Asynchronous copies (cp.async) of one warp, a launch per pattern, to be profiled: how many passes of shared memory, tags and
// sectors does a copy take, given where its lanes read and write, how much each copies, and which take part?
//
//   tests/hardware/measure.sh FIGURES.json tests/hardware/async_copies.cu     # on a machine with a GPU
//   nvcc -o async_copies async_copies.cu && ./async_copies --list             # without: the patterns, one JSON object a line
//
// Launch n of the figures is pattern n of the list. Each launch copies twice, on a line of its own each, so that the second
// finds in the L1 what the first may have left there. Results are compared with a copy by plain loops: lanes that
// write the same place are left out of patterns, but for the family "same".
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

constexpr unsigned lanes = 32, shared_bytes = 32768, source_bytes = 1 << 22;

struct Pattern {
  std::string family;
  unsigned bytes = 16, mask = ~0u;
  bool cg = false, sized = false;
  unsigned from[lanes], to[lanes], size[lanes]; // in bytes: from the start of the array, of shared memory
};

struct Lanes {
  unsigned from[lanes], to[lanes], size[lanes];
};

#define COPY(bytes, cache)                                                                                                       \
  asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #bytes ";" ::"r"(to), "l"(from) : "memory")
#define COPY_SIZED(bytes, cache)                                                                                                 \
  asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(to), "l"(from), "r"(size) : "memory")
#define WAIT asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory")

#define KERNEL(name)                                                                                                             \
  __global__ void name(const char* base, Lanes place, unsigned mask, char* out) {                                                \
    extern __shared__ char tile[];                                                                                               \
    for (unsigned i = threadIdx.x; i < shared_bytes; i += lanes) tile[i] = 0x55;                                                 \
    __syncwarp();                                                                                                                \
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + place.to[threadIdx.x];                                 \
    const char* from = base + place.from[threadIdx.x];                                                                           \
    [[maybe_unused]] unsigned size = place.size[threadIdx.x];                                                                    \
    bool takes_part = mask >> threadIdx.x & 1;

#define END                                                                                                                      \
  __syncwarp();                                                                                                                  \
  for (unsigned i = threadIdx.x; i < shared_bytes; i += lanes) out[i] = tile[i];                                                 \
  }

// The two copies stand on lines of their own in each kernel: figures are by line.
// clang-format off
KERNEL(copy_ca4)
  if (takes_part) COPY(4, ca); // first, 4 ca
  WAIT;
  if (takes_part) COPY(4, ca); // again, 4 ca
  WAIT;
END
KERNEL(copy_ca8)
  if (takes_part) COPY(8, ca); // first, 8 ca
  WAIT;
  if (takes_part) COPY(8, ca); // again, 8 ca
  WAIT;
END
KERNEL(copy_ca16)
  if (takes_part) COPY(16, ca); // first, 16 ca
  WAIT;
  if (takes_part) COPY(16, ca); // again, 16 ca
  WAIT;
END
KERNEL(copy_cg16)
  if (takes_part) COPY(16, cg); // first, 16 cg
  WAIT;
  if (takes_part) COPY(16, cg); // again, 16 cg
  WAIT;
END
KERNEL(copy_sized_ca4)
  if (takes_part) COPY_SIZED(4, ca); // first, sized 4 ca
  WAIT;
  if (takes_part) COPY_SIZED(4, ca); // again, sized 4 ca
  WAIT;
END
KERNEL(copy_sized_ca8)
  if (takes_part) COPY_SIZED(8, ca); // first, sized 8 ca
  WAIT;
  if (takes_part) COPY_SIZED(8, ca); // again, sized 8 ca
  WAIT;
END
KERNEL(copy_sized_ca16)
  if (takes_part) COPY_SIZED(16, ca); // first, sized 16 ca
  WAIT;
  if (takes_part) COPY_SIZED(16, ca); // again, sized 16 ca
  WAIT;
END
KERNEL(copy_sized_cg16)
  if (takes_part) COPY_SIZED(16, cg); // first, sized 16 cg
  WAIT;
  if (takes_part) COPY_SIZED(16, cg); // again, sized 16 cg
  WAIT;
END
// clang-format on

// Small and the same everywhere.
struct Random {
  uint64_t state;
  unsigned below(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33) % n;
  }
};

std::vector<Pattern> patterns;

void add(Pattern p, unsigned bytes, bool cg) {
  p.bytes = bytes, p.cg = cg;
  if (!p.sized)
    for (unsigned& s : p.size) s = bytes;
  patterns.push_back(p);
}

// Lane l's copy in rows of `chunk` bytes that lie `stride` apart, from `first` on.
unsigned in_rows(unsigned l, unsigned bytes, unsigned chunk, unsigned stride, unsigned first) {
  unsigned at = l * bytes;
  return first + at / chunk * stride + at % chunk;
}

Pattern rows(unsigned bytes, unsigned chunk, unsigned from_stride, unsigned to_chunk, unsigned to_stride, unsigned from_first = 0,
             unsigned to_first = 0) {
  Pattern p;
  p.family = "rows";
  for (unsigned l = 0; l < lanes; ++l)
    p.from[l] = in_rows(l, bytes, chunk, from_stride, from_first), p.to[l] = in_rows(l, bytes, to_chunk, to_stride, to_first);
  return p;
}

// Tiles as matrix multiplications copy them: rows on either side, with padding, and shifted against each other.
void add_rows(unsigned bytes, bool cg) {
  for (unsigned chunk : {16u, 32u, 64u, 128u})
    for (unsigned stride : {128u, 160u, 256u, 4096u})
      if (chunk >= bytes && stride > chunk) add(rows(bytes, chunk, stride, 512, 512), bytes, cg);
  for (unsigned chunk : {16u, 32u, 64u, 128u})
    for (unsigned stride : {chunk + 16, chunk + 32, 256u}) add(rows(bytes, 512, 512, chunk, stride), bytes, cg);
  for (unsigned chunk : {32u, 64u, 128u})
    for (unsigned pad : {0u, 16u, 32u}) add(rows(bytes, chunk, 1024, chunk, chunk + pad), bytes, cg);
  for (unsigned shift : {16u, 32u, 64u, 96u}) {
    add(rows(bytes, 512, 512, 512, 512, shift, 0), bytes, cg);
    add(rows(bytes, 512, 512, 512, 512, 0, shift), bytes, cg);
    add(rows(bytes, 512, 512, 512, 512, shift, shift), bytes, cg);
  }
}

// The columns of a row exchanged by an exclusive or with its number, so that ldmatrix finds no conflicts.
void add_swizzles(bool cg) {
  for (unsigned chunk : {64u, 128u})
    for (unsigned divisor : {1u, 2u}) {
      Pattern p;
      p.family = "swizzle";
      for (unsigned l = 0; l < lanes; ++l) {
        unsigned per_row = chunk / 16, row = l / per_row, column = l % per_row;
        p.from[l] = row * 1024 + column * 16;
        p.to[l] = row * chunk + (column ^ (row / divisor % per_row)) * 16;
      }
      add(p, 16, cg);
    }
}

// Lanes of `granule` bytes in random order, on one side or both.
void add_shuffled(Random& random, unsigned bytes, bool cg) {
  for (unsigned granule : {bytes, 32u, 128u})
    for (unsigned sides = 1; sides < 4; ++sides) {
      Pattern p = rows(bytes, 512, 512, 512, 512);
      p.family = "shuffled";
      unsigned order[2][1024], count = lanes * bytes / granule, spread = sides == 3 ? 256 : count;
      if (count < 2) continue;
      for (unsigned side = 0; side < 2; ++side) {
        for (unsigned i = 0; i < spread; ++i) order[side][i] = i;
        for (unsigned i = 0; i + 1 < spread; ++i) std::swap(order[side][i], order[side][i + random.below(spread - i)]);
      }
      for (unsigned l = 0; l < lanes; ++l) {
        unsigned at = l * bytes;
        if (sides & 1) p.from[l] = order[0][at / granule] * granule + at % granule;
        if (sides & 2) p.to[l] = order[1][at / granule] * granule + at % granule;
        p.to[l] %= shared_bytes;
      }
      add(p, bytes, cg);
    }
}

void add_masks(Random& random, unsigned bytes, bool cg) {
  for (unsigned mask : {0x55555555u, 0x33333333u, 0x0000ffffu, 0x00ff00ffu, 0x80000001u, 0x000000f0u, 0u, 0u, 0u, 0u}) {
    Pattern p = rows(bytes, 512, 512, 512, 512);
    p.family = "mask";
    p.mask = mask != 0 ? mask : random.below(0x7fffffff) << 1 | 1;
    add(p, bytes, cg);
    p = rows(bytes, 64, 1024, 64, 80);
    p.family = "mask";
    p.mask = mask != 0 ? mask : random.below(0x7fffffff) << 1 | 1;
    add(p, bytes, cg);
  }
}

// Some lanes read less than they write, or nothing.
void add_sizes(Random& random, unsigned bytes, bool cg) {
  for (unsigned kind = 0; kind < 10; ++kind) {
    Pattern p = kind % 2 == 0 ? rows(bytes, 512, 512, 512, 512) : rows(bytes, 64, 1024, 64, 80);
    p.family = "sizes";
    p.sized = true;
    for (unsigned l = 0; l < lanes; ++l) {
      unsigned part = kind < 2 ? bytes : kind < 4 ? (l < 24 ? bytes : 0) : kind < 6 ? 0 : kind < 8 ? bytes / 4 : random.below(bytes / 4 + 1) * 4;
      p.size[l] = part;
    }
    add(p, bytes, cg);
  }
}

// Lanes that read the same, and, last, some that write the same place: the GPU keeps one of them.
void add_same(bool cg) {
  for (unsigned kind = 0; kind < 4; ++kind) {
    Pattern p = rows(16, 512, 512, 512, 512);
    p.family = kind < 2 ? "broadcast" : "same";
    for (unsigned l = 0; l < lanes; ++l) {
      if (kind == 0) p.from[l] = 0;
      if (kind == 1) p.from[l] = l / 2 * 16;
      if (kind == 2) p.to[l] = l / 2 * 16;
      if (kind == 3) p.to[l] = l % 8 * 16;
    }
    add(p, 16, cg);
  }
}

void make_patterns() {
  Random random{20261122};
  struct Form {
    unsigned bytes;
    bool cg;
  };
  for (Form f : {Form{16, true}, Form{16, false}, Form{8, false}, Form{4, false}}) {
    add_rows(f.bytes, f.cg);
    add_shuffled(random, f.bytes, f.cg);
    add_masks(random, f.bytes, f.cg);
    add_sizes(random, f.bytes, f.cg);
    if (f.bytes < 16) continue;
    add_swizzles(f.cg);
    add_same(f.cg);
  }
}

void print(const char* key, const unsigned* values) {
  std::printf(", \"%s\": [", key);
  for (unsigned l = 0; l < lanes; ++l) std::printf(l ? ", %u" : "%u", values[l]);
  std::printf("]");
}

int main(int count, char** words) {
  make_patterns();
  if (count > 1 && std::strcmp(words[1], "--list") == 0) {
    for (size_t i = 0; i < patterns.size(); ++i) {
      const Pattern& p = patterns[i];
      std::printf("{\"id\": %zu, \"family\": \"%s\", \"bytes\": %u, \"mask\": %u, \"cache\": \"%s\", \"sized\": %s", i, p.family.c_str(),
                  p.bytes, p.mask, p.cg ? "cg" : "ca", p.sized ? "true" : "false");
      print("addresses", p.from), print("shared_addresses", p.to), print("sizes", p.size);
      std::printf("}\n");
    }
    return 0;
  }
  std::vector<char> source(source_bytes), want(shared_bytes), got(shared_bytes);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i * 37 + i / 256 * 11);
  char *from, *out;
  cudaMalloc(&from, source_bytes), cudaMalloc(&out, shared_bytes);
  cudaMemcpy(from, source.data(), source_bytes, cudaMemcpyHostToDevice);
  for (size_t i = 0; i < patterns.size(); ++i) {
    const Pattern& p = patterns[i];
    Lanes place;
    std::memcpy(place.from, p.from, sizeof p.from), std::memcpy(place.to, p.to, sizeof p.to), std::memcpy(place.size, p.size, sizeof p.size);
    auto kernel = p.sized ? (p.bytes == 4 ? copy_sized_ca4 : p.bytes == 8 ? copy_sized_ca8 : p.cg ? copy_sized_cg16 : copy_sized_ca16)
                          : (p.bytes == 4 ? copy_ca4 : p.bytes == 8 ? copy_ca8 : p.cg ? copy_cg16 : copy_ca16);
    kernel<<<1, lanes, shared_bytes>>>(from, place, p.mask, out);
    cudaError_t error = cudaMemcpy(got.data(), out, shared_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return std::printf("pattern %zu: %s\n", i, cudaGetErrorString(error)), 1;
    std::fill(want.begin(), want.end(), 0x55);
    for (unsigned l = 0; l < lanes; ++l)
      if (p.mask >> l & 1)
        for (unsigned b = 0; b < p.bytes; ++b) want[p.to[l] + b] = b < p.size[l] ? source[p.from[l] + b] : 0;
    if (p.family != "same" && want != got) return std::printf("pattern %zu is wrong\n", i), 1;
  }
  std::printf("%zu patterns, every copy is right\n", patterns.size());
}
