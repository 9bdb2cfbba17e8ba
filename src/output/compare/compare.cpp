// See compare.h: kernels and launches (launches.h), of each what it did by line (lines.h) and as a whole, and of what differs
// the reason (reasons.h).
#include "compare/compare.h"
#include "access/opcode.h"
#include "compare/launches.h"
#include "compare/moved.h"
#include "compare/reasons.h"
#include "measured/launches.h"
#include "summary/limit.h"
#include "summary/summable.h"
#include "text/regex.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace warplens::compare {
namespace {

using summary::Launch;

double residual_of(std::optional<double> first, std::optional<double> second) {
  if (!first || !second || *first == *second) return 0;
  return (*second - *first) / std::max(std::abs(*first), std::abs(*second));
}

// Atomics and reductions are one kind, as the assembler decides which it makes. Asynchronous copies are loads, as the L1 sees them, and so
// are those of matrices. Copies in bulk do not pass the L1.
bool is_part(const measure::SiteRecord& site, const measured::Sum& sum) {
  if (measure::is_copied_half(site) || access::is_bulk(site.site)) return false;
  const access::Kind kind =
      site.site.kind == access::Kind::ldmatrix ? access::Kind::load : joined(site.site.kind);
  const bool copy = kind == access::Kind::async_copy && joined(sum.kind) == access::Kind::load &&
                    sum.count != &arch::Counts::wavefronts;
  return site.space == sum.space && (kind == joined(sum.kind) || copy) && !site.counters.empty();
}

// Counters of one space, kind and count are one sum.
bool is_same(const measured::Sum& a, const measured::Sum& b) {
  return a.space == b.space && joined(a.kind) == joined(b.kind) && a.count == b.count;
}

// What is predicted of the tag stage: nothing of asynchronous copies; of local memory, a pass where a request touches one line.
std::optional<double> tag_passes_of(const measure::SiteRecord& site) {
  const arch::Counts& counts = site.counters[0];
  if (site.site.kind == access::Kind::async_copy && counts.instructions != 0) return {};
  if (site.space != access::Space::local) return static_cast<double>(counts.tag_passes);
  if (counts.tags != counts.requests) return {};
  return static_cast<double>(counts.requests);
}

// What a side says of a sum of the whole launch.
std::optional<double> sum_of(const Launch& launch, bool measured, const measured::Sum& sum) {
  double out = 0;
  if (measured) {
    for (const measured::Sum& part : measured::sums()) {
      if (!is_same(part, sum)) continue;
      auto known = launch.counters.find(std::string(part.counter));
      if (known == launch.counters.end()) return {};
      out += known->second;
    }
    return out;
  }
  for (const measure::SiteRecord& site : launch.record.sites) {
    if (!is_part(site, sum)) continue;
    std::optional<double> value = static_cast<double>(site.counters[0].*sum.count);
    if (sum.count == &arch::Counts::tag_passes) value = tag_passes_of(site);
    if (!value) return {};
    out += *value;
  }
  return out;
}

class Comparison {
public:
  Comparison(Model& model, const std::vector<summary::SourceLines>& sources,
             const summary::SourceLines& files, const Options& options)
      : model_(model), sources_(sources), files_(files), moved_(model.sides, sources, model.base),
        options_(options) {}

  void add(const MatchedKernel& matched) {
    Kernel& kernel = model_.kernels.emplace_back();
    kernel.name = matched.name;
    kernel.launches = matched.launches;
    for (const Match& match : matched.matches) {
      kernel.groups.push_back(launches_of(match));
      kernel.weight += kernel.groups.back().weight * static_cast<double>(match.count);
    }
    std::ranges::stable_sort(kernel.groups, std::greater{}, &Launches::weight);
  }

private:
  Launches launches_of(const Match& match) {
    Launches out{.first = match.first, .count = match.count};
    for (std::size_t s = 0; s < model_.sides.size(); ++s) {
      const Launch* launch = match.launch[s];
      if (launch == nullptr) continue;
      out.grid[s] = launch->record.grid, out.block[s] = launch->record.block;
      const measure::LaunchRecord& record = launch->record;
      if (measure::is_part(record.status))
        out.problem[s] = fmt::format("{}, ", measure::name(record.status)) +
                         measure::in_words(record.blocks, record.grid.count());
      else if (!measure::is_whole(record.status))
        out.problem[s] = record.reason.empty() ? std::string(measure::name(record.status)) : record.reason;
    }
    const Launch *first = match.launch[model_.base], *second = match.launch[model_.other];
    if (first == nullptr || second == nullptr) return out;
    model_.launches += match.count;
    times(out, match);
    assembled_ = model_.sides[model_.base].code() != Code::measured && first->record.machine_code == 0 &&
                 (model_.sides[model_.other].measured() || second->record.machine_code != 0);
    const bool lines_equal = add_lines(out, match), sums_equal = add_sums(out, match);
    if (out.lines.empty() ? sums_equal : lines_equal) model_.launches_equal += match.count;
    for (const Line& line : out.lines) out.weight += line.weight;
    return out;
  }

