// Three steps: what values come from follows from atomics and polling loads (Origins, over all functions until nothing
// changes); which blocks run as often as such values say (Labels: the body of a loop that ends by one, else what lies
// between a branch and the place where its ways meet); and the accesses there, or with such addresses.
#include "ir/timing.h"
#include "ir/added_operands.h"
#include "ir/cfg.h"
#include "ir/values.h"
#include <algorithm>

namespace warplens::ir {
namespace {

using access::Timing;

// What a value may come from.
using ValueOrigin = u8;
constexpr ValueOrigin
    polled = 1, // a load that polls, or a clock: says nothing but in the condition of a loop's end
    ticket = 2, // atomicAdd and its like: a value that no other thread gets
    race = 4;   // whatever else an atomic returns, and what follows from it

bool reads_clock(const Operand& o) {
  return o.kind == Operand::Kind::special &&
         (o.special == Special::clock || o.special == Special::clock_hi || o.special == Special::clock64 ||
          o.special == Special::globaltimer || o.special == Special::globaltimer_lo ||
          o.special == Special::globaltimer_hi);
}

ValueOrigin of_atomic(const Form& form, std::span<const Operand> sources) {
  bool nothing = sources.size() > 1 && sources[1].kind == Operand::Kind::immediate && sources[1].value == 0;
  switch (form.atomic_op()) {
  case AtomicOp::add: return nothing ? polled : ticket;
  case AtomicOp::or_:
  case AtomicOp::xor_: return nothing ? polled : race;
  case AtomicOp::inc:
  case AtomicOp::dec: return ticket;
  default: return race;
  }
}

// Whether different tickets stay different, so that one thread alone finds the value that it compares with.
bool keeps_apart(Opcode opcode) { return opcode == Opcode::cvt || !summands(opcode).empty(); }

class Origins {
public:
  Origins(const Module& module, std::span<const FunctionId> functions) : module_(module) {
    for (FunctionId id : functions) values_.try_emplace(id, module.functions[id.value], either);
    do {
      changed_ = false;
      for (FunctionId id : functions) {
        values_of_ = &values_.at(id);
        values_of_->settle([&](const Instruction& i) { follow(module.functions[id.value], i); });
      }
    } while (changed_);
  }

  // Of an operand, and of an instruction's guard, of that function.
  ValueOrigin of(FunctionId function, const Operand& o) const { return values_.at(function).of(o); }
  ValueOrigin of_guard(FunctionId function, const Instruction& i) const {
    return values_.at(function).of_guard(i);
  }

private:
  static ValueOrigin either(const ValueOrigin& a, const ValueOrigin& b) {
    return static_cast<ValueOrigin>(a | b);
  }
  ValueOrigin of(const Operand& o) const {
    ValueOrigin out = values_of_->of(o) | (reads_clock(o) ? polled : 0);
    if (o.variable.valid())
      if (auto known = variables_.find(o.variable); known != variables_.end()) out |= known->second;
    return out;
  }
  void grow(ValueOrigin& known, ValueOrigin more) {
    changed_ |= (known | more) != known;
    known |= more;
  }
  void give(const Instruction& i, const Operand& to, ValueOrigin origin) {
    if (to.kind == Operand::Kind::reg)
      values_of_->define(i, to, origin);
    else if (origin != 0 && to.variable.valid() &&
             module_.variables[to.variable.value].space == StateSpace::param)
      grow(variables_[to.variable], origin);
  }

  void follow(const Function& function, const Instruction& i) {
    const Form& form = module_.form(i);
    std::span<const Operand> sources = function.sources(i);
    if (form.opcode == Opcode::call) return pass(function, i);
    ValueOrigin in = values_of_->of_guard(i);
    for (const Operand& source : sources) in |= of(source);
    if (form.opcode == Opcode::st && form.space() == StateSpace::param && !sources.empty())
      return give(i, sources[0], in);
    ValueOrigin out = result(form, sources, in);
    for (const Operand& to : function.destinations(i)) give(i, to, out);
  }

  ValueOrigin result(const Form& form, std::span<const Operand> sources, ValueOrigin in) const {
    bool follows = (in & (ticket | race)) != 0;
    switch (form.opcode) {
    case Opcode::ld:
      if (form.space() == StateSpace::param) return in;
      return static_cast<ValueOrigin>((follows ? race : 0) | (polls(form) ? polled : 0));
    case Opcode::mbarrier: return polls(form) ? polled : 0;
    case Opcode::atom: return static_cast<ValueOrigin>(of_atomic(form, sources) | (follows ? race : 0));
    case Opcode::setp: {
      bool equality = form.comparison() == Comparison::eq || form.comparison() == Comparison::ne;
      if (equality && !(in & race)) return in & polled;
      break;
    }
    default: break;
    }
    if (keeps_apart(form.opcode)) return in;
    return static_cast<ValueOrigin>((in & polled) | (follows ? race : 0));
  }

