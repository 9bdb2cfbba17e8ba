// Lanes as one short text and back, and what follows from them found again. See distribution_json.h.
#include "measure/distribution_json.h"
#include "arch/count.h"
#include "base/bits.h"
#include <bit>
#include <charconv>

namespace warplens::measure {
namespace {

u64 take_number(std::string_view& text) {
  u64 value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) throw Unreadable("member 'offsets' is not a list of numbers");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take_sign(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

FirstBlock first_block_of(const json& value) {
  expect_object(value, "a first block");
  FirstBlock out;
  take(value, "requests", out.requests);
  take(value, "sectors", out.sectors);
  take(value, "distinct_sectors", out.distinct_sectors);
  take(value, "again", out.again);
  take(value, "beside", out.beside);
  take(value, "rows", out.rows);
  take(value, "row_elements", out.row_elements);
  take(value, "row_lanes", out.row_lanes);
  take(value, "lanes", out.lanes);
  take(value, "words", out.words);
  take(value, "span", out.span);
  if (auto counts = value.find("by_rows"); counts != value.end()) out.by_rows = counts_of(*counts);
  if (auto counts = value.find("by_address"); counts != value.end()) out.by_address = counts_of(*counts);
  return out;
}

} // namespace

std::string text_of_offsets(u32 active, const std::array<u64, warp_size>& address) {
  std::array<u64, warp_size> offset{};
  u32 count = 0;
  for_each_lane(active, [&](u32 lane) { offset[count++] = address[lane]; });
  std::string out;
  for (u32 i = 0; i < count;) {
    u32 last = i + 1;
    u64 step = last < count ? offset[last] - offset[i] : 0;
    while (last < count && offset[last] - offset[last - 1] == step) ++last;
    out += fmt::format("{}{}", i == 0 ? "" : " ", offset[i]);
    if (last - i < 3) {
      ++i;
      continue;
    }
    bool down = static_cast<i64>(step) < 0;
    out += fmt::format("{}{}*{}", down ? '-' : '+', down ? 0 - step : step, last - i - 1);
    i = last;
  }
  return out;
}

void take_offsets(std::string_view text, u32 active, std::array<u64, warp_size>& address) {
  std::array<u64, warp_size> offset{};
  u32 count = 0, wanted = static_cast<u32>(std::popcount(active));
  auto put = [&](u64 value) {
    if (count == wanted) throw Unreadable("member 'offsets' has more numbers than lanes are active");
    offset[count++] = value;
  };
  while (!text.empty()) {
    u64 value = take_number(text), step = 0, times = 0;
    bool down = text.starts_with('-');
    put(value);
    if (take_sign(text, '+') || take_sign(text, '-')) {
      step = take_number(text);
      if (!take_sign(text, '*')) throw Unreadable("member 'offsets' has a step that is not repeated");
      times = take_number(text);
    }
    for (u64 i = 0; i < times; ++i) put(value += down ? 0 - step : step);
    if (!text.empty() && (!take_sign(text, ' ') || text.empty()))
      throw Unreadable("member 'offsets' is not a list of numbers");
  }
  if (count != wanted) throw Unreadable("member 'offsets' has fewer numbers than lanes are active");
  constexpr u64 furthest = u64{1} << 56; // so that differences have room
  for (u32 i = 0; i < count; ++i)
    if (offset[i] >= furthest) throw Unreadable("member 'offsets' has a number out of its range");
  u32 next = 0;
  for_each_lane(active, [&](u32 lane) { address[lane] = offset[next++]; });
}

bool is_uniform(const WarpClass& c, const arch::Architecture& device) {
  WarpClass as_one = class_of(c.example, c.warps, device);
  return as_one.counts == c.counts && as_one.ways == c.ways;
}

Distribution distribution_of(const json& value) {
  expect_object(value, "a distribution");
  Distribution out;
  each(value, "classes", [&](const json& element) {
    expect_object(element, "a class of warps");
    WarpClass& c = out.classes.emplace_back();
    take(element, "warps", c.warps);
    take(element, "active", c.example.active);
    take(element, "texture_dimensions", c.example.texture_dimensions);
    if (c.example.active == 0) throw Unreadable("member 'active' names no lane");
    std::string offsets;
    take(element, "offsets", offsets);
    take_offsets(offsets, c.example.active, c.example.address);
    take(element, "empty", c.example.empty);
    c.example.sized = element.contains("empty");
    if (std::string text; element.contains("other_end")) {
      take(element, "other_end", text);
      std::array<u64, warp_size> end{};
      take_offsets(text, c.example.active, end);
      c.other_end = std::make_shared<const std::array<u64, warp_size>>(end);
    }
    if (auto counts = element.find("counts"); counts != element.end()) c.counts = counts_of(*counts);
    take(element, "ways", c.ways);
    take(element, "starts", c.starts);
  });
  if (out.classes.size() > Distribution::most_classes)
    throw Unreadable("there are too many classes of warps");
  take(value, "other_warps", out.other_warps);
  if (auto other = value.find("other"); other != value.end()) out.other = counts_of(*other);
  take(value, "busiest_word", out.busiest_word);
  take_flag(value, "busiest_is_bound", out.busiest_is_bound);
  if (auto block = value.find("first_block"); block != value.end()) out.first_block = first_block_of(*block);
  return out;
}

namespace {

void complete_classes(SiteRecord& record, u32 sm) {
  const arch::Architecture* device = arch::find(sm);
  if (device == nullptr) {
    record.distribution = {};
    return;
  }
  const access::Site& site = record.site;
  for (WarpClass& c : record.distribution.classes) {
    u8 dimensions = c.example.texture_dimensions;
    static_cast<access::AccessHeader&>(c.example) = {.site = site.id,
                                                     .space = record.space,
                                                     .kind = site.kind,
                                                     .cache = site.cache,
                                                     .bytes = static_cast<u8>(site.bytes),
                                                     .matrices = static_cast<u8>(site.matrices),
                                                     .texture_dimensions = dimensions};
    if (c.other_end)
      (record.space == access::Space::shared ? c.example.copied_from : c.example.copied_to) =
          c.other_end->data();
    WarpClass known = class_of(c.example, c.warps, *device);
    if (c.counts != arch::Counts{}) known.counts = c.counts, known.ways = c.ways;
    if (c.starts != 0) known.starts = c.starts;
    c = known;
  }
}

} // namespace

void complete(SiteRecord& record, const std::vector<u32>& sm, bool measured) {
  complete_classes(record, sm.empty() ? 0 : sm[0]);
  for (std::size_t a = 0; a < std::min(sm.size(), record.counters.size()); ++a) {
    const arch::Architecture* row = arch::find(sm[a]);
    const bool stages = row != nullptr && arch::knows_stages(*row) && !measured;
    for (const arch::CountMember& member : arch::count_members)
      if (!arch::applies(member.which, record.space, record.site.kind, stages))
        record.counters[a].*member.value = 0;
  }
}

} // namespace warplens::measure
