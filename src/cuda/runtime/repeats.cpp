#include "runtime/repeats.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/state.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

// Each holds the counts of a launch, or why there are none.
constexpr std::size_t most_known = 1024;

template <class T> void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string key_of(const Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec) {
  std::string key;
  append(key, kernel.code().program(runtime).get());
  append(key, spec.kernel.value);
  for (Dim3 dim : {spec.grid, spec.block, spec.cluster})
    append(key, dim.x), append(key, dim.y), append(key, dim.z);
  append(key, spec.dynamic_shared);
  for (std::size_t p = 0; p < kernel.info.parameters.size(); ++p) {
    auto [offset, size] = kernel.info.parameters[p];
    if (kernel.reaches().at(p))
      key.append(reinterpret_cast<const char*>(spec.parameters.data()) + offset, size);
  }
  return key;
}

std::string content_of(sim::Memory::Range range) {
  return {reinterpret_cast<const char*>(range.begin), range.end - range.begin};
}

} // namespace

bool Repeats::holds(Runtime& runtime, const Entry& entry) {
  auto is_there = [&](const fold::TouchedMemory& memory) {
    sim::Memory::Range now = runtime.memory().range(memory.range.begin);
    return now.begin == memory.range.begin && now.end == memory.range.end &&
           is_hidden(runtime, memory.range.begin);
  };
  auto is_same = [&](const Constant& constant) {
    return !runtime.deferrals.writes(constant.range) && content_of(constant.range) == constant.content;
  };
  return std::all_of(entry.known.memory.begin(), entry.known.memory.end(), is_there) &&
         std::all_of(entry.constants.begin(), entry.constants.end(), is_same);
}

const Repeats::Known* Repeats::find(Runtime& runtime, const Kernel& kernel,
                                    const sim::LaunchSpec& spec) const {
  if (known_.empty() || spec.cooperative) return nullptr; // cooperative ones are never folded
  auto found = known_.find(key_of(runtime, kernel, spec));
  return found != known_.end() && holds(runtime, found->second) ? &found->second.known : nullptr;
}

u64 Repeats::add(Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec,
                 const measure::LaunchContent& counts, const fold::Folded& folded) {
  if (known_.size() >= most_known) known_.clear();
  Entry entry{{counts, folded.memory, ++numbers_}, {}, kernel.code().program(runtime)};
  for (sim::Memory::Range range : folded.constants) entry.constants.push_back({range, content_of(range)});
  known_.insert_or_assign(key_of(runtime, kernel, spec), std::move(entry));
  return numbers_;
}

std::string Repeats::obstacle(const Runtime& runtime, const Kernel& kernel,
                              const sim::LaunchSpec& spec) const {
  if (obstacles_.empty()) return {};
  const auto found = obstacles_.find(key_of(runtime, kernel, spec));
  const bool holds = found != obstacles_.end() && found->second.epoch == runtime.device->memory->epoch();
  return holds ? found->second.why : std::string();
}

void Repeats::add_obstacle(const Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec,
                           std::string why) {
  if (obstacles_.size() >= most_known) obstacles_.clear();
  obstacles_.insert_or_assign(
      key_of(runtime, kernel, spec),
      Obstacle{std::move(why), runtime.device->memory->epoch(), kernel.code().program(runtime)});
}

} // namespace warplens::runtime
