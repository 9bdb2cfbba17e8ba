#include "summary/kernel_occupancy.h"
#include "base/bits.h"
#include "text/words.h"
#include <fmt/format.h>

namespace warplens::summary {

std::optional<Occupancy> occupancy_of(const Kernel& kernel) {
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  if (row == nullptr || kernel.registers == 0 || kernel.measured) return {};
  const u32 threads = static_cast<u32>(kernel.block.count());
  const arch::Occupancy fits = arch::occupancy(row->limits, {threads, kernel.registers, kernel.shared_bytes});
  Occupancy out{kernel.registers,
                fits.blocks(),
                fits.blocks() * ceil_div(threads, warp_size),
                row->limits.threads_per_sm / warp_size,
                {}};
  if (out.blocks == 0) return {};
  const std::pair<u64 arch::Occupancy::*, std::string_view> resources[] = {
      {&arch::Occupancy::by_threads, "threads"},
      {&arch::Occupancy::by_blocks, "blocks"},
      {&arch::Occupancy::by_registers, "registers"},
      {&arch::Occupancy::by_shared, "shared memory"}};
  for (const auto& [resource, name] : resources)
    if (fits.limited_by(resource)) out.limits.push_back(name);
  if (out.limits.size() != 1) return out;
  if (fits.limited_by(&arch::Occupancy::by_registers))
    out.next_registers = arch::registers_for(row->limits, threads, out.blocks + 1);
  if (fits.limited_by(&arch::Occupancy::by_shared))
    out.next_shared = arch::shared_for(row->limits, out.blocks + 1);
  return out;
}

std::string in_words(const Occupancy& fits, const Kernel& kernel) {
  std::string limits;
  for (std::size_t i = 0; i < fits.limits.size(); ++i)
    limits += fmt::format("{}{}", i == 0 ? "" : i + 1 == fits.limits.size() ? " and " : ", ", fits.limits[i]);
  std::string out = fmt::format(
      "{} registers per thread: an SM holds {} of {} threads ({} of {} warps), limited by {}", fits.registers,
      text::human(fits.blocks, "block"), kernel.block.count(), fits.warps, fits.most_warps, limits);
  if (fits.next_registers != 0)
    out += fmt::format("; {} registers would let {} in", fits.next_registers, fits.blocks + 1);
  if (fits.next_shared != 0)
    out += fmt::format("; {} bytes of it per block would let {} in", fits.next_shared, fits.blocks + 1);
  return out;
}

} // namespace warplens::summary
