// One table per instruction set; which one is in use, cpu.h says.
#include "arch/batch/counting_loops.h"

namespace warplens::arch {

const Kernels& kernels_of(cpu::Target target) {
  switch (target) {
  case cpu::Target::avx512: return avx512::kernels;
  case cpu::Target::avx2: return avx2::kernels;
  default: return baseline::kernels;
  }
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_of(cpu::target());
  return chosen;
}

} // namespace warplens::arch
