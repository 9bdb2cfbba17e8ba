// Pointers that may be __restrict__, and pointers to memory that something else may lead to. The marks are those of rows.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#define SAME(p, q) p = q
#define CHECK(call)                                                                                                           \
  if ((call) != cudaSuccess) return
struct Point { float x, y; };
struct Pointers { float *x, *y; };
struct Held { float* x; };
__device__ float* kept;
__device__ float table[64];
static void same(float*& x, float* y) { x = y; }

// ---- made -----------------------------------------------------------------------------------------------------------------
__device__ float scaled(float f, int k) { return f * k; }
__global__ void plain(const float* a, float* b, int n) {
  for (int k = 0; k < n; ++k) b[k * 32 + threadIdx.x] = scaled(a[threadIdx.x], k) + table[k]; //: restrict a
}
void use_plain() {
  float *a, *b = nullptr;
  CHECK(cudaMalloc((void**)&a, 4096));
  cudaMalloc(&b, 4096);
  plain<<<1, 32>>>(a, b, 16);
  float* other = b;
  cudaMemcpy(other, a, 4, cudaMemcpyDefault);
  if (a != nullptr) cudaFree(a);
}
template <class T> __global__ void generic(const Point *a, T* b, int n) {
  const Point* from = a;
  for (int k = 0; k < n; ++k) b[k * 32] = a->x + (a + 1)->y + (*a).x + from[0].x;
  for (int k = 0; k < n; ++k) b[k * 32] += a[k].y;
}
__global__ void points(const Point *a, float *b, int n) {
  for (int k = 0; k < n; ++k) b[k * 32] = a->x + (a + 1)->y + (*a).x; //: restrict a
}
__global__ void from_there(const float* a, float* b, int n) {
  const float* row = a + threadIdx.x;
  const float* next = (row + 32);
  for (int k = 0; k < n; ++k) b[k * 32] = *row + next[0]; //: restrict a
}
void use_from_there() {
  float *a, *b;
  cudaMalloc(&a, 4096), cudaMalloc(&b, 4096);
  from_there<<<1, 32>>>(a, b, 16);
}
void use_points() {
  Point* a;
  float* b;
  cudaMalloc(&a, 4096), cudaMalloc(&b, 4096);
  points<<<1, 32>>>(a, b, 16), generic<<<1, 32>>>(a, b, 16);
}

