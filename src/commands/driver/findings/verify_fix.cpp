// What each program does is kept by its trials (trial.h). Lines that differ between two runs of one program, as times do, are
// not compared, nor are such copies, states of memory and pieces of files. Where nothing is left that could have shown a
// difference, the fixes are not verified.
#include "driver/findings/verify_fix.h"
#include "driver/findings/trial.h"
#include "source/names.h"
#include "text/words.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string whole(const std::string& path) {
  std::error_code error;
  const fs::path out = fs::absolute(path, error);
  return error ? path : out.lexically_normal().string();
}

// The sources of the program: the one with main() first.
Words sources_of(const RunOptions& o) {
  Words out{whole(o.command[0])};
  for (const std::string& more : o.more_sources) out.push_back(whole(more));
  return out;
}

// What decides how the program is compiled, run and counted; not how that is shown.
Words words_of(const RunOptions& o, const Words& sources, const std::string& more_options) {
  RunOptions passed = o;
  passed.compile_options += more_options;
  const RunOptions initial;
  Words out{"--no-config", "--no-progress"};
#define OPTION_program(type, member, initially, flags, ...)                                                  \
  add_option_words(out, flags, passed.member, initial.member);
#define OPTION_compiler(type, member, initially, flags, ...)                                                 \
  add_option_words(out, flags, passed.member, initial.member);
#define OPTION_filter(type, member, initially, flags, ...)                                                   \
  add_option_words(out, flags, passed.member, initial.member);
#include "base/run_options.def"
  out.emplace_back("--");
  out.insert(out.end(), sources.begin(), sources.end());
  out.insert(out.end(), o.command.begin() + 1, o.command.end());
  return out;
}

// The unchanged program's two runs, and the changed one's; where nothing differed, each is its own second.
struct Trials {
  const Trial &before, &again, &after, &after_again;
};

// One thing that the program does, in the four trials.
struct Compared {
  const Pieces &before, &again, &after, &after_again;

  // How many pieces there are changes from run to run: then nothing is said of any.
  bool countless() const { return before.size() != again.size() || after.size() != after_again.size(); }
  bool varies(std::size_t i) const {
    return (i < before.size() && before[i] != again[i]) || (i < after.size() && after[i] != after_again[i]);
  }
  std::size_t varying() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < before.size(); ++i) out += varies(i);
    return out;
  }
  // Is there anything that both programs could do differently?
  bool says_something() const { return !countless() && before.size() > varying(); }
  // The first that differs, of those that do not differ by themselves; nothing where all are alike.
  std::optional<std::size_t> difference() const {
    if (countless()) return {};
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i)
      if (!varies(i) && (i >= before.size() || i >= after.size() || before[i] != after[i])) return i;
    return {};
  }
};

Compared compared(const Trials& t, Pieces Trial::*what) {
  return {t.before.*what, t.again.*what, t.after.*what, t.after_again.*what};
}

const Pieces& file_in(const Trial& trial, const std::string& path) {
  static const Pieces none;
  auto found = trial.files.find(path);
  return found == trial.files.end() ? none : found->second;
}

// Of all files that a trial wrote, by path.
std::map<std::string, Compared> compared_files(const Trials& t) {
  std::map<std::string, Compared> out;
  for (const Trial* trial : {&t.before, &t.again, &t.after, &t.after_again})
    for (const auto& [path, pieces] : trial->files)
      out.try_emplace(path, Compared{file_in(t.before, path), file_in(t.again, path), file_in(t.after, path),
                                     file_in(t.after_again, path)});
  return out;
}

std::string piece_at(const Pieces& pieces, std::size_t i) {
  return i < pieces.size() ? fmt::format("'{}'", std::string_view(pieces[i]).substr(0, 100)) : "nothing";
}

std::string line_text(const Compared& lines, std::size_t i, std::string_view where) {
  return fmt::format("line {} of what the program prints{} is {} instead of {}", i + 1, where,
                     piece_at(lines.after, i), piece_at(lines.before, i));
}

// Of a copy to the host, or of memory that both use: "copy 1 of 3 from the device to the host, of 4096 bytes, …".
std::string bytes_text(const Compared& all, std::size_t i, std::string_view noun, std::string_view of_what) {
  const auto bytes = [&](const Pieces& pieces) {
    return i < pieces.size() ? pieces[i].substr(0, pieces[i].find(' ')) : std::string("no");
  };
  if (bytes(all.before) != bytes(all.after))
    return fmt::format("{} {} {} has {} bytes instead of {}", noun, i + 1, of_what, bytes(all.after),
                       bytes(all.before));
  return fmt::format("{} {} of {} {}, of {} bytes, has another content", noun, i + 1, all.before.size(),
                     of_what, bytes(all.before));
}

