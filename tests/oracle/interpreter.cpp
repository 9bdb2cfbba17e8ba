// A thread at a time from barrier to barrier, with maps for registers and memory. See interpreter.h.
#include "oracle/interpreter.h"
#include "oracle/scalar.h"
#include "oracle/warp_ops.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace warplens::oracle {
namespace {

struct Failure : std::runtime_error { // ends the launch; interpret() turns it into Outcome::error
  using runtime_error::runtime_error;
};

// A loop of a function by its blocks' text order: from the target of a backward branch to the last such
// branch.
struct Loop {
  u32 first, last;
};
std::vector<Loop> loops_of(const ir::Function& function) {
  std::map<u32, u32> loops;
  for (u32 block = 0; block < function.blocks.size(); ++block)
    for (ir::BlockId to : function.blocks[block].successors)
      if (to.value <= block) loops[to.value] = std::max(loops[to.value], block);
  std::vector<Loop> out;
  for (auto [first, last] : loops) out.push_back({first, last});
  return out;
}

struct Frame {
  u32 function = 0, block = 0, index = 0; // index: within Function::instructions
  std::map<u32, u64> registers;
  std::map<u32, std::vector<std::byte>> parameters; // .param variables by id
  std::map<u32, u64> locals;                        // .local variables: offset in the thread's local memory
  std::vector<u32> iterations;                      // per loop of the function
  const ir::Instruction* call = nullptr;            // the caller's instruction
};

enum class State : u8 { running, at_warp_op, at_barrier, exited };

struct Thread {
  u64 index = 0; // linear in the CTA
  Dim3 id;
  State state = State::running;
  std::vector<Frame> frames;
  std::vector<std::byte> local;
};

class Cta {
public:
  Cta(const ir::Module& module, const Launch& launch, GlobalMemory& global, Outcome& outcome, u64 index)
      : module_(module), launch_(launch), global_(global), outcome_(outcome), index_(index) {
    place_shared();
    for (u64 i = 0; i < launch.block.count(); ++i) threads_.push_back(start(i));
  }

  void run() {
    for (bool alive = true; alive;) {
      alive = false;
      bool progress = false;
      for (Thread& thread : threads_) progress |= run_until_stop(thread);
      progress |= release_warps();
      progress |= release_barriers();
      for (const Thread& thread : threads_) alive |= thread.state != State::exited;
      if (alive && !progress)
        throw Failure("no thread can go on: a barrier or warp operation waits for ever");
    }
  }

private:
  // --- set-up
  void place_shared() {
    u64 offset = 0;
    for (u32 v = 0; v < module_.variables.size(); ++v) {
      const ir::Variable& variable = module_.variables[v];
      if (variable.space != ir::StateSpace::shared || variable.size == 0) continue;
      offset = (offset + variable.alignment - 1) / variable.alignment * variable.alignment;
      shared_at_[v] = offset;
      offset += variable.size;
    }
    offset = (offset + 15) / 16 * 16;
    for (u32 v = 0; v < module_.variables.size(); ++v)
      if (module_.variables[v].space == ir::StateSpace::shared && module_.variables[v].size == 0)
        shared_at_[v] = offset;
    shared_.resize(offset + launch_.dynamic_shared);
  }

  Thread start(u64 index) {
    Thread thread;
    thread.index = index;
    const Dim3& b = launch_.block;
    thread.id = {static_cast<u32>(index % b.x), static_cast<u32>(index / b.x % b.y),
                 static_cast<u32>(index / b.x / b.y)};
    enter(thread, launch_.kernel.value);
    u64 offset = 0;
    for (ir::VariableId id : function(thread).parameters) {
      const ir::Variable& variable = module_.variables[id.value];
      offset = (offset + variable.alignment - 1) / variable.alignment * variable.alignment;
      if (offset + variable.size > launch_.parameters.size()) throw Failure("too few parameter bytes");
      std::copy_n(launch_.parameters.begin() + static_cast<std::ptrdiff_t>(offset), variable.size,
                  thread.frames.back().parameters[id.value].begin());
      offset += variable.size;
    }
    return thread;
  }

