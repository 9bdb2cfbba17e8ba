// addr2line is started once for each file, with all addresses that are asked of it. Lines in headers of the toolkit are passed
// over: the place that helps is the one in the program's own source.
#include "driver/program/host_places.h"
#include "driver/program/program.h"
#include "os/captured.h"
#include "source/places.h"
#include <map>
#include <regex>
#include <sstream>

namespace warplens::driver {
namespace {

// Of one line of addr2line's, "main at /home/me/main.cu:12", what follows "at"; nothing where it knows none.
std::string place_in(std::string_view line) {
  std::size_t at = line.rfind(" at ");
  if (at == line.npos || line.find("??") != line.npos || line.ends_with(":?"))
    return {}; // a file without lines
  std::string_view place = line.substr(at + 4);
  return std::string(place.substr(0, place.find(" (discriminator")));
}

// Neither in a header of the toolkit, nor where nvcc put the launch of a kernel: into a file of its own, which is gone.
bool is_programs_own(const std::string& place) {
  return !source::is_library_file(place.substr(0, place.rfind(':'))) &&
         place.find(".cudafe1.stub.c:") == place.npos && place.find("libc-start.c:") == place.npos;
}

// The innermost place of a chain of inlined calls that is the program's own: cudaMalloc<T> is a template of the toolkit's.
std::string line_of(const std::string& addr2line, const std::string& file, const std::string& offset) {
  Result<os::Captured> said = os::run_captured({addr2line, "-Cfpie", file, offset});
  if (!said || said->exit_code != 0) return {};
  std::string innermost;
  std::istringstream lines(said->output);
  for (std::string line; std::getline(lines, line);) {
    std::string place = place_in(line);
    if (place.empty()) continue;
    if (is_programs_own(place)) return place;
    if (innermost.empty()) innermost = place;
  }
  return innermost;
}

// addr2line's answers. Without addr2line places stay as they are.
class Names {
public:
  // Of callers joined by '<' the innermost whose place is in the program's own source, else the innermost.
  std::string innermost(std::string_view chain) {
    std::string first;
    while (!chain.empty()) {
      const std::string caller(chain.substr(0, chain.find('<')));
      const std::string& named = name(caller);
      if (named != caller && is_programs_own(named)) return named;
      if (first.empty()) first = named;
      chain.remove_prefix(std::min(caller.size() + 1, chain.size()));
    }
    return first;
  }
  // Chains in the text.
  void replace(std::string& text) {
    static const std::regex chain(R"(/\S+\+0x[0-9a-f]+)");
    std::string out;
    std::sregex_iterator end;
    std::size_t done = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), chain); it != end; ++it) {
      out += text.substr(done, static_cast<std::size_t>(it->position()) - done) + innermost(it->str());
      done = static_cast<std::size_t>(it->position() + it->length());
    }
    if (done != 0) text = out + text.substr(done);
  }

private:
  const std::string& name(const std::string& caller) {
    auto [known, fresh] = known_.try_emplace(caller);
    const std::size_t plus = caller.rfind("+0x");
    if (fresh && plus != caller.npos && !addr2line_.empty())
      known->second = line_of(addr2line_, caller.substr(0, plus), caller.substr(plus + 1));
    if (known->second.empty()) known->second = caller;
    return known->second;
  }
  const std::string addr2line_ = find_in_path("addr2line");
  std::map<std::string, std::string> known_;
};

void replace_all(Names& names, diag::Diagnostic& diagnostic) {
  for (std::string& note : diagnostic.notes) names.replace(note);
  names.replace(diagnostic.help);
}

} // namespace

void name_innermost_places(std::span<std::string> chains) {
  if (chains.empty()) return;
  Names names;
  for (std::string& chain : chains) chain = names.innermost(chain);
}

void name_host_places(summary::Input& input) {
  std::vector<std::string> chains;
  for (auto& launch : input.launches) chains.push_back(std::move(launch.record.called_from));
  if (std::ranges::any_of(chains, [](const std::string& chain) { return !chain.empty(); }))
    name_innermost_places(chains);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool found = chains[i].find("+0x") == chains[i].npos; // else there is no debug information
    input.launches[i].record.called_from = found ? std::move(chains[i]) : std::string();
  }
  Names names;
  for (diag::Diagnostic& message : input.messages) replace_all(names, message);
  for (auto& launch : input.launches)
    for (diag::Diagnostic& message : launch.record.diagnostics) replace_all(names, message);
}

} // namespace warplens::driver
