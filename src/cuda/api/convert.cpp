#include "api/convert.h"
#include "summary/pattern_text.h"
#include <fmt/format.h>

namespace warplens {

std::string_view name(Label label) { return measure::name(static_cast<measure::Status>(label)); }

namespace api {

Error error_of(const diag::Diagnostic& diagnostic, std::string_view source) {
  return {diagnostic.kind, diagnostic.message, diag::render(diagnostic, source)};
}

Result<const arch::Architecture*> architecture(int sm) {
  if (const arch::Architecture* row = arch::find(static_cast<u32>(sm))) return row;
  return failure(diag::error("unknown-architecture", fmt::format("there are no rules for sm {}", sm), {},
                             "architectures() lists those that there are; 90 is compute capability 9.0"));
}

namespace {

// Without a default: the compiler reports a status that has no label.
constexpr Label label_of(measure::Status status) {
  switch (status) {
  case measure::Status::exact: return Label::exact;
  case measure::Status::proved: return Label::proved;
  case measure::Status::sampled: return Label::sampled;
  case measure::Status::partial: return Label::partial;
  case measure::Status::failed: return Label::failed;
  case measure::Status::unknown: return Label::unknown;
  case measure::Status::refused: return Label::refused;
  }
  return Label::unknown;
}
constexpr bool labels_are_numbered_as_statuses() {
  for (u8 i = 0; i <= static_cast<u8>(measure::Status::refused); ++i)
    if (static_cast<u8>(label_of(static_cast<measure::Status>(i))) != i) return false;
  return true;
}
static_assert(labels_are_numbered_as_statuses(), "name(Label) reads the names of the statuses");

SiteCounts site_of(const measure::SiteRecord& record) {
  SiteCounts out;
  for (const access::SourceFrame& frame : record.site.frames)
    out.frames.push_back({frame.file, frame.line, frame.column});
  out.function = record.site.function;
  out.instruction = record.site.opcode;
  out.ptx_line = record.site.ptx_line;
  out.space = record.space;
  out.kind = record.site.kind;
  out.bytes = record.site.bytes;
  out.pattern = summary::describe(record.pattern, record.site);
  out.counts = record.counters;
  return out;
}

} // namespace

LaunchRecord record_of(const measure::LaunchRecord& launch) {
  LaunchRecord out;
  out.kernel = launch.kernel;
  out.name = launch.name;
  out.module = launch.module;
  out.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  out.block = {launch.block.x, launch.block.y, launch.block.z};
  out.label = label_of(launch.status);
  if (measure::is_part(launch.status)) out.blocks_counted = launch.blocks.ended;
  out.reason = launch.reason;
  out.sm.assign(launch.sm.begin(), launch.sm.end());
  for (const measure::SiteRecord& site : launch.sites) out.sites.push_back(site_of(site));
  for (const diag::Diagnostic& message : launch.diagnostics) out.messages.push_back(diag::render(message));
  out.warp_instructions = launch.warp_instructions;
  return out;
}

} // namespace api
} // namespace warplens
