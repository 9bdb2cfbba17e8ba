// What --details adds: each instruction with the counts that Nsight Compute's source page has for it, so that the two can be
// compared row by row, and all advice. Its L1 efficiency is that of Pearson ("Measuring Memory Access Efficiency in Nsight
// Compute"): bytes that threads ask for, over those of the lines that the L1 is asked for. Also where inlined accesses came
// from, and what never ran.
#include "report/sections.h"
#include "text/words.h"
#include <fmt/format.h>
#include <set>

namespace warplens::report {
namespace {

using access::Space;
using arch::Counts;

constexpr u32 opcode_width = 19, detail_count_width = 9;

std::string l1_efficiency(const AccessRow& row, const Counts& counters) {
  if (counters.tags == 0) return "-";
  double ideal = static_cast<double>(counters.threads) * row.site.bytes / 128;
  return fmt::format("{:.0f}%", 100 * ideal / static_cast<double>(counters.tags));
}

std::string table_row(const AccessRow& row) {
  const Counts& c = row.counters[0];
  bool device = row.space != Space::shared && row.space != Space::constant;
  std::string out = "    " + pad_right(clip_middle(row.site.opcode, opcode_width), opcode_width);
  out += pad_left(fmt::format("{}", c.instructions + row.predicated_off), detail_count_width) +
         pad_left(fmt::format("{}", c.threads), detail_count_width + 2);
  out += pad_left(fmt::format("{}", 8 * row.site.bytes), 6);
  out += pad_left(device ? fmt::format("{}", c.tags) : "-", detail_count_width);
  out += pad_left(device ? fmt::format("{}", c.sectors) : "-", detail_count_width);
  return out + pad_left(device ? l1_efficiency(row, c) : "-", 7) + '\n';
}

std::string inlined(const Page& page, const AccessRow& row) {
  std::string out;
  for (std::size_t i = 0; row.site.frames.size() > 1 && i < row.site.frames.size(); ++i) {
    const access::SourceFrame& frame = row.site.frames[i];
    std::string text =
        fmt::format("{} {}:{}", i == 0 ? "in" : "inlined at", file_name(page, frame.file), frame.line);
    if (!frame.function.empty()) text += " (" + frame.function + ")";
    out += "      " + clip_middle(text, page.options.width - 6) + '\n';
  }
  return out;
}

std::string timing_line(const Page& page, const AccessRow& row) {
  std::string_view why;
  switch (row.site.timing_dependent) {
  case access::Timing::none: return "";
  case access::Timing::spin: why = "it is in a loop that waits for other threads"; break;
  case access::Timing::retry: why = "it is repeated until no other thread comes between"; break;
  case access::Timing::race: why = "it follows from which thread came first"; break;
  }
  return wrap(fmt::format("{}: the next run may count differently, so it is in no total", why),
              "      depends on timing: ", page.options.width);
}

// " [sectors 320 -> 40; 7.0: 320 -> 40]": on the device, then under the run's other architectures where that is known.
std::string effects_text(const Page& page, const advise::Advice& advice,
                         const std::vector<std::optional<Effect>>& effects) {
  std::string out =
      fmt::format(" [{} {} -> {}", advise::name(advice.metric), advise::value(advice.metric, advice.before),
                  advise::value(advice.metric, advice.after));
  const std::vector<u32>& sm = page.model.input.sm;
  for (std::size_t a = 1; a < std::min(sm.size(), effects.size()); ++a)
    if (effects[a])
      out += fmt::format("; {}: {} -> {}", compute_capability(sm[a]), effects[a]->before, effects[a]->after);
  return out + "]";
}

// `said`: what the kernel's rows above were told. Many are alike, and get the rule's name alone.
std::string advice_lines(const Page& page, const AccessRow& row, std::set<std::string>& said) {
  std::string out;
  for (std::size_t i = 0; i < row.advice.size(); ++i) {
    const advise::Advice& advice = row.advice[i];
    if (!said.insert(std::string(findings::name(advice.rule)) + advice.cause + advice.change).second) {
      out += wrap(fmt::format("{}, as above", findings::name(advice.rule)),
                  "      advice: ", page.options.width);
      continue;
    }
    std::string text = fmt::format("{} ({}, {}): {}", advice.title, findings::name(advice.rule),
                                   advise::name(advice.confidence), advice.cause);
    if (!advice.change.empty()) text += "; " + advice.change;
    if (advice.gain() > 1.05) text += effects_text(page, advice, row.effects[i]);
    out += wrap(text, "      advice: ", page.options.width);
  }
  return out;
}

} // namespace

std::string instruction_table(const Page& page, const Kernel& kernel) {
  std::string out = "  Instructions, as a profiler's source page counts them:\n    ";
  out += pad_right("PTX", opcode_width) + pad_left("warps", detail_count_width) +
         pad_left("threads", detail_count_width + 2);
  out += pad_left("bits", 6) + pad_left("lines", detail_count_width) +
         pad_left("sectors", detail_count_width) + pad_left("L1 eff", 7) + '\n';
  std::set<std::string> said;
  for (const Line& line : kernel.lines) {
    out += "  " + clip(place_name(page, line), page.options.width - 2) + '\n';
    for (const AccessRow& row : line.rows) {
      out += table_row(row);
      if (row.sites > 1)
        out += fmt::format("      {} PTX instructions, first at PTX line {}\n", row.sites, row.site.ptx_line);
      out += inlined(page, row) + timing_line(page, row) + advice_lines(page, row, said);
    }
  }
  if (!kernel.never_executed.empty()) out += "  Never executed:\n";
  for (const AccessRow& row : kernel.never_executed) {
    std::string place =
        row.site.frames.empty()
            ? fmt::format("PTX line {}", row.site.ptx_line)
            : fmt::format("{}:{}", file_name(page, row.site.frames[0].file), row.site.frames[0].line);
    out += "    " + clip_middle(fmt::format("{}  {}", place, row.site.opcode), page.options.width - 4) + '\n';
  }
  return out;
}

std::string legend_section(const Page& page) {
  static constexpr std::pair<std::string_view, std::string_view> rows[] = {
      {"warps", "inst_executed (with at least one active lane)"},
      {"threads", "thread_inst_executed_true"},
      {"requests", "l1tex__t_requests; constant: idc__requests"},
      {"lines", "memory_l1_tag_requests_global: 128-byte lines per request"},
      {"sectors", "memory_l2_theoretical_sectors_global: 32-byte sectors per request"},
      {"ideal", "memory_l2_theoretical_sectors_global_ideal"},
      {"wavefronts", "memory_l1_wavefronts_shared; ideal: memory_l1_wavefronts_shared_ideal"},
      {"effic", "bytes asked for by active lanes / bytes moved (shared: ideal / wavefronts)"},
      {"L1 eff", "threads x size / 128 / lines; over 100% where lanes share data"},
      {"waste", "share of the cycles that the kernel's accesses lose at an SM's busiest stage"},
  };
  std::string out = '\n' + page.style.bold("What the columns predict, by Nsight Compute's names") + '\n';
  for (const auto& [column, counter] : rows)
    out += wrap(counter, "  " + pad_right(column, 12), page.options.width);
  return out;
}

} // namespace warplens::report