  // Reasons that concern a whole launch.
  Reason launch_reason(const Launches& launches) const {
    if (!launches.problem[model_.base].empty() || !launches.problem[model_.other].empty())
      return Reason::uncounted;
    if (launches.grid[model_.base] != launches.grid[model_.other] ||
        launches.block[model_.base] != launches.block[model_.other])
      return Reason::other_input;
    return Reason::none;
  }

  bool is_equal(const Count& count) const { return std::abs(count.residual) <= options_.tolerance; }

  void settle(Count& count, Reason reason, u64 times) {
    if (is_equal(count)) {
      model_.equal += times;
      return;
    }
    count.reason = reason;
    model_.different[reason] += times;
    if (std::ranges::find(options_.accepted, reason) == options_.accepted.end()) model_.differs = true;
  }

  bool add_lines(Launches& out, const Match& match) {
    std::array<Lines, most_sides> lines;
    std::array<bool, most_sides> known{};
    std::map<LineKey, bool> keys;
    for (std::size_t s = 0; s < model_.sides.size(); ++s) {
      const summary::Launch* launch = match.launch[s];
      // A profiler's sums say nothing by line.
      if (launch == nullptr || (launch->record.sites.empty() && !launch->counters.empty())) continue;
      known[s] = true;
      lines[s] = moved_.place(s, lines_of(match.launch[s]->record));
      for (const auto& [key, sum] : lines[s]) keys[key] = true;
    }
    if (!known[model_.base] || !known[model_.other]) return false;
    std::map<std::pair<access::Space, access::Kind>, Whole> wholes;
    for (const auto& [key, sum] : lines[model_.base])
      wholes[{key.space, key.kind}].predicted.counts += sum.counts;
    for (const auto& [key, sum] : lines[model_.other])
      wholes[{key.space, key.kind}].measured.counts += sum.counts;
    const Reason of_launch = launch_reason(out);
    const bool edited = moved_.changed(model_.other, lines[model_.other]);
    bool good = true;
    for (const auto& [key, unused] : keys) {
      std::vector<LineCount> compared = counts_of(key.space, key.kind);
      if (compared.empty()) continue;
      Pair pair{find(lines[model_.base], key), find(lines[model_.other], key)};
      Line line = line_of(key, lines);
      for (const LineCount& what : compared) {
        Count count{what.name, values_of(key, lines, known, what), 0};
        if (!count.values[model_.base] || !count.values[model_.other]) continue;
        count.residual = residual_of(count.values[model_.base], count.values[model_.other]);
        Reason reason = of_launch;
        if (reason == Reason::none) {
          reason = reason_of(key, pair, wholes[{key.space, key.kind}], assembled_, what.name);
          if (edited && reason != Reason::timing) reason = Reason::edited;
        }
        settle(count, reason, match.count);
        if (count.reason != Reason::none) {
          line.reason = count.reason;
          line.weight += std::abs(*count.values[model_.other] - *count.values[model_.base]) * what.cycles;
          good = false;
        }
        line.counts.push_back(std::move(count));
      }
      out.lines.push_back(std::move(line));
    }
    std::ranges::stable_sort(out.lines, std::greater{}, &Line::weight);
    return good;
  }

  static const LineSum* find(const Lines& lines, const LineKey& key) {
    auto found = lines.find(key);
    return found == lines.end() ? nullptr : &found->second;
  }

  Values values_of(const LineKey& key, const std::array<Lines, most_sides>& lines,
                   const std::array<bool, most_sides>& known, const LineCount& what) const {
    Values out;
    for (std::size_t s = 0; s < most_sides; ++s) {
      if (!known[s] || lacks(s, what.name)) continue;
      const LineSum* sum = find(lines[s], key);
      out[s] = sum == nullptr ? 0 : static_cast<double>(sum->counts.*what.value);
    }
    return out;
  }

