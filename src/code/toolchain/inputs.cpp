// How what must stay absent is found: every name that an #include or __has_include of a file that was read
// mentions, also in branches that were not taken, could have been found in each folder of the search path,
// and one in quotes beside the file that mentions it. Those places where nothing is are remembered; for a
// whole folder that is missing, only the folder. A name that a macro makes up is looked for by the endings of
// the path where it was found.
#include "toolchain/inputs.h"
#include "os/file.h"
#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>

namespace warplens::toolchain {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

template <class F> void each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

struct Mention {
  std::string_view name;
  bool quoted;
};

// "name" or <name> at the start of `text`.
bool header_name(std::string_view text, std::vector<Mention>& out) {
  if (text.empty() || (text[0] != '<' && text[0] != '"')) return false;
  std::size_t end = text.find(text[0] == '<' ? '>' : '"', 1);
  if (end == text.npos || end == 1) return false;
  out.push_back({text.substr(1, end - 1), text[0] == '"'});
  return true;
}

std::vector<Mention> mentions(std::string_view text) {
  std::vector<Mention> out;
  each_line(text, [&](std::string_view line) {
    skip_blanks(line);
    if (!skip(line, "#")) return;
    skip_blanks(line);
    std::string_view directive = line;
    if (skip(line, "include_next") || skip(line, "include") || skip(line, "import")) {
      skip_blanks(line);
      header_name(line, out);
      return;
    }
    for (std::size_t at = directive.find("__has_include"); at != directive.npos;
         at = directive.find("__has_include", at + 1)) {
      std::string_view rest = directive.substr(at);
      rest.remove_prefix(std::min(rest.find_first_of("<\""), rest.size()));
      header_name(rest, out);
    }
  });
  return out;
}

bool tells_the_time(std::string_view text) {
  for (std::string_view macro : {"__DATE__", "__TIME__", "__TIMESTAMP__"})
    if (text.find(macro) != text.npos) return true;
  // Files that only the assembler or a later pass reads.
  return text.find(".incbin") != text.npos || text.find("#embed") != text.npos;
}

u64 nanoseconds(const timespec& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_nsec);
}

bool changed_since(const std::string& path, u64 start) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return true;
  return std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)) >= start;
}

// The places where a name could be and is not.
class Absent {
public:
  void look(const std::string& folder, std::string_view name) {
    if (name.starts_with('/')) return note(std::string(name));
    // The first part of the path that is not there; everything below goes with it.
    for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
      std::string part = folder + '/' + std::string(name.substr(0, slash));
      auto [known, is_new] = folders_.try_emplace(part, false);
      if (is_new) known->second = exists(part);
      if (!known->second) return note(std::move(part));
    }
    note(folder + '/' + std::string(name));
  }
  void note(std::string path) {
    if (seen_.insert(path).second && !exists(path)) absent_.insert(std::move(path));
  }
  std::vector<std::string> take() { return {absent_.begin(), absent_.end()}; }

private:
  std::unordered_map<std::string, bool> folders_; // whether it exists
  std::unordered_set<std::string> seen_;
  std::set<std::string> absent_;
};

// The endings of a path that an #include could have named, shortest first.
template <class F> void each_ending(std::string_view path, F&& f) {
  constexpr u32 deepest = 6;
  std::size_t slash = path.size();
  for (u32 depth = 0; depth < deepest && slash != 0; ++depth) {
    slash = path.rfind('/', slash - 1);
    if (slash == path.npos) return;
    f(path.substr(slash + 1));
  }
}

} // namespace

SearchPath search_path_of(std::string_view output) {
  SearchPath path;
  bool inside = false;
  each_line(output, [&](std::string_view line) {
    constexpr std::string_view missing = "ignoring nonexistent directory \"";
    if (line.starts_with("#include ") && line.ends_with("search starts here:"))
      inside = true;
    else if (line.starts_with("End of search list"))
      inside = false;
    else if (inside && line.starts_with(' '))
      path.folders.push_back(fs::absolute(line.substr(1)).string());
    else if (line.starts_with(missing) && line.ends_with('"'))
      path.missing.push_back(
          fs::absolute(line.substr(missing.size(), line.size() - missing.size() - 1)).string());
  });
  return path;
}