  // Arguments and results; through a pointer nothing is known to be passed.
  void pass(const Function& function, const Instruction& i) {
    std::span<const Operand> sources = function.sources(i), results = function.destinations(i);
    if (sources.empty() || !sources[0].function.valid()) return;
    const Function& callee = module_.functions[sources[0].function.value];
    for (std::size_t a = 0; a + 1 < sources.size() && a < callee.parameters.size(); ++a)
      if (ValueOrigin origin = of(sources[a + 1])) grow(variables_[callee.parameters[a]], origin);
    for (std::size_t r = 0; r < results.size() && r < callee.results.size(); ++r)
      if (auto known = variables_.find(callee.results[r]); known != variables_.end())
        give(i, results[r], known->second);
  }

  const Module& module_;
  std::unordered_map<FunctionId, Values<ValueOrigin>> values_;
  std::unordered_map<VariableId, ValueOrigin> variables_; // .param
  Values<ValueOrigin>* values_of_ = nullptr;              // of the function at hand
  bool changed_ = false;
};

using Blocks = std::vector<bool>;

// The bodies of natural loops, those with one head together.
std::vector<Blocks> loops_of(const Function& function, const Cfg& cfg) {
  std::vector<u32> order(function.blocks.size(), ~u32{0});
  for (u32 i = 0; i < cfg.reverse_post_order.size(); ++i) order[cfg.reverse_post_order[i].value] = i;
  std::unordered_map<u32, Blocks> by_head;
  for (BlockId from : cfg.reverse_post_order)
    for (BlockId head : function.blocks[from.value].successors) {
      if (order[head.value] > order[from.value]) continue;
      Blocks& body = by_head.try_emplace(head.value, function.blocks.size()).first->second;
      body[head.value] = true;
      std::vector<u32> open{from.value};
      while (!open.empty()) {
        u32 b = open.back();
        open.pop_back();
        if (body[b]) continue;
        body[b] = true;
        for (BlockId p : cfg.predecessors[b]) open.push_back(p.value);
      }
    }
  std::vector<Blocks> out;
  for (auto& [head, body] : by_head) out.push_back(std::move(body));
  return out;
}

// The blocks of one function that run as often as timing says.
class Labels {
public:
  Labels(const Module& module, FunctionId id, const Origins& origins)
      : module_(module), id_(id), function_(module.functions[id.value]), origins_(origins) {
    for (u32 b = 0; b < function_.blocks.size(); ++b)
      if (ValueOrigin origin = condition_of(b)) label(b, origin);
  }
  Timing of(u32 block) const { return blocks_.empty() ? Timing::none : blocks_[block]; }

private:
  // Of what decides where a block goes on, or whether a thread ends there.
  ValueOrigin condition_of(u32 b) const {
    const Block& block = function_.blocks[b];
    if (block.count == 0) return {};
    const Instruction& last = function_.instructions[block.first + block.count - 1];
    if (module_.form(last).family() != Family::control || module_.form(last).opcode == Opcode::call)
      return {};
    ValueOrigin out = origins_.of_guard(id_, last);
    if (last.target_count != 0)
      for (const Operand& source : function_.sources(last)) out |= origins_.of(id_, source);
    return out;
  }

  void analyse_flow() {
    if (!blocks_.empty()) return;
    blocks_.resize(function_.blocks.size());
    cfg_ = analyse(function_);
    loops_ = loops_of(function_, cfg_);
  }

  // The largest loop that the block can leave.
  const Blocks* loop_left(u32 b) const {
    const std::vector<BlockId>& next = function_.blocks[b].successors;
    const Blocks* out = nullptr;
    long most = 0;
    for (const Blocks& body : loops_) {
      bool leaves =
          next.size() < 2 || std::any_of(next.begin(), next.end(), [&](BlockId s) { return !body[s.value]; });
      long size = std::count(body.begin(), body.end(), true);
      if (body[b] && leaves && size > most) out = &body, most = size;
    }
    return out;
  }

  template <class F> bool any_in(const Blocks& body, F&& f) const {
    for (u32 b = 0; b < body.size(); ++b)
      for (u32 i = 0; body[b] && i < function_.blocks[b].count; ++i)
        if (f(function_.instructions[function_.blocks[b].first + i])) return true;
    return false;
  }
  bool polls_in(const Blocks& body) const {
    return any_in(body, [&](const Instruction& i) {
      const Form& form = module_.form(i);
      std::span<const Operand> sources = function_.sources(i);
      if (form.opcode == Opcode::atom)
        return of_atomic(form, sources) == polled || form.atomic_op() == AtomicOp::exch ||
               form.atomic_op() == AtomicOp::cas;
      return polls(form) || form.opcode == Opcode::call ||
             std::any_of(sources.begin(), sources.end(), reads_clock);
    });
  }
  // Whether a compare-and-swap expects what was found before, rather than a constant, as locks do.
  bool swaps_in(const Blocks& body) const {
    return any_in(body, [&](const Instruction& i) {
      const Form& form = module_.form(i);
      if (form.opcode != Opcode::atom || form.atomic_op() != AtomicOp::cas || i.sources < 2) return false;
      const Operand& expected = function_.sources(i)[1];
      return (origins_.of(id_, expected) & race) != 0 || is_found_in(body, expected);
    });
  }
  // Whether a register gets its value in a loop, and not a constant's.
  bool is_found_in(const Blocks& body, const Operand& value) const {
    return value.kind == Operand::Kind::reg && any_in(body, [&](const Instruction& i) {
             std::span<const Operand> to = function_.destinations(i), from = function_.sources(i);
             bool constant = from.size() == 1 && from[0].kind == Operand::Kind::immediate;
             return !constant &&
                    std::any_of(to.begin(), to.end(), [&](const Operand& o) { return o.reg == value.reg; });
           });
  }

