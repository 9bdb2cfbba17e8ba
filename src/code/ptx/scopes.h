// The names of the blocks around a statement, innermost last, and the registers that ranges stand for.
//
// `.reg .b32 %r<100>` declares a hundred names, of which most functions use nearly all, and nearly every
// operand is one of them. They never enter a hash table: "%r17" is split into "%r" and 17, and 17 is an index
// into the range's table of the registers made so far. A range costs nothing until one of them is used.
#pragma once
#include "ir/module.h"
#include "ptx/names.h"
#include <unordered_map>

namespace warplens::ptx {

class Scopes {
public:
  Scopes() : scopes_(1) {}
  std::size_t depth() const { return scopes_.size(); } // 1: module scope
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }

  // False: the innermost scope has that name already.
  bool declare(std::string_view name, Symbol symbol);
  bool declare_range(std::string_view name, ir::Type type, u64 count);

  // What `name` stands for; kind `none` where nothing. A register of a range is made in `function` when it is
  // first asked for.
  Symbol find(std::string_view name, ir::Function& function);
  Symbol find_in_module(std::string_view name) const;

private:
  struct Range {
    std::string_view name;
    ir::Type type;
    u64 count;
    std::vector<u32> dense;              // by number: the register, or `none`
    std::unordered_map<u64, u32> sparse; // numbers far above those used before
  };
  struct Scope {
    NameMap<Symbol> names;
    std::vector<Range> ranges;
    bool ambiguous = false; // declares names that look like registers of ranges: "%r12", "%r1<5>"
  };
  static constexpr u32 none = 0xffffffffu;

  static Symbol find(Scope&, std::string_view name, ir::Function&);
  static bool in_use(const Range&, std::string_view name); // a register of the range, used already
  static void lengthen(Range&, u64 length);
  static Symbol register_of(Range&, u64 number, std::string_view name, ir::Function&);

  std::vector<Scope> scopes_;
};

} // namespace warplens::ptx