  void enter(Thread& thread, u32 function_id) {
    if (thread.frames.size() > 512) throw Failure("call stack overflow");
    const ir::Function& callee = module_.functions[function_id];
    if (callee.external || callee.blocks.empty()) throw Failure("call of external function " + callee.name);
    Frame frame;
    frame.function = function_id;
    frame.index = callee.blocks[0].first;
    frame.iterations.resize(loops(function_id).size());
    for (ir::VariableId id : callee.variables) {
      const ir::Variable& variable = module_.variables[id.value];
      if (variable.space == ir::StateSpace::param) frame.parameters[id.value].resize(variable.size);
      if (variable.space != ir::StateSpace::local) continue;
      u64 at = (thread.local.size() + variable.alignment - 1) / variable.alignment * variable.alignment;
      frame.locals[id.value] = at;
      thread.local.resize(at + variable.size);
    }
    thread.frames.push_back(std::move(frame));
  }

  const std::vector<Loop>& loops(u32 function_id) {
    auto [it, is_new] = loops_.try_emplace(function_id);
    if (is_new) it->second = loops_of(module_.functions[function_id]);
    return it->second;
  }

  // --- operands
  const ir::Function& function(const Thread& thread) const {
    return module_.functions[thread.frames.back().function];
  }
  const ir::Instruction& at(const Thread& thread) const {
    return function(thread).instructions[thread.frames.back().index];
  }
  const Spelling& spelling(const ir::Instruction& i) {
    auto [it, is_new] = spellings_.try_emplace(i.form.value);
    if (is_new) it->second = spell(module_.forms[i.form.value].text);
    return it->second;
  }

  u32 register_bits(const Thread& thread, ir::RegisterId id) const {
    return ir_bits(function(thread).registers[id.value].type);
  }
  static u32 ir_bits(ir::Type type) {
    static constexpr u32 widths[] = {
        0,
#define TYPE(id, text, bits, class) bits,
#include "ir/types.def"
#undef TYPE
    };
    return widths[static_cast<std::size_t>(type)];
  }

  u64 variable_address(const Thread& thread, const ir::Operand& o) const {
    u32 v = o.variable.value;
    const ir::Variable& variable = module_.variables[v];
    if (variable.space == ir::StateSpace::shared) return shared_at_.at(v) + o.value;
    if (variable.space == ir::StateSpace::local) return thread.frames.back().locals.at(v) + o.value;
    if (variable.space == ir::StateSpace::param) return param_offset(thread, v) + o.value;
    auto placed = launch_.placed.find(v);
    if (placed == launch_.placed.end()) throw Failure("variable " + variable.name + " has no address");
    return placed->second + o.value;
  }

  static u64 register_value(const Thread& thread, ir::RegisterId id) {
    const std::map<u32, u64>& registers = thread.frames.back().registers;
    auto it = registers.find(id.value);
    return it == registers.end() ? 0 : it->second;
  }

  u64 read(const Thread& thread, const ir::Operand& o) const {
    using Kind = ir::Operand::Kind;
    switch (o.kind) {
    case Kind::reg: return register_value(thread, o.reg) ^ u64 { o.negated };
    case Kind::immediate: return o.negated ? o.value ^ 1 : o.value;
    case Kind::special: return special(thread, std::string(ir_special_name(o.special)));
    case Kind::variable: return variable_address(thread, o);
    case Kind::function: return o.function.value + 1;
    default: return 0;
    }
  }
  static std::string_view ir_special_name(ir::Special s) {
    static constexpr std::string_view names[] = {
#define SPECIAL(id, text, bits) text,
#include "ir/specials.def"
#undef SPECIAL
    };
    return names[static_cast<std::size_t>(s)];
  }