  void label(u32 b, ValueOrigin origin) {
    analyse_flow();
    const Blocks* loop = loop_left(b);
    if (loop != nullptr && (origin & race) && swaps_in(*loop)) return mark(*loop, Timing::retry);
    if (loop != nullptr && (origin & (polled | race)) && polls_in(*loop)) return mark(*loop, Timing::spin);
    if (!(origin & (ticket | race))) return;
    mark(loop != nullptr ? *loop : between(b), Timing::race);
  }

  // What is reached from a branch before its ways meet.
  Blocks between(u32 b) const {
    Blocks out(function_.blocks.size());
    std::vector<BlockId> open = function_.blocks[b].successors;
    while (!open.empty()) {
      BlockId at = open.back();
      open.pop_back();
      if (at == cfg_.post_dominator[b] || out[at.value]) continue;
      out[at.value] = true;
      for (BlockId s : function_.blocks[at.value].successors) open.push_back(s);
    }
    return out;
  }

  void mark(const Blocks& body, Timing timing) {
    for (u32 b = 0; b < body.size(); ++b)
      if (body[b] && (blocks_[b] == Timing::none || timing < blocks_[b])) blocks_[b] = timing;
  }

  const Module& module_;
  FunctionId id_;
  const Function& function_;
  const Origins& origins_;
  Cfg cfg_;
  std::vector<Blocks> loops_;
  std::vector<Timing> blocks_; // empty while there is nothing to say
};

// What ptxas makes a loop of a load and a compare-and-swap of.
bool becomes_loop(const Form& form) {
  if ((form.opcode != Opcode::atom && form.opcode != Opcode::red) || form.space() != StateSpace::shared)
    return false;
  AtomicOp op = form.atomic_op();
  return is_float(form.type()) || (bits(form.type()) == 64 && op != AtomicOp::cas && op != AtomicOp::exch);
}

} // namespace

bool polls(const Form& form) {
  if (form.opcode == Opcode::mbarrier) return form.has(Modifier::test_wait) || form.has(Modifier::try_wait);
  return form.opcode == Opcode::ld && form.space() != StateSpace::param &&
         (form.has(Modifier::volatile_) || form.has(Modifier::relaxed) || form.has(Modifier::acquire) ||
          form.has(Modifier::cv));
}

std::unordered_map<SiteId, Timing> timing_dependence(const Module& module,
                                                     std::span<const FunctionId> functions) {
  std::unordered_map<SiteId, Timing> out;
  Origins origins(module, functions);
  std::unordered_map<FunctionId, Timing> whole; // functions that are called where timing says
  auto strengthen = [](Timing& known, Timing timing) {
    if (timing != Timing::none && (known == Timing::none || timing < known)) return known = timing, true;
    return false;
  };
  auto visit = [&](FunctionId id, const Labels& labels) {
    const Function& function = module.functions[id.value];
    auto caller = whole.find(id);
    const Timing inherited = caller != whole.end() ? caller->second : Timing::none;
    bool news = false;
    for (u32 b = 0; b < function.blocks.size(); ++b)
      for (u32 n = 0; n < function.blocks[b].count; ++n) {
        const Instruction& i = function.instructions[function.blocks[b].first + n];
        Timing timing = inherited;
        strengthen(timing, labels.of(b));
        ValueOrigin origin = origins.of_guard(id, i);
        std::span<const Operand> sources = function.sources(i);
        for (const Operand& source : sources)
          if (i.site.valid() && source.kind == Operand::Kind::address) origin |= origins.of(id, source);
        if (origin & (ticket | race)) strengthen(timing, Timing::race);
        if (becomes_loop(module.form(i))) strengthen(timing, Timing::retry);
        if (timing == Timing::none) continue;
        if (i.site.valid()) strengthen(out[i.site], timing);
        if (module.form(i).opcode == Opcode::call && !sources.empty() && sources[0].function.valid())
          news |= strengthen(whole[sources[0].function], timing);
      }
    return news;
  };
  std::vector<Labels> labels;
  labels.reserve(functions.size());
  for (FunctionId id : functions) labels.emplace_back(module, id, origins);
  for (bool news = true; news;) {
    news = false;
    for (std::size_t f = 0; f < functions.size(); ++f) news |= visit(functions[f], labels[f]);
  }
  return out;
}

} // namespace warplens::ir
