// Why a count differs, as far as the numbers of a launch tell. docs/do/measure-on-a-gpu.md lists the reasons with what shows each.
#pragma once
#include "compare/lines.h"

namespace warplens::compare {

// A kind of access at one line on both sides; null: the side has none there.
struct Pair {
  const LineSum *predicted = nullptr, *measured = nullptr;
};

// The sums over the whole launch of a space and kind, of both sides: what one line lacks another may have.
struct Whole {
  LineSum predicted, measured;
};

// `assembled`: the first side ran as PTX and the second did not, so that what the assembler does is a reason.
// `count`: the name of the count that differs.
Reason reason_of(const LineKey&, const Pair&, const Whole&, bool assembled, std::string_view count);

} // namespace warplens::compare
