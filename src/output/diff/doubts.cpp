// See doubts.h. Said loudly: what was not counted, what was counted for another device, launches that the other side has not,
// programs that were started or ended differently.
#include "diff/doubts.h"
#include "source/names.h"
#include "summary/summable.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

constexpr std::size_t most_named = 3;

std::string listed(const std::vector<std::string>& all) {
  std::vector<std::string> shown(all.begin(),
                                 all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most_named)));
  std::string out = fmt::format("{}", fmt::join(shown, ", "));
  return all.size() > most_named ? fmt::format("{} and {} more", out, all.size() - most_named) : out;
}

std::vector<std::string> kernels_with(const summary::Model& model, measure::Status status) {
  std::vector<std::string> out;
  for (const summary::Kernel& kernel : model.kernels)
    if (kernel.status == status) out.push_back(text::clip_middle(kernel.label, 60));
  return out;
}

void doubts_of_side(std::vector<std::string>& out, const summary::Model& model, std::string_view which) {
  using measure::Status;
  if (model.input.launches.empty()) out.push_back(fmt::format("the {} run has no launch", which));
  if (const std::vector<std::string> names = kernels_with(model, Status::sampled); !names.empty())
    out.push_back(fmt::format("the {} run counted a sample (~) of {}", which, listed(names)));
  for (const Status status : {Status::partial, Status::failed, Status::unknown, Status::refused})
    if (const std::vector<std::string> names = kernels_with(model, status); !names.empty())
      out.push_back(fmt::format("not compared, because the {} run did not count {} to the end: {}", which,
                                names.size() == 1 ? "it" : "them", listed(names)));
  const summary::Missing& missing = model.input.missing;
  if (missing.launches != 0)
    out.push_back(fmt::format("the {} run lacks {}", which, text::human(missing.launches, "launch")));
  if (!model.complete && out.empty() && !model.input.launches.empty())
    out.push_back(fmt::format("the {} run is not complete: `warplens report` says why", which));
  if (std::ranges::any_of(model.input.messages, [](const diag::Diagnostic& message) {
        return message.kind == summary::counts_too_large;
      }))
    out.push_back(fmt::format("the {} run has counts whose sums would pass 2^64: they are cut", which));
  if (model.input.left_out != 0)
    out.push_back(
        fmt::format("the {} run left out {} on request", which, text::human(model.input.left_out, "launch")));
  const summary::Outcome& outcome = model.input.outcome;
  if (outcome.signal != 0)
    out.push_back(fmt::format("the {} program was killed by signal {}", which, outcome.signal));
  else if (outcome.exit_code != 0)
    out.push_back(fmt::format("the {} program ended with exit code {}", which, outcome.exit_code));
  if (!model.lines_known)
    out.push_back(
        fmt::format("the {} program was built without -lineinfo: its accesses are known by function", which));
  for (const summary::Kernel& kernel : model.kernels)
    if (std::ranges::any_of(kernel.lines, &summary::Line::changed)) {
      out.push_back(fmt::format(
          "source of the {} program was changed after it was built: its lines may be taken for others",
          which));
      break;
    }
}

void devices(Model& model) {
  const std::vector<u32>&before = model.before.sm, &after = model.after.sm;
  if (!before.empty() && !after.empty() && before[0] != after[0])
    model.warnings.push_back(fmt::format(
        "the devices differ, {} and {}, so that other code may have run; compared is compute capability {}",
        text::compute_capability(before[0]), text::compute_capability(after[0]),
        text::compute_capability(model.sm)));
}

// "3 → 5 launches of fb"
void launches(Model& model) {
  std::vector<std::string> differ, added, removed;
  for (const Kernel& kernel : model.kernels) {
    if (kernel.change == Change::added)
      added.push_back(fmt::format("{} ({})", text::clip_middle(kernel.after->label, 60),
                                  text::human(kernel.after->launches, "launch")));
    else if (kernel.change == Change::removed)
      removed.push_back(fmt::format("{} ({})", text::clip_middle(kernel.before->label, 60),
                                    text::human(kernel.before->launches, "launch")));
    else if (kernel.per_launch)
      differ.push_back(fmt::format("{} ({} → {})", text::clip_middle(kernel.after->label, 60),
                                   kernel.before->launches, kernel.after->launches));
  }
  if (!differ.empty())
    model.warnings.push_back("launched another number of times, and compared launch by launch on average: " +
                             listed(differ));
  if (!added.empty()) model.warnings.push_back("only the new run launches " + listed(added));
  if (!removed.empty()) model.warnings.push_back("only the old run launches " + listed(removed));
}

// The program's own words; that the programs themselves are two is why they are compared.
void arguments(Model& model, const std::vector<std::string>& before, const std::vector<std::string>& after) {
  auto words = [](const std::vector<std::string>& command) {
    std::string out =
        command.size() < 2 ? "" : fmt::format("{}", fmt::join(command.begin() + 1, command.end(), " "));
    return out.empty() ? std::string("none") : fmt::format("'{}'", text::clip(out, 60));
  };
  const std::string old_words = words(before), new_words = words(after);
  if (!before.empty() && !after.empty() && old_words != new_words)
    model.warnings.push_back(
        fmt::format("the programs were started with other arguments: {} and {}", old_words, new_words));
}

} // namespace

void add_doubts(Model& model, const summary::Model& before, const summary::Model& after) {
  devices(model);
  std::vector<std::string> doubts;
  doubts_of_side(doubts, before, "old");
  std::vector<std::string> of_new;
  doubts_of_side(of_new, after, "new");
  doubts.insert(doubts.end(), of_new.begin(), of_new.end());
  model.warnings.insert(model.warnings.end(), doubts.begin(), doubts.end());
  launches(model);
  arguments(model, before.input.command, after.input.command);
  if (before.filtered_out != after.filtered_out)
    model.warnings.push_back(fmt::format("a filter left out {} of the old run and {} of the new one",
                                         text::human(before.filtered_out, "launch"),
                                         text::human(after.filtered_out, "launch")));
  const std::size_t ranks = before.input.ranks.processes.size(), others = after.input.ranks.processes.size();
  if (ranks != others && ranks != 0 && others != 0)
    model.warnings.push_back(fmt::format("the old run is of {}, the new one of {}",
                                         text::human(ranks, "rank"), text::human(others, "rank")));
  for (std::string& text : model.warnings) text = text::with_plain_blanks(std::move(text));
  u64 timed[2] = {0, 0};
  for (const summary::Kernel& kernel : before.kernels) timed[0] += kernel.timing_dependent;
  for (const summary::Kernel& kernel : after.kernels) timed[1] += kernel.timing_dependent;
  if (timed[0] + timed[1] != 0)
    model.notes.push_back(
        fmt::format("left out, because the next run may count otherwise: accesses that depend on "
                    "timing ({} of the old run, {} of the new one)",
                    timed[0], timed[1]));
}

} // namespace warplens::diff
