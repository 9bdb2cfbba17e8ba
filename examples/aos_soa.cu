// Array of structures against structure of arrays: the same particles, moved the same way, in two layouts.
// With 32-byte structures neighbouring lanes are 32 bytes apart: every field access touches one sector per
// lane.
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

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

// Each line below asks for 4 bytes out of every 32: 32 sectors where 4 would do.
__global__ void move_aos(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
}

struct Particles {
  float *x, *y, *z, *vx, *vy, *vz;
};

// One array per field: consecutive lanes, consecutive floats, four sectors a line.
__global__ void move_soa(Particles p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p.x[i] += p.vx[i] * dt;
  p.y[i] += p.vy[i] * dt;
  p.z[i] += p.vz[i] * dt;
}

int main() {
  const int n = 4096;
  const float dt = 0.5f;
  std::vector<Particle> aos(n);
  std::vector<float> soa(6 * n); // x, y, z, vx, vy, vz, each n long
  for (int i = 0; i < n; ++i) {
    aos[i] = {float(i), float(2 * i), float(3 * i), 1, 4, 8, 16, 0};
    for (int f = 0; f < 3; ++f) soa[f * n + i] = float((f + 1) * i), soa[(3 + f) * n + i] = float(4 << f);
  }
  Particle* d_aos;
  float* d_soa;
  CHECK(cudaMalloc(&d_aos, n * sizeof(Particle)));
  CHECK(cudaMalloc(&d_soa, 6 * n * sizeof(float)));
  CHECK(cudaMemcpy(d_aos, aos.data(), n * sizeof(Particle), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_soa, soa.data(), 6 * n * sizeof(float), cudaMemcpyHostToDevice));
  move_aos<<<n / 128, 128>>>(d_aos, n, dt);
  CHECK(cudaGetLastError());
  Particles p = {d_soa, d_soa + n, d_soa + 2 * n, d_soa + 3 * n, d_soa + 4 * n, d_soa + 5 * n};
  move_soa<<<n / 128, 128>>>(p, n, dt);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(aos.data(), d_aos, n * sizeof(Particle), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(soa.data(), d_soa, 6 * n * sizeof(float), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < n; ++i) {
    float x = i + 4 * dt, y = 2 * i + 8 * dt, z = 3 * i + 16 * dt;
    good &= aos[i].x == x && aos[i].y == y && aos[i].z == z;
    good &= soa[i] == x && soa[n + i] == y && soa[2 * n + i] == z;
  }
  CHECK(cudaFree(d_aos));
  CHECK(cudaFree(d_soa));
  std::printf("aos_soa: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
