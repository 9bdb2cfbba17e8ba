// What is kept of each byte of shared memory, and who knows of whom (races.h): vector clocks with a time for each warp. An access is
// compared with the last ones that it may not know of, and then takes their place.
#include "sim/watch/races.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace warplens::sim {

// Times go on from one CTA to the next, so that nothing has to be cleared between them.
void Races::begin(u64 bytes, u32 warps, const Mask& all) {
  for (const Warp& warp : warp_) base_ = std::max(base_, warp.time);
  constexpr u32 enough = ~u32{0} / 2;
  if (warps != warps_ || bytes != cells_.size() || base_ > enough) {
    base_ = 0;
    cells_.assign(bytes, {});
    whole_.assign(bytes / word_bytes + 1, true);
    others_.assign(1, {});
    warp_.assign(warps, {});
    for (std::vector<u32>& known : came_) known.assign(warps, 0);
  }
  warps_ = warps;
  all_ = all;
  for (Warp& warp : warp_) warp.time = base_ + 1, warp.common = base_;
  known_.assign(std::size_t{warps} * warps, base_);
}

Races::LaneTimes Races::joined(const Warp& warp, u32 lanes) const {
  LaneTimes out;
  out.fill(warp.common);
  for_each_lane(lanes, [&](u32 lane) {
    for (u32 m = 0; m < warp_size; ++m) out[m] = std::max(out[m], warp.knows[lane][m]);
  });
  for_each_lane(lanes, [&](u32 lane) { out[lane] = warp.time; });
  return out;
}

void Races::learn(Warp& warp, u32 lanes, const LaneTimes& times) {
  for_each_lane(lanes, [&](u32 lane) {
    for (u32 m = 0; m < warp_size; ++m) warp.knows[lane][m] = std::max(warp.knows[lane][m], times[m]);
  });
}

void Races::meet(u32 w, u32 lanes) {
  Warp& warp = warp_[w];
  if (lanes == all_.word[w])
    warp.common = warp.time;
  else
    learn(warp, lanes, joined(warp, lanes));
  ++warp.time; // what they do from now on is not known to those who are not here
}

void Races::arrive(u32 barrier, const Mask& lanes) {
  for (u32 w = 0; w < warps_; ++w) {
    if (lanes.word[w] == 0) continue;
    Warp& warp = warp_[w];
    u32* own = known_.data() + w * warps_;
    for (u32 v = 0; v < warps_; ++v) came_[barrier][v] = std::max(came_[barrier][v], own[v]);
    came_[barrier][w] = warp.time;
    LaneTimes known = joined(warp, lanes.word[w]);
    for (u32 m = 0; m < warp_size; ++m) warp.given[m] = std::max(warp.given[m], known[m]);
    ++warp.time;
  }
}

// Lanes that pass know what lanes of their warp had done when they came to this barrier or to another one.
void Races::go_on(u32 barrier, const Mask& lanes) {
  for (u32 w = 0; w < warps_; ++w) {
    if (lanes.word[w] == 0) continue;
    Warp& warp = warp_[w];
    u32* own = known_.data() + w * warps_;
    for (u32 v = 0; v < warps_; ++v) own[v] = std::max(own[v], came_[barrier][v]);
    learn(warp, lanes.word[w], warp.given);
    if (lanes.word[w] != all_.word[w]) continue;
    u32 least = warp.time;
    for_each_lane(all_.word[w], [&](u32 lane) { least = std::min(least, warp.given[lane]); });
    warp.common = std::max(warp.common, least);
  }
}

void Races::close(u32 barrier) { came_[barrier].assign(warps_, 0); }

// A thread of an earlier access that this one does not know of.
std::optional<u32> Races::unknown(const Epoch& earlier, u32 thread) const {
  const u32 w = thread / warp_size, lane = thread % warp_size;
  auto thread_of = [&](u32 m) { return earlier.warp * warp_size + m; };
  if (earlier.warp != w) {
    if (earlier.time <= known_[w * warps_ + earlier.warp]) return {};
    return thread_of(static_cast<u32>(std::countr_zero(earlier.lanes)));
  }
  const Warp& warp = warp_[w];
  if (earlier.time <= warp.common) return {};
  for (u32 rest = earlier.lanes & ~(1u << lane); rest != 0; rest &= rest - 1) {
    u32 m = static_cast<u32>(std::countr_zero(rest));
    if (earlier.time > warp.knows[lane][m]) return thread_of(m);
  }
  return {};
}

template <class F>
void Races::each(const Cell& cell, const Epoch& last, std::vector<Epoch> Others::*list, F&& f) const {
  f(last);
  if (cell.others != 0)
    for (const Epoch& e : others_[cell.others].*list) f(e);
}

