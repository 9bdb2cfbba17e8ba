// "Did you mean": the known word that a mistyped one is closest to.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

// Letters that are left out, too many, wrong or swapped with a neighbour count one each; more than two, or more than a third
// of the word, is another word. Empty where none is near.
std::string closest(std::string_view word, const std::vector<std::string>& known);

} // namespace warplens
