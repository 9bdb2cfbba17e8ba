// Random fetches from textures, whose results are printed bit by bit: run on a GPU and under WarpLens, two files that
// compare_textures.py sets against each other.
//
//   textures [SEED]     2,048 fetches by default seed 1; a line each:
//     NUMBER KIND FORMAT CHANNELS READ FILTER COORDINATES MODES  SIZE  AT…  LEVEL  X Y Z W
//   with coordinates as hexadecimal floats and results as the bits of four registers. Before them, lines "api …": what
//   functions answer to descriptors that the documentation leaves open or forbids.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error_ = (call);                                                                                       \
    if (error_ != cudaSuccess) {                                                                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                             \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

enum Kind { buffer, row, plane, pitched, solid, rows, planes, cube, cubes, levels, gather, kinds };
const char* kind_name[] = {"buffer", "row", "plane", "pitched", "solid", "rows", "planes", "cube", "cubes", "levels", "gather"};

struct Format {
  const char* name;
  int bits;
  cudaChannelFormatKind kind;
};
const Format formats[] = {{"u8", 8, cudaChannelFormatKindUnsigned},   {"s8", 8, cudaChannelFormatKindSigned},
                          {"u16", 16, cudaChannelFormatKindUnsigned}, {"s16", 16, cudaChannelFormatKindSigned},
                          {"u32", 32, cudaChannelFormatKindUnsigned}, {"s32", 32, cudaChannelFormatKindSigned},
                          {"f16", 16, cudaChannelFormatKindFloat},    {"f32", 32, cudaChannelFormatKindFloat}};

struct Random { // the same on every machine
  uint64_t state;
  uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state >> 33);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<uint32_t>(n)); }
};

struct Place {
  float x, y, z, level;
  int layer;
};

template <class T> __device__ T fetch(cudaTextureObject_t t, int kind, const Place& p) {
  switch (kind) {
  case buffer: return tex1Dfetch<T>(t, static_cast<int>(p.x));
  case row: return tex1D<T>(t, p.x);
  case plane:
  case pitched: return tex2D<T>(t, p.x, p.y);
  case solid: return tex3D<T>(t, p.x, p.y, p.z);
  case rows: return tex1DLayered<T>(t, p.x, p.layer);
  case planes: return tex2DLayered<T>(t, p.x, p.y, p.layer);
  case cube: return texCubemap<T>(t, p.x, p.y, p.z);
  case cubes: return texCubemapLayered<T>(t, p.x, p.y, p.z, p.layer);
  case levels: return tex2DLod<T>(t, p.x, p.y, p.level);
  default:
    switch (p.layer) { // of a gather: the channel
    case 0: return tex2Dgather<T>(t, p.x, p.y, 0);
    case 1: return tex2Dgather<T>(t, p.x, p.y, 1);
    case 2: return tex2Dgather<T>(t, p.x, p.y, 2);
    default: return tex2Dgather<T>(t, p.x, p.y, 3);
    }
  }
}

__global__ void fetch_all(cudaTextureObject_t t, int kind, int type, const Place* place, uint4* out) {
  Place p = place[threadIdx.x];
  uint4 bits;
  if (type == 0) {
    float4 v = fetch<float4>(t, kind, p);
    bits = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
  } else if (type == 1) {
    int4 v = fetch<int4>(t, kind, p);
    bits = make_uint4(v.x, v.y, v.z, v.w);
  } else {
    bits = fetch<uint4>(t, kind, p);
  }
  out[threadIdx.x] = bits;
}

struct Case {
  int kind, format, channels, type; // type of the result: 0 float, 1 int, 2 unsigned
  cudaExtent size;
  cudaTextureDesc texture;
};

