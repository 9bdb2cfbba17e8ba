// Members of JSON objects that come from outside, checked: what the lines between processes (wire.h) and saved reports
// (report/read.h) have in common. A member that is missing or null keeps its default; one of the wrong type, a number out
// of its range or a name that this build does not know throws Unreadable, which the reader turns into a diagnostic.
#pragma once
#include "access/site.h"
#include "arch/counts.h"
#include "diag/diagnostic.h"
#include "measure/pattern.h"
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warplens::measure {

using nlohmann::json;

struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T> T number_of(const json& value, const char* key) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value.is_number()) return value.get<T>();
  } else if constexpr (std::is_signed_v<T>) {
    if (value.is_number_unsigned() && value.get<u64>() <= static_cast<u64>(std::numeric_limits<T>::max()))
      return static_cast<T>(value.get<u64>());
    if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<T>();
  } else if (value.is_number_unsigned() && value.get<u64>() <= std::numeric_limits<T>::max()) {
    return static_cast<T>(value.get<u64>());
  }
  throw Unreadable(fmt::format("member '{}' is not a number in its range", key));
}

template <class T> void take(const json& object, const char* key, T& out) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) throw Unreadable(fmt::format("member '{}' is not a string", key));
    out = found->get<std::string>();
  } else {
    out = number_of<T>(*found, key);
  }
}

void take_flag(const json& object, const char* key, bool& out);

// name() is empty for what is no enumerator.
template <class E> void take_name(const json& object, const char* key, E& out) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  std::string text;
  take(object, key, text);
  for (u32 value = 0; value <= std::numeric_limits<u8>::max(); ++value)
    if (E known{static_cast<u8>(value)}; !text.empty() && name(known) == text) {
      out = known;
      return;
    }
  throw Unreadable(fmt::format("member '{}' is '{}', which is not known", key, text));
}

// The elements of a member array; no such member is an empty array.
template <class F> void each(const json& object, const char* key, F&& f) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  if (!found->is_array()) throw Unreadable(fmt::format("member '{}' is not an array", key));
  for (const json& element : *found) f(element);
}

inline void expect_object(const json& value, const char* what) {
  if (!value.is_object()) throw Unreadable(fmt::format("{} is not an object", what));
}

std::vector<std::string> strings(const json& object, const char* key);
void take_dim(const json& object, const char* key, Dim3& out);
diag::Diagnostic diagnostic_of(const json&);
Pattern pattern_of(const json&);
access::Array array_of(const json&);
arch::Counts counts_of(const json&);
// A site as an access can have it: what reads records divides by its bytes.
void check_site(const access::Site&);

} // namespace warplens::measure
