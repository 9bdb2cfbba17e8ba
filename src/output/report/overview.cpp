// What stands below the causes on the first screen: one line for each kernel, and the accesses that no cause tells of.
// Together with what stands above they fill at most 25 lines of a terminal.
//
//    Kernel            launches     moved  for nothing  limited by
//    matmul_scattered         1   67.6 MB          88%  memory
//
//    ✓ matmul.cu:26  load B: 4 sectors; coalesced
#include "arch/count.h"
#include "arch/table.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "summary/bottleneck.h"
#include "summary/findings.h"
#include "summary/parts.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <set>

namespace warplens::report {
namespace {

using access::Space;

constexpr u32 most_accesses = 6;

// What a kernel moves between warps and the L1, and the share of it for nothing; shared memory has a column of its own.
struct Moved {
  summary::Traffic l1;
  u64 wavefronts = 0, excess_wavefronts = 0;
};

Moved moved_by(const Kernel& kernel) {
  Moved out{summary::traffic(kernel)};
  if (const auto shared = kernel.totals.find(Space::shared); shared != kernel.totals.end()) {
    out.wavefronts = shared->second[0].wavefronts;
    out.excess_wavefronts = measure::excess(shared->second[0], Space::shared);
  }
  return out;
}

std::string share_text(u64 excess, u64 all) {
  return all == 0 ? "-" : percent(summary::share_of(excess, all));
}

// As long as the other columns leave room.
std::string shown_name(const Page& page, const Kernel& kernel, bool conflicts) {
  const u32 other_columns = conflicts ? 62 : 51;
  return clip_middle(kernel.label,
                     std::min(60u, page.options.width - std::min(page.options.width - 8, other_columns)));
}

struct Shown {
  const Line* line;
  const AccessRow* row;
};

// The accesses that no cause above tells of, those that cost most first.
std::vector<Shown> by_cost(const Page& page) {
  std::set<const AccessRow*> told; // by a cause above
  for (const Finding& finding : page.model.findings)
    if (!is_served(page, finding))
      for (const Finding::Access& access : finding.accesses) told.insert(&row_of(page, access));
  std::vector<Shown> all;
  for (const Kernel& kernel : page.model.kernels)
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows)
        if (!row.counters.empty() && row.counters[0].instructions != 0 && !told.contains(&row) &&
            !is_parameter_read(row))
          all.push_back({&line, &row});
  std::ranges::stable_sort(all, [](const Shown& a, const Shown& b) {
    return std::pair(a.row->excess_cycles, a.row->cycles) > std::pair(b.row->excess_cycles, b.row->cycles);
  });
  return all;
}

// More than need, whether or not it costs cycles: the L1 may serve it.
bool is_wasteful(const AccessRow& row) {
  constexpr double worth_marking = 1.1;
  return row.cost.actual > worth_marking * row.cost.ideal;
}

// "coalesced" for what is, as courses and Nsight Compute say it; else the pattern.
std::string in_short(const AccessRow& row) {
  using measure::Form;
  const std::string text = pattern_text(row);
  const Form form = row.pattern.shape.form;
  const auto with = [&](std::string_view word, std::string_view instead) {
    return std::string(instead) + text.substr(word.size());
  };
  if (form == Form::no_conflict) return with("no bank conflict", "conflict-free");
  const bool contiguous = form == Form::contiguous || form == Form::reversed || form == Form::with_gaps;
  return contiguous && !is_wasteful(row) ? with("contiguous", "coalesced") : text;
}

// Compute capability 1.0 and 1.1 had no broadcast: what courses of that time call uncoalesced.
std::string long_ago(const Page& page, const AccessRow& row) {
  constexpr u32 oldest_sm = 10;
  const arch::Architecture *oldest = arch::find(oldest_sm),
                           *device =
                               page.model.input.sm.empty() ? nullptr : arch::find(page.model.input.sm[0]);
  using measure::Form;
  const Form form = row.pattern.shape.form;
  if (oldest == nullptr || device == nullptr || row.space != Space::global ||
      row.distribution.classes.empty() || row.pattern.shape.stride != 0 ||
      (form != Form::broadcast && form != Form::rows))
    return "";
  const access::WarpAccess& warp = row.distribution.classes.front().example;
  const u64 then = arch::count(*oldest, warp).transactions;
  return then <= 2 * arch::count(*device, warp).transactions
             ? ""
             : fmt::format(" (on 1.0: {} transactions)", then);
}

std::string access_line(const Page& page, const Shown& shown) {
  const AccessRow& row = *shown.row;
  const bool wasteful = is_wasteful(row);
  const std::string_view unit = row.cost.unit.empty() ? "requests" : row.cost.unit;
  const std::string array = array_name(row.site.array);
  std::string what(row.site.kind == access::Kind::async_copy ? "async copy" : access::name(row.site.kind));
  if (row.space != Space::global) what += fmt::format(" {}", access::name(row.space));
  constexpr u32 most = 24; // of "parameter 1 (kernel_param_0)" the number is enough
  const std::string_view name(array.data(),
                              array.size() > most ? std::min(array.find(" ("), array.size()) : array.size());
  if (!array.empty()) what += " " + clip_middle(name, most);
  const std::string cost = wasteful
                               ? findings::cost_text(row.cost.actual, unit, row.cost.ideal)
                               : fmt::format("{} {}", findings::number(row.cost.actual),
                                             row.cost.actual == 1 ? unit.substr(0, unit.size() - 1) : unit);
  const std::string place = clip_middle(place_name(page, *shown.line), page.options.width / 2);
  const std::string text =
      fmt::format("{}  {}: {}{}; {}", place, what, cost, long_ago(page, row), in_short(row));
  const std::string rest = clip(text, page.options.width - 2) + '\n';
  if (!wasteful) return page.style.good("✓ ") + rest;
  return (row.excess_cycles != 0 ? page.style.bad("✗ ") : page.style.poor("○ ")) + rest;
}

// What is to be known of a kernel's counts: of how many blocks they are, why no proof counted it, or that its input
// may be wrong.
std::string reasons_of(const Page& page, const std::vector<const Kernel*>& kernels) {
  constexpr std::size_t most = 2;
  std::vector<std::string> sampled, others;
  for (const Kernel* kernel : kernels)
    if (kernel->status == measure::Status::sampled)
      sampled.push_back(fmt::format("~ {}: sampled {}, {}{}", kernel->short_name, blocks_of(*kernel),
                                    plus_minus(kernel->spread),
                                    kernel->reasons.empty() ? "" : "; " + kernel->reasons.back().text));
    else if (kernel->status == measure::Status::exact && !kernel->reasons.empty() &&
             !page.leaves_out(Spared::reasons))
      others.push_back(fmt::format("{}: {}", kernel->short_name, kernel->reasons[0].text));
  sampled.insert(sampled.end(), others.begin(), others.end());
  std::string out;
  for (const std::string& text : sampled | std::views::take(most)) out += hanging(text, page.options.width);
  return out;
}

// Where the program used several devices: what each did, in a line where all did the same.
std::string device_list(const Page& page) {
  const std::map<u32, summary::DeviceSum> devices = summary::sums_by_device(page.model);
  if (devices.empty()) return "";
  const summary::DeviceSum& first = devices.begin()->second;
  if (std::ranges::all_of(devices, [&](const auto& one) { return one.second == first; }))
    return '\n' + wrap(fmt::format("Each of {}: {}, {} moved.", human(devices.size(), "device"),
                                   human(first.launches, "launch"), human_bytes(first.moved_bytes)),
                       "", page.options.width);
  std::string out = '\n' + page.style.faint("Device    launches      moved  for nothing") + '\n';
  for (const auto& [device, sum] : devices)
    out += fmt::format("{}{}{}{}\n", pad_right(fmt::format("{}", device), 8),
                       pad_left(human(sum.launches), 10), pad_left(human_bytes(sum.moved_bytes), 11),
                       pad_left(percent(summary::share_of(sum.excess_bytes, sum.moved_bytes)), 13));
  return out;
}

// Of a job of several ranks: what they did differently.
std::string rank_list(const Page& page) {
  constexpr std::size_t most_kernels = 5, most_lines = 3;
  const std::size_t there = page.model.input.ranks.processes.size();
  if (there < 2) return "";
  std::string out;
  std::size_t kernels = 0, lines = 0;
  auto tell = [&](const std::string& name, const summary::Parts& parts) {
    out += hanging(fmt::format("{}: {}", name, summary::in_words(parts, "rank")), page.options.width);
  };
  auto differ = [&](const summary::Parts& parts) {
    return parts.count != 0 &&
           (parts.count < parts.of || human_bytes(parts.least.bytes) != human_bytes(parts.most.bytes));
  };
  for (const Kernel& kernel : page.model.kernels)
    if (differ(kernel.ranks) && kernels++ < most_kernels) tell(kernel.short_name, kernel.ranks);
  for (const Kernel& kernel : page.model.kernels)
    for (const Line& line : kernel.lines) // where fewer ranks launch the kernel, that was said
      if (line.ranks.count < kernel.ranks.count && line.place.line != 0 && lines++ < most_lines)
        tell(fmt::format("{} ({})", place_name(page, line), kernel.short_name), line.ranks);
  auto same = [](const auto& some) { return some.ranks.least.bytes == some.ranks.most.bytes; };
  const bool all_same = std::ranges::all_of(page.model.kernels, [&](const Kernel& kernel) {
    return same(kernel) && std::ranges::all_of(kernel.lines, same);
  });
  if (out.empty())
    return '\n' + fmt::format("Each of {} {}.\n", human(there, "rank"),
                              all_same ? "did the same" : "moved nearly the same amount");
  const std::size_t left_out =
      kernels - std::min(kernels, most_kernels) + lines - std::min(lines, most_lines);
  if (left_out != 0) out += fmt::format("and {} more (--json, --html)\n", human(left_out));
  return '\n' + page.style.faint("What ranks did differently") + '\n' + out;
}

} // namespace

