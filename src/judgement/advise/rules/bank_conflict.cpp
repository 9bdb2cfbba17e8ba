// Several words of one bank in one request. The rows of the array are found in the lanes: by the step between them, or
// from one row of lanes to the next. Paddings of that row are tried on the lanes of every class of all accesses to the
// array, because longer rows change them all: a tile of 16 columns is stored without a conflict until its rows are padded.
// Short steps are no rows: there, neighbouring lanes should want neighbouring words.
#include "advise/padding.h"
#include "advise/rules/remedies.h"
#include "base/bits.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace warplens::advise::rules {

namespace {

constexpr u64 shortest_row = 64;       // bytes
constexpr u64 longest_usual_row = 512; // of a tile; beyond, lanes that are so far apart may have skipped rows
constexpr u64 swizzled_chunk = 16;     // what ldmatrix and 16-byte accesses move

struct Rows {
  u64 pitch = 0; // bytes from one to the next
  Padding padding{};
  arch::Counts before{}; // of all accesses that the padding was tried on, as padding.after
  u64 made_worse = 0;    // wavefronts that those without a conflict take more
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

// The accesses of the launch to the same array, this one among them. This one alone where it is not known what else there is.
std::vector<Subject> of_same_array(const Subject& s) {
  std::vector<Subject> out;
  const access::Site& site = s.site.site;
  if (s.context.launch != nullptr && site.array.kind != access::ArrayKind::unknown)
    for (const measure::SiteRecord& other : s.context.launch->record().sites)
      if (other.space == access::Space::shared && other.site.array == site.array &&
          other.site.function == site.function && !other.distribution.classes.empty() &&
          s.context.column < other.counters.size())
        out.push_back({other, other.counters[s.context.column], s.context});
  if (out.empty()) out.push_back(s);
  return out;
}

// Those of them that longer rows change: with rows of that length, with lanes that skip some, or with none that their lanes show.
std::vector<Subject> of_same_rows(const Subject& s, u64 pitch) {
  std::vector<Subject> out;
  for (const Subject& one : of_same_array(s)) {
    const std::vector<u64> rows = pitches(main_class(one).example);
    if (rows.empty() || std::ranges::any_of(rows, [&](u64 row) { return row % pitch == 0; }))
      out.push_back(one);
  }
  if (out.empty()) out.push_back(s);
  return out;
}

// Where lanes skip rows, another access of the array shows how long one is: the shortest that all of the distance is made of.
u64 row_within(const Subject& s, u64 distance) {
  u64 out = distance;
  for (const Subject& one : of_same_array(s))
    for (u64 row : pitches(main_class(one).example))
      if (row < out && distance % row == 0) out = row;
  return out;
}

Change longer_rows(u64 pitch, u64 bytes) {
  return [=](access::WarpAccess& access) { lengthen(access, pitch, bytes); };
}

Rows rows_of(const Subject& s, u64 pitch, u64 unit) {
  Rows out{pitch};
  const std::vector<Subject> all = of_same_rows(s, pitch);
  for (const Subject& one : all) out.before += one.counters;
  out.padding = smallest_padding(out.before, [&](u32 units) {
    arch::Counts sum;
    for (const Subject& one : all) sum += predicted(one, longer_rows(pitch, units * unit));
    return sum;
  });
  for (const Subject& one : all) {
    u64 after = predicted(one, longer_rows(pitch, out.padding.units * unit)).wavefronts;
    if (one.counters.wavefronts <= one.counters.ideal_wavefronts && after > one.counters.wavefronts)
      out.made_worse += after - one.counters.wavefronts;
  }
  return out;
}

// Those that serve the accesses to the array best.
Rows best_rows(const Subject& s, u64 unit) {
  auto left = [](const Rows& rows) {
    return static_cast<double>(rows.padding.after.wavefronts) / static_cast<double>(rows.before.wavefronts);
  };
  Rows best;
  for (u64 distance : pitches(main_class(s).example)) {
    Rows tried = rows_of(s, row_within(s, distance), unit);
    if (tried.padding.units != 0 && (best.pitch == 0 || left(tried) < left(best))) best = tried;
  }
  return best;
}

bool steps_are_short(const Subject& s) {
  return std::all_of(s.site.distribution.classes.begin(), s.site.distribution.classes.end(),
                     [](const measure::WarpClass& c) {
                       return c.shape.form != measure::Form::conflict ||
                              (c.shape.distance() != 0 && c.shape.distance() < shortest_row);
                     });
}

void add_steps(const measure::Distribution& warps, std::set<u64>& steps) {
  for (const measure::WarpClass& c : warps.classes)
    if (u64 step = c.shape.distance(); c.shape.form == measure::Form::conflict && is_power_of_two(step))
      steps.insert(step);
}

// A reduction or a scan doubles its step from round to round, and no padding of rows suits all of them. Where the loop is
// unrolled, the rounds are instructions of one place. Classes of one step, which differ in their lanes, are no rounds.
bool steps_double(const Subject& s) {
  constexpr std::size_t some_rounds = 3; // of different instructions
  std::set<u64> own;
  add_steps(s.site.distribution, own);
  if (own.size() > 1) return true;
  if (own.empty() || s.site.site.frames.empty() || s.context.launch == nullptr) return false;
  for (const measure::SiteRecord& other : s.context.launch->record().sites)
    if (other.space == s.site.space && other.site.array == s.site.site.array &&
        other.site.function == s.site.site.function && !other.site.frames.empty() &&
        other.site.frames.all().front().line == s.site.site.frames.all().front().line)
      add_steps(other.distribution, own);
  return own.size() >= some_rounds;
}

// One word in 33 left free: what tree-like scans do, whose order matters.
arch::Counts skewed(const Subject& s) {
  return predicted(s, [](access::WarpAccess& access) {
    for_each_lane(access.active, [&](u32 lane) { access.address[lane] += access.address[lane] / 128 * 4; });
  });
}

// Instructions of the launch that move the other parts of what each lane steps over, this one included; 0 where they are not
// all of it, or are no vector.
u64 parts_of_vector(const Subject& s) {
  const u64 step = main_class(s).shape.distance(), bytes = s.site.site.bytes;
  if (step > 16 || !is_power_of_two(step) || step <= bytes) return 0;
  std::set<u64> places{place_in(main_class(s), step)};
  each_sibling(s, [&](const measure::SiteRecord& other) {
    const measure::WarpClass& c = other.distribution.classes.front();
    if (other.site.array == s.site.site.array && c.shape.distance() == step) places.insert(place_in(c, step));
  });
  return places.size() * bytes == step ? places.size() : 0;
}

void say_vector(const Subject& s, u64 parts, Advice& out) {
  const u64 step = parts * s.site.site.bytes;
  predict(
      s,
      [step](access::WarpAccess& access) {
        access.bytes = static_cast<u8>(step);
        for_each_lane(access.active, [&](u32 lane) { access.address[lane] -= access.address[lane] % step; });
      },
      out);
  for (const arch::CountMember& member : arch::count_members) out.after.*member.value /= parts;
  out.change =
      fmt::format("let each thread move its {0} bytes at once ({1}), from a multiple of {0} bytes", step,
                  step == 16  ? "float4, int4"
                  : step == 8 ? "float2, int2"
                              : "char4");
}

void say_neighbours(const Subject& s, Advice& out) {
  if (const u64 parts = parts_of_vector(s); parts != 0 && !steps_double(s)) return say_vector(s, parts, out);
  predict(s, consecutive(s), out);
  if (!steps_double(s)) {
    out.change =
        "let neighbouring threads use neighbouring words: one array for each member, or another index";
    return;
  }
  out.change = largest_step_first("words");
  if (s.site.site.bytes == 4 && 10 * skewed(s).wavefronts <= 11 * out.after.wavefronts)
    out.change += "; if the order matters, as in a scan, leave one word in 33 free: s[i + i/32]";
}

// An asynchronous copy whose lanes read from one bank: as if neighbours read neighbouring elements.
Change neighbouring_sources(const Subject& s) {
  std::array<u64, warp_size> source{};
  for (u32 lane = 0; lane < warp_size; ++lane) source[lane] = u64{lane} * s.site.site.bytes;
  return [source = std::make_shared<const std::array<u64, warp_size>>(source)](access::WarpAccess& access) {
    access.copied_from = source->data();
  };
}

bool conflicts_by_sources(const Subject& s) {
  return s.site.site.kind == access::Kind::async_copy &&
         predicted(s, neighbouring_sources(s)).wavefronts <= s.counters.ideal_wavefronts;
}

void say_sources(const Subject& s, Advice& out) {
  out.cause = "lanes of a copy that read from one bank of the L1 pass one after another, wherever they write";
  out.change =
      "let neighbouring lanes copy neighbouring elements of global memory, and write them where they belong";
  predict(s, neighbouring_sources(s), out);
}

// Chunks of a row exchanged by the row's number, as tiles for tensor cores are kept.
arch::Counts swizzled(const Subject& s, u64 pitch) {
  return predicted(s, [=](access::WarpAccess& access) {
    for_each_lane(access.active, [&](u32 lane) {
      access.address[lane] ^= access.address[lane] / pitch % 8 * swizzled_chunk;
    });
  });
}

// A block that is narrower than a warp covers several rows with each, and may need rows that are much longer. A block as wide as
// a warp does not.
bool say_wider_block(const Subject& s, const Rows& rows, u64 unit, Advice& out) {
  if (s.context.launch == nullptr || 2 * rows.padding.units * unit <= rows.pitch) return false;
  const Dim3 block = s.context.launch->record().block;
  if (block.x >= warp_size || block.count() < warp_size) return false;
  predict(s, consecutive(s), out);
  if (out.after.wavefronts > rows.padding.after.wavefronts) return false;
  out.cause =
      fmt::format("the block is {} threads wide, so a warp covers several rows of the array", block.x);
  out.change =
      fmt::format("make the block at least {} threads wide, so that a warp covers one row", warp_size);
  out.example = fmt::format("dim3 block(32, {})", std::max<u64>(1, block.count() / warp_size));
  return true;
}

void say_padding(const Subject& s, const Rows& rows, u64 unit, Advice& out) {
  const u64 bytes = rows.padding.units * unit, width = s.site.site.bytes;
  out.cause = fmt::format(
      "rows of the array are {} bytes apart, so lanes in different rows meet in a bank, which gives one "
      "word per pass",
      rows.pitch);
  out.change = fmt::format(
      "make each row of the shared array {} bytes longer ({} instead of {}), the least that {}", bytes,
      rows.pitch + bytes, rows.pitch,
      rows.padding.after.wavefronts <= rows.before.ideal_wavefronts ? "leaves no conflict" : "helps most");
  if (rows.pitch > longest_usual_row)
    out.change += fmt::format("; if neighbouring lanes are n rows apart, {} / n bytes for each row", bytes);
  if (width == swizzled_chunk && swizzled(s, rows.pitch).wavefronts <= rows.padding.after.wavefronts)
    out.change += "; or, at the same size, keep chunk c of row r (16 bytes each) at c ^ (r % 8)";
  if (rows.made_worse != 0)
    out.change +=
        fmt::format("; other accesses to it then take {} more wavefronts per launch", rows.made_worse);
  if (rows.pitch % width == 0)
    out.example = fmt::format("[{} + {}] in the declaration, in elements of {} byte{}", rows.pitch / width,
                              bytes / width, width, width == 1 ? "" : "s");
  predict(s, longer_rows(rows.pitch, bytes), out);
  out.confidence = Confidence::certain;
}

} // namespace

std::string largest_step_first(std::string_view what) {
  return fmt::format("begin with the largest distance: s[t] += s[t + d] for d = size/2, size/4, … 1, so that "
                     "neighbouring threads use neighbouring {}",
                     what);
}

void bank_conflict(const Subject& s, std::vector<Advice>& list) {
  const bool copies =
      s.site.site.kind == access::Kind::async_copy; // these also wait for one another by where they read
  if (s.site.space != access::Space::shared || is_atomic(s.site.site.kind) ||
      s.counters.wavefronts <= s.counters.ideal_wavefronts ||
      (!copies && s.site.pattern.kind() != measure::PatternKind::bank_conflict))
    return;
  const u64 unit = std::max<u64>(4, s.site.site.bytes);
  Advice out = draft(s, findings::Rule::bank_conflict, Metric::wavefronts);
  out.title =
      s.site.pattern.ways > 1 ? fmt::format("{}-way bank conflict", s.site.pattern.ways) : "bank conflicts";
  out.cause = "several lanes want different words of one bank, which gives one word per pass";
  if (conflicts_by_sources(s)) {
    say_sources(s, out);
  } else if (steps_are_short(s) || steps_double(s)) {
    say_neighbours(s, out);
  } else if (Rows rows = best_rows(s, unit); rows.padding.units != 0) {
    if (!say_wider_block(s, rows, unit, out)) say_padding(s, rows, unit, out);
  } else {
    out.change =
        "give the lanes of a warp other elements: no padding of up to 32 words lowers what the accesses to "
        "this array take together";
    out.confidence = Confidence::possible; // a note
  }
  list.push_back(std::move(out));
}

findings::Remedy remedy_of_conflict(const Subject& s) {
  using Kind = findings::Remedy::Kind;
  if (steps_double(s) || conflicts_by_sources(s)) return {}; // another algorithm
  if (steps_are_short(s)) return {Kind::other_order, 0, 0};
  const u64 unit = std::max<u64>(4, s.site.site.bytes);
  const Rows rows = best_rows(s, unit);
  Advice tried;
  if (rows.padding.units == 0 || say_wider_block(s, rows, unit, tried)) return {};
  return {Kind::longer_rows, static_cast<u32>(rows.padding.units * unit), static_cast<u32>(rows.pitch)};
}

} // namespace warplens::advise::rules
