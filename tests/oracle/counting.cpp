// The vendors' procedures, space by space, over plain sets. See counting.h.
#include "oracle/counting.h"
#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace warplens::oracle {
namespace {

using access::Cache;
using access::Kind;
using access::Space;
using access::WarpAccess;

struct Lane {
  u32 number;
  u64 address;
};
using Lanes = std::vector<Lane>;

Lanes active_lanes(const WarpAccess& access) {
  Lanes out;
  for (u32 lane = 0; lane < 32; ++lane)
    if (access.active >> lane & 1) out.push_back({lane, access.address[lane]});
  return out;
}

std::vector<Lanes> split(const Lanes& lanes, u32 size) {
  std::map<u32, Lanes> groups;
  for (const Lane& lane : lanes) groups[lane.number / size].push_back(lane);
  std::vector<Lanes> out;
  for (auto& [index, group] : groups) out.push_back(group);
  return out;
}

std::set<u64> bytes_of(const Lanes& lanes, u32 width) {
  std::set<u64> bytes;
  for (const Lane& lane : lanes)
    for (u32 i = 0; i < width; ++i) bytes.insert(lane.address + i);
  return bytes;
}

u64 distinct(const std::set<u64>& bytes, u64 unit) {
  std::set<u64> units;
  for (u64 byte : bytes) units.insert(byte / unit);
  return units.size();
}

u64 round_up_division(u64 a, u64 b) { return a / b + (a % b != 0); }

// --- global memory
// -------------------------------------------------------------------------------------------------

void strict_half_warp(const Lanes& lanes, u32 width, CountedAccess& out) {
  bool size_fits = width == 4 || width == 8 || width == 16;
  u64 segment = width == 4 ? 64 : 128;
  bool in_order = size_fits;
  for (const Lane& lane : lanes) {
    u64 word_zero = lane.address - u64{lane.number % 16} * width;
    in_order = in_order && word_zero % segment == 0 &&
               word_zero == lanes.front().address - u64{lanes.front().number % 16} * width;
  }
  if (!in_order) {
    out.transactions += lanes.size();
    out.transaction_bytes += lanes.size() * 32;
    return;
  }
  out.transactions += width == 16 ? 2 : 1;
  out.transaction_bytes += width == 4 ? 64 : width == 8 ? 128 : 256;
}

// "Find the segment of the lowest-numbered active thread; find all other active threads in it; reduce the
// transaction size; carry it out and mark the serviced threads inactive; repeat."
void segment_procedure(Lanes waiting, u32 width, CountedAccess& out) {
  u64 size = width == 1 ? 32 : width == 2 ? 64 : 128;
  while (!waiting.empty()) {
    u64 begin = waiting.front().address / size * size, length = size;
    Lanes served, left;
    for (const Lane& lane : waiting) (lane.address / size * size == begin ? served : left).push_back(lane);
    std::set<u64> used = bytes_of(served, width);
    while (length > 32) {
      u64 middle = begin + length / 2;
      bool low = false, high = false;
      for (u64 byte : used) (byte < middle ? low : high) = true;
      if (low && high) break;
      if (high) begin = middle;
      length /= 2;
    }
    out.transactions += 1;
    out.transaction_bytes += length;
    waiting = left;
  }
}

bool line_wide(u32 sm, const WarpAccess& access) {
  if (access.kind != Kind::load && access.kind != Kind::async_copy) return false;
  if (access.space == Space::local) return sm >= 20 && sm < 50;
  Cache cache = access.cache;
  if (sm == 20 || sm == 21) return cache != Cache::cg && cache != Cache::cv && cache != Cache::volatile_;
  if (sm == 35 || sm == 37) return cache == Cache::ca || cache == Cache::nc;
  if (sm == 52 || sm == 53) return cache == Cache::ca;
  return false;
}

void global(u32 sm, const WarpAccess& access, const Lanes& all, u32 width, CountedAccess& out) {
  u32 group = sm < 20 ? 16 : sm >= 50 || width <= 4 ? 32 : 128 / width;
  for (const Lanes& lanes : split(all, group)) {
    std::set<u64> bytes = bytes_of(lanes, width);
    u64 sectors = distinct(bytes, 32), lines = distinct(bytes, 128);
    out.requests += 1;
    out.tags += lines;
    out.sectors += sectors;
    out.ideal_sectors += std::min(sectors, round_up_division(lanes.size() * width, 32));
    out.bytes_used += bytes.size();
    if (sm <= 11)
      strict_half_warp(lanes, width, out);
    else if (sm <= 13)
      segment_procedure(lanes, width, out);
    else if (line_wide(sm, access))
      out.transactions += lines, out.transaction_bytes += lines * 128;
    else
      out.transactions += sectors, out.transaction_bytes += sectors * 32;
  }
}

// --- the L1's stages
// -------------------------------------------------------------------------------------------------

u64 word_passes(const Lanes&, u32 width);
u64 grouped_word_passes(const Lanes&, u32 width, u32 group);

// src/hardware/arch/MODEL.md, "The L1's stages": where each bit of a line's number leads to.
u32 set_of_line(u64 line) {
  constexpr char leads_to[] = "31312312131323213232123231213232123121";
  u32 set = 0;
  for (u32 bit = 0; bit < 38; ++bit)
    if ((line >> bit & 1) != 0) set ^= static_cast<u32>(leads_to[bit] - '0');
  return set;
}

std::vector<Lanes> tag_stage(Lanes waiting, bool each_address_once) {
  std::vector<Lanes> passes;
  while (!waiting.empty()) {
    std::map<u32, u64> holds;
    std::set<u64> addresses;
    Lanes served, left;
    for (const Lane& lane : waiting) {
      u64 line = lane.address / 128;
      auto held = holds.find(set_of_line(line));
      bool free = held == holds.end() || held->second == line;
      if (each_address_once && addresses.contains(lane.address)) free = false;
      if (free) holds[set_of_line(line)] = line, addresses.insert(lane.address);
      (free ? served : left).push_back(lane);
    }
    passes.push_back(served);
    waiting = left;
  }
  return passes;
}

void l1_stages(const WarpAccess& access, const Lanes& lanes, CountedAccess& out) {
  bool atomic = access.kind == Kind::atomic || access.kind == Kind::reduction;
  u32 group = access.bytes <= 4 ? 32 : 128 / access.bytes;
  std::vector<Lanes> passes = tag_stage(lanes, atomic);
  out.tag_passes += passes.size();
  if (access.kind == Kind::store) {
    std::size_t together = access.bytes <= 2 ? 4 : 8;
    while (passes.size() > 1 && together > 1) { // the second joins the first
      passes[0].insert(passes[0].end(), passes[1].begin(), passes[1].end());
      passes.erase(passes.begin() + 1);
      --together;
    }
  }
  u64 times = access.kind == Kind::atomic ? 2 : 1;
  for (const Lanes& pass : passes)
    out.data_wavefronts += times * grouped_word_passes(pass, access.bytes, group);
}

// --- shared memory
// -------------------------------------------------------------------------------------------------

// Acts out passes: every bank hands out one row a pass, to everyone who wants it. `row_of` and `bank_of` a
// byte.
template <class Row, class Bank> u64 passes(const Lanes& lanes, u32 width, Row row_of, Bank bank_of) {
  std::map<u64, std::set<u64>> rows;
  for (u64 byte : bytes_of(lanes, width)) rows[bank_of(byte)].insert(row_of(byte));
  u64 count = 0;
  while (!rows.empty()) {
    ++count;
    for (auto at = rows.begin(); at != rows.end();) {
      at->second.erase(at->second.begin());
      at = at->second.empty() ? rows.erase(at) : std::next(at);
    }
  }
  return count;
}

u64 word_passes(const Lanes& lanes, u32 width) {
  return passes(
      lanes, width, [](u64 byte) { return byte / 4; }, [](u64 byte) { return byte / 4 % 32; });
}

u64 grouped_word_passes(const Lanes& lanes, u32 width, u32 group) {
  u64 sum = 0;
  for (const Lanes& part : split(lanes, group)) sum += word_passes(part, width);
  return sum;
}

u64 turns(const Lanes& lanes, u32 width, u32 banks) {
  std::map<u64, u64> queue;
  u64 most = 0;
  for (const Lane& lane : lanes) {
    std::set<u64> words;
    for (u32 i = 0; i < width; ++i) words.insert((lane.address + i) / 4);
    for (u64 word : words) most = std::max(most, ++queue[word % banks]);
  }
  return most;
}

u64 one_broadcast_passes(std::vector<u64> words) {
  u64 count = 0;
  std::ranges::sort(words);
  while (!words.empty()) {
    ++count;
    std::map<u64, u32> wanted;
    for (u64 word : words) ++wanted[word];
    u64 broadcast = wanted.begin()->first;
    for (auto [word, lanes] : wanted)
      if (lanes > wanted[broadcast]) broadcast = word;
    std::set<u64> busy{broadcast % 16};
    std::vector<u64> left;
    for (u64 word : words) {
      if (word == broadcast) continue;
      if (!busy.insert(word % 16).second) left.push_back(word);
    }
    words = left;
  }
  return count;
}

bool pairs(const Lanes& lanes, u32 distance, bool gaps_allowed) {
  return std::ranges::all_of(lanes, [&](const Lane& lane) {
    auto partner = std::ranges::find(lanes, lane.number ^ distance, &Lane::number);
    return partner == lanes.end() ? gaps_allowed : partner->address == lane.address;
  });
}

bool pairs(const Lanes& lanes, bool gaps_allowed) {
  return pairs(lanes, 1, gaps_allowed) || pairs(lanes, 2, gaps_allowed);
}

u64 attributed_16(const Lanes& lanes) {
  bool last = lanes.back().number == 31;
  std::set<u64> addresses;
  for (const Lane& lane : lanes) addresses.insert(lane.address);
  if (addresses.size() == 1) return (lanes.size() + 15) / 16;
  u64 sum = 0;
  for (const Lanes& half : split(lanes, 16)) {
    bool lower = half.front().number < 16;
    bool merge = lower ? !last || pairs(half, false) : pairs(half, true);
    sum += merge && word_passes(half, 16) == 1 ? 1 : grouped_word_passes(half, 16, 8);
  }
  return sum;
}

void shared_since_volta(const WarpAccess& access, const Lanes& lanes, u32 width, CountedAccess& out) {
  u32 group = width <= 4 ? 32 : 128 / width;
  out.wavefronts = out.data_wavefronts = grouped_word_passes(lanes, width, group);
  if (access.kind != Kind::load || (width != 8 && width != 16)) return;
  if (pairs(lanes, true)) out.data_wavefronts = grouped_word_passes(lanes, width, 2 * group);
  if (width == 16)
    out.wavefronts = attributed_16(lanes);
  else if (pairs(lanes, true) && word_passes(lanes, 8) == 1)
    out.wavefronts = 1;
}

void shared_tesla(const WarpAccess& access, const Lanes& all, u32 width, CountedAccess& out) {
  for (const Lanes& lanes : split(all, 16)) {
    u32 parts = std::max(1u, width / 4);
    u64 sum = 0;
    for (u32 part = 0; part < parts; ++part) {
      std::vector<u64> words;
      Lanes shifted;
      for (const Lane& lane : lanes) {
        words.push_back(lane.address / 4 + part);
        shifted.push_back({lane.number, (lane.address / 4 + part) * 4});
      }
      sum += access.kind == Kind::atomic || access.kind == Kind::reduction ? turns(shifted, 4, 16)
                                                                           : one_broadcast_passes(words);
    }
    out.requests += parts;
    out.wavefronts += sum;
    out.data_wavefronts += sum;
    out.ideal_wavefronts += std::min(sum, round_up_division(lanes.size() * width, 64));
    out.bytes_used += bytes_of(lanes, width).size();
  }
}

void shared(u32 sm, const WarpAccess& access, const Lanes& lanes, u32 width, CountedAccess& out) {
  if (sm < 20) return shared_tesla(access, lanes, width, out);
  out.requests = 1;
  out.bytes_used = bytes_of(lanes, width).size();
  u64 pass_bytes = sm >= 30 && sm < 50 ? 256 : 128;
  if (access.kind == Kind::atomic || access.kind == Kind::reduction) {
    out.wavefronts = out.data_wavefronts = turns(lanes, width, 32);
  } else if (sm < 30) {
    u64 sum = 0, worst = 0;
    for (const Lanes& part : split(lanes, width <= 4 ? 32 : 128 / width)) {
      sum += word_passes(part, width);
      worst = std::max(worst, word_passes(part, width));
    }
    out.wavefronts = out.data_wavefronts = width >= 16 ? worst + 1 : sum;
  } else if (sm < 50) {
    for (const Lanes& part : split(lanes, width <= 8 ? 32 : 16))
      out.wavefronts += passes(
          part, width, [](u64 byte) { return byte / 256; }, [](u64 byte) { return byte / 4 % 32; });
    out.data_wavefronts = out.wavefronts;
  } else if (sm < 70) {
    out.wavefronts = out.data_wavefronts = grouped_word_passes(lanes, width, width <= 4 ? 32 : 128 / width);
  } else {
    shared_since_volta(access, lanes, width, out);
  }
  out.ideal_wavefronts = std::min(out.wavefronts, round_up_division(lanes.size() * width, pass_bytes));
}

} // namespace

