// All fixes together are tried first. Where the result does not compile, or a fix does not do what it was to do, each is tried
// on its own, and those that hold together again, until nothing is left out: what is written was compiled as it is.
#include "driver/findings/fix_check.h"
#include "driver/findings/gates.h"
#include "driver/program/source_program.h"
#include "findings/words.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using findings::Finding;
using Kind = findings::Remedy::Kind;
using Groups = std::vector<FixGroup>;

constexpr u64 most_shared = 48 << 10; // of arrays whose size the compiler knows, on every compute capability

// ": a.cu:3:4: error: …", of what a compiler said.
std::string first_error(const std::string& said) {
  const std::size_t word = said.find("error:");
  if (word == said.npos) return {};
  const std::size_t begin = said.rfind('\n', word) + 1;
  return ": " + said.substr(begin, said.find('\n', word) - begin);
}

// Beyond need, at worst.
double excess(const Finding& f) { return f.costs.empty() ? 0 : f.costs[0].most - f.costs[0].needed; }

// Of all accesses of one kernel to one array, at worst.
double worst_of_array(const findings::List& list, const Finding& f) {
  double out = 0;
  for (const findings::JudgedAccess& access : list.accesses)
    if (access.kernel == f.kernel && access.array == f.array && !access.costs.empty())
      out += access.costs[0].most;
  return out;
}

class Trials {
public:
  Trials(const CheckOptions& o, const std::vector<CheckInput>& inputs, const Examined& found,
         SourceTexts& sources)
      : options_(o), inputs_(inputs), found_(found), sources_(sources) {
    options_.gates = {};
  }

  Patch patch(const Groups& groups) const {
    auto path_of = [](const std::string& file) {
      std::error_code error;
      const fs::path out = fs::canonical(file, error);
      return error ? std::string() : out.string();
    };
    return patch_of(
        groups, [this](const std::string& file) { return sources_.text(file); }, path_of);
  }

  // Why each does not hold when all are made; empty where it does.
  Result<std::vector<std::string>> hold(const Groups& groups) {
    const Patch changes = patch(groups);
    std::vector<std::string> originals;
    for (const CheckInput& input : inputs_)
      if (is_cuda_source(input.path)) originals.push_back(input.path);
    Result<Shadow> shadow = Shadow::create(changes, originals);
    if (!shadow) return failure(shadow.error());
    std::vector<CheckInput> inputs;
    for (const CheckInput& input : inputs_)
      if (is_cuda_source(input.path)) inputs.push_back(beside(input, *shadow));
    SourceTexts sources(inputs);
    Result<Examined> after = examine(options_, inputs, sources);
    if (!after) return failure(after.error());
    std::vector<std::string> out;
    for (const FixGroup& group : groups) out.push_back(objection(group, *after, *shadow));
    return out;
  }

private:
  static CheckInput beside(const CheckInput& input, const Shadow& shadow) {
    CheckInput out = input;
    out.path = shadow.path_of(input.path);
    std::error_code error;
    out.options.push_back("-I" + fs::absolute(input.path, error).parent_path().string());
    return out;
  }

  std::string objection(const FixGroup& group, const Examined& after, const Shadow& shadow) const {
    if (after.failed) return "the result does not compile" + first_error(shadow.original(after.said));
    for (const Finding* finding : group.findings) {
      const access::SourceFrame at = findings::place_of(*finding);
      for (const Finding& now : after.list.findings) {
        const access::SourceFrame there = findings::place_of(now);
        const bool same = now.rule == finding->rule && now.array == finding->array && there.line == at.line &&
                          from_here(shadow.original(there.file)) == at.file;
        if (same && excess(now) >= excess(*finding)) return "the finding is still there after it";
      }
      if (finding->fix->remedy.kind == Kind::restricted) continue; // the same, but fewer times
      const double before = worst_of_array(found_.list, *finding),
                   then = worst_of_array(after.list, *finding);
      if (then >= before)
        return fmt::format("all accesses to '{}' together would take {} {} per warp, not less than now, {}",
                           finding->array, findings::number(then), finding->costs[0].counter,
                           findings::number(before));
    }
    const bool grows = group.findings.front()->fix->remedy.kind == Kind::longer_rows;
    if (grows && after.most_shared > most_shared && after.most_shared > found_.most_shared)
      return fmt::format("a kernel would have {} bytes of shared arrays, more than {}", after.most_shared,
                         most_shared);
    return {};
  }

  CheckOptions options_;
  const std::vector<CheckInput>& inputs_;
  const Examined& found_;
  SourceTexts& sources_;
};

std::string left_out(const FixGroup& group, const std::string& why) {
  const access::SourceFrame at = findings::place_of(*group.findings.front());
  return fmt::format("warplens: the fix for {}:{} [{}] is left out: {}\n", at.file, at.line,
                     findings::name(group.findings.front()->rule), why);
}

// Leaves those that hold: first each on its own, where they do not all hold together, then fewer and fewer of them together.
Result<void> keep_what_holds(Trials& trials, Groups& groups, std::string& said) {
  bool alone = false; // was each tried?
  while (!groups.empty()) {
    Result<std::vector<std::string>> why = trials.hold(groups);
    if (!why) return failure(why.error());
    if (std::ranges::all_of(*why, &std::string::empty)) return {};
    if (groups.size() > 1 && !alone) {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        Result<std::vector<std::string>> one = trials.hold({groups[i]});
        if (!one) return failure(one.error());
        (*why)[i] = one->front();
      }
      alone = true;
    }
    for (std::size_t i = groups.size(); i-- > 0;)
      if (!(*why)[i].empty()) {
        said += left_out(groups[i], (*why)[i]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }
  return {};
}

} // namespace

Result<CheckedFixes> check_fixes(const CheckOptions& o, const std::vector<CheckInput>& inputs,
                                 const Examined& found, SourceTexts& sources) {
  CheckedFixes out;
  Groups groups = fix_groups(found.list, out.said);
  if (groups.empty()) {
    out.said += "warplens: no finding has a fix that could be made in the source\n";
    return out;
  }
  Trials trials(o, inputs, found, sources);
  if (Result<void> done = keep_what_holds(trials, groups, out.said); !done) return failure(done.error());
  out.patch = trials.patch(groups);
  for (const FixGroup& group : groups)
    out.answered.insert(out.answered.end(), group.findings.begin(), group.findings.end());
  if (!out.patch.empty()) out.said += fmt::format("warplens: {}\n", fixes_text(groups, out.patch));
  return out;
}

} // namespace warplens::driver
