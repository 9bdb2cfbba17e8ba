// Places, grids and changes in words and numbers that fit their column. See words.h.
#include "diff/words.h"
#include "text/words.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

std::string place_name(const LinePlace& place) {
  if (place.line == 0) return "function " + text::clip_middle(place.function, 60);
  std::string out;
  for (std::size_t i = 0; i < place.calls.size(); ++i)
    if (place.calls.size() <= 2 || i == 0)
      out += place.calls[i] + " → ";
    else if (i == 1)
      out += "… → ";
  return out + fmt::format("{}:{}", place.file, place.line);
}

std::string grids_text(const Kernel::Side& side) {
  if (side.grids.size() == 1) return text::dimensions(side.grids[0].first);
  return fmt::format("{} grids", side.grids.size());
}

std::string traffic_text(const Traffic& traffic) {
  const double share =
      traffic.moved == 0 ? 0 : static_cast<double>(traffic.excess) / static_cast<double>(traffic.moved);
  if (traffic.moved == 0) return "nothing";
  if (traffic.unit == "bytes")
    return fmt::format("{} of {} ({})", text::human_bytes(traffic.excess), text::human_bytes(traffic.moved),
                       text::percent(share));
  return fmt::format("{} of {} {} ({})", text::human(traffic.excess), text::human(traffic.moved),
                     traffic.unit, text::percent(share));
}

} // namespace

std::string change_text(double before, double after) {
  const double by = growth(before, after);
  if (by == 0) return "=";
  if (std::isinf(by)) return "new";
  if (after == 0) return "-100%";
  if (by >= 9) return fmt::format("{:.0f}x", by + 1);
  if (std::abs(by) >= 0.00995) // never "-100%" where something is left
    return fmt::format("{:+.0f}%", std::max(100 * by, -99.4));
  return std::abs(by) >= 0.0005 ? fmt::format("{:+.1f}%", 100 * by) : by > 0 ? "+<0.1%" : "-<0.1%";
}

std::string change_text(const ComparedAccess& access, bool counted) {
  if (!access.before) return "new";
  if (!access.after) return "gone";
  return counted ? change_text(access.before->cost.cycles, access.after->cost.cycles)
                 : change_text(access.before->each, access.after->each);
}
std::string change_text(const Kernel& kernel) {
  if (!kernel.before) return "new";
  return kernel.after ? change_text(kernel.cycles.before, kernel.cycles.after) : "gone";
}

std::string amount(double value) {
  if (value < 100 && value != std::floor(value)) return fmt::format("{:.2f}", value);
  return text::human(static_cast<u64>(std::llround(std::min(value, 1e18))));
}

std::string amount(double value, bool sampled) {
  return sampled ? text::about(static_cast<u64>(std::llround(std::min(value, 1e18)))) : amount(value);
}

std::string cycles_text(const Cycles& cycles) {
  auto number = [&](double value) { return amount(value, cycles.spread != 0); };
  std::string numbers = from_to(number(cycles.before), number(cycles.after));
  if (cycles.before == 0 || cycles.after == 0) numbers = number(cycles.before + cycles.after);
  return numbers + (cycles.of_busiest ? " cycles of the busiest SM" : " cycles of one SM");
}

std::string from_to(const std::string& before, const std::string& after) {
  if (before.empty() || before == after) return after;
  return after.empty() ? before : before + " → " + after;
}

std::string kernel_name(const Kernel& kernel) {
  auto label = [](const std::optional<Kernel::Side>& side) {
    return side ? text::clip_middle(side->label, 60) : std::string();
  };
  const bool name_matters = !kernel.before || !kernel.after || kernel.renamed;
  return name_matters ? from_to(label(kernel.before), label(kernel.after)) : label(kernel.after);
}

std::string launches_text(const Kernel& kernel) {
  auto of = [](const std::optional<Kernel::Side>& side, auto&& words) {
    return side ? words(*side) : std::string();
  };
  auto both = [&](auto&& words) { return from_to(of(kernel.before, words), of(kernel.after, words)); };
  const Kernel::Side& first = kernel.before ? *kernel.before : *kernel.after;
  std::string out = first.grids.size() == 1 ? "grid " : "";
  out += both(grids_text) + ", block " +
         both([](const Kernel::Side& side) { return text::dimensions(side.block); });
  out += "; " + both([](const Kernel::Side& side) { return text::human(side.launches, "launch"); });
  return kernel.per_launch ? out + ", compared for one" : out;
}

