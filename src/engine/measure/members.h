// Members of JSON objects: what the lines between processes (wire.h) and saved reports (report/read.h) have in common.
//
// Those that come from outside are checked. A member that is missing or null keeps its default; one of the wrong type, a
// number out of its range or a name that this build does not know throws Unreadable, which the reader turns into a
// diagnostic. Types that are written and read in the same form list their members once, in members(): Writer and Reader
// visit them.
#pragma once
#include "access/site.h"
#include "arch/counts.h"
#include "base/diagnostic.h"
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

struct LaunchContent;
// Throws where a launch has sizes that none on a GPU has.
void expect_possible(const LaunchContent&);

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

// Puts members into an object, but for those at their default; enumerators go by name.
struct Writer {
  json& object;
  template <class T> void operator()(const char* key, const T& value, const T& none = {}) const {
    if (value == none) return;
    if constexpr (std::is_enum_v<T>)
      object[key] = name(value);
    else
      object[key] = value;
  }
};

struct Reader {
  const json& object;
  template <class T> void operator()(const char* key, T& value, const T& = {}) const {
    if constexpr (std::is_enum_v<T>)
      take_name(object, key, value);
    else if constexpr (std::is_same_v<T, bool>)
      take_flag(object, key, value);
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      value = strings(object, key);
    else
      take(object, key, value);
  }
};

// The members of a value, const for a Writer. Enumerators whose default has a name are not listed: a Writer would leave
// them out.
template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, diag::Diagnostic>
void members(V&& visit, T& d) {
  visit("kind", d.kind), visit("message", d.message);
  visit("file", d.span.file), visit("line", d.span.line), visit("column", d.span.column);
  visit("length", d.span.length), visit("notes", d.notes), visit("help", d.help);
}

template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, access::SourceFrame>
void members(V&& visit, T& frame) {
  visit("file", frame.file), visit("line", frame.line), visit("column", frame.column);
  visit("function", frame.function);
}

template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, access::Array>
void members(V&& visit, T& array) {
  visit("kind", array.kind), visit("name", array.name), visit("parameter", array.parameter);
  visit("parameters", array.parameters), visit("offset", array.offset), visit("indirect", array.indirect);
}

// But for its id, its frames and its array.
template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, access::Site>
void members(V&& visit, T& site) {
  visit("function", site.function), visit("ptx_line", site.ptx_line), visit("opcode", site.opcode);
  visit("space", site.space), visit("kind", site.kind), visit("cache", site.cache);
  visit("bytes", site.bytes), visit("matrices", site.matrices), visit("vector", site.vector, u8{1});
  visit("element", site.element), visit("timing_dependent", site.timing_dependent);
  visit("assembled", site.assembled);
}

template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, Pattern>
void members(V&& visit, T& pattern) {
  visit("form", pattern.shape.form), visit("stride", pattern.shape.stride), visit("rows", pattern.shape.rows);
  visit("row_lanes", pattern.shape.row_lanes), visit("gap", pattern.shape.gap);
  visit("offset", pattern.shape.offset), visit("lanes", pattern.lanes), visit("units", pattern.units);
  visit("most_units", pattern.most_units), visit("ways", pattern.ways), visit("share", pattern.share);
  visit("excess_share", pattern.excess_share);
}

diag::Diagnostic diagnostic_of(const json&);
Pattern pattern_of(const json&);
access::Array array_of(const json&);
arch::Counts counts_of(const json&);
// A site as an access can have it: what reads records divides by its bytes.
void check_site(const access::Site&);

} // namespace warplens::measure
