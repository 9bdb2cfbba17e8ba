// exports.def once more, as addresses.
#include "driver_api/entry_points.h"
#include "driver_api/frame.h"
#include "runtime/failed_calls.h"
#include <cstddef>
#include <tuple>

namespace warplens::runtime {
namespace {

enum class Frame { driver, in_context, on_stream };

// What a row FORWARD stands for: the function of the Runtime API within a frame of the driver's.
template <Frame frame, auto function> struct Forward;
template <Frame frame, class... P, cudaError_t (*function)(P...)> struct Forward<frame, function> {
  static CUresult call(P... parameters) {
    auto body = [&] { return function(parameters...); };
    if constexpr (frame == Frame::driver)
      return driver(body);
    else if constexpr (frame == Frame::in_context)
      return in_context(body);
    else
      return on_stream(std::get<cudaStream_t>(std::tuple(parameters...)), body);
  }
};

} // namespace

extern "C" {

// The table needs addresses only: every function is declared here without its parameters.
#define IMPLEMENTED(name, since) void name();
#define FORWARD(name, frame, of, since) static constexpr auto& name = Forward<Frame::frame, &of>::call;
#define ALIAS(name, of, since)
#define STUB(name, since) void name();
#include "driver_api/exports.def"
#undef IMPLEMENTED
#undef FORWARD
#undef ALIAS
#undef STUB

[[gnu::visibility("default")]] extern DriverExport warplens_cuda[];

#define ALIAS(name, of, since) {#name, reinterpret_cast<DriverExport::Function>(&of), since},
#define IMPLEMENTED(name, since) ALIAS(name, name, since)
#define FORWARD(name, frame, of, since) ALIAS(name, name, since)
#define STUB(name, since) ALIAS(name, name, since)
DriverExport warplens_cuda[] = {
#include "driver_api/exports.def"
};
#undef IMPLEMENTED
#undef FORWARD
#undef ALIAS
#undef STUB

} // extern "C"

static_assert(sizeof(DriverExport) == 24 && offsetof(DriverExport, function) == 8,
              "preload/CMakeLists.txt counts on it");

namespace {

// As for the Runtime API (preload/exports.cpp).
void watch_failed_calls() {
  DriverExport* row = warplens_cuda;
#define ALIAS(called, of, since)                                                                             \
  {                                                                                                          \
    struct Row {                                                                                             \
      static const char* name() { return #called; }                                                          \
      static const char* name_of(int error) { return driver_error_name(error); }                             \
    };                                                                                                       \
    if (is_watched(#called)) row->function = reinterpret_cast<DriverExport::Function>(&watched<&of, Row>);   \
    ++row;                                                                                                   \
  }
#define IMPLEMENTED(name, since) ALIAS(name, name, since)
#define FORWARD(name, frame, of, since) ALIAS(name, name, since)
#define STUB(name, since) ++row;
#include "driver_api/exports.def"
#undef IMPLEMENTED
#undef FORWARD
#undef ALIAS
#undef STUB
}

} // namespace

std::span<const DriverExport> driver_exports() {
  static const bool watched [[maybe_unused]] = (watch_failed_calls(), true);
  return warplens_cuda;
}

[[gnu::constructor]] static void make_ready() { (void)driver_exports(); }

} // namespace warplens::runtime
