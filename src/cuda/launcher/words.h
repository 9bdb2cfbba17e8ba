// The words that follow a kernel's file, sorted by what they are about; plan.h lists them.
#pragma once
#include "base/diagnostic.h"
#include "base/types.h"
#include <optional>
#include <span>

namespace warplens::launcher {

struct Words {
  std::optional<std::string> kernel, grid, block, shared;
  std::vector<std::string> arguments, saves; // of --arg and --save
};
// Fails on words that are no option, options without a value, and those that are given twice and may not.
Result<Words> sort_words(std::span<const std::string> words, const std::string& file);

// "8", "8,2,1" or "8x2x1", of --grid or --block. Fails where it is something else.
Result<Dim3> dimensions(const char* option, const std::string& text);

// The word as a shell takes it.
std::string quoted(const std::string& word);

// What is wrong with the words. Every failure of this room's is made by it.
tl::unexpected<diag::Diagnostic> bad(std::string message, std::string help = {},
                                     std::vector<std::string> notes = {});

// The first dozen names, with commas.
std::string list(const std::vector<std::string>& names);

} // namespace warplens::launcher
