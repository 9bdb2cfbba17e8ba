// See read.h. Places in the document are told as a path: "launches[3].sites[0]: member 'line' is not a number…".
#include "report/read.h"
#include "measure/members.h"
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::report {
namespace {

using measure::each;
using measure::each_object;
using measure::json;
using measure::take;
using measure::Unreadable;

constexpr u32 schema = 1;
struct OtherVersion {
  u64 schema = 0;
};

const json& object_in(const json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end()) throw Unreadable(fmt::format("there is no member '{}'", key));
  measure::expect_object(*found, key);
  return *found;
}

// Which launches an element stands for. Reports of earlier versions have one for each.
Launch alike_of(const json& value, const std::vector<u32>& asked_for) {
  constexpr u64 most = u64{1} << 40; // so that no sum of them passes 2^64
  Launch out(measure::launch_of(value, asked_for, false));
  u64 all = 1;
  take(value, "count", all);
  if (auto found = value.find("occurrences"); found != value.end() && !found->is_null()) out.when.clear();
  each_object(value, "occurrences", [&](const json& element) {
    Occurrences& some = out.when.emplace_back();
    take(element, "process", some.process);
    take(element, "first", some.first);
    take(element, "count", some.count);
    take(element, "step", some.step);
    if (some.count == 0 || some.count > most) throw Unreadable("member 'count' is not a number in its range");
    if (some.step == 0 || (some.count - 1) > (~u64{0} - some.first) / some.step)
      throw Unreadable("member 'step' is not a number in its range");
  });
  if (all == 0 || all > most || out.count() != all)
    throw Unreadable("member 'count' is not how many launches the element stands for");
  out.record.process = out.when.front().process, out.record.index = out.when.front().first;
  if (auto counters = value.find("counters"); counters != value.end() && !counters->is_null()) {
    measure::expect_object(*counters, "counters");
    for (const auto& [name, count] : counters->items())
      out.counters[name] = measure::number_of<double>(count, name.c_str());
  }
  return out;
}

// What only the grouped view has: the source lines, and what ptxas said.
void take_kernel(const json& value, Saved& saved) {
  std::string kernel;
  take(value, "kernel", kernel);
  if (auto use = value.find("ptxas"); use != value.end() && !use->is_null()) {
    measure::expect_object(*use, "ptxas");
    LocalUse& out = saved.input.local_use[kernel];
    take(*use, "stack_bytes", out.stack_bytes);
    take(*use, "spill_store_bytes", out.spill_store_bytes);
    take(*use, "spill_load_bytes", out.spill_load_bytes);
  }
  each_object(value, "accesses", [&](const json& access) {
    std::string text;
    take(access, "source", text);
    if (text.empty()) return;
    access::Site site;
    measure::members(measure::MemberReader{access}, site.frames);
    access::SourceFrame place = source::user_frame(site);
    saved.source[{place.file, place.line}] = text;
    if (auto changed = access.find("source_changed"); changed != access.end() && *changed == true)
      saved.changed.insert(place.file);
  });
}

void take_interrupted(const json& value, Input& input) {
  measure::LaunchStarted& out = input.interrupted.emplace_back();
  take(value, "index", out.index);
  take(value, "process", out.process);
  take(value, "name", out.name);
  measure::take_dim(value, "grid", out.grid);
  measure::take_dim(value, "block", out.block);
}

// Reports of earlier versions do not say.
void take_missing(const json& document, Saved& saved) {
  if (auto complete = document.find("complete"); complete != document.end()) {
    if (!complete->is_boolean()) throw Unreadable("member 'complete' is neither true nor false");
    saved.complete = complete->get<bool>();
  }
  if (!document.contains("missing")) return;
  const json& missing = object_in(document, "missing");
  take(missing, "launches", saved.input.missing.launches);
  take(missing, "events", saved.input.missing.events);
  take(missing, "processes", saved.input.missing.processes);
}

void take_ranks(const json& value, Ranks& ranks) {
  take(value, "of", ranks.of);
  take(value, "job", ranks.job);
  each_object(value, "there", [&](const json& one) {
    u32 rank = 0;
    take(one, "rank", rank);
    std::set<i64>& processes = ranks.processes[rank];
    each(one, "processes",
         [&](const json& number) { processes.insert(measure::number_of<i64>(number, "processes")); });
  });
}

// A report with a null for each launch and kernel, and their texts.
struct ReportTexts {
  std::string frame;
  std::vector<std::string_view> launches, kernels;
};

// Brackets and strings alone: what each text and the frame are is the parser's to say.
ReportTexts taken_apart(std::string_view text) {
  constexpr std::size_t none = std::string_view::npos;
  ReportTexts out;
  std::vector<std::string_view>* elements = nullptr; // of the array that this is in
  std::string_view member;
  std::size_t depth = 0, copied = 0, begin = none;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t first = ++i;
      for (; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      if (depth == 1) member = text.substr(first, i - first);
    } else if (c == '[' || c == '{') {
      if (depth == 1)
        elements = member == "launches" ? &out.launches : member == "kernels" ? &out.kernels : nullptr;
      if (depth == 2 && elements != nullptr && c == '{') begin = i;
      ++depth;
    } else if ((c == ']' || c == '}') && depth != 0) {
      if (--depth != 2 || begin == none) continue;
      elements->push_back(text.substr(begin, i + 1 - begin));
      out.frame.append(text, copied, begin - copied).append("null");
      copied = i + 1, begin = none;
    }
  }
  out.frame.append(text, copied);
  return out;
}

