// The words that all writers of `diff` have in common.
#pragma once
#include "diff/model.h"

namespace warplens::diff {

// "+12%", "-88%", "+0.3%", "25x" from ten times on, "new", "gone", "=".
std::string change_text(double before, double after);
std::string change_text(const ComparedAccess&, bool counted);
std::string change_text(const Kernel&);

// 12.5 k; of averages "12.5".
std::string amount(double);
std::string amount(double, bool sampled); // of a sample "~12 k"
// "262 k → 33 k cycles of the busiest SM"
std::string cycles_text(const Cycles&);
// "262 k → 33 k", "262 k" where one side has it or both the same.
std::string from_to(const std::string& before, const std::string& after);

std::string kernel_name(const Kernel&); // "old → new" where it was renamed
// "grid 4x4, block 32x8; 3 launches", with what differs as "grid 4x4 → 8x8".
std::string launches_text(const Kernel&);
// "a.cu:14", "a.cu:14 → 18" where the line moved, "main.cu:3 → a.cu:14" where calls were inlined, "function f".
std::string place_name(const Line&);
const std::string& text_of(const Line&); // as it is now, or was
// "32.00 → 4.00 sectors"
std::string cost_text(const ComparedAccess&);
// "out: stride 128 bytes → contiguous"; empty where neither is known.
std::string pattern_text(const ComparedAccess&);

// Is there a kernel that was counted on both sides? Findings always compare.
bool is_comparable(const Model&);
// "Better: the accesses cost 262 k → 61.4 k cycles of the busiest SM (-77%)"
std::string verdict(const Model&);
// "global 229 kB of 262 kB (88%) → 0 B of 32.8 kB (0%)", one for each space with waste on a side; and "" where none has.
std::vector<std::string> traffic_texts(const Model&);

} // namespace warplens::diff
