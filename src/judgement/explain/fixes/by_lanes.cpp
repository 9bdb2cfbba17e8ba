// What the lanes alone tell: `run` finds the same in a program's accesses, so these fixes are its rules (advise/), asked about
// the warps of the block. The other fixes here know more than lanes do, the expression: which term is a row's length, what
// the type is, and what the array is called.
#include "advise/advise.h"
#include "explain/fixes/tools.h"
#include "measure/record.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

namespace {

// What an index that is no multiple of threadIdx.x gets from the rules: of one that is, the other fixes know more.
constexpr std::string_view side_by_side = "Bring neighbouring threads side by side";

// The rules that are asked, and what a fix of each is called.
struct Shared {
  findings::Rule rule;
  std::string_view title;
};
constexpr Shared shared_rules[] = {
    {findings::Rule::constant_serialised, "Move the table out of constant memory"},
    {findings::Rule::local_array, "Use the same index in every thread"},
    {findings::Rule::scattered_access, "Bring the accesses of a warp together"},
    {findings::Rule::same_address_atomic, "Let one lane update for all"},
    {findings::Rule::contended_atomic, "Let fewer updates meet at an address"},
    {findings::Rule::bank_conflict, "Spread the lanes over the banks"},
    {findings::Rule::divergent_access, "Let whole warps take part"},
};

// The report's words are parts of a sentence.
std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + '.';
}

bool is_float(const Type& type) {
  return type.name == "float" || type.name == "double" || type.name == "half";
}

// The block's warps as a site that ran once. An atomic is taken for an addition whose result is used.
measure::SiteRecord site_of(const Situation& s) {
  measure::SiteRecord out;
  out.site.space = out.space = s.manner.space;
  out.site.kind = s.manner.kind, out.site.cache = s.manner.cache;
  out.site.bytes = static_cast<u8>(s.manner.pieces[0].bytes);
  out.site.array.name = s.target.array;
  bool atomic = is_atomic(s.manner.kind);
  if (atomic)
    out.site.opcode = fmt::format("{}.add.{}{}", s.manner.kind == access::Kind::atomic ? "atom" : "red",
                                  is_float(s.target.accessed) ? 'f' : 'u', 8u * s.manner.pieces[0].bytes);
  for (u32 warp = 0; warp < warps(s.footprint); ++warp) {
    access::WarpAccess access = access_of(s.footprint, s.manner, s.manner.pieces[0], warp);
    if (access.active == 0) continue;
    measure::Distribution one;
    one.classes.push_back(measure::class_of(access, 1, s.arch));
    measure::add(out.distribution, one);
  }
  out.counters = {s.block};
  out.pattern = measure::pattern_of(out.distribution);
  return out;
}

} // namespace

void by_lanes(Situation& s, std::vector<advise::Advice>& list) {
  if (s.manner.pieces.size() != 1) return;
  for (advise::Advice& advice : advise::advise(site_of(s), {&s.arch, 0, nullptr})) {
    auto known = std::find_if(std::begin(shared_rules), std::end(shared_rules),
                              [&](const Shared& shared) { return shared.rule == advice.rule; });
    const bool of_stride =
        advice.rule == findings::uncoalesced(s.manner.kind) && s.form.kind == FormKind::other;
    const bool told =
        std::ranges::any_of(list, [&](const advise::Advice& other) { return other.rule == advice.rule; });
    if ((known == std::end(shared_rules) && !of_stride) || told) continue;
    advice.title = of_stride ? side_by_side : known->title;
    advice.cause = sentence(std::move(advice.cause));
    advice.change = sentence(std::move(advice.change));
    offer(list, std::move(advice));
  }
}

} // namespace warplens::explain
