// Which numbers of a kernel are strides, told from what is done with them: an index is multiplied by one, and the product is added to a
// pointer. The strides of a pointer are taken to be those of an array without gaps, in which the last parameter is of the dimension
// that lies closest, as compilers of Python pass them. Where threads go along the row in steps of several elements (the colours of a
// pixel), a row has as many times the elements. A number that is compared, or divided by, is a size and no stride.
#pragma once
#include "launcher/slots.h"

namespace warplens::launcher {

// The stride is `unit` × size^rank, where every dimension has `size` elements. unit 0: the number is no stride.
struct Stride {
  u32 rank = 0;
  double unit = 0; // bytes of an element, or 1, by what the kernel multiplies it with
};

// By slot. `sites`: by instruction the slot that it accesses through, or any greater number. `element_bytes`: by slot, of the elements
// that one leads to; 0 for one that is no address.
std::vector<Stride> strides_of(const ir::Module&, const ir::Function& kernel, const Slots&,
                               const std::vector<std::size_t>& sites, const std::vector<u32>& element_bytes);

} // namespace warplens::launcher
