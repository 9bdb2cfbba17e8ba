// What a command says where it says all of it at its end.
#pragma once
#include <string>

namespace warplens::driver {

struct Output {
  int exit_code = 0; // 0 answered, 1 the access would stop the kernel, 2 the question cannot be answered
  std::string out, err;
};

} // namespace warplens::driver
