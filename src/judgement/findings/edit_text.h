// Edits in a few words, for forms that show no source.
#pragma once
#include "findings/finding.h"

namespace warplens::findings {

// "a.cu:26:34: insert ' + 1'", of several edits the first and how many more; empty where there is none.
std::string edit_text(const Fix&);

} // namespace warplens::findings
