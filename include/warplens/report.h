// Saved runs (`warplens run --json`): read, put together, written again.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <warplens/record.h>

namespace warplens {

// A run: its launches, and the same grouped by kernel. A value; copies share what they hold.
class WARPLENS_API Report {
public:
  // Errors: report-unreadable (the file), report-malformed (not this format, with the place), report-version.
  static Expected<Report> read(const std::string& path); // "-" is standard input
  static Expected<Report> parse(std::string_view json, const std::string& name = "report");
  // The launches of all, in order; kernels of the same name, block and label are summed. Errors: report-mismatch where
  // the runs were counted for different architectures.
  static Expected<Report> merge(std::span<const Report>);

  // Those that are alike once, with how many; in the order in which the first of each ran.
  std::vector<LaunchRecord> launches() const;
  std::string json() const; // as docs/schema/run-1.schema.json says; with advice
  std::string text() const; // as `warplens run` prints it, without colours

private:
  struct Impl;
  explicit Report(std::shared_ptr<const Impl>);
  std::shared_ptr<const Impl> impl_;
};

} // namespace warplens
