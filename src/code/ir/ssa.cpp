// Dominance frontiers for the phis, then one walk down the dominator tree that gives numbers. See ssa.h.
#include "ir/ssa.h"
#include "ir/dominator_tree.h"

namespace warplens::ir {
namespace {

class Builder {
public:
  Builder(const Function& function, const Cfg& cfg)
      : function_(function), cfg_(cfg), blocks_(static_cast<u32>(function.blocks.size())) {
    out_.of_operand.assign(function.operands.size(), no_value);
    out_.overwritten.assign(function.operands.size(), no_value);
    out_.of_guard.assign(function.instructions.size(), no_value);
    out_.phis.resize(blocks_);
    out_.dominator.resize(blocks_);
    out_.enter.assign(blocks_, 0);
    out_.leave.assign(blocks_, 0);
    children_.resize(blocks_);
  }

  Ssa run() {
    if (blocks_ == 0) return std::move(out_);
    find_dominators();
    find_renamed();
    place_phis();
    current_.assign(function_.registers.size(), no_value);
    rename();
    return std::move(out_);
  }

private:
  template <class F> void each_instruction(BlockId b, F&& f) const {
    const Block& block = function_.blocks[b.value];
    for (u32 i = block.first; i < block.first + block.count; ++i) f(function_.instructions[i], i);
  }
  // Calls f(register, operand index) of what the instruction reads, then g(…) of what it defines.
  template <class F, class G> void each_operand(const Instruction& i, F&& f, G&& g) const {
    u32 first = i.first_operand, middle = first + i.destinations, end = middle + i.sources;
    for (u32 o = middle; o < end; ++o)
      if (function_.operands[o].reg.valid()) f(function_.operands[o].reg, o);
    for (u32 o = first; o < middle; ++o)
      if (function_.operands[o].kind == Operand::Kind::reg) g(function_.operands[o].reg, o);
  }

  void find_dominators() {
    Edges successors(blocks_), predecessors(blocks_);
    for (u32 b = 0; b < blocks_; ++b)
      for (BlockId s : function_.blocks[b].successors) {
        successors[b].push_back(s.value);
        predecessors[s.value].push_back(b);
      }
    Tree forward(successors, 0);
    Dominators dominators(forward, predecessors);
    for (BlockId b : cfg_.reverse_post_order)
      if (b.value != 0) {
        out_.dominator[b.value] = BlockId(dominators.of(b.value));
        children_[dominators.of(b.value)].push_back(b.value);
      }
    u32 clock = 0;
    std::vector<std::pair<u32, std::size_t>> stack{{0, 0}};
    out_.enter[0] = ++clock;
    while (!stack.empty()) {
      auto& [at, child] = stack.back();
      if (child == children_[at].size()) {
        out_.leave[at] = ++clock;
        stack.pop_back();
        continue;
      }
      u32 next = children_[at][child++];
      out_.enter[next] = ++clock;
      stack.push_back({next, 0});
    }
  }

  // Registers with several definitions, a guarded one, or a use that the definition does not dominate.
  void find_renamed() {
    struct Definition {
      u32 count = 0, instruction = 0;
      BlockId block;
    };
    std::vector<Definition> definition(function_.registers.size());
    renamed_.assign(function_.registers.size(), false);
    for (BlockId b : cfg_.reverse_post_order)
      each_instruction(b, [&](const Instruction& i, u32 index) {
        each_operand(
            i, [](RegisterId, u32) {},
            [&](RegisterId r, u32) {
              Definition& d = definition[r.value];
              d = {d.count + 1, index, b};
              if (d.count > 1 || i.guard.valid()) renamed_[r.value] = true;
            });
      });
    auto check = [&](RegisterId r, BlockId at, u32 index) {
      const Definition& d = definition[r.value];
      if (d.count != 1 || renamed_[r.value]) return;
      bool before = d.block == at ? d.instruction < index : out_.dominates(d.block, at);
      if (!before) renamed_[r.value] = true;
    };
    for (BlockId b : cfg_.reverse_post_order)
      each_instruction(b, [&](const Instruction& i, u32 index) {
        each_operand(
            i, [&](RegisterId r, u32) { check(r, b, index); }, [](RegisterId, u32) {});
        if (i.guard.valid()) check(i.guard, b, index);
      });
  }

