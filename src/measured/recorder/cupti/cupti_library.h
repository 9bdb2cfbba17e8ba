// CUPTI, which is loaded and not linked: WARPLENS_RECORD_CUPTI names the file, else it is the one that was there when this was built.
#pragma once

namespace warplens::recorder {

// Its version: 130001, or 28 for 12.9. 0 where there is none: calls of CUPTI then fail with CUPTI_ERROR_NOT_INITIALIZED.
unsigned load_cupti();

} // namespace warplens::recorder
