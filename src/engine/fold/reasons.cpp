#include "fold/reasons.h"
#include <fmt/format.h>

namespace warplens::fold {
namespace {

std::string line(const ir::Module& module, const ir::Instruction* i) {
  if (i == nullptr) return "its end"; // a function without instructions
  std::vector<access::SourceFrame> frames = module.frames(i->location);
  if (frames.empty()) return fmt::format("PTX line {}", i->ptx_line);
  std::size_t slash = frames[0].file.rfind('/');
  return fmt::format("{}:{}", frames[0].file.substr(slash == std::string::npos ? 0 : slash + 1),
                     frames[0].line);
}

std::string cause(const ir::Module& module, const Delta& delta) {
  std::string at = delta.at ? " at " + line(module, delta.at) : "";
  switch (delta.cause) {
  case Cause::loaded: return "depends on data loaded" + at;
  case Cause::atomic: return "depends on the result of the atomic" + at;
  case Cause::clock: return "depends on a clock read" + at;
  case Cause::processor: return "depends on the multiprocessor's number, read" + at;
  case Cause::call: return "depends on what passes through a function call" + at;
  case Cause::mixed: return "differs among the threads in too many ways";
  default: return "depends on the block's index through a computation that is not followed," + at;
  }
}

} // namespace

void reject(const Step& step, std::string_view what, const Delta& delta) {
  const ir::Module& module = *step.code.module;
  throw Rejected{fmt::format("{} at {} {}", what, line(module, step.instruction()), cause(module, delta))};
}

void reject(const Step& step, std::string_view why) {
  throw Rejected{fmt::format("at {}: {}", line(*step.code.module, step.instruction()), why)};
}

} // namespace warplens::fold
