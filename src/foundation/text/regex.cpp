#include "text/regex.h"
#include <re2/re2.h>

namespace warplens::text {

tl::expected<Regex, std::string> Regex::compile(std::string_view expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled =
      std::make_shared<const re2::RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  if (!compiled->ok()) return tl::unexpected(compiled->error());
  return Regex(std::move(compiled));
}

bool Regex::matches_within(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

} // namespace warplens::text
