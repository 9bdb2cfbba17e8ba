// Each run is a `warplens run` of its own, whose report is read as a saved one: so that the program's output can be kept, and
// neither run knows of the other. Lines of the output that differ between two runs of the unchanged program, as times do, are
// not compared, nor are such copies from the device to the host (runtime/returned.h).
#include "driver/findings/verify_fix.h"
#include "os/captured.h"
#include "os/file.h"
#include "report/names.h"
#include "report/read.h"
#include "report/text.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Trial {
  int exit_code = 0;
  std::string output, said;          // standard output, and what warplens and the compiler said
  std::vector<std::string> returned; // of each copy from the device to the host: bytes and digest
  report::Model model;
};

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
Words words_of(const RunOptions& o, const Words& sources, const std::string& more_options,
               const std::string& folder) {
  Words out{"run",
            "--no-config",
            "--no-progress",
            "--report",
            folder + "/report",
            "--json",
            folder + "/report.json",
            "--sm",
            o.sm,
            "--compiler",
            o.compiler,
            "--compile-options",
            o.compile_options + more_options,
            "--memory",
            o.memory,
            "--workers",
            fmt::format("{}", o.workers)};
  auto add = [&](bool wanted, std::string option, std::string value = {}) {
    if (!wanted) return;
    out.push_back(std::move(option));
    if (!value.empty()) out.push_back(std::move(value));
  };
  add(o.count_only, "--count-only");
  add(o.no_cache, "--no-cache");
  add(!o.kernel.empty(), "--kernel", o.kernel);
  add(o.launches.has_value(), "--launches", fmt::format("{}", o.launches.value_or(0)));
  add(o.per_kernel.has_value(), "--per-kernel", fmt::format("{}", o.per_kernel.value_or(0)));
  add(o.launch_skip != 0, "--launch-skip", fmt::format("{}", o.launch_skip));
  add(o.timeout > 0, "--timeout", fmt::format("{}", o.timeout));
  out.insert(out.end(), sources.begin(), sources.end());
  out.insert(out.end(), o.command.begin() + 1, o.command.end());
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Standard output and standard error apart, which a capture would mix.
Result<Trial> run_once(const Words& words, const std::string& folder) {
  std::error_code error;
  Words command{"/bin/sh",
                "-c",
                "out=$1 err=$2 WARPLENS_RETURNED=$3; export WARPLENS_RETURNED; : >\"$3\" && shift 3 && "
                "exec \"$@\" >\"$out\" 2>\"$err\"",
                "sh",
                folder + "/out",
                folder + "/err",
                folder + "/returned",
                fs::read_symlink("/proc/self/exe", error).string()};
  command.insert(command.end(), words.begin(), words.end());
  Result<os::Captured> end = os::run_captured(command);
  if (!end) return failure(end.error());
  Trial out{end->exit_code,
            os::read_file(folder + "/out").value_or(""),
            os::read_file(folder + "/err").value_or(""),
            {},
            {}};
  const std::string returned = os::read_file(folder + "/returned").value_or("");
  for (std::string_view line : lines_of(returned)) out.returned.emplace_back(line);
  std::optional<std::string> json = os::read_file(folder + "/report.json");
  if (!json || json->empty())
    return failure(diag::error("verify-failed", "the program could not be compiled or run", {},
                               out.said.substr(0, out.said.find('\n'))));
  Result<report::Saved> saved = report::read_json(*json, folder + "/report.json");
  if (!saved) return failure(saved.error());
  Result<report::Model> model = report::build(*saved);
  if (!model) return failure(model.error());
  out.model = std::move(*model);
  return out;
}

// What the unchanged program did, twice, and the changed one, twice.
template <class T> struct Compared {
  std::vector<T> before, again, after, after_again;

  // How many there are changes from run to run: then nothing is said of any.
  bool countless() const { return before.size() != again.size() || after.size() != after_again.size(); }
  bool varies(std::size_t i) const {
    return (i < before.size() && before[i] != again[i]) || (i < after.size() && after[i] != after_again[i]);
  }
  // The first that differs, of those that do not differ by themselves; nothing where all are alike.
  std::optional<std::size_t> difference() const {
    if (countless()) return {};
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i)
      if (!varies(i) && (i >= before.size() || i >= after.size() || before[i] != after[i])) return i;
    return {};
  }
  // "the program prints the same (3 lines, but for 1 that changes from run to run)"
  std::string same_text(std::string_view what, std::string_view noun) const {
    std::size_t varying = 0;
    for (std::size_t i = 0; i < before.size(); ++i) varying += varies(i);
    const std::string but = varying == 0   ? ""
                            : varying == 1 ? ", but for 1 that changes from run to run"
                                           : fmt::format(", but for {} that change from run to run", varying);
    return fmt::format("{} ({}{})", what, report::plural(before.size(), noun), but);
  }
};

