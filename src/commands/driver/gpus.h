// `gpus`: the compute capabilities, with the rule of each memory space and where it comes from.
#pragma once
#include <string>

namespace warplens::driver {

std::string gpus_text();
std::string gpus_json(); // one document, newline included

} // namespace warplens::driver
