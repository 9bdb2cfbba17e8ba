// find_kernel(): picks the instruction set once, turns a form into a request, and checks the answer against
// the operands of the instruction at hand.
#include "sim/kernels/request.h"
#include <cstdlib>

namespace warplens::sim {
namespace {

struct Target {
  std::string_view name;
  FindKernel find;
  const LaneMemory& (*lane_memory)();
  const LaneExchange& (*lane_exchange)();
  const LaneParts& (*lane_parts)();
};
constexpr Target baseline_target{"x86-64", &baseline::find, &baseline::lane_memory, &baseline::lane_exchange,
                                 &baseline::lane_parts},
    avx2_target{"avx2", &avx2::find, &avx2::lane_memory, &avx2::lane_exchange, &avx2::lane_parts},
    avx512_target{"avx512", &avx512::find, &avx512::lane_memory, &avx512::lane_exchange, &avx512::lane_parts};

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

const Target& choose_target() {
  const char* wanted = std::getenv("WARPLENS_TARGET"); // a target that the processor lacks is not honoured
  std::string_view name = wanted ? wanted : "avx512";
  if (name == avx512_target.name && has_avx512()) return avx512_target;
  if (name != baseline_target.name && has_avx2()) return avx2_target;
  return baseline_target;
}
const Target& target() {
  static const Target& chosen = choose_target();
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
  if (!kernel) kernel = baseline::find_video(request);
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
std::string_view selected_target() { return target().name; }

} // namespace warplens::sim
