// A report as one file for a browser: `--html`. The page is a template with script and style (web/ makes it), into which the
// report goes as data. All counts are the model's; the script draws them.
//
// Names and source text may be anybody's: they stand in a block of JSON in which no markup can begin, the script makes text
// nodes of them, and the file's content security policy lets no other script run (docs/do/share-a-report.md).
#pragma once
#include "summary/model.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::html {

// The whole text of a source file, as the compiler named it, where the report may show it; empty where not.
using SourceText = std::function<std::string(const std::string& file)>;

// What a page is of: counts of a program's run; of the accesses of a trace (`replay`), or of one expression (`explain`); or
// what holds for all launches (`check`). Each of them is a summary::Model, so that one page draws all; this says what the
// numbers in it are worth. Of `check`, each access is in it as one warp that runs it once.
enum class Origin : u8 { run, replay, explain, check };

// What `check` knows of an access beyond the counts of one warp.
struct Judged {
  // fine: always. conditional: fine where its conditions hold. costly: always. possible: in some launch. undecided: not known.
  enum class Standing : u8 { fine, conditional, costly, possible, undecided } standing = Standing::undecided;
  std::string verdict;                     // "bank-conflict"
  std::string words;                       // in place of a pattern; empty: the pattern will do
  std::vector<std::pair<u64, u64>> bounds; // [architectures]: what a warp pays, at least and at most
  bool any_stride = false;             // the picture is of a wide stride; the code's is not a known number
  u64 needed = 0;                      // that would do
  std::vector<std::string> conditions; // for what is fine
  std::vector<std::string> notes;      // what it depends on, and what was assumed
};

struct About {
  Origin origin = Origin::run;
  // check: of a site of the model; nothing where it says no more than its counts.
  std::function<std::optional<Judged>(const access::Site&)> judged{};
};

// The page of a report: a whole HTML document.
std::string page(const summary::Model&, const SourceText&, std::string_view version, const About& = {});

// The page of `diff`, two runs held against each other. `json`: a whole document by docs/schema/diff-1.schema.json.
std::string diff_page(std::string_view json, std::string_view title);

// The page of `compare`, what was predicted and what GPUs counted side by side. `json`: a whole document by
// docs/schema/compare-1.schema.json.
std::string compare_page(std::string_view json, std::string_view title);

} // namespace warplens::html
