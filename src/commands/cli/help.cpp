// Help in one shape for all commands, and what a word may mean that none of them knows. See help.h.
#include "cli/help.h"
#include "base/closest.h"
#include "cli/values.h"
#include "text/layout.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace warplens::cli {
namespace {

constexpr u32 width = 80, column = 28;

class HelpFormatter : public CLI::Formatter {
public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
    column_width(column);
    label("REQUIRED", "(required)");
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string out = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = out.find("\n\n\n")) != out.npos;) out.erase(at, 1);
    return out;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (usage_.empty()) return CLI::Formatter::make_usage(app, name);
    return "Usage: warplens " + usage_ + '\n';
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return entry(make_option_name(option, positional) + make_option_opts(option), make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  std::string make_footer(const CLI::App* app) const override {
    std::string footer = app->get_footer();
    return footer.empty() ? footer : '\n' + footer + '\n';
  }

  const std::string& usage() const { return usage_; }

private:
  static std::string entry(const std::string& what, const std::string& words) {
    std::string out = "  " + what;
    u32 at = text::width_of(out);
    if (at + 2 > column) {
      out += '\n' + std::string(column, ' ');
    } else {
      out += std::string(column - at, ' ');
    }
    return out + text::wrap(words, width, std::string(column, ' '), column) + '\n';
  }
  std::string usage_;
};

} // namespace

void give_help(CLI::App& command, std::string usage, const std::string& example, std::string more) {
  command.formatter(std::make_shared<HelpFormatter>(std::move(usage)));
  std::string footer = more.empty() ? "" : text::wrap(more, width) + '\n';
  command.footer(footer + (example.empty() ? "" : "Example: " + example));
}

std::string usage_of(const CLI::App& command) {
  const auto* formatter = dynamic_cast<const HelpFormatter*>(command.get_formatter().get());
  return formatter == nullptr ? std::string() : formatter->usage();
}

void add_terminal_options(CLI::App& command, const std::shared_ptr<text::Colour>& colour, u32* columns) {
  static const std::map<std::string, text::Colour> choices{
      {"auto", text::Colour::automatic}, {"always", text::Colour::always}, {"never", text::Colour::never}};
  command
      .add_option_function<std::string>(
          "--color", [colour](const std::string& word) { *colour = choices.at(word); },
          "colours: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN")
      ->group("Output");
  if (columns == nullptr) return;
  command.add_option("--width", *columns, "columns of the report; else COLUMNS, or the terminal's")
      ->check(whole_number(60, 10000))
      ->type_name("NUMBER")
      ->group("Output");
}

namespace {

// Options of other tools, and what does the same here, in commands that have the option `own`. The first row that fits counts.
struct OtherOption {
  std::string_view name;
  const char *own, *help; // help empty: `own` does the same
};
constexpr const char
    *which_gpu = "--sm says which GPU: --sm 90; `warplens gpus` lists them",
    *all_metrics = "every counter is in the report: --lines and --details show them",
    *forms = "--sarif, --junit, --gitlab, --markdown and --findings each write a form of the findings",
    *paths = "[paths] of .warplens.toml says which files count (docs/do/ci.md)",
    *only_new = "--baseline FILE lets pass what was there before (docs/do/ci.md)",
    *bounded = "bound it from outside: timeout 60 warplens check FILE …",
    *reads_ncu = "`warplens import FILE` reads what Nsight Compute wrote";
constexpr OtherOption others[] = {
    // compilers
    {"--gpu", "--sm", which_gpu},
    {"--cc", "--sm", which_gpu},
    {"--arch", "--sm", which_gpu},
    {"--gpu-architecture", "--sm", which_gpu},
    {"--offload-arch", "--sm", which_gpu},
    {"-arch", "--sm", which_gpu},
    // clang-tidy, eslint, ruff and their like; --verdicts is of check alone
    {"-o", "--verdicts", forms},
    {"-f", "--verdicts", forms},
    {"--format", "--verdicts", forms},
    {"--output-format", "--verdicts", forms},
    {"--output-file", "--verdicts", forms},
    {"-checks", "--rule", ""},
    {"--checks", "--rule", ""},
    {"--select", "--rule", ""},
    {"--ignore", "--rule", ""},
    {"--severity", "--rule", ""},
    {"--werror", "--fail-on", ""},
    {"-Werror", "--fail-on", ""},
    {"--warnings-as-errors", "--fail-on", ""},
    {"--max-warnings", "--fail-on", ""},
    {"--strict", "--fail-on", ""},
    {"--update-baseline", "--write-baseline", ""},
    {"--export-fixes", "--fix-dry-run", ""},
    {"--exclude", "--config", paths},
    {"--ignore-pattern", "--config", paths},
    {"--header-filter", "--config", paths},
    {"--diff", "--baseline", only_new},
    {"--changed", "--baseline", only_new},
    {"--changed-lines", "--baseline", only_new},
    {"-j", "--jobs", ""},
    {"--timeout", "--verdicts", bounded},
    {"--budget", "--verdicts", bounded},
    // Nsight Compute, and what one may try
    {"--count-only", "--no-results", ""},
    {"-c", "--launches", ""},
    {"--launch-count", "--launches", ""},
    {"-s", "--launch-skip", ""},
    {"-k", "--kernel", ""},
    {"--kernel-name", "--kernel", ""},
    {"--kernel-regex", "--kernel", ""},
    {"-o", "--json", ""},
    {"--export", "--json", ""},
    {"--csv", "--json", ""},
    {"--output", "--report", ""},
    {"--verbose", "--details", ""},
    {"--memcheck", "--check", ""},
    {"-f", "--json", "an existing file is written over: leave it out"},
    {"--force-overwrite", "--json", "an existing file is written over: leave it out"},
    {"--metrics", "--details", all_metrics},
    {"--section", "--details", all_metrics},
    {"--set", "--details", all_metrics},
    {"--page", "--details", all_metrics},
    {"-i", "--details", reads_ncu},
    {"--import", "--details", reads_ncu},
};

} // namespace

std::string suggested_option(const CLI::App& command, std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  for (const OtherOption& other : others)
    if (name == other.name && command.get_option_no_throw(other.own) != nullptr)
      return *other.help == '\0' ? fmt::format("'{}' does that", other.own) : other.help;
  // Options of nvcc and clang; these have more of them than a table.
  constexpr std::string_view begins[] = {"-I",    "-D",        "-O",   "-std",
                                         "--std", "-lineinfo", "-rdc", "-Xcompiler"};
  if (command.get_option_no_throw("--compile-options") != nullptr &&
      std::ranges::any_of(begins, [&](std::string_view one) { return argument.starts_with(one); }))
    return fmt::format("options of the compiler are given as one: --compile-options '{}'", argument);
  if (!argument.starts_with("--")) return {};
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string near = closest(name, known);
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

} // namespace warplens::cli
