// Lines of a text; and which line of one source is which of another, as version control finds it: the longest common subsequence of their texts,
// then lines of the same text that went elsewhere, then lines that were edited and still resemble each other.
#pragma once
#include "base/types.h"
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::text {

struct Item {
  std::string key; // lines are the same where it is
  std::vector<std::string>
      has; // what two lines must have in common, one of them at least, to be one that was edited
};

// Pairs of indices, each index at most once, in the order of the first. Items are in the order of their source.
std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<Item>& before,
                                                             const std::vector<Item>& after);

// A letter, a digit or '_': what C's names are made of.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A text's lines, without their ends; a last one without an end counts.
std::vector<std::string_view> lines_of(std::string_view text);
// The line, from 1, without surrounding blanks; nothing past the last one.
std::optional<std::string> line_at(const std::vector<std::string_view>& lines, u32 number);

// Blanks do not tell lines apart.
std::string line_key(std::string_view text);

// Of two texts' words and signs the share that both have, 0…1.
double similarity(std::string_view a, std::string_view b);

} // namespace warplens::text
