#include "sim/exec/closing.h"
#include <algorithm>
#include <limits>

namespace warplens::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
constexpr i64 most_between_looks = nanoseconds(std::chrono::seconds(1)).count();
constexpr i64 moment = nanoseconds(std::chrono::milliseconds(150)).count();

i64 now() { return nanoseconds(Clock::now().time_since_epoch()).count(); }

} // namespace

Closing::Closing(const LaunchOptions& options)
    : options_(options), last_(now()), until_(std::numeric_limits<i64>::max()) {}

bool Closing::is_over() {
  const i64 at = now(), passed = at - last_.exchange(at);
  const i64 ran = ran_ += std::clamp<i64>(passed, 0, most_between_looks);
  if (why_ == FaultKind::none) {
    const bool cancelled = options_.cancel != nullptr && *options_.cancel;
    if (!cancelled && !(options_.time_limit && nanoseconds(ran) > *options_.time_limit)) return false;
    FaultKind none = FaultKind::none;
    if (why_.compare_exchange_strong(none, cancelled ? FaultKind::cancelled : FaultKind::timeout))
      until_ = ran + moment;
  }
  return ran > until_;
}

} // namespace warplens::sim
