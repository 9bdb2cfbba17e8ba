// What each kind of op means for the shadow. Ops that only compute give a result that moves in a known way or
// is unknown; ops that decide what is counted (addresses, guards, branches, barriers, the lanes of a shuffle)
// must not see an unknown value: then the launch is refused, with the place and the cause as the reason.
//
// An address adds two conditions. Every access stays inside the allocation it is in, so that nothing faults
// or warns in another CTA that did not in this one. And it moves by a multiple of 256 bytes: no counting rule
// of any architecture sees more of an address than its place in such a run (arch/count.cpp says why), and the
// lanes of a warp keep their distances because they move alike.
//
// Not followed, so refused when met: device printf, malloc, free, failed assertions and traps, calls through
// pointers, sleeping, threads that wait for other CTAs, jump tables whose index moves.
#include "fold/shadow.h"
#include "fold/arguments.h"
#include "fold/relevance.h"
#include "sim/memory/access.h"
#include "sim/program.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim::fold {

using ir::Special;
using ir::StateSpace;

namespace {

constexpr u64 alignment_period = 256;

enum class Kind : u8 {
  compute,
  resize,
  move,
  special,
  pack,
  unpack,
  offset,
  is_space,
  load,
  load_thread_param,
  store,
  store_thread_param,
  atomic,
  conditional, // branch_if, exit: who goes where depends on the guard
  leave,       // ret
  table,
  call,
  barrier,
  warp_barrier,
  shuffle,
  gather, // vote, match, redux: value first, then the lanes that take part
  elect,
  active_mask,
  plain, // nothing to follow
  refused
};

Kind kind_of(Handler run) {
  static const std::unordered_map<Handler, Kind> kinds{
      {ops::compute, Kind::compute},    {ops::resize, Kind::resize},
      {ops::move, Kind::move},          {ops::special, Kind::special},
      {ops::pack, Kind::pack},          {ops::unpack, Kind::unpack},
      {ops::to_generic, Kind::offset},  {ops::from_generic, Kind::offset},
      {ops::is_space, Kind::is_space},  {ops::load, Kind::load},
      {ops::load_param, Kind::load},    {ops::load_thread_param, Kind::load_thread_param},
      {ops::store, Kind::store},        {ops::store_thread_param, Kind::store_thread_param},
      {ops::atomic, Kind::atomic},      {ops::branch_if, Kind::conditional},
      {ops::ret, Kind::leave},          {ops::exit, Kind::conditional},
      {ops::branch_table, Kind::table}, {ops::call, Kind::call},
      {ops::barrier, Kind::barrier},    {ops::warp_barrier, Kind::warp_barrier},
      {ops::shuffle, Kind::shuffle},    {ops::vote, Kind::gather},
      {ops::match, Kind::gather},       {ops::reduce, Kind::gather},
      {ops::elect, Kind::elect},        {ops::active_mask, Kind::active_mask},
      {ops::branch, Kind::plain},       {ops::join, Kind::plain},
      {ops::merge, Kind::plain},        {ops::fence, Kind::plain},
      {ops::nothing, Kind::plain},
  };
  auto found = kinds.find(run);
  return found == kinds.end() ? Kind::refused : found->second;
}

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

} // namespace

void Footprint::add(Memory::Range range, bool writes) {
  TouchedMemory& at = touched_[range.begin];
  at.range = range;
  (writes ? at.written : at.read) = true;
}

bool Footprint::constants_are_safe() const {
  return std::none_of(touched_.begin(), touched_.end(), [&](const auto& entry) {
    return entry.second.written && constants_.contains(entry.first);
  });
}

std::vector<TouchedMemory> Footprint::list() const {
  std::vector<TouchedMemory> out;
  for (const auto& [_, touched] : touched_) out.push_back(touched);
  return out;
}

// A function's code with step() in the place of every handler.
struct ShadowCode : Code {
  Shadow::Impl* shadow = nullptr;
  std::vector<Handler> handler; // [ops] the real ones
  std::vector<Kind> kind;       // [ops]
  std::vector<bool> follow;     // [ops] whether the results can matter
};

