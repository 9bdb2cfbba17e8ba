// A parameter that is indexed by lane, each warp with so many different words as the launch says: 1, 2, 4, 8, 16, 32.
#include <cstdio>
struct Coefficients {
  float of[32];
};
__global__ void look_up(Coefficients k, const int* which, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = k.of[which[i] & 31];
}
int main() {
  constexpr int count = 1024;
  int host[count], *which;
  float* out;
  cudaMalloc(&which, sizeof host);
  cudaMalloc(&out, count * sizeof(float));
  Coefficients k{};
  for (int words = 1; words <= 32; words *= 2) {
    for (int i = 0; i < count; i++) host[i] = i % words;
    cudaMemcpy(which, host, sizeof host, cudaMemcpyHostToDevice);
    look_up<<<count / 256, 256>>>(k, which, out);
  }
  printf("%d\n", cudaDeviceSynchronize());
}
