// The forms of --arg, each read for one type of parameter, and what is said where they don't fit. See arguments.h.
#include "launcher/arguments.h"
#include "launcher/words.h"
#include <algorithm>
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

// "+4" at the front is taken off, and is the offset; false where it is none.
bool take_offset(std::string_view& text, u64& offset) {
  if (!text.starts_with('+')) return true;
  auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), offset);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
Result<Argument> within(Argument out, const std::string& word) {
  if (out.offset <= out.bytes()) return out;
  return bad(fmt::format("--arg '{}' begins behind its buffer, which has {} bytes", word, out.bytes()));
}

// FILL or FILL+OFFSET: a number and a file's name may have a plus, too, and come first.
Result<Fill> fill_and_offset(std::string_view text, ir::Type type, u64& offset) {
  Result<Fill> whole = parse_fill(text, type);
  const std::size_t plus = std::min(text.rfind('+'), text.size());
  std::string_view rest = text.substr(plus);
  if (whole || rest.empty() || !take_offset(rest, offset) || !rest.empty()) return whole;
  return parse_fill(text.substr(0, plus), type);
}

// TYPE[SIZES]+OFFSET=FILL, or the offset behind the content; both may be left out.
Result<Argument> array(const std::string& word, std::size_t i, const ir::Variable& v) {
  Argument out;
  const std::size_t open = word.find('['), close = word.find(']');
  std::optional<ir::Type> type = element_type(word.substr(0, open));
  if (!type)
    return bad(fmt::format("--arg '{}': '{}' is no type of elements", word, word.substr(0, open)),
               "types are " + element_types());
  out.type = *type;
  out.count = close == word.npos ? 0 : elements(std::string_view(word).substr(open + 1, close - open - 1));
  std::string_view rest = close == word.npos ? "" : std::string_view(word).substr(close + 1);
  if (out.count == 0 || out.count > ~u64{0} / 8 || !take_offset(rest, out.offset) ||
      (!rest.empty() && rest[0] != '='))
    return bad(fmt::format("--arg '{}' is not TYPE[SIZE]=FILL", word),
               "e.g. f32[4096x1000]=random:1; or f32[1025]+4, whose address is 4 bytes behind its start");
  if (!rest.empty()) {
    Result<Fill> fill = fill_and_offset(rest.substr(1), out.type, out.offset);
    if (!fill) return bad(fmt::format("--arg '{}': {}", word, fill.error().message), fill.error().help);
    out.fill = std::move(*fill);
  }
  out.buffer = takes_address(v);
  if (!out.buffer && out.offset != 0)
    return bad(fmt::format("--arg '{}': {} takes the elements, and no address", word, described(i, v)));
  if (!out.buffer && !is_array(v))
    return bad(fmt::format("--arg '{}' is a buffer, and {} takes a number", word, described(i, v)));
  if (!out.buffer && out.bytes() != v.size)
    return bad(
        fmt::format("--arg '{}' has {} bytes, and {} takes {}", word, out.bytes(), described(i, v), v.size));
  return within(std::move(out), word);
}

// NUMBER or TYPE=NUMBER.
Result<Argument> scalar(const std::string& word, std::size_t i, const ir::Variable& v) {
  if (is_array(v))
    return bad(fmt::format("--arg '{}' is a number, and {} takes {} bytes", word, described(i, v), v.size),
               fmt::format("give its bytes, 'b8[{}]=FILE', or its members, '{{f32[1024],1000}}'", v.size));
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

// @INDEX or @INDEX+OFFSET.
Result<Argument> repeated(const std::string& word, const ir::Variable& v, std::span<const Argument> earlier) {
  u32 index = 0;
  auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), index);
  --index; // where it was 0, past all
  std::string_view rest(end, word.data() + word.size());
  u64 offset = 0;
  const Argument* buffer = index < earlier.size() ? earlier[index].its_buffer() : nullptr;
  if (error != std::errc{} || !take_offset(rest, offset) || !rest.empty() || buffer == nullptr ||
      !takes_address(v))
    return bad(
        fmt::format("--arg '{}' is not an earlier argument with a buffer, for a parameter that takes one",
                    word),
        "arguments are counted from 1");
  Argument out = *buffer;
  if (!out.same_as) out.same_as = index;
  out.offset = offset;
  return within(std::move(out), word);
}

Result<Argument> one_argument(const std::string& word, std::size_t i, const ir::Variable& v,
                              std::span<const Argument> earlier) {
  if (word.starts_with('@')) return repeated(word, v, earlier);
  if (word.find('[') != std::string::npos) return array(word, i, v);
  return scalar(word, i, v);
}

// What a member would be declared as: a pointer, or a number of the type that the word says.
ir::Variable member(const std::string& word, const ir::Variable& structure) {
  ir::Variable out = structure;
  out.type = ir::Type::b64;
  if (word.find_first_of("[@") == word.npos)
    out.type = element_type(word.substr(0, word.find('='))).value_or(ir::Type::b64);
  out.size = ir::bytes(out.type);
  return out;
}

// {MEMBER,…}: laid out as C does, each at a multiple of its size.
Result<Argument> structure(const std::string& word, std::size_t i, const ir::Variable& v,
                           std::span<const Argument> earlier) {
  Argument out{.type = ir::Type::b8, .count = v.size};
  u64 at = 0, widest = 1;
  std::string_view rest = std::string_view(word).substr(1);
  if (!is_array(v) || !rest.ends_with('}'))
    return bad(
        fmt::format("--arg '{}' is not a structure, {{MEMBER,…}}, for a parameter that takes one", word),
        "e.g. '{f32[1024],4096,s32=2}'");
  rest.remove_suffix(1);
  while (!rest.empty()) {
    const std::string one(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const ir::Variable declared = member(one, v);
    Result<Argument> read = one_argument(one, i, declared, earlier);
    if (!read) return read;
    at = (at + declared.size - 1) / declared.size * declared.size;
    widest = std::max(widest, declared.size);
    read->at = at;
    at += declared.size;
    out.members.push_back(std::move(*read));
  }
  at = (at + widest - 1) / widest * widest;
  if (at != v.size)
    return bad(fmt::format("--arg '{}' has {} bytes, and {} takes {}", word, at, described(i, v), v.size),
               "a buffer has the 8 bytes of its address, a number 8 or those of its type: s32=2");
  return out;
}

} // namespace

Result<Argument> read_argument(const std::string& word, const ir::Variable& parameter,
                               std::span<const Argument> earlier) {
  if (word.starts_with('{')) return structure(word, earlier.size(), parameter, earlier);
  return one_argument(word, earlier.size(), parameter, earlier);
}

} // namespace warplens::launcher