  u64 special(const Thread& t, const std::string& name) const {
    const Dim3 &g = launch_.grid, &b = launch_.block;
    Dim3 cta{static_cast<u32>(index_ % g.x), static_cast<u32>(index_ / g.x % g.y),
             static_cast<u32>(index_ / g.x / g.y)};
    u32 lane = static_cast<u32>(t.index % warp_size), bit = u32{1} << lane;
    const std::map<std::string, u64> values = {{"%tid.x", t.id.x},
                                               {"%tid.y", t.id.y},
                                               {"%tid.z", t.id.z},
                                               {"%ntid.x", b.x},
                                               {"%ntid.y", b.y},
                                               {"%ntid.z", b.z},
                                               {"%ctaid.x", cta.x},
                                               {"%ctaid.y", cta.y},
                                               {"%ctaid.z", cta.z},
                                               {"%nctaid.x", g.x},
                                               {"%nctaid.y", g.y},
                                               {"%nctaid.z", g.z},
                                               {"%laneid", lane},
                                               {"%warpid", t.index / warp_size},
                                               {"%nwarpid", (b.count() + 31) / 32},
                                               {"%lanemask_eq", bit},
                                               {"%lanemask_lt", bit - 1},
                                               {"%lanemask_le", bit | (bit - 1)},
                                               {"%lanemask_gt", ~(bit | (bit - 1))},
                                               {"%lanemask_ge", ~(bit - 1)}};
    auto it = values.find(name);
    if (it == values.end()) throw Failure("special register " + name);
    return it->second;
  }

  void write(Thread& thread, const ir::Operand& o, u64 value) {
    if (o.kind == ir::Operand::Kind::none) return;
    thread.frames.back().registers[o.reg.value] = truncated(value, register_bits(thread, o.reg));
  }

  // --- memory
  u64 param_offset(const Thread& thread, u32 variable) const {
    u64 offset = 0;
    for (ir::VariableId id : module_.functions[thread.frames.front().function].parameters) {
      const ir::Variable& v = module_.variables[id.value];
      offset = (offset + v.alignment - 1) / v.alignment * v.alignment;
      if (id.value == variable) return offset;
      offset += v.size;
    }
    throw Failure("address of a parameter that is not the kernel's");
  }

  struct Place {
    std::string space; // global shared local const param
    u64 address = 0;   // in its space
  };
  Place locate(const Thread& thread, const Spelling& s, const ir::Operand& o) const {
    u64 address = o.value;
    if (o.variable.valid()) address = variable_address(thread, o);
    if (o.reg.valid()) address += register_value(thread, o.reg);
    for (const char* space : {"global", "local", "const"})
      if (s.has(space)) return {space, address};
    if (s.has("shared") || s.has("shared::cta")) return {"shared", truncated(address, 32)};
    auto within = [&](u64 window) {
      return window != 0 && address >= window && address - window < launch_.window_size;
    };
    if (within(launch_.shared_window)) return {"shared", address - launch_.shared_window};
    if (within(launch_.local_window)) return {"local", address - launch_.local_window};
    return {"global", address};
  }

  std::byte* bytes_at(Thread& thread, const Place& place, u32 size) {
    if (place.address % size != 0) throw Failure("misaligned " + place.space + " address");
    if (place.space == "shared" || place.space == "local") {
      std::vector<std::byte>& memory = place.space == "shared" ? shared_ : thread.local;
      if (place.address + size > memory.size()) throw Failure(place.space + " address out of bounds");
      return memory.data() + place.address;
    }
    auto region = global_.upper_bound(place.address);
    if (region == global_.begin()) throw Failure("global address out of bounds");
    --region;
    if (place.address + size > region->first + region->second.size())
      throw Failure("global address out of bounds");
    return region->second.data() + (place.address - region->first);
  }

  // ld.param, st.param: the bytes of a .param variable, or of the kernel's parameters through a register.
  std::byte* param_bytes(Thread& thread, const ir::Operand& o, u32 size) {
    Frame& frame = thread.frames.back();
    if (o.variable.valid() && !o.reg.valid()) {
      std::vector<std::byte>& bytes = frame.parameters.at(o.variable.value);
      if (o.value + size > bytes.size()) throw Failure("parameter access out of bounds");
      return bytes.data() + o.value;
    }
    u64 address = register_value(thread, o.reg) + o.value;
    if (address >= launch_.param_window && launch_.param_window != 0) address -= launch_.param_window;
    for (ir::VariableId id : module_.functions[thread.frames.front().function].parameters) {
      u64 begin = param_offset(thread, id.value), end = begin + module_.variables[id.value].size;
      if (address >= begin && address + size <= end)
        return thread.frames.front().parameters.at(id.value).data() + (address - begin);
    }
    throw Failure("parameter access out of bounds");
  }

