// Which instructions may wait for other threads: they read what others write, or sleep, by themselves or in a
// function that they call. A loop around one of them may be spinning.
#pragma once
#include "ir/module.h"
#include <unordered_map>

namespace warplens::sim {

class Waiting {
public:
  explicit Waiting(const ir::Module& module) : module_(module) {}
  bool may_wait(const ir::Function&, const ir::Instruction&);

private:
  struct Facts { // of one function; those that were needed
    bool known = false;
    bool waits = false; // by itself
    std::vector<ir::FunctionId> callees;
    enum : u8 { unknown, no, yes } reaches = unknown; // itself or what it calls waits
  };
  bool waits_alone(const ir::Instruction&) const;
  const Facts& facts_of(ir::FunctionId);
  bool reaches_waiting(ir::FunctionId);

  const ir::Module& module_;
  std::unordered_map<ir::FunctionId, Facts> facts_;
};

} // namespace warplens::sim
