#include "measure/record.h"

namespace warplens::measure {

std::string_view name(Status status) {
  static constexpr std::string_view names[] = {"exact", "proved", "sampled", "failed", "unknown"};
  return names[static_cast<u8>(status)];
}

} // namespace warplens::measure
