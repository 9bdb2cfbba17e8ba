// libcudart.so.MAJOR: every name of exports.def, as a jump to the function that the table of the library with the code
// has for it. A jump keeps the arguments as they are, whatever their types; r11 belongs to nobody at a call (System V
// ABI, "Register Usage").
  .text
  .set row, 0
.macro forward name
  .globl \name
  .type \name, @function
\name:
  movq warplens_cudart@GOTPCREL(%rip), %r11
  jmpq *(row * 32 + 8 + (MAJOR - 11) * 8)(%r11)
  .size \name, . - \name
  .set row, row + 1
.endm

#define IMPLEMENTED(name) forward name;
#define ALIAS(name, of) forward name;
#define VARIANTS(name, in_11, in_12, in_13) forward name;
#define STUB(name) forward name;
#include "runtime/exports.def"

  .section .note.GNU-stack, "", @progbits
