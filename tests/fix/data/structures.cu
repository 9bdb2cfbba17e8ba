// Structures that may be declared __align__(8), and structures of which something makes a pointer that need not be aligned, or
// that are a part of something. The marks are those of rows.cu.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#define STRUCTURE(S)                                                                                                          \
  struct S {                                                                                                                  \
    float a, b;                                                                                                               \
  };
#define AS(T, p) ((T*)(p))
template <class T> T* as(void* p) { return (T*)p; }
template <class T> struct Box {
  int id;
  T value;
};
struct Any {
  void* p;
  template <class T> operator T*() const { return static_cast<T*>(p); }
};
template <class T> __global__ void copy(const T* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x].a + p[threadIdx.x].b;
}
float *raw, *to;

// ---- made -----------------------------------------------------------------------------------------------------------------
struct Plain { float a, b; };
__global__ void of_plain(const Plain* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x].a; //: align p
}
void use_plain() {
  Plain *p, *q = nullptr, *host = (Plain*)malloc(8 * sizeof(Plain));
  cudaMalloc(&p, 8 * sizeof(Plain));
  cudaMalloc((void**)&q, 8 * sizeof(Plain));
  cudaMemcpy(p, host, 8 * sizeof(Plain), cudaMemcpyHostToDevice);
  std::vector<Plain> all(8);
  std::unique_ptr<Plain[]> more(new Plain[8]);
  std::swap(p, q);
  float* bytes = reinterpret_cast<float*>(host);
  std::printf("%p %f %f\n", (void*)p, all[0].a, bytes[1] + more[0].b);
  of_plain<<<1, 8>>>(p + 1, to), copy<<<1, 8>>>(all.data(), to);
}
typedef struct { int a, b; } Alias;
using Other = Alias;
__global__ void of_alias(const Other* p, int* out) {
  out[threadIdx.x] = p[threadIdx.x].b; //: align p
}
struct Stored { float a, b; };
__device__ Stored stored[64];
__global__ void of_stored(float* out) {
  out[threadIdx.x] = stored[threadIdx.x].b; //: align stored
}
static __device__ float numbers[64][2];
__global__ void of_numbers(float* out) {
  out[threadIdx.x] = numbers[threadIdx.x][0]; //: align numbers
}