std::string line_at(const std::vector<std::string_view>& lines, std::size_t number) {
  return number < lines.size() ? fmt::format("'{}'", lines[number].substr(0, 100)) : "nothing";
}

// The unchanged program's two runs, and the changed one's; where nothing differed, each is its own second.
struct Trials {
  const Trial &before, &again, &after, &after_again;
};

// How the content of a copy differs.
std::string copy_text(const std::vector<std::string>& before, const std::vector<std::string>& after,
                      std::size_t i) {
  const auto bytes = [&](const std::vector<std::string>& all) {
    return i < all.size() ? all[i].substr(0, all[i].find(' ')) : std::string("no");
  };
  if (bytes(before) != bytes(after))
    return fmt::format("copy {} from the device to the host has {} bytes instead of {}", i + 1, bytes(after),
                       bytes(before));
  return fmt::format("copy {} of {} from the device to the host, of {} bytes, has another content", i + 1,
                     before.size(), bytes(before));
}

// Why the changed program does not do the same; empty where it does.
std::string difference_text(const Trials& t, const Compared<std::string_view>& printed,
                            const Compared<std::string>& returned) {
  if (t.before.exit_code != t.after.exit_code)
    return fmt::format("the program ends with {} instead of {}", t.after.exit_code, t.before.exit_code);
  constexpr std::string_view twice = ", in both of two runs each";
  if (std::optional<std::size_t> line = printed.difference())
    return fmt::format("line {} of what the program prints is {} instead of {}{}", *line + 1,
                       line_at(printed.after, *line), line_at(printed.before, *line), twice);
  if (std::optional<std::size_t> copy = returned.difference())
    return copy_text(returned.before, returned.after, *copy) + std::string(twice);
  return {};
}

// Sets `same`.
std::string results_text(const Trials& t, bool& same) {
  const Compared<std::string_view> printed{lines_of(t.before.output), lines_of(t.again.output),
                                           lines_of(t.after.output), lines_of(t.after_again.output)};
  const Compared<std::string> returned{t.before.returned, t.again.returned, t.after.returned,
                                       t.after_again.returned};
  const std::string why = difference_text(t, printed, returned);
  same = why.empty();
  if (!same) return fmt::format("warplens: the fixes do not hold: {}\n", why);
  const std::string ends = fmt::format("ends with {}, as before", t.before.exit_code);
  std::string out = "warplens: with the fixes ";
  out += printed.countless()
             ? fmt::format("the program {}; how many lines it prints changes from run to run: they were "
                           "not compared",
                           ends)
             : printed.same_text("the program prints the same", "line") + " and " + ends;
  out += "\nwarplens: ";
  out += returned.countless()
             ? "how often it copies from the device to the host changes from run to run: these copies were "
               "not compared"
         : t.before.returned.empty()
             ? "it copies nothing from the device to the host that could be compared"
             : returned.same_text("what it copies from the device to the host is the same to the bit",
                                  "transfer");
  return out + '\n';
}

// Once more, where something differs: it may do so by itself.
Result<std::optional<Trial>> once_more(bool needed, const Words& words, const Shadow& shadow,
                                       const std::string& folder) {
  if (!needed) return std::optional<Trial>();
  Result<Trial> out = run_once(words, folder);
  if (!out) return failure(out.error());
  out->output = shadow.original(out->output);
  return std::optional(std::move(*out));
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

void add(Costs& costs, const report::Model& model, const std::function<std::string(std::string)>& name,
         bool after) {
  for (const report::Kernel& kernel : model.kernels)
    for (const report::Line& line : kernel.lines)
      for (const report::Row& row : line.rows) {
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
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  Result<Trial> before = run_once(words_of(o, sources, "", folder->path()), folder->path());
  if (!before) return failure(before.error());
  std::error_code error;
  fs::remove(folder->path() + "/report.json", error);
  Words changed;
  std::string include;
  for (const std::string& source : sources) {
    changed.push_back(shadow->path_of(source));
    include += fmt::format(" '-I{}'", fs::path(source).parent_path().string());
  }
  Verification out;
  Result<Trial> after = run_once(words_of(o, changed, include, folder->path()), folder->path());
  if (!after) {
    out.text = "warplens: the fixes do not hold: " + shadow->original(after.error().message) + "\n";
    return out;
  }
  after->output = shadow->original(after->output);
  const bool differs = after->output != before->output || after->returned != before->returned;
  const Words original = words_of(o, sources, "", folder->path()),
              fixed = words_of(o, changed, include, folder->path());
  Result<std::optional<Trial>> again = once_more(differs, original, *shadow, folder->path());
  if (!again) return failure(again.error());
  Result<std::optional<Trial>> after_again = once_more(differs, fixed, *shadow, folder->path());
  if (!after_again) return failure(after_again.error());
  out.text = results_text(
      {*before, *again ? **again : *before, *after, *after_again ? **after_again : *after}, out.same);
  out.text += counts_text(*before, *after, *shadow);
  return out;
}

} // namespace warplens::driver
