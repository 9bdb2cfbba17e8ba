// The answer to a Question, as a value: everything that the drawings (terminal, SVG) and the JSON show.
#pragma once
#include "advise/advise.h"
#include "explain/expr/tree.h"
#include "explain/model/block_offsets.h"
#include <map>
#include <optional>

namespace warplens::explain {

enum class FormKind : u8 {
  consecutive, // (term independent of threadIdx.x) + threadIdx.x
  uniform,     // threadIdx.x does not occur
  strided,     // (term independent of threadIdx.x) + coefficient · threadIdx.x
  other        // threadIdx.x occurs in another way
};
std::string_view name(FormKind);

struct Form {
  FormKind kind = FormKind::other;
  std::string index; // normal form, in elements (in bytes where it does not divide)
  bool in_bytes = false;
  std::string rest, coefficient; // index = rest + coefficient·threadIdx.x; empty for `other`
  i64 step = 0;                  // bytes from one threadIdx.x to the next
  u32 rows = 1;                  // values of (threadIdx.y, threadIdx.z) in the drawn warp
};

struct ArchitectureCounts {
  u32 sm = 0;
  arch::Counts block;
  std::map<u64, u64> sizes; // bytes of a transaction → how many of them
};
struct Explanation {
  Question question;
  std::vector<std::pair<std::string, std::string>>
      assumed; // names and what they are taken to mean: "tid" → "threadIdx.x"
  Type element, accessed;
  std::string array;
  Form form;
  Mode manner;
  Footprint footprint;
  std::vector<access::WarpAccess> drawn; // the chosen warp, one per instruction
  std::vector<std::vector<Transaction>>
      transactions; // per drawn instruction; empty lists where all are alike
  arch::Counts warp, block;
  std::map<u64, u64> warp_sizes, block_sizes; // of the transactions
  std::vector<ArchitectureCounts> others; // representative architectures, ascending, the asked one among them
  std::vector<advise::Advice> fixes;      // for the whole block
  std::vector<diag::Diagnostic> warnings;
  std::optional<diag::Diagnostic> fault; // a lane whose address is not a multiple of its width
  std::string source;                    // texts, for rendering the warnings
};

// An error carries the texts that its span points into.
struct Rejection {
  diag::Diagnostic diagnostic;
  std::string source;
};
ResultOr<Explanation, Rejection> explain(const Question&);

// Where the threads go, without reasons and fixes: enough to count it on any architecture, in a fraction of the time.
struct Walk {
  Footprint footprint;
  Mode manner;
  bool faults = false; // an address is not a multiple of its width
};
ResultOr<Walk, Rejection> walk(const Question&);

// Fills in what follows from question, manner and footprint: the drawn warp, the counts, the other
// architectures.
void count_all(Explanation&, const arch::Architecture&);

// As measure::efficiency; of bursts where these are asked for.
double efficiency(const Explanation&, const arch::Counts&);

} // namespace warplens::explain