  bool lacks(std::size_t side, std::string_view count) const {
    const std::optional<summary::Measurement>& measured = model_.sides[side].input->measured;
    return measured && std::ranges::find(measured->lacks, count) != measured->lacks.end();
  }

  Line line_of(const LineKey& key, const std::array<Lines, most_sides>& lines) const {
    Line out{.space = key.space, .kind = key.kind};
    for (std::size_t s = 0; s < model_.sides.size(); ++s)
      if (const LineSum* sum = find(lines[s], key)) {
        out.numbers[s] = sum->place.line;
        if (out.place.line == 0 && sum->place.line != 0) {
          out.place = sum->place;
          out.text = text_of(s, out.place);
        }
        if (out.function.empty()) out.function = sum->function;
        out.opcodes[s] = fmt::format("{}", fmt::join(sum->opcodes, " "));
      }
    return out;
  }

  // As the side has it, or another one, since profilers seldom keep sources, or else the disk.
  std::string text_of(std::size_t side, const access::SourceFrame& place) const {
    if (auto text = sources_[side](place.file, place.line)) return *text;
    for (const summary::SourceLines& source : sources_)
      if (auto text = source(place.file, place.line)) return *text;
    return files_(place.file, place.line).value_or("");
  }

  static std::set<Reason> reasons_of_lines(const Launches& launches, const measured::Sum& sum) {
    std::set<Reason> found;
    for (const Line& line : launches.lines)
      if (line.space == sum.space && line.kind == joined(sum.kind) && line.reason != Reason::none)
        found.insert(line.reason);
    return found;
  }

  // Of a sum of the whole launch: the reason of the lines that it is of where they have one, else what its space and kind tell.
  Reason sum_reason(const Launches& launches, const measured::Sum& sum, const Count& count) const {
    const std::set<Reason> found = reasons_of_lines(launches, sum);
    if (found.size() == 1) return *found.begin();
    if (found.contains(Reason::edited)) return Reason::edited;
    if (!assembled_) return Reason::unexplained;
    if (joined(sum.kind) == access::Kind::atomic) return Reason::contended;
    if (sum.space == access::Space::local) return count.residual > 0 ? Reason::spilled : Reason::registers;
    return Reason::unexplained;
  }

  bool add_sums(Launches& out, const Match& match) {
    bool good = true;
    const Reason of_launch = launch_reason(out);
    const std::span<const measured::Sum> sums = measured::sums();
    for (const measured::Sum& sum : sums) {
      auto first =
          std::ranges::find_if(sums, [&](const measured::Sum& other) { return is_same(other, sum); });
      if (&*first != &sum) continue; // is part of it
      Count count{sum.counter, {}, 0};
      bool any = false;
      for (std::size_t s = 0; s < model_.sides.size(); ++s)
        if (match.launch[s] != nullptr) {
          count.values[s] = sum_of(*match.launch[s], model_.sides[s].measured(), sum);
          any = any || count.values[s].value_or(0) != 0;
        }
      if (!any || !count.values[model_.base] || !count.values[model_.other]) continue;
      count.residual = residual_of(count.values[model_.base], count.values[model_.other]);
      model_.sums += match.count;
      model_.sums_equal += is_equal(count) ? match.count : 0;
      const Reason reason = of_launch != Reason::none ? of_launch : sum_reason(out, sum, count);
      if (out.lines.empty() || (!is_equal(count) && reasons_of_lines(out, sum).empty()))
        settle(count, reason, match.count);
      else if (!is_equal(count)) // the lines have said it
        count.reason = reason;
      good = good && is_equal(count);
      out.sums.push_back(std::move(count));
    }
    return good;
  }

  // The least time that is predicted, and the time that was measured.
  void times(Launches& out, const Match& match) {
    for (std::size_t s = 0; s < model_.sides.size(); ++s) {
      const Launch* launch = match.launch[s];
      if (launch == nullptr || launch->record.sm.empty()) continue;
      if (auto took = launch->counters.find("gpu__time_duration.sum");
          took != launch->counters.end() && !out.took)
        out.took = took->second * 1e-9;
      const arch::Architecture* row = arch::find(launch->record.sm[0]);
      if (row == nullptr || model_.sides[s].measured() || !measure::is_whole(launch->record.status) ||
          out.bound)
        continue;
      summary::Limit limit;
      summary::add(limit, launch->record, 1, *row);
      if (limit.bound != 0) out.bound = summary::seconds(limit.bound, *row);
    }
  }

