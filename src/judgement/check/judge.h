// From a claim to a verdict, with what the rules of advise/ say of a warp like that.
#pragma once
#include "check/claim.h"
#include "check/expressions.h"
#include "check/judgement.h"
#include "check/moved.h"
#include "measure/record.h"
#include <algorithm>

namespace warplens::check {

// Claims of all cases of a warp of one block shape are joined: `add` one by one.
class Judge {
public:
  Judge(access::Site site, std::span<Counter> counters) : counters_(counters) {
    out_.space = site.space;
    out_.site = std::move(site);
  }
  void add(Analysis&, const Claim&, const Expressions&);
  void add_group(const ir::Form&, const ir::Instruction&); // of wgmma
  // Of what is not judged: why, and where it goes.
  void leave(Cause reason) { add_new(out_.reasons, std::move(reason)); }
  void leave(Analysis&, const Coordinates&, u32 instruction, u32 block, const Expressions&);
  // With a record of one warp, to be advised on among the kernel's others; without one where no warp is known.
  Judgement take(std::optional<measure::SiteRecord>& record);

private:
  template <class T> static void add_new(std::vector<T>& list, T one) {
    if (std::ranges::find(list, one) == list.end()) list.push_back(std::move(one));
  }
  void describe(Analysis&, const Claim&, const Expressions&);
  void describe_stride(Analysis&, const Claim&, const Expressions&);
  bool join_rows(const Claim&, const std::string& number);
  static std::string apart(Analysis&, const Claim::Stride&, u32 row, const Expressions&);
  struct Condition {
    std::vector<std::string> factors; // of Multiple::of; sorted
    Multiple multiple;
  };
  static void add(std::vector<Condition>& to, Condition);
  void note_alignment(const Claim&, const Expressions&);
  void note_fault(const Claim&, const Expressions&);
  static bool is_fine(const access::AccessHeader&, u32 active, const Interval& paid);
  static i64 fine_multiple(const Claim&);
  bool fine_for_many(Analysis&, const Claim&);
  Verdict verdict() const;
  Verdict copy_verdict() const; // of a bulk copy
  Verdict global_verdict() const;
  bool lanes_decide() const;
  u64 needed() const;

  std::span<Counter> counters_;
  Judgement out_;
  std::vector<Condition> conditions_, rests_on_;
  bool judged_ = false; // there was a claim, or more
  bool executed_ = false, uniform_ = true, conflict_free_ = true;
  Dependence worst_ = Dependence::none;
  std::optional<access::WarpAccess> example_;
  bool stride_example_ = false;
  u64 known_unit_ = arch::address_period; // of the example: Claim::known_unit
  // Of the cases with the most lanes: what their table says, where it says the same.
  std::optional<Claim::Stride> stride_;
  std::string stride_number_;
  u32 stride_lanes_ = 0;
  u32 widest_ = 0;                             // the lanes that may take part
  u64 unit_in_launch_ = measure::sector_bytes; // Claim::unit_in_launch
};

} // namespace warplens::check
