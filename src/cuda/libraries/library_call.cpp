// See library_call.h.
#include "libraries/library_call.h"
#include "libraries/host_library.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include <fmt/format.h>
#include <new>
#include <stdexcept>

namespace warplens::runtime {
namespace {

// Sizes that a program makes up may ask for more than there is, on the way to a result that fits.
cudaError_t with_room(const std::function<cudaError_t()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return cudaErrorMemoryAllocation;
}

cudaError_t check(Runtime& runtime, const char* function, const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (operand.bytes == 0) continue;
    const PointerPlace at = place(runtime, operand.data, operand.bytes);
    if (at == PointerPlace::device || at == PointerPlace::shared) continue;
    runtime.say(
        diag::error("library-bad-memory",
                    fmt::format("{} is given {} bytes at {}, which are not all in device memory", function,
                                operand.bytes, operand.data),
                    {}, "a GPU would fault, or read what lies behind: look at sizes and leading dimensions"));
    return cudaErrorIllegalAddress;
  }
  return cudaSuccess;
}

// Which operands a function writes is not said: all of them count as written for --check memory.
void mark_written(Runtime& runtime, const std::vector<Operand>& operands) {
  if (sim::WrittenBytes* written = runtime.memory().written())
    for (const Operand& operand : operands) written->mark(reinterpret_cast<u64>(operand.data), operand.bytes);
}

// Once for each function: what is called thousands of times would fill the report.
void tell(Runtime& runtime, const char* function) {
  diag::Diagnostic told = diag::warning(
      "library-kernel",
      fmt::format("{}: a library's kernel, not counted: its result was computed on the CPU", function));
  if (runtime.said.insert(told.message).second) runtime.say(std::move(told));
}

// A program with one product of 2048x2048 doubles took 8.6 to 9.8 s with Debian's reference BLAS, and 0.3 s with OpenBLAS (0.6 s on one
// core; two cores, 29 November 2026).
void tell_if_slow(Runtime& runtime, std::string_view function, const std::vector<Operand>& operands) {
  constexpr u64 large = u64{48} << 20; // bytes of all operands: square ones take seconds from there on
  u64 bytes = 0;
  for (const Operand& operand : operands) bytes += operand.bytes;
  if (bytes < large || function.find("mm") == function.npos || !is_second_choice(host_blas)) return;
  diag::Diagnostic told = diag::warning(
      "slow-blas",
      fmt::format("'{}' computes products of matrices; '{}' does so in a small part of the time",
                  host_blas.files[1], host_blas.files[0]),
      {}, fmt::format("apt install {}", host_blas.package));
  if (runtime.said.insert(told.message).second) runtime.say(std::move(told));
}

cudaError_t perform_call(Runtime& runtime, const char* function, const std::vector<Operand>& operands,
                         const std::function<cudaError_t()>& body) {
  cudaError_t error = runtime.deferrals.run_all(runtime);
  if (error == cudaSuccess) error = check(runtime, function, operands);
  if (error == cudaSuccess) tell_if_slow(runtime, function, operands);
  if (runtime.budget.is_spent()) runtime.end_early(measure::Stop::at_budget);
  const auto begin = std::chrono::steady_clock::now();
  if (error == cudaSuccess) error = with_room(body);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  runtime.budget.spend(took.count());
  runtime.progress.took(took.count());
  mark_written(runtime, operands);
  if (error == cudaSuccess) tell(runtime, function);
  return error;
}

} // namespace

u64 extent_bytes(u64 steps, u64 step, u64 rest, u64 element) {
  u64 elements = 0, bytes = 0;
  const bool fits = !__builtin_mul_overflow(steps, step, &elements) &&
                    !__builtin_add_overflow(elements, rest, &elements) &&
                    !__builtin_mul_overflow(elements, element, &bytes);
  return fits ? bytes : ~u64{0};
}

cudaError_t library_call(const char* function, cudaStream_t stream, std::vector<Operand> operands,
                         std::function<cudaError_t()> body) {
  const cudaError_t before = last_error();
  cudaError_t error = api_on(
      stream, [&](Runtime& r) { return perform_call(r, function, operands, body); },
      [&](Runtime&) {
        return Made(CallWork{function,
                             [function, operands, body] { return library_work(function, operands, body); }});
      });
  last_error() = before;
  return error;
}

cudaError_t library_work(const char* function, const std::vector<Operand>& operands,
                         const std::function<cudaError_t()>& body) {
  const cudaError_t before = last_error();
  const cudaError_t error = api([&](Runtime& r) { return perform_call(r, function, operands, body); });
  last_error() = before;
  return error;
}

cudaError_t check_operands(const char* function, const std::vector<Operand>& operands) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  cudaError_t error = check(runtime, function, operands);
  if (error == cudaSuccess) mark_written(runtime, operands);
  return error;
}

cudaError_t refuse_content(const char* function, const std::string& what) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.say(diag::error("library-bad-memory", fmt::format("{} is given {}", function, what), {},
                          "a GPU would reach outside of the operands: look at what wrote them"));
  return cudaErrorIllegalAddress;
}

void library_gap(const std::string& function) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.note_unsupported(function);
}

} // namespace warplens::runtime
