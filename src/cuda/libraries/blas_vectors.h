// cuBLAS's routines on vectors: loops, which need no library. Sums of floats are made in double.
//
// A negative stride goes through the vector from its end, as in BLAS.
#pragma once
#include "libraries/blas.h"
#include <cmath>

namespace warplens::runtime {

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };
template <class T> using Real = typename RealOf<T>::type;
template <class T> constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <class T> using Sum = std::conditional_t<is_complex<T>, cdouble, double>;

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class T> std::complex<T> conjugate(const std::complex<T>& x) { return std::conj(x); }

template <class T> struct Strided {
  T* first;
  i64 stride;
  Strided(T* x, i64 n, i64 step) : first(step < 0 && n > 0 ? x - (n - 1) * step : x), stride(step) {}
  T& operator[](i64 i) const { return first[i * stride]; }
};

template <class Body>
int vector_call(const char* name, BlasHandle* h, std::vector<Operand> operands, Body body) {
  if (!is_handle(h)) return blas_not_initialized;
  return status_of(library_call(name, h->stream, std::move(operands), [body] {
    body();
    return cudaSuccess;
  }));
}

template <class T>
int axpy(const char* name, BlasHandle* h, i64 n, const T* alpha, const T* x, i64 step_x, T* y, i64 step_y) {
  if (!is_handle(h)) return blas_not_initialized;
  if (!alpha) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step_x), vector(y, n, step_y), scalar(h, alpha)},
                     [=, a = Scalar<T>(h, alpha)] {
                       Strided<const T> from(x, n, step_x);
                       Strided<T> to(y, n, step_y);
                       for (i64 i = 0; i < n; ++i) to[i] += a.get() * from[i];
                     });
}

template <class T, class S> int scal(const char* name, BlasHandle* h, i64 n, const S* alpha, T* x, i64 step) {
  if (!is_handle(h)) return blas_not_initialized;
  if (!alpha) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step), scalar(h, alpha)}, [=, a = Scalar<S>(h, alpha)] {
    Strided<T> to(x, n, step);
    for (i64 i = 0; i < n; ++i) to[i] *= a.get();
  });
}

template <class T>
int copy(const char* name, BlasHandle* h, i64 n, const T* x, i64 step_x, T* y, i64 step_y) {
  return vector_call(name, h, {vector(x, n, step_x), vector(y, n, step_y)}, [=] {
    Strided<const T> from(x, n, step_x);
    Strided<T> to(y, n, step_y);
    for (i64 i = 0; i < n; ++i) to[i] = from[i];
  });
}

template <class T> int swap(const char* name, BlasHandle* h, i64 n, T* x, i64 step_x, T* y, i64 step_y) {
  return vector_call(name, h, {vector(x, n, step_x), vector(y, n, step_y)}, [=] {
    Strided<T> a(x, n, step_x), b(y, n, step_y);
    for (i64 i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

template <class T>
int dot(const char* name, BlasHandle* h, i64 n, const T* x, i64 step_x, const T* y, i64 step_y, T* result,
        bool conjugated) {
  if (!result) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step_x), vector(y, n, step_y), scalar(h, result)}, [=] {
    Strided<const T> a(x, n, step_x), b(y, n, step_y);
    Sum<T> sum = 0;
    for (i64 i = 0; i < n; ++i) sum += Sum<T>(conjugated ? conjugate(a[i]) : a[i]) * Sum<T>(b[i]);
    *result = T(sum);
  });
}

template <class T> int nrm2(const char* name, BlasHandle* h, i64 n, const T* x, i64 step, Real<T>* result) {
  if (!result) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step), scalar(h, result)}, [=] {
    Strided<const T> a(x, n, step);
    long double sum = 0; // neither overflows nor underflows where the result does not
    for (i64 i = 0; i < n; ++i) sum += std::norm(std::complex<long double>(a[i]));
    *result = static_cast<Real<T>>(std::sqrt(sum));
  });
}

// |re| + |im|, as BLAS has it.
template <class T> double magnitude(const T& x) {
  if constexpr (is_complex<T>)
    return std::abs(double{x.real()}) + std::abs(double{x.imag()});
  else
    return std::abs(double{x});
}

template <class T> int asum(const char* name, BlasHandle* h, i64 n, const T* x, i64 step, Real<T>* result) {
  if (!result) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step), scalar(h, result)}, [=] {
    Strided<const T> a(x, n, step);
    double sum = 0;
    for (i64 i = 0; i < n; ++i) sum += magnitude(a[i]);
    *result = static_cast<Real<T>>(sum);
  });
}

// The first of the largest (smallest), counted from 1; 0 where there is none.
template <class T, class I>
int extreme(const char* name, BlasHandle* h, i64 n, const T* x, i64 step, I* result, bool largest) {
  if (!result) return blas_invalid_value;
  return vector_call(name, h, {vector(x, n, step), scalar(h, result)}, [=] {
    if (n <= 0 || step <= 0) {
      *result = 0;
      return;
    }
    Strided<const T> a(x, n, step);
    i64 best = 0;
    for (i64 i = 1; i < n; ++i) {
      const double now = magnitude(a[i]), known = magnitude(a[best]);
      if (largest ? now > known : now < known) best = i;
    }
    *result = static_cast<I>(best + 1);
  });
}

template <class T>
int rot(const char* name, BlasHandle* h, i64 n, T* x, i64 step_x, T* y, i64 step_y, const Real<T>* cosine,
        const T* sine) {
  if (!is_handle(h)) return blas_not_initialized;
  if (!cosine || !sine) return blas_invalid_value;
  return vector_call(name, h,
                     {vector(x, n, step_x), vector(y, n, step_y), scalar(h, cosine), scalar(h, sine)},
                     [=, c = Scalar<Real<T>>(h, cosine), s = Scalar<T>(h, sine)] {
                       Strided<T> a(x, n, step_x), b(y, n, step_y);
                       for (i64 i = 0; i < n; ++i) {
                         const T old = a[i];
                         a[i] = c.get() * old + s.get() * b[i];
                         b[i] = c.get() * b[i] - conjugate(s.get()) * old;
                       }
                     });
}

} // namespace warplens::runtime
