// What the numbers do not cover: launches that failed, are unknown or were refused, functions that are not implemented,
// warnings.
#include "report/sections.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::report {
namespace {

std::string heading(const Page& page, std::string_view text) { return '\n' + page.style.bold(text) + '\n'; }

// Kernels, and why they have the status that they have.
std::string with_reasons(const Page& page, bool (*wanted)(measure::Status)) {
  std::string out;
  for (const Kernel& kernel : page.model.kernels) {
    if (!wanted(kernel.status)) continue;
    std::string text = fmt::format("{}: {} {}", kernel.label, human(kernel.launches, "launch"),
                                   measure::name(kernel.status));
    if (kernel.status == measure::Status::partial) text += ", " + blocks_of(kernel);
    if (kernel.reasons.size() == 1) text += ": " + kernel.reasons[0].text;
    out += wrap(text, "  ", page.options.width);
    for (const Reason& reason : kernel.reasons)
      if (kernel.reasons.size() > 1)
        out += wrap(fmt::format("{} ({})", reason.text, human(reason.launches, "launch")), "    ",
                    page.options.width);
  }
  return out;
}

std::string partial(const Page& page) {
  std::string out = with_reasons(page, [](measure::Status s) { return s == measure::Status::partial; });
  return out.empty() ? out : heading(page, "Counted in part") + out;
}

std::string uncounted(const Page& page) {
  std::string out = with_reasons(page, [](measure::Status s) { return !measure::is_counted(s); });
  for (const measure::LaunchStarted& launch : page.model.input.interrupted)
    out += wrap(fmt::format("{}: launch {} did not end before the program did", launch.name, launch.index),
                "  ", page.options.width);
  return out.empty() ? out : heading(page, "Not counted") + out;
}

std::string unsupported(const Page& page) {
  if (page.model.unsupported.empty()) return "";
  std::string out = heading(page, "Not implemented (returned cudaErrorNotSupported)");
  for (const auto& [function, calls] : page.model.unsupported)
    out += wrap(fmt::format("{}: {}", function, human(calls, "call")), "  ", page.options.width);
  return out;
}

std::string warning_text(const Page& page, const Warning& warning) {
  const diag::Diagnostic& d = warning.diagnostic;
  std::string where = place_prefix(page, d);
  std::string times = warning.times == 1 ? "" : fmt::format(" ({} times)", human(warning.times));
  std::string out = wrap(fmt::format("{}{}: {}{}", where, diag::name(d.severity), d.message, times), "  ",
                         page.options.width);
  if (!warning.source.empty()) out += "      " + clip(warning.source, page.options.width - 6) + '\n';
  for (const std::string& note : d.notes) out += wrap("note: " + note, "    ", page.options.width);
  if (!d.help.empty()) out += wrap("help: " + d.help, "    ", page.options.width);
  return out;
}

std::string warnings(const Page& page) {
  if (page.model.warnings.empty()) return "";
  std::string out = heading(page, "Messages");
  for (const Warning& warning : page.model.warnings) out += warning_text(page, warning);
  return out;
}

} // namespace

std::string place_prefix(const Page& page, const diag::Diagnostic& diagnostic) {
  const diag::Span& span = diagnostic.span;
  if (span.file.empty()) return "";
  if (source::is_library_file(span.file))
    for (const diag::Span& call : diagnostic.inlined_at)
      if (!source::is_library_file(call.file))
        return fmt::format("{}:{}: ", file_name(page, call.file), call.line);
  return file_name(page, span.file) + (span.line != 0 ? fmt::format(":{}: ", span.line) : ": ");
}

std::string problem_section(const Page& page) {
  return partial(page) + uncounted(page) + unsupported(page) + warnings(page);
}

std::string closing_section(const Page& page) {
  const Model& model = page.model;
  std::string out;
  if (model.filtered_out != 0)
    out += wrap(fmt::format("{} of other kernels left out by --kernel.", human(model.filtered_out, "launch")),
                "", page.options.width);
  if (u64 left_out = model.input.left_out; left_out != 0)
    out += wrap(
        fmt::format("{} ran without being counted: --launches, --nvtx-include or another option said so.",
                    human(left_out, "launch")),
        "", page.options.width);
  const bool tables = page.options.lines || page.options.details || page.options.annotate;
  const bool any =
      std::ranges::any_of(model.kernels, [](const Kernel& kernel) { return !kernel.lines.empty(); });
  const bool emulated = !model.kernels.empty() && !model.input.measured;
  const bool spills_are_seen =
      !model.input.local_use.empty() ||
      std::ranges::all_of(model.kernels, [](const Kernel& kernel) { return kernel.is_machine_code; });
  if (tables && emulated && !spills_are_seen)
    out += wrap("Register spills are not counted: they exist only after ptxas, which did not run.", "",
                page.options.width);
  std::string end;
  if (emulated && !tables && page.model.excess_cycles != 0)
    end = "Waste: cycles lost at an SM's busiest stage. ";
  if (emulated && !page.leaves_out(Spared::times)) end += "Times printed above are not a GPU's. ";
  if (any && tables)
    end += fmt::format(
        "effic: bytes asked for / bytes moved. waste: share of the cycles that the kernel loses. A sector is "
        "32 bytes{}. ",
        model.totals.contains(access::Space::shared) ? ", a wavefront one pass of shared memory" : "");
  if (any && !page.options.details)
    end += page.options.lines ? "More: --details, --html FILE." : "More: --lines, --html FILE, --help.";
  if (!end.empty()) out += wrap(end, "", page.options.width);
  return out.empty() ? out : '\n' + out;
}

} // namespace warplens::report
