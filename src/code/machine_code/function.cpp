// See assembled.h for what is decided, and why.
#include "machine_code/function.h"
#include "ir/ssa.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace warplens::assembly {
namespace {

using access::Assembled;
using access::Kind;
using access::Space;
using fatbin::MemoryInstruction;

constexpr u32 widest = 16; // bytes of one access

// Where an access goes: so far behind a value, or behind a variable, that is the same for all that name it.
struct Place {
  enum class Base : u8 { none, value, variable };
  Base base = Base::none;
  u32 number = 0; // of the value or variable
  i64 offset = 0;
  auto root() const { return std::pair(base, number); }
};

bool is_of_kind(Kind site, Kind machine) {
  return site == machine || (is_atomic(site) && is_atomic(machine));
}

// An access of the function.
struct Member {
  u32 instruction = 0;
  ir::BlockId block;
  access::Site* site = nullptr;
  Place place;
  u32 guard = ir::no_value;
  bool guard_negated = false;
  std::vector<const MemoryInstruction*> own; // that perform it
  bool settled = false;

  i64 end() const { return place.offset + site->bytes; }
  bool plain() const { return site->kind == Kind::load || site->kind == Kind::store; }
  // The one width of its machine instructions; 0 where there are none, or several.
  u32 width() const {
    if (own.empty()) return 0;
    const u32 first = own[0]->opcode.bytes;
    return std::ranges::all_of(own, [&](auto* one) { return one->opcode.bytes == first; }) ? first : 0;
  }
};

// Values back to what they were computed from by adding constants.
class Places {
public:
  Places(const ir::Module& module, const ir::Function& function, const ir::Ssa& ssa)
      : module_(module), function_(function), ssa_(ssa), made_by_(ssa.values(), none) {
    for (u32 i = 0; i < function.instructions.size(); ++i) {
      const ir::Instruction& one = function.instructions[i];
      if (one.destinations != 1) continue;
      const u32 value = ssa.of_operand[one.first_operand];
      if (value < made_by_.size()) made_by_[value] = i;
    }
  }

  Place of(u32 operand) const {
    Place out;
    for (u32 steps = 0; steps < most_steps; ++steps) {
      const ir::Operand& o = function_.operands[operand];
      if (o.kind == ir::Operand::Kind::address || o.kind == ir::Operand::Kind::variable)
        out.offset += static_cast<i64>(o.value);
      if (out.offset > farthest || out.offset < -farthest) return {};
      if (o.variable.valid()) return {Place::Base::variable, o.variable.value, out.offset};
      const u32 value = ssa_.of_operand[operand];
      if (!o.reg.valid() || value == ir::no_value) return {};
      out.base = Place::Base::value, out.number = value;
      const std::optional<Step> step = before(value);
      if (!step || step->added > farthest || step->added < -farthest) return out;
      out.offset += step->added;
      operand = step->operand;
    }
    return out;
  }

private:
  static constexpr u32 none = ~u32{0}, most_steps = 64;
  static constexpr i64 farthest = i64{1} << 40; // no array is larger
  struct Step {
    u32 operand;
    i64 added;
  };

  // What a value is a constant away from.
  std::optional<Step> before(u32 value) const {
    if (value >= made_by_.size() || made_by_[value] == none) return {};
    const ir::Instruction& by = function_.instructions[made_by_[value]];
    const ir::Form& form = module_.form(by);
    if (by.guard.valid() || form.types[0] == ir::Type::none) return {};
    const u32 first = by.first_operand + by.destinations;
    auto is = [&](u32 s, ir::Operand::Kind kind) {
      return s < by.sources && function_.operands[first + s].kind == kind;
    };
    using enum ir::Operand::Kind;
    switch (form.opcode) {
    case ir::Opcode::mov:
    case ir::Opcode::cvta:
      if (by.sources == 1 && (is(0, reg) || is(0, variable))) return Step{first, 0};
      return {};
    case ir::Opcode::add:
      if (ir::is_float(form.types[0]) || by.sources != 2) return {};
      if (is(0, reg) && is(1, immediate)) return Step{first, signed_value(form, first + 1)};
      return {};
    default: return {};
    }
  }

