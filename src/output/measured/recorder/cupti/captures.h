// Which streams the program captures into graphs. Meanwhile CUPTI can count nothing: to patch a function, and to read counts, it waits for
// the whole context, which CUDA forbids then, and the program would lose its capture (CUPTI 12.9 and 13.0, H200, driver 580.159.04, November 2026).
#pragma once
#include <cupti.h>
#include <span>

namespace warplens::recorder::captures {

// A call of the driver that begins or ends the capture of the stream that is its first parameter.
struct Call {
  CUpti_CallbackId id;
  enum class What { begins, ends, destroys } what;
  bool per_thread; // no stream means the thread's own
};
std::span<const Call> calls();

// After such a call.
void follow(const Call&, const CUpti_CallbackData&);
// Is any stream being captured? One whose context is destroyed meanwhile, or whose own thread ends, is taken to be.
bool are_under_way();

} // namespace warplens::recorder::captures
