// Shared tiles whose rows may become longer, and tiles where something depends on how long they are. A mark at the end of a line
// asks for the edit there: "rows t" is made; behind NOT stands part of the reason why it is not.
#include "walks.h"
#include <cuda_fp16.h>
#include <cstdio>
#include <cstring>

constexpr int n32 = 32;
#define GLUE(a, b) a##b
#define ROWS 32
#define SHIFTED 1 << 5
#define X threadIdx.x
#define Y threadIdx.y

// ---- made -----------------------------------------------------------------------------------------------------------------
__global__ void plain(const float* in, float* out) {
  __shared__ float t[32][32];
  t[Y][X] = in[Y * 32 + X];
  __syncthreads();
  out[Y * 32 + X] = t[X][Y]; //: rows t
}
__global__ void named(const float* in, float* out) {
  const int x = X, y = Y;
  __shared__ float t[n32][n32];
  t[y][x] = in[y * 32 + x];
  out[y * 32 + x] = t[x][y]; //: rows t
}
__global__ void by_macros(const float* in, float* out) {
  __shared__ float GLUE(t, a)[ROWS][ROWS];
  AT(GLUE(t, a), Y, X) = in[X];
  out[X] = AT(ta, X, Y); //: rows ta NOT in a header or by a macro
}
__global__ void by_macro(const float* in, float* out) {
  __shared__ float t[ROWS][ROWS];
  AT(t, Y, X) = in[X];
  out[X] = AT(t, X, Y); //: rows t
}
__global__ void loops(const float* in, float* out) {
  __shared__ float t[32][32];
  for (int i = X; i < 32; i += 8) t[Y][i] = in[i];
  for (int k = 0; k != 4; ++k) t[Y][7] += in[k];
  for (int k = 31; k >= 0; --k) t[X][k] += in[k];
  for (unsigned s = 16; s > 0; s >>= 1) t[Y][s] += t[Y][2 * s - 1];
  for (int j = 0; j < 32; j += 8) out[j] = t[X][(Y & 7) + j]; //: rows t
}
__global__ void bounded(const float* in, float* out, unsigned m) {
  __shared__ float t[32][32];
  t[m / 32][m % 32] = in[m];
  t[m >> 5][m & 31] = in[m];
  t[0][min(m, 31u)] += 1;
  t[1][X ^ Y] += 1;
  if (m < 32) t[0][m] += 1;
  if (m >= 1 && m <= 32) t[0][m - 1] += 1;
  t[2][m < 32 ? m : 0] += 1;
  out[m] = t[X][Y]; //: rows t
}
__global__ void elements(const float* in, float* out, int* ints) {
  __shared__ float t[32][32];
  atomicAdd(&t[Y][X], in[X]);
  atomicExch(&(t[Y][X]), in[X]);
  ++t[Y][X];
  (t[Y][X])--;
  t[Y][X] += t[X][Y] = 3;
  auto get = [&](int i) { return t[i / 32][i % 32]; };
  const float f = t[1][2], g = (float)t[Y][X] + sqrtf(t[Y][X]);
  out[X] = f * g + get(Y) + int(t[X][Y]) + ints[(int)t[0][1]]; //: rows t
}
struct Own { float a; };
__global__ void values(const half* in, float* out, const Own* own) {
  __shared__ half t[32][64];
  __shared__ float2 u[32][16];
  __shared__ Own v[32][32];
  t[Y][X] = in[X];
  t[Y][X + 32] = __hadd(in[X], t[Y][X]);
  u[Y][X & 15] = make_float2(1, 2);
  u[Y][X & 15].x = 4;
  v[Y][X] = own[X];
  Own copy = v[X][Y];
  out[0] = copy.a + v[X][Y].a; //: rows v
  out[1] = u[X][Y & 15].y; //: rows u 8
  out[X] = __half2float(t[X][Y]) + (float)t[X][Y]; //: rows t
}
template <class T, int n> __global__ void generic(const T* in, T* out) {
  __shared__ T t[n][n];
  t[Y][X] = in[X];
  if constexpr (n == 1) out[5] = *t[0];
  out[X] = t[X][Y]; //: rows t
}
__global__ void three(const float* in, float* out) {
  __shared__ float t[2][32][32];
  t[X & 1][Y][X] = in[X];
  out[X] = t[1][X][Y]; //: rows t
}
__global__ void small_block(const float* in, float* out) { // as its launch says
  __shared__ float t[8][32];
  t[Y][X] = in[threadIdx.x * blockDim.y + Y];
  out[X] = t[X][Y]; //: rows t
}
__global__ void any_block(const float* in, float* out) { // unknown, but beyond 32 it would leave the array
  __shared__ float t[32][32];
  t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t
}
__global__ void guarded(const float* in, float* out) {
  __shared__ float t[32][32];
  if (X < 32 && Y < 32) t[Y][X] = in[X];
  if (Y >= 32) return;
  if (X >= 32) out[0] = 1;
  else out[X] = t[X][Y % 32]; //: rows t
}

