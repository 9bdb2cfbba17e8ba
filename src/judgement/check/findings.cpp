// Rules, costs and fixes of a judgement, and findings that are alike collected into one. See findings.h.
#include "check/findings.h"
#include "access/opcode.h"
#include "advise/rules/rules.h"
#include "advise/rules/triton.h"
#include "arch/table.h"
#include "check/overflow.h"
#include "check/words.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "source/places.h"
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace warplens::check {
namespace {

using access::Kind;
using access::Space;
using findings::Certainty;
using findings::Finding;
using findings::Rule;
using findings::Severity;

Rule rule_of(const Judgement& j) {
  switch (j.verdict) {
  case Verdict::misaligned:
    return j.advice && j.advice->rule == Rule::halo_access ? Rule::halo_access : Rule::misaligned_access;
  case Verdict::scattered:
    return j.space == Space::constant ? Rule::constant_serialised
           : j.space == Space::shared ? Rule::bank_conflict
                                      : Rule::scattered_access;
  case Verdict::bank_conflict: return Rule::bank_conflict;
  case Verdict::constant_serialised: return Rule::constant_serialised;
  case Verdict::local_array: return Rule::local_array;
  default: break;
  }
  return findings::uncoalesced(j.site.kind);
}

// Twice what would do is worth a warning; what may be bad and need not be is a note.
Severity severity_of(const Judgement& j) {
  if (j.verdict == Verdict::scattered || j.verdict == Verdict::misaligned) return Severity::note;
  if (j.dependence == Dependence::undecided) return Severity::note;
  if (j.other_shape || j.fine_for_many) return Severity::note; // another launch need not mind
  return paid(j.costs[0], j.space).most >= 2 * j.needed ? Severity::warning : Severity::note;
}

// Do loaded values decide where a load goes, though it has no index from memory? So it is in a search.
bool is_search(const Judgement& j) {
  return j.verdict == Verdict::scattered && j.site.kind == Kind::load && !j.loads_index;
}

// Where the rules of advise/ say nothing, as they ask for addresses or for what a program does with them: what would let a
// warp do with Judgement::needed. A search needs as many as it finds.
std::string_view other_change(const Judgement& j) {
  if (j.advice || j.space != Space::global) return {};
  if (j.verdict == Verdict::misaligned && j.cut_by_blocks)
    return "make blocks a multiple of 32 threads, so that each warp begins at a multiple of 32 elements";
  const bool load = j.site.kind == Kind::load, store = j.site.kind == Kind::store;
  if (j.follows_links) return advise::rules::shorter_chains;
  if (is_search(j))
    return "sort what the threads look for, so that neighbouring threads go the same way; or keep what all "
           "of them pass in shared memory";
  if (j.verdict == Verdict::scattered && j.walks && (load || store))
    return "where no turn of the loop needs the one before it, let the lanes of a warp share the turns of "
           "each "
           "thread, so that they are side by side";
  if (j.verdict == Verdict::scattered && load)
    return "sort or renumber the indices so that neighbouring threads want neighbouring elements";
  if (j.verdict == Verdict::scattered && store)
    return "sort by destination first, so that neighbouring threads write neighbouring elements";
  if (j.verdict == Verdict::uncoalesced && rule_of(j) == Rule::uncoalesced_atomic)
    return "let neighbouring threads update neighbouring elements, by another order of the indices or of the "
           "elements";
  return {};
}

// Of what warns and has no such advice: what the rule says in general.
std::string_view usual_change(const Judgement& j) {
  const auto* lanes = std::get_if<measure::Pattern>(&j.pattern);
  const bool in_rows = lanes != nullptr && lanes->shape.form == measure::Form::rows &&
                       lanes->shape.stride == static_cast<i64>(j.site.bytes);
  const bool matrix = j.site.kind == Kind::ldmatrix || access::is_wmma(j.site);
  switch (rule_of(j)) {
  case Rule::uncoalesced_load:
    if (j.site.kind == Kind::async_copy) // which goes into a tile already
      return "let neighbouring threads copy neighbouring elements: rows of the tile that are fewer and "
             "longer";
    [[fallthrough]];
  case Rule::uncoalesced_store:
    if (in_rows)
      return "let a warp take longer parts of rows: by a wider block, or by another index of the rows";
    return "let threadIdx.x be the index that is consecutive in memory: swap the indices, or go through a "
           "tile in "
           "shared memory";
  case Rule::bank_conflict:
    return matrix ? "make each row of the shared array 16 bytes longer, or exchange its pieces of 16 bytes "
                    "by the row: "
                    "piece ^ row % 8"
                  : "make the rows of the shared array longer by an element, or exchange its columns by the "
                    "row (a "
                    "swizzle)";
  case Rule::constant_serialised:
    return "read constants by an index that all lanes share, or keep the table in shared or global memory";
  case Rule::local_array: return advise::rules::shared_index;
  case Rule::misaligned_access: return "let rows begin at multiples of 32 bytes";
  case Rule::scattered_access:
    return "sort or group the work, so that neighbouring threads go to neighbouring elements";
  case Rule::uncoalesced_atomic: return "let neighbouring threads update neighbouring elements";
  default: return {};
  }
}

std::string change(const Fault& fault) {
  if (fault.outside) return "use an index that the array has, or make the array larger";
  const i64 piece = fault.bytes & -fault.bytes;
  return fmt::format("start at a multiple of {} bytes, or move elements of {} byte{} one by one",
                     fault.modulus, piece, piece == 1 ? "" : "s");
}

// On one of the architectures. Passes of shared memory have different sizes: they are what is ideal of the lanes' own.
u64 needed_on(const Judgement& j, std::size_t architecture) {
  const bool known = j.space == Space::shared && j.dependence == Dependence::none;
  return architecture != 0 && known ? j.costs[architecture].ideal.most : j.needed;
}

std::vector<findings::Cost> costs_of(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  std::vector<findings::Cost> out;
  for (std::size_t i = 0; i < j.costs.size(); ++i) {
    const Interval& now = paid(j.costs[i], j.space);
    findings::Cost cost;
    cost.sm = rows[i]->sm;
    cost.counter = counter_of(j.space);
    cost.least = static_cast<double>(now.least);
    cost.most = static_cast<double>(now.most);
    cost.reached = i == 0 && j.decided && j.rests_on.empty() && !j.other_shape && !j.fine_for_many;
    cost.needed = static_cast<double>(needed_on(j, i));
    if (i < j.after.size() && j.after[i] && advise::name(j.advice->metric) == cost.counter)
      cost.fixed = static_cast<double>(*j.after[i]);
    else if (!other_change(j).empty() && !is_search(j))
      cost.fixed = cost.needed;
    out.push_back(std::move(cost));
  }
  return out;
}

// Innermost first: the user's own lines, else the next one that is known.
access::SourceStack place_of(const Judgement& j) {
  std::vector<access::SourceFrame> frames = source::user_frames(j.site);
  if (frames.empty())
    frames = {j.near.line != 0 ? j.near : access::SourceFrame{j.text, j.site.ptx_line, 0, {}}};
  std::reverse(frames.begin(), frames.end());
  return access::SourceStack(std::move(frames));
}

Finding finding_of(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  Finding out;
  out.rule = rule_of(j);
  out.severity = severity_of(j);
  bool sure = j.exact && !j.any_subset && j.rests_on.empty();
  out.certainty = j.verdict == Verdict::scattered ? Certainty::possible
                  : sure                          ? Certainty::proved
                                                  : Certainty::conditional;
  out.place = place_of(j);
  out.kernel = j.kernel;
  out.array = j.array;
  const std::string lanes = lanes_text(j, ", so that");
  out.message = lanes.empty() ? described(j) : fmt::format("{}: {}", described(j), lanes);
  out.conditions = texts(j.rests_on);
  out.costs = costs_of(j, rows);
  for (Remark& remark : remarks(j)) out.notes.push_back({std::move(remark.text), {}});
  if (j.advice && !j.advice->change.empty())
    out.fix = findings::Fix{j.advice->change, j.advice->example, {}, j.remedy};
  else if (const std::string_view change = other_change(j); !change.empty())
    out.fix = findings::Fix{std::string(change), {}, {}, {}};
  else if (out.severity == Severity::warning || j.space == Space::constant || j.space == Space::local)
    out.fix = findings::Fix{std::string(usual_change(j)), {}, {}, {}};
  return out;
}

// What ends every launch that comes to it is worse than what it costs.
Finding fault(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  Finding out = finding_of(j, rows);
  out.rule = Rule::invalid_access;
  out.severity = Severity::error;
  out.certainty = Certainty::proved;
  out.message =
      fmt::format("{} {}: a launch that comes to it ends there", described(j), fault_text(*j.fault));
  out.conditions.clear();
  out.costs.clear();
  out.notes = {{"in " + text(j.blocks), {}}};
  if (j.fault->assumed)
    out.notes.push_back({fmt::format("assumed: {}, as cudaMalloc gives it", text(*j.fault->assumed)), {}});
  out.fix = findings::Fix{change(*j.fault), {}, {}, {}};
  return out;
}

Finding overflow(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  Finding out = finding_of(j, rows);
  const Overflow& wraps = *j.overflow;
  out.rule = Rule::index_overflow;
  out.severity = wraps.certain ? Severity::warning : Severity::note;
  out.certainty = wraps.certain ? Certainty::proved : Certainty::conditional;
  const std::string index = j.array.empty() ? "an index" : fmt::format("the index of '{}'", j.array);
  out.conditions.clear();
  out.costs.clear();
  out.notes.clear();
  if (wraps.where == Overflow::Where::below_zero) {
    out.message =
        fmt::format("{} is below zero in the first thread: as an unsigned number of 32 bits it is {}", index,
                    wraps.limit);
    out.fix = findings::Fix{"compute it as a signed number, or leave the first thread out", {}, {}, {}};
    return out;
  }
  out.message = fmt::format("{} is too large for 32 bits {}", index, sizes_text(wraps));
  if (!wraps.example.empty()) out.notes.push_back({"for example " + example_text(wraps), {}});
  out.notes.push_back({fmt::format("the array has {} then", findings::bytes(wraps.bytes)), {}});
  const std::string_view how =
      advise::is_triton(j.site) ? "convert a factor with .to(tl.int64)" : "make a factor size_t";
  out.fix =
      findings::Fix{fmt::format("compute the index in 64 bits: {} before it is multiplied", how), {}, {}, {}};
  return out;
}

// Nobody but the author knows whether the pointers lead to different memory.
Finding repeated_load(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  Finding out = finding_of(j, rows);
  out.rule = Rule::missing_restrict;
  out.severity = Severity::note;
  out.certainty = Certainty::possible;
  out.message = described(j) + ": loaded again, as a store in between may change what it reads";
  out.conditions.clear();
  out.notes.clear();
  const access::SourceFrame& store = *j.repeated_for;
  if (!store.file.empty()) out.notes.push_back({"this is the store", store});
  for (findings::Cost& cost : out.costs) cost.fixed.reset();
  out.fix = findings::Fix{
      "where nothing else leads to what it reads, declare the pointer __restrict__, and const where "
      "the kernel only reads: then each thread loads once",
      fmt::format("const T* __restrict__ {}", j.array.empty() ? "p" : j.array),
      {},
      {findings::Remedy::Kind::restricted, 0, 0}};
  return out;
}

double excess(const Finding& f) { return f.costs.empty() ? 0 : f.costs[0].most - f.costs[0].needed; }

// Do two findings tell the same bounds, tables and conditions?
bool same_costs(const Finding& a, const Finding& b) {
  auto same_bounds = [](const findings::Cost& x, const findings::Cost& y) {
    return x.least == y.least && x.most == y.most;
  };
  auto text = &findings::Note::text;
  return a.costs.empty() ||
         (std::ranges::equal(a.costs, b.costs, same_bounds) && a.conditions == b.conditions &&
          std::ranges::equal(a.notes, b.notes, {}, text, text));
}

// Findings of one place that say the same are one.
class Collected {
public:
  void add(Finding finding) {
    const access::SourceFrame at = finding.place.front();
    auto [place, fresh] =
        known_.try_emplace({finding.rule, at.file, at.line, at.column, finding.message}, findings_.size());
    if (fresh) {
      findings_.push_back(std::move(finding));
      times_.push_back(1);
      kernels_.push_back({findings_.back().kernel});
      differ_.push_back(false);
      return;
    }
    ++times_[place->second];
    kernels_[place->second].insert(finding.kernel);
    Finding& told = findings_[place->second];
    if (!same_costs(finding, told)) differ_[place->second] = true;
    if (excess(finding) > excess(told)) told = std::move(finding);
  }

  std::vector<Finding> worst_first() {
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (times_[i] > 1)
        findings_[i].notes.push_back(
            {fmt::format("{} instructions of this line do the same{}{}", times_[i],
                         kernels_[i].size() > 1 ? fmt::format(", in {} kernels", kernels_[i].size()) : "",
                         differ_[i] ? "; the costs here are those of one of them" : ""),
             {}});
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return std::tuple(a.severity, excess(a)) > std::tuple(b.severity, excess(b));
    });
    return std::move(findings_);
  }

private:
  std::map<std::tuple<Rule, std::string, u32, u32, std::string>, std::size_t> known_;
  std::vector<Finding> findings_;
  std::vector<u64> times_;
  std::vector<std::set<std::string>> kernels_; // by finding
  std::vector<bool> differ_; // by finding: do its instructions differ in what is told of their costs?
};

