// cuRAND's host interface: generators that fill device (or host) memory with random numbers.
//
// The numbers are those of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), whatever
// pseudo-random generator was asked for: as good statistically, reproducible by seed and offset, and not those that a GPU
// gives. Quasi-random generators and distributions by table are not there.
#include "libraries/library_call.h"
#include <array>
#include <cmath>

namespace warplens::runtime {

struct Generator {
  u64 seed = 0, offset = 0; // in numbers that were handed out
  bool host = false;
  cudaStream_t stream = nullptr;
  u32 device = thread_state().device;
};

namespace {

enum RandomStatus : int { // curandStatus_t
  random_success = 0,
  random_not_initialized = 101,
  random_type_error = 103,
  random_out_of_range = 104,
  random_length_not_multiple = 105,
  random_launch_failure = 201
};

// Four numbers of a counter under a key.
std::array<u32, 4> philox(u64 counter, u64 key) {
  constexpr u64 multiplier[2] = {0xd2511f53, 0xcd9e8d57};
  constexpr u32 weyl[2] = {0x9e3779b9, 0xbb67ae85};
  std::array<u32, 4> x = {static_cast<u32>(counter), static_cast<u32>(counter >> 32), 0, 0};
  u32 k[2] = {static_cast<u32>(key), static_cast<u32>(key >> 32)};
  for (int round = 0; round < 10; ++round) {
    const u64 a = multiplier[0] * x[0], b = multiplier[1] * x[2];
    x = {static_cast<u32>(b >> 32) ^ x[1] ^ k[0], static_cast<u32>(b),
         static_cast<u32>(a >> 32) ^ x[3] ^ k[1], static_cast<u32>(a)};
    k[0] += weyl[0], k[1] += weyl[1];
  }
  return x;
}

// The generator's sequence from a place on.
class Numbers {
public:
  Numbers(u64 seed, u64 at) : seed_(seed), at_(at) {}
  u32 next() {
    if (at_ % 4 == 0 || !known_) block_ = philox(at_ / 4, seed_), known_ = true;
    return block_[at_++ % 4];
  }
  u64 next64() {
    const u64 high = next();
    return high << 32 | next();
  }
  // In (0, 1], as cuRAND has it.
  float uniform() { return (static_cast<float>(next() >> 8) + 1) * 0x1p-24f; }
  double uniform64() { return (static_cast<double>(next64() >> 11) + 1) * 0x1p-53; }
  double normal() { // Box and Muller's method gives two at a time
    if (std::isnan(spare_)) {
      const double radius = std::sqrt(-2 * std::log(uniform64())), angle = 6.283185307179586 * uniform64();
      spare_ = radius * std::sin(angle);
      return radius * std::cos(angle);
    }
    return std::exchange(spare_, NAN);
  }

private:
  u64 seed_, at_;
  bool known_ = false;
  std::array<u32, 4> block_{};
  double spare_ = NAN;
};

RandomStatus random_status(cudaError_t error) {
  return error == cudaSuccess ? random_success : random_launch_failure;
}

template <class Body> int with_generator(Generator* generator, Body&& body) {
  return with_handle(generator, random_not_initialized, body);
}

// n values from next(numbers); each number takes at most `drawn` of the sequence.
template <class T, class Next>
int generate(const char* name, Generator* generator, T* out, std::size_t n, u64 drawn, Next next) {
  return with_generator(generator, [&] {
    const u64 seed = generator->seed, from = generator->offset;
    generator->offset += n * drawn;
    const Operand operand{out, generator->host ? 0 : extent_bytes(n, 1, 0, sizeof(T))};
    return random_status(library_call(name, generator->stream, {operand}, [=] {
      Numbers numbers(seed, from);
      for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(next(numbers));
      return cudaSuccess;
    }));
  });
}

int create(Generator** generator, int type, bool host) {
  constexpr int first = 100, philox_type = 161, mtgp = 141, mt19937 = 142, xorwow = 101, mrg = 121;
  const bool known = type == first || type == xorwow || type == mrg || type == mtgp || type == mt19937 ||
                     type == philox_type;
  if (generator && !known) {
    library_gap("curandCreateGenerator of a quasi-random generator");
    return random_type_error;
  }
  return add_handle(generator, {.host = host}, random_not_initialized, random_not_initialized);
}

} // namespace

extern "C" {

int curandCreateGenerator(Generator** generator, int type) { return create(generator, type, false); }
int curandCreateGeneratorHost(Generator** generator, int type) { return create(generator, type, true); }
int curandDestroyGenerator(Generator* generator) {
  return with_generator(generator, [&] {
    of_device<Handles<Generator>>().erase(generator);
    return random_success;
  });
}
int curandSetStream(Generator* generator, cudaStream_t stream) {
  return with_generator(generator, [&] {
    generator->stream = stream;
    return random_success;
  });
}
int curandSetPseudoRandomGeneratorSeed(Generator* generator, unsigned long long seed) {
  return with_generator(generator, [&] {
    generator->seed = seed;
    generator->offset = 0;
    return random_success;
  });
}
int curandSetGeneratorOffset(Generator* generator, unsigned long long offset) {
  return with_generator(generator, [&] {
    generator->offset = offset;
    return random_success;
  });
}
int curandSetGeneratorOrdering(Generator* generator) {
  return with_generator(generator, [] { return random_success; });
}
int curandGetVersion(int* version) { return answer(version, 100400, random_out_of_range); }
int curandGetProperty(int which, int* value) { // major, minor, patch
  if (!value || which < 0 || which > 2) return random_out_of_range;
  *value = which == 0 ? 10 : which == 1 ? 4 : 0;
  return random_success;
}

int curandGenerate(Generator* generator, unsigned* out, std::size_t n) {
  return generate("curandGenerate", generator, out, n, 1, [](Numbers& numbers) { return numbers.next(); });
}
int curandGenerateLongLong(Generator* generator, unsigned long long* out, std::size_t n) {
  return generate("curandGenerateLongLong", generator, out, n, 2,
                  [](Numbers& numbers) { return numbers.next64(); });
}
int curandGenerateUniform(Generator* generator, float* out, std::size_t n) {
  return generate("curandGenerateUniform", generator, out, n, 1,
                  [](Numbers& numbers) { return numbers.uniform(); });
}
int curandGenerateUniformDouble(Generator* generator, double* out, std::size_t n) {
  return generate("curandGenerateUniformDouble", generator, out, n, 2,
                  [](Numbers& numbers) { return numbers.uniform64(); });
}
int curandGenerateNormal(Generator* generator, float* out, std::size_t n, float mean, float deviation) {
  if (n % 2 != 0) return random_length_not_multiple;
  return generate("curandGenerateNormal", generator, out, n, 4,
                  [=](Numbers& numbers) { return double{mean} + double{deviation} * numbers.normal(); });
}
int curandGenerateNormalDouble(Generator* generator, double* out, std::size_t n, double mean,
                               double deviation) {
  if (n % 2 != 0) return random_length_not_multiple;
  return generate("curandGenerateNormalDouble", generator, out, n, 4,
                  [=](Numbers& numbers) { return mean + deviation * numbers.normal(); });
}
int curandGenerateLogNormal(Generator* generator, float* out, std::size_t n, float mean, float deviation) {
  if (n % 2 != 0) return random_length_not_multiple;
  return generate("curandGenerateLogNormal", generator, out, n, 4, [=](Numbers& numbers) {
    return std::exp(double{mean} + double{deviation} * numbers.normal());
  });
}
int curandGenerateLogNormalDouble(Generator* generator, double* out, std::size_t n, double mean,
                                  double deviation) {
  if (n % 2 != 0) return random_length_not_multiple;
  return generate("curandGenerateLogNormalDouble", generator, out, n, 4,
                  [=](Numbers& numbers) { return std::exp(mean + deviation * numbers.normal()); });
}

} // extern "C"
} // namespace warplens::runtime
