// What travels once: programs launch one kernel thousands of times, and say everything about it the first time only.
//
//   sites      the first record with a site describes it; later ones give its number within the record's module
//   starts     a launch_started whose kernel and shape were told before names the launch that told them
//   records    a launch that is alike to an earlier one is a line that names the earlier one
//
// Each process has its own tables, on either end of the stream. Those of the sender are bounded, by the size of its code or
// by a number: what it forgets it says again. A line that refers to one that did not arrive cannot be understood; the reader
// marks that launch as unknown.
#pragma once
#include "measure/wire.h"
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace warplens::measure {

// A site with an id and no opcode is a reference.
class SiteTable {
public:
  enum class Described : u8 { none, some, changed }; // changed: a number stands for another site than before
  Described shorten(LaunchRecord&);                  // sender: sites that were sent before become references
  // Receiver: the other way round. False: a reference is unknown, because the record that described the site is lost.
  [[nodiscard]] bool complete(LaunchRecord&);

private:
  // By module, id and space: an asynchronous copy goes to two arrays.
  std::map<std::tuple<std::string, u32, access::Space>, access::Site> sites_;
};

class StartTable {
public:
  void shorten(LaunchStarted&);
  [[nodiscard]] bool complete(LaunchStarted&); // false: what it refers to is unknown

private:
  using Key = std::tuple<std::string, u32, u32, u32, u32, u32, u32>;
  std::map<Key, u64> sent_;                      // sender: the launch that told it
  std::unordered_map<u64, LaunchStarted> known_; // receiver: by that launch
};

// The sender's records.
class RecordTable {
public:
  // The launch that told what this one, of which each site is a reference, would say again.
  std::optional<u64> find(const LaunchRecord&) const;
  void add(LaunchRecord);
  void clear();

private:
  std::vector<LaunchRecord> records_;
  std::unordered_multimap<u64, std::size_t> by_digest_;
  std::size_t sites_ = 0; // in all of them
};

// All tables of a sender.
class Sender {
public:
  Event shorten(Event);

private:
  Event shorten_launch(LaunchRecord);
  SiteTable sites_;
  StartTable starts_;
  RecordTable records_;
};

} // namespace warplens::measure
