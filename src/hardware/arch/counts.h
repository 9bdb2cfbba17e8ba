// What accesses cost: the one type of it, from the rule that counts an access to the line of a report.
//
// A new counter is one line of include/warplens/counts.def, and the rules that count it. Sums, the lines between
// processes, JSON, replay's columns and the comparison with the naive interpreter follow from the table; what
// does not is the published schema (docs/schema/run-1.schema.json), whose readers want to know what it means.
#pragma once
#include "access/access.h"
#include <warplens/types.h>

namespace warplens::arch {

using warplens::Counts; // include/warplens/types.h: programs that embed WarpLens see the same

// Which accesses a count speaks of.
enum class Counted : u8 {
  every,
  by_requests,      // all but shared memory, which answers in passes
  in_device_memory, // global, local, texture, surface
  in_passes,        // shared memory, and asynchronous copies, which write it
  in_tag_stage,     // global memory but for asynchronous copies, where a rule of the L1's stages is known
  in_data_stage     // the same, and shared memory but for what asynchronous copies write there
};
// `stages`: does the architecture have a rule of the L1's stages (arch/count.h)?
bool applies(Counted, access::Space, access::Kind, bool stages);

struct CountMember {
  const char* name; // as in JSON
  u64 Counts::*value;
  Counted which;
};
inline constexpr CountMember count_members[] = {
#define COUNT(name, which) {#name, &Counts::name, Counted::which},
#include <warplens/counts.def>
#undef COUNT
};
static_assert(sizeof count_members / sizeof *count_members * sizeof(u64) == sizeof(Counts),
              "every member of Counts is a row of counts.def");

// Of one warp: its active lanes, and what they cost in the unit that the space is paid in: passes of shared memory,
// requests of constant memory, transactions of the others; of an asynchronous copy from global memory also its passes.
struct WarpCost {
  u16 lanes = 0, cost = 0;
  bool operator==(const WarpCost&) const = default;
};

// What one warp's access to global memory takes in the L1's stages (rules/l1_stages.h).
struct StagePasses {
  u32 tag = 0, data = 0;
  bool operator==(const StagePasses&) const = default;
};

} // namespace warplens::arch
