// The edits that a remedy is, one function each: empty where the source does not show that they are safe.
#pragma once
#include "findings/finding.h"
#include "fix/tokens.h"
#include <string>

namespace warplens::fix {

struct Place {
  const Source& source;
  const std::string& file;
  u32 use = 0;            // the token at which the access is
  std::string_view array; // that it goes to
  findings::Remedy remedy;
};

using Edits = std::vector<findings::Edit>;

// [tile][tile] becomes [tile][tile + 1]: of a __shared__ array with two dimensions or more.
Edits longer_rows(const Place&);
// t[x][y] becomes t[y][x] everywhere: of a __shared__ or __device__ array with two dimensions.
Edits other_order(const Place&);
// __align__(n) for a __device__ array, or for the structure that the array is of.
Edits aligned(const Place&);
// __restrict__ for the parameter that the array is.
Edits restricted(const Place&);

// Does the file belong to no other, as a header does?
bool is_own(std::string_view file);

} // namespace warplens::fix
