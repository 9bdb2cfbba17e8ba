// --budget: how much time the program's launches may take, and what is counted of each for that.
//
//   A launch that folding proves, or that repeats one, is counted so: it takes next to nothing.
//   Of any other a sample of the grid runs first (sim/exec/sample.h). It says what the rest would take, at least.
//   It fits, and its kernel has not had its share    it runs and is counted: the launch is exact
//   for sure more than what is left                  the program ends here, and the sample stands for the launch
//   else                                             it runs without being counted, which is quicker: the sample stands for it
// Where the sample is to stand for the launch, and its blocks differ much in what they execute, it grows first: until it is known what all
// execute to a tenth, or half of what is left is spent.
//
// So whatever the program sees is right, or it has ended: no block is left out of a launch whose results anybody could read.
//
// Shares: what is to come is taken to be like what came, so that half of the budget is for kernels counted so far. A kernel may take so
// much of that half that all have room, were none to take more than it. So what light kernels leave is for heavy ones; and a program
// that takes half of the budget when counted in full is counted in full. A kernel with another grid or block is another kernel.
//
// The time of the program's own code is not counted: nobody could shorten it, and it says nothing of the kernels. That of calls of
// libraries is, since they compute here what kernels would. --budget-work
// gives warp instructions instead of seconds, so that two runs do the same; a launch is not stopped within its rest then.
#pragma once
#include "runtime/environment_options.h"
#include <map>
#include <optional>
#include <tuple>

namespace warplens::runtime {

struct Kernel;

class Budget {
public:
  using Duration = std::chrono::steady_clock::duration;
  explicit Budget(const Options&);
  bool limited() const { return limit_ != 0; }
  bool is_spent() const { return limited() && spent_ >= limit_; }
  // For a launch that begins now, beside its other limit; nothing where the clock does not matter.
  std::optional<Duration> left() const;

  // What becomes of a launch whose sample has run, and took each worker so many seconds of computing. Should the rest take longer
  // than what is left, the launch is stopped when its time is up.
  sim::Sampling::Next next(const Kernel&, const sim::LaunchSpec&, const sim::Sampled&, double seconds);
  // A launch took that much; `whole`: and was counted to its end.
  void spend(const Kernel*, const sim::LaunchSpec&, double seconds, u64 warp_instructions, bool whole);
  // What runs no block took that much: a proof, the sums of what was counted; or a call of a library, which stands for kernels.
  void spend(double seconds);
  // Of a launch whose rest was left out: what it would have taken, "about 16 min".
  std::string missing() const;

private:
  using Shape = std::tuple<const Kernel*, u32, u32, u32, u32, u32, u32, u32>;
  static Shape shape_of(const Kernel&, const sim::LaunchSpec&);
  double cost(double seconds, u64 warp_instructions) const;

  bool by_work_;
  double limit_, spent_ = 0, missing_ = 0; // seconds or warp instructions
  std::map<Shape, double> counted_;        // what launches that were counted as a whole have taken
};

} // namespace warplens::runtime
