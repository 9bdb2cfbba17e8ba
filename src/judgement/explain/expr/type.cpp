// A small parser for C structure types and CUDA's built-in ones. Not here: unions, bit-fields, templates, and
// names that the program itself defines; they are diagnosed.
#include "explain/expr/type.h"
#include "base/bits.h"
#include "explain/expr/lexer.h"
#include "source/types.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

constexpr u32 largest_type = 1 << 20;

Type scalar(std::string_view name, u32 bytes) { return {std::string(name), bytes, bytes, {}, false}; }

Type vector_type(std::string_view name, source::KnownType known) {
  const u32 align = source::alignment_of(known.bytes), element = known.bytes / known.elements;
  Type out{std::string(name), known.bytes, align, {}, false};
  for (u32 i = 0; i < known.elements; ++i)
    out.fields.push_back({std::string(1, "xyzw"[i]), scalar("", element), i * element, {}});
  return out;
}

class TypeParser {
public:
  explicit TypeParser(std::string_view text) { texts_.add("--type", std::string(text)); }

  Result<Type> parse() {
    Result<std::vector<Token>> tokens = tokenize(texts_, 0);
    if (!tokens) return failure(std::move(tokens.error()));
    tokens_ = std::move(*tokens);
    Result<Type> out = type(0);
    while (out && take("*")) out = scalar("pointer", 8);
    if (out && is("["))
      return failure(error("an array is no element",
                           "give the sizes with --dims, and all subscripts: --dims 4 'A[i][k]'"));
    if (out && tokens_[at_].kind != TokenKind::end) return failure(error("unexpected text after the type"));
    return out;
  }

private:
  bool is(std::string_view text) const {
    return tokens_[at_].kind != TokenKind::end && tokens_[at_].text == text;
  }
  bool take(std::string_view text) { return is(text) ? (++at_, true) : false; }
  diag::Diagnostic error(std::string message, std::string help = {}) const {
    if (help.empty())
      help = "write a type as in CUDA: float, uchar4, 'struct __align__(16) { float x, y, z; }'";
    return texts_.error("explain-type", std::move(message), tokens_[at_].place, std::move(help));
  }

  // __align__(16), alignas(16), __attribute__((aligned(16))): any number of them; the largest counts.
  Result<u32> alignment() {
    u32 out = 1;
    while (true) {
      u32 brackets = 0;
      if (take("__attribute__")) {
        if (!take("(") || !take("(") || !take("aligned"))
          return failure(error("expected ((aligned(N))) here"));
        brackets = 2;
      } else if (!take("__align__") && !take("alignas"))
        return out;
      if (!take("(") || tokens_[at_].kind != TokenKind::number)
        return failure(error("expected an alignment in brackets"));
      Wide value = tokens_[at_].value;
      if (value < 1 || value > 4096 || !is_power_of_two(static_cast<u64>(value)))
        return failure(
            error(fmt::format("{} is not an alignment", tokens_[at_].text), "use 1, 2, 4, 8 or 16"));
      ++at_;
      for (u32 i = 0; i <= brackets; ++i)
        if (!take(")")) return failure(error("expected ')'"));
      out = std::max(out, static_cast<u32>(value));
    }
  }

  Result<Type> type(u32 depth) {
    if (depth > 16) return failure(error("structures are nested more than 16 deep"));
    while (take("const") || take("volatile")) {
    }
    if (take("struct")) return structure(depth);
    return builtin();
  }

  Result<Type> builtin() {
    std::string name;
    std::string_view base; // the word that gives the size
    u32 longs = 0;
    auto sign = [](std::string_view word) { return word == "unsigned" || word == "signed"; };
    for (; tokens_[at_].kind == TokenKind::name; ++at_) {
      const std::string_view word = tokens_[at_].text;
      const std::optional<source::KnownType> known = source::known_type(word);
      if (!known || known->elements != 0) break;
      if (!base.empty() && !sign(word) && word != "long" && !sign(base) &&
          !(base == "long" && (word == "int" || word == "double")) && !(base == "short" && word == "int"))
        break;
      longs += word == "long";
      if (base.empty() || sign(base)) base = word;
      name += (name.empty() ? "" : " ") + std::string(word);
    }
    if (!base.empty()) return scalar(name, longs > 0 ? 8 : source::size_of(base));
    const bool named = tokens_[at_].kind == TokenKind::name;
    if (const auto vector = named ? source::known_type(tokens_[at_].text) : std::nullopt)
      return vector_type(tokens_[at_++].text, *vector);
    return failure(
        error(named ? fmt::format("unknown type '{}'", tokens_[at_].text) : "expected a type here"));
  }

  Result<Type> structure(u32 depth) {
    Result<u32> before = alignment();
    if (!before) return failure(std::move(before.error()));
    if (tokens_[at_].kind == TokenKind::name) ++at_; // the structure's own name
    if (!take("{")) return failure(error("expected '{' after struct"));
    Type out{"struct", 0, 1, {}, true};
    while (!take("}")) {
      if (tokens_[at_].kind == TokenKind::end) return failure(error("the structure has no closing '}'"));
      if (std::optional<diag::Diagnostic> bad = declaration(out, depth)) return failure(std::move(*bad));
    }
    Result<u32> after = alignment();
    if (!after) return failure(std::move(after.error()));
    if (out.fields.empty()) return failure(error("the structure has no members"));
    out.align = std::max({out.align, *before, *after});
    out.size = static_cast<u32>(align_up(out.size, out.align));
    return out;
  }

  // "float x, y[3];"
  std::optional<diag::Diagnostic> declaration(Type& out, u32 depth) {
    Result<Type> element = type(depth + 1);
    if (!element) return element.error();
    do {
      Type type = *element;
      while (take("*")) type = scalar("pointer", 8);
      if (tokens_[at_].kind != TokenKind::name) return error("expected a member's name");
      Field field{std::string(tokens_[at_].text), type, 0, {}};
      if (out.find(field.name) != nullptr)
        return error(fmt::format("member '{}' is declared twice", field.name));
      ++at_;
      u64 size = field.type.size;
      while (take("[")) {
        Wide count = tokens_[at_].kind == TokenKind::number ? tokens_[at_].value : 0;
        if (count < 1 || count > largest_type) return error("expected a number of elements from 1 up");
        ++at_;
        if (!take("]")) return error("expected ']'");
        field.dims.push_back(static_cast<u32>(count));
        size *= static_cast<u64>(count);
        if (size > largest_type) return error("the structure is larger than a megabyte");
      }
      field.offset = static_cast<u32>(align_up(out.size, field.type.align));
      if (field.offset + size > largest_type) return error("the structure is larger than a megabyte");
      out.size = field.offset + static_cast<u32>(size);
      out.align = std::max(out.align, field.type.align);
      out.fields.push_back(std::move(field));
    } while (take(","));
    if (!take(";")) return error("expected ';' after the member");
    return {};
  }

  Texts texts_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

} // namespace

const Field* Type::find(std::string_view member) const {
  auto at = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == member; });
  return at == fields.end() ? nullptr : &*at;
}

Result<Type> parse_type(std::string_view text) { return TypeParser(text).parse(); }

std::vector<Piece> pieces(const Type& type) {
  bool one = type.size <= 16 && is_power_of_two(type.size) && type.align >= type.size;
  u32 width = one ? type.size : std::min(type.align, 16u);
  std::vector<Piece> out;
  for (u32 offset = 0; offset < type.size; offset += width) out.push_back({offset, width});
  return out;
}

} // namespace warplens::explain