// Why the changed program does not do the same; empty where it does.
std::string difference_text(const Trials& t) {
  if (t.before.exit_code != t.after.exit_code)
    return fmt::format("the program ends with {} instead of {}", t.after.exit_code, t.before.exit_code);
  const Compared printed = compared(t, &Trial::printed), said = compared(t, &Trial::said),
                 copies = compared(t, &Trial::copies), memory = compared(t, &Trial::memory);
  constexpr std::string_view twice = ", in both of two runs each";
  auto found = [&](std::string what) { return std::move(what) + std::string(twice); };
  if (auto i = printed.difference()) return found(line_text(printed, *i, ""));
  if (auto i = said.difference()) return found(line_text(said, *i, " on standard error"));
  if (auto i = copies.difference())
    return found(bytes_text(copies, *i, "copy", "from the device to the host"));
  if (auto i = memory.difference())
    return found(bytes_text(memory, *i, "state", "of managed or pinned memory"));
  for (const auto& [path, file] : compared_files(t))
    if (file.difference()) return found(fmt::format("the file '{}' has another content", path));
  return {};
}
// "what it prints is the same (3 lines, but for 1 that changes from run to run)"
std::string same_text(const Compared& all, std::string_view what, std::string_view noun) {
  const std::size_t varying = all.varying();
  const std::string but = varying == 0   ? ""
                          : varying == 1 ? ", but for 1 that changes from run to run"
                                         : fmt::format(", but for {} that change from run to run", varying);
  return fmt::format("{} ({}{})", what, text::human(all.before.size(), noun), but);
}

std::string printed_text(const Trials& t) {
  const Compared printed = compared(t, &Trial::printed);
  const std::string ends = fmt::format("ends with {}, as before", t.before.exit_code);
  if (printed.countless())
    return fmt::format(
        "with the fixes the program {}; how many lines it prints changes from run to run: they "
        "were not compared",
        ends);
  return "with the fixes " + same_text(printed, "the program prints the same", "line") + " and " + ends;
}

std::string copies_text(const Compared& copies) {
  if (copies.countless())
    return "how often it copies from the device to the host changes from run to run: these copies were not "
           "compared";
  if (copies.before.empty()) return "it copies nothing from the device to the host that could be compared";
  return same_text(copies, "what it copies from the device to the host is the same to the bit", "transfer");
}

std::string files_text(const std::map<std::string, Compared>& files) {
  static constexpr std::size_t most_named = 3;
  std::vector<std::string> same, varying;
  for (const auto& [path, file] : files)
    (file.says_something() ? same : varying).push_back(fmt::format("'{}'", path));
  auto named = [](const std::vector<std::string>& all) {
    const std::size_t shown = std::min(all.size(), most_named);
    const std::string out =
        fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return all.size() > shown ? fmt::format("{} and {} more", out, all.size() - shown) : out;
  };
  std::string out;
  if (!same.empty()) out += "the files that it writes are the same: " + named(same);
  if (!varying.empty())
    out += (out.empty() ? "" : "; ") +
           ("not compared, since they change from run to run or are empty: " + named(varying));
  return out;
}

// What is the same; empty where nothing could have shown a difference.
std::string same_results_text(const Trials& t) {
  const Compared said = compared(t, &Trial::said), copies = compared(t, &Trial::copies),
                 memory = compared(t, &Trial::memory);
  const std::map<std::string, Compared> files = compared_files(t);
  bool something = compared(t, &Trial::printed).says_something() || said.says_something() ||
                   copies.says_something() || memory.says_something();
  for (const auto& [path, file] : files) something = something || file.says_something();
  if (!something) return {};
  std::vector<std::string> lines{printed_text(t), copies_text(copies)};
  if (said.says_something())
    lines.push_back(same_text(said, "what it prints on standard error is the same", "line"));
  if (memory.says_something())
    lines.push_back(
        same_text(memory, "what it leaves in managed or pinned memory is the same to the bit", "state"));
  if (!files.empty()) lines.push_back(files_text(files));
  std::string out;
  for (const std::string& line : lines) out += fmt::format("warplens: {}\n", line);
  return out;
}