std::string kernel_list(const Page& page) {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : page.model.kernels) kernels.push_back(&kernel);
  if (kernels.empty()) return "";
  // The line that says how many are left out takes the room of a row.
  const u32 top = page.leaves_out(Spared::more_kernels) && kernels.size() > 4 ? 3 : page.options.top_kernels;
  const std::size_t shown = top == 0 ? kernels.size() : std::min<std::size_t>(top, kernels.size());
  const bool conflicts = std::ranges::any_of(
      kernels, [](const Kernel* kernel) { return moved_by(*kernel).excess_wavefronts != 0; });
  u32 name_width = 8;
  std::map<std::string, u32> names; // as shown: how many kernels have it
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string title = shown_name(page, *kernels[i], conflicts);
    ++names[title];
    name_width = std::max(name_width, width_of(title));
  }
  std::string out =
      '\n' +
      page.style.faint(clip(pad_right("Kernel", name_width) + "  launches      moved  for nothing" +
                                (conflicts ? "  conflicts" : "") + "  limited by",
                            page.options.width)) +
      '\n';
  for (std::size_t i = 0; i < shown; ++i) {
    const Kernel& kernel = *kernels[i];
    const bool counted = measure::is_counted(kernel.status) || kernel.measured;
    std::string limited(counted ? name(kernel.limiter) : measure::name(kernel.status));
    if (kernel.measured_time) limited += fmt::format(", took {}", human_time(*kernel.measured_time));
    const Moved moved =
        counted ? moved_by(kernel) : Moved{}; // of a part, which depends on when it was stopped
    const bool sampled = kernel.status == measure::Status::sampled;
    std::string title = shown_name(page, kernel, conflicts);
    if (names[title] > 1) { // which of them it is, a line of its own tells
      out += clip_middle(kernel.label, page.options.width) + '\n';
      title.clear();
    }
    out +=
        clip(fmt::format("{}{}{}{}{}  {}", pad_right(title, name_width), pad_left(human(kernel.launches), 10),
                         pad_left(moved.l1.bytes == 0 ? "-" : shown_bytes(moved.l1.bytes, sampled), 11),
                         pad_left(share_text(moved.l1.excess_bytes, moved.l1.bytes), 13),
                         conflicts ? pad_left(share_text(moved.excess_wavefronts, moved.wavefronts), 11) : "",
                         limited),
             page.options.width) +
        '\n';
  }
  if (shown < kernels.size())
    out += wrap(fmt::format("and {} with less waste (--top-kernels 0 shows all)",
                            human(kernels.size() - shown, "kernel")),
                "", page.options.width);
  return out + reasons_of(page, {kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(shown)}) +
         device_list(page) + rank_list(page);
}

std::string access_list(const Page& page, std::size_t room) {
  std::string out;
  std::set<std::string> told;
  const std::vector<Shown> all = by_cost(page);
  const std::size_t most = std::min<std::size_t>(room, most_accesses);
  for (const Shown& shown : all) {
    if (told.size() == most) break;
    if (std::string line = access_line(page, shown); told.insert(line).second) out += line;
  }
  return out;
}

} // namespace warplens::report
