// Which kernel counts like a row's rule, which the rule itself says (arch/table.h), and the detour of the warps that
// the kernel leaves over.
//
// Local memory goes the same way: its interleaving is a change of addresses, after which every 4-byte word of
// the element is one request to global memory.
#include "arch/forms/batch.h"
#include "arch/rules/requests.h"
#include "arch/table.h"
#include <optional>

namespace warplens::arch {
namespace {

using access::Kind;
using access::LaneBatch;
using access::Space;

Warps warps_from(const LaneBatch& batch, u32 first) {
  return {batch.active.data() + first, batch.address + std::size_t{first} * warp_size,
          static_cast<u32>(batch.active.size()) - first, static_cast<u32>(std::countr_zero(batch.bytes))};
}

// Calls `put(Warps, Counts&)` until every warp is counted or waits; what it leaves over goes to the rule, after those
// that wait where the order matters.
template <class Put, class Flush>
void count_all(const Architecture& arch, const LaneBatch& batch, const Rule& rule, Counts& sum,
               WarpCost*& costs, Put&& put, Flush&& flush) {
  u32 count = static_cast<u32>(batch.active.size());
  for (u32 first = 0; first < count; ++first) {
    first += put(warps_from(batch, first), sum);
    if (first == count) return;
    Counts one;
    one.instructions = 1;
    one.threads = static_cast<u32>(std::popcount(batch.active[first]));
    rule.count(arch, warp_of(batch, first), one);
    if (counts_stages(arch, batch)) arch.stages.rule->count(arch, warp_of(batch, first), one);
    sum += one;
    if (costs == nullptr) continue;
    flush();
    *costs++ = cost_of(one, batch.space);
  }
}

bool counts_like(const Rule& rule, BatchKernel kernel, u32 bytes) {
  return rule.kernel == kernel && bytes <= rule.widest;
}

Granularity granularity_of(const Architecture& arch, const LaneBatch& batch) {
  return transfers_lines(arch, batch) ? Granularity{true, arch.memory.l1_line}
                                      : Granularity{false, arch.memory.sector};
}

void count_global(const Kernels& kernels, const Architecture& arch, const LaneBatch& batch,
                  PendingBlocks& pending, Counts& sum, WarpCost*& costs) {
  Granularity granularity = granularity_of(arch, batch);
  u32 shift = static_cast<u32>(std::countr_zero(batch.bytes));
  bool stages = counts_stages(arch, batch);
  auto flush = [&] {
    pending.costs = costs;
    kernels.count_blocks(pending, sum);
    costs = pending.costs;
  };
  if (pending.shift != shift || pending.granularity != granularity || pending.stages != stages ||
      pending.kind != batch.kind) {
    flush();
    pending.shift = shift, pending.granularity = granularity, pending.stages = stages;
    pending.kind = batch.kind;
  }
  auto put = [&](const Warps& warps, Counts& out) {
    pending.costs = costs;
    u32 passed = kernels.put_blocks(warps, pending, out);
    costs = pending.costs;
    return passed;
  };
  count_all(arch, batch, *arch.global.rule, sum, costs, put, flush);
  if (costs != nullptr && pending.count == block_columns) flush();
}

// The 4-byte word `part` of each lane's element, or the narrower element, at its place in device memory.
u64 interleaved(u64 offset, u64 lane) { return (((offset >> 2) * warp_size + lane) << 2) + (offset & 3); }

// Elements of `parts` words whose lanes may be far apart or misaligned: each word as a request.
void count_far_local(const Kernels& kernels, const Architecture& arch, const LaneBatch& batch, u32 parts,
                     Counts& sum, WarpCost*& costs) {
  constexpr std::size_t most = 32;
  std::array<u64, most * warp_size> address;
  std::array<WarpCost, most> of_part;
  PendingBlocks pending;
  Counts all;
  for (std::size_t first = 0; first < batch.active.size(); first += most) {
    LaneBatch words = batch;
    words.active = batch.active.subspan(first, std::min(most, batch.active.size() - first));
    words.address = address.data();
    for (u32 part = 0; part < parts; ++part) {
      for (std::size_t i = 0; i < words.active.size() * warp_size; ++i)
        address[i] = interleaved(batch.address[first * warp_size + i] + 4 * part, i % warp_size);
      WarpCost* end = costs == nullptr ? nullptr : of_part.data();
      count_global(kernels, arch, words, pending, all, end);
      if (costs == nullptr) continue;
      pending.costs = end;
      kernels.count_blocks(pending, all);
      for (std::size_t i = 0; of_part.data() + i != pending.costs; ++i)
        costs[i] = {of_part[i].lanes, static_cast<u16>(of_part[i].cost + (part == 0 ? 0 : costs[i].cost))};
      if (part + 1 == parts) costs += pending.costs - of_part.data();
    }
  }
  kernels.count_blocks(pending, all);
  all.instructions /= parts; // each word's requests came with the same warps and lanes
  all.threads /= parts;
  sum += all;
}

void count_local(const Kernels& kernels, const Architecture& arch, const LaneBatch& batch, Counts& sum,
                 WarpCost*& costs) {
  u32 parts = batch.bytes <= 4 ? 1 : batch.bytes / 4;
  LaneBatch words = batch;
  words.bytes = std::min<u8>(batch.bytes, 4);
  Counts near; // its parts count alike
  Warps warps = warps_from(words, 0);
  Granularity granularity = granularity_of(arch, batch);
  warps.costs = costs;
  warps.costs_are_lines = granularity.lines;
  u32 passed = kernels.local(warps, near);
  if (costs != nullptr)
    for (WarpCost* end = costs + near.instructions; costs != end; ++costs)
      costs->cost = static_cast<u16>(costs->cost * parts);
  if (passed < batch.active.size()) {
    words.active = batch.active.subspan(passed);
    words.address = batch.address + std::size_t{passed} * warp_size;
    count_far_local(kernels, arch, words, parts, sum, costs);
  }
  sum.instructions += near.instructions;
  sum.threads += near.threads;
  sum.requests += near.requests * parts;
  sum.tags += near.tags * parts;
  sum.sectors += near.sectors * parts;
  sum.ideal_sectors += near.ideal_sectors * parts;
  sum.bytes_used += near.bytes_used * parts;
  u64 moved = (granularity.lines ? near.tags : near.sectors) * parts;
  sum.transactions += moved;
  sum.transaction_bytes += moved * granularity.bytes;
}

// How shared memory's rule treats lanes that meet in a bank; nothing when no kernel counts like it.
std::optional<Sharing> sharing_of(const Architecture& arch, const LaneBatch& batch) {
  const Rule& rule = *arch.shared.rule;
  bool pairs = counts_like(rule, BatchKernel::banks_with_pairs, batch.bytes);
  if (!pairs && !counts_like(rule, BatchKernel::banks, batch.bytes)) return {};
  if (is_atomic(batch.kind))
    return batch.bytes <= 4 && batch.atomic == access::AtomicForm::plain ? std::optional(Sharing::each_lane)
                                                                         : std::nullopt;
  return pairs && batch.kind == Kind::load && batch.bytes == 8 ? Sharing::shared_in_pairs : Sharing::shared;
}

void count_words(const Kernels& kernels, const Architecture& arch, const LaneBatch& batch, const Rule& rule,
                 Sharing sharing, PendingWords& pending, Counts& sum, WarpCost*& costs) {
  auto flush = [&] {
    pending.costs = costs;
    kernels.count_words(pending, sum);
    costs = pending.costs;
  };
  auto put = [&](const Warps& warps, Counts& out) {
    pending.costs = costs;
    u32 passed = kernels.put_words(warps, sharing, pending, out);
    costs = pending.costs;
    return passed;
  };
  count_all(arch, batch, rule, sum, costs, put, flush);
  if (costs != nullptr && pending.count == columns) flush();
}

template <class T> T& made(std::unique_ptr<T>& pointer) {
  if (pointer == nullptr) pointer = std::make_unique<T>();
  return *pointer;
}

} // namespace

bool count_batch(const Architecture& arch, const LaneBatch& batch, std::unique_ptr<Pending>& pending,
                 Counts& sum, WarpCost*& costs) {
  const Kernels& kernels = arch::kernels();
  if (batch.bytes > 32 || !std::has_single_bit(batch.bytes)) return false;
  if (batch.kind == Kind::async_copy || batch.kind == Kind::ldmatrix || batch.matrices != 0) return false;
  switch (batch.space) {
  case Space::global:
    if (!counts_like(*arch.global.rule, BatchKernel::requests, batch.bytes)) return false;
    count_global(kernels, arch, batch, made(made(pending).blocks), sum, costs);
    return true;
  case Space::local:
    if (!counts_like(*arch.local.rule, BatchKernel::interleaved, batch.bytes)) return false;
    if (!counts_like(*arch.global.rule, BatchKernel::requests, std::min<u32>(batch.bytes, 4))) return false;
    count_local(kernels, arch, batch, sum, costs);
    return true;
  case Space::shared: {
    std::optional<Sharing> sharing = sharing_of(arch, batch);
    if (!sharing) return false;
    count_words(kernels, arch, batch, *arch.shared.rule, *sharing, made(made(pending).words), sum, costs);
    return true;
  }
  case Space::constant:
    if (!counts_like(*arch.constant.rule, BatchKernel::words, batch.bytes)) return false;
    count_words(kernels, arch, batch, *arch.constant.rule, Sharing::no_banks, made(made(pending).words), sum,
                costs);
    return true;
  default: return false;
  }
}

void count_pending(Pending& pending, Counts& sum, WarpCost* costs) {
  const Kernels& kernels = arch::kernels();
  if (pending.words != nullptr) {
    pending.words->costs = costs;
    kernels.count_words(*pending.words, sum);
    costs = pending.words->costs;
  }
  if (pending.blocks != nullptr) {
    pending.blocks->costs = costs;
    kernels.count_blocks(*pending.blocks, sum);
  }
}

} // namespace warplens::arch
