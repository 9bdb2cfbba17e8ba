// The tables of the target in use (base/cpu.h), and find_kernel(): turns a form into a request, and checks the answer
// against the operands of the instruction at hand.
#include "base/cpu.h"
#include "sim/kernels/lane_operations.h"
#include "sim/kernels/matrices.h"
#include "sim/kernels/request.h"

namespace warplens::sim {
namespace {

struct Tables {
  FindKernel find;
  const LaneMemory& (*lane_memory)();
  const LaneExchange& (*lane_exchange)();
  const LaneParts& (*lane_parts)();
  const lanes::Operations& (*lane_operations)();
  Multiply (*find_multiply)(const MatrixKind&);
};
constexpr Tables baseline_tables{&baseline::find,       &baseline::lane_memory,     &baseline::lane_exchange,
                                 &baseline::lane_parts, &baseline::lane_operations, &baseline::find_multiply},
    avx2_tables{&avx2::find,       &avx2::lane_memory,     &avx2::lane_exchange,
                &avx2::lane_parts, &avx2::lane_operations, &avx2::find_multiply},
    avx512_tables{&avx512::find,       &avx512::lane_memory,     &avx512::lane_exchange,
                  &avx512::lane_parts, &avx512::lane_operations, &avx512::find_multiply};

const Tables& tables_in_use() {
  switch (cpu::target()) {
  case cpu::Target::avx512: return avx512_tables;
  case cpu::Target::avx2: return avx2_tables;
  default: return baseline_tables;
  }
}
const Tables& target() {
  static const Tables& chosen = tables_in_use();
  return chosen;
}

Request make_request(const ir::Form& form, u32 destinations, u32 sources) {
  Request request{};
  request.opcode = form.opcode;
  for (u32 i = 0; i < form.type_count; ++i) request.type[i] = form.types[i];
  request.rounding = form.rounding();
  request.comparison = form.comparison();
  request.bool_op = form.bool_op();
  request.destinations = static_cast<u8>(destinations);
  request.sources = static_cast<u8>(sources);
  for (u32 i = 0; i < static_cast<u32>(ir::Modifier::count_); ++i)
    if (form.modifiers.has(static_cast<ir::Modifier>(i))) request.modifiers[i / 64] |= u64{1} << (i % 64);
  return request;
}

} // namespace

std::optional<Kernel> find_kernel_of(FindKernel find, const ir::Form& form, u32 destinations, u32 sources) {
  if (form.family() != ir::Family::compute) return std::nullopt;
  Request request = make_request(form, destinations, sources);
  const Kernel* kernel = find(request);
  if (!kernel || kernel->destinations != destinations || kernel->sources != sources) return std::nullopt;
  Kernel found = *kernel;
  found.variant = make_variant(request);
  return found;
}
std::optional<Kernel> find_kernel(const ir::Form& form, u32 destinations, u32 sources) {
  return find_kernel_of(target().find, form, destinations, sources);
}
const LaneMemory& lane_memory() {
  static const LaneMemory& chosen = target().lane_memory();
  return chosen;
}
const LaneExchange& lane_exchange() {
  static const LaneExchange& chosen = target().lane_exchange();
  return chosen;
}
const LaneParts& lane_parts() {
  static const LaneParts& chosen = target().lane_parts();
  return chosen;
}
Multiply find_multiply(const MatrixKind& kind) { return target().find_multiply(kind); }
const lanes::Operations& lanes::chosen = target().lane_operations();

} // namespace warplens::sim