  i64 signed_value(const ir::Form& form, u32 operand) const {
    const u64 value = function_.operands[operand].value;
    return ir::bits(form.types[0]) == 32 ? static_cast<i64>(static_cast<i32>(value))
                                         : static_cast<i64>(value);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const ir::Ssa& ssa_;
  std::vector<u32> made_by_; // [values]: the instruction
};

class Matching {
public:
  Matching(ir::Module& module, const ir::Function& function, const FunctionCode& code)
      : module_(module), function_(function), code_(code), cfg_(ir::analyse(function)),
        ssa_(ir::single_assignment(function, cfg_)) {}

  Outcome run() {
    collect();
    const bool any = std::ranges::any_of(members_, [](const Member& m) { return !m.own.empty(); });
    if (members_.empty() || !(any || code_.compiled)) return {};
    return_strays();
    for (Member& m : members_)
      if (is_atomic(m.site->kind)) settle_atomic(m);
    widen();
    join_variables();
    drop();
    follow_branches();
    add_loads();
    return outcome_;
  }

private:
  void collect() {
    const Places places(module_, function_, ssa_);
    for (u32 b = 0; b < function_.blocks.size(); ++b) {
      const ir::Block& block = function_.blocks[b];
      for (u32 i = block.first; i < block.first + block.count; ++i) {
        const ir::Instruction& one = function_.instructions[i];
        if (!one.site.valid()) continue;
        access::Site& site = module_.sites[one.site.value];
        const bool known = site.kind == Kind::load || site.kind == Kind::store || is_atomic(site.kind);
        const ir::Opcode opcode = module_.form(one).opcode;
        const bool simple = opcode == ir::Opcode::ld || opcode == ir::Opcode::st ||
                            opcode == ir::Opcode::atom || opcode == ir::Opcode::red;
        if (!known || !simple || site.space == Space::constant || site.bytes == 0) continue;
        Member m{i, ir::BlockId(b), &site, {}, ssa_.of_guard[i], one.guard_negated, {}, false};
        m.place = places.of(one.first_operand + one.destinations);
        for (const MemoryInstruction* machine : code_.of[i])
          if (is_of_kind(site.kind, machine->opcode.kind)) m.own.push_back(machine);
        members_.push_back(std::move(m));
      }
    }
  }

  void settle(Member& m, Assembled how) {
    m.site->assembled = how;
    m.settled = true;
  }

  // Without a place in PTX of their own; once all is settled, as new sites move the others.
  void add_loads() {
    outcome_ = {1, static_cast<u32>(members_.size()), 0, 0};
    std::vector<ir::SiteId> loops;
    for (const Member& m : members_) {
      outcome_.changed += m.site->assembled != Assembled::as_written;
      outcome_.unclear += !m.settled && (m.own.empty() || (m.plain() && m.width() != m.site->bytes));
      if (m.site->assembled == Assembled::looped) loops.push_back(m.site->id);
    }
    for (ir::SiteId atomic : loops) {
      access::Site load = module_.sites[atomic.value];
      load.id = module_.sites[atomic.value].loop_load = ir::SiteId(module_.sites.size());
      load.kind = Kind::load, load.assembled = Assembled::as_written;
      module_.sites.push_back(std::move(load));
    }
  }

  void settle_atomic(Member& m) {
    if (m.own.empty()) return;
    auto all = [&](auto&& is) { return std::ranges::all_of(m.own, is); };
    if (all([](auto* one) { return one->opcode.combines; })) return settle(m, Assembled::combined);
    if (all([](auto* one) { return one->one_lane; })) return settle(m, Assembled::one_lane);
    const bool swaps = all([](auto* one) { return one->opcode.name == "ATOMS.CAS"; });
    const bool loads = std::ranges::any_of(code_.of[m.instruction],
                                           [](auto* one) { return one->opcode.kind == Kind::load; });
    if (swaps && loads && m.site->space == Space::shared) settle(m, Assembled::looped);
  }

