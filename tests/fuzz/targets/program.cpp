// The program that `run` is given, before it starts.
#include "driver/program/program.h"
#include "fuzz/target.h"

FUZZ_TARGET(program) {
  using namespace warplens;
  fuzz::File file(input, true);
  Result<driver::Program> program = driver::inspect_program(file.path());
  if (program)
    for (bool loaded : {false, true}) (void)driver::no_launch_seen(*program, loaded);
  else
    fuzz::require(!program.error().message.empty(), "what is refused has a message");
}
