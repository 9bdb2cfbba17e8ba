// cuSOLVER's dense part, as far as programs commonly go: LU, Cholesky, QR, eigenvalues of symmetric matrices, singular values.
// Jacobi's method (evj) finds what the other finds, in the same order.
#include "libraries/lapack.h"

namespace warplens::runtime {

struct SolverHandle {
  cudaStream_t stream = nullptr;
  u32 device = thread_state().device;
};
struct SolverSettings {}; // of Jacobi's method, and of the interface of 64 bits: nothing is chosen

namespace {

enum SolverStatus : int { // cusolverStatus_t
  solver_success = 0,
  solver_not_initialized = 1,
  solver_invalid_value = 3,
  solver_execution_failed = 6,
  solver_not_supported = 9
};

SolverStatus status(cudaError_t error) {
  switch (error) {
  case cudaSuccess: return solver_success;
  case cudaErrorNotSupported: return solver_not_supported;
  case cudaErrorInvalidValue: return solver_invalid_value;
  default: return solver_execution_failed;
  }
}

bool known(SolverHandle* h) {
  return with_handle(h, solver_not_initialized, [] { return solver_success; }) == solver_success;
}

// `info` is in device memory like all operands.
template <class Body>
int call(const char* name, SolverHandle* h, std::initializer_list<i64> sizes,
         std::initializer_list<char> letters, std::vector<Operand> operands, int* info, Body&& body) {
  if (!known(h)) return solver_not_initialized;
  for (i64 size : sizes)
    if (size < 0) return solver_invalid_value;
  for (char letter : letters)
    if (letter == '\0') return solver_invalid_value;
  operands.push_back(vector(info, 1, 1));
  return status(library_call(name, h->stream, std::move(operands), std::forward<Body>(body)));
}

int room(SolverHandle* h, i64 n, int* size) {
  if (!known(h)) return solver_not_initialized;
  if (n < 0 || !size) return solver_invalid_value;
  *size = static_cast<int>(std::max<i64>(n, 1));
  return solver_success;
}

// Of an empty matrix, whose other size may be one that no memory could hold.
cudaError_t nothing_to_do(int* info) {
  *info = 0;
  return cudaSuccess;
}

template <class T>
int getrf(const char* name, SolverHandle* h, int m, int n, T* a, int lda, int* pivots, int* info) {
  return call(name, h, {m, n, beyond(lda, m)}, {},
              {matrix(a, m, n, lda), vector(pivots, pivots ? std::min(m, n) : 0, 1)}, info,
              [=] { return factor(m, n, a, lda, pivots, info); });
}
template <class T>
int getrs(const char* name, SolverHandle* h, int op, int n, int columns, const T* a, int lda,
          const int* pivots, T* b, int ldb, int* info) {
  const char letter = op_letter(op);
  return call(name, h, {n, columns, beyond(lda, n), beyond(ldb, n)}, {letter},
              {matrix(a, n, n, lda), matrix(b, n, columns, ldb), operand_of_pivots(pivots, n)}, info,
              [=] { return solve(name, letter, n, columns, a, lda, pivots, b, ldb, info); });
}

template <class T>
int of_triangle(const char* name, const char* routine, SolverHandle* h, int fill, int n, T* a, int lda,
                int* info) {
  const char uplo = fill_letter(fill);
  return call(name, h, {n, beyond(lda, n)}, {uplo}, {matrix(a, n, n, lda)}, info,
              [=] { return fortran<T>(routine, uplo, n, a, lda, info); });
}
template <class T>
int potrs(const char* name, SolverHandle* h, int fill, int n, int columns, const T* a, int lda, T* b, int ldb,
          int* info) {
  const char uplo = fill_letter(fill);
  return call(name, h, {n, columns, beyond(lda, n), beyond(ldb, n)}, {uplo},
              {matrix(a, n, n, lda), matrix(b, n, columns, ldb)}, info,
              [=] { return fortran<T>("potrs", uplo, n, columns, a, lda, b, ldb, info); });
}
template <class T>
int potrf_batched(const char* name, SolverHandle* h, int fill, int n, T* const* a, int lda, int* info,
                  int count) {
  const char uplo = fill_letter(fill);
  return call(name, h, {n, beyond(lda, n), count}, {uplo}, {vector(a, count, 1), vector(info, count, 1)},
              info, [=] {
                return each_of_batch(count, [&](i64 i) {
                  return with_operands(name, {matrix(a[i], n, n, lda)},
                                       [&] { return fortran<T>("potrf", uplo, n, a[i], lda, info + i); });
                });
              });
}
template <class T>
int potrs_batched(const char* name, SolverHandle* h, int fill, int n, int columns, T* const* a, int lda,
                  T* const* b, int ldb, int* info, int count) {
  const char uplo = fill_letter(fill);
  return call(name, h, {n, columns, beyond(lda, n), beyond(ldb, n), count}, {uplo},
              {vector(a, count, 1), vector(b, count, 1)}, info, [=] {
                return each_of_batch(count, [&](i64 i) {
                  return with_operands(name, {matrix(a[i], n, n, lda), matrix(b[i], n, columns, ldb)}, [&] {
                    return fortran<T>("potrs", uplo, n, columns, a[i], lda, b[i], ldb, info);
                  });
                });
              });
}

// f(i) for each matrix of several, until one fails.
template <class F> int for_each(i64 count, F&& f) {
  if (count < 0) return solver_invalid_value;
  int status = solver_success;
  for (i64 i = 0; status == solver_success && i < count; ++i) status = f(i);
  return status;
}

template <class T>
int geqrf(const char* name, SolverHandle* h, int m, int n, T* a, int lda, T* tau, int* info) {
  return call(name, h, {m, n, beyond(lda, m)}, {}, {matrix(a, m, n, lda), vector(tau, std::min(m, n), 1)},
              info, [=] {
                if (std::min(m, n) == 0) return nothing_to_do(info);
                WorkRoom<T> work(n);
                return fortran<T>("geqrf", m, n, a, lda, tau, work.data(), work.size(), info);
              });
}
template <class T>
int gqr(const char* name, SolverHandle* h, int m, int n, int k, T* a, int lda, const T* tau, int* info) {
  return call(name, h, {m, n, k, i64{m} - n, i64{n} - k, beyond(lda, m)}, {},
              {matrix(a, m, n, lda), vector(tau, k, 1)}, info, [=] {
                WorkRoom<T> work(n);
                return fortran<T>(is_complex<T> ? "ungqr" : "orgqr", m, n, k, a, lda, tau, work.data(),
                                  work.size(), info);
              });
}
template <class T>
int mqr(const char* name, SolverHandle* h, int side, int op, int m, int n, int k, const T* a, int lda,
        const T* tau, T* c, int ldc, int* info) {
  const char where = side_letter(side), letter = op_letter(op);
  const int high = side == 0 ? m : n;
  return call(name, h, {m, n, k, high - i64{k}, beyond(lda, high), beyond(ldc, m)}, {where, letter},
              {matrix(a, high, k, lda), vector(tau, k, 1), matrix(c, m, n, ldc)}, info, [=] {
                if (std::min(m, n) == 0) return nothing_to_do(info);
                WorkRoom<T> work(std::max(m, n));
                return fortran<T>(is_complex<T> ? "unmqr" : "ormqr", where, letter, m, n, k, a, lda, tau, c,
                                  ldc, work.data(), work.size(), info);
              });
}

template <class T>
int evd(const char* name, SolverHandle* h, int vectors, int fill, int n, T* a, int lda, Real<T>* w,
        int* info) {
  const char uplo = fill_letter(fill), job = vectors == 0 ? 'N' : vectors == 1 ? 'V' : '\0';
  return call(name, h, {n, beyond(lda, n)}, {uplo, job}, {matrix(a, n, n, lda), vector(w, n, 1)}, info, [=] {
    WorkRoom<T> work(n);
    if constexpr (is_complex<T>) {
      WorkRoom<Real<T>> reals(n);
      return fortran<T>("heev", job, uplo, n, a, lda, w, work.data(), work.size(), reals.data(), info);
    } else {
      return fortran<T>("syev", job, uplo, n, a, lda, w, work.data(), work.size(), info);
    }
  });
}

template <class T>
cudaError_t singular_values(char u_job, char v_job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu,
                            T* v, int ldv, int* info) {
  const int leading_u = std::max(ldu, 1), leading_v = std::max(ldv, 1);
  WorkRoom<T> work(i64{m} + n);
  if constexpr (is_complex<T>) {
    WorkRoom<Real<T>> reals(i64{m} + n);
    return fortran<T>("gesvd", u_job, v_job, m, n, a, lda, s, u, leading_u, v, leading_v, work.data(),
                      work.size(), reals.data(), info);
  } else {
    return fortran<T>("gesvd", u_job, v_job, m, n, a, lda, s, u, leading_u, v, leading_v, work.data(),
                      work.size(), info);
  }
}

template <class T>
int gesvd(const char* name, SolverHandle* h, char u_job, char v_job, int m, int n, T* a, int lda, Real<T>* s,
          T* u, int ldu, T* v, int ldv, int* info) {
  auto columns = [&](char job, int whole) { return job == 'A' ? whole : job == 'S' ? std::min(m, n) : 0; };
  const int wide = columns(u_job, m), high = columns(v_job, n);
  auto is_job = [](char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N' ? job : '\0'; };
  const char overwritten_once = u_job == 'O' && v_job == 'O' ? '\0' : 'O';
  return call(
      name, h, // fewer rows than columns are not for it
      {m, n, i64{m} - n, beyond(lda, m), wide == 0 ? 0 : beyond(ldu, m), high == 0 ? 0 : beyond(ldv, high)},
      {is_job(u_job), is_job(v_job), overwritten_once},
      {matrix(a, m, n, lda), vector(s, n, 1), matrix(u, m, wide, ldu),
       matrix(v, high, high == 0 ? 0 : n, ldv)},
      info, [=] {
        if (n == 0) return nothing_to_do(info);
        return singular_values(u_job, v_job, m, n, a, lda, s, u, ldu, v, ldv, info);
      });
}

// Singular values as Jacobi's method gives them: V itself, of any shape.
template <class T>
int gesvdj(const char* name, SolverHandle* h, int vectors, int economic, int m, int n, T* a, int lda,
           Real<T>* s, T* u, int ldu, T* v, int ldv, int* info) {
  const int least = std::min(m, n);
  auto columns = [&](int whole) { return vectors == 0 ? 0 : economic != 0 ? least : whole; };
  const int wide = columns(m), high = columns(n);
  const char job = vectors == 0 ? 'N' : economic != 0 ? 'S' : 'A';
  return call(name, h, {m, n, beyond(lda, m), wide == 0 ? 0 : beyond(ldu, m), high == 0 ? 0 : beyond(ldv, n)},
              {},
              {matrix(a, m, n, lda), vector(s, least, 1), matrix(u, m, wide, ldu), matrix(v, n, high, ldv)},
              info, [=] {
                if (least == 0) return nothing_to_do(info);
                std::vector<T> turned(static_cast<std::size_t>(std::max<i64>(i64{high} * n, 1)));
                const cudaError_t error =
                    singular_values(job, job, m, n, a, lda, s, u, ldu, turned.data(), high, info);
                for (i64 j = 0; j < high; ++j)
                  for (i64 i = 0; i < n; ++i) {
                    v[j * ldv + i] = conjugate(turned[static_cast<std::size_t>(i * high + j)]);
                  }
                return error;
              });
}

// The interface of 64 bits: f(T{}) for the type that a number stands for (cudaDataType). Sizes are as the others'.
template <class F> int of_element(int type, std::initializer_list<i64> sizes, F&& f) {
  for (i64 size : sizes)
    if (size > INT32_MAX) return solver_invalid_value;
  switch (type) {
  case 0: return f(float{});
  case 1: return f(double{});
  case 4: return f(std::complex<float>{});
  case 5: return f(std::complex<double>{});
  default: return solver_not_supported;
  }
}
int rooms(SolverHandle* h, std::size_t* device, std::size_t* host) { // of which nothing is used
  if (!known(h)) return solver_not_initialized;
  if (!device || !host) return solver_invalid_value;
  *device = 1, *host = 0;
  return solver_success;
}

} // namespace

extern "C" {

int cusolverDnCreateParams(SolverSettings** out) {
  if (!out) return solver_invalid_value;
  *out = new SolverSettings;
  return solver_success;
}
int cusolverDnDestroyParams(SolverSettings* settings) {
  delete settings;
  return solver_success;
}
int solver_setting_without_effect(SolverSettings* settings) {
  return settings ? solver_success : solver_invalid_value;
}
int cusolverDnXpotrf_bufferSize(SolverHandle* h, void*, int, i64, int, const void*, i64, int,
                                std::size_t* device, std::size_t* host) {
  return rooms(h, device, host);
}
int cusolverDnXpotrf(SolverHandle* h, void*, int fill, i64 n, int type, void* a, i64 lda, int, void*,
                     std::size_t, void*, std::size_t, int* info) {
  return of_element(type, {n, lda}, [&](auto t) {
    return of_triangle("cusolverDnXpotrf", "potrf", h, fill, static_cast<int>(n),
                       static_cast<decltype(t)*>(a), static_cast<int>(lda), info);
  });
}
int cusolverDnXpotrs(SolverHandle* h, void*, int fill, i64 n, i64 columns, int type, const void* a, i64 lda,
                     int, void* b, i64 ldb, int* info) {
  return of_element(type, {n, columns, lda, ldb}, [&](auto t) {
    return potrs("cusolverDnXpotrs", h, fill, static_cast<int>(n), static_cast<int>(columns),
                 static_cast<const decltype(t)*>(a), static_cast<int>(lda), static_cast<decltype(t)*>(b),
                 static_cast<int>(ldb), info);
  });
}
int cusolverDnXgeqrf_bufferSize(SolverHandle* h, void*, i64, i64, int, const void*, i64, int, const void*,
                                int, std::size_t* device, std::size_t* host) {
  return rooms(h, device, host);
}
int cusolverDnXgeqrf(SolverHandle* h, void*, i64 m, i64 n, int type, void* a, i64 lda, int, void* tau, int,
                     void*, std::size_t, void*, std::size_t, int* info) {
  return of_element(type, {m, n, lda}, [&](auto t) {
    return geqrf("cusolverDnXgeqrf", h, static_cast<int>(m), static_cast<int>(n),
                 static_cast<decltype(t)*>(a), static_cast<int>(lda), static_cast<decltype(t)*>(tau), info);
  });
}
int cusolverDnXsyevd_bufferSize(SolverHandle* h, void*, int, int, i64, int, const void*, i64, int,
                                const void*, int, std::size_t* device, std::size_t* host) {
  return rooms(h, device, host);
}
int cusolverDnXsyevd(SolverHandle* h, void*, int vectors, int fill, i64 n, int type, void* a, i64 lda, int,
                     void* w, int, void*, std::size_t, void*, std::size_t, int* info) {
  return of_element(type, {n, lda}, [&](auto t) {
    return evd("cusolverDnXsyevd", h, vectors, fill, static_cast<int>(n), static_cast<decltype(t)*>(a),
               static_cast<int>(lda), static_cast<Real<decltype(t)>*>(w), info);
  });
}
int cusolverDnXsyevBatched_bufferSize(SolverHandle* h, void*, int, int, i64, int, const void*, i64, int,
                                      const void*, int, std::size_t* device, std::size_t* host, i64) {
  return rooms(h, device, host);
}
int cusolverDnXsyevBatched(SolverHandle* h, void*, int vectors, int fill, i64 n, int type, void* a, i64 lda,
                           int, void* w, int, void*, std::size_t, void*, std::size_t, int* info, i64 count) {
  return of_element(type, {n, lda}, [&](auto t) {
    using T = decltype(t);
    return for_each(count, [&](i64 i) {
      return evd("cusolverDnXsyevBatched", h, vectors, fill, static_cast<int>(n),
                 static_cast<T*>(a) + i * lda * n, static_cast<int>(lda), static_cast<Real<T>*>(w) + i * n,
                 info + i);
    });
  });
}

int cusolverDnCreate(SolverHandle** handle) {
  return add_handle(handle, {}, solver_invalid_value, solver_not_initialized);
}
int cusolverDnDestroy(SolverHandle* handle) {
  std::lock_guard lock(Runtime::get().mutex);
  return of_device<Handles<SolverHandle>>().erase(handle) != 0 ? solver_success : solver_not_initialized;
}
int cusolverDnSetStream(SolverHandle* handle, cudaStream_t stream) {
  if (!known(handle)) return solver_not_initialized;
  handle->stream = stream;
  return solver_success;
}
int cusolverDnGetStream(SolverHandle* handle, cudaStream_t* stream) {
  if (!known(handle)) return solver_not_initialized;
  return answer(stream, handle->stream, solver_invalid_value);
}
int cusolverGetVersion(int* version) { return answer(version, 12000, solver_invalid_value); }
int cusolverGetProperty(int which, int* value) { // major, minor, patch
  if (!value || which < 0 || which > 2) return solver_invalid_value;
  *value = which == 0 ? 12 : 0;
  return solver_success;
}

#define T float
#define R float
#define N(name) cusolverDnS##name
#define NAME(name) "cusolverDnS" #name
#define OR(name) cusolverDnSor##name
#define OR_NAME(name) "cusolverDnSor" #name
#define SY(name) cusolverDnSsy##name
#define SY_NAME(name) "cusolverDnSsy" #name
#include "libraries/solver_routines.def"

#define T double
#define R double
#define N(name) cusolverDnD##name
#define NAME(name) "cusolverDnD" #name
#define OR(name) cusolverDnDor##name
#define OR_NAME(name) "cusolverDnDor" #name
#define SY(name) cusolverDnDsy##name
#define SY_NAME(name) "cusolverDnDsy" #name
#include "libraries/solver_routines.def"

#define T cfloat
#define R float
#define N(name) cusolverDnC##name
#define NAME(name) "cusolverDnC" #name
#define OR(name) cusolverDnCun##name
#define OR_NAME(name) "cusolverDnCun" #name
#define SY(name) cusolverDnChe##name
#define SY_NAME(name) "cusolverDnChe" #name
#include "libraries/solver_routines.def"

#define T cdouble
#define R double
#define N(name) cusolverDnZ##name
#define NAME(name) "cusolverDnZ" #name
#define OR(name) cusolverDnZun##name
#define OR_NAME(name) "cusolverDnZun" #name
#define SY(name) cusolverDnZhe##name
#define SY_NAME(name) "cusolverDnZhe" #name
#include "libraries/solver_routines.def"

} // extern "C"
} // namespace warplens::runtime
