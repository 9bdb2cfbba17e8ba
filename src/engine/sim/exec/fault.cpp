// Faults and warnings of kernels, in words: kernel, source line, thread, address, nearest allocation.
#include "sim/exec/fault.h"
#include "base/check_kinds.h"
#include "sim/program/program.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {

constexpr static std::size_t most_warnings = 64;

namespace {

Dim3 thread_index(const Exec& x, u32 thread) {
  const Dim3& block = x.shape.block;
  thread %= x.shape.cta_threads;
  return {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)};
}

// The same with where it is: kernel, thread, source line and its callers.
diag::Diagnostic placed(const Exec& x, const Op& op, u32 thread, diag::Diagnostic out) {
  Dim3 t = thread_index(x, thread);
  Dim3 c = x.cta_id(thread);
  std::vector<std::string> where{
      fmt::format("kernel '{}', block ({}, {}, {}), thread ({}, {}, {})",
                  x.launch.options.name.empty() ? x.launch.entry->function->name : x.launch.options.name, c.x,
                  c.y, c.z, t.x, t.y, t.z)};
  OpPlace place = place_of(*x.code, op);
  out.span = place.spans[0];
  out.inlined_at.assign(place.spans.begin() + 1, place.spans.end());
  if (!place.in_source)
    where.push_back(fmt::format("in {} at PTX line {} (compile with -lineinfo to see the source line)",
                                x.code->function->name, out.span.line));
  for (const diag::Span& call : out.inlined_at)
    where.push_back(fmt::format("inlined at {}:{}", call.file, call.line));
  out.notes.insert(out.notes.begin(), where.begin(), where.end());
  return out;
}

} // namespace

void raise(Exec& x, const Op& op, FaultKind kind, std::string name, std::string message, u32 thread,
           u64 address, std::vector<std::string> notes, std::string help) {
  FaultError error;
  error.fault.kind = kind;
  error.fault.cta = x.cta_id(thread);
  error.fault.thread = thread_index(x, thread);
  error.fault.address = address;
  error.fault.diagnostic = placed(
      x, op, thread,
      {std::move(name), diag::Severity::error, std::move(message), {}, std::move(notes), std::move(help)});
  throw error;
}

void warn(Exec& x, const Op& op, std::string kind, std::string message, u32 thread,
          std::vector<std::string> notes, std::string help, diag::Severity severity) {
  if (severity == diag::Severity::warning && diag::check_of(kind) != diag::Check::none)
    severity = diag::Severity::error; // what --check looks for is a mistake, whether a GPU notices or not
  if (op.site.valid() && !x.warned.emplace(op.site.value, kind).second) return;
  diag::Diagnostic warning = placed(
      x, op, thread, {std::move(kind), severity, std::move(message), {}, std::move(notes), std::move(help)});
  std::lock_guard lock(x.launch.mutex);
  bool known =
      std::any_of(x.launch.warnings.begin(), x.launch.warnings.end(), [&](const diag::Diagnostic& w) {
        return w.kind == warning.kind && w.span == warning.span;
      });
  if (!known && x.launch.warnings.size() < most_warnings) x.launch.warnings.push_back(std::move(warning));
}

} // namespace warplens::sim
