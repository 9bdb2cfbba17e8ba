// See stacks.h. Demangling is slow and names repeat: each is demangled once.
#include "ptx/stacks.h"
#include "ptx/parse.h"

namespace warplens::ptx {

access::SourceStack SourceStacks::at(ir::LocationId id) {
  if (!id.valid()) return {};
  stacks_.resize(module_.locations.size());
  names_.resize(module_.names.size());
  access::SourceStack& stack = stacks_[id.value];
  if (!stack.empty()) return stack;
  std::vector<access::SourceFrame> frames = module_.frames(id);
  ir::LocationId at = id;
  for (access::SourceFrame& frame : frames) {
    if (ir::NameId name = module_.locations[at.value].function; name.valid()) {
      std::string& shown = names_[name.value];
      if (shown.empty()) shown = demangle(frame.function);
      frame.function = shown;
    }
    at = module_.locations[at.value].inlined_at;
  }
  return stack = std::move(frames);
}

} // namespace warplens::ptx
