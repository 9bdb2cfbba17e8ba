// cuFFT by FFTW, whose plans take the same layouts and directions; like cuFFT's, its transforms are not scaled. A plan of
// FFTW is made for each call: with FFTW_ESTIMATE that takes no time to speak of.
#include "libraries/host_library.h"
#include "libraries/library_call.h"
#include <algorithm>
#include <numeric>

namespace warplens::runtime {
namespace {

enum FourierStatus : int { // cufftResult
  fft_success = 0,
  fft_invalid_plan = 1,
  fft_invalid_type = 3,
  fft_invalid_value = 4,
  fft_exec_failed = 6,
  fft_invalid_size = 8,
  fft_not_supported = 16
};
enum Type : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };

struct Layout { // of one side: sizes of the storage, and steps in its elements
  std::vector<int> storage;
  int step = 1;
  i64 distance = 0; // from one transform of a batch to the next
};

struct Plan {
  std::vector<int> sizes; // slowest first; empty: not made yet
  int type = c2c;
  int batch = 1;
  bool advanced = false; // the program said the layouts; else they follow from sizes and place
  Layout in{}, out{};
  cudaStream_t stream = nullptr;
  u32 device = thread_state().device;
};

std::map<int, Plan>& plans() { return of_device<std::map<int, Plan>>(); }

bool is_double(int type) { return (type & 0x40) != 0; }
bool from_real(int type) { return type == r2c || type == d2z; }
bool to_real(int type) { return type == c2r || type == z2d; }

FourierStatus fourier_status(cudaError_t error) {
  return error == cudaSuccess             ? fft_success
         : error == cudaErrorNotSupported ? fft_not_supported
                                          : fft_exec_failed;
}

template <class Body> int with_plan(int number, Body&& body) {
  std::lock_guard lock(Runtime::get().mutex);
  auto found = plans().find(number);
  return found == plans().end() ? fft_invalid_plan : body(found->second);
}

int create(int* number) {
  if (!number) return fft_invalid_value;
  std::lock_guard lock(Runtime::get().mutex);
  static int last = 0;
  *number = ++last;
  plans()[last] = {};
  return fft_success;
}

int make(int number, std::vector<int> sizes, int type, int batch, std::size_t* work) {
  if (work) *work = 0;
  if (type != c2c && type != r2c && type != c2r && type != z2z && type != d2z && type != z2d)
    return fft_invalid_type;
  constexpr int most = INT32_MAX - 2; // a row in place is up to two elements longer
  if (batch < 1 || std::any_of(sizes.begin(), sizes.end(), [](int n) { return n < 1 || n > most; }))
    return fft_invalid_size;
  return with_plan(number, [&](Plan& plan) {
    plan.sizes = std::move(sizes), plan.type = type, plan.batch = batch;
    return fft_success;
  });
}

int make_many(int number, int rank, const int* n, const int* in, int in_step, int in_distance, const int* out,
              int out_step, int out_distance, int type, int batch, std::size_t* work) {
  if (rank < 1 || rank > 3 || !n) return fft_invalid_value;
  if (int bad = make(number, {n, n + rank}, type, batch, work); bad != fft_success) return bad;
  if (!in || !out) return fft_success; // then steps and distances are ignored
  // The first size says nothing.
  auto is_layout = [&](const int* storage, int step, int distance) {
    return step >= 1 && distance >= 0 &&
           std::all_of(storage + 1, storage + rank, [](int size) { return size >= 0; });
  };
  if (!is_layout(in, in_step, in_distance) || !is_layout(out, out_step, out_distance))
    return fft_invalid_value;
  return with_plan(number, [&](Plan& plan) {
    plan.advanced = true;
    plan.in = {{in, in + rank}, in_step, in_distance};
    plan.out = {{out, out + rank}, out_step, out_distance};
    return fft_success;
  });
}

// At most the largest i64: more than any memory has.
i64 product(const std::vector<int>& sizes) {
  auto times = [](i64 a, int b) {
    i64 out = 0;
    return __builtin_mul_overflow(a, i64{b}, &out) ? INT64_MAX : out;
  };
  return std::accumulate(sizes.begin(), sizes.end(), i64{1}, times);
}

// Rows of real numbers that share their place with complex ones are as long as these.
void lay_out(Plan& plan, bool in_place) {
  if (plan.advanced) return;
  std::vector<int> complex = plan.sizes, real = plan.sizes;
  if (from_real(plan.type) || to_real(plan.type)) complex.back() = complex.back() / 2 + 1;
  if (in_place) real.back() = complex.back() * 2;
  plan.in.storage = from_real(plan.type) ? real : complex;
  plan.out.storage = to_real(plan.type) ? real : complex;
  for (Layout* side : {&plan.in, &plan.out}) side->step = 1, side->distance = product(side->storage);
}

Operand operand(const void* data, const Plan& plan, const Layout& side, bool real) {
  const u64 element = (is_double(plan.type) ? 8 : 4) * (real ? 1 : 2);
  u64 last = 0; // index of the last element of one transform: all but the last row are whole
  std::vector<int> used = plan.sizes;
  if (!real && (from_real(plan.type) || to_real(plan.type))) used.back() = used.back() / 2 + 1;
  for (std::size_t d = 0; d < used.size(); ++d)
    last = extent_bytes(last, static_cast<u64>(side.storage[d]), static_cast<u64>(used[d] - 1), 1);
  const u64 first_of_last =
      extent_bytes(static_cast<u64>(plan.batch) - 1, static_cast<u64>(side.distance), 1, 1);
  return {data, extent_bytes(last, static_cast<u64>(side.step), first_of_last, element)};
}

cudaError_t transform(const Plan& plan, void* from, void* to, int direction) {
  constexpr unsigned unaligned = 2, estimate = 64;
  const HostLibrary& library = is_double(plan.type) ? host_fftw_double : host_fftw_single;
  const std::string prefix = is_double(plan.type) ? "fftw_" : "fftwf_";
  auto function = [&](const char* name) { return host_function(library, (prefix + name).c_str()); };
  using Many =
      void* (*)(int, const int*, int, void*, const int*, int, int, void*, const int*, int, int, unsigned);
  using ManyTwoWays = void* (*)(int, const int*, int, void*, const int*, int, int, void*, const int*, int,
                                int, int, unsigned);
  auto execute = reinterpret_cast<void (*)(void*)>(function("execute"));
  auto destroy = reinterpret_cast<void (*)(void*)>(function("destroy_plan"));
  if (!execute || !destroy) return cudaErrorNotSupported;
  const int rank = static_cast<int>(plan.sizes.size());
  const int in = static_cast<int>(plan.in.distance), out = static_cast<int>(plan.out.distance);
  void* made = nullptr;
  if (from_real(plan.type) || to_real(plan.type)) {
    auto many =
        reinterpret_cast<Many>(function(from_real(plan.type) ? "plan_many_dft_r2c" : "plan_many_dft_c2r"));
    made = many(rank, plan.sizes.data(), plan.batch, from, plan.in.storage.data(), plan.in.step, in, to,
                plan.out.storage.data(), plan.out.step, out, unaligned | estimate);
  } else {
    auto many = reinterpret_cast<ManyTwoWays>(function("plan_many_dft"));
    made = many(rank, plan.sizes.data(), plan.batch, from, plan.in.storage.data(), plan.in.step, in, to,
                plan.out.storage.data(), plan.out.step, out, direction, unaligned | estimate);
  }
  if (!made) return cudaErrorInvalidValue;
  execute(made);
  destroy(made);
  return cudaSuccess;
}

int execute(const char* name, int number, int type, void* from, void* to, int direction) {
  return with_plan(number, [&](const Plan& known) -> int {
    Plan plan = known;
    if (plan.sizes.empty()) return fft_invalid_plan;
    if (plan.type != type) return fft_invalid_type;
    if (direction != -1 && direction != 1) return fft_invalid_value;
    lay_out(plan, from == to);
    return fourier_status(library_call(
        name, plan.stream,
        {operand(from, plan, plan.in, from_real(type)), operand(to, plan, plan.out, to_real(type))},
        [=] { return transform(plan, from, to, direction); }));
  });
}

int too_large() {
  library_gap("cuFFT's transforms of more than 2^31 elements");
  return fft_not_supported;
}

int no_room(std::size_t* work) { return answer(work, 0, fft_invalid_value); }

// The transform between two types of elements (cudaDataType); 0: there is none.
int type_of(int in, int out) {
  constexpr int real_32 = 0, real_64 = 1, complex_32 = 4, complex_64 = 5;
  if (in == complex_32) return out == complex_32 ? c2c : out == real_32 ? c2r : 0;
  if (in == complex_64) return out == complex_64 ? z2z : out == real_64 ? z2d : 0;
  if (in == real_32) return out == complex_32 ? r2c : 0;
  return in == real_64 && out == complex_64 ? d2z : 0;
}

} // namespace

