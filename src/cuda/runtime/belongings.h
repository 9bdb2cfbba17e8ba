// What belongs to devices and goes with them: registries of handles, above all. cudaDeviceReset destroys it, so that no handle
// outlives the device that it was made on. A map whose values say `device`, or anything with forget(device), loses that device's
// alone; the rest goes with the last device.
#pragma once
#include "base/types.h"
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace warplens::runtime {

// What the program's handles of a kind stand for.
template <class T> struct Handles : std::map<const T*, std::unique_ptr<T>> {
  T* add(T what) {
    auto made = std::make_unique<T>(std::move(what));
    T* handle = made.get();
    this->emplace(handle, std::move(made));
    return handle;
  }
};

class Belongings {
public:
  // The one T that belongs to the device, made when it is first asked for. With the runtime's lock held.
  template <class T> T& get() {
    static char type; // its address tells T from others
    for (const One& one : all_)
      if (one.type == &type) return *static_cast<T*>(one.object.get());
    const auto forget = [](void* all, u32 device) { forget_in(*static_cast<T*>(all), device); };
    return *static_cast<T*>(all_.emplace_back(One{&type, std::make_shared<T>(), forget}).object.get());
  }

  void forget(u32 device) {
    for (std::size_t i = 0; i < all_.size(); ++i) // destructors may ask for more
      all_[i].forget(all_[i].object.get(), device);
  }

  // The last made goes first. What a destructor asks for that has gone already is made anew, empty, and goes too.
  void clear() {
    while (!all_.empty()) {
      const One last = std::move(all_.back());
      all_.pop_back();
    }
  }

private:
  struct One {
    const char* type;
    std::shared_ptr<void> object;
    void (*forget)(void*, u32 device);
  };
  template <class T> static void forget_in(T& all, u32 device) {
    if constexpr (requires { all.forget(device); })
      all.forget(device);
    else if constexpr (requires { all.begin()->second.device; })
      std::erase_if(all, [&](const auto& one) { return one.second.device == device; });
    else if constexpr (requires { all.begin()->second->device; })
      std::erase_if(all, [&](const auto& one) { return one.second->device == device; });
  }
  std::vector<One> all_;
};

} // namespace warplens::runtime