// Halves and floats that are finite; small ones, so that sums say something.
void fill(Random& random, const Format& format, std::vector<unsigned char>& bytes) {
  for (unsigned char& b : bytes) b = static_cast<unsigned char>(random.next());
  if (format.kind != cudaChannelFormatKindFloat) return;
  if (format.bits == 32)
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      float f = static_cast<float>(random.below(1 << 20)) / 1024 - 512;
      std::memcpy(&bytes[i], &f, 4);
    }
  else
    for (size_t i = 0; i + 2 <= bytes.size(); i += 2) {
      uint16_t h = static_cast<uint16_t>((random.next() & 0x83ff) | (8 + random.below(14)) << 10);
      std::memcpy(&bytes[i], &h, 2);
    }
}

Case draw(Random& random, int number) {
  Case c = {};
  c.kind = number % kinds;
  c.format = random.below(8);
  c.channels = 1 << random.below(3);
  if (c.kind == gather) c.channels = 4;
  const Format& format = formats[c.format];
  int w = 1 + random.below(17), h = 1 + random.below(13), d = 1 + random.below(7);
  switch (c.kind) {
  case buffer: case row: c.size = make_cudaExtent(w, 0, 0); break;
  case plane: case pitched: case gather: c.size = make_cudaExtent(w, h, 0); break;
  case solid: c.size = make_cudaExtent(w, h, d); break;
  case rows: c.size = make_cudaExtent(w, 0, d); break;
  case planes: c.size = make_cudaExtent(w, h, d); break;
  case cube: c.size = make_cudaExtent(w, w, 6); break;
  case cubes: c.size = make_cudaExtent(w, w, 12); break;
  case levels: c.size = make_cudaExtent(w + 3, h + 3, 0); break;
  }
  bool integer = format.kind != cudaChannelFormatKindFloat;
  bool normalized_read = integer && format.bits < 32 && random.below(2);
  c.type = !integer || normalized_read ? 0 : format.kind == cudaChannelFormatKindSigned ? 1 : 2;
  cudaTextureDesc& t = c.texture;
  t.readMode = normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  t.filterMode = c.type == 0 && c.kind != buffer && random.below(3) ? cudaFilterModeLinear : cudaFilterModePoint;
  t.normalizedCoords = c.kind == levels || c.kind == cube || c.kind == cubes || (c.kind != buffer && random.below(2));
  for (int a = 0; a < 3; ++a) t.addressMode[a] = static_cast<cudaTextureAddressMode>(random.below(4));
  for (int b = 0; b < 4; ++b) t.borderColor[b] = static_cast<float>(random.below(100)) / 64;
  if (c.kind == levels) {
    t.mipmapFilterMode = c.type == 0 && random.below(2) ? cudaFilterModeLinear : cudaFilterModePoint;
    t.maxMipmapLevelClamp = static_cast<float>(random.below(9)) / 2;
    t.minMipmapLevelClamp = t.maxMipmapLevelClamp * static_cast<float>(random.below(3)) / 4;
    t.mipmapLevelBias = static_cast<float>(random.below(65) - 32) / 32;
  }
  return c;
}

// A number in texels: middles, edges and numbers next to them, multiples of 1/512, anything; sometimes outside.
float coordinate(Random& random, size_t size, bool normalized) {
  int whole = random.below(static_cast<int>(size) * 2 + 2) - static_cast<int>(size) / 2 - 1;
  float x = static_cast<float>(whole);
  switch (random.below(6)) {
  case 0: x += 0.5f; break;
  case 1: break;
  case 2: x += static_cast<float>(random.below(512)) / 512; break;
  case 3: x += (static_cast<float>(random.below(256)) + 0.5f) / 256; break; // half-way between two weights
  default: x += static_cast<float>(random.next() & 0xffffff) / 16777216; break;
  }
  if (normalized) x /= static_cast<float>(size);
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if (random.below(8) == 0 && x != 0) bits += random.below(2) ? 1 : ~0u;
  std::memcpy(&x, &bits, 4);
  return x;
}

struct Resource {
  cudaResourceDesc desc = {};
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmapped = nullptr;
  void* memory = nullptr;
  void release() {
    if (array) CHECK(cudaFreeArray(array));
    if (mipmapped) CHECK(cudaFreeMipmappedArray(mipmapped));
    if (memory) CHECK(cudaFree(memory));
  }
};

