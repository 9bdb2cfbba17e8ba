// Pattern and trace files, counted for architectures with different rules; the first byte chooses the options.
#include "driver/replay.h"
#include "fuzz/target.h"

FUZZ_TARGET(replay) {
  using namespace warplens;
  if (input.empty()) return;
  unsigned choice = static_cast<unsigned char>(input[0]);
  fuzz::File file(choice < ' ' ? input.substr(1) : input);
  driver::ReplayOptions options{.path = file.path(),
                                .sm = (choice & 2) != 0 ? "10,12,20,35,52,70,90" : "90",
                                .json = (choice & 4) != 0,
                                .keep_going = (choice & 1) != 0};
  bool said = false;
  driver::TextSinks sinks{[](std::string_view) { return true; }, [&](std::string_view) { said = true; }};
  int code = driver::replay(options, sinks);
  fuzz::require(code == 0 || said, "a failure says why");
}
