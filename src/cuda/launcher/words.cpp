#include "launcher/words.h"
#include "base/closest.h"
#include "launcher/plan.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::launcher {
namespace {

constexpr std::string_view options[] = {"--kernel", "--grid", "--block", "--shared", "--arg", "--save"};

tl::unexpected<diag::Diagnostic> unknown_word(const std::string& word, const std::string& file) {
  std::vector<std::string> known(std::begin(options), std::end(options));
  std::string near = word.starts_with("--") ? closest(word.substr(0, word.find('=')), known) : "";
  return bad(fmt::format("'{}' is not known to the launch of '{}'", word, file),
             near.empty() ? fmt::format("options of the launch are {}; other options of `warplens run` come "
                                        "before the file: warplens run {} {}",
                                        fmt::join(options, ", "), word, file)
                          : fmt::format("did you mean '{}'?", near));
}

} // namespace

tl::unexpected<diag::Diagnostic> bad(std::string message, std::string help, std::vector<std::string> notes) {
  diag::Diagnostic out = diag::error("bad-argument", std::move(message), {}, std::move(help));
  out.notes = std::move(notes);
  return failure(std::move(out));
}

Result<Words> sort_words(std::span<const std::string> words, const std::string& file) {
  Words out;
  std::optional<std::string>* const single[] = {&out.kernel, &out.grid, &out.block, &out.shared};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    auto option = std::find(std::begin(options), std::end(options), name);
    if (option == std::end(options)) return unknown_word(words[i], file);
    const bool joined = name.size() != words[i].size();
    if (!joined && i + 1 == words.size()) return bad(fmt::format("{} needs a value", name));
    const std::string value = joined ? words[i].substr(name.size() + 1) : words[++i];
    if (auto at = static_cast<std::size_t>(option - std::begin(options)); at < std::size(single)) {
      if (*single[at]) return bad(fmt::format("{} is given twice", name), "give it once");
      *single[at] = value;
    } else {
      (name == "--arg" ? out.arguments : out.saves).push_back(value);
    }
  }
  return out;
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::span<const std::string> shown(names.data(), std::min(names.size(), most));
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", …" : "");
}

bool is_launch_option(std::string_view word) {
  return std::find(std::begin(options), std::end(options), word.substr(0, word.find('='))) !=
         std::end(options);
}

} // namespace warplens::launcher
