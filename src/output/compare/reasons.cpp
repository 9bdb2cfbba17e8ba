// See reasons.h. Each rule asks for what its reason would leave unchanged: predication changes neither threads nor sectors, a
// wide access neither the bytes nor the sectors, equal loads made once neither the lines touched nor the width.
#include "compare/reasons.h"

namespace warplens::compare {

using access::Kind;
using access::Space;

std::string_view name(Reason reason) {
  switch (reason) {
  case Reason::none: return "none";
  case Reason::uncounted: return "uncounted";
  case Reason::other_input: return "other-input";
  case Reason::edited: return "edited";
  case Reason::timing: return "timing";
  case Reason::contended: return "contended";
  case Reason::spilled: return "spilled";
  case Reason::registers: return "registers";
  case Reason::widened: return "widened";
  case Reason::merged: return "merged";
  case Reason::predicated: return "predicated";
  case Reason::other_line: return "other-line";
  case Reason::not_repeated: return "not-repeated";
  case Reason::unexplained: return "unexplained";
  }
  return {};
}

std::string_view words(Reason reason) {
  switch (reason) {
  case Reason::none: return "equal";
  case Reason::uncounted: return "not counted to the end";
  case Reason::other_input: return "other input: the launches differ";
  case Reason::edited: return "edited: the source was changed in between";
  case Reason::timing: return "depends on timing";
  case Reason::contended: return "contended: the hardware combines or repeats lanes of one word";
  case Reason::spilled: return "spilled: registers that the assembler keeps in local memory";
  case Reason::registers: return "kept in registers by the assembler";
  case Reason::widened: return "widened: neighbouring accesses became one";
  case Reason::merged: return "merged: equal accesses are made once, or by those alone who need them";
  case Reason::predicated: return "predicated: counted for warps in which no lane performs it, too";
  case Reason::other_line: return "shown at another line";
  case Reason::not_repeated: return "only one side has it";
  case Reason::unexplained: return "not explained";
  }
  return {};
}

std::optional<Reason> reason_called(std::string_view text) {
  for (u32 value = 0; value <= static_cast<u32>(Reason::unexplained); ++value)
    if (name(static_cast<Reason>(value)) == text) return static_cast<Reason>(value);
  return {};
}

namespace {

// The same work, wherever it is shown.
bool same_sums(const Whole& whole) {
  const arch::Counts &a = whole.predicted.counts, &b = whole.measured.counts;
  return a.threads == b.threads && a.sectors == b.sectors && a.wavefronts == b.wavefronts;
}

Reason assembler_made(const LineKey& key, const LineSum& ptx, const LineSum& code, std::string_view count) {
  const arch::Counts &a = ptx.counts, &b = code.counts;
  if (key.space == Space::local)
    return b.instructions > a.instructions || b.sectors > a.sectors ? Reason::spilled : Reason::registers;
  // Lanes may be fewer as well, for a reason of their own; no other one makes instructions more.
  if (count == "instructions" && b.instructions > a.instructions) return Reason::predicated;
  if (b.threads < a.threads && b.instructions < a.instructions && code.widest > ptx.widest)
    return Reason::widened;
  if (b.threads < a.threads) return key.space == Space::shared ? Reason::registers : Reason::merged;
  return Reason::unexplained;
}

} // namespace

Reason reason_of(const LineKey& key, const Pair& pair, const Whole& whole, bool assembled,
                 std::string_view count) {
  if ((pair.predicted != nullptr && pair.predicted->timing) ||
      (pair.measured != nullptr && pair.measured->timing))
    return Reason::timing;
  const bool one_sided = pair.predicted == nullptr || pair.measured == nullptr;
  if (assembled && key.kind == Kind::atomic && !one_sided) {
    const arch::Counts &a = pair.predicted->counts, &b = pair.measured->counts;
    const bool only_instructions =
        a.threads == b.threads && a.sectors == b.sectors && a.wavefronts == b.wavefronts;
    return only_instructions ? Reason::predicated : Reason::contended;
  }
  if (same_sums(whole) && (one_sided || key.line == 0)) return Reason::other_line;
  if (!assembled) return one_sided ? Reason::not_repeated : Reason::unexplained;
  if (!one_sided) return assembler_made(key, *pair.predicted, *pair.measured, count);
  if (key.space == Space::local) return pair.predicted == nullptr ? Reason::spilled : Reason::registers;
  if (pair.measured == nullptr) return key.space == Space::shared ? Reason::registers : Reason::merged;
  // An atomic on shared memory is a loop with a load; what else only machine code has is shown there by the assembler.
  return key.space == Space::shared && key.kind == Kind::load ? Reason::contended : Reason::other_line;
}

} // namespace warplens::compare
