// Covering the grid: take a set of CTAs, run its first one as representative, put aside the members that do
// the same, and go on with what is left.
#include "sim/fold/shadow.h"
#include "sim/program.h"
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
      if (result_.classes + left.size() > options_.most_classes)
        throw Refused{fmt::format("its blocks do too many different things: more than {} classes",
                                  options_.most_classes)};
      CtaSet set = left.back();
      left.pop_back();
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
  void represent(const CtaSet& set, std::vector<CtaSet>& left) {
    Exec exec(launch_, *launch_.shape, 0);
    exec.sink = options_.begin ? options_.begin() : nullptr;
    Likeness like = shadow_.run(exec, set);
    CtaSet members = alike(set, like);
    append_rest(set, like, left);
    if (options_.end) options_.end(members);
    ++result_.classes;
    result_.warp_instructions += members.count() * exec.warp_instructions;
    result_.thread_instructions += members.count() * exec.thread_instructions;
  }

  LaunchState& launch_;
  const FoldOptions& options_;
  Footprint footprint_;
  Shadow shadow_;
  Folded result_;
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