// Of a kernel's line the index that wraps first stands for the others.
void add_overflow(std::vector<const Judgement*>& all, const Judgement& fresh) {
  const auto line = [](const Judgement& j) { return place_of(j)[0].line; };
  auto known = std::ranges::find_if(all, [&](const Judgement* one) {
    return one->kernel == fresh.kernel && one->overflow->certain == fresh.overflow->certain &&
           line(*one) == line(fresh);
  });
  if (known == all.end())
    all.push_back(&fresh);
  else if (is_earlier(*fresh.overflow, *(*known)->overflow))
    *known = &fresh;
}

// Of a kernel the first line stands for the others.
std::vector<Finding> overflows_of(const std::vector<const Judgement*>& all,
                                  const std::vector<const arch::Architecture*>& rows) {
  std::vector<Finding> out;
  for (const Judgement* j : all) {
    Finding fresh = overflow(*j, rows);
    auto known = std::ranges::find_if(out, [&](const Finding& one) {
      return one.kernel == fresh.kernel && one.severity == fresh.severity;
    });
    if (known == out.end())
      out.push_back(std::move(fresh));
    else
      known->notes.push_back({fresh.message, fresh.place.front()});
  }
  return out;
}

findings::JudgedAccess access_of(const Judgement& j, const std::vector<const arch::Architecture*>& rows) {
  findings::JudgedAccess out;
  out.place = place_of(j);
  out.kernel = j.kernel;
  out.array = j.array;
  out.what = fmt::format("{} {} {} B", access::name(j.site.kind), access::name(j.space), j.site.bytes);
  out.costs = costs_of(j, rows);
  out.is_decided = j.verdict != Verdict::unknown && j.verdict != Verdict::not_judged && !j.conditional &&
                   j.demands.empty();
  return out;
}

} // namespace

