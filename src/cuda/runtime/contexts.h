// Contexts: of a device its primary one, which the Runtime API uses, and those that the driver API creates; and which of them is
// current in a thread. What belongs to a context on a GPU, memory for instance, belongs to the device here.
#pragma once
#include "base/types.h"

namespace warplens::runtime {

// A context that was destroyed stays: it may be current in another thread.
struct Context {
  unsigned flags = 0;
  u64 id = 1;
  bool alive = true;
  int cache_config = 0; // CUfunc_cache: what was set
  u32 device = 0;
};

// A device's primary context, and how often it is retained; with the runtime's lock held.
struct Primary {
  Context context;
  u32 retained = 0;
};
Primary& primary(u32 device);

// Of this thread. The Runtime API goes on with the device of the context that is current.
Context* current_context(); // null: none
void push_context(Context*);
void set_current_context(Context*); // in place of the current one; null: what was below it
void drop_context(Context*);        // wherever it is on this thread's stack
void make_current(u32 device);      // its primary context, as cudaSetDevice does

} // namespace warplens::runtime
