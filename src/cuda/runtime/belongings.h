// What belongs to the device and goes with it: registries of handles, above all. cudaDeviceReset destroys it all, so that no
// handle outlives the device that it was made on.
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace warplens::runtime {

class Belongings {
public:
  // The one T that belongs to the device, made when it is first asked for. With the runtime's lock held.
  template <class T> T& get() {
    static char type; // its address tells T from others
    for (auto& [key, object] : all_)
      if (key == &type) return *static_cast<T*>(object.get());
    return *static_cast<T*>(all_.emplace_back(&type, std::make_shared<T>()).second.get());
  }

  // The last made goes first. What a destructor asks for that has gone already is made anew, empty, and goes too.
  void clear() {
    while (!all_.empty()) {
      const auto last = std::move(all_.back());
      all_.pop_back();
    }
  }

private:
  std::vector<std::pair<const char*, std::shared_ptr<void>>> all_;
};

} // namespace warplens::runtime
