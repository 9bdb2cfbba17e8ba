#include "measure/record.h"

namespace warplens::measure {

std::string_view name(Status status) {
  switch (status) {
  case Status::exact: return "exact";
  case Status::proved: return "proved";
  case Status::failed: return "failed";
  case Status::unknown: return "unknown";
  case Status::refused: return "refused";
  }
  return {};
}

} // namespace warplens::measure