// As many as the frame has nulls for: each is an object then.
void expect_objects(const json& document, const char* key, const std::vector<std::string_view>& texts) {
  std::size_t objects = 0;
  each(document, key, [&](const json& value) {
    if (!value.is_null() || objects++ == texts.size()) throw Unreadable("the element is not an object");
  });
}

// What is in a report but for its launches and kernels.
Saved frame_of(const json& document) {
  Saved saved;
  Input& input = saved.input;
  each(object_in(document, "target"), "all",
       [&](const json& one) { input.sm.push_back(measure::number_of<u32>(one, "all")); });
  if (document.contains("measured")) {
    const json& measured = object_in(document, "measured");
    Measurement& out = input.measured.emplace();
    take(measured, "tool", out.tool);
    take(measured, "gpu", out.gpu);
    take(measured, "driver", out.driver);
    out.files = measure::strings(measured, "files");
    out.lacks = measure::strings(measured, "lacks");
  }
  const json& program = object_in(document, "program");
  input.command = measure::strings(program, "command");
  take(program, "exit_code", input.outcome.exit_code);
  take(program, "signal", input.outcome.signal);
  measure::take_name(program, "stopped", input.outcome.stopped);
  for (const char* member : {"launches", "kernels"})
    if (!document.contains(member)) throw Unreadable(fmt::format("there is no member '{}'", member));
  each_object(document, "interrupted", [&](const json& value) { take_interrupted(value, input); });
  if (document.contains("files"))
    for (const auto& [file, shown] : object_in(document, "files").items())
      if (shown.is_string()) saved.files[file] = shown.get<std::string>();
  each_object(document, "unsupported", [&](const json& value) {
    measure::Unsupported& out = input.unsupported.emplace_back();
    take(value, "function", out.function);
    take(value, "calls", out.calls);
  });
  measure::MemberReader{document}.each("messages", input.messages);
  take(document, "filtered_out", saved.filtered_out);
  take(document, "left_out", input.left_out);
  if (document.contains("ranks")) take_ranks(object_in(document, "ranks"), input.ranks);
  take_missing(document, saved);
  return saved;
}

diag::Diagnostic malformed(const std::string& name, std::string message, u32 line = 0, u32 column = 0) {
  return diag::error("report-malformed", std::move(message), {name, line, column, 1},
                     "give a file that 'warplens run --json' wrote whole");
}

constexpr const char* too_large = "it holds a number that is too large";