// ---- not ------------------------------------------------------------------------------------------------------------------
// clang-format off
__global__ void twice(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT same memory twice
void use_twice() { float* a; cudaMalloc(&a, 64); twice<<<1, 32>>>(a, a, 3); }
__global__ void offset(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT no variable of the function
void use_offset() { float* a; cudaMalloc(&a, 64); offset<<<1, 32>>>(a, a + 1, 3); }
__global__ void assigned(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may get another value
void use_assigned() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); SAME(b, a); assigned<<<1, 32>>>(a, b, 3); }
__global__ void referred(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may get another value
void use_referred() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); same(b, a); referred<<<1, 32>>>(a, b, 3); }
__global__ void captured(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may get another value
void use_captured() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); auto f = [&] { b = a; }; f(); captured<<<1, 32>>>(a, b, 3); }
__global__ void exchanged(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may get another value
void use_exchanged() { float *a, *b, *c = nullptr; cudaMalloc(&a, 64), cudaMalloc(&b, 64); std::swap(a, c); exchanged<<<1, 32>>>(a, b, 3); }
__global__ void initialised(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may have other names
void use_initialised() { float* a; cudaMalloc(&a, 64); float* b = a; initialised<<<1, 32>>>(a, b, 3); }
__global__ void passed_on(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT no variable of the function
void use_passed_on(float* a, float* b) { passed_on<<<1, 32>>>(a, b, 3); }
__global__ void in_structure(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT no variable of the function
void use_in_structure() { Pointers p; cudaMalloc(&p.x, 64), cudaMalloc(&p.y, 64); p.x = p.y; in_structure<<<1, 32>>>(p.x, p.y, 3); }
__global__ void managed(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT may get another value
void use_managed() { float *a, *b; cudaMallocManaged(&a, 64), cudaMalloc(&b, 64); managed<<<1, 32>>>(a, b, 3); }
__global__ void by_pointer(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT in another way than to launch
void use_by_pointer() { float* a; cudaMalloc(&a, 64); auto f = by_pointer; f<<<1, 32>>>(a, a, 3); }
__global__ void by_arguments(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT in another way than to launch
void use_by_arguments() { float* a; cudaMalloc(&a, 64); void* all[] = {&a, &a}; cudaLaunchKernel((const void*)by_arguments, 1, 32, all, 0, 0); }
__global__ void unlaunched(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT does not launch
__global__ void streamed(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT in a stream
void use_streamed(cudaStream_t s) { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); streamed<<<1, 32, 0, s>>>(a, b, 3); }
__global__ void keep(float* a) { kept = a; }
__global__ void through_global(const float* a, float* b, int n) { float* w = kept; for (int k = 0; k < n; ++k) { w[k] = 1;
  b[k] = a[threadIdx.x]; } } //: restrict a NOT takes a pointer out of memory
void use_through_global() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); keep<<<1, 1>>>(a); through_global<<<1, 32>>>(a, b, 3); }
__device__ void write_kept(int k) { kept[k] = 1; }
__global__ void through_call(const float* a, float* b, int n) { for (int k = 0; k < n; ++k) { write_kept(k);
  b[k] = a[threadIdx.x]; } } //: restrict a NOT takes a pointer out of memory
void use_through_call() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); keep<<<1, 1>>>(a); through_call<<<1, 32>>>(a, b, 3); }
__global__ void through_list(const float* a, float** b, int n) { for (int k = 0; k < n; ++k)
  b[0][k] = a[threadIdx.x]; } //: restrict a NOT takes a pointer out of memory
void use_through_list() { float* a; float** b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); through_list<<<1, 32>>>(a, b, 3); }
__global__ void by_number(const float* a, unsigned long long b, int n) { for (int k = 0; k < n; ++k)
  ((float*)b)[k] = a[threadIdx.x]; } //: restrict a NOT makes a pointer of a number
void use_by_number() { float* a; cudaMalloc(&a, 64); by_number<<<1, 32>>>(a, (unsigned long long)a, 3); }
__global__ void with_structure(const float* a, Pointers b, int n) { for (int k = 0; k < n; ++k)
  b.x[k] = a[threadIdx.x]; } //: restrict a NOT may hold pointers
void use_with_structure() { float* a; cudaMalloc(&a, 64); with_structure<<<1, 32>>>(a, Pointers{a, a}, 3); }
__global__ void written(float* a, float* b, int n) { for (int k = 0; k < n; ++k) { b[k] = a[threadIdx.x]; __syncthreads(); a[k] = 1; //: restrict a NOT may do more here than read
  } }
void use_written() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); written<<<1, 32>>>(a, b, 3); }
__device__ void write_to(float* p) { *p = 1; }
__global__ void written_there(float* a, float* b, int n) { float* row = a + 1; for (int k = 0; k < n; ++k) { b[k] = a[threadIdx.x]; row[k] = 1; //: restrict a NOT may do more here than read
  } }
void use_written_there() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); written_there<<<1, 32>>>(a, b, 3); }
__global__ void goes_on(const float* a, float* b, int n) { const float* row = a; for (int k = 0; k < n; ++k) { b[k] = *row; __syncthreads(); ++row; } } //: restrict a NOT may do more here than read
void use_goes_on() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); goes_on<<<1, 32>>>(a, b, 3); }
__global__ void handed_on(float* a, float* b, int n) { for (int k = 0; k < n; ++k) { b[k] = a[threadIdx.x]; write_to(a); //: restrict a NOT may do more here than read
  } }
void use_handed_on() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); handed_on<<<1, 32>>>(a, b, 3); }
__global__ void waits(const volatile float* a, float* b, int n) { for (int k = 0; k < n; ++k) b[k] = a[threadIdx.x]; } //: restrict a NOT volatile
void use_waits() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); waits<<<1, 32>>>(a, b, 3); }
__global__ void of_bits(const float* a, float* b, unsigned long long w) { float* c = __builtin_bit_cast(float*, w); for (int k = 0; k < 9; ++k) { c[k] = 1;
  b[k] = a[threadIdx.x]; } } //: restrict a NOT makes a pointer of a number
void use_of_bits() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); of_bits<<<1, 32>>>(a, b, (unsigned long long)a); }
__global__ void number(float* b, unsigned long long w) { const float* c = (const float*)w; for (int k = 0; k < 9; ++k) b[k] = c[threadIdx.x]; } //: restrict w NOT is declared as no pointer
void use_number() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); number<<<1, 32>>>(b, (unsigned long long)a); }
__global__ void in_bits(const float* a, float* b, unsigned long long w) { Held c = __builtin_bit_cast(Held, w); for (int k = 0; k < 9; ++k) { c.x[k] = 1;
  b[k] = a[threadIdx.x]; } } //: restrict a NOT makes a pointer of a number
void use_in_bits() { float *a, *b; cudaMalloc(&a, 64), cudaMalloc(&b, 64); in_bits<<<1, 32>>>(a, b, (unsigned long long)a); }
// clang-format on
int main() { use_plain(), use_points(); }