extern "C" {

int cufftCreate(int* plan) { return create(plan); }
int cufftDestroy(int plan) {
  return with_plan(plan, [&](Plan&) {
    plans().erase(plan);
    return fft_success;
  });
}
int cufftMakePlan1d(int plan, int nx, int type, int batch, std::size_t* work) {
  return make(plan, {nx}, type, batch, work);
}
int cufftMakePlan2d(int plan, int nx, int ny, int type, std::size_t* work) {
  return make(plan, {nx, ny}, type, 1, work);
}
int cufftMakePlan3d(int plan, int nx, int ny, int nz, int type, std::size_t* work) {
  return make(plan, {nx, ny, nz}, type, 1, work);
}
int cufftMakePlanMany(int plan, int rank, int* n, int* in, int in_step, int in_distance, int* out,
                      int out_step, int out_distance, int type, int batch, std::size_t* work) {
  return make_many(plan, rank, n, in, in_step, in_distance, out, out_step, out_distance, type, batch, work);
}
int cufftPlan1d(int* plan, int nx, int type, int batch) {
  int status = create(plan);
  return status == fft_success ? make(*plan, {nx}, type, batch, nullptr) : status;
}
int cufftPlan2d(int* plan, int nx, int ny, int type) {
  int status = create(plan);
  return status == fft_success ? make(*plan, {nx, ny}, type, 1, nullptr) : status;
}
int cufftPlan3d(int* plan, int nx, int ny, int nz, int type) {
  int status = create(plan);
  return status == fft_success ? make(*plan, {nx, ny, nz}, type, 1, nullptr) : status;
}
int cufftPlanMany(int* plan, int rank, int* n, int* in, int in_step, int in_distance, int* out, int out_step,
                  int out_distance, int type, int batch) {
  int status = create(plan);
  if (status != fft_success) return status;
  return make_many(*plan, rank, n, in, in_step, in_distance, out, out_step, out_distance, type, batch,
                   nullptr);
}

int cufftExecC2C(int plan, void* from, void* to, int direction) {
  return execute("cufftExecC2C", plan, c2c, from, to, direction);
}
int cufftExecZ2Z(int plan, void* from, void* to, int direction) {
  return execute("cufftExecZ2Z", plan, z2z, from, to, direction);
}
int cufftExecR2C(int plan, void* from, void* to) { return execute("cufftExecR2C", plan, r2c, from, to, -1); }
int cufftExecD2Z(int plan, void* from, void* to) { return execute("cufftExecD2Z", plan, d2z, from, to, -1); }
int cufftExecC2R(int plan, void* from, void* to) { return execute("cufftExecC2R", plan, c2r, from, to, 1); }
int cufftExecZ2D(int plan, void* from, void* to) { return execute("cufftExecZ2D", plan, z2d, from, to, 1); }

// Sizes of 64 bits are taken where they fit FFTW's, of 32.
int cufftMakePlanMany64(int plan, int rank, long long* n, long long* in, long long in_step,
                        long long in_distance, long long* out, long long out_step, long long out_distance,
                        int type, long long batch, std::size_t* work) {
  if (rank < 1 || rank > 3 || !n) return fft_invalid_value;
  auto narrow = [&](const long long* list) {
    return list ? std::vector<int>(list, list + rank) : std::vector<int>();
  };
  for (const long long* list : {n, in, out})
    if (list && std::any_of(list, list + rank, [](long long size) { return size > INT32_MAX; }))
      return too_large();
  for (long long number : {in_step, in_distance, out_step, out_distance, batch})
    if (number > INT32_MAX || number < INT32_MIN) return too_large();
  const std::vector<int> sizes = narrow(n), in_storage = narrow(in), out_storage = narrow(out);
  return make_many(plan, rank, sizes.data(), in ? in_storage.data() : nullptr, static_cast<int>(in_step),
                   static_cast<int>(in_distance), out ? out_storage.data() : nullptr,
                   static_cast<int>(out_step), static_cast<int>(out_distance), type, static_cast<int>(batch),
                   work);
}
int cufftXtMakePlanMany(int plan, int rank, long long* n, long long* in, long long in_step,
                        long long in_distance, int in_type, long long* out, long long out_step,
                        long long out_distance, int out_type, long long batch, std::size_t* work, int) {
  const int type = type_of(in_type, out_type);
  if (type == 0) {
    library_gap("cufftXtMakePlanMany of half precision");
    return fft_not_supported;
  }
  return cufftMakePlanMany64(plan, rank, n, in, in_step, in_distance, out, out_step, out_distance, type,
                             batch, work);
}
int cufftXtExec(int plan, void* from, void* to, int direction) {
  int type = 0;
  const int known = with_plan(plan, [&](const Plan& made) {
    type = made.type;
    return fft_success;
  });
  if (known != fft_success) return known;
  const int sign = from_real(type) ? -1 : to_real(type) ? 1 : direction;
  return execute("cufftXtExec", plan, type, from, to, sign);
}

// Room for intermediate results is FFTW's own affair: none is asked of the program.
int cufftEstimate1d(int, int, int, std::size_t* work) { return no_room(work); }
int cufftEstimate2d(int, int, int, std::size_t* work) { return no_room(work); }
int cufftEstimate3d(int, int, int, int, std::size_t* work) { return no_room(work); }
int cufftEstimateMany(int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return no_room(work);
}
int cufftGetSize1d(int, int, int, int, std::size_t* work) { return no_room(work); }
int cufftGetSize2d(int, int, int, int, std::size_t* work) { return no_room(work); }
int cufftGetSize3d(int, int, int, int, int, std::size_t* work) { return no_room(work); }
int cufftGetSizeMany(int, int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return no_room(work);
}

int cufftSetStream(int plan, cudaStream_t stream) {
  return with_plan(plan, [&](Plan& known) {
    known.stream = stream;
    return fft_success;
  });
}
int cufftSetAutoAllocation(int plan) {
  return with_plan(plan, [](Plan&) { return fft_success; });
}
int cufftGetSize(int plan, std::size_t* work) {
  return with_plan(plan, [&](Plan&) {
    if (work) *work = 0;
    return fft_success;
  });
}
int cufftGetVersion(int* version) { return answer(version, 12000, fft_invalid_value); }
int cufftGetProperty(int which, int* value) { // major, minor, patch
  if (!value || which < 0 || which > 2) return fft_invalid_value;
  *value = which == 0 ? 12 : 0;
  return fft_success;
}

} // extern "C"
} // namespace warplens::runtime