// ---- an index that may leave its row --------------------------------------------------------------------------------------
__device__ int linear() { return Y * 32 + X; }
__global__ void flat(const float* in, float* out) {
  __shared__ float t[32][32];
  const int tid = Y * 32 + X;
  t[0][tid] = in[tid];
  out[tid] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void flat_call(const float* in, float* out) {
  __shared__ float t[32][32];
  t[0][linear()] = in[X];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void flat_loop(const float* in, float* out) {
  __shared__ float t[32][32];
  for (int i = X; i < 1024; i += 32) t[0][i] = in[i];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void negative(const float* in, float* out) {
  __shared__ float t[32][32];
  t[Y + 1][(int)X - 32] = in[X];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void signed_rest(const float* in, float* out, int i) {
  __shared__ float t[32][32];
  t[1][i % 32] = in[X];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void one_too_many(const float* in, float* out) {
  __shared__ float t[32][32];
  for (int k = 0; k <= 32; ++k) t[Y][k] = in[k];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void moved_on(const float* in, float* out) {
  __shared__ float t[32][32];
  for (int k = 0; k < 32; ++k) {
    if (in[k] > 0) k += 40;
    t[0][k] = in[X];
  }
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void reassigned(const float* in, float* out) {
  __shared__ float t[32][32];
  int x = X;
  if (in[0] > 0) x = X + Y * 32;
  t[0][x] = in[X];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void narrow_type(const float* in, float* out, int m) {
  __shared__ float t[32][32];
  const signed char c = m;
  if (m < 32 && m >= 0) t[1][c] = in[X];
  if (c < 32) t[1][(unsigned)c] = in[X];
  out[X] = t[X][Y]; //: rows t NOT stays below 32
}
__global__ void wide_block(const float* in, float* out) { // (64, 16): two rows for each y
  __shared__ float t[32][32];
  t[2 * Y][X] = in[X];
  out[X] = t[Y][0]; //: rows t NOT stays below 32
}
__global__ void wide_guarded(const float* in, float* out) { // likewise: only some threads are below 32
  __shared__ float t[32][32];
  t[0][X] = in[X];
  if (in[0] > 0) out[X] = t[X][Y]; //: rows t NOT stays below 32
}

// ---- something else than elements -----------------------------------------------------------------------------------------
__device__ void copy_row(float* to, const float* from) { to[X] = from[X]; }
__device__ void set(float& to, float value) { to = value; }
__device__ void set_all(float (&to)[32][32]) { to[0][threadIdx.y * 32 + threadIdx.x] = 1; }
template <class T> __device__ void set_generic(T&& to) { (&to)[33] = 1; }
__device__ void step(float* p) { *p = 1; }
__device__ void atomicMine(float* p) { p[40] = 1; }
struct Walker {
  float& first;
  __device__ float& at(int i) { return (&first)[i]; }
};
struct Part {
  float v[2];
  __device__ float next() const { return v[2]; }
};

// clang-format off
__global__ void c_cast(const float* in, float* out) { __shared__ float t[32][32]; float* f = (float*)&t[0][0]; f[X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void vector_cast(const float* in, float* out) { __shared__ float t[32][32]; *(float4*)&t[Y][X & 28] = *(float4*)in;
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void row_pointer(const float* in, float* out) { __shared__ float t[32][32]; float* p = t[0]; p[X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT a row of it is used as a whole
}
__global__ void row_argument(const float* in, float* out) { __shared__ float t[32][32]; copy_row(t[Y], in);
  out[X] = t[X][Y]; //: rows t NOT a row of it is used as a whole
}
__global__ void dereferenced(const float* in, float* out) { __shared__ float t[32][32]; (*t)[X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT used as a whole
}
__global__ void whole_reference(const float* in, float* out) { __shared__ float t[32][32]; auto& q = t; q[0][X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT used as a whole
}
__global__ void whole_argument(const float* in, float* out) { __shared__ float t[32][32]; set_all(t);
  out[X] = t[X][Y]; //: rows t NOT used as a whole
}
__global__ void size(const float* in, float* out) { __shared__ float t[32][32]; out[1] = sizeof t[0] + sizeof(t);
  out[X] = t[X][Y]; //: rows t NOT as a whole
}
__global__ void type(const float* in, float* out) { __shared__ float t[32][32]; out[1] = sizeof(decltype(t));
  out[X] = t[X][Y]; //: rows t NOT as a whole
}
__global__ void over_rows(const float* in, float* out) { __shared__ float t[32][32]; for (auto& row : t) row[X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT as a whole
}
__global__ void header_macro(const float* in, float* out) { __shared__ float t[32][32]; FLAT(X) = in[X];
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void pasted(const float* in, float* out) { __shared__ float ta[32][32]; GLUE(t, a)[0][Y * 32 + X] = in[X];
  out[X] = ta[X][Y]; //: rows ta NOT stays below 32
}
__global__ void reference(const float* in, float* out) { __shared__ float t[32][32]; float& r = t[0][0]; (&r)[X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT by reference
}
__global__ void reference_argument(const float* in, float* out) { __shared__ float t[32][32]; set(t[Y][X], in[X]);
  out[X] = t[X][Y]; //: rows t NOT by reference
}
__global__ void generic_reference(const float* in, float* out) { __shared__ float t[32][32]; set_generic(t[0][0]);
  out[X] = t[X][Y]; //: rows t NOT by reference
}
__global__ void member_reference(const float* in, float* out) { __shared__ float t[32][32]; Walker w{t[0][0]}; w.at(X) = in[X];
  out[X] = t[X][Y]; //: rows t NOT an element is used
}
__global__ void captured(const float* in, float* out) { __shared__ float t[32][32]; auto f = [&r = t[0][0]](int i) { (&r)[i] = 1; }; f(X);
  out[X] = t[X][Y]; //: rows t NOT passed by reference
}
__global__ void lambda_argument(const float* in, float* out) { __shared__ float t[32][32]; auto f = [](float& r) { (&r)[33] = 1; }; f(t[0][0]);
  out[X] = t[X][Y]; //: rows t NOT by reference
}
__global__ void returned(const float* in, float* out) { __shared__ float t[32][32]; auto f = [&]() -> float& { return t[0][0]; }; (&f())[X] = 1;
  out[X] = t[X][Y]; //: rows t NOT by reference
}
__global__ void of_assignment(const float* in, float* out) { __shared__ float t[32][32]; float* p = &(t[0][0] = in[X]); p[X] = 1;
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void of_choice(const float* in, float* out) { __shared__ float t[32][32]; float* p = &(X ? t[0][0] : t[1][0]); p[X] = 1;
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void by_asm(const float* in, float* out) { __shared__ float t[32][32]; asm volatile("" : "=f"(t[0][0]));
  out[X] = t[X][Y]; //: rows t NOT an element is used
}
__global__ void own_atomic(const float* in, float* out) { __shared__ float t[32][32]; atomicMine(&t[0][0]);
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void cast_atomic(const float* in, float* out) { __shared__ float t[32][32]; atomicAdd((unsigned long long*)&t[0][0], 1ull);
  out[X] = t[X][Y]; //: rows t NOT address of an element
}
__global__ void bits(const float* in, float* out) { __shared__ float t[32][32]; out[1] = reinterpret_cast<int&>(t[0][0]);
  out[X] = t[X][Y]; //: rows t NOT cast as it lies
}
__global__ void member_function(const float* in, float* out) { __shared__ Part t[32][16]; out[1] = t[Y][X & 15].next();
  out[X] = t[X][Y & 15].v[0]; //: rows t 8 NOT member function
}
__global__ void member_array(const float* in, float* out) { __shared__ Part t[32][16];
  out[X] = t[X][Y & 15].v[X]; //: rows t 8 NOT may depend on where it lies
}
__global__ void typed(const float* in, float* out) { typedef float Tile[32][32]; __shared__ Tile t; t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT dimensions are not written
}
__global__ void low_operator(const float* in, float* out) { __shared__ float t[32][SHIFTED]; t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t
}
__global__ void choice(const float* in, float* out) { __shared__ float t[32][n32 > 4 ? 32 : 64]; t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t
}
__global__ void named_in_asm(const float* in, float* out) { __shared__ float z[32][32]; z[Y][X] = in[X];
  float f; asm volatile("ld.shared.f32 %0, [_ZZ12named_in_asmPKfPfE1z+128];" : "=f"(f)); out[1] = f;
  out[X] = z[X][Y]; //: rows z NOT assembly or a string
}
__global__ void summed(const float* in, float* out) { __shared__ float t[32][32]; int x = X + Y;
  if (x < 32) { t[Y][x] = in[X]; }
  out[X] = t[X][Y]; //: rows t
}
__global__ void left_out(const float* in, float* out) { __shared__ float w[32][32]; w[Y][X] = in[X];
#ifdef SOME_OTHER_BUILD
  out[2] = (&w[0][0])[X];
#endif
  out[X] = w[X][Y]; //: rows w NOT an #if leaves out
}
// clang-format on

// ---- shared memory ----------------------------------------------------------------------------------------------------------
extern __shared__ float dynamic[];
__global__ void with_room(const float* in, float* out) { // 4,224 + 44,928 bytes are 48 KiB
  __shared__ float t[32][32];
  t[Y][X] = in[X] + dynamic[X];
  out[X] = t[X][Y]; //: rows t
}
__global__ void at_its_limit(const float* in, float* out) { // one more would be too many
  __shared__ float t[32][32];
  t[Y][X] = in[X] + dynamic[X];
  out[X] = t[X][Y]; //: rows t NOT 49156 bytes of shared memory
}
__global__ void at_unknown_limit(const float* in, float* out) {
  __shared__ float t[32][32];
  t[Y][X] = in[X] + dynamic[X];
  out[X] = t[X][Y]; //: rows t NOT dynamic shared memory, of a size
}
__global__ void both_at_limit(const float* in, float* out) { // one of the two may grow
  __shared__ float t[32][32], u[32][32];
  t[Y][X] = in[X] + dynamic[X], u[Y][X] = 1;
  out[X] = t[X][Y]; //: rows t
  out[X] = u[X][Y]; //: rows u NOT of shared memory
}
__global__ void asked_about(const float* in, float* out) {
  __shared__ float t[32][32];
  t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT is not all known
}
__global__ void started_by_arguments(const float* in, float* out) {
  __shared__ float t[32][32];
  t[Y][X] = in[X];
  out[X] = t[X][Y]; //: rows t NOT is not all known
}

int main(int count, char**) {
  float* p = nullptr;
  int* i = nullptr;
  half* h = nullptr;
  Own* o = nullptr;
  const dim3 b(32, 32);
  constexpr int edge = 32;
  dim3 same = {edge, edge};
  plain<<<1, b>>>(p, p), named<<<1, same>>>(p, p), by_macros<<<1, b>>>(p, p), by_macro<<<1, dim3(32, 32, 1)>>>(p, p);
  loops<<<1, b>>>(p, p), bounded<<<1, b>>>(p, p, 3), elements<<<1, b>>>(p, p, i), values<<<1, b>>>(h, p, o);
  generic<float, 32><<<1, b>>>(p, p), generic<int, 16><<<1, dim3(16, 16)>>>(i, i), three<<<1, b>>>(p, p);
  small_block<<<1, dim3(8, 8)>>>(p, p), any_block<<<1, dim3(count, count)>>>(p, p), guarded<<<1, dim3(count, 4)>>>(p, p);
  flat<<<1, b>>>(p, p), flat_call<<<1, b>>>(p, p), flat_loop<<<1, b>>>(p, p), negative<<<1, b>>>(p, p);
  signed_rest<<<1, b>>>(p, p, 3), one_too_many<<<1, b>>>(p, p), moved_on<<<1, b>>>(p, p), reassigned<<<1, b>>>(p, p);
  narrow_type<<<1, b>>>(p, p, 3), wide_block<<<1, dim3(64, 16)>>>(p, p), wide_guarded<<<1, dim3(count)>>>(p, p);
  c_cast<<<1, b>>>(p, p), vector_cast<<<1, b>>>(p, p), row_pointer<<<1, b>>>(p, p), row_argument<<<1, b>>>(p, p);
  dereferenced<<<1, b>>>(p, p), whole_reference<<<1, b>>>(p, p), whole_argument<<<1, b>>>(p, p), size<<<1, b>>>(p, p);
  type<<<1, b>>>(p, p), over_rows<<<1, b>>>(p, p), header_macro<<<1, b>>>(p, p), pasted<<<1, b>>>(p, p);
  reference<<<1, b>>>(p, p), reference_argument<<<1, b>>>(p, p), generic_reference<<<1, b>>>(p, p);
  member_reference<<<1, b>>>(p, p), captured<<<1, b>>>(p, p), lambda_argument<<<1, b>>>(p, p), returned<<<1, b>>>(p, p);
  of_assignment<<<1, b>>>(p, p), of_choice<<<1, b>>>(p, p), by_asm<<<1, b>>>(p, p), own_atomic<<<1, b>>>(p, p);
  cast_atomic<<<1, b>>>(p, p), bits<<<1, b>>>(p, p), member_function<<<1, b>>>(p, p), member_array<<<1, b>>>(p, p);
  typed<<<1, b>>>(p, p), low_operator<<<1, b>>>(p, p), choice<<<1, b>>>(p, p), left_out<<<1, b>>>(p, p);
  with_room<<<1, b, 44928>>>(p, p), at_its_limit<<<1, b, 44932>>>(p, p), at_unknown_limit<<<1, b, count * 4>>>(p, p);
  both_at_limit<<<1, b, 40800>>>(p, p), named_in_asm<<<1, b>>>(p, p), summed<<<1, b>>>(p, p);
  asked_about<<<1, b>>>(p, p), started_by_arguments<<<1, b>>>(p, p);
  cudaFuncAttributes about;
  cudaFuncGetAttributes(&about, asked_about);
  void* arguments[] = {&p, &p};
  cudaLaunchKernel((const void*)started_by_arguments, dim3(1), b, arguments, 0, nullptr);
  void (*either)(const float*, float*) = plain;
  either = named;
  if (either == &by_macro || either != plain) std::puts("another");
  either<<<1, b>>>(p, p);
}
