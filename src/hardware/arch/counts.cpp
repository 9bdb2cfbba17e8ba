#include "arch/counts.h"

namespace warplens {

Counts& Counts::operator+=(const Counts& other) {
#define COUNT(name, which) name += other.name;
#include <warplens/counts.def>
#undef COUNT
  return *this;
}

Counts& Counts::operator*=(std::uint64_t times) {
#define COUNT(name, which) name *= times;
#include <warplens/counts.def>
#undef COUNT
  return *this;
}

namespace arch {

bool applies(Counted which, access::Space space, access::Kind kind, bool stages) {
  bool shared = space == access::Space::shared, constant = space == access::Space::constant;
  bool copies = kind == access::Kind::async_copy,
       staged = stages && space == access::Space::global && !copies;
  switch (which) {
  case Counted::every: return true;
  case Counted::by_requests: return !shared;
  case Counted::in_device_memory: return !shared && !constant;
  case Counted::in_passes: return shared || copies;
  case Counted::in_tag_stage: return staged;
  case Counted::in_data_stage: return (shared && !copies) || staged;
  }
  return true;
}

} // namespace arch
} // namespace warplens
