// toml++ reads the text and knows where each value stands; a Reader goes through one table, and the first mistake ends it.
#include "gates/config.h"
#include "base/closest.h"
#include "findings/rules.h"
#include "os/file.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

// toml++ 3.3 asserts what text can break, and reports it right after: it is neither to abort nor, as without assertions it
// does where a compiler lets it, to take for granted what it would have asserted.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace warplens::gates {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = 1u << 20;
constexpr const char* help = "docs/CI.md shows what stands in .warplens.toml";

diag::Span span_of(const std::string& file, const toml::source_region& region) {
  return {file, region.begin.line, region.begin.column, 0};
}

diag::Diagnostic bad(std::string message, const diag::Span& place, std::string what_helps = help) {
  return diag::error("bad-config", std::move(message), place, std::move(what_helps));
}

class Reader {
public:
  Reader(Config& config, const toml::table& root) : config_(config), root_(root) {}

  Result<void> run() {
    return each(root_, "",
                {{"sm", &Reader::sm},
                 {"fail-on", &Reader::fail_on},
                 {"baseline", &Reader::baseline},
                 {"least-excess", &Reader::least_excess},
                 {"severity", &Reader::severity},
                 {"paths", &Reader::paths}});
  }

private:
  using Step = Result<void> (Reader::*)(const toml::node&);
  using Steps = std::vector<std::pair<std::string_view, Step>>;

  diag::Span place(const toml::node& node) const { return span_of(config_.file, node.source()); }

  Result<void> each(const toml::table& table, std::string_view where, const Steps& steps) {
    for (const auto& [key, value] : table) {
      auto step = std::ranges::find(steps, key.str(), &Steps::value_type::first);
      if (step == steps.end()) {
        std::vector<std::string> known;
        for (const auto& [name, _] : steps) known.emplace_back(name);
        const std::string near = closest(key.str(), known);
        return failure(bad(fmt::format("there is no '{}{}'", where, key.str()),
                           span_of(config_.file, key.source()),
                           near.empty() ? help : fmt::format("did you mean '{}'?", near)));
      }
      if (Result<void> done = (this->*step->second)(value); !done) return done;
    }
    return {};
  }

  // One word or a list of them.
  Result<void> words(const toml::node& node,
                     const std::function<Result<void>(std::string, diag::Span)>& take) {
    auto one = [&](const toml::node& word) -> Result<void> {
      if (std::optional<std::string> text = word.value_exact<std::string>()) return take(*text, place(word));
      if (std::optional<int64_t> number = word.value_exact<int64_t>())
        return take(std::to_string(*number), place(word));
      return failure(bad("this is no word in quotes, nor a list of them", place(word)));
    };
    const toml::array* list = node.as_array();
    if (list == nullptr) return one(node);
    for (const toml::node& word : *list)
      if (Result<void> taken = one(word); !taken) return taken;
    return {};
  }

  Result<void> sm(const toml::node& node) {
    return words(node, [&](std::string word, const diag::Span&) -> Result<void> {
      config_.sm.push_back(std::move(word));
      return {};
    });
  }

  Result<void> fail_on(const toml::node& node) {
    config_.fail_on.emplace();
    return words(node, [&](const std::string& word, const diag::Span& where) -> Result<void> {
      Result<std::vector<Condition>> some = parse_conditions(word, where);
      if (!some) return failure(some.error());
      config_.fail_on->insert(config_.fail_on->end(), some->begin(), some->end());
      return {};
    });
  }

  Result<void> baseline(const toml::node& node) {
    std::optional<std::string> path = node.value_exact<std::string>();
    if (!path || path->empty()) return failure(bad("the baseline is not the name of a file", place(node)));
    config_.baseline = (fs::path(config_.folder) / *path).lexically_normal().string();
    return {};
  }

