// A question as somebody types it, on a command line or in a page: every part a text. What is wrong with a text itself (a
// list of numbers, the name of a memory) is said here; what is wrong with the access, by explain().
#pragma once
#include "base/diagnostic.h"
#include "explain/model/question.h"

namespace warplens::explain {

// Members are named as the options of `warplens explain` are.
struct Words {
  std::string access;
  std::string condition;             // --if
  std::vector<std::string> settings; // --set: "n=1024"
  std::string type = "float";
  std::string dims, block = "256", grid = "1", cta = "0"; // "32,8"
  u64 pitch = 0, base = 0;
  u32 burst = 0; // bytes of a DRAM burst to draw and count by; 0: the architecture's transactions
  std::string space = "global", operation = "load", cache;
  u32 warp = 0;
};

Result<Question> question_of(const Words&, u32 sm);

} // namespace warplens::explain
