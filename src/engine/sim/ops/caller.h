// A call of a function that the kernel does not define, as what stands in for it sees it: the arguments and results of each
// thread, which travel through .param variables, and the memory that pointers among them lead to.
#pragma once
#include "sim/exec/exec.h"
#include "sim/exec/fault.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {

// Strings of kernels end somewhere; what is longer than the buffer of device printf is no string.
inline constexpr u64 longest_text = u64{1} << 20;

struct Caller {
  Exec& x;
  const Op& op;
  const CallSite& site;

  std::byte* parameter(ir::VariableId variable, u32 thread) const {
    return x.frame->parameters.data() + u64{thread} * x.code->parameter_bytes +
           x.code->parameter_offset[variable.value];
  }
  u64 argument(u32 index, u32 thread) const {
    if (index >= site.argument_variables.size()) return 0;
    ir::VariableId v = site.argument_variables[index];
    u64 value = 0;
    std::memcpy(&value, parameter(v, thread), std::min<u64>(8, x.code->module->variables[v.value].size));
    return value;
  }
  void result(u32 thread, u64 value) const {
    if (site.result_variables.empty()) return;
    ir::VariableId v = site.result_variables[0];
    std::memcpy(parameter(v, thread), &value, std::min<u64>(8, x.code->module->variables[v.value].size));
  }
  template <class F> void each_thread(F&& f) const {
    Mask lanes = *x.mask;
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(lanes.word[w], [&](u32 lane) { f(w * warp_size + lane); });
  }
  // A generic pointer of one thread as a host pointer to `bytes` readable bytes; faults when it is none.
  std::byte* pointer(u64 address, u64 bytes, u32 thread) const {
    const Memory& memory = *x.launch.device.memory;
    const u64 own =
        x.launch.ranks_in_addresses ? window_of_rank(x, x.cta->cluster_rank) : memory.shared_window();
    u64 shared = address - own, local = address - memory.local_window();
    if (shared < Memory::window_size && shared + bytes <= x.shared_bytes())
      return x.cta->shared.data() + x.cta_of(thread) * x.launch.shared_stride + shared;
    if (local < Memory::window_size && local + bytes <= x.launch.local_bytes)
      return x.cta->local.get() + thread * x.launch.local_bytes + local;
    if (!memory.mapped(address, bytes))
      raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
            fmt::format("a library call reads {} bytes at {:#x}, outside all device memory", bytes, address),
            thread, address, {describe_address(x, address)});
    return reinterpret_cast<std::byte*>(address);
  }
  std::string text(u64 address, u32 thread) const {
    std::string out;
    while (out.size() < longest_text) {
      u64 at = address + out.size(),
          known = 1; // bytes that may be read: up to the allocation's end, where it is one
      const char* begin = reinterpret_cast<const char*>(pointer(at, 1, thread));
      if (Memory::Range range = x.launch.device.memory->range(at); range.covers(at, 1))
        known = range.end - at;
      std::string_view piece(begin, std::min(known, longest_text - out.size()));
      std::size_t end = piece.find('\0');
      out += piece.substr(0, end);
      if (end != piece.npos) break;
    }
    return out;
  }
};

} // namespace warplens::sim