  // The assembler sometimes says one variable's line of another's access. What is added to the registers tells: it is the same for
  // all accesses of a variable, but for their offsets.
  void return_strays() {
    auto at_variable = [](const Member& m) { return m.place.base == Place::Base::variable; };
    std::map<u32, std::set<i64>> where; // by variable
    std::vector<Member*> several;       // that may have another's
    for (Member& m : members_) {
      if (!at_variable(m)) continue;
      if (m.own.size() == 1) where[m.place.number].insert(m.own[0]->immediate - m.place.offset);
      if (m.own.size() > 1) several.push_back(&m);
    }
    for (Member& m : members_) {
      if (!at_variable(m) || !m.own.empty()) continue;
      auto is_at = [&](const MemoryInstruction* one, const Member& of) {
        return where[of.place.number].contains(one->immediate - of.place.offset);
      };
      for (Member* other : several) {
        if (other->place.number == m.place.number || other->site->kind != m.site->kind) continue;
        auto stray = std::ranges::find_if(other->own, [&](const MemoryInstruction* one) {
          return one->opcode.bytes == m.site->bytes && is_at(one, m) && !is_at(one, *other);
        });
        if (stray == other->own.end()) continue;
        m.own.push_back(*stray);
        other->own.erase(stray);
        break;
      }
    }
  }

  // Those that may become one: which block, base, kind and guard.
  using Group = std::tuple<u32, std::pair<Place::Base, u32>, Kind, Space, u32, bool>;
  static Group group_of(const Member& m) {
    return {m.block.value, m.place.root(), m.site->kind, m.site->space, m.guard, m.guard_negated};
  }

  // Windows of that width begin at `phase` modulo `width`; which one an access lies in, and whether it does so whole.
  static i64 window_of(const Member& m, i64 phase, u32 width) {
    const i64 from = m.place.offset - phase;
    return from >= 0 ? from / width : -((-from + width - 1) / width);
  }
  static bool fits(const Member& m, i64 phase, u32 width) {
    return window_of(m, phase, width) * width + phase + width >= m.end();
  }

  struct Window {
    std::vector<Member*> wide, without, narrow; // performed by a wide access; by none of their own; by others
    bool explains() const { return wide.size() == 1 && !without.empty(); }
  };
  // The windows that wide accesses of a group explain, all widths with one phase: where their arrays begin, modulo 16.
  struct Layout {
    std::vector<std::tuple<u32, i64, Window>> windows; // width, where it begins
    i64 agreement = 0; // accesses that are explained, less those that are at odds with it
  };
  static Layout layout_of(const std::vector<Member*>& members, i64 phase) {
    Layout out;
    std::set<const Member*> explained;
    for (u32 width = widest; width > 1; width /= 2) {
      std::map<i64, Window> windows;
      for (Member* m : members) {
        if (explained.contains(m) || m->site->bytes >= width || !fits(*m, phase % width, width)) continue;
        Window& window = windows[window_of(*m, phase % width, width)];
        (m->own.empty() ? window.without : m->width() == width ? window.wide : window.narrow).push_back(m);
      }
      for (auto& [number, window] : windows) {
        if (window.wide.empty()) continue;
        const auto size = [](const std::vector<Member*>& some) { return static_cast<i64>(some.size()); };
        out.agreement += size(window.without) - size(window.narrow) - 4 * (size(window.wide) - 1);
        if (!window.explains()) continue;
        for (const Member* m : window.without) explained.insert(m);
        explained.insert(window.wide[0]);
        out.windows.emplace_back(width, number * width + phase % width, std::move(window));
      }
    }
    return out;
  }

  // Wide accesses, made of narrower ones.
  void widen() {
    std::map<Group, std::vector<Member*>> groups;
    for (Member& m : members_)
      if (m.plain() && !m.settled && m.place.base != Place::Base::none) groups[group_of(m)].push_back(&m);
    for (auto& [group, members] : groups) {
      if (std::ranges::none_of(members, [](Member* m) { return m->width() > m->site->bytes; })) continue;
      u32 step = widest;
      for (const Member* m : members) step = std::gcd(step, m->site->bytes);
      Layout best = layout_of(members, 0);
      for (i64 phase = step; phase < widest; phase += step)
        if (Layout other = layout_of(members, phase); other.agreement > best.agreement)
          best = std::move(other);
      for (auto& [width, begin, window] : best.windows) {
        Member& m = *window.wide[0];
        settle(m, Assembled::widened);
        m.site->begins = static_cast<i8>(begin - m.place.offset);
        m.site->vector = static_cast<u8>(m.site->vector * width / m.site->bytes);
        m.site->bytes = static_cast<u8>(width);
        for (Member* other : window.without) settle(*other, Assembled::elsewhere);
      }
    }
  }

