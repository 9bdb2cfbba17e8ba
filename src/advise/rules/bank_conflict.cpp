// Several words of one bank in one request. The rows of the array are found in the lanes: by the step between them, or
// from one row of lanes to the next. Paddings of that row are tried on the lanes of every class. Short steps are no
// rows: there, neighbouring lanes should want neighbouring words.
#include "advise/padding.h"
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {

constexpr u64 shortest_row = 64; // bytes

struct Rows {
  u64 pitch = 0; // bytes from one to the next
  Padding padding{};
};

// The step between lanes, and from one row of lanes to the next, where all lanes are so far apart; else there are no
// rows.
std::vector<u64> pitches(const access::WarpAccess& access) {
  std::vector<i64> address;
  for_each_lane(access.active, [&](u32 lane) { address.push_back(static_cast<i64>(access.address[lane])); });
  std::size_t count = address.size(), row = 2;
  if (count < 2) return {};
  i64 step = address[1] - address[0];
  while (row < count && address[row] - address[row - 1] == step) ++row;
  i64 gap = row < count ? address[row] - address[0] : 0;
  for (std::size_t i = 0; i < count; ++i)
    if (address[i] - address[0] != static_cast<i64>(i / row) * gap + static_cast<i64>(i % row) * step)
      return {};
  std::vector<u64> out{static_cast<u64>(std::abs(step)), static_cast<u64>(std::abs(gap))};
  std::erase_if(out, [](u64 pitch) { return pitch < shortest_row || pitch % 4 != 0; });
  return out;
}

// The lanes of an array with rows of `pitch` bytes, if these were `more` bytes longer.
void lengthen(access::WarpAccess& access, u64 pitch, u64 more) {
  u64 least = ~u64{0};
  for_each_lane(access.active, [&](u32 lane) { least = std::min(least, access.address[lane]); });
  for_each_lane(access.active,
                [&](u32 lane) { access.address[lane] += (access.address[lane] - least) / pitch * more; });
}

Rows best_rows(const Subject& s, u64 unit) {
  Rows best;
  for (u64 pitch : pitches(main_class(s).example)) {
    Padding tried = smallest_padding(s.counters, [&](u32 units) {
      return predicted(s, [&](access::WarpAccess& access) { lengthen(access, pitch, units * unit); });
    });
    if (tried.units != 0 && (best.pitch == 0 || tried.after.wavefronts < best.padding.after.wavefronts))
      best = {pitch, tried};
  }
  return best;
}

bool steps_are_short(const Subject& s) {
  return std::all_of(s.site.distribution.classes.begin(), s.site.distribution.classes.end(),
                     [](const measure::WarpClass& c) {
                       return c.shape.form != measure::Form::conflict ||
                              (c.shape.stride != 0 &&
                               static_cast<u64>(std::abs(c.shape.stride)) < shortest_row);
                     });
}

// A reduction doubles its step from round to round; no padding suits all of them.
bool steps_double(const Subject& s) {
  u32 powers = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes)
    powers += c.shape.form == measure::Form::conflict &&
              is_power_of_two(static_cast<u64>(std::abs(c.shape.stride)));
  return powers > 1;
}

void say_neighbours(const Subject& s, Advice& out) {
  out.change = steps_double(s)
                   ? "let the distance in the sum be large first: s[t] += s[t + d] for d = size/2, size/4, … "
                     "1, in which neighbouring threads use neighbouring words"
                   : "let neighbouring threads use neighbouring words: one array for each member, or "
                     "another index";
  out.after = predicted(s, consecutive(s));
}

} // namespace

void bank_conflict(const Subject& s, std::vector<Advice>& list) {
  if (s.site.space != access::Space::shared || is_atomic(s.site.site.kind) ||
      s.counters.wavefronts <= s.counters.ideal_wavefronts || s.site.site.kind == access::Kind::ldmatrix ||
      s.site.pattern.kind() != measure::PatternKind::bank_conflict)
    return;
  u64 unit = std::max<u64>(4, s.site.site.bytes);
  Advice out = draft(s, "bank-conflict", Metric::wavefronts);
  out.title =
      s.site.pattern.ways > 1 ? fmt::format("{}-way bank conflict", s.site.pattern.ways) : "bank conflicts";
  out.cause = "several lanes want different words of one bank, which gives one word a pass";
  if (steps_are_short(s) || steps_double(s)) {
    say_neighbours(s, out);
    list.push_back(std::move(out));
    return;
  }
  Rows rows = best_rows(s, unit);
  if (rows.padding.units == 0) {
    out.change =
        "give the lanes of a warp other elements: none of the paddings of a row by up to 32 words that were "
        "tried lowers the count";
    out.confidence = Confidence::possible;
    list.push_back(std::move(out)); // a note
    return;
  }
  u64 bytes = rows.padding.units * unit;
  out.cause = fmt::format(
      "rows of the array are {} bytes apart, so lanes in different rows meet in a bank, which gives one "
      "word a pass",
      rows.pitch);
  out.change = fmt::format(
      "make each row of the shared array {} bytes longer ({} instead of {}), the least that {}", bytes,
      rows.pitch + bytes, rows.pitch,
      rows.padding.after.wavefronts <= s.counters.ideal_wavefronts ? "leaves no conflict" : "helps most");
  if (rows.pitch % s.site.site.bytes == 0)
    out.example =
        fmt::format("[{} + {}] in the declaration, in elements of {} byte{}", rows.pitch / s.site.site.bytes,
                    bytes / s.site.site.bytes, s.site.site.bytes, s.site.site.bytes == 1 ? "" : "s");
  out.after = rows.padding.after;
  out.confidence = Confidence::certain;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
