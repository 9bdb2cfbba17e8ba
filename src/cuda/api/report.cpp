// Saved runs for programs.
#include "api/convert.h"
#include "report/json.h"
#include "report/read.h"
#include "report/terminal.h"
#include <cstdio>
#include <fmt/format.h>
#include <warplens/report.h>

namespace warplens {

struct Report::Impl {
  report::Saved saved;
  summary::Model model;
};

Report::Report(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

namespace {

std::optional<std::string> contents(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string out;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) return {};
  return out;
}

} // namespace

Expected<Report> Report::read(const std::string& path) {
  if (std::optional<std::string> text = contents(path)) return parse(*text, path);
  return api::error_of(diag::error("report-unreadable", fmt::format("cannot read '{}'", path), {},
                                   "check the path, and that it is a file"));
}

Expected<Report> Report::parse(std::string_view json, const std::string& name) {
  Result<report::Saved> saved = report::read_json(json, name);
  if (!saved) return api::error_of(saved.error(), json);
  Result<summary::Model> model = report::build(*saved);
  if (!model) return api::error_of(model.error());
  return Report(std::make_shared<Impl>(std::move(*saved), std::move(*model)));
}

Expected<Report> Report::merge(std::span<const Report> reports) {
  report::MergedRuns runs;
  for (const Report& one : reports)
    if (Result<void> added = runs.add(one.impl_->saved); !added) return api::error_of(added.error());
  Result<report::Saved> merged = std::move(runs).finish();
  if (!merged) return api::error_of(merged.error());
  Result<summary::Model> model = report::build(*merged);
  if (!model) return api::error_of(model.error());
  return Report(std::make_shared<Impl>(std::move(*merged), std::move(*model)));
}

std::vector<LaunchRecord> Report::launches() const {
  std::vector<LaunchRecord> out;
  for (const summary::Launch& launch : impl_->saved.input.launches) {
    out.push_back(api::record_of(launch.record));
    out.back().count = launch.count();
  }
  return out;
}

std::string Report::json() const { return report::json(impl_->model, WARPLENS_VERSION); }
std::string Report::text() const { return report::terminal(impl_->model, {}); }

} // namespace warplens