struct Shadow::Impl {
  Impl(LaunchState& l, const FoldOptions& o, Footprint& f) : launch(l), options(o), footprint(f) {}

  LaunchState& launch;
  const FoldOptions& options;
  Footprint& footprint;
  std::map<u32, std::unique_ptr<ShadowCode>> code; // by function
  std::unordered_map<const Frame*, std::vector<Track>> tracks;
  Arguments arguments;
  std::unique_ptr<Conditions> conditions;
  std::unordered_set<const Op*> unsplittable;
  u64 steps = 0;                               // ops executed so far, by all representatives
  std::vector<std::pair<Mask, Motion>> result; // of the op at hand

  // The op at hand.
  const ShadowCode* current = nullptr;
  u32 index = 0;
  const Frame* frame = nullptr;
  std::vector<Track>* registers = nullptr; // of that frame
  const ir::Instruction* instruction = nullptr;
  Mask lanes; // that perform it, as far as the guard is known
  bool all = false;
  Motion guard;

  static void step(Exec& x, const Op& op);
  void enter_frame(Exec& x);
  bool changes_nothing(const Op& op) const;
  void follow(Exec& x, const Op& op, Kind kind);
  bool enter(Exec& x, const Op& op);
  template <class F> void each_combination(const Op& op, Followed& f, u32 source, F&& rule);
  template <class F> void compute(Exec& x, const Op& op, u32 destination, F&& rule);
  void write(const Op& op, u32 destination, const std::vector<std::pair<Mask, Motion>>& parts);
  void write(const Op& op, u32 destination, const Motion& motion) {
    write(op, destination, {{lanes, motion}});
  }
  void write_all(const Op& op, const Motion& motion);
  Motion combined(const Op& op, u32 source); // one motion for all lanes, or unknown
  void special(Exec& x, const Op& op);
  void address(Exec& x, const Op& op, bool writes, bool counted);
  void place(Exec& x, const Op& op, const Access& access, const Motion& motion, bool writes, bool counted);
  void touch(const Op& op, StateSpace space, Memory::Range range, bool writes);
  void place_in(const Motion& motion, u64 low, u64 high, u64 bytes, Memory::Range range, bool counted);
  void keep_together(const std::vector<std::pair<Mask, Motion>>& parts);
  void load(Exec& x, const Op& op);
  u64 argument_place(Exec& x, const Op& op);
  void load_argument(Exec& x, const Op& op);
  void store_argument(Exec& x, const Op& op);
  void call(Exec& x, const Op& op);
  void pass_arguments(Exec& x, const Frame& caller, const CallSite& site);
  void leave(Exec& x);
  void need_still(const Op& op, u32 source, std::string_view what);
  [[noreturn]] void refuse(std::string_view what, const Motion& motion);
  [[noreturn]] void refuse_op(std::string_view why);
  std::string line(const ir::Instruction& i) const;
  std::string cause(const Motion& motion) const;
};

void Shadow::Impl::step(Exec& x, const Op& op) {
  const auto& code = static_cast<const ShadowCode&>(*x.code);
  Impl& s = *code.shadow;
  s.current = &code;
  s.index = static_cast<u32>(&op - code.ops.data());
  s.instruction = code.function->instructions.empty() ? nullptr : &x.instruction(op);
  if (++s.steps > s.options.most_steps) s.refuse_op("running one block takes as long as running all");
  Kind kind = code.kind[s.index];
  if (kind != Kind::plain) {
    if (x.frame != s.frame) s.enter_frame(x);
    if ((kind > Kind::move || !s.changes_nothing(op)) && s.enter(x, op)) s.follow(x, op, kind);
  }
  const Frame* before = x.frame;
  code.handler[s.index](x, op);
  if (kind == Kind::call && x.frame != before) {
    s.tracks[x.frame].assign(x.frame->values.size(), Track{}); // maybe a frame that was used before
    s.frame = nullptr;
    s.pass_arguments(x, *before, code.calls[op.aux]);
  }
}

