// What a GPU would complain about, in the order in which it would: alignment to the whole access, then place. Global
// addresses are compared with the allocation that the site hit last; what lies outside every allocation but inside a
// mapped page, or behind a block's shared memory but inside its last unit of allocation, is reported and tolerated, as GPUs do.
//
// An access of affine form has been found to be in order when it was resolved. Of the others the extremes are looked
// at first, and single lanes only where these say that there is something to find.
#include "sim/ops/check.h"
#include "sim/exec/fault.h"
#include "sim/ops/access.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::StateSpace;

// Parameters have no sites: they are not counted; and what an asynchronous copy writes is counted with what it reads.
std::string_view kind_name(const Exec& x, const Op& op) {
  if (op.site.valid()) return access::name(x.code->module->sites[op.site.value].kind);
  return op.kind() == OpKind::store ? "store" : "load";
}

template <class F> void each_lane(const Exec& x, const AccessView& a, F&& f) {
  for (u32 w = 0; w < x.shape.warps; ++w)
    for_each_lane(a.mask->word[w],
                  [&](u32 lane) { f(w * warp_size + lane, a.address[w * warp_size + lane]); });
}

// What is known of an address, and of the pointer that led there.
std::vector<std::string> with_pointer(const Exec& x, const Op& op, u64 at, std::vector<std::string> notes) {
  if (std::string pointer = describe_pointer(x, op, at); !pointer.empty())
    notes.insert(notes.begin(), std::move(pointer));
  return notes;
}

std::string bytes_text(u32 bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

// What Triton compiles takes for granted what was true of the arguments then. (Names of numba's kernels have a mark.)
std::string help_for_alignment(const Exec& x, const Op& op) {
  const bool is_triton = place_of(*x.code, op).spans.back().file.ends_with(".py") &&
                         x.code->function->name.find("cudapy") == std::string::npos;
  return is_triton ? "pass sizes and strides divisible by 16, for which this was compiled; for others Triton "
                     "compiles "
                     "another variant"
                   : "align the pointer, or access smaller elements";
}

void check_alignment(Exec& x, const Op& op, const AccessView& a) {
  each_lane(x, a, [&](u32 thread, u64 at) {
    if (at & (a.bytes - 1))
      raise(x, op, FaultKind::misaligned_address, "kernel-misaligned-address",
            fmt::format("{} of {} at {:#x}, which is not a multiple of {}", kind_name(x, op),
                        bytes_text(a.bytes), at, a.bytes),
            thread, at, with_pointer(x, op, at, {}), help_for_alignment(x, op));
  });
}

constexpr std::string_view check_the_index = "check the index against the size that was allocated";

// A page at address 0 is never mapped, so that pointers to nothing are found out.
std::string help_for(const Exec& x, const Op& op, u64 at) {
  if (is_host_memory(x, at))
    return "allocate it on the device with cudaMalloc, and copy it there with cudaMemcpy";
  const std::optional<PointerParameter> pointer = pointer_of(x, op);
  if (pointer && !pointer->target && pointer->value != 0)
    return fmt::format(
        "parameter {} is {:#x}, where no device memory is: pass what cudaMalloc gave, before it is "
        "freed (for a kernel's file, --arg 'f32[1024]' gives memory)",
        pointer->parameter, pointer->value);
  if (at < 4096)
    return "the pointer is null: allocate what it should point to, and look at what cudaMalloc returned";
  return std::string(check_the_index);
}

// A GPU may not notice. Who asks for memory's mistakes wants to know of each.
diag::Severity tolerated(const Exec& x) {
  return x.launch.options.checks.memory ? diag::Severity::error : diag::Severity::warning;
}

// Memory of another device, to which it has no access.
void check_peer(Exec& x, const Op& op, u32 bytes, u32 thread, u64 at) {
  const Memory& memory = *x.launch.device.memory;
  const std::optional<Allocation> there = memory.find(at);
  if (!there || memory.is_visible_to(memory.in_use(), at)) return;
  raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
        fmt::format("{} of {} at {:#x} is in memory of device {}, which device {} may not access",
                    kind_name(x, op), bytes_text(bytes), at, there->device, memory.in_use()),
        thread, at, with_pointer(x, op, at, {describe_address(x, at)}),
        fmt::format("call cudaDeviceEnablePeerAccess({}, 0) on device {} first, or copy with cudaMemcpyPeer",
                    there->device, memory.in_use()));
}

