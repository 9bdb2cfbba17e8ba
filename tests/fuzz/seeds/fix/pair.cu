#define N 64 // comment
struct Pair { float a, b, c, d; };
__device__ float grid[N][4];
__global__ void copy(const Pair* in, Pair* out, const float* w) {
  for (int i = 0; i < 3; ++i) out[i] = in[i], grid[i][1] = w[R"(x)"[0]];
}
int main() {
  Pair *in, *out;
  float* w = nullptr;
  cudaMalloc((void**)&in, 64); cudaMalloc(&out, 64); cudaMalloc(&w, 1'0);
  copy<<<1, 32>>>(in, out, w);
}