std::string place_name(const Line& line) {
  if (!line.after) return place_name(*line.before);
  const std::string now = place_name(*line.after);
  if (!line.before || line.before->line == 0 || line.after->line == 0) return now;
  if (line.before->file == line.after->file && line.before->line == line.after->line) return now;
  return now + (line.before->file == line.after->file
                    ? fmt::format(" (was {})", line.before->line)
                    : fmt::format(" (was {}:{})", line.before->file, line.before->line));
}

const std::string& text_of(const Line& line) { return line.after ? line.after->text : line.before->text; }

std::string cost_text(const ComparedAccess& access) {
  auto number = [](const std::optional<ComparedAccess::Side>& side) {
    return side ? fmt::format("{:.2f}", side->each) : std::string();
  };
  const std::string& unit = access.after ? access.after->unit : access.before->unit;
  if (access.before && access.after && access.before->unit != access.after->unit)
    return fmt::format("{:.2f} {} → {:.2f} {}", access.before->each, access.before->unit, access.after->each,
                       unit);
  return fmt::format("{} {}", from_to(number(access.before), number(access.after)), unit);
}

std::string pattern_text(const ComparedAccess& access) {
  auto part = [&](std::string ComparedAccess::Side::*member) {
    return from_to(access.before ? (*access.before).*member : std::string(),
                   access.after ? (*access.after).*member : std::string());
  };
  const std::string array = part(&ComparedAccess::Side::array),
                    pattern = part(&ComparedAccess::Side::pattern);
  return array.empty() || pattern.empty() ? array + pattern : array + ": " + pattern;
}

bool is_comparable(const Model& model) {
  return !model.counted || std::ranges::any_of(model.kernels, [](const Kernel& kernel) {
    return kernel.before && kernel.after;
  });
}

std::string verdict(const Model& model) {
  const double before = model.cycles.before, after = model.cycles.after;
  if (!model.counted) {
    std::array<u64, 5> lines{}; // by Change
    for (const Kernel& kernel : model.kernels)
      for (const Line& line : kernel.lines) ++lines[static_cast<std::size_t>(line.change)];
    return fmt::format("{}: {} worse, {} better, {} new, {} gone, {} as before",
                       text::human(lines[0] + lines[1] + lines[2] + lines[3] + lines[4], "finding"), lines[0],
                       lines[1], lines[2], lines[3], lines[4]);
  }
  if (!is_comparable(model)) return "Not comparable: no kernel was counted in both runs";
  const std::string costs =
      fmt::format("the accesses cost {} ({})", cycles_text(model.cycles), change_text(before, after));
  switch (model.change) {
  case Change::worse: return before == after ? "Worse: more is moved in as many cycles" : "Worse: " + costs;
  case Change::better:
    return before == after ? "Better: less is moved in as many cycles" : "Better: " + costs;
  default:
    if (before != after) return "Same, within the spread of the samples: " + costs;
    return fmt::format("Same: the accesses cost {}, as before", cycles_text(model.cycles));
  }
}

std::vector<std::string> traffic_texts(const Model& model) {
  std::vector<std::string> out;
  auto find = [](const Side& side, access::Space space) {
    auto found = std::ranges::find(side.traffic, space, &Traffic::space);
    return found == side.traffic.end() ? Traffic{} : *found;
  };
  std::vector<access::Space> spaces;
  for (const Side* side : {&model.before, &model.after})
    for (const Traffic& traffic : side->traffic)
      if (std::ranges::find(spaces, traffic.space) == spaces.end()) spaces.push_back(traffic.space);
  for (access::Space space : spaces) {
    const Traffic before = find(model.before, space), after = find(model.after, space);
    if (before.excess == 0 && after.excess == 0 && before.moved == after.moved) continue;
    out.push_back(
        fmt::format("{} {}", access::name(space), from_to(traffic_text(before), traffic_text(after))));
  }
  return out;
}

} // namespace warplens::diff
