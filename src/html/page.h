// A report as one file for a browser: `--html`. The page is a template with script and style (web/ makes it), into which the
// report goes as data. All counts are the model's; the script draws them.
//
// Names and source text may be anybody's: they stand in a block of JSON in which no markup can begin, the script makes text
// nodes of them, and the file's content security policy lets no other script run (docs/HTML.md).
#pragma once
#include "report/model.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::html {

// The whole text of a source file, as the compiler named it, where the report may show it; empty where not.
using SourceText = std::function<std::string(const std::string& file)>;

// The page of a report: a whole HTML document.
std::string page(const report::Model&, const SourceText&, std::string_view version);

// The page of a comparison. `json`: a whole document by docs/schema/diff-1.schema.json.
std::string comparison(std::string_view json, std::string_view title);

} // namespace warplens::html
