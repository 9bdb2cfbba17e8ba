// `warplens mcp`: a server of the Model Context Protocol, by which programs that write code ask for what a person would type.
#pragma once
#include "base/types.h"
#include <string>
#include <vector>

namespace warplens::driver {

struct McpOptions {
  std::vector<std::string> folders; // that paths may lie in; empty: the current one
  double time_limit = 300;          // seconds, of each tool
  std::string version;
};

// Serves one client on these descriptors until its input ends. The exit code: 0, or 2 where a folder does not exist.
int serve_agent(const McpOptions&, int in, int out);

} // namespace warplens::driver
