// Constant expressions by precedence climbing. Integers are 64-bit, signed or unsigned as in C; a 0x, 0b or
// octal literal that does not fit i64, or one with the suffix U, is unsigned. Floating-point constants take
// part only alone or negated, which is all that compilers write.
#include "ptx/constant.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {

bool decimal(std::string_view text, double& out) {
#ifdef __cpp_lib_to_chars
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
#else // LLVM's library, of which the playground is made; no other process, which might have set a locale, has it
  const std::string terminated(text);
  char* end = nullptr;
  out = std::strtod(terminated.c_str(), &end);
  return end == terminated.c_str() + terminated.size();
#endif
}

constexpr u32 max_depth = 100; // of parentheses and unary operators

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                                  {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                                  {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

bool may_be_operator(const Token& token) {
  if (token.kind != TokenKind::punctuation) return false;
  switch (token.text[0]) {
  case ',':
  case ';':
  case ']':
  case '}':
  case ')': return false;
  default: return true;
  }
}

int precedence_of(const Token& token) {
  if (!may_be_operator(token)) return 0;
  for (const Operator& op : operators)
    if (op.text == token.text) return op.precedence;
  return 0;
}

Constant integer(u64 value, bool is_unsigned = false) {
  return {Constant::Kind::integer, is_unsigned, value, 0};
}

template <class T> bool compare(std::string_view op, T a, T b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

u64 divide(bool is_signed, bool remainder, u64 a, u64 b) {
  if (is_signed && static_cast<i64>(b) == -1) return remainder ? 0 : 0 - a; // INT64_MIN / -1 would trap
  if (!is_signed) return remainder ? a % b : a / b;
  i64 x = static_cast<i64>(a), y = static_cast<i64>(b);
  return static_cast<u64>(remainder ? x % y : x / y);
}

class Expression {
public:
  explicit Expression(Cursor& cursor) : c_(cursor) {}

  bool ternary(Constant& out) {
    Deeper deeper(*this);
    return deeper.ok() && unary(out) && continued(out);
  }
  // The rest of an expression whose first operand has been read.
  bool continued(Constant& out) {
    if (!operators_after(out, 1)) return false;
    if (!c_.at('?')) return true;
    c_.advance();
    Constant yes, no;
    if (!ternary(yes) || !c_.expect(':', "between the branches of '?'") || !ternary(no)) return false;
    out = out.integer != 0 ? yes : no;
    return true;
  }

private:
  struct Deeper {
    explicit Deeper(Expression& e) : e_(e) { ++e_.depth_; }
    ~Deeper() { --e_.depth_; }
    bool ok() const {
      return e_.depth_ < max_depth ||
             e_.c_.fail("ptx-limit", "this constant expression is nested too deeply");
    }
    Expression& e_;
  };

  bool operators_after(Constant& left, int lowest) {
    while (int precedence = precedence_of(c_.token())) {
      if (precedence < lowest) break;
      Token op = c_.token();
      c_.advance();
      Constant right;
      Deeper deeper(*this);
      if (!deeper.ok() || !unary(right) || !operators_after(right, precedence + 1) || !apply(op, left, right))
        return false;
    }
    return true;
  }

  bool apply(const Token& op, Constant& a, const Constant& b) {
    if (a.kind != Constant::Kind::integer || b.kind != Constant::Kind::integer)
      return c_.fail("ptx-syntax", "floating-point constants cannot be combined in an expression", op);
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    u64 x = a.integer, y = b.integer;
    i64 sx = static_cast<i64>(x), sy = static_cast<i64>(y);
    std::string_view t = op.text;
    if (t == "+") return a = integer(x + y, is_unsigned), true;
    if (t == "-") return a = integer(x - y, is_unsigned), true;
    if (t == "*") return a = integer(x * y, is_unsigned), true;
    if (t == "&") return a = integer(x & y, is_unsigned), true;
    if (t == "|") return a = integer(x | y, is_unsigned), true;
    if (t == "^") return a = integer(x ^ y, is_unsigned), true;
    if (t == "<<") return a = integer(y < 64 ? x << y : 0, a.is_unsigned), true;
    if (t == ">>") {
      u64 n = std::min<u64>(y, 63);
      return a = integer(a.is_unsigned ? (y < 64 ? x >> y : 0) : static_cast<u64>(sx >> n), a.is_unsigned),
             true;
    }
    if (t == "==") return a = integer(x == y), true;
    if (t == "!=") return a = integer(x != y), true;
    if (t == "&&") return a = integer(x && y), true;
    if (t == "||") return a = integer(x || y), true;
    if (t == "/" || t == "%") {
      if (y == 0) return c_.fail("ptx-syntax", "division by zero in a constant expression", op);
      return a = integer(divide(!is_unsigned, t == "%", x, y), is_unsigned), true;
    }
    return a = integer(is_unsigned ? compare(t, x, y) : compare(t, sx, sy)), true;
  }

  bool unary(Constant& out) {
    Deeper deeper(*this);
    if (!deeper.ok()) return false;
    if (c_.accept('-')) {
      if (!unary(out)) return false;
      out.integer = out.kind == Constant::Kind::single ? out.integer ^ 0x80000000u : 0 - out.integer;
      out.real = -out.real;
      return true;
    }
    if (c_.accept('+')) return unary(out);
    if (c_.accept('~')) return unary(out) && (out.integer = ~out.integer, true);
    if (c_.accept('!')) return unary(out) && (out = integer(out.integer == 0), true);
    if (c_.accept('(')) return parenthesis(out);
    return primary(out);
  }

  bool parenthesis(Constant& out) {
    bool to_signed = c_.accept_directive(".s64");
    if (to_signed || c_.accept_directive(".u64")) {
      if (!c_.expect(')', "after the type of a cast") || !unary(out)) return false;
      out.is_unsigned = !to_signed;
      return true;
    }
    return ternary(out) && c_.expect(')', "to close the parenthesis");
  }

  bool primary(Constant& out) {
    const Token token = c_.token();
    if (token.kind == TokenKind::identifier && token.text == "WARP_SZ") {
      out = integer(warp_size);
    } else if (token.kind != TokenKind::number) {
      return c_.expected("a number");
    } else if (!literal(token.text, out)) {
      return c_.fail("ptx-syntax",
                     fmt::format("'{}' is not a number that PTX knows", token.text.substr(0, 60)));
    }
    c_.advance();
    return true;
  }

  static bool digits(std::string_view text, int base, u64& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return error == std::errc() && end == text.data() + text.size();
  }

  static bool literal(std::string_view text, Constant& out) {
    char kind = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
    u64 bits = 0;
    if (kind == 'f' || kind == 'F') {
      if (text.size() != 10 || !digits(text.substr(2), 16, bits)) return false;
      out = {Constant::Kind::single, false, bits, std::bit_cast<float>(static_cast<u32>(bits))};
      return true;
    }
    if (kind == 'd' || kind == 'D') {
      if (text.size() != 18 || !digits(text.substr(2), 16, bits)) return false;
      out = {Constant::Kind::real, false, bits, std::bit_cast<double>(bits)};
      return true;
    }
    bool hexadecimal = kind == 'x' || kind == 'X';
    if (!hexadecimal && text.find_first_of(".eE") != text.npos) {
      double real = 0;
      if (!decimal(text, real)) return false;
      out = {Constant::Kind::real, false, 0, real};
      return true;
    }
    bool suffixed = text.back() == 'U' || text.back() == 'u';
    if (suffixed) text.remove_suffix(1);
    int base = hexadecimal ? 16 : kind == 'b' || kind == 'B' ? 2 : kind != '\0' ? 8 : 10;
    if (base == 16 || base == 2) text.remove_prefix(2);
    if (!digits(text, base, bits)) return false;
    out = integer(bits, suffixed || static_cast<i64>(bits) < 0);
    return true;
  }

  Cursor& c_;
  u32 depth_ = 0;
};

// Decimal digits, as nearly all constants are. Nothing is taken from the cursor where this is false.
bool plain_number(Cursor& cursor, Constant& out) {
  const Token token = cursor.token();
  constexpr std::size_t most_digits = 18; // 64 bits hold any number of so many
  if (token.kind != TokenKind::number || token.text.size() > most_digits) return false;
  if (token.text[0] == '0' && token.text.size() > 1) return false; // octal, hexadecimal, floating
  u64 value = 0;
  for (char c : token.text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<u64>(c - '0');
  }
  out = {Constant::Kind::integer, false, value, 0};
  cursor.advance();
  return true;
}

u64 low_bits(u64 value, u32 count) { return count >= 64 ? value : value & ((u64{1} << count) - 1); }

// Round to nearest even from double to a narrower binary format with `mantissa` bits and `exponent` bits.
u64 to_small_float(double value, u32 exponent_bits, u32 mantissa_bits) {
  u64 sign = std::signbit(value) ? u64{1} << (exponent_bits + mantissa_bits) : 0;
  u64 infinity = ((u64{1} << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(value)) return sign | infinity | (u64{1} << (mantissa_bits - 1));
  if (std::isinf(value)) return sign | infinity;
  int bias = (1 << (exponent_bits - 1)) - 1, exponent = 0;
  std::frexp(value, &exponent); // |value| in [0.5, 1) · 2^exponent
  int unit = std::max(exponent - 1, 1 - bias) - static_cast<int>(mantissa_bits);
  auto scaled = static_cast<u64>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  if (scaled == 0) return sign;
  u64 exponent_field = static_cast<u64>(unit + static_cast<int>(mantissa_bits) + bias - 1);
  u64 result = (exponent_field << mantissa_bits) + scaled; // the hidden bit carries into the exponent
  return sign | std::min(result, infinity);
}

} // namespace

bool starts_constant(const Token& t) {
  return t.kind == TokenKind::number || t.is('-') || t.is('+') || t.is('~') || t.is('!') || t.is('(') ||
         (t.kind == TokenKind::identifier && t.text == "WARP_SZ");
}

bool parse_constant(Cursor& cursor, Constant& out) {
  if (!plain_number(cursor, out)) return Expression(cursor).ternary(out);
  return !may_be_operator(cursor.token()) || Expression(cursor).continued(out);
}

bool parse_count(Cursor& cursor, u64& out, u64 limit, std::string_view what) {
  Token first = cursor.token();
  Constant value;
  if (!parse_constant(cursor, value)) return false;
  if (value.kind != Constant::Kind::integer || value.integer > limit)
    return cursor.fail("ptx-limit", fmt::format("the {} must be an integer from 0 to {}", what, limit),
                       first);
  out = value.integer;
  return true;
}

u64 to_bits(const Constant& c, ir::Type type) {
  using ir::Type;
  bool is_integer = c.kind == Constant::Kind::integer;
  double value = is_integer ? (c.is_unsigned ? static_cast<double>(c.integer)
                                             : static_cast<double>(static_cast<i64>(c.integer)))
                            : c.real;
  u64 raw = c.kind == Constant::Kind::real ? std::bit_cast<u64>(value) : c.integer;
  switch (type) {
  case Type::none: return raw;
  case Type::pred: return is_integer ? c.integer != 0 : value != 0;
  case Type::f32:
  case Type::tf32:
    return c.kind == Constant::Kind::single ? raw : std::bit_cast<u32>(static_cast<float>(value));
  case Type::f64: return c.kind == Constant::Kind::real ? raw : std::bit_cast<u64>(value);
  case Type::f16: return is_integer ? low_bits(raw, 16) : to_small_float(value, 5, 10);
  case Type::bf16: return is_integer ? low_bits(raw, 16) : to_small_float(value, 8, 7);
  default: return low_bits(raw, bits(type));
  }
}

} // namespace warplens::ptx