diag::Diagnostic syntax_error(const std::string& name, std::string_view text) {
  std::size_t at = text.size();
  try {
    const json whole = json::parse(text);
  } catch (const json::parse_error& error) {
    at = std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, text.size());
  } catch (const json::out_of_range&) { // in front of the error in the syntax
    return malformed(name, too_large);
  }
  auto before = text.substr(0, at);
  auto line = static_cast<u32>(std::count(before.begin(), before.end(), '\n')) + 1;
  std::size_t begin = before.rfind('\n');
  auto column = static_cast<u32>(at - (begin == before.npos ? 0 : begin + 1)) + 1;
  return malformed(name, at == text.size() ? "the file ends inside the report" : "this is not JSON", line,
                   column);
}

} // namespace

template <class T, class Read>
T ReportReader::known_or(std::map<std::string, T, std::less<>>& known, std::string_view text,
                         const Read& read) {
  if (auto found = known.find(text); found != known.end()) return found->second;
  T out = read(measure::json::parse(text));
  if (kept_ + text.size() > most_kept_) return out;
  kept_ += text.size();
  return known.emplace(text, std::move(out)).first->second;
}

Saved ReportReader::saved_of(std::string_view text) {
  const ReportTexts parts = taken_apart(text);
  const measure::json document = measure::json::parse(parts.frame);
  if (!document.is_object()) throw Unreadable("this is JSON, but not a report");
  auto version = document.find("schema");
  if (version == document.end() || !version->is_number_unsigned())
    throw Unreadable("this is JSON, but not a report: it has no number 'schema'");
  if (version->get<u64>() != schema) throw OtherVersion{version->get<u64>()};
  Saved saved = frame_of(document);
  const std::vector<u32>& sm = saved.input.sm;
  if (sm != sm_) launches_.clear(), sm_ = sm;
  LaunchList launches(saved.input.launches);
  expect_objects(document, "launches", parts.launches);
  auto launch = parts.launches.begin();
  each(document, "launches", [&](const measure::json&) {
    launches.add(
        known_or(launches_, *launch++, [&](const measure::json& value) { return alike_of(value, sm); }));
  });
  expect_objects(document, "kernels", parts.kernels);
  auto kernel = parts.kernels.begin();
  each(document, "kernels", [&](const measure::json&) {
    Saved lines = known_or(kernels_, *kernel++, [](const measure::json& value) {
      Saved out;
      take_kernel(value, out);
      return out;
    });
    saved.input.local_use.merge(lines.input.local_use);
    saved.source.merge(lines.source);
    saved.changed.merge(lines.changed);
  });
  return saved;
}

Result<Saved> ReportReader::read(std::string_view text, const std::string& name) {
  try {
    return saved_of(text);
  } catch (const OtherVersion& version) {
    return failure(diag::error(
        "report-version",
        fmt::format("the report has schema {}, this version reads schema {}", version.schema, schema), {name},
        "read it with the version of WarpLens that wrote it"));
  } catch (const measure::json::parse_error&) {
    return failure(syntax_error(name, text));
  } catch (const measure::json::out_of_range&) {
    return failure(malformed(name, too_large));
  } catch (const Unreadable& error) {
    return failure(malformed(name, error.what()));
  }
}

Result<Saved> read_json(std::string_view text, const std::string& name) {
  return ReportReader(0).read(text, name);
}

Saved saved_of(Model model) {
  Saved out{.filtered_out = model.filtered_out, .complete = model.complete, .files = std::move(model.files)};
  for (const Kernel& kernel : model.kernels)
    for (const Line& line : kernel.lines) {
      if (line.text.empty()) continue;
      out.source[{line.place.file, line.place.line}] = line.text;
      if (line.changed) out.changed.insert(line.place.file);
    }
  out.input = std::move(model.input);
  out.input.never_launched.clear(); // a message says so
  return out;
}