void Shadow::Impl::enter_frame(Exec& x) {
  frame = x.frame;
  registers = &tracks.at(frame);
}

// Most of what runs: results that are still, or unknown, as their registers are already.
bool Shadow::Impl::changes_nothing(const Op& op) const {
  auto settled = [&](SlotId slot, bool known) {
    if (slot == no_slot) return true;
    const Track& track = (*registers)[slot];
    return track.uniform() && (known ? track.main().still() : !track.main().known());
  };
  bool known = current->follow[index];
  if (known && op.guard != no_slot && !settled(op.guard, true)) return false;
  for (u32 i = 0; known && i < op.sources; ++i)
    if (!settled(op.source(i), true)) return false;
  for (u32 i = 0; i < op.destinations; ++i)
    if (!settled(op.destination(i), known)) return false;
  return true;
}

// Finds the lanes that perform the op; false when none does.
bool Shadow::Impl::enter(Exec& x, const Op& op) {
  lanes = x.active;
  all = x.full;
  guard = {};
  if (op.guard == no_slot) return true;
  const u32* holds = static_cast<const u32*>(x.lanes_of(op.guard));
  u32 flip = op.guard_negated ? full_mask : 0;
  (*registers)[op.guard].each(x.active, [&](const Mask& mask, const Motion& motion) {
    if (!motion.known()) {
      guard = motion;
      return; // these lanes perform it, or not
    }
    for (u32 w = 0; w < x.shape.warps; ++w) lanes.word[w] &= ~(mask.word[w] & ~(holds[w] ^ flip));
  });
  all &= lanes == x.active;
  return lanes != Mask{};
}

void Shadow::Impl::follow(Exec& x, const Op& op, Kind kind) {
  if (!guard.known() && kind > Kind::is_space)
    refuse(kind == Kind::conditional || kind == Kind::leave ? "the branch"
                                                            : "whether an instruction is performed",
           guard);
  switch (kind) {
  case Kind::compute:
    for (u32 d = 0; d < op.destinations; ++d)
      if (op.destinations == 1 || op.form->opcode == ir::Opcode::setp)
        compute(x, op, d, follow_compute);
      else
        compute(x, op, d, [](Followed& f) { // a carry, a second result: only what does not move
          follow_compute(f);
          for (auto& [_, motion] : f.result)
            if (motion.known() && !motion.still()) motion = unknown(Cause::arithmetic, f.at);
        });
    return;
  case Kind::resize: return compute(x, op, 0, follow_resize);
  case Kind::move: return compute(x, op, 0, [](Followed& f) { f.result.push_back({f.lanes, *f.source[0]}); });
  case Kind::special: return special(x, op);
  case Kind::pack: return compute(x, op, 0, follow_pack);
  case Kind::unpack: {
    std::vector<std::vector<std::pair<Mask, Motion>>> pieces;
    for (u32 d = 0; d < op.destinations; ++d) {
      result.clear();
      Followed f{x, op, *conditions, unsplittable, instruction, lanes, {}, result};
      if (op.destination(d) != no_slot)
        each_combination(op, f, 0, [d](Followed& at) { follow_unpack(at, d); });
      pieces.push_back(result);
    }
    for (u32 d = 0; d < op.destinations; ++d) write(op, d, pieces[d]); // a source's slot may be among them
    return;
  }
  case Kind::offset: return compute(x, op, 0, follow_offset);
  case Kind::is_space:
    if (Motion m = combined(op, 0); m.still()) return write(op, 0, Motion{});
    return write(op, 0, unknown(Cause::arithmetic, instruction));
  case Kind::load: return load(x, op);
  case Kind::load_thread_param: return load_argument(x, op);
  case Kind::store_thread_param: return store_argument(x, op);
  case Kind::store: return address(x, op, true, true);
  case Kind::atomic: address(x, op, true, true); return write_all(op, unknown(Cause::atomic, instruction));
  case Kind::conditional: return;
  case Kind::leave: return leave(x);
  case Kind::table: return need_still(op, 0, "a jump table's index");
  case Kind::call: return call(x, op);
  case Kind::barrier:
    for (u32 i = 0; i < (op.aux & 1 ? 2u : 1u); ++i) need_still(op, i, "the barrier");
    return write_all(op, unknown(Cause::arithmetic, instruction));
  case Kind::warp_barrier: return need_still(op, 0, "the lanes that meet");
  case Kind::shuffle: {
    for (u32 i = 3; i < op.sources; ++i) need_still(op, i, "the lanes that take part");
    Motion value = combined(op, 0), lane = combined(op, 1), bounds = combined(op, 2);
    bool fixed = lane.still() && bounds.still();
    Motion lost = !lane.known() ? lane : unknown(Cause::arithmetic, instruction);
    if (op.destination(0) != no_slot) write(op, 0, fixed ? value : lost);
    if (op.destinations > 1 && op.destination(1) != no_slot) write(op, 1, fixed ? Motion{} : lost);
    return;
  }
  case Kind::gather: {
    if (op.sources > 1) need_still(op, 1, "the lanes that take part");
    Motion value = combined(op, 0);
    return write_all(op, value.known() && !value.still() ? unknown(Cause::arithmetic, instruction) : value);
  }
  case Kind::elect: need_still(op, 0, "the lanes that take part"); return write_all(op, Motion{});
  case Kind::active_mask: return write_all(op, Motion{});
  case Kind::plain: return;
  case Kind::refused:
    refuse_op(fmt::format("'{}' is not followed", op.form ? op.form->text : "an instruction"));
  }
}

