// Control flow of machine code as PTX. See kernel_translation.h.
//
// Code is walked from the kernel's begin, with the regions that are open at each instruction: BSSY B, L opens one, whose lanes meet at
// the BSYNC B in front of L; @P BREAK B takes lanes out. Lanes that a branch sends apart meet where the innermost region that both of
// its ways are in ends; without one they meet no more. Called code is walked once for each place that calls it (a context), so that RET
// is a branch. Where functions call themselves, or are called through registers, code is walked once, and RET is a branch to one of the
// places behind calls: the register that it names holds the offset.
#include "machine_code/machine_code.h"
#include "translate/kernel_translation.h"
#include <algorithm>

namespace warplens::translate {

namespace {
constexpr std::size_t most_contexts = 4096, most_places = 400'000;

bool same_predicate(const Instruction& a, const Instruction& b) {
  return a.guard == b.guard && a.guard_uniform == b.guard_uniform;
}
bool guarded(const Instruction& i) { return i.guard != sass::true_predicate; }
bool never(const Instruction& i) { return i.guard == sass::true_predicate && i.guard_negated; }

// The second condition that branches and EXIT have besides the guard.
const Operand* condition_of(const Instruction& i) {
  switch (i.opcode) {
  case Opcode::BRA: return &i.operands()[i.operands()[0].kind == OperandKind::uniform_predicate ? 1 : 0];
  case Opcode::EXIT:
  case Opcode::RET:
  case Opcode::CALL:
  case Opcode::BRX:
  case Opcode::BRXU:
  case Opcode::BREAK:
  case Opcode::BSYNC:
  case Opcode::BSSY: return &i.operands()[0];
  default: return nullptr;
  }
}
bool conditional(const Instruction& i) {
  const Operand* second = condition_of(i);
  const bool by_uniform = i.opcode == Opcode::BRA && i.operands()[0].kind == OperandKind::uniform_predicate;
  return guarded(i) || (second != nullptr && second->number != sass::true_predicate) || by_uniform;
}

// Offsets that registers hold as they are.
std::map<u64, u64> as_pointers(const auto& offsets) {
  std::map<u64, u64> out;
  for (u64 offset : offsets) out[offset] = offset;
  return out;
}

u64 target_of(const Instruction& i) {
  for (const Operand& o : i.operands())
    if (o.kind == OperandKind::target) return o.value;
  return 0;
}
} // namespace

// A call of the program's own code that a register names; others are of the runtime's functions.
bool Kernel::calls_register() const {
  return now_->opcode == Opcode::CALL && (has(Modifier::REL) || kernel_.calls_apart) &&
         std::ranges::any_of(now_->operands(), [](const Operand& o) { return o.kind == OperandKind::reg; });
}

// Where a call goes; none: to a function of the runtime, or where a register says.
std::optional<u64> Kernel::target_of_call() const {
  if (const auto linked = kernel_.calls.find(place_.offset); linked != kernel_.calls.end())
    return linked->second;
  if (!has(Modifier::REL) || now_->operands().back().kind != OperandKind::target) return {};
  return target_of(*now_);
}

const Instruction* Kernel::code_at(u64 offset) const {
  const u64 index = offset / sass::instruction_bytes;
  return offset % sass::instruction_bytes == 0 && index < code_.size() ? &code_[index] : nullptr;
}

u32 Kernel::context_of_call(u64 returns_to, u64 target) {
  for (u32 c = 0; c < contexts_.size(); ++c)
    if (contexts_[c].caller == place_.context && contexts_[c].returns_to == returns_to && c != 0) return c;
  if (contexts_.size() >= most_contexts) {
    refuse("is one of too many calls");
    return 0;
  }
  for (u32 c = place_.context; c != 0; c = contexts_[c].caller)
    returns_by_register_ |= contexts_[c].entry == target; // it calls itself
  contexts_.push_back({place_.context, returns_to, target});
  return static_cast<u32>(contexts_.size() - 1);
}

// Regions that are open in front of `to`: those that all ways there agree on.
void Kernel::flow_to(const Place& to, const Regions& open, std::vector<Place>& waiting) {
  auto [known, fresh] = regions_.try_emplace(to, open);
  if (!fresh) {
    Regions common;
    for (std::size_t i = 0; i < std::min(open.size(), known->second.size()); ++i) {
      if (open[i] != known->second[i]) break;
      common.push_back(open[i]);
    }
    if (common == known->second) return;
    known->second = common;
  }
  waiting.push_back(to);
}

// The regions that lanes are in behind a branch, where it is taken and where not: BREAKs in front of it, under its predicate, took
// those out for which that holds.
std::pair<Kernel::Regions, Kernel::Regions> Kernel::behind_branch(const Regions& open) const {
  Regions there = open, here = open;
  for (const Instruction* before = code_at(place_.offset - sass::instruction_bytes);
       before != nullptr && before->opcode == Opcode::BREAK && same_predicate(*before, *now_);
       before = code_at(before->address - sass::instruction_bytes))
    std::erase_if(before->guard_negated == now_->guard_negated ? there : here, [&](const Region& r) {
      return r.context == place_.context && r.barrier == before->operands()[1].number;
    });
  return {there, here};
}

// Whether the offset behind a call is a constant near in front of it, where it is handed over, or in the function, if that is called
// from here alone. Then the function returns.
bool Kernel::returns_behind_call() const {
  constexpr u64 near = 256, function = 1024; // instructions
  const u64 behind = place_.offset + sass::instruction_bytes, reach = near * sass::instruction_bytes;
  auto is_constant_in = [&](u64 begin, u64 count) {
    for (u64 n = 0; n < count; ++n) {
      const Instruction* i = code_at(begin + n * sass::instruction_bytes);
      if (i == nullptr) return false;
      for (const Operand& o : i->operands())
        if (o.kind == OperandKind::immediate && o.value == behind) return true;
    }
    return false;
  };
  const u64 begin = behind > reach ? behind - reach : 0;
  return is_constant_in(begin, (behind - begin) / sass::instruction_bytes) ||
         is_constant_in(target_of_call().value_or(0), function);
}

// A call of what never returns to the instruction behind it: ptxas leaves loops so, on 8.x above all. Only in the kernel itself, where a
// return that comes after all is refused.
bool Kernel::is_jump() const { return place_.context == 0 && has(Modifier::NOINC) && !returns_behind_call(); }

// A call without a context of its own: regions of the caller are open again behind it.
bool Kernel::call_from_one_context(const Regions& open, std::vector<Place>& waiting) {
  if (calls_register() && kernel_.entries.empty()) return refuse("calls what is not known"), false;
  const Place next{0, place_.offset + sass::instruction_bytes};
  std::map<u64, u64> targets = kernel_.entries;
  if (!calls_register()) targets = {{0, *target_of_call()}};
  for (const auto& [pointer, target] : targets) {
    labels_.insert({0, target});
    flow_to({0, target}, {}, waiting);
  }
  return_sites_.insert(next.offset);
  labels_.insert(next);
  flow_to(next, open, waiting);
  return true;
}

bool Kernel::find_places() {
  std::vector<Place> waiting;
  flow_to({0, 0}, {}, waiting);
  auto anew = [&] {
    returns_by_register_ = true;
    regions_.clear(), labels_.clear();
    contexts_.resize(1);
    return find_places();
  };
  auto mark = [&](const Place& p) { labels_.insert(p); };
  while (!waiting.empty() && why_.empty()) {
    place_ = waiting.back();
    waiting.pop_back();
    if (regions_.size() > most_places) return refuse("is part of a kernel that is too large"), false;
    now_ = code_at(place_.offset);
    if (now_ == nullptr) {
      why_ = fmt::format("control leaves the code at {:#x}", place_.offset);
      return false;
    }
    Regions open = regions_[place_];
    const Place next{place_.context, place_.offset + sass::instruction_bytes};
    if (never(*now_)) {
      flow_to(next, open, waiting);
      continue;
    }
    const bool maybe = conditional(*now_);
    // What is called saves the registers of its caller's regions (BMOV), and has its own.
    auto without = [&](Regions regions, u8 barrier) {
      std::erase_if(regions,
                    [&](const Region& r) { return r.context == place_.context && r.barrier == barrier; });
      return regions;
    };
    switch (now_->opcode) {
    case Opcode::BSSY: {
      const u64 end = target_of(*now_);
      open = without(open, now_->operands()[1].number);
      open.push_back({place_.context, now_->operands()[1].number, end - sass::instruction_bytes});
      flow_to(next, open, waiting);
      break;
    }
    case Opcode::BSYNC:
      mark(place_); // where lanes meet
      flow_to(next, without(open, now_->operands()[1].number), waiting);
      break;
    case Opcode::BREAK:
      // Under a guard, what leaves is what the branch right behind it sends away: see behind_branch().
      flow_to(next, maybe ? open : without(open, now_->operands()[1].number), waiting);
      break;
    case Opcode::BRA: {
      Place to{place_.context, target_of(*now_)};
      const auto [there, here] = behind_branch(open);
      if (has(Modifier::DIV)) { // see together()
        if (maybe) mark(to), flow_to(to, open, waiting);
        flow_to(next, open, waiting);
        break;
      }
      mark(to);
      flow_to(to, there, waiting);
      if (maybe) flow_to(next, here, waiting);
      break;
    }
    case Opcode::BRX:
    case Opcode::BRXU: {
      auto targets = kernel_.branch_targets.find(place_.offset);
      if (targets == kernel_.branch_targets.end()) return refuse("goes where the image does not say"), false;
      for (u64 offset : targets->second) {
        mark({place_.context, offset});
        flow_to({place_.context, offset}, open, waiting);
      }
      if (maybe) flow_to(next, open, waiting);
      break;
    }
    case Opcode::CALL: {
      const std::optional<u64> target = target_of_call();
      if (calls_register() && !returns_by_register_) return anew();
      if (!target && !calls_register()) { // a function of the runtime
        flow_to(next, open, waiting);
        break;
      }
      const bool jump = target && is_jump();
      if (!jump && !returns_behind_call()) refuse("does not return to where it is called");
      if (!why_.empty()) return false;
      if (returns_by_register_ && !jump) {
        if (!call_from_one_context(open, waiting)) return false;
        break;
      }
      const Place to{jump ? place_.context : context_of_call(next.offset, *target), *target};
      if (!why_.empty()) return false;
      if (returns_by_register_) return anew();
      mark(to);
      flow_to(to, open, waiting);
      if (maybe) flow_to(next, open, waiting);
      break;
    }
    case Opcode::RET: {
      if (returns_by_register_) { // to places behind calls, which are known
        if (maybe) flow_to(next, open, waiting);
        break;
      }
      if (place_.context == 0) return refuse("returns from the kernel"), false;
      const Context& from = contexts_[place_.context];
      mark({from.caller, from.returns_to});
      Regions left = open;
      std::erase_if(left, [&](const Region& r) { return r.context == place_.context; });
      flow_to({from.caller, from.returns_to}, left, waiting);
      if (maybe) flow_to(next, open, waiting);
      break;
    }
    case Opcode::EXIT:
    case Opcode::BPT: // nobody goes on behind it
      if (maybe) flow_to(next, open, waiting);
      break;
    default: flow_to(next, open, waiting);
    }
  }
  return why_.empty();
}

std::string Kernel::label(const Place& p) const { return fmt::format("$L{}_{:x}", p.context, p.offset); }

// Where the lanes that the branch at this place sends apart meet again.
void Kernel::note_meeting(const Regions& there, const Regions& here) {
  if (returns_by_register_)
    return; // regions alone: the same place may be waited at once for each call (sim/ops/execute_control.cpp)
  std::optional<Place> meeting;
  for (std::size_t i = 0; i < std::min(there.size(), here.size()); ++i)
    if (there[i] == here[i]) meeting = Place{here[i].context, here[i].meeting};
  waiting_meetings_.emplace_back(lines_, meeting.value_or(Place{0, nowhere}));
}

bool Kernel::translate() {
  if (!find_places()) return false;
  for (const Place& place : labels_) labelled_.insert(place.offset);
  // The first time says what is written and read, and where sums are. Then ways back are taken to change nothing, and each time says
  // better what is valid on them, until that is what was assumed.
  constexpr u32 most_times = 8;
  if (!write_code(false)) return false;
  find_sums();
  arriving_.clear();
  for (u32 n = 0; n < most_times; ++n) {
    if (!write_code(true)) return false;
    if (std::ranges::all_of(assumed_, [&](const auto& label) {
          return std::ranges::includes(entering(label.first), label.second);
        }))
      return true;
  }
  return write_code(false);
}

// `across`: pairs stay valid across labels.
bool Kernel::write_code(bool across) {
  body_.clear(), constants_.clear(), instructions.clear(), waiting_meetings_.clear();
  pairs_.clear(), waiting_pairs_.clear();
  lines_ = 0, falls_ = true, in_teams_ = false;
  place_ = {0, nowhere};
  arrive({0, 0});
  std::optional<Place> before;
  for (const auto& [place, open] : regions_) {
    place_ = place;
    now_ = code_at(place.offset);
    temporaries_ = wide_temporaries_ = predicate_temporaries_ = 0;
    // Places of a context are in the order of the code: what comes behind one that falls through is next, or is branched to.
    const bool follows = before && before->context == place.context &&
                         before->offset + sass::instruction_bytes == place.offset;
    if (before && !follows && falls_) return refuse("falls into code that is elsewhere"), false;
    if (labels_.contains(place)) {
      if (before && falls_) {
        place_ = *before;
        arrive(place);
        place_ = place;
      }
      line(label(place) + ":");
      label_lines_[place] = lines_;
      pairs_ = across ? entering(place) : Pairs();
      assumed_[place] = pairs_;
      waiting_pairs_.clear(), functions_.clear(), numbers_.clear();
    }
    if (now_->opcode == Opcode::BSYNC || now_->opcode == Opcode::WARPSYNC ||
        now_->opcode == Opcode::ENDCOLLECTIVE)
      in_teams_ = false;
    before = place;
    falls_ = true;
    // An access that no lane ever performs is counted all the same: ptxas puts some in front of asynchronous copies.
    const bool off = never(*now_);
    if (off && (in_teams_ || !fatbin::decode(now_->low, now_->high))) continue;
    const auto linked = kernel_.relocated.find(place.offset);
    const bool has_address = linked != kernel_.relocated.end();
    if (has_address && now_->opcode != Opcode::MOV && now_->opcode != Opcode::UMOV &&
        now_->opcode != Opcode::CALL)
      return refuse(fmt::format("needs '{}'", linked->second.address.name)), false;
    guard_ = guard();
    waited_ = waiting_pairs_;
    begin_sum();
    const auto copied = copied_pairs();
    // A team's accesses would be requests of their own, its branches its own.
    const bool alone = in_teams_ && (labels_.contains(place) || condition_of(*now_) != nullptr);
    if (alone || !(control() || warp() || ((memory() || asynchronous()) && !in_teams_) || moves() ||
                   integer() || floating()))
      refuse();
    if (off) why_.clear();
    if (!why_.empty()) return false;
    copy_pairs(copied);
    end_sum();
  }
  return why_.empty();
}

// Of the instruction; empty: always.
std::string Kernel::guard() {
  if (never(*now_)) {
    const std::string z = predicate_temporary();
    put("setp.ne.u32 {}, 0, 0;", z);
    return fmt::format("@{} ", z);
  }
  if (!guarded(*now_)) return "";
  std::string name = fmt::format("%{}{}", now_->guard_uniform ? 'q' : 'p', now_->guard);
  if (replaces_guard()) {
    const std::string z = predicate_temporary();
    put("mov.pred {}, {};", z, name);
    name = z;
  }
  return fmt::format("@{}{} ", now_->guard_negated ? "!" : "", name);
}

// Is the guard's predicate one of several results? Then what is written behind it must not see it.
bool Kernel::replaces_guard() const {
  if (now_->opcode == Opcode::R2P) return true;
  u32 results = 0;
  bool replaced = false;
  for (std::size_t n = 0; n < std::min<std::size_t>(3, now_->operands().size()); ++n) {
    const Operand& o = at(n);
    const bool is_predicate = o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate;
    if (is_predicate && wanted(o)) ++results;
    if (n < 2 && (o.kind == OperandKind::reg || o.kind == OperandKind::uniform) && !is_zero(o)) ++results;
    replaced |= is_predicate && o.number == now_->guard &&
                (o.kind == OperandKind::uniform_predicate) == now_->guard_uniform;
  }
  return replaced && results > 1;
}

// One guard out of the instruction's and its second condition; empty: always.
std::string Kernel::whole_condition() {
  const Operand* second = condition_of(*now_);
  std::string out = guard_;
  auto join = [&](const Predicate& p) {
    if (p.is_constant) return;
    if (out.empty()) {
      out = fmt::format("@{} ", sign(p));
      return;
    }
    const std::string mine = predicate_temporary(), z = predicate_temporary();
    const Predicate first{false, false, fmt::format("%{}{}", now_->guard_uniform ? 'q' : 'p', now_->guard),
                          now_->guard_negated};
    put("{} {}, {};", first.negated ? "not.pred" : "mov.pred", mine, first.name);
    put("{} {}, {};", p.negated ? "not.pred" : "mov.pred", z, p.name);
    put("and.pred {0}, {0}, {1};", z, mine);
    out = fmt::format("@{} ", z);
  };
  if (now_->opcode == Opcode::BRA && now_->operands()[0].kind == OperandKind::uniform_predicate)
    join(predicate(now_->operands()[0]));
  if (second != nullptr) join(predicate(*second));
  return out;
}

// A branch of all lanes, where the condition is true in one of them.
std::string Kernel::of_any_lane(const std::string& condition) {
  const std::string mask = temporary(), any = predicate_temporary();
  put("activemask.b32 {};", mask);
  put("setp.ne.u32 {}, 0, 0;", any);
  put("{}setp.eq.u32 {}, 0, 0;", condition, any);
  put("vote.sync.any.pred {0}, {0}, {1};", any, mask);
  return fmt::format("@{} ", any);
}

// BRA.DIV and BRA.CONV, in front of what lanes do together: U has all lanes that are named. The guard says which lanes name the same ones as
// the first. Where these are all that are named, they are together: CONV branches there, DIV where not, as the other way leads to code that
// gathers each lane with those that it names.
std::string Kernel::together(const std::string& named, bool are) {
  const TakingPart lanes = taking_part();
  const std::string out = predicate_temporary();
  put("setp.ne.u32 {}, {}, 0;", out, lanes.acting);
  put("setp.{0}.and.u32 {1}, {2}, {3}, {1};", are ? "eq" : "ne", out, lanes.acting, named);
  return fmt::format("@{} ", out);
}

bool Kernel::control() {
  const Place next{place_.context, place_.offset + sass::instruction_bytes};
  const Regions& open = regions_[place_];
  auto branch_if = [&](const std::string& condition, const Place& to) {
    arrive(to);
    line(fmt::format("{}bra {};", condition, label(to)));
    if (condition.empty()) {
      falls_ = false;
      return;
    }
    const auto [there, here] = behind_branch(open);
    note_meeting(there, here);
    start_block(next);
  };
  auto branch = [&](const Place& to) {
    const std::string condition = whole_condition();
    branch_if(has(Modifier::ANY) ? of_any_lane(condition) : condition, to);
  };
  switch (now_->opcode) {
  case Opcode::YIELD: act("yield;"); return true;
  case Opcode::NOP:
  case Opcode::BREAK:
  case Opcode::ERRBAR:
  case Opcode::CGAERRBAR:
  case Opcode::CCTL:
  case Opcode::FENCE:
  case Opcode::PREEXIT:
  case Opcode::ACQBULK:
  case Opcode::LEPC:
  case Opcode::ENDCOLLECTIVE: return true;
  case Opcode::BSYNC:                                   // its label is what matters
    if (returns_by_register_) put("mov.b32 %sink, 0;"); // and is not the next one's
    return true;
  case Opcode::BSSY:
    line(fmt::format("bra.uni $B{}_{:x};", next.context, next.offset));
    waiting_meetings_.emplace_back(lines_, Place{place_.context, target_of(*now_) - sass::instruction_bytes});
    line(fmt::format("$B{}_{:x}:", next.context, next.offset));
    return true;
  case Opcode::BMOV: return true; // saved and restored around calls, whose code is repeated here
  case Opcode::BRA:
    if (has(Modifier::DIV) || has(Modifier::CONV)) {
      const std::string named =
          at(1).kind == OperandKind::none ? "0xffffffff" : read_integer(at(1)); // all, on 7.5
      if (!guard_.empty()) {
        branch_if(together(named, has(Modifier::CONV)), {place_.context, target_of(*now_)});
        return true;
      }
      put("bar.warp.sync {};", named); // all name the same ones: they are gathered here
      if (has(Modifier::DIV)) return true;
    }
    branch({place_.context, target_of(*now_)});
    return true;
  case Opcode::EXIT: {
    const std::string condition = whole_condition();
    line(fmt::format("{}exit;", condition));
    if (condition.empty())
      falls_ = false;
    else
      start_block(next);
    return true;
  }
  case Opcode::BPT:
    if (!has(Modifier::TRAP)) return refuse();
    act("trap;");
    if (guard_.empty()) {
      line("exit;");
      falls_ = false;
    }
    return true;
  case Opcode::BRX:
  case Opcode::BRXU: {
    const std::vector<u64>& targets = kernel_.branch_targets.at(place_.offset); // as the jump table has them
    jump_by_register(as_pointers(targets), open);
    return true;
  }
  case Opcode::CALL:
    if (const std::optional<u64> target = target_of_call()) {
      const bool here = returns_by_register_ || is_jump();
      branch({here ? place_.context : context_of_call(next.offset, *target), *target});
      return true;
    }
    if (!calls_register() || functions_.contains(now_->operands().back().number)) return call_builtin();
    jump_by_register(kernel_.entries, open);
    return true;
  case Opcode::RET: {
    if (returns_by_register_) { // lanes that go elsewhere meet where regions of callers end
      jump_by_register(as_pointers(return_sites_), {});
      return true;
    }
    const Context& from = contexts_[place_.context];
    branch({from.caller, from.returns_to});
    return true;
  }
  default: return false;
  }
}

// A branch to that of the targets that the instruction's register names.
void Kernel::jump_by_register(const std::map<u64, u64>& targets, const Regions& meeting) {
  const std::string condition = whole_condition();
  const auto where = std::ranges::find_if(now_->operands(), [](const Operand& o) {
    return o.kind == OperandKind::reg || o.kind == OperandKind::uniform;
  });
  const std::string held = read(*where), z = predicate_temporary();
  u32 tried = 0;
  for (const auto& [pointer, to] : targets) {
    if (condition.empty())
      put("setp.eq.u32 {}, {}, {:#x};", z, held, pointer);
    else // "@!%p0 "
      put("setp.eq.and.u32 {}, {}, {:#x}, {};", z, held, pointer, condition.substr(1));
    arrive({place_.context, to});
    line(fmt::format("@{} bra {};", z, label({place_.context, to})));
    note_meeting(meeting, meeting);
    line(fmt::format("$X{}_{:x}_{}:", place_.context, place_.offset, ++tried));
  }
  if (!condition.empty()) return;
  put("trap;");
  falls_ = false;
}

// What follows a branch under a condition is a block of its own.
void Kernel::start_block(const Place& next) {
  if (!labels_.contains(next)) line(fmt::format("$N{}_{:x}:", next.context, next.offset));
}

// CALL.ABS of what a register pair was loaded with, or the linker fills in: vprintf, malloc, free, __assertfail. Arguments and results are in
// R4 and up.
bool Kernel::call_builtin() {
  const Operand& f = now_->operands().back();
  const auto known = functions_.find(f.number);
  const auto linked = kernel_.relocated.find(place_.offset);
  const bool by_register = f.kind == OperandKind::reg && known != functions_.end();
  if (!by_register && linked == kernel_.relocated.end()) return refuse("calls what is not known");
  const std::string& name = by_register ? known->second : linked->second.address.name;
  auto pair = [&](u8 n) {
    Operand o;
    o.kind = OperandKind::reg, o.number = n;
    return o;
  };
  if (name == "vprintf") {
    builtins_.insert(".extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);");
    const std::string format = read_wide(pair(4)), values = read_wide(pair(6));
    put("{{ .param .b64 format; .param .b64 values; .param .b32 result; st.param.b64 [format], {}; "
        "st.param.b64 [values], {}; "
        "{}call.uni (result), vprintf, (format, values); ld.param.b32 {}, [result]; }}",
        format, values, guard_, target(pair(4)));
    return true;
  }
  if (name == "malloc") {
    builtins_.insert(".extern .func (.param .b64 result) malloc (.param .b64 size);");
    const std::string size = read_wide(pair(4)), e = wide_temporary();
    put("{{ .param .b64 size; .param .b64 result; st.param.b64 [size], {}; {}call.uni (result), malloc, "
        "(size); ld.param.b64 {}, [result]; }}",
        size, guard_, e);
    write_wide(pair(4), e);
    return true;
  }
  if (name == "free") {
    builtins_.insert(".extern .func free (.param .b64 address);");
    put("{{ .param .b64 address; st.param.b64 [address], {}; {}call.uni free, (address); }}",
        read_wide(pair(4)), guard_);
    return true;
  }
  if (name == "__assertfail") {
    builtins_.insert(".extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, "
                     ".param .b64 function, .param .b64 size);");
    const std::string message = read_wide(pair(4)), file = read_wide(pair(6)), function = read_wide(pair(10)),
                      size = read_wide(pair(12));
    put("{{ .param .b64 message; .param .b64 file; .param .b32 line; .param .b64 function; .param .b64 size; "
        "st.param.b64 [message], {}; "
        "st.param.b64 [file], {}; st.param.b32 [line], {}; st.param.b64 [function], {}; st.param.b64 [size], "
        "{}; "
        "{}call.uni __assertfail, (message, file, line, function, size); }}",
        message, file, register_name(pair(8)), function, size, guard_);
    return true;
  }
  if (name.starts_with(
          "__cuda_syscall_cp_async_bulk_")) { // to another block's memory, which no kernel that runs here has
    act("trap;");
    return true;
  }
  return refuse(fmt::format("calls {}, which is not known", name));
}

} // namespace warplens::translate
