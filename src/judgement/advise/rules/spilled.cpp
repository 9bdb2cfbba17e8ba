// Registers that the assembler had too few of. It marks the instructions that save them and bring them back (translate/image.cpp);
// if they fit, all of these go.
#include "advise/rules/rules.h"
#include "arch/occupancy.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void spilled(const Subject& s, std::vector<Advice>& list) {
  const u32 registers = s.context.launch == nullptr ? 0 : s.context.launch->record().registers;
  const arch::Limits& limits = s.context.architecture->limits;
  const u32 threads =
      s.context.launch == nullptr ? 0 : static_cast<u32>(s.context.launch->record().block.count());
  const u32 most = threads == 0 ? limits.registers_per_thread : arch::registers_for(limits, threads, 1);
  Advice out = draft(s, findings::Rule::register_spill, Metric::sectors);
  out.title = "registers saved in local memory";
  out.cause =
      registers == 0
          ? "a thread keeps more values than it has registers, and the assembler saves some in local memory"
          : fmt::format("a thread keeps more values than fit into its {} registers, and the assembler saves "
                        "some in local memory",
                        registers);
  if (registers < most)
    out.change = fmt::format("allow more registers, up to {}{} (__launch_bounds__ with {}, a larger "
                             "--maxrregcount), or ",
                             most, threads == 0 ? "" : fmt::format(" with blocks of {} threads", threads),
                             threads == 0 ? "fewer threads or blocks" : "fewer blocks");
  if (most < limits.registers_per_thread)
    out.change +=
        "launch blocks of fewer threads, with a __launch_bounds__ of as many, which may have more registers, "
        "or ";
  out.change += "keep fewer values alive at a time (smaller arrays in registers, shorter unrolled loops)";
  out.after = {}, out.asks_for_less = true;
  out.confidence = Confidence::possible; // fewer threads may fit on an SM then
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
