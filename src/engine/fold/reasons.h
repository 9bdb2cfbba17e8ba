// Why a launch cannot be folded, in words for the report.
#pragma once
#include "fold/delta.h"
#include <string>
#include <string_view>

namespace warplens::fold {

// Thrown when the launch cannot be folded.
struct Rejected {
  std::string reason;
};

// "`what` at gather.cu:27 depends on data loaded at gather.cu:26": something that is counted by is unknown.
[[noreturn]] void reject(const Step&, std::string_view what, const Delta&);
// "at gather.cu:27: `why`"
[[noreturn]] void reject(const Step&, std::string_view why);

} // namespace warplens::fold
