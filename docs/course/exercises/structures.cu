// Particles fall. A particle is a structure of 32 bytes; the kernel needs two of its members.
#include <cstdio>
#include <vector>

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void fall(Particle* particles, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  particles[i].z += dt * particles[i].vz;
}

int main() {
  const int n = 1 << 14;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = {0, 0, 1.0f * i, 0, 0, 2, 1, 0};
  Particle* particles;
  cudaMalloc(&particles, n * sizeof(Particle));
  cudaMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  fall<<<n / 128, 128>>>(particles, 0.5f);
  cudaMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (host[i].z != i + 1.0f) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
