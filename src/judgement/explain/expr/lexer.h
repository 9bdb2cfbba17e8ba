// The tokens of a C expression, and of a structure type.
#pragma once
#include "explain/expr/text.h"
#include "symbolic/interval.h"

namespace warplens::explain {

using symbolic::Wide;

enum class Integer : u8 { i32, u32, i64, u64 }; // int, unsigned, long long, unsigned long long
enum class TokenKind : u8 { end, number, name, punctuation };

struct Token {
  TokenKind kind = TokenKind::end;
  TextPlace place;
  std::string_view text; // into the Texts
  Wide value = 0;        // number
  Integer type = Integer::i32;
};

// The tokens of line `line`, ended by one of kind `end`.
Result<std::vector<Token>> tokenize(const Texts& texts, u32 line);

} // namespace warplens::explain
