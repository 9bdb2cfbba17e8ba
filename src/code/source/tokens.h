// A C++ source as tokens that know where they stand: enough to find a declaration and everything that is done with its name,
// and to notice where that cannot be known.
//
// Comments, literals and preprocessor lines are told apart as the standard's phases 2 to 4 have them ([lex.phases]); nothing
// is preprocessed. A text whose brackets do not close (as with a brace in each branch of an #if) is not sound: an edit may not
// be concluded from it, a name for people may.
#pragma once
#include "base/types.h"
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warplens::source {

struct Token {
  enum class Kind : u8 { word, number, literal, sign };
  std::string_view text; // of the source
  u32 begin = 0;         // bytes from the start
  u32 directive = 0;     // which preprocessor line it is on, from 1; 0: none
  Kind kind = Kind::sign;
  bool is(std::string_view what) const { return text == what; }
  bool word() const { return kind == Kind::word; }
  u32 end() const { return begin + static_cast<u32>(text.size()); }
};

struct Comment {
  std::string_view words; // between its marks
  u32 begin = 0;          // of the first mark
};

struct Range { // of tokens
  u32 first = 0, last = 0;
};

inline constexpr u32 no_token = 0xffffffffu;

// Refers to the text that it was made of.
class Tokens {
public:
  explicit Tokens(std::string_view text);

  std::string_view text() const { return text_; }
  std::span<const Token> all() const { return tokens_; }
  std::span<const Comment> comments() const { return comments_; }
  u32 size() const { return static_cast<u32>(tokens_.size()); }
  // A token that no text has, before the first and behind the last.
  const Token& at(u32 index) const { return index < tokens_.size() ? tokens_[index] : none_; }
  // The bracket that belongs to the one there, of (, [ and {; no_token where there is none.
  u32 partner(u32 index) const { return index < partner_.size() ? partner_[index] : no_token; }
  // Every bracket outside of preprocessor lines has its partner, and every literal and comment its end.
  bool sound() const { return sound_; }

  // 1-based; columns in bytes.
  u32 line_of(u32 offset) const;
  u32 column_of(u32 offset) const;
  std::string_view line(u32 number) const; // without its end; empty where there is none
  // The first token that begins there or behind; size() where there is none.
  u32 token_at(u32 line, u32 column) const;
  // The { of the innermost block around a token; no_token at the top.
  u32 block_around(u32 index) const { return index < block_.size() ? block_[index] : no_token; }
  // The tokens that are this word, in order.
  std::span<const u32> places_of(std::string_view word) const;
  // Their texts, with blanks between: "const unsigned int *".
  std::string words(Range) const;
  // What stands between such signs that no brackets enclose, those of template arguments among them.
  std::vector<Range> parts(Range, std::string_view mark) const;
  // The first token of the statement that one is in.
  u32 statement_of(u32 index) const;

private:
  void tokenize();
  void match_brackets();
  void index_words();
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Comment> comments_;
  std::vector<u32> partner_, block_;
  std::vector<u32> lines_;                                        // where each line begins
  std::unordered_map<std::string_view, std::vector<u32>> places_; // of words
  Token none_{};
  bool sound_ = true;
};

} // namespace warplens::source