CountedAccess count_by_force(u32 sm, const WarpAccess& access) {
  CountedAccess out;
  Lanes lanes = active_lanes(access);
  if (lanes.empty()) return out;
  switch (access.space) {
  case Space::global:
    global(sm, access, lanes, access.bytes, out);
    if (sm >= 70 && access.kind != Kind::async_copy) l1_stages(access, lanes, out);
    break;
  case Space::shared: shared(sm, access, lanes, access.bytes, out); break;
  case Space::constant:
    for (const Lanes& part : split(lanes, sm < 20 ? 16 : 32)) {
      std::set<u64> addresses;
      for (const Lane& lane : part) addresses.insert(lane.address);
      out.requests += addresses.size();
      out.bytes_used += bytes_of(part, access.bytes).size();
    }
    break;
  case Space::local:
    for (u32 word = 0; word < std::max(1u, access.bytes / 4u); ++word) {
      Lanes physical;
      for (const Lane& lane : lanes) {
        u64 offset = lane.address + 4 * word;
        physical.push_back({lane.number, offset / 4 * 128 + lane.number * 4 + offset % 4});
      }
      global(sm, access, physical, std::min<u32>(access.bytes, 4), out);
    }
    break;
  default: break;
  }
  return out;
}

} // namespace warplens::oracle
