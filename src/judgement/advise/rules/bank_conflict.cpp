// Several words of one bank in one request. The rows of the array are found in the lanes: by the step between them, or
// from one row of lanes to the next. Paddings of that row are tried on the lanes of every class of all accesses to the
// array, because longer rows change them all: a tile of 16 columns is stored without a conflict until its rows are padded.
// Short steps are no rows, unless another access goes along them: there, neighbouring lanes should want neighbouring words.
#include "advise/padding.h"
#include "advise/rules/rules.h"
#include "base/bits.h"
#include "findings/words.h"
#include "source/types.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <set>

namespace warplens::advise::rules {

namespace {

constexpr u64 shortest_row = 64;       // bytes
constexpr u64 longest_usual_row = 512; // of a tile; beyond, lanes that are so far apart may have skipped rows
constexpr u64 swizzled_chunk = 16;     // what ldmatrix and 16-byte accesses move
constexpr u64 all_banks = 128;         // bytes
constexpr u64 word = 4;                // bytes that a bank gives at a time

// Chunks of a row exchanged by the row's number, as tiles for tensor cores are kept: chunk c of row r lies at c ^ (r / together %
// chunks). The chunks are a power of two of which rows are made, so that each row's stay in it.
struct Swizzle {
  u64 chunks = 0, together = 1; // 0: none helps
  arch::Counts after{};         // as Rows::before
};

struct Rows {
  u64 pitch = 0; // bytes from one to the next
  u64 unit = 4;  // bytes that rows can become longer by: as many as the widest access to them has
  Padding padding{};
  arch::Counts before{}; // of all accesses that the padding was tried on, as padding.after
  u64 made_worse = 0;    // wavefronts that those without a conflict take more
  u64 spared = 0;        // wavefronts that the others take less
  Padding by_words{};    // in words, if wide accesses are no vectors of the source; 0: no better
  Swizzle swizzle{};     // of the same accesses
  u64 wider_copies = 0;  // bytes; 0: no wider copy may go there
  u64 longer_by() const { return padding.units * unit; }
  bool is_better_exchanged() const {
    return swizzle.chunks != 0 && swizzle.after.wavefronts < padding.after.wavefronts;
  }
};

// The step between lanes, from one row of lanes to the next, from one group of such rows to the next, as the matrices of ldmatrix
// are, and so on; without those that are shorter than a row. None where lanes are in no such order.
std::vector<u64> pitches(const access::WarpAccess& access) {
  std::vector<i64> starts;
  for_each_lane(access.active, [&](u32 lane) { starts.push_back(static_cast<i64>(access.address[lane])); });
  std::vector<u64> out;
  while (starts.size() > 1) {
    const i64 step = starts[1] - starts[0];
    std::size_t row = 2;
    while (row < starts.size() && starts[row] - starts[row - 1] == step) ++row;
    std::vector<i64> rows;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (i % row == 0) rows.push_back(starts[i]);
      if (starts[i] - rows.back() != static_cast<i64>(i % row) * step) return {};
    }
    out.push_back(static_cast<u64>(std::abs(step)));
    starts = std::move(rows);
  }
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

// The accesses of the launch to the same array, this one among them, and copies that may go to it, because it is not known where
// they go. Without copies this one alone where it is not known what else there is.
std::vector<Subject> of_same_array(const Subject& s) {
  std::vector<Subject> out;
  const access::Site& site = s.site.site;
  const bool known = site.array.kind != access::ArrayKind::unknown;
  if (!known) out.push_back(s);
  for (const measure::SiteRecord& other : in_function(s))
    if (other.space == access::Space::shared &&
        ((known && other.site.array == site.array) ||
         (is_copied_half(other) && other.site.array.kind == access::ArrayKind::unknown &&
          !(other.site.id == site.id))) &&
        !other.distribution.classes.empty() && s.context.column < other.counters.size())
      out.push_back({other, other.counters[s.context.column], s.context});
  if (out.empty()) out.push_back(s);
  return out;
}

// Of these, is it known to go to the array of `s`?
bool surely_goes_there(const Subject& s, const Subject& one) {
  return one.site.site.array.kind != access::ArrayKind::unknown || one.site.site.id == s.site.site.id;
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

// The bytes that a warp's lanes go along side by side before they go on in another such row; 0: there are no two.
u64 stretch(const access::WarpAccess& access) {
  std::vector<u64> at;
  for_each_lane(access.active, [&](u32 lane) { at.push_back(access.address[lane]); });
  std::size_t lanes = 1;
  while (lanes < at.size() && at[lanes] == at[lanes - 1] + access.bytes) ++lanes;
  if (lanes < 2 || lanes == at.size()) return 0;
  const u64 row = lanes * access.bytes;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const u64 begin = at[i - i % lanes];
    if (at[i] != begin + i % lanes * access.bytes || (begin - at[0]) % row != 0) return 0;
  }
  return row;
}

// What the source declares: "float [16][8][8]" has steps of 4, 32 and 256 bytes, from one element, row, … to the next. Empty where that
// is not known, or has no rows.
std::vector<u64> declared_steps(const Subject& s) {
  std::string_view text = s.site.declared;
  const std::size_t first = std::min(text.find('['), text.size());
  std::vector<u64> out{source::size_of(text.substr(0, first))};
  for (std::size_t at; (at = text.rfind('[')) != text.npos && at > first; text = text.substr(0, at)) {
    u64 size = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), size);
    out.push_back(out.back() * size);
  }
  return s.site.space != access::Space::shared || out.size() < 2 || out.back() == 0 ? std::vector<u64>()
                                                                                    : out;
}

