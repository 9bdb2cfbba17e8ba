// Covering the grid: take the largest set of CTAs that is left, run its first one as representative, put
// aside the members that do the same, and go on. Largest first: the edges of a grid are many small sets, and
// whether folding is worth it shows in its interior.
#include "fold/shadow.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::fold {
namespace {

class Folding {
public:
  Folding(sim::ObservedLaunch& launch, const FoldOptions& options)
      : launch_(launch), options_(options), shadow_(launch, options, footprint_) {}

  Folded run() {
    std::vector<CtaSet> left{whole_grid(launch_.spec().grid)};
    while (!left.empty()) {
      if (is_hopeless(left.size()))
        throw Rejected{fmt::format("its blocks do too many different things: more than {} classes",
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
    if (!footprint_.constants_are_safe()) throw Rejected{"it writes to constant memory that it reads"};
    result_.memory = footprint_.list();
    result_.constants = footprint_.constants();
    return std::move(result_);
  }

private:
  // Too many classes, or so many as soon as the rest of the grid is no better than what is covered.
  bool is_hopeless(std::size_t left) const {
    constexpr u64 first_tries = 16;
    u64 ctas = launch_.spec().grid.count();
    return result_.classes + left > options_.most_classes ||
           (result_.classes >= first_tries && covered_ * options_.most_classes < ctas * result_.classes);
  }

  void represent(const CtaSet& set, std::vector<CtaSet>& left) {
    Shadow::Representative one = shadow_.run(set, options_.begin ? options_.begin() : nullptr);
    if (result_.classes == 0 && one.warp_instructions * launch_.spec().grid.count() < options_.least_work)
      throw Rejected{std::string(too_small)};
    CtaSet members = alike(set, one.like);
    append_rest(set, one.like, left);
    if (options_.end) options_.end(members);
    ++result_.classes;
    covered_ += members.count();
    result_.warp_instructions += members.count() * one.warp_instructions;
    result_.thread_instructions += members.count() * one.thread_instructions;
  }

  sim::ObservedLaunch& launch_;
  const FoldOptions& options_;
  Footprint footprint_;
  Shadow shadow_;
  Folded result_;
  u64 covered_ = 0; // CTAs of the classes so far
};

} // namespace

ResultOr<Folded, std::string> fold_launch(sim::Device& device, const sim::Program& program,
                                          const sim::LaunchSpec& spec, const sim::LaunchOptions& options,
                                          const FoldOptions& fold_options) {
  if (spec.cooperative) return failure(std::string("its blocks wait for each other (cooperative launch)"));
  if (sim::cluster_of(program.module().functions[spec.kernel.value], spec.cluster).count() > 1)
    return failure(std::string("its blocks reach each other's shared memory (clusters)"));
  const sim::Memory::View view(*device.memory);
  try {
    auto launch = sim::ObservedLaunch::prepare(device, program, spec, options);
    if (!launch) return failure(launch.error().diagnostic.message);
    return Folding(**launch, fold_options).run();
  } catch (const Rejected& rejected) {
    return failure(rejected.reason);
  } catch (const std::bad_alloc&) {
    return failure(std::string("the host has no memory left"));
  }
}

} // namespace warplens::fold