// Calls the rule for each set of lanes in which every source moves alike.
template <class F> void Shadow::Impl::each_combination(const Op& op, Followed& f, u32 source, F&& rule) {
  if (source == op.sources) return rule(f);
  static const Motion none;
  if (op.source(source) == no_slot) {
    f.source[source] = &none;
    return each_combination(op, f, source + 1, rule);
  }
  const Mask outer = f.lanes;
  (*registers)[op.source(source)].each(outer, [&](const Mask& mask, const Motion& motion) {
    f.lanes = mask;
    f.source[source] = &motion;
    each_combination(op, f, source + 1, rule);
  });
  f.lanes = outer;
}

template <class F> void Shadow::Impl::compute(Exec& x, const Op& op, u32 destination, F&& rule) {
  if (op.destination(destination) == no_slot) return;
  if (!guard.known()) return write(op, destination, guard);
  if (!current->follow[index]) return write(op, destination, unknown(Cause::arithmetic, instruction));
  result.clear();
  Followed f{x, op, *conditions, unsplittable, instruction, lanes, {}, result};
  each_combination(op, f, 0, rule);
  write(op, destination, result);
}

void Shadow::Impl::write(const Op& op, u32 destination, const std::vector<std::pair<Mask, Motion>>& parts) {
  if (op.destination(destination) == no_slot) return;
  Track& track = (*registers)[op.destination(destination)];
  bool everywhere = all;
  for (const auto& [mask, motion] : parts) {
    track.set(mask, motion, everywhere);
    everywhere = false;
  }
}

void Shadow::Impl::write_all(const Op& op, const Motion& motion) {
  for (u32 d = 0; d < op.destinations; ++d) write(op, d, motion);
}

Motion Shadow::Impl::combined(const Op& op, u32 source) {
  std::optional<Motion> one;
  (*registers)[op.source(source)].each(lanes, [&](const Mask&, const Motion& motion) {
    if (!one || (one->known() && !motion.known()))
      one = motion;
    else if (one->known() && !(*one == motion))
      one = unknown(Cause::arithmetic, instruction);
  });
  return *one;
}

