// Random numbers in kernels.
#include <curand_kernel.h>

template <class State> __global__ void draw(State* states, float* f, double* d, unsigned long long seed) {
  int i = threadIdx.x;
  State state;
  curand_init(seed, i, 0, &state);
  f[i] = curand_uniform(&state) + curand_normal(&state) + curand_normal2(&state).y + (float)curand(&state);
  d[i] = curand_uniform_double(&state) + curand_normal_double(&state) + curand_log_normal(&state, 0, 1);
  states[i] = state;
}

int main() {
  curandState* a = nullptr;
  curandStatePhilox4_32_10_t* b = nullptr;
  draw<<<1, 32>>>(a, nullptr, nullptr, 1);
  draw<<<1, 32>>>(b, nullptr, nullptr, 1);
}
