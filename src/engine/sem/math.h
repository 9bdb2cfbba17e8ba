// Functions of CUDA's device library that the C library lacks. The others are the C library's own, whose
// errors are below the bounds that the CUDA Programming Guide documents ("Mathematical Functions").
//
// Inverse error functions: Winitzki's closed formula as a start, then Halley steps on erfc, which keeps
// relative accuracy in the tail. sinpi and cospi reduce exactly before multiplying by π.
#pragma once
#include "sem/value.h"
#include <math.h>

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

inline constexpr double pi = 3.14159265358979323846;

// x·π for sine: x modulo 2 as q·½ + r with |r| ≤ ¼.
inline double sinpi(double x) {
  if (!isfinite(x)) return x - x;
  double turn = fmod(x, 2.0), quarter = rint(2.0 * turn), r = (turn - 0.5 * quarter) * pi;
  switch (static_cast<int>(quarter) & 3) {
  case 0: return turn == 0.0 ? copysign(0.0, x) : sin(r);
  case 1: return cos(r);
  case 2: return r == 0.0 ? copysign(0.0, x) : -sin(r);
  default: return -cos(r);
  }
}
inline double cospi(double x) {
  if (!isfinite(x)) return x - x;
  double turn = fmod(fabs(x), 2.0), quarter = rint(2.0 * turn), r = (turn - 0.5 * quarter) * pi;
  switch (static_cast<int>(quarter) & 3) {
  case 0: return cos(r);
  case 1: return 0.0 - sin(r);
  case 2: return -cos(r);
  default: return 0.0 + sin(r);
  }
}

inline double erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return NAN;
  if (y == 0.0) return INFINITY;
  if (y == 2.0) return -INFINITY;
  double small = y > 1.0 ? 2.0 - y : y, logarithm = log(small) + log(2.0 - small);
  constexpr double a = 0.147;
  double t = 2.0 / (pi * a) + logarithm / 2, x = sqrt(fmax(0.0, sqrt(t * t - logarithm / a) - t));
  for (int step = 0; step < 5; ++step) {
    double slope = -2.0 / sqrt(pi) * exp(-x * x);
    if (slope == 0.0) break;
    double change = (erfc(x) - small) / slope;
    x -= change / (1.0 + x * change);
  }
  return y > 1.0 ? -x : x;
}
inline double erfinv(double y) {
  if (fabs(y) >= 0.5) return copysign(erfcinv(1.0 - fabs(y)), y);
  double x = y * sqrt(pi) / 2;
  for (int step = 0; step < 5; ++step) {
    double change = (erf(x) - y) / (2.0 / sqrt(pi) * exp(-x * x));
    x -= change / (1.0 + x * change);
  }
  return y == 0.0 ? y : x;
}
inline double normcdf(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }
inline double normcdfinv(double y) { return -sqrt(2.0) * erfcinv(2.0 * y); }

// exp(x²)·erfc(x); past 25 the product underflows and the asymptotic continued fraction takes over.
inline double erfcx(double x) {
  if (x < 25.0) {
    double high = static_cast<double>(static_cast<float>(x)),
           low = x - high; // x² = high² + (x + high)·low, exactly enough
    return exp(high * high) * exp((x + high) * low) * erfc(x);
  }
  double fraction = x;
  for (int k = 20; k > 0; --k) fraction = x + k / 2.0 / fraction;
  return 1.0 / (sqrt(pi) * fraction);
}

// Modified Bessel functions I0 and I1 by their power series; terms are positive, so nothing cancels.
inline double bessel_i(int order, double x) {
  double half = fabs(x) / 2, term = order == 0 ? 1.0 : half, sum = term;
  if (!(half < 360.0)) return order == 1 && x < 0 ? -INFINITY : x != x ? x : INFINITY;
  for (int k = 1; k < 2000 && term > sum * 1e-18; ++k) {
    term *= half / k * (half / (k + order));
    sum += term;
  }
  return order == 1 && x < 0 ? -sum : sum;
}

inline double norm3(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline double norm4(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }

// llround with the clamping of cvt: NaN gives the smallest integer.
inline i64 round_to_i64(double x) {
  double r = round(x);
  if (r != r || r < -9223372036854775808.0) return lowest<i64>;
  return r >= 9223372036854775808.0 ? highest<i64> : static_cast<i64>(r);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
