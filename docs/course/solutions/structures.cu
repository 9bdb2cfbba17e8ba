// Particles fall. Each member has an array of its own, so that what moves is what the kernel needs.
#include <cstdio>
#include <vector>

struct Particles {
  float *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
};

__global__ void fall(Particles particles, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  particles.z[i] += dt * particles.vz[i];
}

int main() {
  const int n = 1 << 14;
  std::vector<float> z(n), vz(n, 2);
  for (int i = 0; i < n; ++i) z[i] = i;
  Particles particles{};
  cudaMalloc(&particles.z, n * sizeof(float));
  cudaMalloc(&particles.vz, n * sizeof(float));
  cudaMemcpy(particles.z, z.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(particles.vz, vz.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  fall<<<n / 128, 128>>>(particles, 0.5f);
  cudaMemcpy(z.data(), particles.z, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (z[i] != i + 1.0f) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
