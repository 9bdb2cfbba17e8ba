// One function for each kind of value; what several of them say together is below. See words.h.
#include "check/words.h"
#include "access/opcode.h"
#include "check/analysis.h"
#include "summary/pattern_text.h"
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::check {
namespace {

using access::Space;

std::string text(const Interval& n) {
  return n.exact() ? fmt::to_string(n.most) : fmt::format("{} to {}", n.least, n.most);
}

std::string step_text(const TexelPattern::Step& step) {
  constexpr std::string_view axes[] = {"x", "y", "z"};
  std::string out;
  for (u32 axis = 0; axis < 3; ++axis)
    if (step[axis] != 0) out += fmt::format("{}{} along {}", out.empty() ? "" : ", ", step[axis], axes[axis]);
  return out;
}

// Does an expression hold a value that has no name in the source?
bool has_unnamed(std::string_view expression) { return expression.find(unnamed_value) != expression.npos; }

std::string text(const StridePattern& pattern) {
  if (has_unnamed(pattern.bytes) || has_unnamed(pattern.number)) {
    const std::string_view all = "as far apart, which only a launch tells (--set)";
    return pattern.row == 1 || pattern.bytes.empty()
               ? fmt::format("neighbouring lanes are all {}", all)
               : fmt::format("rows of {} lanes are all {}", pattern.row, all);
  }
  if (pattern.bytes.empty()) return "lanes apart by " + pattern.number;
  const bool has_words = pattern.bytes.find("parameter ") != pattern.bytes.npos; // a parameter without a name
  const std::string bytes = fmt::format(fmt::runtime(has_words ? "({}) bytes" : "{} bytes"), pattern.bytes);
  return pattern.row == 1 ? "stride " + bytes : fmt::format("rows of {} lanes, {} apart", pattern.row, bytes);
}

std::string text(const TexelPattern& pattern) {
  using Step = TexelPattern::Step;
  if (pattern.row == 0) return "lanes want texels at known places in no order";
  const std::string what = pattern.next == Step{}    ? "one texel"
                           : pattern.next == Step{1} ? "texels side by side along x"
                           : pattern.next == Step{0, 1}
                               ? "texels side by side along y"
                               : fmt::format("texels {} apart", step_text(pattern.next));
  if (pattern.row == warp_size) return fmt::format("the lanes of a warp want {}", what);
  return fmt::format("rows of {} lanes want {}, and the next row {} from there", pattern.row, what,
                     pattern.next_row == Step{} ? "the same" : step_text(pattern.next_row));
}

// "sectors by n: 1: 4, 2: 8, 3: 12, …"
std::string text(const StrideTable& table, Space space) {
  std::vector<std::string> parts;
  for (const auto& [number, paid] : table.rows) parts.push_back(fmt::format("{}: {}", number, text(paid)));
  if (!table.by_power) parts.push_back(fmt::format("{} from {} on", text(table.beyond), table.from));
  return fmt::format("{} by {}{}: {}", counter_of(space),
                     table.by_power ? "the largest power of two in " : "", table.number,
                     fmt::join(parts, ", "));
}

// What the access costs under its conditions, where it costs something else without them.
std::string cost_when_aligned(const Judgement& j) {
  if (j.conditions.empty() || j.aligned.size() != j.costs.size()) return {};
  Judgement aligned = j;
  aligned.costs = j.aligned;
  std::string out = cost_text(aligned);
  return out == cost_text(j) ? std::string() : out;
}

std::string grouped(u64 value) {
  std::string out = fmt::to_string(value);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

std::string_view plural(i64 count) { return count == 1 ? "" : "s"; }

} // namespace

std::string text(const BlockShape& blocks) {
  if (!blocks.size)
    return blocks.most_threads == 0
               ? "any block with blockDim.x % 32 == 0"
               : fmt::format("any block of up to {} threads with blockDim.x % 32 == 0", blocks.most_threads);
  const Dim3& b = *blocks.size;
  return fmt::format("blocks of {}{}{} threads{}", b.x, b.y == 1 && b.z == 1 ? "" : fmt::format("x{}", b.y),
                     b.z == 1 ? "" : fmt::format("x{}", b.z), blocks.by_code ? ", as the code has them" : "");
}

std::string text(const Multiple& m) {
  return m.is_pointer ? fmt::format("{} is a multiple of {} bytes", m.of, m.modulus)
                      : fmt::format("{} % {} == 0", m.of, m.modulus);
}

std::string text(const Cause& cause) {
  constexpr std::string_view words[] = {
#define CAUSE(enumerator, words) words,
#include "check/causes.def"
#undef CAUSE
  };
  std::string out(words[static_cast<u32>(cause.kind)]);
  if (!cause.name.empty()) out += " " + cause.name;
  if (cause.line != 0) out += " " + place_text(cause);
  return out;
}

std::string place_text(const Cause& cause) {
  return cause.file.empty() ? fmt::format("in PTX line {}", cause.line)
                            : fmt::format("at {}:{}", cause.file, cause.line);
}

std::string text(Premise premise) {
  switch (premise) {
  case Premise::no_signed_wrap: return "no signed overflow, which C++ leaves undefined";
  case Premise::no_unsigned_wrap: return "no unsigned index wraps around between the lanes of a warp";
  case Premise::not_negative: return "indices are not negative";
  case Premise::aligned_pointers:
    return fmt::format("pointers are aligned to {} bytes, as cudaMalloc gives them", pointer_alignment);
  case Premise::reconvergence: return "lanes that parted at a branch are together again behind it";
  case Premise::global_memory: return "the pointer leads to global memory";
  }
  return {};
}

std::string described(const Judgement& j) {
  if (j.row_bytes != 0) {
    const std::string array =
        j.array.empty() ? fmt::format("{} memory", access::name(j.space)) : fmt::format("'{}'", j.array);
    const bool out = access::writes_global_bulk(j.site);
    return fmt::format("bulk copy of {} bytes {} {}", j.row_bytes, out ? "to" : "from", array);
  }
  if (access::is_wgmma(j.site)) return "operands of wgmma, read by four warps together from shared memory";
  return summary::described(j.site, j.space, j.array, is_written(j.site));
}

std::string pattern_text(const Judgement& j) {
  if (const auto* of_warp = std::get_if<measure::Pattern>(&j.pattern))
    return summary::describe(*of_warp, j.site);
  if (const auto* stride = std::get_if<StridePattern>(&j.pattern)) return text(*stride);
  if (const auto* texels = std::get_if<TexelPattern>(&j.pattern)) return text(*texels);
  return {};
}

std::string lanes_text(const Judgement& j, std::string_view joint) {
  switch (j.verdict) {
  case Verdict::scattered:
    return fmt::format("its index depends on loaded values{} the lanes of a warp may go anywhere", joint);
  case Verdict::local_array: return "each lane uses another element of its own array in local memory";
  case Verdict::constant_serialised: return "the lanes of a warp read different constants";
  case Verdict::misaligned:
    return j.cut_by_blocks ? "blocks are no whole number of warps, and begin inside a sector"
                           : pattern_text(j);
  case Verdict::unknown: return "not decided: where its lanes go is not known from the code";
  case Verdict::not_judged: return "not judged: check knows no rule for such an access";
  default: return pattern_text(j);
  }
}

std::string cost_text(const Judgement& j, std::size_t architecture) {
  if (j.costs.empty()) return {};
  const Interval& now = paid(j.costs[architecture], j.space);
  std::string_view counter = counter_of(j.space);
  if (now.most == 1) counter.remove_suffix(1); // "1 sector"
  return fmt::format("{} {}", text(now), counter);
}

std::string counts_text(const Judgement& j, std::size_t architecture) {
  if (architecture >= j.costs.size()) return {};
  const Costs& costs = j.costs[architecture];
  auto one = [](const Interval& n, std::string_view noun) {
    const std::string_view several = n.most == 1 ? "" : noun.ends_with('s') ? "es" : "s";
    return fmt::format("{} {}{}", text(n), noun, several);
  };
  if (j.space == Space::shared)
    return one(costs.wavefronts, "wavefront") +
           (is_written(j.site) && is_fine(j.verdict) && costs.wavefronts.most > costs.ideal.most
                ? " for where it reads"
                : "");
  const std::string passes = costs.tag_passes.most == 0 ? "" : one(costs.tag_passes, "tag pass") + ", ";
  return fmt::format("{}, {}, {}{}", one(costs.sectors, "sector"), one(costs.tags, "tag"), passes,
                     one(costs.requests, "request"));
}

std::vector<Remark> remarks(const Judgement& j) {
  using K = Remark::Kind;
  std::vector<Remark> out;
  if (j.table && !has_unnamed(j.table->number)) out.push_back({K::table, text(*j.table, j.space)});
  for (const Multiple& one : j.fine_where)
    if (!has_unnamed(one.of)) out.push_back({K::table, "fine where " + text(one)});
  for (const Cause& reason : j.reasons) out.push_back({K::cause, "it depends on " + text(reason)});
  if (j.any_subset) out.push_back({K::some_lanes, "only some of a warp's lanes may take part"});
  if (j.varies) out.push_back({K::varies, "where a warp begins varies within the launch"});
  for (const auto* list : {&j.assumed, &j.premises})
    for (Premise one : *list) out.push_back({K::premise, fmt::format("assumed: {}", text(one))});
  if (j.site.frames.empty())
    out.push_back(
        {K::place, j.near.line != 0
                       ? "the compiler names no line for it: this is the next one that it names"
                       : "this is its line in the PTX: compile with -lineinfo to have those of the source"});
  out.push_back({K::blocks, "in " + text(j.blocks)});
  return out;
}

std::vector<std::string> short_remarks(const Judgement& j) {
  using K = Remark::Kind;
  std::vector<std::string> out;
  for (Remark& remark : remarks(j))
    if (remark.kind == K::table || remark.kind == K::some_lanes) out.push_back(std::move(remark.text));
  const std::string conditions = fmt::format("{}", fmt::join(texts(j.conditions), " and "));
  const std::string best = cost_when_aligned(j);
  if (!best.empty()) out.push_back(fmt::format("{} if {}", best, conditions));
  const bool known = j.verdict != Verdict::unknown && j.verdict != Verdict::not_judged;
  if (known && j.exact && !j.any_subset && j.conditions.empty())
    out.push_back("holds for every launch");
  else if (!j.conditions.empty() && best.empty())
    out.push_back("holds if " + conditions);
  if (!j.reasons.empty()) out.push_back(fmt::format("depends on {}", fmt::join(texts(j.reasons), ", ")));
  if (!j.assumed.empty()) out.push_back(fmt::format("assumed: {}", fmt::join(texts(j.assumed), ", ")));
  out.push_back("in " + text(j.blocks));
  return out;
}

std::string fault_text(const Fault& fault) {
  const std::string lanes = fault.lanes == full_mask ? "in every lane"
                            : std::has_single_bit(fault.lanes)
                                ? fmt::format("in lane {}", std::countr_zero(fault.lanes))
                                : fmt::format("in {} lanes of a warp", std::popcount(fault.lanes));
  if (fault.outside)
    return fmt::format("lies outside of its {} byte{} {}: at byte {}", fault.modulus,
                       plural(static_cast<i64>(fault.modulus)), lanes, fault.bytes);
  return fmt::format("is misaligned by {} byte{} {}", fault.bytes, plural(fault.bytes), lanes);
}

std::string sizes_text(const Overflow& wraps) {
  switch (wraps.where) {
  case Overflow::Where::this_launch: return "in a launch of this size";
  case Overflow::Where::size: return fmt::format("from {} = {} on", wraps.of, grouped(wraps.from));
  case Overflow::Where::sizes: return fmt::format("where {} reaches {}", wraps.of, grouped(wraps.limit));
  case Overflow::Where::below_zero: return "below zero";
  }
  return {};
}

std::string example_text(const Overflow& wraps) {
  if (wraps.example.empty()) return {};
  return fmt::format("{} = {}", fmt::join(wraps.example, " = "), grouped(wraps.example_value));
}

} // namespace warplens::check
