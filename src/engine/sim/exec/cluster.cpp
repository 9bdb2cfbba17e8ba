// The barrier of all threads of a cluster. A thread that arrives is marked in its CTA; when all threads of all CTAs are marked or
// have ended, the marks go, all at once. Who waits, waits for its mark to go. A launch without clusters has clusters of one CTA.
#include "sim/exec/cluster.h"
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {

template <class F> static void each_cta(const Cta& cta, F&& f) {
  if (!cta.cluster) return f(const_cast<Cta&>(cta));
  for (Cta* one : cta.cluster->ctas) f(*one);
}

void complete_cluster_barrier(Exec& x, Cta& cta) {
  bool all = true;
  each_cta(cta, [&](const Cta& one) {
    for (u32 w = 0; w < x.shape.warps; ++w)
      all &= (x.shape.all.word[w] & ~(one.at_cluster.word[w] | one.exited.word[w])) == 0;
  });
  if (!all) return;
  each_cta(cta, [](Cta& one) { one.at_cluster = {}; });
  ++x.effects;
}

bool release_cluster_waits(Exec& x, Cta& cta) {
  bool released = false;
  for (auto& group : cta.groups) {
    if (group->state != GroupState::at_cluster) continue;
    if (!released) complete_cluster_barrier(x, cta);
    if (overlap(group->stack.back().mask, cta.at_cluster, x.shape.warps)) continue;
    group->state = GroupState::runnable;
    group->rounds = group->spins = group->turn = 0;
    released = true;
  }
  return released;
}

std::string describe_cluster_barrier(const Exec& x, const Cta& cta) {
  u32 here = 0, ended = 0, ctas = 0;
  each_cta(cta, [&](const Cta& one) {
    ++ctas;
    for (u32 w = 0; w < x.shape.warps; ++w) {
      here += static_cast<u32>(std::popcount(one.at_cluster.word[w] & ~one.exited.word[w]));
      ended += static_cast<u32>(std::popcount(one.exited.word[w]));
    }
  });
  return fmt::format("of the {} threads of the cluster {} have come, and {} have ended",
                     ctas * x.shape.cta_threads, here, ended);
}

} // namespace warplens::sim
