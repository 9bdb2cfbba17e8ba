// The rules by which findings and advice are told apart; the table (rules.def) says of each what it is about.
#pragma once
#include "base/types.h"
#include <string_view>

namespace warplens::findings {

enum class Rule : u8 {
#define RULE(enumerator, ...) enumerator,
#include "findings/rules.def"
#undef RULE
};

// The identifier that users see: "uncoalesced-load".
std::string_view name(Rule);

} // namespace warplens::findings
