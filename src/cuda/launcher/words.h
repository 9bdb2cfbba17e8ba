// The words that follow a kernel's file, sorted by what they are about; plan.h lists them.
#pragma once
#include "base/diagnostic.h"
#include <optional>
#include <span>

namespace warplens::launcher {

struct Words {
  std::optional<std::string> kernel, grid, block, shared;
  std::vector<std::string> arguments, saves; // of --arg and --save
};
// Fails on words that are no option, options without a value, and those that are given twice and may not.
Result<Words> sort_words(std::span<const std::string> words, const std::string& file);

// What is wrong with the words. Every failure of this room's is made by it.
tl::unexpected<diag::Diagnostic> bad(std::string message, std::string help = {},
                                     std::vector<std::string> notes = {});

// The first dozen names, with commas.
std::string list(const std::vector<std::string>& names);

} // namespace warplens::launcher
