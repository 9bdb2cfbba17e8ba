// A table for a pull request. Names and source lines are foreign text: nothing in them is markup.
#include "base/diagnostic.h"
#include "diff/words.h"
#include "diff/writers.h"
#include "findings/words.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

struct Entry {
  const Kernel* kernel;
  const Line* line;
};

std::string mark(Change change) {
  switch (change) {
  case Change::worse: return "🔴 worse";
  case Change::better: return "🟢 better";
  case Change::added: return "new";
  case Change::removed: return "gone";
  case Change::same: break;
  }
  return "same";
}

std::string line_row(const Model& model, const Entry& entry) {
  const Line& line = *entry.line;
  std::string costs, changes;
  for (const ComparedAccess& access : line.accesses) {
    if (access.change == Change::same) continue;
    const ComparedAccess::Side& side = access.after ? *access.after : *access.before;
    costs += (costs.empty() ? "" : "<br>") +
             findings::markdown_cell(fmt::format("{}: {}", side.what, cost_text(access)));
    changes += (changes.empty() ? "" : "<br>") + change_text(access, model.counted);
  }
  std::string where =
      findings::markdown_cell(place_name(line)) + "<br>" + findings::markdown_cell(text_of(line));
  return fmt::format("| {} | {} | {} | {} | {} |\n", mark(line.change),
                     findings::markdown_cell(kernel_name(*entry.kernel)), where, costs, changes);
}

std::string kernel_rows(const Model& model) {
  std::string out;
  for (const Kernel& kernel : model.kernels) {
    if (kernel.change == Change::same) continue;
    auto both = [&](auto&& before, auto&& after) {
      return from_to(kernel.before ? before : std::string(), kernel.after ? after : std::string());
    };
    auto cycles = [&](double value) { return amount(value, kernel.cycles.spread != 0); };
    auto waste = [](const std::optional<Kernel::Side>& side) {
      return side ? text::percent(side->cost.waste()) : std::string();
    };
    out += fmt::format("| {} | {} | {} | {} | {} |\n", mark(kernel.change),
                       findings::markdown_cell(kernel_name(kernel)),
                       both(cycles(kernel.cycles.before), cycles(kernel.cycles.after)),
                       both(waste(kernel.before), waste(kernel.after)), change_text(kernel));
  }
  return out;
}

} // namespace

std::string markdown(const Model& model, const std::vector<std::string>& fails, std::size_t most) {
  auto escaped = [](const std::string& text) { return findings::markdown_cell(text); };
  std::string out = fmt::format("### WarpLens: {}\n\n{} → {}", escaped(verdict(model)),
                                escaped(model.before.name), escaped(model.after.name));
  if (model.sm != 0) out += ", compute capability " + text::compute_capability(model.sm);
  out += '\n';
  for (const std::string& text : traffic_texts(model)) out += "* moved for nothing: " + escaped(text) + '\n';
  for (const std::string& text : fails) out += "* **fails**: " + escaped(text) + '\n';
  for (const std::string& text : model.warnings) out += "* **careful**: " + escaped(text) + '\n';
  if (model.counted)
    if (const std::string rows = kernel_rows(model); !rows.empty())
      out += "\n| | kernel | cycles | for nothing | change |\n|---|---|---|---|---|\n" + rows;
  std::vector<Entry> lines;
  for (const Kernel& kernel : model.kernels)
    for (const Line& line : kernel.lines)
      if (kernel.before && kernel.after && line.change != Change::same) lines.push_back({&kernel, &line});
  std::ranges::stable_sort(lines, std::greater<>(), [](const Entry& entry) {
    return std::abs(entry.line->new_cost.cycles - entry.line->old_cost.cycles);
  });
  const std::size_t shown = std::min(most, lines.size());
  if (shown != 0) out += "\n| | kernel | line | cost of each | change |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < shown; ++i) out += line_row(model, lines[i]);
  if (shown < lines.size()) out += fmt::format("\nand {}\n", text::human(lines.size() - shown, "more line"));
  for (const std::string& text : model.notes) out += '\n' + escaped(text) + '\n';
  return text::with_plain_blanks(out);
}

} // namespace warplens::diff
