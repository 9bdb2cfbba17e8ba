// Three shells, one table. Every word of ours that a script holds stands in single quotes, in the shell's own way of writing
// a quote within them.
#include "cli/completion.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::cli {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// In bash and zsh a quote ends the string; fish takes a backslash within it.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
std::string quoted_for_fish(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::vector<std::string> names_where(const CommandRow& command, Value value) {
  std::vector<std::string> out;
  for (const OptionRow& option : command.options)
    if (option.value == value) out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

std::vector<std::string> all_names(const CommandRow& command) {
  std::vector<std::string> out;
  for (const OptionRow& option : command.options)
    out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

std::string arm(const std::vector<std::string>& names, std::string_view action) {
  return names.empty() ? "" : fmt::format("    {}) {} ;;\n", fmt::join(names, "|"), action);
}

bool takes_files(const CommandRow& command) {
  return command.runs_program || std::ranges::any_of(command.arguments, [](const OptionRow& argument) {
           return argument.value == Value::file;
         });
}

std::vector<std::string> choices_of_arguments(const CommandRow& command) {
  std::vector<std::string> out;
  for (const OptionRow& argument : command.arguments)
    out.insert(out.end(), argument.choices.begin(), argument.choices.end());
  return out;
}

std::string bash_command(const CommandRow& command) {
  std::string out = fmt::format("  {})\n    options={} arguments={} files={}\n", command.name,
                                quoted(fmt::format("{}", fmt::join(all_names(command), " "))),
                                quoted(fmt::format("{}", fmt::join(choices_of_arguments(command), " "))),
                                takes_files(command) ? "1" : "");
  std::vector<std::string> valued;
  for (Value value : {Value::word, Value::choice, Value::file, Value::folder})
    for (const std::string& name : names_where(command, value)) valued.push_back(name);
  if (command.runs_program)
    out += fmt::format("    valued={}\n", quoted(fmt::format(" {} ", fmt::join(valued, " "))));
  if (valued.empty()) return out + "    ;;\n";
  out += "    case $before in\n";
  out += arm(names_where(command, Value::file), "_warplens_names -f; return");
  out += arm(names_where(command, Value::folder), "_warplens_names -d; return");
  out += arm(names_where(command, Value::word), "return");
  for (const OptionRow& option : command.options)
    if (option.value == Value::choice)
      out += arm(option.names, fmt::format("_warplens_words {}; return",
                                           quoted(fmt::format("{}", fmt::join(option.choices, " ")))));
  return out + "    esac\n    ;;\n";
}

// _arguments takes brackets and colons for its own.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string zsh_value(const OptionRow& row, const std::string& what) {
  switch (row.value) {
  case Value::none: return "";
  case Value::word: return ":" + zsh_text(what) + ": ";
  case Value::choice: return fmt::format(":{}:({})", zsh_text(what), fmt::join(row.choices, " "));
  case Value::file: // with patterns: those and folders, and where none is like that, all
    return ":" + zsh_text(what) + ":_files" +
           (row.likely.empty() ? "" : fmt::format(" -g \"{}\"", row.likely));
  case Value::folder: return ":" + zsh_text(what) + ":_files -/";
  }
  return "";
}

std::string zsh_command(const CommandRow& command) {
  std::string out = fmt::format("  {})\n    _arguments -s", command.name);
  auto add = [&](const std::string& words) { out += " \\\n      " + quoted(words); };
  for (const OptionRow& option : command.options)
    for (const std::string& name : option.names)
      add(fmt::format("*{}[{}]{}", name, zsh_text(option.description), zsh_value(option, "value")));
  if (command.runs_program) {
    add("1:program:_files");
    add("*::arguments:_files");
  } else if (!command.arguments.empty()) {
    add("*" + zsh_value(command.arguments.front(), command.arguments.front().names.front()));
  }
  return out + "\n    ;;\n";
}

std::string fish_option(const std::string& seen, const OptionRow& option) {
  std::string out = "complete -c warplens -n " + seen;
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  switch (option.value) {
  case Value::none: break;
  case Value::word: out += " -x"; break;
  case Value::choice:
    out += " -x -a " + quoted_for_fish(fmt::format("{}", fmt::join(option.choices, " ")));
    break;
  case Value::file: out += " -r -F"; break;
  case Value::folder: out += " -x -a '(__fish_complete_directories)'"; break;
  }
  return out + " -d " + quoted_for_fish(option.description) + "\n";
}

} // namespace

std::string bash_completion(const std::vector<CommandRow>& table) {
  std::vector<std::string> commands = all_names(table.front());
  std::string arms;
  for (const CommandRow& command : table) {
    if (command.name.empty()) continue;
    commands.push_back(command.name);
    arms += bash_command(command);
  }
  return "# bash completion for warplens, made by `warplens completion bash`\n"
         "_warplens_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
         "_warplens_names() { mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$current\"); }\n"
         "_warplens() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local options='' arguments='' files='' valued='' i\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
         "    _warplens_words " +
         quoted(fmt::format("{}", fmt::join(commands, " "))) +
         "\n    return\n  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         arms +
         "  *) return ;;\n"
         "  esac\n"
         "  if [ -n \"$valued\" ]; then # what follows the program is the program's\n"
         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "      case ${COMP_WORDS[i]} in\n"
         "      -*) case $valued in *\" ${COMP_WORDS[i]} \"*) i=$((i + 1)) ;; esac ;;\n"
         "      *) _warplens_names -f; return ;;\n"
         "      esac\n"
         "    done\n"
         "  fi\n"
         "  case $current in\n"
         "  -*) _warplens_words \"$options\" ;;\n"
         "  *) if [ -n \"$arguments\" ]; then _warplens_words \"$arguments\"; elif [ -n \"$files\" ]; then "
         "_warplens_names -f; else _warplens_words \"$options\"; fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _warplens warplens\n";
}

std::string zsh_completion(const std::vector<CommandRow>& table) {
  std::string names, arms;
  for (const CommandRow& command : table) {
    if (command.name.empty()) continue;
    names += "    " + quoted(zsh_text(command.name) + ":" + zsh_text(command.description)) + "\n";
    arms += zsh_command(command);
  }
  return "#compdef warplens\n# made by `warplens completion zsh`\n"
         "_warplens() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         arms +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _warplens ]]; then _warplens \"$@\"; else compdef _warplens warplens; fi\n";
}

std::string fish_completion(const std::vector<CommandRow>& table) {
  std::string out = "# fish completion for warplens, made by `warplens completion fish`\n"
                    "complete -c warplens -f\n";
  for (const CommandRow& command : table) {
    if (command.name.empty()) {
      for (const OptionRow& option : command.options) out += fish_option("__fish_use_subcommand", option);
      continue;
    }
    out += fmt::format("complete -c warplens -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted_for_fish(command.description));
    const std::string seen = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionRow& option : command.options) out += fish_option(seen, option);
    if (takes_files(command)) out += "complete -c warplens -n " + seen + " -F\n";
    if (std::vector<std::string> choices = choices_of_arguments(command); !choices.empty())
      out += fmt::format("complete -c warplens -n {} -a {}\n", seen,
                         quoted_for_fish(fmt::format("{}", fmt::join(choices, " "))));
  }
  return out;
}

} // namespace warplens::cli
