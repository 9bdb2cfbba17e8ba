// Inline stacks as a report shows them: names demangled, one stack per location, shared by all its sites.
#pragma once
#include "ir/module.h"

namespace warplens::ptx {

class SourceStacks {
public:
  explicit SourceStacks(const ir::Module& module) : module_(module) {}
  access::SourceStack at(ir::LocationId);

private:
  const ir::Module& module_;
  std::vector<access::SourceStack> stacks_; // [locations], those asked for
  std::vector<std::string> names_;          // [names], demangled, those that were needed
};

} // namespace warplens::ptx
