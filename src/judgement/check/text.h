// The words for symbols, addresses and reasons.
#pragma once
#include "check/claim.h"
#include "source/functions.h"
#include <string>

namespace warplens::check {

// The parameters of a kernel as the source has them, by position; a name or a type that is not known is empty.
using Names = std::vector<source::Parameter>;

class Words {
public:
  Words(const Analysis& a, const Names& names) : a_(a), names_(names) {}

  std::string symbol(u32) const;                              // "n", "blockIdx.x", "warp"
  std::string product(const std::vector<u32>& symbols) const; // "n*m"
  std::string in_product(const symbolic::Term&) const;        // its symbols, behind a factor
  std::string polynomial(symbolic::Value) const;              // "4*n + blockIdx.x"
  // An address as its terms: "A + 4*n*k + (0, 4, 8, …)"; without what is above 2^32.
  std::string address(symbolic::Value) const;
  std::string array(
      symbolic::Value address) const; // the pointer or variable in it; empty where there is none, or several
  std::string assumption(u32) const;  // "no overflow between the lanes of a warp"
  std::string multiple(u32 pointer, u64 bytes) const; // "x is a multiple of 16 bytes"
  // What a caller has to see to; empty where the type of a pointer says it already, or is not known.
  std::string demand(const Claim::Alignment&) const;
  std::string reason(u32 cause) const; // "a value loaded at a.cu:12"
  std::vector<std::string> reasons(symbolic::SetId causes) const;

private:
  std::string place(const ir::Instruction&) const;
  std::string result_of_call(u32 load) const;
  const Analysis& a_;
  const Names& names_;
};

} // namespace warplens::check