  void record(const Thread& thread, const ir::Instruction& i, const Spelling& s, const Place& place,
              u32 size) {
    if (!i.site.valid())
      throw Failure("memory instruction without a site: " + module_.forms[i.form.value].text);
    static const std::map<std::string, access::Space> spaces = {{"global", access::Space::global},
                                                                {"shared", access::Space::shared},
                                                                {"local", access::Space::local},
                                                                {"const", access::Space::constant}};
    static const std::map<std::string, access::Kind> kinds = {{"ld", access::Kind::load},
                                                              {"ldu", access::Kind::load},
                                                              {"st", access::Kind::store},
                                                              {"atom", access::Kind::atomic},
                                                              {"red", access::Kind::reduction}};
    u32 warp = static_cast<u32>(thread.index / warp_size), lane = static_cast<u32>(thread.index % warp_size);
    std::vector<u64> key{i.site.value, warp, static_cast<u64>(spaces.at(place.space))};
    for (const Frame& frame : thread.frames) {
      key.push_back(frame.index);
      const std::vector<Loop>& all = loops(frame.function);
      for (std::size_t l = 0; l < all.size(); ++l)
        if (frame.block >= all[l].first && frame.block <= all[l].last) key.push_back(frame.iterations[l]);
    }
    auto [it, is_new] = recorded_.try_emplace(key, outcome_.accesses.size());
    if (is_new) {
      access::WarpAccess access;
      access.site = i.site;
      access.space = spaces.at(place.space);
      access.kind = kinds.at(s.opcode);
      access.bytes = static_cast<u8>(size);
      outcome_.accesses.push_back(access);
    }
    access::WarpAccess& access = outcome_.accesses[it->second];
    access.active |= u32{1} << lane;
    access.address[lane] = place.address;
  }

  static u32 vector_of(const Spelling& s) { return s.has("v8") ? 8 : s.has("v4") ? 4 : s.has("v2") ? 2 : 1; }

  void load_or_store(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    bool is_load = s.opcode != "st";
    auto destinations = function(thread).destinations(i), sources = function(thread).sources(i);
    u32 count = vector_of(s), each = s.type().width() / 8;
    std::byte* at;
    if (s.has("param") || s.has("param::entry") || s.has("param::func")) {
      at = param_bytes(thread, sources[0], each * count);
    } else {
      Place place = locate(thread, s, sources[0]);
      at = bytes_at(thread, place, each * count);
      record(thread, i, s, place, each * count);
    }
    for (u32 k = 0; k < count; ++k) {
      u64 value = 0;
      if (is_load) {
        std::memcpy(&value, at + k * each, each);
        write(thread, destinations[k], extended(value, 8 * each, s.type().is_signed()));
      } else {
        value = read(thread, sources[1 + k]);
        std::memcpy(at + k * each, &value, each);
      }
    }
  }

  void atomic(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    auto destinations = function(thread).destinations(i), sources = function(thread).sources(i);
    if (vector_of(s) != 1 || s.type().width() > 64) throw Failure("vector atomic");
    u32 size = s.type().width() / 8;
    Place place = locate(thread, s, sources[0]);
    std::byte* at = bytes_at(thread, place, size);
    record(thread, i, s, place, size);
    u64 old = 0, operands[2] = {read(thread, sources[1]), sources.size() > 2 ? read(thread, sources[2]) : 0};
    std::memcpy(&old, at, size);
    u64 now = atomic_result(s, old, operands);
    std::memcpy(at, &now, size);
    if (!destinations.empty()) write(thread, destinations[0], extended(old, 8 * size, s.type().is_signed()));
  }

