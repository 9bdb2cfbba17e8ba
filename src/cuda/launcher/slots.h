// What a kernel is given, one by one: each parameter that is a number or an address, and of a structure each member that the code
// reads. A member is where a load from the parameter says so, or where an address is read from it.
#pragma once
#include "ir/module.h"

namespace warplens::launcher {

struct Slot {
  std::size_t parameter = 0; // its index
  u64 at = 0;                // of a member: bytes from the start of the structure
  ir::Variable declared;     // what it is, or, for a member, would be declared as
};

class Slots {
public:
  // A structure that is read with an index, or has more members than people write, is one slot.
  Slots(const ir::Module&, const ir::Function& kernel);

  const std::vector<Slot>& all() const { return all_; }
  std::size_t size() const { return all_.size(); }
  // The one that has the byte of the parameter; size() for other variables and bytes.
  std::size_t find(ir::VariableId parameter, u64 offset) const;
  // The one that the n-th destination of a load gets; size() for all that is not read from a parameter.
  std::size_t loaded(const ir::Instruction&, u32 n) const;

private:
  std::vector<Slot> members(std::size_t parameter) const;

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::vector<Slot> all_;
};

} // namespace warplens::launcher
