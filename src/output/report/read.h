// A saved run (json.h) read again, so that every writer can show it.
//
// What a report holds is enough to make it anew: build() groups the launches and asks for advice as it did then, and
// the JSON of the result is the file's again, to the byte, if the same version of WarpLens wrote it. Not kept in a report,
// and so not read: how long launches took.
#pragma once
#include "summary/model.h"
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace warplens::report {

using namespace summary; // what is shown

struct Saved {
  Input input;
  u64 filtered_out = 0; // launches that --kernel left out when it was written
  bool complete = true; // as it said of itself
  std::map<std::pair<std::string, u32>, std::string> source; // lines, by file and number
  std::set<std::string> changed;                             // files that were newer than the program
  std::map<std::string, std::string> files;                  // as the report called them
};

// Launches and kernels of a job's ranks are mostly the same text, which is read once: the rest is a tenth of the work.
class ReportReader {
public:
  explicit ReportReader(std::size_t most_kept = std::size_t{64} << 20) : most_kept_(most_kept) {}
  // `name` is for messages. Errors: report-malformed (no JSON, or not this format: with the place in the file or in the
  // document), report-version (a schema that this build does not know).
  Result<Saved> read(std::string_view text, const std::string& name);

private:
  Saved saved_of(std::string_view text);
  template <class T, class Read>
  T known_or(std::map<std::string, T, std::less<>>&, std::string_view, const Read&);
  std::size_t most_kept_, kept_ = 0;                             // bytes of text
  std::vector<u32> sm_;                                          // that launches_ were read for
  std::map<std::string, summary::Launch, std::less<>> launches_; // the public interface has a Launch, too
  std::map<std::string, Saved, std::less<>> kernels_;            // their lines
};
Result<Saved> read_json(std::string_view text, const std::string& name); // one

// What a report of the model holds, as if it had been written and read.
Saved saved_of(Model);

// Runs one after the other, as one. What is kept of them does not grow with their number where their launches are alike.
class MergedRuns {
public:
  MergedRuns() = default;
  MergedRuns(const MergedRuns&) = delete; // the list refers to the launches
  // Ranks of a job that are in it already are not counted again: a message says so. Errors: report-mismatch where they were counted
  // for different architectures, where one instruction of a module is not the same in both, or where only some ranks are new.
  Result<void> add(Saved);
  Result<Saved> finish() &&; // report-mismatch where there is none

private:
  Result<bool> is_known(const Ranks&); // all of it
  void tell_of_ranks();
  // Kernel, module, site, space. Files that were compiled apart into one program have modules of one name.
  using Instruction = std::tuple<std::string, std::string, u32, access::Space>;
  std::map<Instruction, std::pair<std::string, access::SourceStack>> known_;
  Saved out_;
  LaunchList launches_{out_.input.launches};
  std::set<std::pair<std::string, u32>> ranks_; // of which job
  std::set<u32> twice_;                         // ranks that were in it already
  std::vector<std::pair<u32, Outcome>> ended_;  // those that did not end well
  std::set<std::string> programs_;              // files' names
  i64 processes_ = 0;
  u64 runs_ = 0;
};

// The model of a saved run. Fails only on a malformed filter.
Result<Model> build(const Saved&, const Options& = {});

} // namespace warplens::report
