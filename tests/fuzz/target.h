// A fuzz target takes any bytes. It may refuse them, it may not crash, hang, or take memory that the input does not explain,
// and it aborts when something that always holds does not. Every target is linked into one program (CMakeLists.txt), which
// either replays seeds and mutations of them (replay.cpp; part of ./test) or is driven by libFuzzer (scripts/fuzz.sh).
//
//   FUZZ_TARGET(trace) { … reads `input` … }
#pragma once
#include <string_view>

namespace warplens::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};

// Declares a target to targets().
struct Registered {
  Registered(std::string_view name, void (*run)(std::string_view));
};

// None: no target has that name.
const Target* find_target(std::string_view name);

// Says what does not hold, and aborts.
void require(bool holds, const char* what);

// The input as a file with a name, for readers that open one.
class File {
public:
  explicit File(std::string_view content, bool executable = false);
  ~File();
  const char* path() const { return path_; }

private:
  int descriptor_;
  char path_[32];
};

} // namespace warplens::fuzz

#define FUZZ_TARGET(name)                                                                                    \
  static void fuzz_##name(std::string_view input);                                                           \
  static const warplens::fuzz::Registered registered_##name(#name, fuzz_##name);                             \
  static void fuzz_##name(std::string_view input)
