// See first_block.h.
#include "measure/first_block.h"
#include "arch/count.h"
#include "base/bits.h"
#include "measure/pattern.h"
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace warplens::measure {
namespace {

std::size_t hashed_sector(u64 value) { return value * 0x9e3779b97f4a7c15 >> 20; }

} // namespace

FirstBlock& FirstBlock::operator+=(const FirstBlock& other) {
  if (other.rows > rows) row_lanes = other.row_lanes;
  requests += other.requests, sectors += other.sectors, distinct_sectors += other.distinct_sectors;
  again += other.again, beside += other.beside;
  row_elements += other.row_elements, rows += other.rows, by_rows += other.by_rows;
  lanes += other.lanes, words += other.words, span += other.span;
  by_address += other.by_address;
  return *this;
}

FirstBlock& FirstBlock::operator*=(u64 times) {
  requests *= times, sectors *= times, distinct_sectors *= times, row_elements *= times, rows *= times;
  lanes *= times, words *= times, span *= times, again *= times, beside *= times;
  by_rows *= times, by_address *= times;
  return *this;
}

InlinedPlace place_of(const access::Site& site) {
  std::vector<std::tuple<std::string, u32, u32>> frames;
  for (const access::SourceFrame& frame : site.frames)
    frames.emplace_back(frame.file, frame.line, frame.column);
  const u32 itself = frames.empty() ? site.id.value : 0;
  return {std::move(frames), site.opcode, site.array.kind, site.array.parameter, itself};
}

bool BlockFollower::follows(const access::AccessHeader& access) {
  if (access.space != access::Space::global) return false;
  switch (access.kind) {
  case access::Kind::load:
  case access::Kind::store:
  case access::Kind::atomic:
  case access::Kind::reduction: return true;
  default: return false;
  }
}

void BlockFollower::add(u32 warp, const access::WarpAccess& access) {
  if (access.active == 0) return;
  if (of_warp_.size() <= warp) {
    of_warp_.resize(warp + 1);
    before_.resize(warp + 1);
    threads_.resize(of_warp_.size() * warp_size);
  }
  if (of_warp_[warp] >= most_sectors) return;
  header_ = access;
  ++requests_;
  const bool again = note_step(warp, access);
  note_sectors(warp, access, again);
  if (again && access.kind == access::Kind::store) return;
  if (access.kind != access::Kind::load) note_updates(warp, access);
  for_each_lane(access.active,
                [&](u32 lane) { walk(warp * warp_size + lane, access.address[lane], access.bytes); });
}

void BlockFollower::note_sectors(u32 warp, const access::WarpAccess& access, bool again) {
  std::array<u64, 2 * warp_size> touched; // a lane touches two at most: words are aligned, up to 32 bytes
  u32 count = 0;
  auto note = [&](u64 sector) {
    if (count != 0 && touched[count - 1] == sector) return;
    if (std::find(touched.begin(), touched.begin() + count, sector) == touched.begin() + count)
      touched[count++] = sector;
  };
  const u64 to_last = access.bytes - 1u;
  for_each_lane(access.active, [&](u32 lane) {
    u64 first = access.address[lane] / sector_bytes, last = (access.address[lane] + to_last) / sector_bytes;
    note(first);
    if (last != first) note(last);
  });
  for (u32 i = 0; i < count; ++i) distinct_ += insert(touched[i]);
  sectors_ += count;
  of_warp_[warp] += again ? 1 : count;
}

bool BlockFollower::note_step(u32 warp, const access::WarpAccess& access) {
  Step step{access.address[static_cast<u32>(std::countr_zero(access.active))], access.active};
  for_each_lane(access.active, [&](u32 lane) {
    step.sum = std::rotl(step.sum ^ access.address[lane], 23) * 0x9e3779b97f4a7c15;
  });
  const Step before = std::exchange(before_[warp], step);
  if (before.start == 0) return false;
  const u64 away = step.start > before.start ? step.start - before.start : before.start - step.start;
  const bool again = step.sum == before.sum;
  again_ += again;
  beside_ += !again && away < u64{warp_size} * access.bytes;
  return again;
}

void BlockFollower::note_updates(u32 warp, const access::WarpAccess& access) {
  if (turns_.size() <= warp) turns_.resize(warp + 1);
  const u64 turn = turns_[warp]++;
  for_each_lane(access.active, [&](u32 lane) { updates_.push_back({turn, access.address[lane]}); });
  of_warp_[warp] += static_cast<u64>(std::popcount(access.active)); // more than its sectors
}

bool BlockFollower::insert(u64 sector) {
  if ((distinct_ + 1) * 2 > known_.size()) {
    std::vector<u64> old(std::max<std::size_t>(1024, known_.size() * 2));
    old.swap(known_);
    for (u64 value : old)
      if (value != 0) {
        std::size_t at = hashed_sector(value) & (known_.size() - 1);
        while (known_[at] != 0) at = (at + 1) & (known_.size() - 1);
        known_[at] = value;
      }
  }
  std::size_t at = hashed_sector(sector + 1) & (known_.size() - 1);
  for (; known_[at] != 0; at = (at + 1) & (known_.size() - 1))
    if (known_[at] == sector + 1) return false;
  known_[at] = sector + 1;
  return true;
}

// Is the element in the row, or near it, and not read before? Then the row has it.
bool BlockFollower::Thread::take(u64 address, u32 bytes) {
  constexpr u64 most_ahead = 32; // elements, as many as `ahead` has bits
  u64 elements = 0;              // a bit for each from the lower of `end` and `address` on
  if (address >= end) {
    const u64 distance = (address - end) / bytes;
    if ((address - end) % bytes != 0 || distance >= most_ahead) return false;
    elements = ahead | u64{1} << distance;
  } else { // before the row, which then begins anew
    const u64 back = (begin - address) / bytes, length = (end - begin) / bytes;
    if (address >= begin || (begin - address) % bytes != 0 ||
        back + length + static_cast<u32>(std::bit_width(ahead)) > most_ahead)
      return false;
    elements = 1 | ((u64{1} << length) - 1) << back | u64{ahead} << (back + length);
    begin = end = address;
  }
  const u32 side_by_side = static_cast<u32>(std::countr_one(elements));
  end += u64{side_by_side} * bytes;
  ahead = static_cast<u32>(elements >> side_by_side);
  return true;
}

void BlockFollower::walk(u32 thread, u64 address, u32 bytes) {
  Thread& at = threads_[thread];
  if (!walks(at)) return;
  if (at.end != at.begin) {
    if (at.take(address, bytes)) return;
    end_rows(thread);
  }
  at.begin = address, at.end = address + bytes;
}

// The row, and what was read ahead of it, which is none of it.
void BlockFollower::end_rows(u32 thread) {
  Thread& at = threads_[thread];
  const u64 bytes = header_.bytes;
  for (;;) {
    if (rows_.size() < most_rows) rows_.push_back({at.turn, thread, at.begin, at.end});
    ++at.turn;
    at.elements += static_cast<u32>((at.end - at.begin) / bytes);
    if (at.ahead == 0) return;
    const u32 skipped = static_cast<u32>(std::countr_zero(at.ahead));
    at.ahead >>= skipped;
    const u32 length = static_cast<u32>(std::countr_one(at.ahead));
    at.ahead = static_cast<u32>(u64{at.ahead} >> length);
    at.begin = at.end + skipped * bytes, at.end = at.begin + length * bytes;
  }
}

FirstBlock BlockFollower::finish(const arch::Architecture& device) {
  FirstBlock out{requests_, sectors_, distinct_, again_, beside_};
  for (u32 thread = 0; thread < threads_.size(); ++thread)
    if (walks(threads_[thread]) && threads_[thread].end != threads_[thread].begin) end_rows(thread);
  threads_.clear();
  if (!rows_.empty()) count_rows(out, device);
  if (!updates_.empty()) count_updates(out, device);
  return out;
}

namespace {

// What depends on where the allocation lies, as passes of the L1 do, is not asked for.
void add_cost(arch::Counts& sum, const arch::Architecture& device, const access::WarpAccess& access) {
  arch::Counts one = arch::count(device, access);
  sum.instructions += one.instructions, sum.threads += one.threads;
  sum.requests += one.requests, sum.sectors += one.sectors;
}

} // namespace

void BlockFollower::count_updates(FirstBlock& out, const arch::Architecture& device) {
  std::sort(updates_.begin(), updates_.end(), [](const Update& a, const Update& b) {
    return std::tuple(a.turn, a.address) < std::tuple(b.turn, b.address);
  });
  std::vector<u64> words;
  access::WarpAccess access{header_};
  u32 lanes = 0;
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    words.push_back(updates_[i].address);
    access.address[lanes] = updates_[i].address, access.active |= u32{1} << lanes;
    const bool last = i + 1 == updates_.size() || updates_[i + 1].turn != updates_[i].turn;
    if (++lanes != warp_size && !last) continue;
    if (header_.kind == access::Kind::store) add_cost(out.by_address, device, access);
    access.active = 0, lanes = 0;
  }
  std::sort(words.begin(), words.end());
  out.lanes = words.size();
  words.erase(std::unique(words.begin(), words.end()), words.end());
  out.words = words.size();
  u64 spacing = 0; // that they have in common, as the counters of a table with gaps
  for (u64 word : words) spacing = std::gcd(spacing, word - words.front());
  if (!words.empty()) out.span = (words.back() - words.front()) / std::max<u64>(1, spacing) + 1;
  updates_.clear();
}

