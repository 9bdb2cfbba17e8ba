// Covering the grid: take the largest set of CTAs that is left, run its first one as representative, put
// aside the members that do the same, and go on. Largest first: the edges of a grid are many small sets, and
// whether folding is worth it shows in its interior.
#include "fold/shadow.h"
#include "sim/program.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using namespace fold;

class Folding {
public:
  Folding(LaunchState& launch, const FoldOptions& options)
      : launch_(launch), options_(options), shadow_(launch, options, footprint_) {}

  Folded run() {
    launch_.entry = &shadow_.code_of(launch_.spec.kernel);
    launch_.code_of = [this](ir::FunctionId id) -> const Code& { return shadow_.code_of(id); };
    std::vector<CtaSet> left{whole_grid(launch_.spec.grid)};
    while (!left.empty()) {
      if (is_hopeless(left.size()))
        throw Refused{fmt::format("its blocks do too many different things: more than {} classes",
                                  options_.most_classes)};
      auto largest = std::max_element(left.begin(), left.end(),
                                      [](const CtaSet& a, const CtaSet& b) { return a.count() < b.count(); });
      CtaSet set = *largest;
      left.erase(largest);
      try {
        represent(set, left);
      } catch (const NeedsSplit& need) {
        for (const CtaSet& part : split(set, need.axis, need.radix)) left.push_back(part);
      }
    }
    if (!footprint_.constants_are_safe()) throw Refused{"it writes to constant memory that it reads"};
    result_.memory = footprint_.list();
    return std::move(result_);
  }

private:
  // Too many classes, or so many as soon as the rest of the grid is no better than what is covered.
  bool is_hopeless(std::size_t left) const {
    constexpr u64 first_tries = 16;
    u64 ctas = launch_.spec.grid.count();
    return result_.classes + left > options_.most_classes ||
           (result_.classes >= first_tries && covered_ * options_.most_classes < ctas * result_.classes);
  }

  void represent(const CtaSet& set, std::vector<CtaSet>& left) {
    Exec exec(launch_, *launch_.shape, 0);
    exec.sink = options_.begin ? options_.begin() : nullptr;
    exec.performs_stores = false; // for whom it stands has not run
    Likeness like = shadow_.run(exec, set);
    CtaSet members = alike(set, like);
    append_rest(set, like, left);
    if (options_.end) options_.end(members);
    ++result_.classes;
    covered_ += members.count();
    result_.warp_instructions += members.count() * exec.warp_instructions;
    result_.thread_instructions += members.count() * exec.thread_instructions;
  }

  LaunchState& launch_;
  const FoldOptions& options_;
  Footprint footprint_;
  Shadow shadow_;
  Folded result_;
  u64 covered_ = 0; // CTAs of the classes so far
};

} // namespace

ResultOr<Folded, std::string> fold_launch(Device& device, const Program& program, const LaunchSpec& spec,
                                          const LaunchOptions& options, const FoldOptions& fold_options) {
  if (spec.cooperative) return failure(std::string("its blocks wait for each other (cooperative launch)"));
  LaunchOptions single = options; // one CTA at a time, on this thread
  single.workers = 1;
  single.batch = 1;
  single.sinks.clear();
  single.progress = nullptr;
  LaunchState launch(device, program.impl(), spec, single);
  if (std::optional<Fault> fault = prepare(launch)) return failure(fault->diagnostic.message);
  UsualArithmetic while_it_runs;
  try {
    return Folding(launch, fold_options).run();
  } catch (const Refused& refused) {
    return failure(refused.reason);
  } catch (const FaultError& error) {
    return failure(error.fault.diagnostic.message);
  } catch (const std::bad_alloc&) {
    return failure(std::string("the host has no memory left"));
  }
}

} // namespace warplens::sim
