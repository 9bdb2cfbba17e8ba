// How far from its base an address gets, estimated from the code, for a launch whose shape and sizes are known. Every register gets
// the largest value that its definitions can give; a loop adds its step as often as the comparison that ends it allows. Values are
// taken as positive, and a branch is not looked at: the estimate is for choosing buffers, not a proof.
#pragma once
#include "launcher/slots.h"
#include <functional>

namespace warplens::launcher {

struct Shape {
  Dim3 grid, block;
  double size = 0;   // what a parameter is that says how many, and what a loaded integer stays below
  bool loops = true; // else each is gone through a few times
};

// In bytes behind the base, by instruction: of the last byte that its addresses reach; 0 for those that access nothing.
// `value`: of the n-th slot, 0 for one that is an address.
std::vector<double> reaches(const ir::Module&, const ir::Function& kernel, const Slots&, const Shape&,
                            const std::function<double(std::size_t)>& value);

} // namespace warplens::launcher