// Rows go to groups of lanes in the order of the threads that read them, those of each turn together.
void BlockFollower::count_rows(FirstBlock& out, const arch::Architecture& device) const {
  u64 elements = 0, bytes = header_.bytes;
  for (const Row& row : rows_) elements += (row.end - row.begin) / bytes;
  if (elements < 2 * rows_.size()) return; // as in grid-stride loops
  std::vector<Row> rows = rows_;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.turn, a.thread) < std::tuple(b.turn, b.thread);
  });
  out.rows = rows.size(), out.row_elements = elements;
  u32 lanes = static_cast<u32>(std::clamp<u64>(std::bit_ceil(ceil_div(elements, out.rows)), 2, warp_size));
  out.row_lanes = lanes;
  const u32 at_once = warp_size / lanes;
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    bool any = true;
    for (u64 step = 0; any; ++step) {
      access::WarpAccess access{header_};
      for (u32 lane = 0; lane < warp_size; ++lane) {
        std::size_t row = first + lane / lanes;
        if (row >= rows.size()) break;
        u64 address = rows[row].begin + (step * lanes + lane % lanes) * bytes;
        if (address >= rows[row].end) continue;
        access.active |= u32{1} << lane;
        access.address[lane] = address;
      }
      any = access.active != 0;
      if (!any) break;
      add_cost(out.by_rows, device, access);
    }
  }
}

} // namespace warplens::measure
