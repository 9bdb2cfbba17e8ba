// The JSON form of a launch's record, listed once: members() names each member, and three visitors use the list. ShortWriter
// writes the lines between processes (wire.h), WholeWriter the published report (report/json.h), MemberReader reads both.
//
//   visit(key, value)           a member
//   visit.known(key, value)     a report has null for its default
//   visit.optional(key, value)  a report leaves it out at its default
//   visit.internal(key, value)  no report has it
//   visit.object(key, value)    a value with members of its own; a report has null for its default
//   visit.each(key, values)     an array of such values
//
// ShortWriter leaves out every member at its default. What is read comes from outside and is checked: a member that is missing
// or null keeps its default; one of the wrong type, a number out of its range or a name that this build does not know throws
// Unreadable, which says where in the document; the reader's caller turns it into a diagnostic.
#pragma once
#include "access/site.h"
#include "arch/counts.h"
#include "base/diagnostic.h"
#include "measure/record.h"
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

inline void expect_object(const json& value, const char* what) {
  if (!value.is_object()) throw Unreadable(fmt::format("{} is not an object", what));
}

// The elements of a member array; no such member is an empty array. What is unreadable in one is told with its place:
// "sites[3]: member 'line' is not a number in its range".
template <class F> void each(const json& object, const char* key, F&& f) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  if (!found->is_array()) throw Unreadable(fmt::format("member '{}' is not an array", key));
  std::size_t index = 0;
  for (const json& element : *found) {
    try {
      f(element);
    } catch (const Unreadable& error) {
      const std::string_view what = error.what();
      const char* separator = what.find(": ") < what.find(' ') ? "." : ": "; // it begins with a place
      throw Unreadable(fmt::format("{}[{}]{}{}", key, index, separator, what));
    }
    ++index;
  }
}
// Of objects.
template <class F> void each_object(const json& object, const char* key, F&& f) {
  each(object, key, [&](const json& element) {
    expect_object(element, "the element");
    f(element);
  });
}

std::vector<std::string> strings(const json& object, const char* key);
void take_dim(const json& object, const char* key, Dim3& out);

// Enumerators go by name, never by number; one without a name is null.
template <class Json, class T> Json json_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return name(value).empty() ? Json() : Json(name(value));
  else if constexpr (std::is_same_v<T, Dim3>)
    return {value.x, value.y, value.z};
  else
    return value;
}

struct ShortWriter {
  json& out;
  template <class T> void operator()(const char* key, const T& value, const T& none = {}) const {
    if (!(value == none)) out[key] = json_of<json>(value);
  }
  template <class T> void known(const char* key, const T& value) const { (*this)(key, value); }
  template <class T> void optional(const char* key, const T& value) const { (*this)(key, value); }
  template <class T> void internal(const char* key, const T& value) const { (*this)(key, value); }
  template <class T> void object(const char* key, const T& value) const;
  template <class Range> void each(const char* key, const Range& values) const;
  template <class Range> void texts(const char* key, const Range& values) const { each(key, values); }
};

template <class Json> struct WholeWriter {
  Json& out;
  template <class T> void operator()(const char* key, const T& value, const T& = {}) const {
    out[key] = json_of<Json>(value);
  }
  template <class T> void known(const char* key, const T& value) const {
    out[key] = value == T{} ? Json() : json_of<Json>(value);
  }
  template <class T> void optional(const char* key, const T& value) const {
    if (!(value == T{})) out[key] = json_of<Json>(value);
  }
  template <class T> void internal(const char*, const T&) const {}
  template <class T> void object(const char* key, const T& value) const;
  template <class Range> void each(const char* key, const Range& values) const;
  template <class Range> void texts(const char* key, const Range& values) const {
    out[key] = Json::array();
    for (const auto& value : values) out[key].push_back(text_of(value));
  }
};

