// Who makes edits for findings: the program warplens-edits, which parses a source as clang does.
#pragma once
#include "driver/findings/check_inputs.h"
#include "findings/writers.h"
#include "fix/propose.h"

namespace warplens::driver {

// Edits only in files that are inputs themselves: what includes a header is not all known. The texts are those that findings are
// about. It is started once for each file that is asked about; a stop ends it.
fix::Editor clang_editor(std::vector<CheckInput>, u32 sm, findings::SourceText, std::stop_token = {});

} // namespace warplens::driver