// ---- not: pointers that are made of something else ------------------------------------------------------------------------
// clang-format off
struct Cast { float a, b; };
__global__ void of_cast(const Cast* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_cast() { of_cast<<<1, 8>>>((Cast*)(raw + 1), to); }
struct InKernel { float a, b; };
__global__ void of_in_kernel(float* p, float* out) { InKernel* q = (InKernel*)(p + 1);
  out[threadIdx.x] = q[threadIdx.x].a; } //: align q NOT a cast makes a pointer
struct Template { float a, b; };
__global__ void of_template(const Template* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_template() { of_template<<<1, 8>>>(as<Template>(raw + 1), to); }
struct Macro { float a, b; };
__global__ void of_macro(const Macro* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_macro() { of_macro<<<1, 8>>>(AS(Macro, raw + 1), to); }
struct ByType { float a, b; };
__global__ void of_by_type(const ByType* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_by_type() { ByType* p = nullptr; p = reinterpret_cast<decltype(p)>(raw + 1); of_by_type<<<1, 8>>>(p, to); }
struct Copied { float a, b; };
__global__ void of_copied(const Copied* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_copied() { Copied* p; float* q = raw + 1; memcpy(&p, &q, sizeof p); of_copied<<<1, 8>>>(p, to); }
struct Converted { float a, b; };
__global__ void of_converted(const Converted* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_converted() { Converted* p = Any{raw + 1}; of_converted<<<1, 8>>>(p, to); }
struct ByArguments { float a, b; };
__global__ void of_arguments(const ByArguments* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_arguments() { float* q = raw + 1; void* all[] = {&q, &to}; cudaLaunchKernel((void*)of_arguments, 1, 8, all, 0, 0); }
struct OtherType { float a, b; };
__global__ void of_other_type(const OtherType* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_other_type() { auto f = (void (*)(float*, float*))of_other_type; f<<<1, 8>>>(raw + 1, to); }
struct Lambda { float a, b; };
__global__ void of_lambda(const Lambda* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_lambda() { auto f = [](auto* p, auto* q) { return (decltype(p))q; }; Lambda* p = nullptr; of_lambda<<<1, 8>>>(f(p, raw + 1), to); }
struct Symbol { float a, b; };
__device__ Symbol* symbol;
__global__ void of_symbol(float* out) { Symbol* p = symbol;
  out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a cast makes a pointer
void use_symbol() { float* q = raw + 1; cudaMemcpyToSymbol(symbol, &q, sizeof q); of_symbol<<<1, 8>>>(to); }
struct InUnion { float a, b; };
union Either { InUnion* p; float* q; };
__global__ void of_union(const InUnion* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a pointer to one as a member
struct Placed { float a, b; };
__global__ void of_placed(const Placed* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT memory of the program's own
void use_placed() { static char bytes[64]; of_placed<<<1, 8>>>(new (bytes + 4) Placed{1, 2}, to); }
struct OwnNew { float a, b; void* operator new(std::size_t) { return raw + 1; } };
__global__ void of_own_new(const OwnNew* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT memory of the program's own
void use_own_new() { of_own_new<<<1, 8>>>(new OwnNew, to); }
struct Given { float a, b; };
Given* given();
__global__ void of_given(const Given* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a function of another file
struct Known { float a, b; };
extern Known* known;
__global__ void of_known(const Known* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT a variable of another file

// ---- not: a part of something, or its alignment is asked for ----------------------------------------------------------------
struct Member { float a, b; };
struct Outer { int id; Member member; };
__global__ void of_member(const Member* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT has one as a member
struct Pair { float a, b; };
__global__ void of_pair(const Pair* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT has one as a member
void use_pair() { std::printf("%zu\n", sizeof(std::pair<int, Pair>)); }
struct Boxed { float a, b; };
__global__ void of_boxed(const Boxed* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT has one as a member
void use_boxed() { std::printf("%zu\n", sizeof(Box<Boxed>)); }
struct Captured { float a, b; };
__global__ void of_captured(const Captured* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT has one as a member
void use_captured() { Captured c{}; int i = 0; auto f = [i, c] { return c.a + i; }; std::printf("%zu\n", sizeof f); }
struct Base { float a, b; };
struct Derived : Base { int c; };
__global__ void of_base(const Base* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT inherits it
struct Asked { float a, b; };
__global__ void of_asked(const Asked* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT its alignment is asked for
void use_asked() { std::printf("%zu\n", alignof(Asked)); }
struct Trait { float a, b; };
__global__ void of_trait(const Trait* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT its alignment is asked for
void use_trait() { std::printf("%zu\n", std::alignment_of<Trait>::value); }
struct Slotted { float a, b; };
struct Slot { alignas(Slotted) char bytes[12]; };
__global__ void of_slotted(const Slotted* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT its alignment is asked for
struct Generic { float a, b; };
template <class T> struct SlotOf { alignas(T) char bytes[sizeof(T) + 4]; };
__global__ void of_generic(const Generic* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT its alignment is asked for
void use_generic() { std::printf("%zu\n", sizeof(SlotOf<Generic>)); }
#pragma pack(push, 4)
struct Packed { float a, b; };
#pragma pack(pop)
__global__ void of_packed(const Packed* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT is declared
STRUCTURE(ByMacro)
__global__ void of_by_macro(const ByMacro* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT by a macro
struct Larger { float a, b, c; };
__global__ void of_larger(const Larger* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT has not 8 bytes
struct Shared { float a, b; };
extern __shared__ float dynamic[];
__global__ void of_shared(const Shared* p, float* out) { __shared__ Shared s[8]; s[threadIdx.x] = p[threadIdx.x];
  out[threadIdx.x] = s[threadIdx.x].a + dynamic[0]; } //: align s NOT at its limit
struct Hidden { float a, b; };
#if 0
struct WithHidden { int i; Hidden h; };
#endif
__global__ void of_hidden(const Hidden* p, float* out) { out[threadIdx.x] = p[threadIdx.x].a; } //: align p NOT an #if leaves out
// clang-format on
int main() {}
