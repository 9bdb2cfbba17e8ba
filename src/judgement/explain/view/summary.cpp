// The answer before its reasons, at the top of the page: is it coalesced, and what would help most.
#include "explain/view/summary.h"
#include "explain/view/costs.h"
#include "findings/words.h"
#include <fmt/format.h>

namespace warplens::explain {
namespace {

using access::Space;

Verdict banks(const arch::Counts& c) {
  if (c.wavefronts == c.ideal_wavefronts)
    return {true, "no bank conflicts", plural(c.wavefronts, "pass") + ", no more than the bytes need"};
  return {false, "bank conflicts",
          fmt::format("{} passes where {} could carry the bytes", c.wavefronts, c.ideal_wavefronts)};
}

Verdict constants(const arch::Counts& c) {
  if (c.requests == c.instructions) return {true, "broadcast", "one address per warp, one request"};
  return {false, "serialised",
          fmt::format("{} for {}", plural(c.requests, "request"), plural(c.instructions, "instruction"))};
}

Verdict device_memory(const Explanation& e, const arch::Counts& c) {
  if (c.bytes_used == c.transaction_bytes) return {true, "coalesced", "every byte that moves is asked for"};
  std::string bytes = fmt::format("{} of {} bytes moved are asked for ({:.0f}%)", c.bytes_used,
                                  c.transaction_bytes, 100 * efficiency(e, c));
  if (as_few_as_possible(e, c)) return {true, "coalesced", "no fewer transactions could serve it; " + bytes};
  return {false, efficiency(e, c) > 0.79 ? "not quite coalesced" : "not coalesced", bytes};
}

} // namespace

bool optional(const advise::Advice& fix) { return fix.rule == findings::Rule::narrow_access; }

std::optional<Verdict> verdict(const Explanation& e) {
  const arch::Counts& c = e.block;
  if (c.threads == 0 || e.question.section != 0) return {};
  return e.question.space == Space::shared     ? banks(c)
         : e.question.space == Space::constant ? constants(c)
                                               : device_memory(e, c);
}

std::string summary(const Explanation& e, const Theme& ink) {
  const std::optional<Verdict> said = verdict(e);
  if (!said) return {};
  std::string out = said->fine ? ink.good(fmt::format("{} {}", ink.yes(), said->word))
                               : ink.bad(fmt::format("{} {}", ink.no(), said->word));
  out += ": " + said->why + '\n';
  if (e.fixes.empty() || optional(e.fixes.front())) return out;
  const advise::Advice& best = e.fixes.front();
  std::string gain = best.gain() > 1
                         ? fmt::format(", {}{} fewer {}", findings::times(best.gain()), ink.times(),
                                       best.metric == advise::Metric::wavefronts ? std::string_view("passes")
                                                                                 : advise::name(best.metric))
                         : "";
  return out + fmt::format("  What helps most: {}{}\n", best.title, gain);
}

} // namespace warplens::explain
