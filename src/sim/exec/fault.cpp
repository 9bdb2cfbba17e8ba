// Faults and warnings of kernels, in words: kernel, source line, thread, address, nearest allocation.
#include "sim/exec/exec.h"
#include "sim/program.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {

constexpr static std::size_t most_warnings = 64;

diag::Span place_of(const Code& code, const Op& op, std::vector<std::string>& notes) {
  const ir::Instruction& instruction = code.function->instructions[op.instruction];
  std::vector<access::SourceFrame> frames = code.module->frames(instruction.location);
  if (frames.empty()) {
    notes.push_back(fmt::format("in {} at PTX line {} (compile with -lineinfo to see the source line)",
                                code.function->name, instruction.ptx_line));
    return {code.module->name, instruction.ptx_line, 0, 0};
  }
  for (std::size_t i = 1; i < frames.size(); ++i)
    notes.push_back(fmt::format("inlined at {}:{}", frames[i].file, frames[i].line));
  return {frames[0].file, frames[0].line, frames[0].column, 0};
}

namespace {

Dim3 thread_index(const Exec& x, u32 thread) {
  const Dim3& block = x.shape.block;
  thread %= x.shape.cta_threads;
  return {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)};
}

diag::Diagnostic build(const Exec& x, const Op& op, diag::Severity severity, std::string kind,
                       std::string message, u32 thread, std::vector<std::string> notes, std::string help) {
  diag::Diagnostic out;
  out.kind = std::move(kind);
  out.severity = severity;
  Dim3 t = thread_index(x, thread);
  Dim3 c = x.cta_id(thread);
  std::vector<std::string> where{fmt::format("kernel '{}', block ({}, {}, {}), thread ({}, {}, {})",
                                             x.launch.entry->function->name, c.x, c.y, c.z, t.x, t.y, t.z)};
  out.span = place_of(*x.code, op, where);
  out.message = std::move(message);
  where.insert(where.end(), notes.begin(), notes.end());
  out.notes = std::move(where);
  out.help = std::move(help);
  return out;
}

} // namespace

u32 first_thread(const Mask& mask) {
  for (u32 w = 0; w < mask.word.size(); ++w)
    if (mask.word[w] != 0) return w * warp_size + static_cast<u32>(std::countr_zero(mask.word[w]));
  return 0;
}

void raise(Exec& x, const Op& op, FaultKind kind, std::string name, std::string message, u32 thread,
           u64 address, std::vector<std::string> notes, std::string help) {
  FaultError error;
  error.fault.kind = kind;
  error.fault.cta = x.cta_id(thread);
  error.fault.thread = thread_index(x, thread);
  error.fault.address = address;
  error.fault.diagnostic = build(x, op, diag::Severity::error, std::move(name), std::move(message), thread,
                                 std::move(notes), std::move(help));
  throw error;
}

void warn(Exec& x, const Op& op, std::string kind, std::string message, u32 thread,
          std::vector<std::string> notes, std::string help, diag::Severity severity) {
  if (op.site.valid() && !x.warned.emplace(op.site.value, kind).second) return;
  diag::Diagnostic warning =
      build(x, op, severity, std::move(kind), std::move(message), thread, std::move(notes), std::move(help));
  std::lock_guard lock(x.launch.mutex);
  bool known =
      std::any_of(x.launch.warnings.begin(), x.launch.warnings.end(), [&](const diag::Diagnostic& w) {
        return w.kind == warning.kind && w.span == warning.span;
      });
  if (!known && x.launch.warnings.size() < most_warnings) x.launch.warnings.push_back(std::move(warning));
}

static std::string name_of(const Allocation& allocation) {
  std::string out = allocation.name.empty() ? fmt::format("allocation {}", allocation.serial)
                                            : fmt::format("'{}'", allocation.name);
  out += fmt::format(" ({} bytes at {:#x}", allocation.size, allocation.address);
  return out + (allocation.made.empty() ? ")" : fmt::format(", allocated at {})", allocation.made));
}

std::string describe_address(const Exec& x, u64 address) {
  const Memory& memory = *x.launch.device.memory;
  if (!memory.find(address))
    if (std::optional<Allocation> freed = memory.freed(address))
      return fmt::format("{} bytes into {}, which was freed", address - freed->address, name_of(*freed));
  std::optional<Allocation> nearest = memory.nearest(address);
  if (!nearest) return "nothing is allocated on the device";
  u64 end = nearest->address + nearest->size;
  if (address < nearest->address)
    return fmt::format("{} bytes before {}", nearest->address - address, name_of(*nearest));
  if (address >= end) return fmt::format("{} bytes past the end of {}", address - end, name_of(*nearest));
  return fmt::format("{} bytes before the end of {}", end - address, name_of(*nearest));
}

} // namespace warplens::sim
