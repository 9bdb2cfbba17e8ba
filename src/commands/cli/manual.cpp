#include "cli/manual.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::cli {
namespace {

// Text that roff sets as it stands: no requests at the beginning of a line, no escapes, hyphens that can be searched, and no
// "…", which a terminal without UTF-8 has not.
std::string plain(std::string text) {
  constexpr std::string_view dots = "…";
  for (std::size_t at; (at = text.find(dots)) != text.npos;) text.replace(at, dots.size(), "...");
  std::string out;
  for (char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string page_name(const CommandRow& command) {
  return command.name.empty() ? "warplens" : "warplens-" + command.name;
}

std::string options_text(const CommandRow& command) {
  std::vector<std::string> groups;
  for (const OptionRow& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  std::string out;
  for (const std::string& group : groups) {
    if (groups.size() > 1) out += ".SS " + plain(group) + "\n";
    for (const OptionRow& option : command.options) {
      if (option.group != group) continue;
      std::string names = option.shown; // "-h,--help"
      if (const std::size_t comma = names.find(",-"); comma != names.npos) names.insert(comma + 1, " ");
      out += ".TP\n\\fB" + plain(names) + "\\fR\n" + plain(option.description) + "\n";
      if (!option.choices.empty()) // where the words of the description do not list them
        out += plain(fmt::format("(one of: {})", fmt::join(option.choices, ", "))) + "\n";
    }
  }
  return out;
}

std::string commands_text(const std::vector<CommandRow>& table) {
  std::string out;
  for (const CommandRow& command : table)
    if (!command.name.empty())
      out +=
          fmt::format(".TP\n\\fBwarplens\\-{}\\fR(1)\n{}\n", plain(command.name), plain(command.description));
  return out;
}

} // namespace

std::string manual_page(const CommandRow& command, const std::vector<CommandRow>& table,
                        const std::string& version) {
  std::string capitals = page_name(command);
  std::ranges::transform(capitals, capitals.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::string out =
      fmt::format(".TH {} 1 \"\" \"WarpLens {}\" \"User Commands\"\n", plain(capitals), version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", plain(page_name(command)), plain(command.description));
  out += fmt::format(".SH SYNOPSIS\n\\fBwarplens\\fR {}\n", plain(command.usage));
  if (command.name.empty()) out += ".SH COMMANDS\n" + commands_text(table);
  if (!command.arguments.empty()) {
    out += ".SH ARGUMENTS\n";
    for (const OptionRow& argument : command.arguments)
      out += ".TP\n\\fI" + plain(argument.names.front()) + "\\fR\n" + plain(argument.description) + "\n";
  }
  out += ".SH OPTIONS\n" + options_text(command);
  if (!command.footer.empty()) out += ".SH NOTES\n" + plain(command.footer);
  if (!command.example.empty()) out += ".SH EXAMPLES\n.EX\n" + plain(command.example) + "\n.EE\n";
  out += ".SH SEE ALSO\n";
  out += command.name.empty() ? "the pages of the commands above\n" : "\\fBwarplens\\fR(1)\n";
  return out;
}

} // namespace warplens::cli
