// What only the source shows of a finding, as notes with their places: where the array is declared, which member of which
// structure is meant, which of the indices follows threadIdx.x, and where else the array is indexed.
#pragma once
#include "findings/finding.h"
#include "source/tokens.h"

namespace warplens::fix {

struct ArrayUse {
  const source::Tokens& tokens;
  const std::string& file;
  u32 use = 0;            // the token at which the access is
  std::string_view array; // that it goes to
  findings::Remedy remedy;
};

void show(const ArrayUse&, const access::SourceFrame& at, findings::Finding&);

} // namespace warplens::fix