  Model& model_;
  const std::vector<summary::SourceLines>& sources_;
  const summary::SourceLines& files_;
  const MovedLines moved_;
  const Options& options_;
  bool assembled_ =
      false; // of the launch: the base ran as PTX, and what the other ran came from the assembler
};

// Which two sides residuals are of: the first prediction and the first measurement; without one of these, the first prediction from
// PTX and the first from machine code.
void choose_pair(Model& model) {
  auto place = [&](auto&& is) -> std::optional<std::size_t> {
    auto found = std::ranges::find_if(model.sides, is);
    if (found == model.sides.end()) return {};
    return static_cast<std::size_t>(found - model.sides.begin());
  };
  auto choose = [&](std::optional<std::size_t> base, std::optional<std::size_t> other) {
    if (base && other) model.base = *base, model.other = *other;
    return base && other;
  };
  const auto measured = place([](const Side& side) { return side.code() == Code::measured; });
  if (choose(place([](const Side& side) { return side.code() != Code::measured; }), measured)) return;
  choose(place([](const Side& side) { return side.code() == Code::ptx; }),
         place([](const Side& side) { return side.code() == Code::machine_code; }));
}

void add_notes(Model& model, u64 others) {
  const std::string &first = model.sides[model.base].name, &second = model.sides[model.other].name;
  for (const Kernel& kernel : model.kernels) {
    const u64 a = kernel.launches[model.base], b = kernel.launches[model.other];
    if (a == b) continue;
    model.notes.push_back(fmt::format("{}: {} in '{}' and {} in '{}'", kernel.name, text::human(a, "launch"),
                                      first, text::human(b, "launch"), second));
  }
  for (const Side& side : model.sides)
    for (const diag::Diagnostic& message : side.input->messages)
      if (message.kind == summary::counts_too_large)
        model.notes.push_back(fmt::format("'{}': {}", side.name, message.message));
  if (others != 0)
    model.notes.push_back(fmt::format("{} left out by --kernel", text::human(others, "kernel")));
  u64 without = 0;
  for (const Kernel& kernel : model.kernels)
    for (const Launches& launches : kernel.groups)
      if (launches.lines.empty() && launches.grid[model.base] && launches.grid[model.other])
        without += launches.count;
  if (without != 0)
    model.notes.push_back(fmt::format("{} without counters by line on one side, or without an access",
                                      text::human(without, "launch")));
}

} // namespace

std::string_view name(Code code) {
  switch (code) {
  case Code::ptx: return "ptx";
  case Code::machine_code: return "machine-code";
  case Code::measured: return "measured";
  }
  return {};
}

Code Side::code() const {
  if (measured()) return Code::measured;
  return summary::machine_code_of(input->launches) != 0 ? Code::machine_code : Code::ptx;
}

Result<Model> compare(std::vector<Side> sides, const std::vector<summary::SourceLines>& sources,
                      const summary::SourceLines& files, const Options& options) {
  if (Result<void> good = summary::check_kernel_filter(options.kernel_filter); !good)
    return failure(good.error());
  const auto filter = text::Regex::compile(options.kernel_filter);
  Model model{.sides = std::move(sides)};
  choose_pair(model);
  Result<std::vector<MatchedKernel>> matched = match_launches(model.sides);
  if (!matched) return failure(matched.error());
  Comparison comparison(model, sources, files, options);
  u64 others = 0;
  for (const MatchedKernel& kernel : *matched) {
    if (options.kernel_filter.empty() || filter->matches_within(kernel.name))
      comparison.add(kernel);
    else
      ++others;
  }
  std::ranges::stable_sort(model.kernels, std::greater{}, &Kernel::weight);
  add_notes(model, others);
  // A profiler was told to measure some launches, or a program to do fewer.
  const bool missing = std::ranges::any_of(model.kernels, [&](const Kernel& kernel) {
    return kernel.launches[model.base] != kernel.launches[model.other];
  });
  const bool accepted = std::ranges::find(options.accepted, Reason::uncounted) != options.accepted.end();
  if (missing && !accepted && !model.differs)
    model.notes.push_back("the sides differ in their launches alone: --launches counts as many of a run, "
                          "--accept uncounted lets it pass");
  model.differs = model.differs || (missing && !accepted);
  return model;
}

} // namespace warplens::compare