  Result<void> least_excess(const toml::node& node) {
    std::string text = node.value_exact<std::string>().value_or("");
    double value = -1;
    if (text.ends_with('%')) {
      auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size() - 1, value, std::chars_format::fixed);
      if (error != std::errc{} || end != text.data() + text.size() - 1) value = -1;
    }
    if (!(value >= 0 && value <= 100))
      return failure(bad("least-excess is no percentage", place(node), "write it as \"5%\""));
    config_.least_excess = value / 100;
    return {};
  }

  Result<void> severity(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return failure(bad("severity is not a table of rules", place(node)));
    for (const auto& [key, value] : *table) {
      const std::string text =
          fmt::format("{}={}", key.str(), value.value_exact<std::string>().value_or(std::string("?")));
      if (Result<void> added = add_level(text, config_.levels); !added) {
        diag::Diagnostic error = added.error();
        error.kind = "bad-config";
        error.span =
            findings::rule(key.str()) == nullptr ? span_of(config_.file, key.source()) : place(value);
        return failure(std::move(error));
      }
    }
    return {};
  }

  Result<void> paths(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return failure(bad("paths is not a table", place(node)));
    return each(*table, "paths.", {{"include", &Reader::include}, {"exclude", &Reader::exclude}});
  }
  Result<void> include(const toml::node& node) { return patterns(node, config_.include); }
  Result<void> exclude(const toml::node& node) { return patterns(node, config_.exclude); }
  Result<void> patterns(const toml::node& node, std::vector<std::string>& out) {
    return words(node, [&](std::string word, const diag::Span& where) -> Result<void> {
      if (word.empty()) return failure(bad("an empty pattern is about nothing", where));
      out.push_back(std::move(word));
      return {};
    });
  }

  Config& config_;
  const toml::table& root_;
};

} // namespace

std::optional<Level> level(std::string_view word) {
  if (word == "off") return Level::off;
  std::optional<findings::Severity> severity = findings::severity(word);
  if (!severity) return {};
  switch (*severity) {
  case findings::Severity::note: return Level::note;
  case findings::Severity::warning: return Level::warning;
  case findings::Severity::error: return Level::error;
  }
  return {};
}

Result<void> add_level(std::string_view text, std::map<std::string, Level>& levels) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string rule(text.substr(0, equals));
  if (findings::rule(rule) == nullptr) {
    const std::string near = findings::closest_rule(rule);
    return failure(
        diag::error("bad-option", fmt::format("there is no rule '{}'", rule), {},
                    near.empty() ? "`warplens rules` lists them" : fmt::format("did you mean '{}'?", near)));
  }
  std::optional<Level> chosen = level(equals == text.size() ? "" : text.substr(equals + 1));
  if (!chosen)
    return failure(diag::error("bad-option", fmt::format("the severity of '{}' is none", rule), {},
                               "it is off, note, warning or error"));
  levels[rule] = *chosen;
  return {};
}

std::string find_config(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error);
  while (!at.empty()) {
    // One that is no file, or leads nowhere, is found too: reading it says so.
    if (fs::path file = at / ".warplens.toml"; fs::exists(fs::symlink_status(file, error)))
      return file.string();
    if (at == at.parent_path()) break;
    at = at.parent_path();
  }
  return {};
}

Result<Config> parse_config(std::string_view text, const std::string& file) {
  Config out;
  out.file = file;
  out.folder = fs::path(file).parent_path().string();
  toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return failure(
        bad(fmt::format("this is not TOML: {}", error.description()), span_of(file, error.source())));
  }
  if (Result<void> read = Reader(out, parsed.table()).run(); !read) return failure(read.error());
  return out;
}

Result<Config> read_config(const std::string& file) {
  std::error_code error;
  const std::string path = fs::absolute(file, error).lexically_normal().string();
  std::optional<std::string> text = os::read_file(path, largest_file);
  if (!text)
    return failure(diag::error("config-unreadable", fmt::format("cannot read '{}'", file), {},
                               "give a file as docs/CI.md shows it, or none"));
  return parse_config(*text, path);
}

} // namespace warplens::gates
