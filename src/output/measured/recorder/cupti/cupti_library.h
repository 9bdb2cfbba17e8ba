// CUPTI, which is loaded and not linked: WARPLENS_RECORD_CUPTI names the file, else it is the one that was there when this was built, or
// one that the loader finds.
#pragma once
#include <string>

namespace warplens::recorder {

// Its version, as cuptiGetVersion has it. 0 where it cannot be loaded, and why: calls of CUPTI then fail with CUPTI_ERROR_NOT_INITIALIZED.
unsigned load_cupti(std::string& why);

} // namespace warplens::recorder