void Shadow::Impl::special(Exec& x, const Op& op) {
  if (!guard.known()) return write(op, 0, guard);
  auto which = static_cast<Special>(op.aux);
  if (Cause cause = cause_of(which); cause != Cause::none) return write(op, 0, unknown(cause, instruction));
  Motion motion;
  if (std::optional<u8> of = grid_axis(which))
    for (u32 a = 0; a < most_axes; ++a) {
      const Axis& axis = conditions->set().axis[a];
      if (axis.of == *of && axis.count > 1) motion.k[a] = axis.step;
    }
  (void)x;
  write(op, 0, motion);
}

// The range of addresses stays inside `range` and moves by whole periods.
void Shadow::Impl::place_in(const Motion& motion, u64 low, u64 high, u64 bytes, Memory::Range range,
                            bool counted) {
  if (motion.still()) return;
  conditions->at_most(motion.k, i128{range.end} - bytes - high);
  conditions->at_most(negated(motion.k), i128{low} - range.begin);
  if (counted) conditions->multiple_of(motion.k, alignment_period);
}

// The ranges of memory that an access by lanes whose addresses move alike points into: nearly always one; looks again
// only for those outside it.
void Shadow::Impl::place(Exec& x, const Op& op, const Access& access, const Motion& motion, bool writes,
                         bool counted) {
  bool device = access.space == StateSpace::global || access.space == StateSpace::constant, any = false;
  Memory::Range range;
  u64 bytes = access.bytes, low = 0, high = 0;
  auto finish = [&] {
    if (any) place_in(motion, low, high, bytes, range, counted);
  };
  each_address(access, [&](u64 at) {
    if (any && range.contains(at, at + bytes)) {
      low = std::min(low, at);
      high = std::max(high, at);
      return;
    }
    finish();
    range = device ? x.launch.device.memory->range(at) : Memory::Range{0, space_size(x, access.space)};
    if (!range.contains(at, at + bytes) || at + bytes < at)
      refuse_op("an access lies outside every allocation");
    if (device) touch(op, access.space, range, writes);
    low = high = at;
    any = true;
  });
  finish();
}

void Shadow::Impl::touch(const Op& op, StateSpace space, Memory::Range range, bool writes) {
  footprint.add(range, writes);
  if (writes && op.form->opcode != ir::Opcode::st) footprint.add(range, false); // an atomic reads, too
  if (space != StateSpace::constant) return;
  if (options.pending && options.pending(range)) refuse_op("a constant has still to be written");
  footprint.add_constant(range);
}

// Lanes of one warp that move differently would not keep their distances: they must not move apart.
void Shadow::Impl::keep_together(const std::vector<std::pair<Mask, Motion>>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      bool shares_a_warp = false;
      for (u32 w = 0; w < lanes.word.size(); ++w)
        shares_a_warp |= parts[i].first.word[w] != 0 && parts[j].first.word[w] != 0;
      if (!shares_a_warp) continue;
      PerStep apart{};
      for (u32 a = 0; a < most_axes; ++a)
        if (__builtin_sub_overflow(parts[i].second.k[a], parts[j].second.k[a], &apart[a]) ||
            apart[a] == INT64_MIN)
          refuse_op("lanes of a warp move far apart");
      conditions->at_most(apart, 0);
      conditions->at_most(negated(apart), 0);
    }
}

void Shadow::Impl::address(Exec& x, const Op& op, bool writes, bool counted) {
  std::vector<std::pair<Mask, Motion>> parts;
  (*registers)[op.source(0)].each(lanes, [&](const Mask& mask, const Motion& motion) {
    if (!motion.known()) refuse("the address", motion);
    parts.push_back({mask, motion});
  });
  if (counted) keep_together(parts);
  for (const auto& [mask, motion] : parts) {
    if (x.values[op.source(0)].bits < 64) { // widened before the offset is added
      std::vector<std::pair<Mask, Motion>> none;
      Followed f{x, op, *conditions, unsplittable, instruction, mask, {&motion}, none};
      keep_in_range(f, 0, false);
    }
    x.perform(mask);
    resolve(x, op, Purpose::follow,
            [&](const Access& access) { place(x, op, access, motion, writes, counted); });
  }
}

