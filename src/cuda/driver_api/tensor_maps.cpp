// Tensor maps of tiles and of im2col (CUDA Driver API, "Tensor Map Object Management"). What is asked of the arguments is
// what that page asks. The corners of im2col's boxes stand in the order of the dimensions, along the second first, as CUTLASS
// hands them over; the page's text names them the other way round. Interleaved layouts, the swizzles of atoms other than 16
// bytes and elements of less than a byte are refused, and named in the report; promotion of sectors in L2 changes nothing
// here.
#include "driver_api/frame.h"
#include "sim/memory/tensor_map.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

struct Tiled {
  const char* refusal; // of what is not supported
  int element, interleave, swizzle, fill;
  u32 rank;
  u64 address;
  const u64 *extent, *stride;
  const u32 *box, *step;
};

// What a map of im2col has in the place of a box.
struct Columns {
  const int *lower, *upper;
  u32 channels, pixels;
};

bool is_floating(sim::TensorElement element) {
  using enum sim::TensorElement;
  return element == f16 || element == f32 || element == f64 || element == bf16 || element == f32_ftz ||
         element == tf32 || element == tf32_ftz;
}

// In bytes; none for a mode that is not known here.
std::optional<u32> swizzle_of(int mode) {
  constexpr u32 bytes[] = {0, 32, 64, 128};
  if (mode < 0 || mode > 3) return {};
  return bytes[mode];
}

bool fits(const Tiled& t, u32 d, u32 element) {
  constexpr u64 most_extent = u64{1} << 32, most_stride = u64{1} << 40;
  if (t.extent[d] == 0 || t.extent[d] > most_extent || t.box[d] == 0 || t.box[d] > 256 || t.step[d] == 0 ||
      t.step[d] > 8)
    return false;
  if (d == 0) return u64{t.box[0]} * element % 16 == 0;
  return t.stride[d - 1] % 16 == 0 && t.stride[d - 1] < most_stride;
}

// The box of each image's pixels is not empty, and its corners fit the bits that there are for them.
bool fits(const Tiled& t, const Columns& c) {
  constexpr int most[] = {32768, 128, 16};
  if (t.rank < 3 || !c.lower || !c.upper || c.channels == 0 || c.channels > 256 || c.pixels == 0 ||
      c.pixels > 1024)
    return false;
  for (u32 n = 0; n < t.rank - 2; ++n) {
    auto in_range = [&](int corner) { return corner >= -most[t.rank - 3] && corner < most[t.rank - 3]; };
    if (!in_range(c.lower[n]) || !in_range(c.upper[n]) ||
        static_cast<i64>(t.extent[n + 1]) + c.upper[n] <= c.lower[n])
      return false;
  }
  return true;
}

void add_columns(const Tiled& t, const Columns& c, sim::TensorMap& out) {
  out.pixels = c.pixels;
  std::copy_n(c.lower, t.rank - 2, out.lower.begin());
  std::copy_n(c.upper, t.rank - 2, out.upper.begin());
}

cudaError_t encode(void* map, const Tiled& t, const Columns* columns = nullptr) {
  Runtime& runtime = Runtime::get();
  if (map == nullptr || reinterpret_cast<u64>(map) % 64 != 0 || t.rank == 0 ||
      t.rank > sim::TensorMap::most_dimensions || !t.extent || (t.rank > 1 && !t.stride) || !t.box ||
      !t.step || t.address == 0 || t.address % 16 != 0 || t.fill < 0 || t.fill > 1 || t.element < 0)
    return cudaErrorInvalidValue;
  std::optional<u32> swizzle = swizzle_of(t.swizzle);
  if (t.interleave != 0 || !swizzle || t.element >= static_cast<int>(sim::tensor_elements)) {
    std::lock_guard lock(runtime.mutex);
    runtime.note_unsupported(t.refusal);
    return cudaErrorNotSupported;
  }
  sim::TensorMap out;
  out.address = t.address;
  out.rank = t.rank;
  out.element = static_cast<sim::TensorElement>(t.element);
  out.swizzle = *swizzle;
  out.nan = t.fill == 1;
  const u32 element = sim::bytes_of(out.element);
  for (u32 d = 0; d < t.rank; ++d) {
    if (!fits(t, d, element)) return cudaErrorInvalidValue;
    out.extent[d] = t.extent[d];
    out.stride[d] = d == 0 ? element : t.stride[d - 1];
    out.box[d] = t.box[d];
    out.step[d] = d == 0 ? 1 : t.step[d]; // not looked at where nothing is interleaved
  }
  if (columns && !fits(t, *columns)) return cudaErrorInvalidValue;
  if (columns) add_columns(t, *columns, out);
  if ((out.swizzle != 0 && u64{out.box[0]} * element > out.swizzle) || (out.nan && !is_floating(out.element)))
    return cudaErrorInvalidValue;
  out.write(map);
  return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(void* map, int element, unsigned rank, void* address, const u64* extent,
                                const u64* stride, const u32* box, const u32* step, int interleave,
                                int swizzle, int /*promotion in L2*/, int fill) {
  return driver([&] {
    return encode(map, {"cuTensorMapEncodeTiled with interleaving, another swizzle or sub-byte elements",
                        element, interleave, swizzle, fill, rank, reinterpret_cast<u64>(address), extent,
                        stride, box, step});
  });
}

CUresult cuTensorMapEncodeIm2col(void* map, int element, unsigned rank, void* address, const u64* extent,
                                 const u64* stride, const int* lower, const int* upper, unsigned channels,
                                 unsigned pixels, const u32* step, int interleave, int swizzle,
                                 int /*promotion in L2*/, int fill) {
  return driver([&] {
    const u32 box[sim::TensorMap::most_dimensions] = {channels, 1, 1, 1, 1};
    const Columns columns{lower, upper, channels, pixels};
    return encode(map,
                  {"cuTensorMapEncodeIm2col with interleaving, another swizzle or sub-byte elements", element,
                   interleave, swizzle, fill, rank, reinterpret_cast<u64>(address), extent, stride, box,
                   step},
                  &columns);
  });
}

CUresult cuTensorMapReplaceAddress(void* map, void* address) {
  return driver([&] {
    std::optional<sim::TensorMap> known;
    if (map != nullptr) known = sim::TensorMap::read(map);
    if (!known || address == nullptr || reinterpret_cast<u64>(address) % 16 != 0)
      return cudaErrorInvalidValue;
    known->address = reinterpret_cast<u64>(address);
    known->write(map);
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
