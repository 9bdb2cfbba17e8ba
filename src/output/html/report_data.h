// What the page knows of a report: the model's numbers and words as JSON, packed so that thousands of accesses stay small.
// web/src/data.ts says what each member is; the two change together.
#pragma once
#include "html/page.h"
#include "html/picture.h"
#include "report/sections.h"
#include <map>
#include <nlohmann/json.hpp>

namespace warplens::html {

using Json = nlohmann::ordered_json;

Json report_data(const summary::Model&, const SourceText&, std::string_view version, const About&);

// What the parts share: tables of files, pictures and texts, into which the rest refers by number.
class Scribe {
public:
  Scribe(const summary::Model& model, const SourceText& source, const About& about);
  const summary::Model& model;
  const About& about;
  const report::Page words; // for the report's functions that put things into words
  // Of the run, at least one; null where the table has no such row. Every list "by device" has as many members.
  std::vector<const arch::Architecture*> architectures;
  const arch::Architecture* device() const { return architectures[0]; }

  int file(const std::string& file);         // -1 for none
  std::size_t text(const std::string& text); // in `texts`
  Json
  picture(const access::WarpAccess&); // one number per architecture; one alone where they are all the same
  std::size_t process(i64 pid);       // in order of appearance
  Json files() const;
  const Json& pictures() const { return pictures_; }
  const Json& texts() const { return texts_; }

private:
  std::size_t picture_on(const arch::Architecture&, const access::WarpAccess&);

  const SourceText& source_;
  std::map<std::string, int> file_numbers_;
  std::vector<std::string> file_names_; // as compilers call them
  Json pictures_ = Json::array(), texts_ = Json::array();
  std::map<std::string, std::size_t> known_pictures_, known_texts_;
  std::map<i64, std::size_t> processes_;
};

// To four decimals: enough for every average that is shown.
double rounded(double value);

// The names of what counts_of() gives, in order: those of arch::Counts, then what follows from them.
Json count_names();
// What ranks and devices did of it: [["ranks", "3 ranks, from 2 kB (rank 0) to …"], …]; empty where they are not told apart.
Json parts_json(const summary::Parts& ranks, const summary::Parts& devices);
// `excess`: instead of the counts' own, where the model knows better (summary::AccessRow).
struct Excess {
  u64 bytes = 0, cycles = 0;
};
Json counts_of(const arch::Counts&, access::Space, const access::Site&, const arch::Architecture*,
               std::optional<Excess> excess = {});

Json access_data(Scribe&, u32 kernel, const summary::Line&, const summary::AccessRow&);
Json kernel_data(Scribe&, const summary::Kernel&);
// One for each device; what is the same as an earlier one's is that one's number.
Json by_device(std::vector<Json> each);
// By device; what a report does not hold is 0.
Json counts_by_device(const Scribe&, const std::vector<arch::Counts>&, access::Space, const access::Site&,
                      std::optional<Excess> excess = {});
// `first`: of each kernel and line, the number of its first access.
Json finding_data(Scribe&, const summary::Finding&, const std::vector<std::vector<u32>>& first);
Json gaps_data(const summary::Model&, Origin); // what was not counted, and why
Json messages_data(Scribe&);                   // what the run had to say

} // namespace warplens::html
