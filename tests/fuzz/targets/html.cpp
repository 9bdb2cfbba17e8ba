// Whatever a report holds, its page is one document with no markup of the report's, and its data is JSON.
#include "fuzz/target.h"
#include "html/page.h"
#include "report/read.h"
#include <nlohmann/json.hpp>

namespace {

using namespace warplens;

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == text.npos) return {};
  text.remove_prefix(from + begin.size());
  return text.substr(0, text.find(end));
}

} // namespace

FUZZ_TARGET(html) {
  Result<report::Saved> saved = report::read_json(input, "input");
  if (!saved) return fuzz::require(!saved.error().message.empty(), "what is refused has a message");
  Result<summary::Model> model = report::build(*saved);
  if (!model) return;
  const std::string source = "one\ntwo </script><!--\nthree\n";
  const std::string page = html::page(
      *model, [&](const std::string&) { return source; }, "fuzz");
  const std::string_view data = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
  fuzz::require(nlohmann::json::accept(data), "the page's data is JSON");
}
