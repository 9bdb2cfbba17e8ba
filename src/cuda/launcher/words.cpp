// See words.h. A word that the launch does not know may be an option of `run`, which stands before the file.
#include "launcher/words.h"
#include "base/closest.h"
#include "launcher/plan.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::launcher {
namespace {

constexpr std::string_view options[] = {"--kernel", "--grid", "--block", "--shared", "--arg", "--save"};

// Whether it is an option of `warplens run`, and whether one that takes a value. `flags`: "-j,--workers".
bool is_one_of(std::string_view flags, std::string_view word) {
  return ("," + std::string(flags) + ",").find("," + std::string(word) + ",") != std::string::npos;
}
std::optional<bool> takes_value(std::string_view word) {
#define ROW(type, member, initial, flags, ...)                                                               \
  if (is_one_of(flags, word)) return !std::is_same_v<type, bool>;
#define OPTION_program ROW
#define OPTION_compiler ROW
#define OPTION_filter ROW
#define OPTION_report ROW
#define OPTION_pager ROW
#define OPTION_gates ROW
#define OPTION_only_run ROW
#include "base/run_options.def"
#undef ROW
  return {};
}

// `next`: the word behind it.
tl::unexpected<diag::Diagnostic> unknown_word(const std::string& word, const std::string& next,
                                              const std::string& file) {
  const std::string what = fmt::format("'{}' is not known to the launch of '{}'", word, file);
  const std::string name = word.substr(0, word.find('='));
  if (std::optional<bool> with_value = takes_value(name)) {
    const std::string value =
        !*with_value || name != word ? "" : " " + (next.empty() ? "VALUE" : quoted(next));
    return bad(what, fmt::format("options of `warplens run` come before the file: warplens run {}{} {} …",
                                 word, value, quoted(file)));
  }
  std::vector<std::string> known(std::begin(options), std::end(options));
  std::string near = word.starts_with("--") ? closest(name, known) : "";
  return bad(what, near.empty()
                       ? fmt::format("options of the launch are {}; other options of `warplens run` come "
                                     "before the file: warplens run OPTIONS {}",
                                     fmt::join(options, ", "), quoted(file))
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
    if (option == std::end(options))
      return unknown_word(words[i], i + 1 < words.size() ? words[i + 1] : "", file);
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

Result<Dim3> dimensions(const char* option, const std::string& text) {
  u32 size[3] = {1, 1, 1};
  std::string_view rest = text;
  for (u32& one : size) {
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), one);
    bool ended = end == rest.data() + rest.size();
    if (error != std::errc{} || (!ended && *end != ',' && *end != 'x')) break;
    if (ended) return Dim3{size[0], size[1], size[2]};
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  }
  return bad(fmt::format("{} '{}' is not one to three sizes below 2^32", option, text),
             fmt::format("e.g. {} 8 or {} 8,2,1", option, option));
}

std::string quoted(const std::string& word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+.,:/@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
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
