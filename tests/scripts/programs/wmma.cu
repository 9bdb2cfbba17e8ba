// Products of matrices by nvcuda::wmma, of every shape and type that the headers for clang have, against plain sums: "N wrong" per kernel.
#include <mma.h>
#include <cstdio>
#include <cmath>
#include <vector>
using namespace nvcuda;
template <class T, int M, int N, int K, class C, class LA, class LB> __global__ void product(const T* a, const T* b, const C* c, C* d, int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa; wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb; wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
  wmma::load_matrix_sync(fa, a, lda); wmma::load_matrix_sync(fb, b, ldb); wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::mma_sync(fd, fa, fb, fc); wmma::store_matrix_sync(d, fd, M, wmma::mem_col_major);
}
__global__ void tf32(const float* a, const float* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 8, float> fd;
  wmma::fill_fragment(fd, 1.0f); wmma::load_matrix_sync(fa, a, 8); wmma::load_matrix_sync(fb, b, 8);
  for (float& x : fa.x) x = wmma::__float_to_tf32(x);
  for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(fd, fa, fb, fd); wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}
__global__ void nibbles(const unsigned* a, const unsigned* b, int* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 8, 8, 32, int> fd;
  wmma::fill_fragment(fd, 3); wmma::load_matrix_sync(fa, a, 32); wmma::load_matrix_sync(fb, b, 32); wmma::mma_sync(fd, fa, fb, fd); wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
__global__ void bits(const unsigned* a, const unsigned* b, int* d, int both) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 8, 8, 128, int> fd;
  wmma::fill_fragment(fd, 0); wmma::load_matrix_sync(fa, a, 128); wmma::load_matrix_sync(fb, b, 128);
  if (both) wmma::bmma_sync(fd, fa, fb, fd, wmma::experimental::bmmaBitOpAND); else wmma::bmma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
int failed = 0;
template <class T, int M, int N, int K, class C, class LA, class LB> void check(const char* name, bool acol, bool bcol) {
  T *a, *b; C *c, *d; cudaMallocManaged(&a, M * K * sizeof(T)); cudaMallocManaged(&b, K * N * sizeof(T)); cudaMallocManaged(&c, M * N * sizeof(C)); cudaMallocManaged(&d, M * N * sizeof(C));
  auto A = [&](int i, int k) { return (i * 7 + k * 3) % 11; }; auto B = [&](int k, int j) { return (k * 5 + j * 2) % 7; };
  for (int i = 0; i < M; i++) for (int k = 0; k < K; k++) a[acol ? k * M + i : i * K + k] = T((float)A(i, k));
  for (int k = 0; k < K; k++) for (int j = 0; j < N; j++) b[bcol ? j * K + k : k * N + j] = T((float)B(k, j));
  for (int i = 0; i < M * N; i++) c[i] = C((float)(i % 5));
  product<T, M, N, K, C, LA, LB><<<1, 32>>>(a, b, c, d, acol ? M : K, bcol ? K : N);
  if (cudaDeviceSynchronize() != cudaSuccess) { printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError())); failed++; return; }
  int wrong = 0;
  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) { double s = 2 * ((i * N + j) % 5); for (int k = 0; k < K; k++) s += A(i, k) * B(k, j); wrong += (double)(float)d[j * M + i] != s; }
  printf("%s %dx%dx%d: %d wrong\n", name, M, N, K, wrong); failed += wrong != 0;
}
#define ALL(T, M, N, K, C) check<T, M, N, K, C, wmma::row_major, wmma::col_major>(#T " " #C, false, true); check<T, M, N, K, C, wmma::col_major, wmma::row_major>(#T " " #C " turned", true, false);
#define SHAPES(T, C) ALL(T, 16, 16, 16, C) ALL(T, 32, 8, 16, C) ALL(T, 8, 32, 16, C)
int main() {
  SHAPES(half, float) SHAPES(half, half) SHAPES(__nv_bfloat16, float) SHAPES(signed char, int) SHAPES(unsigned char, int)
  check<double, 8, 8, 4, double, wmma::row_major, wmma::col_major>("double", false, true);
  float *fa, *fb, *fd; cudaMallocManaged(&fa, 512); cudaMallocManaged(&fb, 512); cudaMallocManaged(&fd, 1024);
  for (int i = 0; i < 128; i++) fa[i] = i % 9, fb[i] = i % 6;
  tf32<<<1, 32>>>(fa, fb, fd); cudaDeviceSynchronize(); int wrong = 0;
  for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) { float s = 1; for (int k = 0; k < 8; k++) s += fa[i * 8 + k] * fb[j * 8 + k]; wrong += fd[i * 16 + j] != s; }
  printf("tf32: %d wrong\n", wrong); failed += wrong != 0;
  unsigned *ua, *ub; int* ud; cudaMallocManaged(&ua, 512); cudaMallocManaged(&ub, 512); cudaMallocManaged(&ud, 256);
  for (int i = 0; i < 128; i++) ua[i] = i * 2654435761u, ub[i] = i * 40503u + 77 * i * i * 65537u;
  nibbles<<<1, 32>>>(ua, ub, ud); cudaDeviceSynchronize(); wrong = 0;
  auto nib = [](const unsigned* p, int i) { return ((int)(p[i / 8] << (28 - 4 * (i % 8)))) >> 28; };
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { int s = 3; for (int k = 0; k < 32; k++) s += nib(ua, i * 32 + k) * nib(ub, j * 32 + k); wrong += ud[i * 8 + j] != s; }
  printf("s4: %d wrong\n", wrong); failed += wrong != 0;
  for (int both = 0; both < 2; both++) { bits<<<1, 32>>>(ua, ub, ud, both); cudaDeviceSynchronize(); wrong = 0;
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { int s = 0; for (int k = 0; k < 4; k++) s += __builtin_popcount(both ? ua[i * 4 + k] & ub[j * 4 + k] : ua[i * 4 + k] ^ ub[j * 4 + k]); wrong += ud[i * 8 + j] != s; }
    printf("b1 %s: %d wrong\n", both ? "and" : "xor", wrong); failed += wrong != 0; }
  puts(failed ? "FAILED" : "PASSED");
  return failed != 0;
}