// The declaration with rows of `pitch` bytes longer by so many: "tile[16][8][8 + 1]"; empty where they are not declared.
std::string declared_with(const Subject& s, u64 pitch, u64 bytes) {
  std::string out = s.site.declared;
  std::size_t end = out.size();
  u64 within = 0;
  for (const u64 step : declared_steps(s)) {
    if (step == pitch)
      return name_of(s) + out.insert(end, fmt::format(" + {}", bytes / within)).substr(out.find('['));
    end = out.rfind(']', end - 1), within = step;
  }
  return {};
}

// Rows that are as short as a structure is, but that the source declares, or that lanes of another access to the array go along one by
// one: s[8][8]. 0: none.
u64 short_row(const Subject& s) {
  if (const std::vector<u64> steps = declared_steps(s); !steps.empty())
    return steps[1] > swizzled_chunk && steps[1] < shortest_row ? steps[1] : 0;
  for (const Subject& one : of_same_array(s))
    if (const u64 row = stretch(main_class(one).example); row > swizzled_chunk && row < shortest_row)
      return row;
  return 0;
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

Change exchanged(u64 pitch, u64 chunks, u64 together) {
  return [=](access::WarpAccess& access) {
    for_each_lane(access.active, [&](u32 lane) {
      access.address[lane] ^= access.address[lane] / pitch / together % chunks * swizzled_chunk;
    });
  };
}

arch::Counts predicted_of_all(const std::vector<Subject>& all, const Change& change) {
  arch::Counts sum;
  for (const Subject& one : all) sum += predicted(one, change);
  return sum;
}

// The one that leaves the fewest wavefronts. Where several rows have all banks between them, they are exchanged together.
Swizzle best_swizzle(const std::vector<Subject>& all, u64 pitch) {
  constexpr u64 most = all_banks / swizzled_chunk;
  Swizzle best;
  if (pitch % swizzled_chunk != 0) return best;
  const u64 parts = pitch / swizzled_chunk, chunks = std::min(most, parts & (~parts + 1));
  for (u64 together = 1; chunks > 1 && together * chunks <= most; together *= 2) {
    const arch::Counts after = predicted_of_all(all, exchanged(pitch, chunks, together));
    if (best.chunks == 0 || after.wavefronts < best.after.wavefronts) best = {chunks, together, after};
  }
  return best;
}

// What longer rows would cost if the assembler had not made one access of several: each of its words by itself.
arch::Counts in_words(const std::vector<Subject>& all, u64 pitch, u64 longer_by) {
  arch::Counts sum;
  for (const Subject& one : all)
    sum += predicted(one,
                     [&](access::WarpAccess& access) {
                       lengthen(access, pitch, longer_by);
                       access.bytes = std::min<u8>(access.bytes, word);
                     }) *
           std::max<u64>(1, one.site.site.bytes / word);
  return sum;
}

Rows rows_of(const Subject& s, u64 pitch) {
  Rows out{pitch};
  const std::vector<Subject> perhaps = of_same_rows(s, pitch);
  for (const Subject& one : perhaps)
    if (surely_goes_there(s, one)) out.unit = std::max<u64>(out.unit, one.site.site.bytes);
  const std::vector<u64> steps = declared_steps(s);
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (steps[i] == pitch) out.unit = std::lcm(out.unit, steps[i - 1]);
  std::vector<Subject> all;
  for (const Subject& one : perhaps)
    if (one.site.site.bytes > out.unit) // whose words such rows would split
      out.wider_copies = std::max<u64>(out.wider_copies, one.site.site.bytes);
    else
      all.push_back(one), out.before += one.counters;
  out.padding = smallest_padding(
      out.before, [&](u32 units) { return predicted_of_all(all, longer_rows(pitch, units * out.unit)); });
  const bool may_be_words =
      std::ranges::all_of(all, [](const Subject& one) { // as copies and matrices are not
        return one.site.site.kind == access::Kind::load || one.site.site.kind == access::Kind::store;
      });
  if (out.unit > word && may_be_words) {
    out.by_words =
        smallest_padding(out.before, [&](u32 units) { return in_words(all, pitch, units * word); });
    if (out.by_words.after.wavefronts >= out.padding.after.wavefronts) out.by_words.units = 0;
  }
  if (s.site.site.bytes == swizzled_chunk) out.swizzle = best_swizzle(all, pitch);
  for (const Subject& one : all) {
    const u64 before = one.counters.wavefronts,
              after = predicted(one, longer_rows(pitch, out.longer_by())).wavefronts;
    if (before <= one.counters.ideal_wavefronts && after > before) out.made_worse += after - before;
    if (before > after) out.spared += before - after;
  }
  return out;
}

// Those that serve the accesses to the array best; of pitch 0 where neither a padding nor an exchange does.
Rows best_rows(const Subject& s) {
  auto left = [](const Rows& rows) {
    const u64 after = (rows.is_better_exchanged() ? rows.swizzle.after : rows.padding.after).wavefronts;
    return static_cast<double>(after) / static_cast<double>(rows.before.wavefronts);
  };
  Rows best;
  std::vector<u64> rows = declared_steps(s);
  if (!rows.empty()) {
    rows.erase(rows.begin()); // of an element
  } else {
    const measure::WarpClass& main = main_class(s);
    for (u64 distance : pitches(main.example)) rows.push_back(row_within(s, distance));
    if (const u64 row = short_row(s);
        row != 0 && (main.shape.distance() % row == 0 || stretch(main.example) == row))
      rows.push_back(row_within(s, row));
  }
  for (u64 row : rows) {
    Rows tried = rows_of(s, row);
    if (left(tried) < 1 && (best.pitch == 0 || left(tried) < left(best))) best = tried;
  }
  return best;
}

bool steps_are_short(const Subject& s) {
  const u64 row = short_row(s);
  return std::all_of(s.site.distribution.classes.begin(), s.site.distribution.classes.end(),
                     [row](const measure::WarpClass& c) {
                       const u64 step = c.shape.distance();
                       return c.shape.form != measure::Form::conflict ||
                              (step != 0 && step < shortest_row && (row == 0 || step % row != 0));
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
  if (own.empty() || s.site.site.frames.empty()) return false;
  for (const measure::SiteRecord& other : in_function(s))
    if (other.space == s.site.space && other.site.array == s.site.site.array && !other.site.frames.empty() &&
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
  for (const measure::SiteRecord& other : siblings(s)) {
    const measure::WarpClass& c = other.distribution.classes.front();
    if (other.site.array == s.site.site.array && c.shape.distance() == step) places.insert(place_in(c, step));
  }
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

// A block that is narrower than a warp covers several rows with each, and may need rows that are much longer. A block as wide as
// a warp does not.
bool say_wider_block(const Subject& s, const Rows& rows, Advice& out) {
  if (s.context.launch == nullptr || 2 * rows.longer_by() <= rows.pitch) return false;
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

// "c ^ (r / 2 % 4)"
std::string in_words(const Swizzle& swizzle) {
  return swizzle.together == 1 ? fmt::format("c ^ (r % {})", swizzle.chunks)
                               : fmt::format("c ^ (r / {} % {})", swizzle.together, swizzle.chunks);
}

void say_swizzle(const Subject& s, const Rows& rows, Advice& out) {
  out.change =
      fmt::format("keep chunk c of row r (16 bytes each) at {}, wherever the array is written and read",
                  in_words(rows.swizzle));
  if (rows.made_worse != 0)
    out.change += fmt::format(
        "; rows padded by {} bytes would lower the conflicts too, but other accesses then take {} more "
        "wavefronts",
        rows.longer_by(), rows.made_worse);
  out.example = fmt::format("&tile[r][({}) * (16 / sizeof(tile[0][0]))]", in_words(rows.swizzle));
  predict(s, exchanged(rows.pitch, rows.swizzle.chunks, rows.swizzle.together), out);
}

void say_padding(const Subject& s, const Rows& rows, Advice& out) {
  const u64 bytes = rows.longer_by(), width = s.site.site.bytes;
  const std::string declared = declared_with(s, rows.pitch, bytes);
  out.change = declared.empty() ? "make" : fmt::format("declare {}, which makes", declared);
  out.change += fmt::format(
      " each row of the shared array {} bytes longer ({} instead of {}), the least that {}", bytes,
      rows.pitch + bytes, rows.pitch,
      rows.padding.after.wavefronts <= rows.before.ideal_wavefronts ? "leaves no conflict" : "helps most");
  if (rows.by_words.units != 0)
    out.change += fmt::format("; where no vector of the source goes there, {} bytes ({}): the compiler, "
                              "which made accesses of {} bytes, then "
                              "makes smaller ones, with {} times fewer wavefronts",
                              rows.by_words.units * word, rows.pitch + rows.by_words.units * word, rows.unit,
                              findings::times(static_cast<double>(rows.before.wavefronts) /
                                              static_cast<double>(rows.by_words.after.wavefronts)));
  if (rows.pitch > longest_usual_row && declared.empty())
    out.change += fmt::format("; if neighbouring lanes are n rows apart, {} / n bytes for each row", bytes);
  if (rows.swizzle.chunks != 0 && rows.swizzle.after.wavefronts <= rows.padding.after.wavefronts)
    out.change += fmt::format("; or, at the same size, keep chunk c of row r (16 bytes each) at {}",
                              in_words(rows.swizzle));
  if (rows.wider_copies != 0)
    out.change +=
        fmt::format("; if copies of {0} bytes write it, a multiple of {0} bytes", rows.wider_copies);
  if (rows.made_worse != 0)
    out.change +=
        fmt::format("; other accesses to it then take {} more wavefronts per launch", rows.made_worse);
  if (!declared.empty())
    out.example =
        fmt::format("__shared__ {}{};", s.site.declared.substr(0, s.site.declared.find('[')), declared);
  else if (rows.pitch % width == 0)
    out.example = fmt::format("[{} + {}] in the declaration, in elements of {} byte{}", rows.pitch / width,
                              bytes / width, width, width == 1 ? "" : "s");
  predict(s, longer_rows(rows.pitch, bytes), out);
  out.lost_beside =
      of_all_blocks(s.counters.wavefronts - std::min(s.counters.wavefronts, out.after.wavefronts),
                    rows.made_worse, rows.spared);
}

void say_rows(const Subject& s, const Rows& rows, Advice& out) {
  if (say_wider_block(s, rows, out)) return;
  out.cause = fmt::format(
      "rows of the array are {} bytes apart, so lanes in different rows meet in a bank, which gives one "
      "word per pass",
      rows.pitch);
  out.confidence = Confidence::certain;
  rows.is_better_exchanged() ? say_swizzle(s, rows, out) : say_padding(s, rows, out);
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
  Advice out = draft(s, findings::Rule::bank_conflict, Metric::wavefronts);
  out.title =
      s.site.pattern.ways > 1 ? fmt::format("{}-way bank conflict", s.site.pattern.ways) : "bank conflicts";
  out.cause = "several lanes want different words of one bank, which gives one word per pass";
  if (conflicts_by_sources(s)) {
    say_sources(s, out);
  } else if (steps_are_short(s) || steps_double(s)) {
    say_neighbours(s, out);
  } else if (Rows rows = best_rows(s); rows.pitch != 0) {
    say_rows(s, rows, out);
  } else {
    out.change =
        pitches(main_class(s).example).empty()
            ? "give the lanes of a warp words of different banks: they go along no rows that could be "
              "made longer"
            : "give the lanes of a warp other elements: no padding of up to 32 words lowers what the "
              "accesses to this array take together";
    out.confidence = Confidence::possible; // a note
  }
  list.push_back(std::move(out));
}

findings::Remedy remedy_of_conflict(const Subject& s) {
  using Kind = findings::Remedy::Kind;
  if (steps_double(s) || conflicts_by_sources(s)) return {}; // another algorithm
  if (steps_are_short(s)) return {Kind::other_order, 0, 0};
  const Rows rows = best_rows(s);
  Advice tried;
  if (rows.padding.units == 0 || rows.is_better_exchanged() || say_wider_block(s, rows, tried)) return {};
  return {Kind::longer_rows, static_cast<u32>(rows.longer_by()), static_cast<u32>(rows.pitch)};
}

} // namespace warplens::advise::rules