  // --- control
  void go_to(Thread& thread, u32 block) {
    Frame& frame = thread.frames.back();
    const std::vector<Loop>& all = loops(frame.function);
    for (std::size_t l = 0; l < all.size(); ++l) {
      bool was_inside = frame.block >= all[l].first && frame.block <= all[l].last;
      if (block == all[l].first && was_inside)
        ++frame.iterations[l];
      else if (!was_inside)
        frame.iterations[l] = 0;
    }
    frame.block = block;
    frame.index = module_.functions[frame.function].blocks[block].first;
  }

  // The next instruction of the block, or the block that follows in the text.
  void advance(Thread& thread) {
    Frame& frame = thread.frames.back();
    const ir::Function& f = module_.functions[frame.function];
    const ir::Block* block = &f.blocks[frame.block];
    if (++frame.index < block->first + block->count) return;
    fall_through(thread);
  }
  void fall_through(Thread& thread) {
    u32 next = thread.frames.back().block + 1;
    if (next >= function(thread).blocks.size())
      leave(thread);
    else
      go_to(thread, next);
    skip_empty_blocks(thread);
  }
  void skip_empty_blocks(Thread& thread) {
    if (thread.state != State::running) return;
    if (function(thread).blocks[thread.frames.back().block].count == 0) fall_through(thread);
  }

  void call(Thread& thread, const ir::Instruction& i) {
    auto sources = function(thread).sources(i);
    u64 callee = read(thread, sources[0]);
    if (callee == 0 || callee > module_.functions.size()) throw Failure("call of no function");
    Frame caller = thread.frames.back();
    enter(thread, static_cast<u32>(callee - 1));
    Frame& frame = thread.frames.back();
    frame.call = &i;
    const ir::Function& f = module_.functions[frame.function];
    for (u32 k = 1; k < sources.size(); ++k) {
      const ir::Operand& argument = sources[k];
      if (k - 1 < f.parameters.size() && argument.kind == ir::Operand::Kind::variable)
        frame.parameters[f.parameters[k - 1].value] = caller.parameters.at(argument.variable.value);
      else if (k - 1 < f.register_parameters.size())
        frame.registers[f.register_parameters[k - 1].value] = caller.registers[argument.reg.value];
    }
  }

  void leave(Thread& thread) {
    Frame frame = std::move(thread.frames.back());
    thread.frames.pop_back();
    if (thread.frames.empty()) {
      thread.state = State::exited;
      thread.frames.push_back(std::move(frame)); // special registers of an exited thread stay readable
      return;
    }
    u64 lowest = thread.local.size();
    for (auto [variable, at] : frame.locals) lowest = std::min(lowest, at);
    thread.local.resize(lowest);
    const ir::Function& f = module_.functions[frame.function];
    auto destinations = function(thread).destinations(*frame.call);
    for (u32 k = 0; k < destinations.size(); ++k) {
      if (destinations[k].kind == ir::Operand::Kind::variable)
        thread.frames.back().parameters[destinations[k].variable.value] =
            frame.parameters.at(f.results[k].value);
      else
        write(thread, destinations[k], frame.registers[f.register_results[k].value]);
    }
    advance(thread);
  }

  // --- one instruction
  bool guarded_off(const Thread& thread, const ir::Instruction& i) const {
    if (!i.guard.valid()) return false;
    return (register_value(thread, i.guard) != 0) == i.guard_negated;
  }

  bool control(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    auto sources = function(thread).sources(i);
    if (s.opcode == "bra") {
      go_to(thread, sources[0].block.value);
      skip_empty_blocks(thread);
    } else if (s.opcode == "brx") {
      auto targets = function(thread).branch_targets(i);
      u64 choice = truncated(read(thread, sources[0]), 32);
      if (choice >= targets.size()) throw Failure("brx index out of range");
      go_to(thread, targets[choice].value);
      skip_empty_blocks(thread);
    } else if (s.opcode == "call") {
      call(thread, i);
    } else if (s.opcode == "ret") {
      leave(thread);
    } else if (s.opcode == "exit") {
      thread.state = State::exited;
    } else {
      return false;
    }
    return true;
  }

