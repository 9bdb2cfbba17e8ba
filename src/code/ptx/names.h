// Names of one scope: a flat hash table from text to what the text stands for. Keys are views into the PTX
// text.
#pragma once
#include "base/types.h"
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::ptx {

struct Symbol {
  enum class Kind : u8 { none, reg, vector, variable, function, range };
  Kind kind = Kind::none;
  u8 count = 1; // vector: its elements, registers id … id + count - 1
  u32 id = 0;   // RegisterId, VariableId, FunctionId; range: its index in the scope
};

template <class Value> class NameMap {
public:
  const Value* find(std::string_view key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[probe(key, hash(key))];
    return slot.key.data() ? &slot.value : nullptr;
  }
  Value* find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  // The value of `key`, and whether it is new.
  std::pair<Value*, bool> insert(std::string_view key, Value value) {
    if (count_ * 2 >= slots_.size()) grow();
    Slot& slot = slots_[probe(key, hash(key))];
    if (slot.key.data()) return {&slot.value, false};
    slot = {key, value};
    ++count_;
    return {&slot.value, true};
  }
  template <class F> void for_each(F&& f) const {
    for (const Slot& slot : slots_)
      if (slot.key.data()) f(slot.key, slot.value);
  }
  bool empty() const { return count_ == 0; }

private:
  struct Slot {
    std::string_view key; // a null pointer marks a free slot
    Value value{};
  };

  static u64 hash(std::string_view key) {
    constexpr u64 factor = 0x9e3779b97f4a7c15u;
    u64 h = key.size() * factor;
    const char* at = key.data();
    std::size_t left = key.size();
    for (; left >= 8; at += 8, left -= 8) h = mix(h, load(at, 8));
    h = mix(h, load(at, left));
    return h ^ (h >> 29);
  }
  static u64 load(const char* at, std::size_t n) {
    u64 word = 0;
    if (n != 0) std::memcpy(&word, at, n); // nothing may lie at a null pointer
    return word;
  }
  static u64 mix(u64 h, u64 word) {
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
  }

  std::size_t probe(std::string_view key, u64 h) const {
    std::size_t mask = slots_.size() - 1, at = h & mask;
    while (slots_[at].key.data() && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : old.size() * 2, {});
    for (Slot& slot : old)
      if (slot.key.data()) slots_[probe(slot.key, hash(slot.key))] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

} // namespace warplens::ptx
