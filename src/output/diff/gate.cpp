// Conditions such as "worse>5%" parsed, and held against each kernel and line of a comparison. See gate.h.
#include "diff/gate.h"
#include "diff/words.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

using What = Condition::What;

Result<Condition> parse_condition(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::size_t relation = std::min(text.find('>'), text.size());
  const std::string_view word = text.substr(0, relation);
  std::string_view limit = text.substr(std::min(relation + 1, text.size()));
  Condition out;
  bool known = true;
  if (word == "worse")
    out.what = What::worse;
  else if (word == "worse-line")
    out.what = What::worse_line;
  else
    known = word == "never" && relation == text.size();
  if (known && relation < text.size()) {
    known = limit.ends_with('%');
    if (known) limit.remove_suffix(1);
    auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), out.tolerance);
    known = known && error == std::errc() && end == limit.data() + limit.size() && out.tolerance >= 0 &&
            out.tolerance <= 1e6;
    out.tolerance /= 100;
  }
  if (known) return out;
  return failure(diag::error(
      "bad-condition", fmt::format("'{}' is no condition of diff", text), {},
      "the conditions are worse, worse-line and never; worse>5% lets pass what grows by no more than 5%"));
}

class Judge {
public:
  Judge(const Model& model, const Condition& condition, std::vector<std::string>& out)
      : model_(model), condition_(condition), out_(out) {}

  void run() {
    if (!model_.counted) return findings();
    say("the run", model_.change, decides(model_.cycles, model_.before.cost, true),
        decides(model_.cycles, model_.after.cost, false));
    for (const Kernel& kernel : model_.kernels) {
      if (!kernel.before || !kernel.after) continue;
      say(kernel_name(kernel), kernel.change, decides(kernel.cycles, kernel.before->cost, true),
          decides(kernel.cycles, kernel.after->cost, false));
      if (condition_.what != What::worse_line) continue;
      for (const Line& line : kernel.lines)
        if (line.before && line.after) say(place_name(line), line.change, line.old_cost, line.new_cost);
    }
  }

private:
  void add(std::string text) {
    if (std::ranges::find(out_, text) == out_.end()) out_.push_back(std::move(text));
  }

  static Cost decides(const Cycles& cycles, Cost cost, bool before) {
    cost.cycles = before ? cycles.before : cycles.after;
    return cost;
  }

  // What costs as many cycles may still move more.
  void say(const std::string& what, Change change, const Cost& before, const Cost& after) {
    if (change != Change::worse) return;
    const bool cycles = after.cycles > before.cycles;
    const double old_value = cycles ? before.cycles : before.moved_bytes,
                 new_value = cycles ? after.cycles : after.moved_bytes;
    if (growth(old_value, new_value) <= condition_.tolerance) return;
    add(fmt::format("{} {} {} {} where it {} {} ({})", what, cycles ? "costs" : "moves", amount(new_value),
                    cycles ? "cycles" : "bytes", cycles ? "cost" : "moved", amount(old_value),
                    change_text(old_value, new_value)));
  }

  void findings() {
    for (const Kernel& kernel : model_.kernels)
      for (const Line& line : kernel.lines)
        for (const ComparedAccess& access : line.accesses) {
          if (!access.after) continue;
          if (access.before && growth(access.before->each, access.after->each) <= condition_.tolerance)
            continue;
          add(fmt::format("{}: {} is {}, {}", place_name(line), access.after->what,
                          access.before ? "worse" : "new", cost_text(access)));
        }
  }

  const Model& model_;
  const Condition& condition_;
  std::vector<std::string>& out_;
};

} // namespace

Result<std::vector<Condition>> parse_conditions(std::string_view text) {
  std::vector<Condition> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    Result<Condition> one = parse_condition(text.substr(0, comma));
    if (!one) return failure(one.error());
    out.push_back(*one);
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> failures(const Model& model, const std::vector<Condition>& conditions) {
  std::vector<std::string> out;
  for (const Condition& condition : conditions)
    if (condition.what != What::never) Judge(model, condition, out).run();
  return out;
}

} // namespace warplens::diff