  void move(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    auto d = function(thread).destinations(i), in = function(thread).sources(i);
    if (s.opcode == "cvta") return convert_address(thread, i, s);
    u32 width = s.type().width();
    if (d.size() == in.size()) {
      for (u32 k = 0; k < d.size(); ++k) write(thread, d[k], read(thread, in[k]));
    } else if (d.size() == 1) { // mov.b64 d, {a, b}
      u64 packed = 0;
      u32 part = width / static_cast<u32>(in.size());
      for (u32 k = 0; k < in.size(); ++k) packed |= truncated(read(thread, in[k]), part) << (part * k);
      write(thread, d[0], packed);
    } else {
      u32 part = width / static_cast<u32>(d.size());
      for (u32 k = 0; k < d.size(); ++k)
        write(thread, d[k], truncated(read(thread, in[0]) >> (part * k), part));
    }
  }

  void convert_address(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    u64 value = read(thread, function(thread).sources(i)[0]);
    u64 window = s.has("shared")  ? launch_.shared_window
                 : s.has("local") ? launch_.local_window
                 : s.has("param") ? launch_.param_window
                                  : 0;
    write(thread, function(thread).destinations(i)[0], s.has("to") ? value - window : value + window);
  }

  void compute(Thread& thread, const ir::Instruction& i, const Spelling& s) {
    auto d = function(thread).destinations(i), in = function(thread).sources(i);
    std::vector<u64> sources, results(std::max<std::size_t>(d.size(), 1));
    for (const ir::Operand& o : in) sources.push_back(read(thread, o));
    if (!evaluate(s, sources, results))
      throw Failure("instruction that the reference does not know: " + module_.forms[i.form.value].text);
    for (u32 k = 0; k < d.size(); ++k) write(thread, d[k], results[k]);
  }

  static bool is_one_of(const std::string& text, std::initializer_list<const char*> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
  }

  // Executes the thread's instruction, or leaves it standing at a barrier or warp operation.
  void step(Thread& thread) {
    const ir::Instruction& i = at(thread);
    const Spelling& s = spelling(i);
    if (++outcome_.thread_instructions > launch_.step_limit) throw Failure("step limit");
    if (guarded_off(thread, i)) return advance(thread);
    bool warp_barrier = is_one_of(s.opcode, {"bar", "barrier"}) && s.has("warp");
    if (warp_barrier || is_one_of(s.opcode, {"shfl", "vote", "match", "redux", "activemask", "elect"})) {
      thread.state = State::at_warp_op;
      return;
    }
    if (is_one_of(s.opcode, {"bar", "barrier"})) {
      thread.state = State::at_barrier;
      return;
    }
    if (control(thread, i, s)) return;
    if (is_one_of(s.opcode, {"ld", "ldu", "st"}))
      load_or_store(thread, i, s);
    else if (is_one_of(s.opcode, {"atom", "red"}))
      atomic(thread, i, s);
    else if (is_one_of(s.opcode, {"mov", "cvta"}))
      move(thread, i, s);
    else if (!is_one_of(s.opcode, {"membar", "fence", "nanosleep", "prefetch", "prefetchu", "pmevent"}))
      compute(thread, i, s);
    advance(thread);
  }