std::span<const findings::Rule> rules() {
  static constexpr Rule all[] = {Rule::uncoalesced_load,    Rule::uncoalesced_store, Rule::uncoalesced_atomic,
                                 Rule::scattered_access,    Rule::misaligned_access, Rule::bank_conflict,
                                 Rule::constant_serialised, Rule::local_array,       Rule::missing_restrict,
                                 Rule::halo_access,         Rule::invalid_access,    Rule::index_overflow};
  return all;
}

// Nobody who uses the library can change that.
bool is_of_library(const access::Site& site) {
  if (source::is_library_code(site)) return true;
  static constexpr std::string_view waiting[] = {"cooperative_groups", "/cuda/std/",    "/cuda/__",
                                                 "/cuda/atomic",       "/cuda/barrier", "/cuda/latch",
                                                 "/cuda/semaphore",    "/cuda/pipeline"};
  const bool ordered = is_atomic(site.kind) || access::is_ordered(site);
  if (!ordered) return false;
  for (const access::SourceFrame& frame : site.frames) {
    if (!source::is_library_file(frame.file)) return false;
    if (std::ranges::any_of(waiting,
                            [&](std::string_view part) { return frame.file.find(part) != frame.file.npos; }))
      return true;
  }
  return false;
}

findings::List findings_of(const std::vector<Judgement>& judgements,
                           const std::vector<const arch::Architecture*>& rows) {
  findings::List out;
  Collected collected;
  std::vector<const Judgement*> overflows;
  for (const Judgement& j : judgements) {
    if (j.costs.empty() || is_of_library(j.site)) continue;
    out.accesses.push_back(access_of(j, rows));
    if (j.repeated_for && !j.other_shape) collected.add(repeated_load(j, rows));
    if (j.overflow && !j.other_shape) add_overflow(overflows, j);
    if (j.fault && !j.other_shape) collected.add(fault(j, rows));
    if (j.fault) continue;
    if (is_fine(j.verdict) || j.verdict == Verdict::unknown || j.verdict == Verdict::not_judged) continue;
    collected.add(finding_of(j, rows));
  }
  for (Finding& one : overflows_of(overflows, rows)) collected.add(std::move(one));
  out.findings = collected.worst_first();
  return out;
}

} // namespace warplens::check
