// What ops give, in terms of their sources: the parts of a register that move alike are followed one by one.
#include "fold/shadow.h"
#include <fmt/format.h>

namespace warplens::fold {
namespace {

using ir::Special;

// Special registers that are not a function of indices and sizes.
Cause cause_of(Special special) {
  switch (special) {
  case Special::smid: return Cause::processor;
  case Special::clock:
  case Special::clock_hi:
  case Special::clock64:
  case Special::globaltimer:
  case Special::globaltimer_lo:
  case Special::globaltimer_hi: return Cause::clock;
  default: return Cause::none;
  }
}

// 0 x, 1 y, 2 z; none when the register does not move with the CTA.
std::optional<u8> grid_axis(Special special) {
  switch (special) {
  case Special::ctaid_x:
  case Special::clusterid_x: return 0;
  case Special::ctaid_y:
  case Special::clusterid_y: return 1;
  case Special::ctaid_z:
  case Special::clusterid_z: return 2;
  default: return {};
  }
}

// A carry, a second result: only what does not move.
void follow_several_results(Followed& f) {
  follow_compute(f);
  for (auto& [_, delta] : f.result)
    if (delta.known() && !delta.invariant()) delta = unknown(Cause::arithmetic, f.at);
}

} // namespace

// Calls the rule for each set of lanes in which every source moves alike.
template <class F> void Shadow::each_combination(const Current& at, Followed& f, u32 source, F&& rule) {
  if (source == at.op.sources) return rule(f);
  static const Delta none;
  if (at.op.source(source) == no_slot) {
    f.source[source] = &none;
    return each_combination(at, f, source + 1, rule);
  }
  const Mask outer = f.lanes;
  at.registers[at.op.source(source)].each(outer, [&](const Mask& mask, const Delta& delta) {
    f.lanes = mask;
    f.source[source] = &delta;
    each_combination(at, f, source + 1, rule);
  });
  f.lanes = outer;
}

void Shadow::compute(const Current& at, u32 destination, void (*rule)(Followed&)) {
  if (at.op.destination(destination) == no_slot) return;
  if (!at.follow) return write(at, destination, unknown(Cause::arithmetic, at.instruction));
  result_.clear();
  Followed f{at.step, at.op, *conditions_, unsplittable_, at.instruction, at.lanes, {}, result_};
  each_combination(at, f, 0, rule);
  write(at, destination, result_);
}

void Shadow::compute_all(const Current& at) {
  bool alone = at.op.destinations == 1 || at.op.form->opcode == ir::Opcode::setp;
  for (u32 d = 0; d < at.op.destinations; ++d)
    compute(at, d, alone ? follow_compute : follow_several_results);
}

void Shadow::unpack(const Current& at) {
  std::vector<Parts> pieces(at.op.destinations);
  for (u32 d = 0; d < at.op.destinations; ++d) {
    if (at.op.destination(d) == no_slot) continue;
    Followed f{at.step, at.op, *conditions_, unsplittable_, at.instruction, at.lanes, {}, pieces[d]};
    each_combination(at, f, 0, [d](Followed& each) { follow_unpack(each, d); });
  }
  for (u32 d = 0; d < at.op.destinations; ++d) write(at, d, pieces[d]); // a source's slot may be among them
}

void Shadow::special(const Current& at) {
  Special which = at.op.special();
  if (Cause cause = cause_of(which); cause != Cause::none)
    return write(at, 0, unknown(cause, at.instruction));
  Delta delta;
  if (std::optional<u8> of = grid_axis(which))
    for (u32 a = 0; a < most_axes; ++a) {
      const Axis& axis = conditions_->set().axis[a];
      if (axis.of == *of && axis.count > 1) delta.k[a] = axis.step;
    }
  write(at, 0, delta);
}

void Shadow::is_space(const Current& at) {
  bool still = combined(at, 0).invariant();
  write(at, 0, still ? Delta{} : unknown(Cause::arithmetic, at.instruction));
}

void Shadow::barrier(const Current& at) {
  need_invariant(at, 0, "the barrier");
  if (at.op.predicate().after_count) need_invariant(at, 1, "the barrier");
  write_all(at, unknown(Cause::arithmetic, at.instruction));
}

void Shadow::shuffle(const Current& at) {
  for (u32 i = 3; i < at.op.sources; ++i) need_invariant(at, i, "the lanes that take part");
  Delta value = combined(at, 0), lane = combined(at, 1), bounds = combined(at, 2);
  bool fixed = lane.invariant() && bounds.invariant();
  Delta lost = !lane.known() ? lane : unknown(Cause::arithmetic, at.instruction);
  write(at, 0, fixed ? value : lost);
  if (at.op.destinations > 1) write(at, 1, fixed ? Delta{} : lost);
}

void Shadow::gather(const Current& at) {
  if (at.op.sources > 1) need_invariant(at, 1, "the lanes that take part");
  Delta value = combined(at, 0);
  write_all(at, value.known() && !value.invariant() ? unknown(Cause::arithmetic, at.instruction) : value);
}

void Shadow::write(const Current& at, u32 destination, const Parts& parts) {
  if (at.op.destination(destination) == no_slot) return;
  Track& track = at.registers[at.op.destination(destination)];
  bool everywhere = at.all;
  for (const auto& [mask, delta] : parts) {
    track.set(mask, delta, everywhere);
    everywhere = false;
  }
}

void Shadow::write(const Current& at, u32 destination, const Delta& delta) {
  if (at.op.destination(destination) != no_slot)
    at.registers[at.op.destination(destination)].set(at.lanes, delta, at.all);
}

void Shadow::write_all(const Current& at, const Delta& delta) {
  for (u32 d = 0; d < at.op.destinations; ++d) write(at, d, delta);
}

Delta Shadow::combined(const Current& at, u32 source) const {
  std::optional<Delta> one;
  at.registers[at.op.source(source)].each(at.lanes, [&](const Mask&, const Delta& delta) {
    if (!one || (one->known() && !delta.known()))
      one = delta;
    else if (one->known() && !(*one == delta))
      one = unknown(Cause::arithmetic, at.instruction);
  });
  return *one;
}

void Shadow::need_invariant(const Current& at, u32 source, std::string_view what) const {
  if (at.op.source(source) == no_slot) return;
  Delta delta = combined(at, source);
  if (!delta.known()) reject(at.step, what, delta);
  if (!delta.invariant()) reject(at.step, fmt::format("{} depends on the block's index", what));
}

} // namespace warplens::fold
