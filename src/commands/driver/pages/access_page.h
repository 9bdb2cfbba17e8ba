// `--html` of commands that run no program. What they counted or judged becomes the launch of a summary::Model, so that the
// page is the one that a run has (docs/do/share-a-report.md): replay and explain count the accesses that they are given; check gives
// each access as one warp, with what it knows for all launches beside it.
#pragma once
#include "driver/findings/check_inputs.h"
#include "driver/findings/examine.h"
#include "explain/model/explanation.h"
#include "html/page.h"
#include "trace/trace.h"
#include <memory>

namespace warplens::driver {

// The page of a pattern or trace file, of which accesses are added one by one: memory grows with the accesses that differ,
// by their names in the file or, where it has none, by their instructions.
class ReplayPage {
public:
  ReplayPage(std::string path, std::vector<const arch::Architecture*> rows);
  ~ReplayPage();
  void add(const trace::Record&);
  Result<std::string> page(std::string_view version);

private:
  struct Group;
  std::string path_;
  std::vector<const arch::Architecture*> rows_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::map<std::string, std::size_t> by_name_;
  u64 left_out_ = 0; // records of accesses beyond the most that a page has
};

Result<std::string> explain_page(const explain::Explanation&, std::string_view version);

Result<std::string> check_page(const std::vector<std::string>& inputs, const Examined&, SourceTexts&,
                               std::string_view version);

} // namespace warplens::driver
