// What every register of a function is in the lanes of a warp, for all launches: the values of symbolic/warp, found by
// walking the function in static single assignment form until nothing changes.
//
//   * A loop's phi is first taken for its value at entry; then, if each round adds the same, for entry + round * step;
//     then for entry + something that all lanes share; then for anything. Each can only be weaker than the one before, so
//     that the passes end.
//   * Where ways meet, values that differ by the same in all lanes stay related. Where lanes come from both ways
//     (Flow::joins), each lane has one of them.
//   * What is equal in all lanes within a loop that lanes leave one after the other is not equal behind it.
//   * Behind a loop in which lanes wait for each other (waits.h) they are one by one, and what each loads is its own.
//
// Rules says which of these are obeyed: tests take one out and see that something fails.
#pragma once
#include "check/pointers.h"
#include "check/waits.h"
#include "check/warps.h"
#include "symbolic/warp/algebra.h"

namespace warplens::check {

struct Rules {
  bool joins = true;      // lanes that parted bring different values
  bool loops = true;      // lanes leave a divergent loop in different rounds
  bool control = true;    // what no edge alone controls may be executed by any of the lanes
  bool rounds = true;     // who takes an edge out of a divergent loop says nothing of who is behind it
  bool tables = true;     // the same of an edge of a jump table, whose condition is not known lane by lane
  bool calls = true;      // a function may be called by any of the lanes
  bool wraps = true;      // registers wrap around
  bool own_memory = true; // one address in local memory is a place of its own for each lane
  bool pointers = true;   // what only aligned pointers give is said to rest on that
  bool subsets = true;    // fewer lanes may need more wavefronts of shared memory
};

// What is known of the launches.
struct Launches {
  std::optional<Dim3> block, grid;
  std::map<std::pair<u32, u32>, i64> arguments; // parameter's index and byte in it → its value
};

// Why a value differs by lane: LaneAlgebra::Cause, one of these, or an instruction.
enum class Reason : u32 {
  divergent_join = symbolic::LaneAlgebra::first_of_caller,
  divergent_loop,
  different_patterns,
  irreducible,
  function_argument,
  function_result,
  given_up,
  unassigned,
  instructions // and above: the number of one
};

// Assumed of parameters that are pointers: cudaMalloc aligns so, a pointer into an array may be less aligned.
inline constexpr u64 pointer_alignment = 256;

// Of one function, in its pools (Pool::steps): some seconds. What is not known by then is not decided.
inline constexpr u64 most_steps = u64{1} << 24;

// Which lanes of a warp may execute an instruction together (lanes.h).
struct ActiveLanes {
  std::vector<u32> sets;       // each possible; empty: never executed
  bool any_subset = false;     // of these, too
  symbolic::SetId assumed = 0; // for that
  u32 widest() const {
    u32 all = 0;
    for (u32 set : sets) all |= set;
    return all;
  }
};

class Analysis {
public:
  static u32 instruction_cause(u32 index) { return static_cast<u32>(Reason::instructions) + index; }
  // Of steps: taken in the function before, and allowed in it.
  Analysis(Flow&, const WarpCase&, const Launches&, const Rules&, u64 steps_before = 0,
           u64 steps_allowed = most_steps);
  void run();

  symbolic::Pool pool;
  symbolic::LaneAlgebra algebra;
  Flow& flow;
  const WarpCase& warp;
  const Rules rules;

