// One question to `explain`: the expression in the first line, then one option a line, named by its first letter.
#include "driver/explain.h"
#include "fuzz/target.h"
#include <cstdlib>

namespace {

using namespace warplens;

void set_option(driver::ExplainOptions& options, char letter, const std::string& value) {
  switch (letter) {
  case 's': options.asked.settings.push_back(value); return;
  case 't': options.asked.type = value; return;
  case 'd': options.asked.dims = value; return;
  case 'b': options.asked.block = value; return;
  case 'g': options.asked.grid = value; return;
  case 'c': options.asked.cta = value; return;
  case 'i': options.asked.condition = value; return;
  case 'p': options.asked.pitch = std::strtoull(value.c_str(), nullptr, 0); return;
  case 'B': options.asked.base = std::strtoull(value.c_str(), nullptr, 0); return;
  case 'S': options.asked.space = value; return;
  case 'o': options.asked.operation = value; return;
  case 'm': options.sm = value; return;
  case 'w': options.asked.warp = static_cast<u32>(std::strtoul(value.c_str(), nullptr, 10)); return;
  case 'P': options.pool = value; return;
  case 'C': options.asked.cache = value; return;
  case 'j': options.json = true; return;
  case 'K': options.case_name = value; return;
  default: return;
  }
}

} // namespace

FUZZ_TARGET(explain) {
  driver::ExplainOptions options;
  std::size_t end = input.find('\n');
  options.asked.access = std::string(input.substr(0, end));
  while (end != input.npos) {
    input.remove_prefix(end + 1);
    end = input.find('\n');
    std::string_view line = input.substr(0, end);
    if (line.size() >= 2) set_option(options, line[0], std::string(line.substr(2)));
  }
  driver::Output output = driver::explain(options);
  fuzz::require(output.exit_code == 2 ? !output.err.empty() : !output.out.empty(),
                "every question gets an answer");
}