  // Neighbours in shared memory that are variables of their own, as far as their number and widths fit.
  void join_variables() {
    for (Member& m : members_) {
      if (m.settled || m.place.base != Place::Base::variable || m.width() <= m.site->bytes || !m.plain())
        continue;
      std::vector<Member*> others;
      u32 bytes = m.site->bytes;
      for (Member& other : members_) {
        if (&other == &m || other.settled || !other.own.empty() ||
            other.place.base != Place::Base::variable || other.block != m.block ||
            other.site->kind != m.site->kind || other.site->space != m.site->space || !same_guard(other, m))
          continue;
        others.push_back(&other);
        bytes += other.site->bytes;
      }
      if (bytes != m.width()) continue;
      settle(m, Assembled::widened);
      m.site->vector = static_cast<u8>(m.site->vector * bytes / m.site->bytes);
      m.site->bytes = static_cast<u8>(bytes);
      for (Member* other : others) settle(*other, Assembled::elsewhere);
    }
  }

  // Is what `m` accesses in the bytes of `other`? Of one that became wider, in those of PTX.
  static bool covers(const Member& other, const Member& m) {
    if (other.place.root() != m.place.root() || other.site->space != m.site->space) return false;
    const i64 begin = other.place.offset + other.site->begins;
    return begin <= m.place.offset && begin + other.site->bytes >= m.end();
  }
  bool comes_before(const Member& a, const Member& b) const {
    if (a.block == b.block) return a.instruction < b.instruction;
    return ssa_.dominates(a.block, b.block);
  }
  static bool same_guard(const Member& a, const Member& b) {
    return a.guard == b.guard && a.guard_negated == b.guard_negated;
  }

  // Every array of local memory is a copy of parameters, which the assembler then reads where they are: with an index that
  // only the run knows, as constant memory is read (LDC).
  bool local_is_parameters() const {
    std::set<u32> parameters; // values
    for (const ir::Instruction& one : function_.instructions)
      if (module_.form(one).opcode == ir::Opcode::ld && module_.form(one).space() == ir::StateSpace::param)
        for (u32 d = 0; d < one.destinations; ++d) parameters.insert(ssa_.of_operand[one.first_operand + d]);
    bool any = false;
    for (const Member& m : members_) {
      if (m.site->space != Space::local || m.site->kind != Kind::store) continue;
      const ir::Instruction& store = function_.instructions[m.instruction];
      for (u32 s = 1; s < store.sources; ++s)
        if (!parameters.contains(ssa_.of_operand[store.first_operand + store.destinations + s])) return false;
      any = true;
    }
    return any;
  }

  void drop() {
    const bool local_is_used = std::ranges::any_of(
        members_, [](const Member& m) { return m.site->space == Space::local && !m.own.empty(); });
    const bool parameters = !local_is_used && local_is_parameters();
    std::map<std::pair<Place::Base, u32>, std::vector<const Member*>> by_root;
    for (const Member& m : members_)
      if (m.place.base != Place::Base::none && !is_atomic(m.site->kind))
        by_root[m.place.root()].push_back(&m);
    for (Member& m : members_) {
      if (m.settled || !m.plain() || !m.own.empty()) continue;
      if (m.site->space == Space::local && !local_is_used) {
        const bool indexed = m.site->kind == Kind::load && m.place.base != Place::Base::variable;
        settle(m, parameters && indexed ? Assembled::parameter : Assembled::elsewhere);
        if (m.site->assembled == Assembled::parameter) m.site->space = Space::constant;
        continue;
      }
      if (m.place.base == Place::Base::none) continue;
      const std::vector<const Member*>& others = by_root[m.place.root()];
      const bool seen = std::ranges::any_of(others, [&](const Member* other) {
        if (other == &m || !covers(*other, m) || (other->guard != ir::no_value && !same_guard(*other, m)))
          return false;
        if (m.site->kind == Kind::load) return comes_before(*other, m);
        return other->site->kind == Kind::store && other->block == m.block &&
               other->instruction > m.instruction;
      });
      if (seen) settle(m, Assembled::elsewhere);
    }
  }