// An access becomes the last of its kind. Those before it that it knows of need not be kept: who does not know them does not
// know this one either.
void Races::keep(Epoch& last, std::vector<Epoch> Others::*list, Cell& cell, const Epoch& now, u32 thread) {
  auto alike = [&](const Epoch& e) { return e.warp == now.warp && e.time == now.time; };
  if (alike(last)) {
    last.lanes |= now.lanes, last.place = now.place;
    return;
  }
  if (!unknown(last, thread)) {
    last = now;
    if (cell.others != 0)
      std::erase_if(others_[cell.others].*list, [&](const Epoch& e) { return !unknown(e, thread); });
    return;
  }
  if (cell.others == 0) {
    cell.others = static_cast<u32>(others_.size());
    others_.emplace_back();
  }
  std::vector<Epoch>& others = others_[cell.others].*list;
  for (Epoch& e : others) {
    if (e.warp != now.warp || (!alike(e) && unknown(e, thread))) continue;
    const u32 lanes = alike(e) ? e.lanes : 0;
    e = now;
    e.lanes |= lanes;
    return;
  }
  others.push_back(now);
}

// Whether the thread is one of those that stored what is there, unordered among each other.
bool Races::wrote(const Cell& cell, u32 thread) const {
  bool found = false;
  if (cell.written == RaceAccess::write)
    each(cell, cell.write, &Others::writes, [&](const Epoch& e) {
      found |= e.warp == thread / warp_size && (e.lanes >> thread % warp_size & 1) != 0;
    });
  return found;
}

u32 Races::place_of(const Code& code, const Op& op) {
  if (last_place_ < places_.size() && places_[last_place_].op == &op) return last_place_;
  auto [known, fresh] = place_.try_emplace(&op, static_cast<u32>(places_.size()));
  if (fresh) places_.push_back({&code, &op});
  return last_place_ = known->second;
}

// Bytes of a word are now told apart.
void Races::split(u64 word) {
  const u64 first = word * word_bytes, end = std::min(first + word_bytes, u64{cells_.size()});
  whole_[word] = false;
  for (u64 i = first + 1; i < end; ++i) {
    cells_[i] = cells_[first];
    cells_[i].stored = cells_[first].stored >> 8 * (i - first) & 0xff;
    if (cells_[i].others == 0) continue;
    cells_[i].others = static_cast<u32>(others_.size());
    others_.push_back(Others(others_[cells_[first].others]));
  }
  cells_[first].stored &= 0xff;
}

void Races::access(Cell& cell, u32 thread, const Epoch& now, RaceAccess access, u32 value,
                   std::optional<Earlier>& found) {
  auto look = [&](const Epoch& earlier, RaceAccess made) {
    if (found) return;
    if (std::optional<u32> other = unknown(earlier, thread))
      found = {*other, made, places_[earlier.place].code, places_[earlier.place].op};
  };
  auto look_at_writes = [&] {
    each(cell, cell.write, &Others::writes, [&](const Epoch& e) { look(e, cell.written); });
  };
  if (access == RaceAccess::read) {
    if (!wrote(cell, thread)) look_at_writes();
    return keep(cell.read, &Others::reads, cell, now, thread);
  }
  const bool same = access == cell.written && value == cell.stored;
  if (!same) look_at_writes();
  each(cell, cell.read, &Others::reads, [&](const Epoch& e) { look(e, RaceAccess::read); });
  cell.read = {};
  if (cell.others != 0) others_[cell.others].reads.clear();
  if (same) return keep(cell.write, &Others::writes, cell, now, thread);
  cell.write = now, cell.written = access, cell.stored = value;
  if (cell.others != 0) others_[cell.others].writes.clear();
}

std::optional<Races::Earlier> Races::access(u32 thread, u64 offset, u32 bytes, RaceAccess kind,
                                            const Code& code, const Op& op, const std::byte* stored) {
  std::optional<Earlier> found;
  const u32 w = thread / warp_size;
  const Epoch now{warp_[w].time, 1u << thread % warp_size, place_of(code, op), w};
  for (u64 done = 0; done < bytes;) {
    const u64 at = offset + done, word = at / word_bytes;
    const bool all = at % word_bytes == 0 && bytes - done >= word_bytes;
    if (whole_[word] && !all) split(word);
    const u64 step = whole_[word] ? word_bytes : 1;
    u32 value = 0;
    if (kind == RaceAccess::write) std::memcpy(&value, stored + done, step);
    access(cells_[at], thread, now, kind, value, found);
    done += step;
  }
  return found;
}

} // namespace warplens::sim
