#include "runtime/contexts.h"
#include "runtime/state.h"
#include "runtime/thread_stack.h"
#include <map>

namespace warplens::runtime {
namespace {

thread_local ThreadStack<Context*> context_stack;

void follow_context() {
  if (Context* context = current_context()) thread_state().device = context->device;
}

} // namespace

Primary& primary(u32 device) {
  static auto* all = new std::map<u32, Primary>; // outlives the program's atexit handlers
  auto [found, fresh] = all->try_emplace(device);
  if (fresh) found->second.context.device = device, found->second.context.id = device + 1;
  return found->second;
}

Context* current_context() {
  if (!context_stack.empty()) return context_stack.top();
  return thread_state().has_primary ? &primary(thread_state().device).context : nullptr;
}

void push_context(Context* context) {
  context_stack.push(context);
  follow_context();
}

void set_current_context(Context* context) {
  thread_state().has_primary = false; // the stack says what is current
  if (!context_stack.empty()) context_stack.pop();
  if (context != nullptr) context_stack.push(context);
  follow_context();
}

void drop_context(Context* context) {
  context_stack.erase(context);
  follow_context();
}

void make_current(u32 device) {
  if (!context_stack.empty()) context_stack.pop(), context_stack.push(&primary(device).context);
  thread_state().device = device;
}

} // namespace warplens::runtime
