// What to change about one memory site, and what the change would be worth: a list of plain values that
// report/ renders. Each is cause → change → predicted counts, and the prediction is never a guess: the
// change is made to the lanes of every class of warps, and counted by the same rules as the measured ones
// (arch/count.h). Without classes (reports of earlier versions) there is no advice.
#pragma once
#include "advise/launch.h"
#include "arch/count.h"
#include "findings/rule.h"
#include "measure/record.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::advise {

// How sure the advice is. `certain`: follows from the measured lanes alone. `likely`: assumes something about
// the program that the lanes suggest (that a stride is a structure's size). `possible`: worth trying; the
// gain is a bound.
enum class Confidence : u8 { possible, likely, certain };
std::string_view name(Confidence);

// The count that the advice lowers.
enum class Metric : u8 { instructions, requests, sectors, transactions, wavefronts, threads };
std::string_view name(Metric);
u64 value(Metric, const arch::Counts&);

// What kind of change it is. Accesses of one rule whose changes are of different kinds have different causes.
enum class Way : u8 {
  other,
  layout,        // elements of neighbours side by side
  turns,         // threads that take turns
  index_order,   // another index for threadIdx.x
  row_per_warp,  // a row for a warp instead of a thread
  tile,          // by way of shared memory
  own_arrays,    // one array of those that threads have to themselves
  sorted_reads,  // another order of what is read
  sorted_writes, // another order of what is written
};

struct Advice {
  findings::Rule rule{};
  std::string title;   // one line: "neighbouring threads are 12 bytes apart"
  std::string cause;   // why it costs: one sentence
  std::string change;  // what to do, in CUDA terms: one sentence; empty where all is well
  std::string example; // code, may be empty
  Metric metric = Metric::sectors;
  arch::Counts before, after; // whole launch, before as measured, after as counted for the changed access
  Confidence confidence = Confidence::likely;
  Way way = Way::other;
  bool tells_stride = false; // its title is how far apart neighbouring threads are, and no more
  // The change spares accesses: a tile, a register, one lane for many. Any other leaves lanes with the bytes that they ask for, so
  // that it gains no more than is wasted now (`before`).
  bool asks_for_less = false;
  u64 lost_beside = 0; // its share of what other accesses take more: sectors; in shared memory wavefronts
  // Atomics whose lanes meet at a word wait in L2, or in a loop: what the change saves, in cycles of all SMs
  // (arch/waits.h), at the word that has most updates. Where that is not known, or a bound (measure::Distribution), all warps are
  // taken to meet. No stage of an SM shows it.
  u64 wait_cycles = 0;
  // The lanes of the class that costs most beyond need, as the change leaves them: what `after` was counted from. None
  // where the change is not one of lanes.
  std::optional<access::WarpAccess> lanes{};
  // The assembler makes the change by itself, so that hardware has `value(metric, …)` of these, not of `before`.
  std::optional<arch::Counts> by_itself{};

  // How many times fewer `metric`; 1 where nothing changes (a note: all is well), all of them where none is
  // left.
  double gain() const;
};

struct Context {
  const arch::Architecture* architecture = nullptr; // whose rules
  std::size_t column = 0;                           // its index in LaunchRecord::sm and SiteRecord::counters
  const Launch* launch = nullptr;                   // may be null: its shape, local arrays and other accesses
};

// The advice for one site: what lowers more than instructions first, of these the largest gain, notes (gain 1) last; empty
// where the site never ran or nothing is to be said. Cheap: a handful of warp accesses is counted per site.
std::vector<Advice> advise(const measure::SiteRecord& site, const Context& context);

// The advice to store the array of a strided load or store the other way round, which serves all accesses that are as far apart;
// nothing where it is no such access, or where another of the kernel has lanes side by side in the array.
std::optional<Advice> other_order(const measure::SiteRecord& site, const Context& context);

// Instead of advice to change the layout of an array, or to let threads take turns: what helps without. `context` has a launch.
Advice with_same_layout(Advice, const measure::SiteRecord& site, const Context& context);

// Of a site's advice under another architecture that of the same rule, about the same count; null where there is none.
const Advice* same_advice(const std::vector<Advice>& there, const Advice&);

} // namespace warplens::advise
