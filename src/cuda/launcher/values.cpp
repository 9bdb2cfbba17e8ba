// See values.h. Every element goes through a 64-bit pattern, of which the type's width is stored.
#include "launcher/values.h"
#include "os/file.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::launcher {
namespace {

using ir::Type;
constexpr Type types[] = {Type::u8,  Type::u16,  Type::u32, Type::u64, Type::s8,  Type::s16,
                          Type::s32, Type::s64,  Type::b8,  Type::b16, Type::b32, Type::b64,
                          Type::f16, Type::bf16, Type::f32, Type::f64};

// IEEE formats smaller than float, to the nearest, ties to even.
u64 small_float(double x, int exponent_bits, int mantissa_bits) {
  const u64 sign = std::signbit(x) ? u64{1} << (exponent_bits + mantissa_bits) : 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const u64 infinity = ((u64{1} << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(x)) return infinity | (u64{1} << (mantissa_bits - 1));
  if (std::isinf(x) || x == 0) return sign | (x == 0 ? 0 : infinity);
  const int exponent = std::max(std::ilogb(x), 1 - bias);
  const auto digits = static_cast<u64>(std::nearbyint(std::ldexp(std::fabs(x), mantissa_bits - exponent)));
  // Of a normal number `digits` has the leading one, which counts the exponent up; a carry does so once more.
  const u64 bits = (static_cast<u64>(exponent + bias - 1) << mantissa_bits) + digits;
  return sign | std::min(bits, infinity);
}

template <class To, class From> u64 pattern(From value) {
  auto converted = static_cast<To>(value);
  u64 out = 0;
  std::memcpy(&out, &converted, sizeof converted);
  return out;
}

u64 float_bits(double x, Type type) {
  switch (type) {
  case Type::f16: return small_float(x, 5, 10);
  case Type::bf16: return small_float(x, 8, 7);
  case Type::f64:
  case Type::b64: return pattern<double>(x);
  default: return pattern<float>(x);
  }
}

template <class Number> std::optional<Number> whole(std::string_view text, int base) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The digits of a whole number, sign aside; empty where the text is none, or none of 64 bits.
std::optional<u64> magnitude(std::string_view text) {
  bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  return whole<u64>(hexadecimal ? text.substr(2) : text, hexadecimal ? 16 : 10);
}

std::optional<u64> integer_bits(std::string_view text, u32 width) {
  const bool negative = text.starts_with('-');
  std::optional<u64> value = magnitude(negative ? text.substr(1) : text);
  if (!value) return {};
  const u64 most = negative ? u64{1} << (width - 1) : width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  if (*value > most) return {};
  return negative ? ~*value + 1 : *value;
}

std::vector<std::byte> low_bytes(u64 bits, Type type) {
  std::vector<std::byte> out(ir::bytes(type));
  std::memcpy(out.data(), &bits, out.size());
  return out;
}

bool takes_both(Type type) { return type == Type::b32 || type == Type::b64; }

u64 splitmix64(u64 x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Element i of a fill that needs no file.
u64 element(u64 i, Type type, const Fill& fill, u64 constant) {
  switch (fill.kind) {
  case Fill::Kind::zeros:
  case Fill::Kind::file: return 0;
  case Fill::Kind::constant: return constant;
  case Fill::Kind::iota: return ir::is_float(type) ? float_bits(static_cast<double>(i), type) : i;
  case Fill::Kind::random: break;
  }
  const u64 random = splitmix64(fill.seed * 0x9e3779b97f4a7c15 + splitmix64(i));
  if (!ir::is_float(type)) return fill.below ? random % *fill.below : random;
  // As many bits as a float has, so that no value is rounded up to 1.
  double unit = type == Type::f64 ? static_cast<double>(random >> 11) * 0x1p-53
                                  : static_cast<double>(random >> (type == Type::f32 ? 40 : 56)) *
                                        (type == Type::f32 ? 0x1p-24 : 0x1p-8);
  return float_bits(unit * static_cast<double>(fill.below.value_or(1)), type);
}

tl::unexpected<diag::Diagnostic> bad_value(std::string message, std::string help = {}) {
  return failure(diag::error("bad-argument", std::move(message), {}, std::move(help)));
}

Result<void> copy_file(std::span<std::byte> out, const std::string& path) {
  os::MappedFile file(path.c_str());
  if (file.bytes().size() != out.size())
    return bad_value(
        fmt::format("'{}' has {} bytes, and the argument {}", path, file.bytes().size(), out.size()),
        "the file holds the elements one after the other, as the GPU has them in memory, and nothing else");
  std::memcpy(out.data(), file.bytes().data(), out.size());
  return {};
}

} // namespace

std::optional<Type> element_type(std::string_view word) {
  std::string name(word);
  if (name.starts_with('i')) name[0] = 's';
  for (Type type : types)
    if (ir::name(type) == name) return type;
  return {};
}

std::string element_types() {
  std::vector<std::string_view> names;
  for (Type type : types) names.push_back(ir::name(type));
  return fmt::format("{}", fmt::join(names, " "));
}

Result<std::vector<std::byte>> number(std::string_view text, Type type) {
  const u32 width = ir::bytes(type) * 8;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = end == text.data() + text.size() && error == std::errc{};
  if (!ir::is_float(type)) {
    if (std::optional<u64> bits = integer_bits(text, width)) return low_bytes(*bits, type);
    if (magnitude(text.substr(text.starts_with('-') ? 1 : 0)))
      return bad_value(fmt::format("'{}' does not fit into {} bits", text, width));
    if (!takes_both(type) && is_number)
      return bad_value(fmt::format("'{}' is no whole number of {} bits", text, width));
  }
  if (!is_number) return bad_value(fmt::format("'{}' is not a number", text));
  return low_bytes(float_bits(value, type), type);
}

Result<Fill> parse_fill(std::string_view word, Type type) {
  Fill out;
  std::string_view kind = word.substr(0, word.find(':'));
  if (kind == "random") {
    out.kind = Fill::Kind::random;
    std::string_view rest = word.substr(kind.size());
    for (int part = 0; !rest.empty(); ++part) {
      std::string_view text = rest.substr(1, rest.find(':', 1) - 1);
      std::optional<u64> value = magnitude(text);
      if (!value || part > 1 || (part == 1 && *value == 0))
        return bad_value(fmt::format("'{}' is no random fill", word),
                         "random, random:SEED or random:SEED:BELOW, in whole numbers; BELOW is at least 1");
      if (part == 0) out.seed = *value;
      if (part == 1) out.below = value;
      rest.remove_prefix(1 + text.size());
    }
    return out;
  }
  if (word == "zeros" || word == "iota") {
    out.kind = word == "zeros" ? Fill::Kind::zeros : Fill::Kind::iota;
    return out;
  }
  out.text = word;
  if (number(word, type)) {
    out.kind = Fill::Kind::constant;
  } else if (os::MappedFile file(out.text.c_str()); !file.bytes().empty()) {
    out.kind = Fill::Kind::file;
  } else {
    return bad_value(
        fmt::format("'{}' is neither a fill, nor a number of type {}, nor a file that can be read", word,
                    ir::name(type)),
        "fills are zeros, iota, random, random:SEED, random:SEED:BELOW, a number, a file");
  }
  return out;
}

Result<void> fill(std::span<std::byte> out, Type type, const Fill& fill) {
  if (fill.kind == Fill::Kind::file) return copy_file(out, fill.text);
  u64 constant = 0;
  if (fill.kind == Fill::Kind::constant) {
    Result<std::vector<std::byte>> value = number(fill.text, type);
    if (!value) return failure(value.error());
    std::memcpy(&constant, value->data(), value->size());
  }
  const u64 size = ir::bytes(type);
  for (u64 i = 0; i < out.size() / size; ++i) {
    u64 bits = element(i, type, fill, constant);
    std::memcpy(out.data() + i * size, &bits, size);
  }
  return {};
}

} // namespace warplens::launcher