// What --check memory knows of an address outside all allocations: that it was in one.
bool was_freed(Exec& x, const Op& op, u32 bytes, u32 thread, u64 at) {
  const Memory& memory = *x.launch.device.memory;
  if (!memory.freed(at)) return false;
  std::string message =
      fmt::format("{} of {} at {:#x} is in memory that was freed", kind_name(x, op), bytes_text(bytes), at);
  const std::string help = "free it after the last kernel that uses it has ended";
  if (!memory.mapped(at, bytes) || x.launch.options.strict_memory)
    raise(x, op, FaultKind::illegal_address, "memory-use-after-free", std::move(message), thread, at,
          {describe_address(x, at)}, help);
  warn(x, op, "memory-use-after-free", std::move(message), thread, {describe_address(x, at)}, help);
  return true;
}

// Lanes that are not all inside one allocation.
void check_device_memory(Exec& x, const Op& op, const AccessView& a) {
  each_lane(x, a, [&](u32 thread, u64 at) { check_device_lane(x, op, a.bytes, thread, at); });
}

// Shared memory, local memory, parameters.
void check_window(Exec& x, const Op& op, const AccessView& a, u64 size) {
  std::string_view name = a.space == StateSpace::local ? "local" : "parameter";
  const bool shared = a.space == StateSpace::shared;
  const std::string help =
      shared ? "check the index, and the dynamic shared size in the launch <<<…>>> "
               "(--shared BYTES for a .ptx file)"
      : a.space == StateSpace::local
          ? "check the index, and how deep calls nest: cudaDeviceSetLimit(cudaLimitStackSize, …) gives "
            "each thread more local memory"
          : "check the index";
  each_lane(x, a, [&](u32 thread, u64 at) {
    if (Memory::Range{0, size}.covers(at, a.bytes)) return;
    std::string message = fmt::format(
        "{} of {} {}", kind_name(x, op), bytes_text(a.bytes),
        shared ? outside_shared(x, at)
               : fmt::format("at offset {:#x} is outside the {} bytes of {} memory", at, size, name));
    // Measured on an H200: loads and stores up to the next multiple of 128 bytes come to pass, the next one is a fault.
    const bool granted = shared && Memory::Range{0, x.launch.shared_granted}.covers(at, a.bytes);
    if (!granted || x.launch.options.strict_memory)
      raise(x, op, FaultKind::illegal_address, "kernel-illegal-address", std::move(message), thread, at, {},
            help);
    warn(x, op, "kernel-out-of-bounds",
         fmt::format("{}, inside the {} that the block is given: a GPU does not notice", message,
                     offset_in_shared(x, x.launch.shared_granted)),
         thread, {}, help, tolerated(x));
  });
}

} // namespace

void check_device_lane(Exec& x, const Op& op, u32 bytes, u32 thread, u64 at) {
  const Memory& memory = *x.launch.device.memory;
  if (memory.range(at).covers(at, bytes) || was_freed(x, op, bytes, thread, at)) return;
  check_peer(x, op, bytes, thread, at);
  if (!memory.mapped(at, bytes))
    raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
          fmt::format("{} of {} at {:#x} is outside all device memory", kind_name(x, op), bytes_text(bytes),
                      at),
          thread, at, with_pointer(x, op, at, {describe_address(x, at)}), help_for(x, op, at));
  if (x.launch.options.strict_memory)
    raise(x, op, FaultKind::illegal_address, "kernel-out-of-bounds",
          fmt::format("{} of {} at {:#x} is outside its allocation", kind_name(x, op), bytes_text(bytes), at),
          thread, at, with_pointer(x, op, at, {describe_address(x, at)}), std::string(check_the_index));
  warn(x, op, "kernel-out-of-bounds",
       fmt::format("{} of {} at {:#x} is outside its allocation, inside a mapped page: a GPU may not notice",
                   kind_name(x, op), bytes_text(bytes), at),
       thread, with_pointer(x, op, at, {describe_address(x, at)}), std::string(check_the_index),
       tolerated(x));
}

void check_lanes(Exec& x, const Op& op, const AccessView& a) {
  if (a.lowest > a.highest) return; // no lane
  if (a.bits & (a.bytes - 1)) check_alignment(x, op, a);
  if (a.space == StateSpace::global || a.space == StateSpace::constant) {
    if (!in_known_range(x, op, a.lowest, a.highest, a.bytes)) check_device_memory(x, op, a);
  } else if (u64 size = space_size(x, a.space);
             !Memory::Range{0, size}.covers(a.lowest, a.highest, a.bytes)) {
    check_window(x, op, a, size);
  }
}

} // namespace warplens::sim
