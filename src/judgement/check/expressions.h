// What the source calls symbols, sums of them and the places that values come from.
#pragma once
#include "check/claim.h"
#include "source/functions.h"
#include <string>

namespace warplens::check {

// The parameters of a kernel as the source has them, by position; a name or a type that is not known is empty.
using Names = std::vector<source::Parameter>;

class Expressions {
public:
  Expressions(const Analysis& a, const Names& names) : a_(a), names_(names) {}

  std::string symbol(u32) const;                              // "n", "blockIdx.x", "warp"
  std::string product(const std::vector<u32>& symbols) const; // "n*m"
  std::string in_product(const symbolic::Term&) const;        // its symbols, behind a factor
  std::string polynomial(symbolic::Value) const;              // "4*n + blockIdx.x"
  // An address as its terms: "A + 4*n*k + (0, 4, 8, …)"; without what is above 2^32.
  std::string address(symbolic::Value) const;
  std::string array(
      symbolic::Value address) const; // the pointer or variable in it; empty where there is none, or several
  // What a caller has to see to; nothing where the type of a pointer says it already, or is not known.
  std::optional<Multiple> demand(const Claim::Alignment&) const;
  Cause cause(u32) const;
  std::vector<Cause> causes(symbolic::SetId) const; // in the order of their words

private:
  Cause at(Cause::Kind, const ir::Instruction&, std::string name = {}) const;
  Cause result_of_call(u32 load) const;
  const Analysis& a_;
  const Names& names_;
};

} // namespace warplens::check
