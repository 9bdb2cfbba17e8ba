// Building the model: see model.h for what is grouped and merged, and why; rows.h and kernels.h do it.
#include "summary/model.h"
#include "base/check_kinds.h"
#include "base/closest.h"
#include "source/names.h"
#include "summary/bottleneck.h"
#include "summary/findings.h"
#include "summary/kernels.h"
#include "summary/parts.h"
#include "summary/summable.h"
#include "text/regex.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warplens::summary {
namespace {

void name_files(Model& model, const std::string& root) {
  std::set<std::string> files;
  auto add = [&](const std::string& file) {
    if (!file.empty()) files.insert(file);
  };
  auto add_site = [&](const access::Site& site) {
    for (const access::SourceFrame& frame : site.frames) add(frame.file);
  };
  for (const Kernel& kernel : model.kernels) {
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) add_site(row.site);
    for (const AccessRow& row : kernel.never_executed) add_site(row.site);
  }
  for (const Warning& warning : model.warnings) {
    add(warning.diagnostic.span.file);
    for (const diag::Span& call : warning.diagnostic.inlined_at) add(call.file);
  }
  model.files = source::file_names(files, root);
}

bool lines_known(const std::vector<Kernel>& kernels) {
  bool any = false;
  for (const Kernel& kernel : kernels)
    for (const Line& line : kernel.lines) {
      if (line.place.line != 0) return true;
      any = true;
    }
  return !any;
}

// Of one launch each kind of message is told once for a place (sim/exec/fault.h). Those of other launches differ in threads and
// addresses.
bool is_same(const diag::Diagnostic& a, const diag::Diagnostic& b) {
  if (a.span.line != 0 && !a.kind.empty())
    return a.kind == b.kind && a.severity == b.severity && a.span == b.span && a.inlined_at == b.inlined_at;
  return a.message == b.message && a.help == b.help && a.span == b.span;
}

// The same about the same place once, with how often.
void add_warning(std::vector<Warning>& warnings, const diag::Diagnostic& diagnostic, u64 times,
                 const SourceLines& source) {
  for (Warning& known : warnings)
    if (is_same(known.diagnostic, diagnostic)) {
      known.times += times;
      return;
    }
  std::string text;
  if (diagnostic.span.line != 0) text = source(diagnostic.span.file, diagnostic.span.line).value_or("");
  warnings.push_back({diagnostic, std::move(text), times});
}

// "'a' runs as PTX: …" and the same of others is one message: "…; the same of 'b', 'c'".
void join_by_name(std::vector<Warning>& warnings) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::vector<std::string>>> others;
  std::vector<Warning> out;
  for (Warning& warning : warnings) {
    const std::string& message = warning.diagnostic.message;
    const std::size_t end = message.starts_with('\'') ? message.find("' ") : message.npos;
    if (end != message.npos && warning.diagnostic.span.line == 0) {
      auto [known, fresh] = others.try_emplace({warning.diagnostic.kind, message.substr(end)}, out.size(),
                                               std::vector<std::string>());
      if (!fresh) {
        known->second.second.push_back(message.substr(0, end + 1));
        continue;
      }
    }
    out.push_back(std::move(warning));
  }
  for (const auto& [key, alike] : others)
    if (!alike.second.empty())
      out[alike.first].diagnostic.message += "; the same of " + text::listed(alike.second, 8);
  warnings = std::move(out);
}

Result<text::Regex> compile_filter(const std::string& pattern) {
  auto expression = text::Regex::compile(pattern);
  if (expression) return std::move(*expression);
  return failure(diag::error("bad-kernel-filter",
                             fmt::format("'{}' is not a regular expression: {}",
                                         pattern.size() <= 80 ? pattern : pattern.substr(0, 80) + "…",
                                         expression.error().substr(0, 80)),
                             {}, "give part of the kernel's name, e.g. --kernel 'matmul|transpose'"));
}

bool is_complete(const Input& input) {
  const Missing& missing = input.missing;
  return !input.outcome.was_stopped() && missing.launches == 0 && missing.events == 0 &&
         missing.processes == 0 && input.interrupted.empty() && input.unsupported.empty() &&
         !input.launches.empty() &&
         std::all_of(input.launches.begin(), input.launches.end(),
                     [](const Launch& launch) { return measure::is_whole(launch.record.status); });
}

