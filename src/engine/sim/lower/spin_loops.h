// Which instructions may wait for other threads: they read what others write, or sleep, by themselves or in a
// function that they call. A loop around one of them may be spinning.
#pragma once
#include "ir/module.h"
#include <unordered_map>

namespace warplens::sim {

// Whether it reads, at each execution anew, what other threads may have written.
bool reads_what_others_write(const ir::Form&);

class Waiting {
public:
  explicit Waiting(const ir::Module& module) : module_(module) {}
  bool may_wait(const ir::Function&, const ir::Instruction&);

private:
  bool waits_alone(const ir::Instruction&) const;
  bool waits_itself(ir::FunctionId);
  bool reaches_waiting(ir::FunctionId); // itself or what it calls

  const ir::Module& module_;
  std::unordered_map<ir::FunctionId, bool> waits_itself_, reaches_waiting_; // those that were asked for
};

} // namespace warplens::sim
