// A JSON object that is written member by member, and its long arrays element by element: as values a report of 10,000 kernels
// takes six times the memory of its text.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace warplens::report {

class JsonDocument {
public:
  using Value = nlohmann::ordered_json;

  void put(std::string_view key, const Value& value) {
    begin(key);
    add(value, 1);
  }
  // An array with what `of` makes of each element.
  template <class Range, class F> void put_each(std::string_view key, const Range& range, F&& of) {
    begin(key);
    text_ += '[';
    const char* separator = "\n  ";
    for (const auto& element : range) {
      text_ += separator;
      add(of(element), 2);
      separator = ",\n  ";
    }
    text_ += std::empty(range) ? "]" : "\n ]";
  }
  // The whole document: indented by a space a level, with a new line at its end; no other calls after it.
  std::string text() && { return std::move(text_) + (fresh_ ? "{}\n" : "\n}\n"); }

private:
  void begin(std::string_view key) {
    text_ += std::exchange(fresh_, false) ? "{\n " : ",\n ";
    add(Value(key), 1);
    text_ += ": ";
  }
  // Strings in JSON hold no new lines of their own. Bytes that are no UTF-8 become U+FFFD.
  void add(const Value& value, std::size_t level) {
    const std::string text = value.dump(1, ' ', false, Value::error_handler_t::replace);
    for (std::size_t at = 0;;) {
      const std::size_t end = text.find('\n', at);
      text_.append(text, at, end == text.npos ? end : end - at + 1);
      if (end == text.npos) return;
      text_.append(level, ' ');
      at = end + 1;
    }
  }

  std::string text_;
  bool fresh_ = true;
};

} // namespace warplens::report
