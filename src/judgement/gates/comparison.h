// "sectors<=4": what a counter of an access is held to, in --fail-on, in .warplens.toml and in comments of the source.
#pragma once
#include "base/diagnostic.h"
#include "findings/finding.h"

namespace warplens::gates {

enum class Relation : u8 { less, at_most, equal, at_least, more };
std::string_view name(Relation); // "<="

// What is compared: an access's average per request or instruction; or of a whole run, the share of what it moves for nothing, or
// how often a warp saves registers in local memory or brings them back.
enum class Measure : u8 { sectors, wavefronts, requests, excess, spills };
constexpr bool is_of_run(Measure measure) { return measure >= Measure::excess; }
std::string_view name(Measure);    // "sectors-per-request", as it is written out
std::string_view counter(Measure); // "sectors", as in Cost; empty for those of a run

struct Comparison {
  Measure measure{};
  Relation relation{};
  double limit = 0; // excess: 0…1
  std::string text; // as written
};

// Blanks may stand around the relation; a counter may be written short ("sectors"); excess takes a percentage ("20%").
// Errors: bad-comparison, at `where`.
Result<Comparison> parse_comparison(std::string_view text, const diag::Span& where);

enum class Verdict : u8 { holds, fails, unknown };
// For every warp. Of a range: `unknown` where some of its numbers fail, and no warp is known to come to one. Of a run: the average.
Verdict judge(const Comparison&, const findings::Cost&);
bool holds(const Comparison&, double value);

} // namespace warplens::gates