std::vector<std::string> files_of_line_markers(std::string_view text) {
  std::set<std::string> out;
  std::string_view last; // most markers repeat the one before
  each_line(text, [&](std::string_view line) {
    if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') return;
    std::size_t quote = line.find('"');
    if (quote == line.npos) return;
    std::string name;
    std::size_t at = quote + 1;
    for (; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) ++at;
      name += line[at];
    }
    if (line.substr(quote, at - quote) == last) return;
    last = line.substr(quote, at - quote);
    bool built_in = name.starts_with('<') || name.ends_with('/'); // "<command-line>", "/work//": the folder
    if (!name.empty() && !built_in) out.insert(std::move(name));
  });
  return {out.begin(), out.end()};
}

std::vector<std::string> files_of_rule(std::string_view text) {
  std::vector<std::string> out;
  std::size_t colon = text.find(": ");
  if (colon == text.npos) return out;
  std::string word;
  auto end_word = [&] {
    if (!word.empty()) out.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t at = colon + 2; at < text.size(); ++at) {
    char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == '\r')) {
      end_word();
      ++at;
    } else if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      word += next;
      ++at;
    } else if (c == '$' && next == '$') {
      word += c;
      ++at;
    } else if (c == '\n') {
      break; // further rules say nothing new
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return out;
}

std::optional<Inputs> gather_inputs(const std::vector<std::string>& files, const SearchPath& path,
                                    u64 start) {
  std::set<std::string> all;
  for (const std::string& file : files) all.insert(fs::absolute(file).string());
  Inputs inputs;
  std::set<std::string> names;
  Absent absent;
  for (const std::string& folder : path.missing) absent.note(folder);
  for (const std::string& file : all) {
    std::optional<std::string> text = os::read_file(file);
    if (!text || tells_the_time(*text) || changed_since(file, start) || file.find('\n') != file.npos)
      return {};
    std::string folder = file.substr(0, file.rfind('/'));
    for (const Mention& mention : mentions(*text)) {
      names.insert(std::string(mention.name));
      if (mention.quoted) absent.look(folder, mention.name);
    }
  }
  std::unordered_multimap<std::string_view, std::string_view> by_file_name;
  for (const std::string& name : names) by_file_name.emplace(os::file_name(name), name);
  for (const std::string& file : all) { // found by a name that no #include spells out
    auto [first, last] = by_file_name.equal_range(os::file_name(file));
    bool spelt_out = std::any_of(first, last, [&](const auto& entry) {
      return file.size() > entry.second.size() && file.ends_with(entry.second) &&
             file[file.size() - entry.second.size() - 1] == '/';
    });
    if (!spelt_out) each_ending(file, [&](std::string_view ending) { names.insert(std::string(ending)); });
  }
  for (const std::string& folder : path.folders)
    for (const std::string& name : names) absent.look(folder, name);
  inputs.files.assign(all.begin(), all.end());
  inputs.absent = absent.take();
  for (const std::string& name : inputs.absent)
    if (name.find('\n') != name.npos) return {};
  return inputs;
}

std::optional<cache::Digest> content_of(const Inputs& inputs) {
  for (const std::string& path : inputs.absent)
    if (exists(path)) return {};
  cache::Hasher hasher;
  for (const std::string& file : inputs.files) {
    std::optional<std::string> text = os::read_file(file);
    if (!text) return {};
    hasher.add(file).add(*text);
  }
  return hasher.digest();
}

std::string to_text(const Inputs& inputs) {
  std::string out;
  for (const std::string& file : inputs.files) out += "+" + file + "\n";
  for (const std::string& path : inputs.absent) out += "-" + path + "\n";
  return out;
}

std::optional<Inputs> inputs_of_text(std::string_view text) {
  Inputs inputs;
  bool good = true;
  each_line(text, [&](std::string_view line) {
    if (line.starts_with("+/"))
      inputs.files.emplace_back(line.substr(1));
    else if (line.starts_with("-/"))
      inputs.absent.emplace_back(line.substr(1));
    else
      good = false;
  });
  if (!good || inputs.files.empty()) return {};
  return inputs;
}

} // namespace warplens::toolchain