  void place_phis() {
    std::vector<std::vector<u32>> frontier(blocks_);
    for (BlockId b : cfg_.reverse_post_order) {
      for (BlockId p : cfg_.predecessors[b.value]) {
        if (p.value != 0 && !out_.dominator[p.value].valid()) continue; // not reached
        for (u32 at = p.value; at != no_node && !(out_.dominator[b.value] == BlockId(at));) {
          if (frontier[at].empty() || frontier[at].back() != b.value) frontier[at].push_back(b.value);
          at = out_.dominator[at].valid() ? out_.dominator[at].value : no_node;
        }
      }
    }
    std::vector<std::vector<u32>> defined(function_.registers.size()), read(function_.registers.size());
    std::vector<u32> last_definition(function_.registers.size(), no_node);
    for (BlockId b : cfg_.reverse_post_order) {
      auto use = [&](RegisterId r) {
        if (renamed_[r.value] && last_definition[r.value] != b.value) read[r.value].push_back(b.value);
      };
      each_instruction(b, [&](const Instruction& i, u32) {
        if (i.guard.valid()) use(i.guard);
        each_operand(
            i, [&](RegisterId r, u32) { use(r); },
            [&](RegisterId r, u32) {
              if (!renamed_[r.value]) return;
              if (i.guard.valid()) use(r);
              if (last_definition[r.value] == b.value) return;
              last_definition[r.value] = b.value;
              defined[r.value].push_back(b.value);
            });
      });
    }
    for (u32 r = 0; r < renamed_.size(); ++r)
      if (renamed_[r] && !read[r].empty()) place_phis_of(r, defined[r], std::move(read[r]), frontier);
  }

  void place_phis_of(u32 r, const std::vector<u32>& defined, std::vector<u32> read, const Edges& frontier) {
    std::vector<bool> defines(blocks_), lives(blocks_), placed(blocks_);
    for (u32 b : defined) defines[b] = true;
    for (u32 b : read) lives[b] = true;
    while (!read.empty()) { // where it is wanted at the start of the block
      u32 at = read.back();
      read.pop_back();
      for (BlockId p : cfg_.predecessors[at])
        if (!defines[p.value] && !lives[p.value]) lives[p.value] = true, read.push_back(p.value);
    }
    std::vector<u32> work = defined;
    while (!work.empty()) {
      u32 at = work.back();
      work.pop_back();
      for (u32 b : frontier[at]) {
        if (placed[b] || !lives[b]) continue;
        placed[b] = true;
        Phi phi{RegisterId(r), new_value(BlockId(b)), {}};
        phi.incoming.assign(cfg_.predecessors[b].size(), no_value);
        out_.phis[b].push_back(std::move(phi));
        work.push_back(b);
      }
    }
  }

  u32 new_value(BlockId block) {
    out_.block_of.push_back(block);
    return out_.values() - 1;
  }

  // A walk over the dominator tree; `undo` says what a block has changed when it is left.
  void rename() {
    std::vector<std::pair<u32, u32>> undo;                        // register, value before
    std::vector<std::tuple<u32, std::size_t, std::size_t>> stack; // block, next child, undo's size before
    auto enter = [&](u32 b) {
      stack.push_back({b, 0, undo.size()});
      rename_block(BlockId(b), undo);
    };
    enter(0);
    while (!stack.empty()) {
      auto& [at, child, before] = stack.back();
      if (child < children_[at].size()) {
        enter(children_[at][child++]);
        continue;
      }
      for (; undo.size() > before; undo.pop_back())
        if (renamed_[undo.back().first]) current_[undo.back().first] = undo.back().second;
      stack.pop_back();
    }
  }

  void rename_block(BlockId b, std::vector<std::pair<u32, u32>>& undo) {
    auto define = [&](RegisterId r, u32 value) {
      undo.push_back({r.value, current_[r.value]});
      current_[r.value] = value;
    };
    for (const Phi& phi : out_.phis[b.value]) define(phi.reg, phi.value);
    each_instruction(b, [&](const Instruction& i, u32 index) {
      if (i.guard.valid()) out_.of_guard[index] = current_[i.guard.value];
      each_operand(
          i, [&](RegisterId r, u32 o) { out_.of_operand[o] = current_[r.value]; },
          [&](RegisterId r, u32 o) {
            out_.overwritten[o] = current_[r.value];
            out_.of_operand[o] = new_value(b);
            define(r, out_.of_operand[o]);
          });
    });
    for (BlockId s : function_.blocks[b.value].successors)
      for (Phi& phi : out_.phis[s.value])
        for (std::size_t p = 0; p < phi.incoming.size(); ++p)
          if (cfg_.predecessors[s.value][p] == b) phi.incoming[p] = current_[phi.reg.value];
  }

  const Function& function_;
  const Cfg& cfg_;
  u32 blocks_;
  Ssa out_;
  Edges children_;
  std::vector<bool> renamed_;
  std::vector<u32> current_; // [registers]: the value in the block that is walked
};

} // namespace

Ssa single_assignment(const Function& function, const Cfg& cfg) { return Builder(function, cfg).run(); }

} // namespace warplens::ir