  bool run_until_stop(Thread& thread) {
    if (thread.state != State::running) return false;
    for (u32 quantum = 0; quantum < 100'000 && thread.state == State::running; ++quantum) step(thread);
    return true;
  }

  // --- warp operations and barriers
  std::vector<Thread*> lanes_of(u32 warp) {
    std::vector<Thread*> lanes;
    for (u64 t = u64{warp} * warp_size; t < std::min<u64>(threads_.size(), u64{warp + 1} * warp_size); ++t)
      lanes.push_back(&threads_[t]);
    return lanes;
  }

  // The lanes that take part in the operation that `thread` waits at: its member mask, or all lanes still
  // alive.
  u32 members(const Thread& thread, const std::vector<Thread*>& lanes) {
    const ir::Instruction& i = at(thread);
    const Spelling& s = spelling(i);
    u32 alive = 0;
    for (u32 lane = 0; lane < lanes.size(); ++lane) alive |= u32{lanes[lane]->state != State::exited} << lane;
    auto sources = function(thread).sources(i);
    if (!s.has("sync") || sources.empty()) return alive;
    return alive & static_cast<u32>(read(thread, sources.back()));
  }

  bool release_warps() {
    bool progress = false;
    for (u32 warp = 0; u64{warp} * warp_size < threads_.size(); ++warp) {
      std::vector<Thread*> lanes = lanes_of(warp);
      for (Thread* thread : lanes)
        if (thread->state == State::at_warp_op) progress |= release_group(*thread, lanes);
    }
    return progress;
  }

  bool release_group(const Thread& first, const std::vector<Thread*>& lanes) {
    u32 mask = members(first, lanes);
    const ir::Instruction& i = at(first);
    const Spelling& s = spelling(i);
    WarpOperation operation;
    operation.mask = mask;
    for (u32 lane = 0; lane < lanes.size(); ++lane) {
      if (!(mask >> lane & 1)) continue;
      const Thread& thread = *lanes[lane];
      if (thread.state != State::at_warp_op || &at(thread) != &i) return false;
      for (const ir::Operand& o : function(thread).sources(i))
        operation.sources[lane].push_back(read(thread, o));
    }
    if (!resolve(s, operation))
      throw Failure("warp operation that the reference does not know: " + module_.forms[i.form.value].text);
    for (u32 lane = 0; lane < lanes.size(); ++lane) {
      if (!(mask >> lane & 1)) continue;
      Thread& thread = *lanes[lane];
      auto d = function(thread).destinations(i);
      for (u32 k = 0; k < d.size(); ++k) write(thread, d[k], operation.results[lane][k]);
      thread.state = State::running;
      advance(thread);
    }
    return true;
  }

  bool release_barriers() {
    std::map<u64, std::vector<Thread*>> waiting;
    u64 alive = 0;
    for (Thread& thread : threads_) {
      alive += thread.state != State::exited;
      if (thread.state != State::at_barrier) continue;
      auto sources = function(thread).sources(at(thread));
      waiting[sources.empty() ? 0 : read(thread, sources[0])].push_back(&thread);
    }
    for (auto& [id, threads] : waiting) {
      const ir::Instruction& i = at(*threads[0]);
      const Spelling& s = spelling(i);
      auto sources = function(*threads[0]).sources(i);
      std::size_t plain = sources.size() - (s.has("red") ? 1 : 0);
      u64 expected = plain > 1 ? read(*threads[0], sources[1]) : alive;
      if (threads.size() < expected) continue;
      reduce_and_release(s, threads);
      return true;
    }
    return false;
  }

  void reduce_and_release(const Spelling& s, const std::vector<Thread*>& threads) {
    u64 votes = 0;
    if (s.has("red"))
      for (Thread* thread : threads)
        votes += read(*thread, function(*thread).sources(at(*thread)).back()) & 1;
    u64 result = s.has("popc") ? votes : s.has("and") ? votes == threads.size() : votes != 0;
    for (Thread* thread : threads) {
      auto d = function(*thread).destinations(at(*thread));
      if (!d.empty()) write(*thread, d[0], result);
      thread->state = State::running;
      advance(*thread);
    }
  }

  const ir::Module& module_;
  const Launch& launch_;
  GlobalMemory& global_;
  Outcome& outcome_;
  u64 index_;
  std::vector<Thread> threads_;
  std::vector<std::byte> shared_;
  std::map<u32, u64> shared_at_;
  std::map<u32, std::vector<Loop>> loops_;
  std::map<u32, Spelling> spellings_;
  std::map<std::vector<u64>, std::size_t> recorded_;
};

} // namespace

Outcome interpret(const ir::Module& module, const Launch& launch, GlobalMemory& global) {
  Outcome outcome;
  try {
    for (u64 cta = 0; cta < launch.grid.count(); ++cta) Cta(module, launch, global, outcome, cta).run();
  } catch (const Failure& failure) {
    outcome.error = failure.what();
  }
  return outcome;
}

} // namespace warplens::oracle
