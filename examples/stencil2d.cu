// A 5-point stencil, with the row pitch of cudaMallocPitch and with rows packed tightly. A width that is no
// multiple of 8 floats makes packed rows start in the middle of a sector, and every access of a warp touches
// one sector more.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

// `pitch` is the distance of two rows, in floats.
__global__ void stencil(const float* in, float* out, int width, int height, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float centre = in[y * pitch + x];
  float left = in[y * pitch + x - 1];  // one float to the left: misaligned by 4 bytes
  float right = in[y * pitch + x + 1]; // and to the right
  float above = in[(y - 1) * pitch + x];
  float below = in[(y + 1) * pitch + x];
  out[y * pitch + x] = 0.5f * centre + 0.125f * (left + right + above + below);
}

int main() {
  const int width = 253, height = 64;
  std::vector<float> in(width * height), out(width * height), expected(width * height, 0.f);
  for (int i = 0; i < width * height; ++i) in[i] = float(i % 17);
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      int i = y * width + x;
      expected[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
  const size_t row = width * sizeof(float);
  bool good = true;
  for (bool pitched : {false, true}) {
    float *d_in, *d_out;
    size_t pitch = row;
    if (pitched) {
      CHECK(cudaMallocPitch(&d_in, &pitch, row, height));
      CHECK(cudaMallocPitch(&d_out, &pitch, row, height));
    } else {
      CHECK(cudaMalloc(&d_in, row * height));
      CHECK(cudaMalloc(&d_out, row * height));
    }
    CHECK(cudaMemset2D(d_out, pitch, 0, row, height));
    CHECK(cudaMemcpy2D(d_in, pitch, in.data(), row, row, height, cudaMemcpyHostToDevice));
    stencil<<<dim3((width + 31) / 32, height / 8), dim3(32, 8)>>>(d_in, d_out, width, height,
                                                                  int(pitch / sizeof(float)));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(out.data(), row, d_out, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; ++i)
      good &= out[i] == expected[i]; // exact: all values are multiples of 1/8
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
  }
  std::printf("stencil2d: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
