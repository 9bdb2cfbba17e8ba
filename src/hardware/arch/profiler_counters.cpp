// A counter takes the longest quantity of the table that its name begins with, and the rest is read part by part. Names that are not
// built of parts (nvprof, source metrics, labels and rules) have a table of their own. See profiler_counters.h.
#include "arch/profiler_counters.h"
#include "arch/profiler_counter_tables.h"
#include "base/blanks.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::arch {
namespace {

using namespace counters;

// "a_b_c" begins with "a_b" as a whole word.
bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || word.empty() || word.back() == '_' ||
                                    text[word.size()] == '_' || text[word.size()] == '.');
}

const Quantity* quantity_of(std::string_view unit, std::string_view rest) {
  const Quantity* best = nullptr;
  for (const Quantity& one : quantities)
    if (one.unit == unit &&
        (begins_with_word(rest, one.begins) || (!one.begins.empty() && rest.starts_with(one.begins))) &&
        (best == nullptr || one.begins.size() > best->begins.size()))
      best = &one;
  return best;
}

// What the words behind a quantity say: "(of global memory, by loads, added up over the GPU)". Words that no table has are left out.
std::string tail_of(std::string_view rest) {
  std::string out;
  while (!rest.empty()) {
    const Part* best = nullptr;
    for (const Part& part : parts)
      if (begins_with_word(rest, part.name) && (best == nullptr || part.name.size() > best->name.size()))
        best = &part;
    if (best != nullptr && !out.ends_with(best->means)) // "hit_rate.pct" says twice that it is in %
      out += fmt::format("{}{}", out.empty() ? " (" : ", ", best->means);
    rest.remove_prefix(best != nullptr ? best->name.size() : std::min(rest.find_first_of("_."), rest.size()));
    while (rest.starts_with('_') || rest.starts_with('.')) rest.remove_prefix(1);
  }
  return out.empty() ? out : out + ')';
}

const Stall* stall_of(std::string_view name) {
  const std::size_t at = name.find("issue_stalled_");
  if (at == name.npos) return nullptr;
  const std::string_view why = name.substr(at + std::string_view("issue_stalled_").size());
  const Stall* best = nullptr;
  for (const Stall& stall : stalls)
    if (why.starts_with(stall.name) && (best == nullptr || stall.name.size() > best->name.size()))
      best = &stall;
  return best;
}

std::string sentence(std::string_view text) {
  std::string out(text);
  if (!out.empty() && !out.ends_with('.')) out += '.';
  return out;
}

// "derived__" and where a unit was sampled from say nothing of what is counted.
std::string_view plain(std::string_view name) {
  if (const std::size_t at = name.find(".TriageCompute."); at != name.npos) name.remove_prefix(at + 15);
  if (name.starts_with("breakdown:")) name.remove_prefix(10);
  if (name.starts_with("group:")) name.remove_prefix(6);
  if (name.starts_with("derived__")) name.remove_prefix(9);
  if (name.ends_with(')')) name = name.substr(0, name.rfind(" (")); // the unit behind a label
  return name;
}

const Named* named_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(named, [&](const Named& one) { return same_letters(one.name, name); });
  return found == std::end(named) ? nullptr : found;
}

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

bool is_percent(std::string_view name) {
  for (std::string_view part :
       {"pct", "hit_rate", "_efficiency", "Hit Rate", "Success Rate", "Busy", "Max Bandwidth"})
    if (has(name, part)) return true;
  return name.ends_with("Throughput"); // of a label; nvprof's have small letters
}

// A mean says by itself what a sum says only for each request.
bool is_mean(std::string_view name) {
  for (std::string_view part : {"average", "_per_request", "nway", "N-Way"})
    if (has(name, part)) return true;
  return false;
}

std::string costs_of(std::string_view name, std::string_view costs) {
  const std::string_view first = is_mean(name)           ? ""
                                 : costs == more_sectors ? "Divide it by the requests. "
                                 : costs == more_passes  ? "Divide it by the instructions. "
                                                         : "";
  return fmt::format("{}{}", first, costs);
}

std::string share_asked(double percent) {
  if (percent >= 99) return fmt::format("{:.4g}% of what is moved was asked for: nothing is lost.", percent);
  return fmt::format("{:.4g}% of what is moved was asked for: {:.2f} times as much is moved as is needed.",
                     percent, 100 / percent);
}

} // namespace

