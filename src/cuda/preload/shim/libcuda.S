// libcuda.so.1: every name of driver_api/exports.def, as a jump to the function that the table of the library with the code
// has for it (cudart.S says more).
  .text
  .set row, 0
.macro forward name
  .globl \name
  .type \name, @function
\name:
  movq warplens_cuda@GOTPCREL(%rip), %r11
  jmpq *(row * 24 + 8)(%r11)
  .size \name, . - \name
  .set row, row + 1
.endm

#define IMPLEMENTED(name, since) forward name;
#define ALIAS(name, of, since) forward name;
#define STUB(name, since) forward name;
#include "driver_api/exports.def"

  .section .note.GNU-stack, "", @progbits
