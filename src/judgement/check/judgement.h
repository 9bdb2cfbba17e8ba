// The verdict on one access in blocks of one shape: a value that outlives the analysis.
#pragma once
#include "access/site.h"
#include "advise/advise.h"
#include "check/counting.h"
#include "findings/remedy.h"
#include <optional>

namespace warplens::check {

// How the lanes' addresses depend on what is not known, best known first.
enum class Dependence : u8 {
  none,     // distances between lanes are known
  stride,   // they are known numbers times an unknown one that all lanes share
  choice,   // each lane has one of a few
  data,     // they follow from what was loaded, differently in each lane
  undecided // or from something that the analysis has no form for
};

enum class Verdict : u8 {
  coalesced, // in no more sectors than the bytes need, or next to it
  broadcast, // one address
  misaligned,
  uncoalesced,
  scattered,     // through values that were loaded
  conflict_free, // shared memory
  bank_conflict,
  constant_together,
  constant_serialised,
  local_together,
  local_array, // indexed by what differs between lanes
  unknown,
  never_executed,
  not_judged // textures, copies by tensor maps, bulk copies of an unknown length
};
// Is it of where an asynchronous copy writes?
inline bool is_written(const access::Site& site) {
  return site.kind == access::Kind::async_copy && site.space == access::Space::shared;
}
std::string_view name(Verdict);
bool is_fine(Verdict);

// An index of 32 bits that wraps around before it becomes an address (check/overflow.h).
struct Overflow {
  std::string sizes;       // "from n = 46,341 on", "where n*m reaches 2,147,483,648"
  std::string example;     // "n = m = 46,341"; may be empty
  u64 limit = 0;           // which the index reaches there: 2^31, or 2^32 of unsigned ones
  u64 bytes = 0;           // of the array, up to that index
  bool below_zero = false; // of an unsigned index, in thread 0 of every launch
  bool certain = false;    // in every launch that is meant
};

// What ends every launch that comes to an access, in words.
struct Fault {
  std::string what;    // "is misaligned by 2 bytes in every lane"
  std::string assumed; // that it rests on; empty where on nothing
  std::string change;  // that helps
};

struct Judgement {
  access::Site site;
  access::SourceFrame near; // the next line that is known, where the site has none
  std::string text;         // the name of the PTX text
  access::Space space{};
  std::string kernel;       // demangled
  std::string blocks;       // "any block with blockDim.x % 32 == 0", "16x16"
  bool other_shape = false; // than the one that is judged first: only what is worse there
  Verdict verdict = Verdict::unknown;
  bool any_subset = false;             // of a warp's lanes may take part: the least is one lane's
  std::string pattern;                 // "stride 4096 bytes"; of an unknown stride "stride 4*n bytes"
  std::string address;                 // as the analysis has it
  std::string array;                   // that it goes to, where it is one
  u64 needed = 0;                      // sectors, wavefronts or requests that would do
  u64 row_bytes = 0;                   // of a bulk copy: how many bytes; what is counted is one copy
  bool conditional = false;            // there are conditions
  std::vector<std::string> reasons;    // why it is not known better
  std::vector<std::string> conditions; // under which `aligned` holds, or the verdict
  std::vector<std::string> assumed;
  bool proved = true; // `costs` need nothing of conditions and assumed
  // What a pointer or a parameter has to be for an address to be a multiple of what is accessed, where the parameter's type
  // does not say so: "x is a multiple of 16 bytes", "off % 4 == 0".
  std::vector<std::string> demands;
  std::optional<Fault> fault;
  std::optional<Overflow> overflow;  // of the index of 32 bits that leads there
  std::vector<std::string> premises; // of CUDA's, on which the costs rest: alignment, reconvergence
  std::vector<std::string> table;    // of an unknown stride: what it costs by its value
  std::vector<Costs> costs;          // [architectures]
  std::vector<Costs> aligned;        // under the conditions
  Costs anywhere; // of the first architecture, were pointers only as aligned as what is accessed
  Dependence dependence = Dependence::none;
  bool exact = false; // distances between lanes are known
  // What is paid (sectors, wavefronts, requests) by a warp all of whose lanes take part that may is one number: wherever it
  // begins, or where the conditions hold.
  bool decided = false, decided_if = false;
  bool fine_for_many =
      false;           // values of an unknown stride, infinitely many: what it finds may never come true
  bool varies = false; // with the launch index or a loop, beyond the conditions
  std::optional<access::WarpAccess>
      example; // a warp of it, aligned as well as can be, where distances are known
  // Of where an asynchronous copy writes, which is judged besides where it reads: that copy, where distances are known.
  std::optional<access::WarpAccess> copied;
  std::optional<advise::Advice> advice; // for the first architecture
  // [architectures] What the advice leaves of its metric; none where the same rule has nothing to say there.
  std::vector<std::optional<u64>> after;
  findings::Remedy remedy{}; // of it
  // A load that a loop repeats: the store in it that might change what it reads (check/aliasing.h).
  std::optional<access::SourceFrame> repeated_for;
};

} // namespace warplens::check