  // As the instruction of block `block` sees it: the number of an operand in the function.
  symbolic::Value operand(u32 operand, u32 block, u32 bits, u32 instruction = 0);
  symbolic::Value address(u32 operand, u32 block);   // of an operand of kind `address`
  symbolic::Value guard(u32 instruction, u32 block); // 1 where it is performed
  // What the conditional end of a block asks.
  symbolic::Value condition(u32 block) const { return conditions_.at(block); }
  // Is it so of one of those whose lanes come to the block before they meet, or meet there?
  template <class F> bool any_divergent_around(u32 block, F&& f) {
    return any_around(around_[block], block, f) || any_around(wide_, block, f);
  }
  // As Flow::decided_at, but for branches that all lanes take alike, as far as the function's values say.
  u32 decided_at(u32 block);
  // Do the lanes come there after some of them went another way, or round a loop more often?
  bool rests_on_reconvergence(u32 block);
  // May lanes come to the instruction one after the other, which elsewhere meet before it (waits.h)?
  bool apart(u32 instruction) const { return apart_[instruction]; }
  // Did lanes come from block `from` to `to` out of a loop, in different rounds of it?
  bool left_apart(u32 from, u32 to) {
    return pool.sets.meet(pool.sets.without(loops_of_[from], loops_of_[to]), divergent_loops_);
  }
  std::map<u32, ActiveLanes>
      lanes_at; // by block on which a branch decides, as far as it was asked for: in loops of its own
  symbolic::SetId loops_around(u32 block) const { return loops_of_[block]; }
  bool known_block() const { return launches_.block.has_value(); }
  bool has_partial_warps() const { return known_block() && launches_.block->count() % warp_size != 0; }
  u32 passes() const { return passes_; }
  // Is nothing known, as it took too long to find out?
  bool given_up() const { return !settled_ || steps() > steps_allowed_; }
  u64 steps() const { return steps_before_ + pool.steps(); } // of the function, so far
  void spend(u64 steps) { steps_before_ += steps; }
  symbolic::Value anything(u32 instruction); // then: what an address is

private:
  template <class F> bool any_around(const std::vector<u32>& splits, u32 block, F&& f) {
    return std::any_of(splits.begin(), splits.end(), [&](u32 d) {
      const Split& split = flow.split(d);
      return split.reaches(block) && f(split);
    });
  }
  friend class Evaluation;
  using Value = symbolic::Value;

  // How a loop's phi goes on; each is weaker than the one before.
  struct Going {
    enum Kind : u8 { same, by_step, shared, anything } kind = same;
    Value step;
    u64 divisor = 1;
    symbolic::SetId causes = 0;
    u32 changes = 0;
  };

  void pass();
  void start_phis(u32 block);
  Value value_at_header(const ir::Phi&, u32 block, Value entry, const Going&);
  bool settle(); // false where a loop's phi does not go on as was thought
  bool settle(const ir::Phi&, u32 block, Going&);
  Value join(u32 key, const std::vector<Value>&, bool apart, symbolic::SetId loops);
  Value join_apart(u32 key, const std::vector<Value>&, symbolic::SetId loops);
  std::vector<u32> coming_over(u32 ssa_value, u32 from, u32 to) const;
  Value join_patterns(u32 key, const std::vector<Value>&, symbolic::SetId loops);
  Value incoming(const ir::Phi&, u32 block, bool from_inside, bool from_outside, bool& any);
  Value seen(u32 ssa_value, u32 block);
  Value varying(u32 code, u32 x, u32 y, symbolic::SetId causes, symbolic::SetId loops);
  Value parameter(u32 number, u32 byte, ir::Type);
  bool points_to_shared_memory_of_all(Value address);
  Value special(ir::Special, u32 instruction, u32 block);
  Value component(const Component&);
  void end_block(u32 block);
  bool find_apart(); // is there more?
  void note_divergent(u32 block);
  void find_behind_meetings();
  void find_decisions();

  const Launches& launches_;
  std::vector<Value> values_; // [SSA values]
  std::vector<bool> known_;
  std::vector<symbolic::SetId> loops_of_; // [blocks]
  symbolic::SetId divergent_loops_ = 0;
  const Waits waits_;
  std::vector<bool> apart_;              // [instructions]
  std::set<u32> waited_in_;              // loops, by their headers, whose lanes go on one by one
  std::size_t divergent_ = 0;            // how many splits do not go alike for all lanes
  std::vector<bool> is_divergent_;       // [blocks] that end with one
  std::vector<std::vector<u32>> around_; // [blocks]: those that reach it,
  std::vector<u32> wide_;                // but for those that reach many
  std::vector<u32> wide_repeating_;      // of these: whose lanes may come there again before they meet
  std::vector<u32> meetings_;            // of all
  std::vector<bool> behind_meetings_;    // [blocks], once it is asked for
  std::vector<u32> decided_at_;          // likewise
  std::map<u32, Value> conditions_;
  std::map<u32, Going> going_; // by the phi's value
  std::set<ParameterPlace> pointers_;
  u32 passes_ = 0;
  bool settled_ = true;
  u64 steps_before_, steps_allowed_;
};

} // namespace warplens::check
