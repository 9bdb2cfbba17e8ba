// A comparison as a terminal, a pull request and a program read it. Pure functions of the model.
#pragma once
#include "diff/model.h"

namespace warplens::diff {

struct Shape {
  u32 width = 80; // no line is longer; at least 60
  bool colour = false;
  u32 top_lines = 5, top_kernels = 10; // with their lines; 0: all, and those that stayed the same too
};

// The totals, what makes it doubtful, then kernel by kernel the lines that changed, what changed most first.
std::string terminal(const Model&, const Shape&);

// A comment on a pull request: the totals, and a table of the `most` lines that changed most. `fails`: why the command does.
std::string markdown(const Model&, const std::vector<std::string>& fails, std::size_t most = 20);

// Everything, by docs/schema/diff-1.schema.json.
std::string json(const Model&, const std::vector<std::string>& fails, std::string_view version);

} // namespace warplens::diff