// Sets `same`.
std::string results_text(const Trials& t, bool& same) {
  if (const std::string why = difference_text(t); !why.empty())
    return fmt::format("warplens: the fixes do not hold: {}\n", why);
  const std::string text = same_results_text(t);
  same = !text.empty();
  if (same) return text;
  return "warplens: the fixes are not verified: there is nothing to compare. The program prints nothing, "
         "copies nothing to the host and writes no file, or all of that changes from run to run.\n  help: "
         "let "
         "it print its results. Or look at the changes with --fix-dry-run and make them with --fix alone\n";
}

struct Cost {
  u64 before = 0, after = 0;
  std::string_view unit;
  std::string text;
};
using Costs = std::map<std::tuple<std::string, std::string, u32, access::Space>, Cost>; // file, kernel, line

u64 paid(const arch::Counts& counts, access::Space space) {
  return space == access::Space::shared     ? counts.wavefronts
         : space == access::Space::constant ? counts.requests
                                            : counts.sectors;
}

void add(Costs& costs, const summary::Model& model, const std::function<std::string(std::string)>& name,
         bool after) {
  for (const summary::Kernel& kernel : model.kernels)
    for (const summary::Line& line : kernel.lines)
      for (const summary::AccessRow& row : line.rows) {
        if (row.counters.empty()) continue;
        Cost& cost = costs[{name(line.place.file), kernel.label, line.place.line, row.space}];
        (after ? cost.after : cost.before) += paid(row.counters[0], row.space);
        cost.unit = row.space == access::Space::shared     ? "wavefronts"
                    : row.space == access::Space::constant ? "requests"
                                                           : "sectors";
        if (!line.text.empty() && !after) cost.text = line.text;
      }
}

// The lines whose counts changed, the largest change first.
std::string counts_text(const Trial& before, const Trial& after, const Shadow& shadow) {
  Costs costs;
  add(
      costs, before.model, [](std::string file) { return file; }, false);
  add(
      costs, after.model, [&](std::string file) { return whole(shadow.original(std::move(file))); }, true);
  std::vector<std::pair<i64, std::string>> lines;
  std::map<std::string_view, std::pair<u64, u64>> totals;
  for (const auto& [key, cost] : costs) {
    totals[cost.unit].first += cost.before, totals[cost.unit].second += cost.after;
    if (cost.before == cost.after) continue;
    const auto& [file, kernel, line, space] = key;
    lines.emplace_back(static_cast<i64>(cost.after) - static_cast<i64>(cost.before),
                       fmt::format("  {}:{} in {}: {} {} -> {}{}\n", fs::path(file).filename().string(), line,
                                   kernel, cost.unit, cost.before, cost.after,
                                   cost.text.empty() ? "" : fmt::format("   {}", cost.text)));
  }
  std::ranges::sort(lines);
  std::string out;
  for (const auto& [_, text] : lines) out += text;
  if (lines.empty()) out += "  no line costs more or less\n";
  for (const auto& [unit, sums] : totals)
    if (sums.first != sums.second) out += fmt::format("  all {}: {} -> {}\n", unit, sums.first, sums.second);
  return out;
}

} // namespace

Result<Verification> verify_fix(const RunOptions& o, const Patch& patch) {
  const Words sources = sources_of(o);
  Result<Shadow> shadow = Shadow::create(patch, sources);
  if (!shadow) return failure(shadow.error());
  Words changed;
  std::string include;
  for (const std::string& source : sources) {
    changed.push_back(shadow->path_of(source));
    include += fmt::format(" '-I{}'", fs::path(source).parent_path().string());
  }
  const auto seen = [&](std::string text) { return shadow->original(std::move(text)); };
  const Words original = words_of(o, sources, ""), fixed = words_of(o, changed, include);
  Result<Trial> before = run_trial(original, seen);
  if (!before) return failure(before.error());
  Verification out;
  Result<Trial> after = run_trial(fixed, seen);
  if (!after && after.error().kind != "verify-failed") return failure(after.error());
  if (!after) {
    out.text = fmt::format("warplens: the fixes do not hold: {}\n{}", after.error().message,
                           after.error().help.empty() ? "" : "  " + seen(after.error().help) + "\n");
    return out;
  }
  std::optional<Trial> again, after_again; // what differs may do so by itself
  if (!difference_text({*before, *before, *after, *after}).empty()) {
    for (auto& [trial, words] : {std::pair(&again, &original), std::pair(&after_again, &fixed)}) {
      Result<Trial> once_more = run_trial(*words, seen);
      if (!once_more) return failure(once_more.error());
      *trial = std::move(*once_more);
    }
  }
  out.text = results_text({*before, again ? *again : *before, *after, after_again ? *after_again : *after},
                          out.same);
  out.text += counts_text(*before, *after, *shadow);
  return out;
}

} // namespace warplens::driver
