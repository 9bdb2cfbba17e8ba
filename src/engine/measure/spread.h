// How far a number may be from the truth that was counted for a sample of a grid and multiplied: one batch of blocks ran for each of
// some strata of the grid (sim/exec/sample.h).
//
// One batch of a stratum says nothing of how its neighbours differ from it. But strata that follow one another do: half the squared
// difference of two is what either is off, in the mean (successive differences; Wolter, Introduction to Variance Estimation, 2007,
// 8.2). What changes slowly over the grid counts little. The half-width is that of 95 of 100 cases, by Student's t.
#pragma once
#include "arch/counts.h"
#include <span>

namespace warplens::measure {

struct SiteRecord;

struct Stratum {
  arch::Counts counts{}; // of its batch
  u64 batches = 0;       // that it stands for
};

// `strata`: in the order of the grid. The largest half-width of any counter, as a share of its total. 1, which is no range and judges
// nothing, where the half-width is as much as the total, as of work that few blocks have; or where one stratum alone was looked at.
double spread_of(std::span<const Stratum> strata, const arch::Counts& total);

// The same of one number of each part of a sample, and so many batches that each of the part's stands for.
double spread_of(std::span<const u64> values, std::span<const u64> batches);

// Where other blocks ran uncounted, their warp instructions are known: `off` is by how much, as a share, those of all differ from what
// the sample said. If that is more than any access's spread, the sample missed blocks that are unlike the others, and no access is
// known better than to twice as much; from all of it on, none is judged.
void widen(std::span<SiteRecord> sampled, double off);

} // namespace warplens::measure
