// Registers that the assembler had too few of. It marks the instructions that save them and bring them back (translate/image.cpp);
// if they fit, all of these go.
#include "advise/rules/rules.h"
#include "arch/table.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void spilled(const Subject& s, std::vector<Advice>& list) {
  const u32 registers = s.context.launch == nullptr ? 0 : s.context.launch->record().registers;
  const u32 most = s.context.architecture->limits.registers_per_thread;
  Advice out = draft(s, findings::Rule::register_spill, Metric::sectors);
  out.title = "registers saved in local memory";
  out.cause =
      registers == 0
          ? "a thread keeps more values than it has registers, and the assembler saves some in local memory"
          : fmt::format("a thread keeps more values than fit into its {} registers, and the assembler saves "
                        "some in local memory",
                        registers);
  out.change = "keep fewer values alive at a time (smaller arrays in registers, shorter unrolled loops)";
  if (registers < most)
    out.change = fmt::format(
        "allow more registers, up to {} (__launch_bounds__ with fewer threads or blocks, a larger "
        "--maxrregcount), or {}",
        most, out.change);
  out.after = {}, out.asks_for_less = true;
  out.confidence = Confidence::possible; // fewer threads may fit on an SM then
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
