// What the numbers do not cover, and what the run had to say.
#include "html/report_data.h"
#include "text/words.h"
#include <fmt/format.h>

namespace warplens::html {
namespace {

struct Gaps {
  Json list = Json::array();
  void add(const std::string& what, const std::string& why) { list.push_back({what, why}); }
};

void add_kernels(const summary::Model& model, Gaps& gaps) {
  for (const summary::Kernel& kernel : model.kernels) {
    if (measure::is_whole(kernel.status)) continue;
    const std::string status = std::string(measure::name(kernel.status)) +
                               (measure::is_part(kernel.status) ? ", " + summary::blocks_of(kernel) : "");
    for (const summary::Reason& reason : kernel.reasons)
      gaps.add(fmt::format("{}: {} {}", kernel.label, text::human(reason.launches, "launch"), status),
               reason.text);
    if (kernel.reasons.empty())
      gaps.add(fmt::format("{}: {} {}", kernel.label, text::human(kernel.launches, "launch"), status), "");
  }
}

void add_missing(const summary::Model& model, Gaps& gaps) {
  const summary::Missing& missing = model.input.missing;
  if (missing.launches != 0)
    gaps.add(text::human(missing.launches, "launch") + " missing", "their records did not arrive");
  if (missing.processes != 0)
    gaps.add(text::human(missing.processes, "process") + " not counted to the end",
             "what they launched is missing: the messages say why");
  if (model.filtered_out != 0)
    gaps.add(text::human(model.filtered_out, "launch") + " of other kernels", "left out by --kernel");
  if (model.input.left_out != 0)
    gaps.add(text::human(model.input.left_out, "launch") + " ran without being counted",
             "--launches, --nvtx-include or another option said so");
}

void add_rest(const summary::Model& model, Origin origin, Gaps& gaps) {
  for (const measure::LaunchStarted& launch : model.input.interrupted)
    gaps.add(fmt::format("{}: launch {}", launch.name, launch.index), "did not end before the program did");
  for (const auto& [function, calls] : model.unsupported)
    gaps.add(fmt::format("{}: {}", function, text::human(calls, "call")),
             "not implemented: it returned cudaErrorNotSupported");
  u64 timing = 0;
  for (const summary::Kernel& kernel : model.kernels) timing += kernel.timing_dependent;
  if (timing != 0)
    gaps.add(text::human(timing, "access") + (timing == 1 ? " depends" : " depend") + " on timing",
             "how often they run follows from which thread comes first: they are in no sum");
  const bool machine_code = std::ranges::all_of(
      model.kernels, [](const summary::Kernel& kernel) { return kernel.is_machine_code; });
  if (origin == Origin::run && !machine_code && model.input.local_use.empty())
    gaps.add("register spills are not seen", "they exist only after ptxas, which did not run");
}

} // namespace

Json gaps_data(const summary::Model& model, Origin origin) {
  Gaps out;
  add_kernels(model, out);
  add_missing(model, out);
  add_rest(model, origin, out);
  return out.list;
}

Json messages_data(Scribe& scribe) {
  Json out = Json::array();
  for (const summary::Warning& warning : scribe.model.warnings) {
    const diag::Diagnostic& d = warning.diagnostic;
    Json one{{"severity", std::string(diag::name(d.severity))},
             {"place", report::place_prefix(scribe.words, d)},
             {"text", d.message},
             {"times", warning.times}};
    if (!warning.source.empty()) one["source"] = warning.source;
    if (!d.notes.empty()) one["notes"] = d.notes;
    if (!d.help.empty()) one["help"] = d.help;
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace warplens::html
