// A stack of the calling thread, for `thread_local` objects. It has no destructor: a program may call CUDA from destructors of its
// own thread_local and static objects, and those run in no known order. What a thread leaves on it stays allocated.
#pragma once
#include <memory>
#include <utility>

namespace warplens::runtime {

template <class T> class ThreadStack {
public:
  bool empty() const { return top_ == nullptr; }
  T& top() { return top_->value; } // not of an empty one
  void push(T value) { top_ = new Entry{std::move(value), top_}; }
  T pop() { // not from an empty one
    const std::unique_ptr<Entry> taken(top_);
    top_ = taken->below;
    return std::move(taken->value);
  }
  void erase(const T& value) { // wherever it lies
    for (Entry** entry = &top_; *entry != nullptr;) {
      if ((*entry)->value == value)
        delete std::exchange(*entry, (*entry)->below);
      else
        entry = &(*entry)->below;
    }
  }

private:
  struct Entry {
    T value;
    Entry* below;
  };
  Entry* top_ = nullptr;
};

} // namespace warplens::runtime
