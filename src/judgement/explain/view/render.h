// The three ways to show an Explanation. All are pure functions of it.
#pragma once
#include "explain/model/cases.h"
#include <nlohmann/json_fwd.hpp>

namespace warplens::explain {

struct TextStyle {
  bool unicode = true; // false: ASCII only
  bool colour = false; // ANSI escapes
};

// For a terminal of 100 columns.
std::string terminal(const Explanation&, const TextStyle&);
// Lines of the drawing alone, and the cost sentence under it: what a built-in case shows of each of its
// accesses.
std::string terminal_picture(const Explanation&, const TextStyle&);

// The question that decides about this memory, the index in its normal form, and what follows: three to five lines, however long.
std::string form_text(const Explanation&, const TextStyle&);

// A self-contained SVG document.
std::string svg(const Explanation&, const std::string& caption);

nlohmann::json json(const Explanation&);

// The same of a built-in case, and of the list of them.
std::string terminal_list(const TextStyle&);
std::string terminal(const Case&, const TextStyle&);
std::string svg(const Case&);
nlohmann::json json(const Case&);

} // namespace warplens::explain
