#include "fold/arguments.h"
#include <algorithm>

namespace warplens::fold {

void Arguments::lose(const Frame& frame, u64 offset, u64 bytes) {
  std::erase_if(places_[&frame], [&](const auto& entry) {
    const auto& [at, place] = entry;
    return at < offset + bytes && offset < at + place.bytes;
  });
}

void Arguments::store(const Frame& frame, u64 offset, u32 bytes, const Parts& parts, bool everywhere) {
  if (load(frame, offset, bytes) == nullptr) lose(frame, offset, bytes);
  auto [entry, fresh] = places_[&frame].try_emplace(offset);
  Place& place = entry->second;
  place.bytes = bytes;
  if (fresh) place.track.set({}, unknown(Cause::call, nullptr), true);
  for (const auto& [lanes, delta] : parts) {
    place.track.set(lanes, delta, everywhere);
    everywhere = false;
  }
}

const Track* Arguments::load(const Frame& frame, u64 offset, u32 bytes) const {
  auto places = places_.find(&frame);
  if (places == places_.end()) return nullptr;
  auto place = places->second.find(offset);
  return place != places->second.end() && place->second.bytes == bytes ? &place->second.track : nullptr;
}

void Arguments::copy(const Frame& from, u64 from_offset, const Frame& to, u64 to_offset, u64 bytes,
                     const Mask& lanes, bool everywhere) {
  std::vector<std::pair<u64, Place>> moved;
  if (auto places = places_.find(&from); places != places_.end())
    for (const auto& [at, place] : places->second)
      if (at >= from_offset && at + place.bytes <= from_offset + bytes) moved.push_back({at, place});
  // What other lanes brought to the same places stays; anything else there is overwritten.
  std::erase_if(places_[&to], [&](const auto& entry) {
    const auto& [at, place] = entry;
    bool brought = std::any_of(moved.begin(), moved.end(), [&](const auto& m) {
      return to_offset + (m.first - from_offset) == at && m.second.bytes == place.bytes;
    });
    return !brought && at < to_offset + bytes && to_offset < at + place.bytes;
  });
  for (const auto& [at, place] : moved) {
    Parts parts;
    place.track.each(lanes, [&](const Mask& mask, const Delta& delta) { parts.push_back({mask, delta}); });
    store(to, to_offset + (at - from_offset), place.bytes, parts, everywhere);
  }
}

} // namespace warplens::fold
