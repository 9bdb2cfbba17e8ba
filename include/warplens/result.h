// What can fail returns its value or an Error; nothing in this interface throws.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace warplens {

struct Error {
  std::string kind;    // stable, for programs: "ptx-unknown-opcode"
  std::string message; // one sentence
  std::string text;    // for people: with place, notes and the next step, several lines
};

template <class T> class Expected {
public:
  Expected(T value) : state_(std::move(value)) {}
  Expected(Error error) : state_(std::move(error)) {}
  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return std::get<0>(state_); } // only where has_value()
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); } // only where not

private:
  std::variant<T, Error> state_;
};

} // namespace warplens
