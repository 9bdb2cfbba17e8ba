#include "cli/option_table.h"
#include "cli/help.h"
#include "cli/values.h"

namespace warplens::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

OptionRow row_of(CLI::Option& option, bool positional) {
  OptionRow out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (positional) out.names = {option.get_name(true)};
  out.shown = option.get_name(positional, true);
  const bool takes_value = option.get_items_expected_max() > 0;
  if (takes_value && !type.empty() && !positional) out.shown += " " + type.substr(0, type.find(':'));
  out.description = option.get_description();
  out.group = option.get_group();
  if (const std::string choice = choice_of(option); choice.starts_with(files_like))
    out.likely = choice.substr(files_like.size());
  else
    out.choices = words_of(choice);
  out.value = !takes_value                                    ? Value::none
              : !out.choices.empty()                          ? Value::choice
              : type == "FILE" || out.names.front() == "FILE" ? Value::file
              : type == "DIR"                                 ? Value::folder
                                                              : Value::word;
  return out;
}

CommandRow row_of(const CLI::App& command) {
  CommandRow out;
  out.description = command.get_description();
  out.usage = usage_of(command);
  out.footer = command.get_footer();
  if (const std::size_t at = out.footer.rfind("Example: "); at != out.footer.npos) {
    out.example = out.footer.substr(at + std::string("Example: ").size());
    out.footer.resize(at);
  }
  out.runs_program = command.get_prefix_command();
  // get_options() of a const App gives Options that cannot be asked for their validators
  for (CLI::Option* option : const_cast<CLI::App&>(command).get_options()) {
    if (option->get_group().empty()) continue; // hidden
    auto& rows = option->nonpositional() ? out.options : out.arguments;
    rows.push_back(row_of(*option, !option->nonpositional()));
  }
  return out;
}

} // namespace

std::vector<CommandRow> command_table(const CLI::App& app) {
  std::vector<CommandRow> out{row_of(app)};
  for (const CLI::App* command : app.get_subcommands({})) {
    out.push_back(row_of(*command));
    out.back().name = command->get_name();
  }
  return out;
}

} // namespace warplens::cli
