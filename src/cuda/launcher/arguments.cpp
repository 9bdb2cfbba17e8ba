// The forms of --arg, each read for one type of parameter, and what is said where they don't fit. See arguments.h.
#include "launcher/arguments.h"
#include "launcher/words.h"
#include <charconv>
#include <fmt/format.h>

namespace warplens::launcher {

bool is_array(const ir::Variable& v) {
  return v.size != ir::bytes(v.type) || !element_type(ir::name(v.type));
}
bool takes_address(const ir::Variable& v) { return !is_array(v) && v.size == 8 && !ir::is_float(v.type); }
std::string type_text(const ir::Variable& v) {
  return v.size != ir::bytes(v.type) ? fmt::format(".{}[{}]", ir::name(v.type), v.size / ir::bytes(v.type))
                                     : fmt::format(".{}", ir::name(v.type));
}
std::string said_name(const ir::Variable& v) {
  const std::size_t own = v.name.rfind("_param_");
  return v.name.starts_with("_Z") && own != v.name.npos ? v.name.substr(own + 1) : v.name;
}
std::string described(std::size_t index, const ir::Variable& v) {
  return fmt::format("parameter {} ({}, {})", index + 1, said_name(v), type_text(v));
}

namespace {

// "4096x1000" → their product; 0 where it is none of 64 bits.
u64 elements(std::string_view text) {
  u64 out = 1;
  while (true) {
    u64 one = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), one);
    if (error != std::errc{} || __builtin_mul_overflow(out, one, &out)) return 0;
    if (end == text.data() + text.size()) return out;
    if (*end != 'x') return 0;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
}

// TYPE[SIZES] or TYPE[SIZES]=FILL.
Result<Argument> array(const std::string& word, std::size_t i, const ir::Variable& v) {
  Argument out;
  const std::size_t open = word.find('['), close = word.find(']');
  std::optional<ir::Type> type = element_type(word.substr(0, open));
  if (!type)
    return bad(fmt::format("--arg '{}': '{}' is no type of elements", word, word.substr(0, open)),
               "types are " + element_types());
  out.type = *type;
  out.count = close == word.npos ? 0 : elements(std::string_view(word).substr(open + 1, close - open - 1));
  const std::string_view rest = close == word.npos ? "" : std::string_view(word).substr(close + 1);
  if (out.count == 0 || out.count > ~u64{0} / 8 || (!rest.empty() && rest[0] != '='))
    return bad(fmt::format("--arg '{}' is not TYPE[SIZE]=FILL", word), "e.g. f32[4096x1000]=random:1");
  if (!rest.empty()) {
    Result<Fill> fill = parse_fill(rest.substr(1), out.type);
    if (!fill) return bad(fmt::format("--arg '{}': {}", word, fill.error().message), fill.error().help);
    out.fill = std::move(*fill);
  }
  out.buffer = takes_address(v);
  if (!out.buffer && !is_array(v))
    return bad(fmt::format("--arg '{}' is a buffer, and {} takes a number", word, described(i, v)));
  if (!out.buffer && out.bytes() != v.size)
    return bad(
        fmt::format("--arg '{}' has {} bytes, and {} takes {}", word, out.bytes(), described(i, v), v.size));
  return out;
}

// NUMBER or TYPE=NUMBER.
Result<Argument> scalar(const std::string& word, std::size_t i, const ir::Variable& v) {
  if (is_array(v))
    return bad(fmt::format("--arg '{}' is a number, and {} takes {} bytes", word, described(i, v), v.size),
               fmt::format("give its bytes: 'b8[{}]=FILE'", v.size));
  Argument out;
  out.type = v.type;
  std::string_view text = word;
  if (std::size_t equals = word.find('='); equals != word.npos) {
    std::optional<ir::Type> type = element_type(word.substr(0, equals));
    if (!type)
      return bad(fmt::format("--arg '{}': '{}' is no type of numbers", word, word.substr(0, equals)),
                 "types are " + element_types());
    const bool untyped = ir::type_class(v.type) == ir::TypeClass::untyped;
    if (ir::bytes(*type) != v.size || (!untyped && ir::is_float(*type) != ir::is_float(v.type)))
      return bad(
          fmt::format("--arg '{}' is of type {}, and {} is not", word, ir::name(*type), described(i, v)));
    out.type = *type;
    text.remove_prefix(equals + 1);
  }
  Result<std::vector<std::byte>> value = number(text, out.type);
  if (!value)
    return bad(fmt::format("--arg '{}': {}; {} takes one", word, value.error().message, described(i, v)),
               takes_address(v) ? "a buffer is TYPE[SIZE]=FILL, e.g. 'f32[1024]=random'" : "");
  out.value = std::move(*value);
  return out;
}

// @INDEX.
Result<Argument> repeated(const std::string& word, const ir::Variable& v, std::span<const Argument> earlier) {
  u32 index = 0;
  auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), index);
  --index; // where it was 0, past all
  if (error != std::errc{} || end != word.data() + word.size() || index >= earlier.size() ||
      !earlier[index].buffer || !takes_address(v))
    return bad(
        fmt::format("--arg '{}' is not an earlier argument with a buffer, for a parameter that takes one",
                    word),
        "arguments are counted from 1");
  Argument out = earlier[index];
  if (!out.same_as) out.same_as = index;
  return out;
}

} // namespace

Result<Argument> read_argument(const std::string& word, const ir::Variable& parameter,
                               std::span<const Argument> earlier) {
  if (word.starts_with('@')) return repeated(word, parameter, earlier);
  if (word.find('[') != std::string::npos) return array(word, earlier.size(), parameter);
  return scalar(word, earlier.size(), parameter);
}

} // namespace warplens::launcher
