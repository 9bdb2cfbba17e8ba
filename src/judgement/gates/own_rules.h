// Which rules of findings are about comments in the source, and not about accesses.
#pragma once
#include "findings/rule.h"

namespace warplens::gates {

// No baseline knows of them, and with the severity `error` they always fail.
inline bool is_about_comments(findings::Rule rule) {
  using findings::Rule;
  return rule == Rule::failed_expectation || rule == Rule::unused_suppression ||
         rule == Rule::unchecked_comment || rule == Rule::malformed_comment;
}

} // namespace warplens::gates