// Numbers of a GPU and numbers of WarpLens are no one run, and neither are those of two GPUs.
Result<void> merge_measurements(std::optional<Measurement>& into, const std::optional<Measurement>& from) {
  auto machine = [](const Measurement& m) { return std::tie(m.tool, m.gpu, m.driver); };
  if (into.has_value() != from.has_value() || (into && machine(*into) != machine(*from)))
    return failure(
        diag::error("report-mismatch", "the reports are of different machines", {},
                    "warplens compare lays what was predicted and what was measured side by side"));
  if (into)
    for (const std::string& file : from->files)
      if (std::ranges::find(into->files, file) == into->files.end()) into->files.push_back(file);
  return {};
}

Result<bool> MergedRuns::is_known(const Ranks& ranks) {
  std::size_t known = 0;
  for (const auto& [rank, _] : ranks.processes)
    if (!ranks.job.empty() && !ranks_.emplace(ranks.job, rank).second) ++known, twice_.insert(rank);
  if (known != 0 && known != ranks.processes.size())
    return failure(diag::error("report-mismatch",
                               fmt::format("rank {} of the job would count twice", fmt::join(twice_, ", ")),
                               {}, "give each rank's file once, or the file that has all ranks alone"));
  return known != 0;
}

// A launcher ends the other ranks when one has ended badly: the first that nobody told to end is the cause.
void MergedRuns::tell_of_ranks() {
  auto say = [&](const char* kind, std::string message, std::string help) {
    out_.input.messages.push_back(diag::warning(kind, std::move(message), {}, std::move(help)));
  };
  if (!twice_.empty())
    say("rank-twice",
        fmt::format("rank {} of the job is in several of the files, and counted once",
                    fmt::join(twice_, ", ")),
        "a file without a rank in its name may have all of them");
  if (programs_.size() > 1)
    say("several-programs",
        fmt::format("the files are of {} programs, and their numbers are added up: {}", programs_.size(),
                    fmt::join(programs_, ", ")),
        "");
  std::set<std::string> jobs;
  for (const auto& [job, _] : ranks_) jobs.insert(job);
  if (jobs.size() > 1)
    say("rank-jobs",
        fmt::format("the files are of {} jobs, and ranks of one number are added up", jobs.size()),
        "leave out what an earlier job has left");
  auto was_told = [](const auto& one) {
    return one.second.signal == SIGTERM || one.second.signal == SIGINT || one.second.signal == SIGHUP;
  };
  const auto cause = std::ranges::find_if_not(ended_, was_told);
  if (cause == ended_.end()) return;
  const auto& [rank, end] = *cause;
  out_.input.outcome = end;
  say("rank-ended",
      fmt::format("rank {} {}{}", rank,
                  end.signal != 0 ? fmt::format("was killed by signal {}", end.signal)
                                  : fmt::format("ended with exit code {}", end.exit_code),
                  std::ranges::any_of(ended_, was_told) ? "; the others were then ended" : ""),
      "");
}

static std::string in_words(const std::pair<std::string, access::SourceStack>& instruction) {
  const auto& [opcode, frames] = instruction;
  if (frames.all().empty()) return fmt::format("'{}'", opcode);
  return fmt::format("'{}' of {}:{}", opcode, frames.all()[0].file, frames.all()[0].line);
}

