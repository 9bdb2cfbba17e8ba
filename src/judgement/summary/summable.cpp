#include "summary/summable.h"
#include <algorithm>
#include <utility>

namespace warplens::summary {
namespace {

using Wide = unsigned __int128;

constexpr u64 most_sum = u64{1} << 63;

// What is made of a count has at most so many times its value: bytes of a wavefront, or of a warp's access.
constexpr u64 made_of_count = 128, made_of_warp = 4096;

template <class F> void each_count(arch::Counts& counts, F&& f) {
  for (const arch::CountMember& member : arch::count_members) {
    const bool bytes =
        member.value == &arch::Counts::bytes_used || member.value == &arch::Counts::transaction_bytes;
    f(counts.*member.value, bytes ? 1 : made_of_count);
  }
}

// Every number of a site that is added up, with the largest factor of what is made of it.
template <class F> void each_count(measure::SiteRecord& site, F&& f) {
  for (arch::Counts& counts : site.counters) each_count(counts, f);
  measure::Distribution& distribution = site.distribution;
  for (measure::WarpClass& c : distribution.classes) f(c.warps, made_of_warp), each_count(c.counts, f);
  f(distribution.other_warps, made_of_warp), each_count(distribution.other, f);
  f(distribution.busiest_word, made_of_count);
  measure::FirstBlock& block = distribution.first_block;
  for (u64 measure::FirstBlock::*member :
       {&measure::FirstBlock::requests, &measure::FirstBlock::sectors, &measure::FirstBlock::distinct_sectors,
        &measure::FirstBlock::again, &measure::FirstBlock::beside, &measure::FirstBlock::rows,
        &measure::FirstBlock::row_elements, &measure::FirstBlock::lanes, &measure::FirstBlock::words,
        &measure::FirstBlock::span})
    f(block.*member, made_of_count);
  each_count(block.by_rows, f), each_count(block.by_address, f);
}

// The most that is made of any number of the launch.
Wide most_of(Launch& launch) {
  Wide out = launch.record.warp_instructions;
  for (measure::SiteRecord& site : launch.record.sites)
    each_count(site, [&](u64 value, u64 made) { out = std::max(out, static_cast<Wide>(value) * made); });
  return out;
}

// How often something is added: by each access of each launch.
u64 terms_of(const Launch& launch) { return launch.count() * (launch.record.sites.size() + 1); }

diag::Diagnostic cut_message() {
  return diag::warning(
      std::string(counts_too_large),
      "the report has counts that are too large: their sums would pass 2^64. They are cut, and "
      "the numbers here are too small",
      {}, "no program does that much: look where the report comes from");
}

} // namespace

bool make_summable(Input& input) {
  Wide sum = 0, terms = 0;
  for (Launch& launch : input.launches) {
    sum += most_of(launch) * std::min<Wide>(terms_of(launch), most_sum);
    terms += terms_of(launch);
  }
  if (sum <= most_sum) return true;
  const u64 most = most_sum / static_cast<u64>(std::min<Wide>(terms, most_sum));
  for (Launch& launch : input.launches) {
    launch.record.warp_instructions = std::min(launch.record.warp_instructions, most);
    for (measure::SiteRecord& site : launch.record.sites) {
      bool cut = false;
      each_count(site, [&](u64& value, u64 made) {
        const u64 before = std::exchange(value, std::min(value, std::max<u64>(1, most / made)));
        cut |= before != value;
      });
      if (cut) site.distribution = {};
    }
  }
  input.messages.push_back(cut_message());
  return false;
}

} // namespace warplens::summary