void Shadow::Impl::load(Exec& x, const Op& op) {
  bool parameter = op.space == StateSpace::param;
  address(x, op, false, !parameter);
  // Parameters and constants are the same in every CTA; what is read from an address that moves is not.
  bool same = (parameter || op.space == StateSpace::constant) && combined(op, 0).still();
  write_all(op, same ? Motion{} : unknown(Cause::loaded, instruction));
}

// Where in the frame's parameters an op reads or writes: the same place in every lane.
u64 Shadow::Impl::argument_place(Exec& x, const Op& op) {
  need_still(op, 0, "the place of an argument");
  if (!x.values[op.source(0)].uniform()) refuse_op("threads use different arguments of a call");
  return x.values[op.source(0)].base + static_cast<u64>(op.offset);
}

void Shadow::Impl::load_argument(Exec& x, const Op& op) {
  u64 place = argument_place(x, op);
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    bool narrow = x.values[op.destination(e)].bits != op.element_bytes * 8u;
    Arguments::Parts parts;
    if (const Track* track = arguments.load(*x.frame, place + e * op.element_bytes, op.element_bytes))
      track->each(lanes, [&](const Mask& mask, const Motion& motion) {
        bool lost = !motion.known() || (narrow && !motion.still());
        parts.push_back({mask, lost ? unknown(Cause::call, instruction) : motion});
      });
    else
      parts.push_back({lanes, unknown(Cause::call, instruction)});
    write(op, e, parts);
  }
}

void Shadow::Impl::store_argument(Exec& x, const Op& op) {
  u64 place = argument_place(x, op);
  for (u32 e = 0; e < op.elements; ++e) {
    SlotId from = op.source(1 + e);
    bool narrow = x.values[from].bits != op.element_bytes * 8u;
    Arguments::Parts parts;
    (*registers)[from].each(lanes, [&](const Mask& mask, const Motion& motion) {
      bool lost = narrow && motion.known() && !motion.still();
      parts.push_back({mask, lost ? unknown(Cause::call, instruction) : motion});
    });
    arguments.store(*x.frame, place + e * op.element_bytes, op.element_bytes, parts, all);
  }
}

void Shadow::Impl::call(Exec& x, const Op& op) {
  const CallSite& site = current->calls[op.aux];
  const ir::Module& module = *x.code->module;
  if (!site.callee.valid()) refuse_op("it calls a function through a pointer");
  const ir::Function& callee = module.functions[site.callee.value];
  if (!callee.external) return;
  std::optional<MathFunction> math = find_math_function(callee.name);
  if (!math || math->stores != 0) refuse_op(fmt::format("it calls '{}'", callee.name));
  for (ir::VariableId result : site.result_variables)
    arguments.lose(*x.frame, x.code->parameter_offset[result.value], module.variables[result.value].size);
}

// After a call: the frame that was entered has the caller's arguments.
void Shadow::Impl::pass_arguments(Exec& x, const Frame& caller, const CallSite& site) {
  const ir::Function& callee = *x.code->function;
  const std::vector<ir::Variable>& variables = x.code->module->variables;
  arguments.forget(*x.frame);
  for (std::size_t i = 0; i < callee.parameters.size() && i < site.argument_variables.size(); ++i) {
    u32 from = site.argument_variables[i].value, to = callee.parameters[i].value;
    arguments.copy(caller, caller.code->parameter_offset[from], *x.frame, x.code->parameter_offset[to],
                   std::min(variables[from].size, variables[to].size), x.active, true);
  }
}

// Before lanes return: their results go to the caller.
void Shadow::Impl::leave(Exec& x) {
  const std::vector<FrameLink>& frames = x.group->frames;
  if (frames.size() == 1) return;
  const Frame& caller = *frames[frames.size() - 2].frame;
  const CallSite& site = caller.code->calls[frames.back().call];
  const ir::Function& callee = *x.code->function;
  const std::vector<ir::Variable>& variables = x.code->module->variables;
  for (std::size_t i = 0; i < callee.results.size() && i < site.result_variables.size(); ++i) {
    u32 from = callee.results[i].value, to = site.result_variables[i].value;
    arguments.copy(*x.frame, x.code->parameter_offset[from], caller, caller.code->parameter_offset[to],
                   std::min(variables[from].size, variables[to].size), lanes, false);
  }
}

