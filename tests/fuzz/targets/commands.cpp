// compile_commands.json: the sources that are checked, and the words that their compiler gets.
#include "driver/findings/check_inputs.h"
#include "fuzz/target.h"

FUZZ_TARGET(commands) {
  using namespace warplens;
  Result<std::vector<driver::CheckInput>> inputs = driver::compile_commands(input, "compile_commands.json");
  if (!inputs) return fuzz::require(!inputs.error().message.empty(), "what is refused has a message");
  for (const driver::CheckInput& one : *inputs) {
    fuzz::require(driver::is_source(one), "only CUDA sources are named");
    for (const std::string& word : one.options)
      fuzz::require(word != "-o" && !word.starts_with("--output-file") &&
                        !word.starts_with("--output-directory"),
                    "no option says where to write");
  }
}
