#include "driver/program/last_run.h"
#include "os/output_file.h"
#include "report/json.h"
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// Empty where no folder of the way up has one.
fs::path nearest() {
  std::error_code error;
  for (fs::path at = fs::current_path(error); !at.empty(); at = at.parent_path()) {
    const fs::path file = at / last_run_file;
    if (fs::is_directory(file.parent_path(), error)) return file;
    if (at == at.parent_path()) break;
  }
  return {};
}

} // namespace

void save_last_run(const summary::Model& model, const RunOptions& options, const RunOutput& output) {
  const fs::path path = nearest();
  if (path.empty()) return;
  Result<os::OutputFile> file = os::OutputFile::prepare(path.string());
  Result<void> written = file ? file->write(report::json(model, options.version)) : failure(file.error());
  if (written) return;
  output.err("warplens: " +
             diag::render(diag::warning("last-run-not-kept",
                                        fmt::format("the report was not kept for the editor: {}",
                                                    written.error().message),
                                        {}, "free it, or remove the folder .warplens"),
                          {}, options.colour));
}

} // namespace warplens::driver
