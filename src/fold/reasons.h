// Why a launch cannot be folded, in words for the report.
#pragma once
#include "fold/motion.h"
#include <string>
#include <string_view>

namespace warplens::fold {

// Thrown when the launch cannot be folded.
struct Refused {
  std::string reason;
};

// "`what` at gather.cu:27 depends on data loaded at gather.cu:26": something that is counted by is unknown.
[[noreturn]] void refuse(const Step&, std::string_view what, const Motion&);
// "at gather.cu:27: `why`"
[[noreturn]] void refuse(const Step&, std::string_view why);

} // namespace warplens::fold
