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

struct HostFrame {
  std::string function, place; // place: "/home/me/main.cu:12", or empty
};

// Where nvcc puts the launch of a kernel: a file of its own, which is gone.
bool is_in_stub_file(const HostFrame& frame) {
  return frame.place.find(".cudafe1.stub.c:") != frame.place.npos;
}

// Of one line of addr2line's: "main at /home/me/main.cu:12".
HostFrame frame_in(std::string_view line) {
  const std::size_t at = line.rfind(" at ");
  if (at == line.npos) return {};
  HostFrame out{std::string(line.substr(0, at)), {}};
  const std::string_view place = line.substr(at + 4);
  if (line.find("??") == line.npos && !line.ends_with(":?")) // else a file without lines
    out.place = place.substr(0, place.find(" (discriminator"));
  return out;
}

// Neither in a header of the toolkit, nor what starts `main`.
bool is_programs_own(const std::string& place) {
  return !place.empty() && !source::is_library_file(place.substr(0, place.rfind(':'))) &&
         place.find("libc-start.c:") == place.npos;
}

// The chain of inlined calls at an address, innermost first.
std::vector<HostFrame> frames_at(const std::string& addr2line, const std::string& file,
                                 const std::string& offset) {
  Result<os::Captured> said = os::run_captured({addr2line, "-Cfpie", file, offset});
  std::vector<HostFrame> out;
  if (!said || said->exit_code != 0) return out;
  std::istringstream lines(said->output);
  for (std::string line; std::getline(lines, line);) out.push_back(frame_in(line));
  return out;
}

// addr2line's answers. Without addr2line places stay as they are.
class Names {
public:
  // Of callers joined by '<' the innermost whose place is in the program's own source, else the innermost. What compilers make of
  // a kernel to launch it has the place of the kernel's definition, and is passed over: the stub, and the function behind nvcc's.
  std::string innermost(std::string_view chain) {
    std::string first, of_stub;
    bool behind_stub = false;
    while (!chain.empty()) {
      const std::string caller(chain.substr(0, chain.find('<')));
      bool named = false;
      for (const HostFrame& frame : frames(caller)) {
        const bool is_stub = frame.function.find("__device_stub_") != frame.function.npos;
        const bool passed = is_in_stub_file(frame) || is_stub || behind_stub;
        behind_stub = is_in_stub_file(frame);
        if (!passed && is_programs_own(frame.place)) return frame.place;
        named = named || !frame.place.empty();
        std::string& seen = passed && !behind_stub ? of_stub : first;
        if (seen.empty()) seen = frame.place;
      }
      if (!named && first.empty()) first = caller;
      chain.remove_prefix(std::min(caller.size() + 1, chain.size()));
    }
    return of_stub.empty() ? first : of_stub;
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
  const std::vector<HostFrame>& frames(const std::string& caller) {
    auto [known, fresh] = known_.try_emplace(caller);
    const std::size_t plus = caller.rfind("+0x");
    if (fresh && plus != caller.npos && !addr2line_.empty())
      known->second = frames_at(addr2line_, caller.substr(0, plus), caller.substr(plus + 1));
    return known->second;
  }
  const std::string addr2line_ = find_in_path("addr2line");
  std::map<std::string, std::vector<HostFrame>> known_;
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
