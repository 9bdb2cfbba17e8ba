// Runs one kernel from a form's text: values in, values out, whatever the operands' storage.
#pragma once
#include "ir/form.h"
#include "sim/kernels/request.h"
#include <bit>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace warplens::sim {
std::optional<Kernel> find_kernel_of(FindKernel find, const ir::Form& form, u32 destinations, u32 sources);

namespace testing {

using Values = std::vector<u64>;

// One array of lanes in the storage of `bits`.
class Lanes {
public:
  Lanes(u32 bits, u32 lanes) : bits_(bits), words_(std::size_t{lanes} + 64) {
    std::size_t address = reinterpret_cast<std::size_t>(words_.data());
    data_ = reinterpret_cast<std::byte*>((address + 63) & ~std::size_t{63});
  }
  void* data() { return data_; }
  u64 get(u32 lane) const {
    switch (bits_) {
    case 1: return reinterpret_cast<const u32*>(data_)[lane / 32] >> (lane % 32) & 1;
    case 16: return reinterpret_cast<const u16*>(data_)[lane];
    case 32: return reinterpret_cast<const u32*>(data_)[lane];
    default: return reinterpret_cast<const u64*>(data_)[lane];
    }
  }
  void set(u32 lane, u64 value) {
    switch (bits_) {
    case 1: {
      u32& word = reinterpret_cast<u32*>(data_)[lane / 32];
      word = (word & ~(1u << (lane % 32))) | static_cast<u32>(value & 1) << (lane % 32);
      break;
    }
    case 16: reinterpret_cast<u16*>(data_)[lane] = static_cast<u16>(value); break;
    case 32: reinterpret_cast<u32*>(data_)[lane] = static_cast<u32>(value); break;
    default: reinterpret_cast<u64*>(data_)[lane] = value;
    }
  }

private:
  u32 bits_;
  std::vector<u64> words_;
  std::byte* data_;
};

// sources[operand][lane] → result[destination][lane]; all operands have the same number of lanes.
inline std::vector<Values> run(const Kernel& kernel, const std::vector<Values>& sources) {
  u32 lanes = static_cast<u32>(sources.front().size());
  std::vector<Lanes> arrays;
  KernelArguments arguments{};
  arguments.lanes = lanes;
  arrays.reserve(8);
  for (u32 s = 0; s < kernel.sources; ++s) {
    arrays.emplace_back(kernel.source_bits[s], lanes);
    for (u32 i = 0; i < lanes; ++i) arrays.back().set(i, sources[s][i]);
    arguments.source[s] = arrays.back().data();
  }
  for (u32 d = 0; d < kernel.destinations; ++d) {
    arrays.emplace_back(kernel.destination_bits[d], lanes);
    arguments.destination[d] = arrays.back().data();
  }
  arguments.variant = kernel.variant;
  kernel.function(arguments);
  std::vector<Values> results(kernel.destinations, Values(lanes));
  for (u32 d = 0; d < kernel.destinations; ++d)
    for (u32 i = 0; i < lanes; ++i) results[d][i] = arrays[kernel.sources + d].get(i);
  return results;
}

// One lane; the kernel must exist.
inline Values evaluate(std::string_view text, std::vector<u64> sources, u32 destinations = 1) {
  auto form = ir::parse_form(text);
  if (!form) {
    ADD_FAILURE() << text << ": unknown token " << form.error().token;
    return Values(destinations);
  }
  std::optional<Kernel> kernel = find_kernel(*form, destinations, static_cast<u32>(sources.size()));
  if (!kernel) {
    ADD_FAILURE() << "no kernel for " << text << " with " << sources.size() << " sources";
    return Values(destinations);
  }
  std::vector<Values> single, block;
  for (u64 value : sources) single.push_back({value}), block.push_back(Values(32, value));
  std::vector<Values> one = run(*kernel, single), many = run(*kernel, block);
  Values results;
  for (u32 d = 0; d < destinations; ++d) {
    results.push_back(one[d][0]);
    EXPECT_EQ(many[d], Values(32, one[d][0])) << text << ": a block of lanes and a uniform value differ";
  }
  return results;
}
inline u64 value_of(std::string_view text, std::vector<u64> sources) {
  return evaluate(text, std::move(sources))[0];
}
inline u64 f(float x) { return std::bit_cast<u32>(x); }
inline u64 d(double x) { return std::bit_cast<u64>(x); }

} // namespace testing
} // namespace warplens::sim