void Shadow::Impl::need_still(const Op& op, u32 source, std::string_view what) {
  if (op.source(source) == no_slot) return;
  Motion motion = combined(op, source);
  if (!motion.known()) refuse(what, motion);
  if (!motion.still()) refuse_op(fmt::format("{} depends on the block's index", what));
}

std::string Shadow::Impl::line(const ir::Instruction& i) const {
  std::vector<access::SourceFrame> frames = current->module->frames(i.location);
  if (frames.empty()) return fmt::format("PTX line {}", i.ptx_line);
  std::size_t slash = frames[0].file.rfind('/');
  return fmt::format("{}:{}", frames[0].file.substr(slash == std::string::npos ? 0 : slash + 1),
                     frames[0].line);
}

std::string Shadow::Impl::cause(const Motion& motion) const {
  std::string at = motion.at ? " at " + line(*motion.at) : "";
  switch (motion.cause) {
  case Cause::loaded: return "depends on data loaded" + at;
  case Cause::atomic: return "depends on the result of the atomic" + at;
  case Cause::clock: return "depends on a clock read" + at;
  case Cause::processor: return "depends on the multiprocessor's number, read" + at;
  case Cause::call: return "depends on what passes through a function call" + at;
  case Cause::mixed: return "differs among the threads in too many ways";
  default: return "depends on the block's index through a computation that is not followed," + at;
  }
}

void Shadow::Impl::refuse(std::string_view what, const Motion& motion) {
  throw Refused{fmt::format("{} at {} {}", what, line(*instruction), cause(motion))};
}
void Shadow::Impl::refuse_op(std::string_view why) {
  throw Refused{fmt::format("at {}: {}", line(*instruction), why)};
}

Shadow::Shadow(LaunchState& launch, const FoldOptions& options, Footprint& footprint)
    : impl_(new Impl(launch, options, footprint)) {}
Shadow::~Shadow() = default;

const Code& Shadow::code_of(ir::FunctionId id) {
  std::unique_ptr<ShadowCode>& slot = impl_->code[id.value];
  if (slot) return *slot;
  slot = std::make_unique<ShadowCode>();
  static_cast<Code&>(*slot) = impl_->launch.program.code_of(id);
  slot->shadow = impl_.get();
  std::vector<bool> relevant = relevant_instructions(*slot->module, *slot->function);
  for (Op& op : slot->ops) {
    slot->handler.push_back(op.run);
    slot->kind.push_back(kind_of(op.run));
    ir::Family family = relevant.empty()
                            ? ir::Family::hint
                            : slot->module->form(slot->function->instructions[op.instruction]).family();
    bool computes = family == ir::Family::compute || family == ir::Family::move;
    slot->follow.push_back(computes ? relevant[op.instruction] : family != ir::Family::memory);
    op.run = Impl::step;
  }
  return *slot;
}

Likeness Shadow::run(Exec& x, const CtaSet& set) {
  Impl& s = *impl_;
  s.conditions = std::make_unique<Conditions>(set);
  s.tracks.clear();
  s.arguments.clear();
  s.frame = nullptr;
  s.unsplittable.clear();
  Cta cta;
  const Dim3& grid = x.launch.spec.grid;
  cta.id = set.first;
  cta.index = (u64{cta.id.z} * grid.y + cta.id.y) * grid.x + cta.id.x;
  start_cta(x, cta);
  for (const auto& frame : cta.frames) s.tracks[frame.get()].resize(frame->values.size());
  if (run_cta(x, cta) == Progress::waiting) throw Refused{"threads wait for other blocks"};
  if (!x.launch.warnings.empty()) throw Refused{x.launch.warnings[0].message};
  return s.conditions->solve();
}

} // namespace warplens::sim::fold
