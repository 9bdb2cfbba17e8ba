// libcudart.so.MAJOR, libcuda.so.1, libcublas.so.MAJOR and the others: every name of TABLE_FILE, as a jump to the function that the
// table TABLE of the library with the code has for it: AT bytes into its row of ROW. A jump keeps the arguments as they are,
// whatever their types; r11 belongs to nobody at a call (System V ABI, "Register Usage").
  .text
  .set row, 0
.macro forward name
  .globl \name
  .type \name, @function
\name:
  movq TABLE@GOTPCREL(%rip), %r11
  jmpq *(row * ROW + AT)(%r11)
  .size \name, . - \name
  .set row, row + 1
.endm

#define IMPLEMENTED(name, ...) forward name;
#define FORWARD(name, ...) forward name;
#define ALIAS(name, ...) forward name;
#define VARIANTS(name, ...) forward name;
#define STUB(name, ...) forward name;
#define NVRTC(result, name, parameters, arguments) forward name;
#include TABLE_FILE

  .section .note.GNU-stack, "", @progbits
