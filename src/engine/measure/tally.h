// The warps of a site in one space, in classes: what every warp of a launch is put into.
//
// A class is what is cheap to know of a warp: its active lanes, what it cost on the device (arch::WarpCost), and, of four
// lanes on, the step between them where the first, the second, a middle and the last are equally far apart, or the first two
// and the last two, as in rows, with how far the middle is (local and constant memory: whether there is no step, for that is
// all that a pattern tells of them). Its example is its first warp: of the lowest CTA, and of that the first access. So neither
// the number of workers, nor the form in which accesses come, nor whether CTAs run in batches makes a difference.
#pragma once
#include "arch/count.h"
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace warplens::measure {

// Which of two accesses of a site came first. Accesses of different CTAs by the CTAs, because their order in time
// depends on the workers.
struct Moment {
  u64 cta = 0;
  u64 access = 0; // of those that a worker met there, in order
  auto operator<=>(const Moment&) const = default;
};

// The other end of a warp's asynchronous copy, which an access only views: kept for one that is kept, and viewed by it
// from then on. Null of other accesses.
using CopyEnd = std::shared_ptr<const std::array<u64, warp_size>>;
CopyEnd keep_other_end(access::WarpAccess&);

// How far past a sector's start the first lane is, of one at least: a bit of Class::starts.
u32 start_of(u32 active, const u64* address);

class WarpTally {
public:
  explicit WarpTally(access::Space space = access::Space::global)
      : by_step_(space != access::Space::local && space != access::Space::constant) {}

  struct Class {
    u32 key = 0;
    u32 example = 0; // index of its example
    u64 warps = 0;   // 0: a slot of the table that is free
    u32 starts = 0;  // bit n: the first lane of some warp was n bytes past a sector's start
    Moment first{};
  };

  // `address`: 32, of which the active ones are read; at least one is active. `copy`: of an asynchronous copy, its
  // other end and what it does not read.
  void add(arch::WarpCost, u32 active, const u64* address, Moment, u64 times = 1,
           const access::WarpAccess* copy = nullptr);
  void add(const WarpTally&, u64 times);
  void move_to(u64 cta); // as if all had happened there
  // Calls f(class, example) for each class, in no order. Of an example, the header says nothing, and the addresses
  // are from the last multiple of address_period on.
  template <class F> void each(F&& f) const {
    for (const Class& c : slots_)
      if (c.warps != 0) f(c, examples_[c.example].lanes);
  }

private:
  struct Example {
    access::WarpAccess lanes;
    CopyEnd other_end;
  };
  Class& slot_of(u32 key);
  Class& new_class(u32 key);

  bool by_step_;
  std::vector<Class> slots_; // by hashed key, at most half of them in use
  std::vector<Example> examples_;
};

// Counts batches for the device, and tells the tally of every warp. Warps that wait to be counted side by side are kept
// here, with their lanes.
class LaneCounter {
public:
  void add(const arch::Architecture& device, const access::LaneBatch&, u64 access, WarpTally&, u64 times = 1);
  arch::Counts take(WarpTally&, u64 times = 1); // of all batches since the last time, each once

private:
  struct Waiting {
    Waiting(u32 lanes, Moment at, const u64* addresses) : active(lanes), moment(at) {
      std::copy_n(addresses, warp_size, address.begin());
    }
    u32 active;
    Moment moment;
    std::array<u64, warp_size> address; // written once, so not cleared before
  };
  arch::BatchCounter counter_;
  std::vector<arch::WarpCost> costs_;
  std::vector<Waiting> waiting_;
};

} // namespace warplens::measure