struct MemberReader {
  const json& in;
  template <class T> void operator()(const char* key, T& value, const T& = {}) const {
    if constexpr (std::is_enum_v<T>)
      take_name(in, key, value);
    else if constexpr (std::is_same_v<T, bool>)
      take_flag(in, key, value);
    else if constexpr (std::is_same_v<T, Dim3>)
      take_dim(in, key, value);
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      value = strings(in, key);
    else if constexpr (std::is_same_v<T, std::vector<u32>>)
      measure::each(in, key, [&](const json& one) { value.push_back(number_of<u32>(one, key)); });
    else
      take(in, key, value);
  }
  template <class T> void known(const char* key, T& value) const { (*this)(key, value); }
  template <class T> void optional(const char* key, T& value) const { (*this)(key, value); }
  template <class T> void internal(const char* key, T& value) const { (*this)(key, value); }
  template <class T> void object(const char* key, T& value) const;
  template <class T> void each(const char* key, std::vector<T>& values) const;
  // What was published as texts is not taken apart again: each is a name.
  template <class T> void texts(const char* key, std::vector<T>& values) const;
};

// T or const T: a MemberReader's values are not const, a Writer's are.
template <class T, class U>
concept Either = std::is_same_v<std::remove_const_t<T>, U>;

template <class V> void members(V&& visit, Either<diag::Diagnostic> auto& d) {
  visit("kind", d.kind), visit("severity", d.severity, diag::Severity::error), visit("message", d.message);
  visit.known("file", d.span.file), visit.known("line", d.span.line), visit.known("column", d.span.column);
  visit.internal("length", d.span.length);
  visit("notes", d.notes), visit.known("help", d.help);
  visit.each("inlined_at", d.inlined_at);
}

template <class V> void members(V&& visit, Either<diag::Span> auto& place) {
  visit("file", place.file), visit("line", place.line), visit("column", place.column);
}

template <class V> void members(V&& visit, Either<access::SourceFrame> auto& frame) {
  visit("file", frame.file), visit("line", frame.line), visit("column", frame.column);
  visit.known("function", frame.function);
}

template <class V> void members(V&& visit, Either<access::Array> auto& array) {
  visit("kind", array.kind), visit.known("name", array.name);
  const auto number = [&](const char* key, auto& value) {
    array.kind == access::ArrayKind::parameter ? visit(key, value) : visit.known(key, value);
  };
  number("parameter", array.parameter), number("parameters", array.parameters);
  number("offset", array.offset);
  visit("indirect", array.indirect);
}

template <class V> void members(V&& visit, Either<access::LocalArray> auto& array) {
  visit("name", array.name), visit.known("bytes", array.bytes), visit.known("parameter", array.parameter);
}

template <class V> void members(V&& visit, Either<Pattern> auto& pattern) {
  visit("stride", pattern.shape.stride), visit("ways", pattern.ways), visit("share", pattern.share);
  visit("excess_share", pattern.excess_share), visit("form", pattern.shape.form);
  visit("rows", pattern.shape.rows), visit("row_lanes", pattern.shape.row_lanes);
  visit("gap", pattern.shape.gap), visit("offset", pattern.shape.offset);
  visit("lanes", pattern.lanes), visit("units", pattern.units), visit("most_units", pattern.most_units);
}

// The innermost frame's members stand in the site itself.
template <class V> void members(V&& visit, Either<access::SourceStack> auto& frames) {
  const std::vector<access::SourceFrame>& all = frames.all();
  access::SourceFrame first = all.empty() ? access::SourceFrame{} : all.front();
  std::vector<access::SourceFrame> outer(all.empty() ? all.begin() : all.begin() + 1, all.end());
  visit.known("file", first.file), visit.known("line", first.line), visit.known("column", first.column);
  visit.each("inlined_at", outer);
  visit.known("source_function", first.function);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(frames)>>) {
    if (!first.file.empty() || first.line != 0) outer.insert(outer.begin(), std::move(first));
    frames = std::move(outer);
  }
}