  // Loads whose machine instruction stands behind the branch that ends their block. The way that it is on is the only one that
  // needs the value; all else that could tell where the load stands must not be there.
  void follow_branches() {
    for (Member& m : members_) {
      if (m.settled || m.site->kind != Kind::load || m.guard != ir::no_value || m.own.size() != 1 ||
          m.width() != m.site->bytes || !code_.behind_branch[m.instruction])
        continue;
      const ir::Block& block = function_.blocks[m.block.value];
      const u32 end = block.first + block.count - 1;
      const ir::Instruction& branch = function_.instructions[end];
      if (module_.form(branch).opcode != ir::Opcode::bra || !branch.guard.valid() ||
          block.successors.size() != 2 || block.successors[0] == block.successors[1] ||
          !may_move(m.instruction, end))
        continue;
      const std::optional<std::vector<ir::BlockId>> users = users_of(m.instruction);
      if (!users || users->empty()) continue;
      for (u32 way = 0; way < 2; ++way) {
        const ir::BlockId there = block.successors[way];
        if (cfg_.predecessors[there.value].size() == 1 &&
            std::ranges::all_of(*users, [&](ir::BlockId user) { return ssa_.dominates(there, user); }))
          settle(m, way == 0 ? Assembled::if_taken : Assembled::unless_taken);
      }
    }
  }

  // Nothing from a load to the end of its block writes memory, waits for others, or changes a register of the load.
  bool may_move(u32 load, u32 end) const {
    const ir::Instruction& access = function_.instructions[load];
    const std::span<const ir::Operand> made = function_.destinations(access),
                                       read = function_.sources(access);
    for (ir::Modifier strong :
         {ir::Modifier::volatile_, ir::Modifier::relaxed, ir::Modifier::acquire, ir::Modifier::mmio})
      if (module_.form(access).has(strong)) return false;
    auto is_among = [](const ir::Operand& o, std::span<const ir::Operand> some) {
      return o.reg.valid() &&
             std::ranges::any_of(some, [&](const ir::Operand& one) { return one.reg == o.reg; });
    };
    for (u32 i = load; i < end; ++i) {
      const ir::Instruction& one = function_.instructions[i];
      const ir::Family family = module_.form(one).family();
      const bool loads = family == ir::Family::memory && module_.form(one).opcode == ir::Opcode::ld;
      if (family != ir::Family::compute && family != ir::Family::move && !loads) return false;
      for (const ir::Operand& o : function_.destinations(one))
        if (is_among(o, read) || (i != load && is_among(o, made))) return false;
    }
    return true;
  }

  // The blocks that read what an instruction makes; nothing where definitions meet, or lanes keep an older one.
  std::optional<std::vector<ir::BlockId>> users_of(u32 instruction) {
    if (readers_.empty()) find_readers();
    const ir::Instruction& one = function_.instructions[instruction];
    std::vector<ir::BlockId> out;
    for (u32 d = 0; d < one.destinations; ++d) {
      const u32 value = ssa_.of_operand[one.first_operand + d];
      if (value == ir::no_value) continue;
      if (kept_[value]) return {};
      out.insert(out.end(), readers_[value].begin(), readers_[value].end());
    }
    return out;
  }
  void find_readers() {
    readers_.resize(ssa_.values());
    kept_.resize(ssa_.values());
    auto keep = [&](u32 value) {
      if (value != ir::no_value) kept_[value] = true;
    };
    for (u32 b = 0; b < function_.blocks.size(); ++b) {
      const ir::Block& block = function_.blocks[b];
      for (const ir::Phi& phi : ssa_.phis[b]) std::ranges::for_each(phi.incoming, keep);
      for (u32 i = block.first; i < block.first + block.count; ++i) {
        const ir::Instruction& one = function_.instructions[i];
        keep(ssa_.of_guard[i]);
        for (u32 o = one.first_operand; o < one.first_operand + one.destinations + one.sources; ++o) {
          keep(ssa_.overwritten[o]);
          const bool reads = o >= one.first_operand + one.destinations;
          if (const u32 value = ssa_.of_operand[o]; reads && value != ir::no_value)
            readers_[value].push_back(ir::BlockId(b));
        }
      }
    }
  }

  ir::Module& module_;
  const ir::Function& function_;
  const FunctionCode& code_;
  ir::Cfg cfg_;
  ir::Ssa ssa_;
  std::vector<Member> members_;
  Outcome outcome_;
  std::vector<std::vector<ir::BlockId>> readers_; // [values]
  std::vector<bool> kept_; // [values]: by a phi, a guard, or the lanes that a guard excludes
};

} // namespace

Outcome apply(ir::Module& module, const ir::Function& function, const FunctionCode& code) {
  return Matching(module, function, code).run();
}

} // namespace warplens::assembly