std::optional<CounterMeaning> counter_meaning(std::string_view name) {
  CounterMeaning out;
  out.percent = is_percent(name);
  name = plain(name);
  if (const Named* one = named_of(name)) {
    out.counts = sentence(one->counts), out.costs = costs_of(name, one->costs), out.ours = one->ours,
    out.memory = one->memory;
    return out;
  }
  if (const Stall* stall = stall_of(name)) {
    out.counts = fmt::format("Samples or cycles in which a warp could not go on{}: {}.",
                             has(name, "not_issued") ? " and no other went on" : "", stall->why);
    out.costs = stall->costs, out.memory = !stall->costs.empty();
    return out;
  }
  const std::size_t split = name.find("__");
  if (split == name.npos) return {};
  std::string_view rest = name.substr(split + 2);
  // Counted by instruction, for each SM instead of for each scheduler: the same
  const std::string_view unit =
      name.starts_with("sm__sass_") || name.starts_with("sm__inst_executed") ? "smsp" : name.substr(0, split);
  const Quantity* quantity = quantity_of(unit, rest);
  if (quantity == nullptr) return {};
  rest.remove_prefix(std::min(quantity->begins.size(), rest.size()));
  // Of the GPU there is one: nothing is added up.
  out.counts = fmt::format("{}{}.", quantity->counts, unit == "gpu" && rest == ".sum" ? "" : tail_of(rest));
  out.memory = quantity->memory;
  if (has(name, "hit_rate")) {
    out.costs = hits;
  } else if (has(name, "mem_local") && quantity->costs == more_sectors) {
    out.costs = local_memory, out.ours = "sectors (local memory)";
  } else if (has(name, "pct_of_peak") && quantity->costs != few_warps) {
    out.costs = busy;
  } else {
    out.costs = costs_of(name, quantity->costs), out.ours = quantity->ours;
  }
  return out;
}

std::vector<std::string> counter_names() {
  std::vector<std::string> out;
  for (const Named& one : named) out.emplace_back(one.name);
  for (const Quantity& one : quantities) out.push_back(fmt::format("{}__{}", one.unit, one.begins));
  return out;
}

std::string judge_counter(std::string_view name, double value) {
  name = plain(name);
  if (value > 0 && has(name, "bytes_per_sector") && !name.ends_with("max_rate"))
    return share_asked(name.ends_with(".pct") ? value : 100 * value / 32);
  if (value > 0 && (same_letters(name, "gld_efficiency") || same_letters(name, "gst_efficiency")))
    return share_asked(value);
  if (has(name, "sectors_per_request") && name.ends_with(".pct")) return {}; // of the most that it can be
  if (has(name, "sectors_per_request") || has(name, "transactions_per_request")) {
    if (has(name, "shared"))
      return fmt::format(
          "{:.4g} passes for each request; 1 is the ideal for 4 bytes a lane, 2 for 8, 4 for 16.", value);
    return fmt::format(
        "{:.4g} sectors for each request; 32 lanes side by side need 1 for bytes, 4 for floats, 8 for "
        "doubles, 16 for float4.",
        value);
  }
  if (has(name, "conflicts_shared_nway") || same_letters(name, "L1 Conflicts Shared N-Way"))
    return fmt::format(
        "{:.4g} passes for each instruction; 1 is the ideal for 4 bytes a lane, 2 for 8, 4 for 16.", value);
  if (has(name, "warps_active") && has(name, "pct_of_peak"))
    return fmt::format("{:.4g}% of the warps that an SM can hold.", value);
  if (has(name, "pct_of_peak_sustained") || has(name, "Throughput") || has(name, "Busy"))
    return fmt::format("{:.4g}% of its peak: {}.", value,
                       value >= 80   ? "this limits the kernel"
                       : value >= 60 ? "busy; this or latency limits the kernel"
                                     : "it has time left, so that something else limits the kernel");
  if (has(name, "time_duration"))
    return "Hold it against the time of a changed version, in the unit that the profiler shows beside it.";
  if (has(name, "hit_rate") || has(name, "Hit Rate"))
    return fmt::format("{:.4g}% were found there; the other {:.4g}% went on to the next level.", value,
                       100 - value);
  if (has(name, "excessive"))
    return value == 0 ? "0: nothing is lost." : fmt::format("{:.10g} more than the ideal.", value);
  return {};
}

std::string counter_per(std::string_view name) {
  auto replaced = [&](std::string_view from, std::string_view to) {
    std::string out(name);
    const std::size_t at = out.find(from);
    return at == out.npos ? std::string() : out.replace(at, from.size(), to);
  };
  if (!name.ends_with(".sum") || has(name, "lookup_")) return {};
  for (std::string_view from : {"l1tex__t_sectors_", "l1tex__t_output_wavefronts_"})
    if (name.starts_with(from)) return replaced(from, "l1tex__t_requests_");
  if (name.starts_with("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_"))
    return replaced("l1tex_data_pipe_lsu_wavefronts_mem_shared_op_", "inst_executed_op_shared_");
  if (name.starts_with("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"))
    return replaced("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_", "smsp__sass_inst_executed_op_shared_");
  return {};
}

} // namespace warplens::arch