// The instruction of a record. The space that the instruction itself names is known to the process that ran it alone.
template <class V, class T>
requires Either<T, SiteRecord>
void instruction_members(V&& visit, T& record) {
  auto& site = record.site;
  members(visit, site.frames);
  visit.known("function", site.function), visit("id", site.id.value, access::SiteId{}.value),
      visit("ptx", site.opcode);
  visit("ptx_line", site.ptx_line), visit("space", record.space), visit("op", site.kind);
  visit("bytes", site.bytes), visit("cache", site.cache), visit("matrices", site.matrices);
  visit("vector", site.vector, u8{1}), visit("element", site.element), visit.object("array", site.array);
  visit.optional("timing_dependent", site.timing_dependent), visit.optional("atomic", site.atomic);
  visit.optional("spread", record.spread), visit.optional("predicated_off", record.predicated_off);
}

template <class V> void members(V&& visit, Either<Blocks> auto& blocks) {
  visit("counted", blocks.ended), visit("in_part", blocks.running);
}

// A launch but for its sites, in three parts, since a report has more between them.
template <class V, class T> void name_members(V&& visit, T& launch) {
  visit("kernel", launch.kernel), visit("name", launch.name), visit("module", launch.module);
  visit.optional("called_from", launch.called_from), visit.optional("range", launch.range);
}
template <class V, class T> void shape_members(V&& visit, T& launch) {
  visit("grid", launch.grid), visit("block", launch.block), visit("sm", launch.sm);
  visit("shared_bytes", launch.shared_bytes), visit("local_bytes", launch.local_bytes);
  visit.texts("local_arrays", launch.local_arrays), visit.optional("registers", launch.registers);
  visit.optional("device", launch.device);
}
template <class V, class T> void outcome_members(V&& visit, T& launch) {
  visit.known("reason", launch.reason), visit.known("error", launch.error);
  visit("warp_instructions", launch.warp_instructions);
}

template <class T> json short_json(const T& value) {
  json out = json::object();
  members(ShortWriter{out}, value);
  return out;
}
template <class Json, class T> Json whole_json(const T& value) {
  Json out = Json::object();
  members(WholeWriter<Json>{out}, value);
  return out;
}
template <class T> T read_object(const json& value, const char* what) {
  expect_object(value, what);
  T out{};
  members(MemberReader{value}, out);
  return out;
}

template <class T> void ShortWriter::object(const char* key, const T& value) const {
  if (!(value == T{})) out[key] = short_json(value);
}
template <class Range> void ShortWriter::each(const char* key, const Range& values) const {
  for (const auto& value : values) out[key].push_back(short_json(value));
}
template <class Json>
template <class T>
void WholeWriter<Json>::object(const char* key, const T& value) const {
  out[key] = value == T{} ? Json() : whole_json<Json>(value);
}
template <class Json>
template <class Range>
void WholeWriter<Json>::each(const char* key, const Range& values) const {
  out[key] = Json::array();
  for (const auto& value : values) out[key].push_back(whole_json<Json>(value));
}
template <class T> void MemberReader::object(const char* key, T& value) const {
  if (auto found = in.find(key); found != in.end() && !found->is_null()) value = read_object<T>(*found, key);
}
template <class T> void MemberReader::each(const char* key, std::vector<T>& values) const {
  values.clear();
  each_object(in, key, [&](const json& element) { members(MemberReader{element}, values.emplace_back()); });
}

template <class T> void MemberReader::texts(const char* key, std::vector<T>& values) const {
  values.clear();
  measure::each(in, key, [&](const json& element) {
    values.push_back(element.is_string() ? T{element.get<std::string>()} : read_object<T>(element, key));
  });
}

arch::Counts counts_of(const json&);

// A launch of which `asked_for` is what it was counted for where it does not say. Throws where it has sizes that none on a GPU
// has. Counts that do not apply to an access are 0. `may_refer`: a site may be a number that the reader knows (once.h).
LaunchRecord launch_of(const json&, const std::vector<u32>& asked_for, bool may_refer);

} // namespace warplens::measure
