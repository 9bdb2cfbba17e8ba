// The fixes of `check`: each is compiled and judged again before it is offered to the source.
#pragma once
#include "driver/findings/examine.h"
#include "driver/findings/fixing.h"
#include "driver/options/check.h"

namespace warplens::driver {

struct CheckedFixes {
  Patch patch;                                    // with what held
  std::vector<const findings::Finding*> answered; // by it, of the list that was examined
  std::string said;                               // about what did not hold, and why
};

// Makes the fixes of `found` beside the sources, examines these, and leaves out what does not compile, does not answer its
// finding, or costs more elsewhere. Errors: no-temporary-folder and the like.
Result<CheckedFixes> check_fixes(const CheckOptions&, const std::vector<CheckInput>&, const Examined& found,
                                 SourceTexts&);

} // namespace warplens::driver
