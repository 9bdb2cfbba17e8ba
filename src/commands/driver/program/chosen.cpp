#include "driver/program/chosen.h"
#include "text/regex.h"
#include <algorithm>
#include <map>

namespace warplens::driver {
namespace {

constexpr u64 no_limit = ~u64{0};

bool is_chosen_here(const RunOptions& options) {
  return !options.kernel.empty() && (options.launches || options.launch_skip != 0);
}

using Number = std::pair<i64, u64>; // of a launch: its process, and which of the process it is

// Of launches that match, by number, those that the options choose, and those that went wrong.
std::vector<Number> choose(const RunOptions& options,
                           const std::map<Number, const measure::LaunchRecord*>& matching) {
  std::map<i64, u64> seen; // by process
  std::map<std::pair<i64, std::string>, u64> of_kernel;
  std::vector<Number> out;
  for (const auto& [number, record] : matching) {
    const u64 before = seen[number.first]++;
    const bool is_chosen =
        before >= options.launch_skip && before - options.launch_skip < options.launches.value_or(no_limit) &&
        of_kernel[{number.first, record->kernel}]++ < options.per_kernel.value_or(no_limit);
    if (is_chosen || !measure::is_whole(record->status)) out.push_back(number);
  }
  return out;
}

} // namespace

ProgramOptions options_of_program(const RunOptions& options) {
  ProgramOptions out = options;
  if (!is_chosen_here(options)) return out;
  const u64 each = std::min(options.launches.value_or(no_limit), options.per_kernel.value_or(no_limit));
  out.per_kernel.reset();
  if (each != no_limit) out.per_kernel = options.launch_skip + each;
  out.launches.reset();
  out.launch_skip = 0;
  return out;
}

void leave_out_unchosen(const RunOptions& options, summary::Input& input) {
  if (!is_chosen_here(options)) return;
  const auto kernel = text::Regex::compile(options.kernel);
  if (!kernel) return;
  std::vector<summary::Launch> kept, matching; // those that do not match are the filter's to leave out
  for (summary::Launch& launch : input.launches) {
    const measure::LaunchRecord& record = launch.record;
    const bool matches = kernel->matches_within(record.name.empty() ? record.kernel : record.name);
    (matches ? matching : kept).push_back(std::move(launch));
  }
  std::map<Number, const measure::LaunchRecord*> by_number;
  for (const summary::Launch& launch : matching)
    for (const summary::Occurrences& some : launch.when)
      some.each_process([&](i64 process) {
        for (u64 n = 0; n < some.count; ++n)
          by_number[{process, some.first + n * some.step}] = &launch.record;
      });
  const std::vector<Number> chosen = choose(options, by_number);
  input.left_out += by_number.size() - chosen.size();
  if (chosen.empty() && !by_number.empty()) input.left_out += count(std::exchange(kept, {}));
  std::map<const measure::LaunchRecord*, std::size_t> places;
  for (const Number& number : chosen) {
    const measure::LaunchRecord* record = by_number[number];
    if (auto [place, fresh] = places.try_emplace(record, kept.size()); !fresh) {
      kept[place->second].repeat(number.first, number.second);
      continue;
    }
    kept.emplace_back(*record);
    kept.back().record.process = number.first, kept.back().record.index = number.second;
    kept.back().when = {{number.first, number.second}};
  }
  input.launches = std::move(kept);
}

} // namespace warplens::driver
