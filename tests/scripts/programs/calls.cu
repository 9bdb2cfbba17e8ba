// Functions that are called through a table, through virtual functions, by themselves and by each other. Prints a sum of each.
// With ONE_KERNEL the table's kernel is the only one: then pointers to functions are other numbers in machine code.
#include <cstdio>
#include <vector>

using Operation = int (*)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int mixed(int a, int b) { return a * b + (a ^ b); }
__device__ Operation operations[] = {add, subtract, mixed};
__global__ void apply(const int* which, const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[which[i]](x[i], i);
}

#ifndef ONE_KERNEL
struct Shape {
  __device__ virtual float area(float scale) const = 0;
  __device__ virtual void grow(float by) = 0;
};
struct Square : Shape {
  float side;
  __device__ Square(float x) : side(x) {}
  __device__ float area(float scale) const override { return side * side * scale; }
  __device__ void grow(float by) override { side *= by; }
};
struct Circle : Shape {
  float radius, before[3];
  __device__ Circle(float x) : radius(x) {}
  __device__ float area(float scale) const override { return 3.5f * radius * radius + scale; }
  __device__ void grow(float by) override { before[1] = radius, radius += by; }
};
__global__ void make(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 != 0)
    shapes[i] = new Square(i);
  else
    shapes[i] = new Circle(i + 1);
}
__global__ void use(Shape** shapes, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  shapes[i]->grow(1.5f);
  out[i] = static_cast<int>(shapes[i]->area(0.5f));
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void fibonaccis(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 11); }

__device__ void sort(int* a, int low, int high) {
  if (low >= high) return;
  const int pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i > j) break;
    const int t = a[i];
    a[i++] = a[j], a[j--] = t;
  }
  sort(a, low, j);
  sort(a, i, high);
}
__global__ void sorts(int* a, int n) { sort(a + threadIdx.x * n, 0, n - 1); }

// Each calls the other, and one of them a function of a table.
__device__ int odd(int n, int* seen);
__device__ __noinline__ int even(int n, int* seen) { return n == 0 ? 1 : odd(n - 1, seen) + (atomicAdd(seen, 1) & 0); }
__device__ __noinline__ int odd(int n, int* seen) { return n == 0 ? 0 : even(operations[1](n, 1), seen); }
__global__ void parities(int* out, int* seen) { out[threadIdx.x] = even(threadIdx.x, seen); }
#endif

int main() {
  const int n = 1000;
  int *which, *x, *out;
  cudaMallocManaged(&which, 4 * n), cudaMallocManaged(&x, 8 * n), cudaMallocManaged(&out, 4 * n);
  auto sum = [&](const char* name, const int* of, int count) {
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned total = 0;
    for (int i = 0; i < count; ++i) total = total * 31 + of[i];
    std::printf("%s %s %u\n", name, cudaGetErrorName(error), total);
  };
  for (int i = 0; i < n; ++i) which[i] = i * 7 % 3, x[i] = i * i;
  apply<<<8, 128>>>(which, x, out, n);
  sum("apply", out, n);
#ifndef ONE_KERNEL
  Shape** shapes;
  cudaMalloc(&shapes, sizeof(Shape*) * n);
  make<<<8, 128>>>(shapes, n);
  use<<<8, 128>>>(shapes, out, n);
  sum("use", out, n);
  fibonaccis<<<1, 64>>>(out);
  sum("fibonaccis", out, 64);
  for (int i = 0; i < 32 * 50; ++i) x[i] = i * 7919 % 1009;
  sorts<<<1, 32>>>(x, 50);
  sum("sorts", x, 32 * 50);
  x[0] = 0;
  parities<<<1, 20>>>(out, x); // deeper is more than the 1,024 bytes of local memory that a GPU gives
  sum("parities", out, 20);
  sum("calls", x, 1);
#endif
}
