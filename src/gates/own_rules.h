// The rules of findings that gates make themselves: of thresholds and of comments, not of what accesses do.
#pragma once
#include <algorithm>
#include <string_view>

namespace warplens::gates::own {

inline constexpr std::string_view over_threshold = "over-threshold",
                                  failed_expectation = "failed-expectation",
                                  unused_suppression = "unused-suppression",
                                  unchecked_comment = "unchecked-comment",
                                  malformed_comment = "malformed-comment";

} // namespace warplens::gates::own

namespace warplens::gates {

// No baseline knows of them, and with the severity `error` they always fail.
inline bool is_about_comments(std::string_view rule) {
  return rule == own::failed_expectation || rule == own::unused_suppression ||
         rule == own::unchecked_comment || rule == own::malformed_comment;
}

} // namespace warplens::gates