Result<void> MergedRuns::add(Saved run) {
  auto mismatch = [](std::string message, std::string help) {
    return failure(diag::error("report-mismatch", std::move(message), {}, std::move(help)));
  };
  Input &all = out_.input, &input = run.input;
  if (!input.command.empty()) programs_.insert(input.command[0].substr(input.command[0].rfind('/') + 1));
  Result<bool> known = is_known(input.ranks);
  if (!known) return failure(known.error());
  if (*known) return {};
  if (runs_++ == 0) all.sm = input.sm, all.command = input.command, all.measured = input.measured;
  if (input.sm != all.sm)
    return mismatch("the reports were counted for different architectures",
                    "run all of them with the same --sm");
  if (Result<void> same = merge_measurements(all.measured, input.measured); !same)
    return failure(same.error());
  i64 next = processes_;
  auto renumber = [&](i64& process) { // they are numbered from 0 in each report
    process += processes_;
    next = std::max(next, process + 1);
  };
  for (Launch& launch : input.launches) {
    for (const measure::SiteRecord& site : launch.record.sites) {
      std::pair now{site.site.opcode, site.site.frames};
      auto [found, fresh] = known_.try_emplace(
          {launch.record.kernel, launch.record.module, site.site.id.value, site.space}, now);
      if (!fresh && found->second != now)
        return mismatch(fmt::format("an instruction of '{}' is {} in one report and {} in another",
                                    launch.record.module, in_words(found->second), in_words(now)),
                        "merge runs of one build; programs of one job need names of their own");
    }
    for (Occurrences& some : launch.when) {
      renumber(some.process);
      next = std::max(next, some.process + static_cast<i64>(some.processes));
    }
    launch.record.process = launch.when.front().process;
    launches_.add(std::move(launch));
  }
  for (measure::LaunchStarted& launch : input.interrupted) {
    renumber(launch.process);
    all.interrupted.push_back(std::move(launch));
  }
  if (all.ranks.of == 0) all.ranks.job = input.ranks.job;
  if (all.ranks.job != input.ranks.job) all.ranks.job.clear();
  if (const Outcome& end = input.outcome;
      input.ranks.processes.size() == 1 && (end.exit_code != 0 || end.signal != 0) && !end.was_stopped())
    ended_.emplace_back(input.ranks.processes.begin()->first, end);
  all.ranks.of = std::max(all.ranks.of, input.ranks.of);
  for (const auto& [rank, of_rank] : input.ranks.processes) {
    std::set<i64>& processes = all.ranks.processes[rank];
    for (i64 process : of_rank) {
      renumber(process);
      processes.insert(process);
    }
  }
  processes_ = next;
  for (measure::Unsupported& one : input.unsupported) {
    auto same = [&](const measure::Unsupported& other) { return other.function == one.function; };
    if (auto known = std::ranges::find_if(all.unsupported, same); known != all.unsupported.end())
      known->calls += one.calls;
    else
      all.unsupported.push_back(std::move(one));
  }
  for (diag::Diagnostic& message : input.messages)
    if (std::ranges::find(all.messages, message) == all.messages.end())
      all.messages.push_back(std::move(message));
  all.local_use.merge(input.local_use);
  out_.source.merge(run.source);
  out_.changed.merge(run.changed);
  out_.files.merge(run.files);
  out_.filtered_out += run.filtered_out;
  all.left_out += input.left_out;
  out_.complete &= run.complete;
  all.missing.launches += input.missing.launches;
  all.missing.events += input.missing.events;
  all.missing.processes += input.missing.processes;
  if (all.outcome.exit_code == 0 && all.outcome.signal == 0 && !all.outcome.was_stopped())
    all.outcome = input.outcome;
  return {};
}

Result<Saved> MergedRuns::finish() && {
  if (runs_ == 0)
    return failure(diag::error("report-mismatch", "there is no report to merge", {}, "give at least one"));
  if (out_.input.ranks.of != 0 && !out_.input.launches.empty()) // a rank may have no part in it
    std::erase_if(out_.input.messages, [](const diag::Diagnostic& message) {
      return message.kind == "no-launch-seen" || message.kind == "stopped-before-launch";
    });
  tell_of_ranks();
  return std::move(out_);
}

Result<Model> build(const Saved& saved, const Options& options) {
  auto source = [&](const std::string& file, u32 line) -> std::optional<std::string> {
    auto found = saved.source.find({file, line});
    if (found == saved.source.end()) return {};
    return found->second;
  };
  Options own = options;
  own.changed = [&](const std::string& file) { return saved.changed.contains(file); };
  Result<Model> model = build(saved.input, source, own);
  if (!model) return model;
  for (auto& [file, shown] : model->files) // the working directory was another
    if (auto known = saved.files.find(file); known != saved.files.end()) shown = known->second;
  model->filtered_out += saved.filtered_out;
  model->complete &= saved.complete; // launches that were left out are not here to be asked
  return model;
}

} // namespace warplens::report
