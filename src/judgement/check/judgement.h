// The verdict on one access in blocks of one shape: a value that outlives the analysis. It holds names and expressions of the source
// ("A", "4*n + 1") and no sentence: check/words.h makes these.
#pragma once
#include "access/site.h"
#include "advise/advise.h"
#include "check/counting.h"
#include "findings/remedy.h"
#include "measure/pattern.h"
#include <optional>
#include <variant>

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

// The blocks of threads that a verdict is for: those of one size, or all whose rows are whole warps.
struct BlockShape {
  std::optional<Dim3> size;
  u32 most_threads = 0; // of one whose size is not known; 0: nobody says
  bool by_code = false; // the size is the one that the code is written for
};

// "n*m % 8 == 0", or of a pointer "x is a multiple of 16 bytes".
struct Multiple {
  std::string of;
  u64 modulus = 1;
  bool is_pointer = false;
  bool operator==(const Multiple&) const = default;
};

// Why it is not known better how lanes lie, or what an access costs.
struct Cause {
  enum class Kind : u8 {
#define CAUSE(enumerator, words) enumerator,
#include "check/causes.def"
#undef CAUSE
  } kind{};
  std::string file{}; // of an instruction, without its folder; empty: the line is one of the PTX
  u32 line = 0;
  std::string name{}; // of the function that was called, or of what computes a value
  bool operator==(const Cause&) const = default;
};

// What a verdict rests on, besides its conditions.
enum class Premise : u8 {
  no_signed_wrap, // of the program
  no_unsigned_wrap,
  not_negative,
  aligned_pointers, // of CUDA
  reconvergence,
  global_memory
};

// Lanes apart by a number that they share: each, or each row of lanes, by as many bytes.
struct StridePattern {
  u32 row = 1;        // lanes before the first that is elsewhere
  std::string bytes;  // "4*n"; empty where lanes lie otherwise: then
  std::string number; // they are apart by this, somehow
  bool operator==(const StridePattern&) const = default;
};
// Texels that rows of neighbouring lanes want. Steps go along x, y and z.
struct TexelPattern {
  using Step = std::array<i64, 3>;
  u32 row = warp_size; // lanes; 0: at known places in no order
  Step next{};         // from lane to lane
  Step next_row{};
  bool operator==(const TexelPattern&) const = default;
};
using Pattern = std::variant<std::monostate, measure::Pattern, StridePattern, TexelPattern>;

// What a warp pays by a number that its lanes are apart by.
struct StrideTable {
  std::string number;    // "n", "n + 1"
  bool by_power = false; // the rows are the largest powers of two in it
  std::vector<std::pair<i64, Interval>> rows;
  i64 from = 0; // then on each number costs this; not by powers of two
  Interval beyond;
};

// An index of 32 bits that wraps around before it becomes an address (check/overflow.h).
struct Overflow {
  enum class Where : u8 {
    this_launch, // with the sizes that are given
    size,        // from `of` = `from` on
    sizes,       // where `of` reaches the limit
    below_zero   // of an unsigned index, in thread 0 of every launch
  } where{};
  std::string of; // "n", "n*m"
  u64 from = 0;
  std::vector<std::string> example; // sizes that may all be `example_value`
  u64 example_value = 0;
  u64 limit = 0;        // which the index reaches there: 2^31, or 2^32 of unsigned ones
  u64 bytes = 0;        // of the array, up to that index
  bool certain = false; // in every launch that is meant
};

// What ends every launch that comes to an access.
struct Fault {
  bool outside = false;            // of an array; else misaligned
  i64 bytes = 0;                   // by which the first of the lanes is off, or where it is in the array
  u64 modulus = 1;                 // what the address has to be a multiple of, or the array's size
  u32 lanes = full_mask;           // full_mask: all that take part
  std::optional<Multiple> assumed; // of a pointer, as cudaMalloc gives it
};

struct Judgement {
  access::Site site;
  access::SourceFrame near; // the next line that is known, where the site has none
  std::string text;         // the name of the PTX text
  access::Space space{};
  std::string kernel; // demangled
  BlockShape blocks;
  bool other_shape = false; // than the one that is judged first: only what is worse there
  Verdict verdict = Verdict::unknown;
  bool any_subset = false; // of a warp's lanes may take part: the least is one lane's
  Pattern pattern;
  std::string address;              // as the analysis has it
  std::string array;                // that it goes to, where it is one
  u64 needed = 0;                   // sectors, wavefronts or requests that would do
  u64 row_bytes = 0;                // of a bulk copy: how many bytes; what is counted is one copy
  bool conditional = false;         // there are conditions
  std::vector<Cause> reasons;       // why it is not known better
  std::vector<Multiple> conditions; // under which `aligned` holds, or the verdict
  std::vector<Multiple>
      rests_on;                 // those of `costs`: where they are not met, an access may cost something else
  std::vector<Premise> assumed; // of the program
  bool proved = true;           // `costs` need nothing of conditions and assumed
  // What a pointer or a parameter has to be for an address to be a multiple of what is accessed, where the parameter's type
  // does not say so: "x is a multiple of 16 bytes", "off % 4 == 0".
  std::vector<Multiple> demands;
  std::optional<Fault> fault;
  std::optional<Overflow> overflow; // of the index of 32 bits that leads there
  std::vector<Premise> premises;    // of CUDA's, on which the costs rest
  std::optional<StrideTable> table; // of an unknown stride
  std::vector<Multiple> fine_where; // of an unknown stride
  std::vector<Costs> costs;         // [architectures]
  std::vector<Costs> aligned;       // under the conditions
  Costs anywhere; // of the first architecture, were pointers only as aligned as what is accessed
  Dependence dependence = Dependence::none;
  bool follows_links = false; // each step's address is what the step before it read
  bool loads_index = false;   // each thread reads the index from memory (ir/loaded_index.h)
  bool exact = false;         // distances between lanes are known
  bool walks = false;         // a loop takes each lane on from where a loaded value has led it
  // What is paid (sectors, wavefronts, requests) by a warp all of whose lanes take part that may is one number: wherever it
  // begins, or where the conditions hold.
  bool decided = false, decided_if = false;
  bool fine_for_many =
      false;           // values of an unknown stride, infinitely many: what it finds may never come true
  bool varies = false; // with the launch index or a loop, beyond the conditions
  bool cut_by_blocks = false; // blocks are no whole number of warps, so that the next begins inside a sector
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