void upload(Random& random, const Format& format, cudaArray_t array, cudaExtent size, size_t texel) {
  size_t height = size.height ? size.height : 1, depth = size.depth ? size.depth : 1;
  std::vector<unsigned char> bytes(size.width * height * depth * texel);
  fill(random, format, bytes);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(bytes.data(), size.width * texel, size.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(size.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}

Resource make(Random& random, const Case& c) {
  const Format& format = formats[c.format];
  auto bits = [&](int channel) { return channel < c.channels ? format.bits : 0; };
  cudaChannelFormatDesc channel = cudaCreateChannelDesc(bits(0), bits(1), bits(2), bits(3), format.kind);
  size_t texel = static_cast<size_t>(format.bits / 8 * c.channels);
  Resource out;
  if (c.kind == buffer || c.kind == pitched) {
    size_t height = c.kind == pitched ? c.size.height : 1, pitch = c.kind == pitched ? 512 : c.size.width * texel;
    std::vector<unsigned char> bytes(pitch * height);
    fill(random, format, bytes);
    CHECK(cudaMalloc(&out.memory, bytes.size()));
    CHECK(cudaMemcpy(out.memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    if (c.kind == buffer) {
      out.desc.resType = cudaResourceTypeLinear;
      out.desc.res.linear.devPtr = out.memory, out.desc.res.linear.desc = channel;
      out.desc.res.linear.sizeInBytes = bytes.size();
    } else {
      out.desc.resType = cudaResourceTypePitch2D;
      out.desc.res.pitch2D.devPtr = out.memory, out.desc.res.pitch2D.desc = channel;
      out.desc.res.pitch2D.width = c.size.width, out.desc.res.pitch2D.height = c.size.height;
      out.desc.res.pitch2D.pitchInBytes = pitch;
    }
    return out;
  }
  if (c.kind == levels) {
    CHECK(cudaMallocMipmappedArray(&out.mipmapped, &channel, c.size, 3));
    for (unsigned l = 0; l < 3; ++l) {
      cudaArray_t level;
      if (cudaGetMipmappedArrayLevel(&level, out.mipmapped, l) != cudaSuccess) break;
      cudaExtent size = make_cudaExtent(c.size.width >> l ? c.size.width >> l : 1, c.size.height >> l ? c.size.height >> l : 1, 0);
      upload(random, format, level, size, texel);
    }
    (void)cudaGetLastError();
    out.desc.resType = cudaResourceTypeMipmappedArray;
    out.desc.res.mipmap.mipmap = out.mipmapped;
    return out;
  }
  unsigned flags = c.kind == rows || c.kind == planes ? cudaArrayLayered
                   : c.kind == cube                   ? cudaArrayCubemap
                   : c.kind == cubes                  ? cudaArrayCubemap | cudaArrayLayered
                   : c.kind == gather                 ? cudaArrayTextureGather
                                                      : 0;
  CHECK(cudaMalloc3DArray(&out.array, &channel, c.size, flags));
  upload(random, format, out.array, c.size, texel);
  out.desc.resType = cudaResourceTypeArray;
  out.desc.res.array.array = out.array;
  return out;
}

Place draw_place(Random& random, const Case& c) {
  Place p = {};
  bool normalized = c.texture.normalizedCoords != 0;
  size_t h = c.size.height ? c.size.height : 1, d = c.size.depth ? c.size.depth : 1;
  if (c.kind == cube || c.kind == cubes) {
    float* axis[] = {&p.x, &p.y, &p.z};
    for (float* a : axis) *a = static_cast<float>(random.below(2001) - 1000) / 512;
  } else {
    p.x = coordinate(random, c.size.width, normalized);
    p.y = coordinate(random, h, normalized);
    p.z = coordinate(random, d, normalized);
  }
  p.layer = c.kind == gather ? random.below(4) : random.below(static_cast<int>(c.kind == cubes ? 2 : d) + 1);
  p.level = static_cast<float>(random.below(1025) - 128) / 256;
  return p;
}

void print(int number, const Case& c, const Place& p, const uint4& v) {
  std::printf("%d %s %s %d %s %s %s %d%d%d  %zux%zux%zu  %a %a %a %d %a  %08x %08x %08x %08x\n", number, kind_name[c.kind],
              formats[c.format].name, c.channels, c.texture.readMode == cudaReadModeNormalizedFloat ? "normalized" : "element",
              c.texture.filterMode == cudaFilterModeLinear ? "linear" : "point",
              c.texture.normalizedCoords ? "parts" : "texels", c.texture.addressMode[0], c.texture.addressMode[1],
              c.texture.addressMode[2], c.size.width, c.size.height, c.size.depth, p.x, p.y, p.z, p.layer, p.level, v.x, v.y,
              v.z, v.w);
}

// What is answered to descriptors at the border of what is documented: the error's name each.
void ask_api() {
  void* memory;
  CHECK(cudaMalloc(&memory, 1 << 16));
  auto create = [&](const char* what, cudaResourceDesc r, cudaTextureDesc t) {
    cudaTextureObject_t object = 0;
    cudaError_t error = cudaCreateTextureObject(&object, &r, &t, nullptr);
    std::printf("api %s: %s\n", what, cudaGetErrorName(error));
    if (error == cudaSuccess) CHECK(cudaDestroyTextureObject(object));
    (void)cudaGetLastError();
  };
  cudaTextureDesc plain = {};
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = memory, linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = 4096;
  create("linear", linear, plain);
  for (size_t offset : {4, 16, 32, 64, 128, 256, 512}) {
    cudaResourceDesc moved = linear;
    moved.res.linear.devPtr = static_cast<char*>(memory) + offset;
    char name[32];
    std::snprintf(name, sizeof name, "linear+%zu", offset);
    create(name, moved, plain);
  }
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  cudaTextureDesc normalized = {};
  normalized.readMode = cudaReadModeNormalizedFloat;
  create("normalized 32-bit integers", linear, normalized);
  cudaTextureDesc filtered = {};
  filtered.filterMode = cudaFilterModeLinear;
  create("filtered linear integers", linear, filtered);
  cudaArray_t array;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&array, &channel, 16, 16));
  cudaResourceDesc of_array = {};
  of_array.resType = cudaResourceTypeArray, of_array.res.array.array = array;
  create("filtered integers of an array", of_array, filtered);
  create("normalized 32-bit integers of an array", of_array, normalized);
  cudaSurfaceObject_t surface = 0;
  cudaError_t error = cudaCreateSurfaceObject(&surface, &of_array);
  std::printf("api surface of an array without the flag: %s\n", cudaGetErrorName(error));
  (void)cudaGetLastError();
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), 7, 4, 32};
  create("pitch 32", pitched, plain);
  pitched.res.pitch2D.pitchInBytes = 48;
  create("pitch 48", pitched, plain);
  cudaArray_t odd;
  cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  std::printf("api three channels: %s\n", cudaGetErrorName(cudaMallocArray(&odd, &three, 16, 16)));
  std::printf("api no texture destroyed: %s\n", cudaGetErrorName(cudaDestroyTextureObject(12345)));
  (void)cudaGetLastError();
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(memory));
}

int main(int argc, char** argv) {
  Random random{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1};
  constexpr int lanes = 32, cases = 64;
  Place* place;
  uint4* out;
  CHECK(cudaMallocManaged(&place, lanes * sizeof *place));
  CHECK(cudaMallocManaged(&out, lanes * sizeof *out));
  ask_api();
  for (int number = 0; number < cases; ++number) {
    Case c = draw(random, number);
    Resource resource = make(random, c);
    for (int lane = 0; lane < lanes; ++lane) place[lane] = draw_place(random, c);
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource.desc, &c.texture, nullptr));
    fetch_all<<<1, lanes>>>(object, c.kind, c.type, place, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int lane = 0; lane < lanes; ++lane) print(number * lanes + lane, c, place[lane], out[lane]);
    CHECK(cudaDestroyTextureObject(object));
    resource.release();
  }
  return 0;
}