const std::string& name_of(const Launch& launch) {
  return launch.record.name.empty() ? launch.record.kernel : launch.record.name;
}

diag::Diagnostic nothing_matches(const std::string& pattern, const std::vector<Launch>& launches) {
  constexpr std::size_t most_named = 5;
  std::set<std::string> names;
  for (const Launch& launch : launches) names.insert(name_of(launch));
  diag::Diagnostic out = diag::warning(
      "no-kernel-matches", fmt::format("no kernel that was launched matches --kernel '{}'", pattern));
  std::size_t named = 0;
  for (const std::string& name : names)
    if (named++ < most_named) out.notes.push_back("launched: " + name);
  if (named > most_named) out.notes.push_back(fmt::format("and {} more", named - most_named));
  const std::string near = closest(pattern, source::short_names({names.begin(), names.end()}));
  out.help = near.empty() ? "give part of a kernel's name" : fmt::format("did you mean '{}'?", near);
  return out;
}

Result<u64> filter_launches(Input& input, const std::string& pattern) {
  if (pattern.empty()) return 0;
  Result<text::Regex> expression = compile_filter(pattern);
  if (!expression) return failure(expression.error());
  std::vector<Launch> kept;
  for (const Launch& launch : input.launches)
    if (expression->matches_within(name_of(launch))) kept.push_back(launch);
  const u64 removed = count(input.launches) - count(kept);
  u64 others = 0; // that were not counted
  for (const auto& [name, launches] : input.left_out_of)
    if (!expression->matches_within(name)) others += launches;
  input.left_out -= std::min(others, input.left_out);
  if (removed != 0 && kept.empty() && input.left_out == 0)
    input.messages.push_back(nothing_matches(pattern, input.launches));
  input.launches = std::move(kept);
  return removed + others;
}

} // namespace

Result<void> check_kernel_filter(const std::string& pattern) {
  Result<text::Regex> expression = compile_filter(pattern);
  if (!expression) return failure(expression.error());
  return {};
}

Result<Model> build(Input input, const SourceLines& source, const Options& options) {
  Model model;
  const bool complete = is_complete(input);
  Result<u64> removed = filter_launches(input, options.kernel_filter);
  if (!removed) return failure(removed.error());
  model.filtered_out = *removed;
  model.complete = make_summable(input) && complete && !input.launches.empty();
  name_arrays(input.launches, source);
  model.kernels = make_kernels(input, source, options);
  tell_parts(input, model.kernels);
  model.lines_known = lines_known(model.kernels);
  find_causes(model);
  for (const Launch& launch : input.launches)
    for (const diag::Diagnostic& diagnostic : launch.record.diagnostics)
      add_warning(model.warnings, diagnostic, launch.count(), source);
  for (const diag::Diagnostic& diagnostic : input.messages)
    add_warning(model.warnings, diagnostic, 1, source);
  join_by_name(model.warnings);
  std::ranges::stable_sort(model.warnings, std::greater<>(),
                           [](const Warning& w) { return w.diagnostic.severity; });
  std::map<std::string, u64> calls;
  for (const measure::Unsupported& unsupported : input.unsupported)
    calls[unsupported.function] += unsupported.calls;
  model.unsupported.assign(calls.begin(), calls.end());
  model.input = std::move(input);
  for (Kernel& kernel : model.kernels) kernel.limiter = limiter(model, kernel);
  name_files(model, options.root);
  return model;
}

std::string text_of(const Measurement& measurement) {
  std::string out = "measured";
  if (!measurement.tool.empty()) out += " by " + measurement.tool;
  if (!measurement.gpu.empty()) out += " on " + measurement.gpu;
  if (!measurement.driver.empty()) out += ", driver " + measurement.driver;
  return out;
}

bool passes_strict(const Model& model) {
  auto is_finding = [](const Warning& w) {
    return w.diagnostic.severity == diag::Severity::error ||
           (diag::check_of(w.diagnostic.kind) != diag::Check::none &&
            w.diagnostic.severity != diag::Severity::note);
  };
  return model.complete && std::none_of(model.warnings.begin(), model.warnings.end(), is_finding);
}

} // namespace warplens::summary
