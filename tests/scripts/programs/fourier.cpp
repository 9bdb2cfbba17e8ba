// Calls of cuRAND's host interface and of cuFFT, declared here as their manuals have them. Random numbers by their moments,
// transforms against sums.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using C = std::complex<float>;
using Z = std::complex<double>;
extern "C" {
int cudaMallocManaged(void**, size_t, unsigned);
int curandCreateGenerator(void**, int);
int curandSetPseudoRandomGeneratorSeed(void*, unsigned long long);
int curandGenerate(void*, unsigned*, size_t);
int curandGenerateUniform(void*, float*, size_t);
int curandGenerateNormalDouble(void*, double*, size_t, double, double);
int curandDestroyGenerator(void*);
int cufftPlan1d(int*, int, int, int);
int cufftPlan2d(int*, int, int, int);
int cufftPlanMany(int*, int, int*, int*, int, int, int*, int, int, int, int);
int cufftExecC2C(int, C*, C*, int);
int cufftExecR2C(int, float*, C*);
int cufftExecC2R(int, C*, float*);
int cufftExecD2Z(int, double*, Z*);
int cufftDestroy(int);
}
constexpr int c2c = 0x29, r2c = 0x2a, c2r = 0x2c, d2z = 0x6a;

static int wrong = 0;
static void check(bool right, const char* what) {
  if (!right) ++wrong, printf("wrong: %s\n", what);
}
template <class T> T* memory(size_t count) {
  void* out = nullptr;
  check(cudaMallocManaged(&out, count * sizeof(T), 1) == 0, "cudaMallocManaged");
  for (size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = T(static_cast<float>(i * 7 % 11) - 5);
  return static_cast<T*>(out);
}

static void random_numbers() {
  constexpr size_t n = 1 << 16;
  void *one = nullptr, *two = nullptr;
  float *u = memory<float>(n), *v = memory<float>(n);
  double* x = memory<double>(n);
  check(curandCreateGenerator(&one, 101) == 0 && curandCreateGenerator(&two, 161) == 0, "create");
  check(curandCreateGenerator(&two, 200) == 103, "quasi-random");
  check(curandSetPseudoRandomGeneratorSeed(one, 1234) == 0 &&
            curandSetPseudoRandomGeneratorSeed(two, 1234) == 0,
        "seed");
  check(curandGenerateUniform(one, u, n) == 0 && curandGenerateUniform(two, v, n) == 0, "uniform");
  double sum = 0, square = 0, product = 0;
  for (size_t i = 0; i < n; ++i) {
    check(u[i] > 0 && u[i] <= 1 && u[i] == v[i], "uniform: range, or seeds that are alike");
    sum += u[i], square += u[i] * u[i], product += i + 1 < n ? u[i] * u[i + 1] : 0;
  }
  check(std::abs(sum / n - 0.5) < 0.01 && std::abs(square / n - 1 / 3.) < 0.01 &&
            std::abs(product / n - 0.25) < 0.01,
        "moments");
  check(curandGenerateUniform(one, v, n) == 0 && v[0] != u[0], "the sequence goes on");
  check(curandGenerateNormalDouble(one, x, n, 3, 2) == 0, "normal");
  sum = square = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i], square += (x[i] - 3) * (x[i] - 3);
  check(std::abs(sum / n - 3) < 0.05 && std::abs(square / n - 4) < 0.1, "normal: moments");
  check(curandGenerateNormalDouble(one, x, 3, 0, 1) == 105, "normal: an odd number");
  check(curandDestroyGenerator(one) == 0 && curandGenerateUniform(one, u, n) == 101, "destroyed");
  printf("random: %d wrong\n", wrong);
}

static bool close(Z a, Z b) { return std::abs(a - b) < 1e-3; }
template <class T> Z sum_of(const T* x, int n, int k, int step, double sign) {
  Z out = 0;
  for (int i = 0; i < n; ++i) out += Z(x[i * step]) * std::polar(1.0, sign * 2 * M_PI * i * k / n);
  return out;
}

static bool transforms() {
  constexpr int n = 12, batch = 3;
  int plan = 0;
  C *x = memory<C>(n * batch), *y = memory<C>(n * batch), *z = memory<C>(n * batch);
  check(cufftPlan1d(&plan, n, c2c, batch) == 0, "plan");
  const int first = cufftExecC2C(plan, x, y, -1);
  if (first == 16) return false;
  check(first == 0, "C2C");
  for (int i = 0; i < n * batch; ++i) check(close(y[i], sum_of(x + i / n * n, n, i % n, 1, -1)), "C2C");
  check(cufftExecC2C(plan, y, y, 1) == 0, "inverse, in place");
  for (int i = 0; i < n * batch; ++i) check(close(y[i], Z(x[i]) * double(n)), "inverse");
  check(cufftDestroy(plan) == 0 && cufftExecC2C(plan, x, y, -1) == 1, "destroyed");

  int size = n, layout = n * batch; // columns of a matrix with three of them
  check(cufftPlanMany(&plan, 1, &size, &layout, batch, 1, &layout, batch, 1, c2c, batch) == 0,
        "plan of columns");
  check(cufftExecC2C(plan, x, z, -1) == 0, "columns");
  for (int i = 0; i < n * batch; ++i)
    check(close(z[i], sum_of(x + i % batch, n, i / batch, batch, -1)), "columns");

  float *r = memory<float>(4 * 6), *back = memory<float>(4 * 6);
  check(cufftPlan2d(&plan, 4, 6, r2c) == 0 && cufftExecR2C(plan, r, x) == 0, "R2C");
  Z want = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j)
      want += double(r[i * 6 + j]) * std::polar(1.0, -2 * M_PI * (1 * i / 4. + 2 * j / 6.));
  check(close(x[1 * 4 + 2], want), "R2C");
  check(cufftPlan2d(&plan, 4, 6, c2r) == 0 && cufftExecC2R(plan, x, back) == 0, "C2R");
  for (int i = 0; i < 24; ++i) check(close(back[i], r[i] * 24.), "C2R");

  double* d = memory<double>(2 * (n / 2 + 1)); // in place: rows of 2 * (n / 2 + 1)
  std::vector<double> before(d, d + n);
  check(cufftPlan1d(&plan, n, d2z, 1) == 0 && cufftExecD2Z(plan, d, reinterpret_cast<Z*>(d)) == 0, "D2Z");
  check(close(reinterpret_cast<Z*>(d)[3], sum_of(before.data(), n, 3, 1, -1)), "D2Z in place");
  check(cufftPlan1d(&plan, 1 << 20, c2c, 1) == 0 && cufftExecC2C(plan, x, y, -1) == 6, "beyond memory");
  return true;
}

int main() {
  random_numbers();
  wrong = 0;
  if (!transforms()) return printf("transforms: not supported\n"), 0;
  printf("transforms: %d wrong\n", wrong);
  return wrong != 0;
}
