// Declarations, constants and names of types, by tokens. See arrays.h.
#include "source/arrays.h"
#include "source/types.h"
#include <set>

namespace warplens::source {
namespace {

bool is_qualifier(const Token& t) {
  return t.is("static") || t.is("__shared__") || t.is("__device__") || t.is("volatile") ||
         t.is("__managed__");
}

// "[a][b]" behind a name; moves `at` behind them. Nothing where a bracket does not close.
std::optional<std::vector<Range>> brackets(const Tokens& s, u32& at) {
  std::vector<Range> out;
  while (s.at(at).is("[")) {
    const u32 close = s.partner(at);
    if (close == no_token || close == at + 1) return {};
    out.push_back({at + 1, close});
    at = close + 1;
  }
  return out;
}

// Qualifiers, __align__(n), and a type of plain words: all that may stand before the first declarator. Gives the type.
std::optional<Range> plain_type(const Tokens& s, u32 from, u32 to) {
  u32 i = from;
  while (i < to) {
    if (is_qualifier(s.at(i))) {
      ++i;
    } else if ((s.at(i).is("__align__") || s.at(i).is("alignas")) && s.partner(i + 1) != no_token) {
      i = s.partner(i + 1) + 1;
    } else {
      break;
    }
  }
  const u32 first = i;
  for (; i < to; ++i)
    if (!s.at(i).word() && !s.at(i).is("::")) return {};
  if (first >= to) return {};
  return Range{first, to};
}

// The token behind a declarator's name: "t[4]" is often written "(t)[4]" by macros.
u32 behind_name(const Tokens& s, u32 name) {
  u32 at = name + 1;
  for (u32 open = name; open > 0 && s.at(open - 1).is("(") && s.partner(open - 1) == at; --open) ++at;
  return at;
}

std::optional<Array> declared_at(const Tokens& s, u32 name) {
  Array out;
  out.name = name;
  const u32 statement = s.statement_of(name);
  bool known = false;
  for (u32 i = statement; i < name; ++i) {
    const Token& t = s.at(i);
    if (t.is("extern") || t.is("__constant__") || t.is("=") || t.is("*") || t.is("&") || t.is("(")) {
      const bool aligning = t.is("(") && (s.at(i - 1).is("__align__") || s.at(i - 1).is("alignas"));
      const bool around_name = t.is("(") && s.partner(i) != no_token && s.partner(i) > name;
      if (!aligning && !around_name) return {};
    }
    if (t.is("[")) i = s.partner(i) == no_token ? name : s.partner(i);
    known = known || t.is("__shared__") || t.is("__device__");
    out.shared = out.shared || t.is("__shared__");
  }
  u32 at = behind_name(s, name);
  std::optional<std::vector<Range>> dimensions = brackets(s, at);
  if (!known || !dimensions || dimensions->empty()) return {};
  if (!s.at(at).is(";") && !s.at(at).is(",")) return {};
  out.dimensions = std::move(*dimensions);
  u32 first = statement; // declarator: behind the type
  while (first < name && !(s.at(first).word() && (s.at(first + 1).is("[") || s.at(first + 1).is(","))))
    ++first;
  while (first > statement && s.at(first - 1).is("(")) --first;
  std::optional<Range> type = plain_type(s, statement, first);
  if (!type) return {};
  out.type = s.words(*type);
  const u32 block = s.block_around(name);
  out.scope_end = block == no_token ? s.size() : s.partner(block);
  return out;
}

// The definitions that the file has of a constant: what follows "constexpr int NAME =", "#define NAME", "NAME =" in an enum.
std::vector<Range> definitions(const Tokens& s, std::string_view name) {
  std::vector<Range> out;
  for (u32 i : s.places_of(name)) {
    const Token& before = s.at(i - 1);
    u32 end = i + 1;
    if (const u32 directive = s.at(i).directive) {
      if (!before.is("define")) continue;
      while (s.at(end).directive == directive) ++end;
      if (s.at(i + 1).is("(") && s.at(i + 1).begin == s.at(i).end()) end = i + 1; // with parameters
      out.push_back({i + 1, end});
      continue;
    }
    if (!s.at(i + 1).is("=")) {
      // A parameter, also of a template, or a variable that hides the constant.
      if (before.word() && (before.is("int") || before.is("unsigned") || before.is("size_t")))
        out.push_back({i, i});
      continue;
    }
    const u32 statement = s.statement_of(i);
    bool fixed = before.is("{") || (before.is(",") && s.block_around(i) != no_token);
    for (u32 k = statement; k < i; ++k)
      fixed = fixed || s.at(k).is("const") || s.at(k).is("constexpr") || s.at(k).is("enum");
    ++end;
    while (end < s.size() && !s.at(end).is(";") && !s.at(end).is(",") && !s.at(end).is("}")) ++end;
    out.push_back(fixed ? Range{i + 2, end} : Range{i, i});
  }
  return out;
}

// Sums of products of numbers, names and brackets. Each name is looked for in the whole file: `left` of them.
class Calculator {
public:
  Calculator(const Tokens& s, u32 depth, u32& left) : s_(s), depth_(depth), left_(left) {}
  std::optional<u64> value(Range r) {
    at_ = r.first, last_ = r.last;
    std::optional<u64> out = sum();
    return at_ == last_ ? out : std::nullopt;
  }

private:
  static constexpr u32 deepest = 16;
  std::optional<u64> sum() {
    std::optional<u64> out = product();
    while (out && at_ < last_ && (s_.at(at_).is("+") || s_.at(at_).is("-"))) {
      const bool plus = s_.at(at_++).is("+");
      std::optional<u64> next = product();
      if (!next || (!plus && *next > *out)) return {};
      out = plus ? *out + *next : *out - *next;
    }
    return out;
  }
  std::optional<u64> product() {
    std::optional<u64> out = operand();
    while (out && at_ < last_ && (s_.at(at_).is("*") || s_.at(at_).is("/"))) {
      const bool times = s_.at(at_++).is("*");
      std::optional<u64> next = operand();
      if (!next || (!times && *next == 0)) return {};
      out = times ? *out * *next : *out / *next;
    }
    return out && *out < (u64{1} << 40) ? out : std::nullopt;
  }
  std::optional<u64> operand() {
    if (at_ >= last_ || depth_ > deepest) return {};
    const Token& t = s_.at(at_++);
    if (t.is("(")) {
      const u32 close = s_.partner(at_ - 1);
      if (close == no_token || close >= last_) return {};
      std::optional<u64> out = Calculator(s_, depth_ + 1, left_).value({at_, close});
      at_ = close + 1;
      return out;
    }
    if (t.kind == Token::Kind::number) return number(t.text);
    if (!t.word() || left_ == 0) return {};
    --left_;
    const std::vector<Range> all = definitions(s_, t.text);
    if (all.size() != 1 || all[0].first == all[0].last) return {};
    return Calculator(s_, depth_ + 1, left_).value(all[0]);
  }
  static std::optional<u64> number(std::string_view text) {
    while (!text.empty() &&
           (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L'))
      text.remove_suffix(1);
    if (text.empty() || text.size() > 9 || (text.size() > 1 && text[0] == '0')) return {};
    u64 out = 0;
    for (char c : text) {
      if (c < '0' || c > '9') return {};
      out = 10 * out + static_cast<u64>(c - '0');
    }
    return out;
  }
  const Tokens& s_;
  u32 depth_, at_ = 0, last_ = 0;
  u32& left_;
};

// What the file calls by another name: "#define T float", "typedef float T;", "using T = float;".
std::vector<Range> type_definitions(const Tokens& s, std::string_view name) {
  std::vector<Range> out;
  for (u32 i : s.places_of(name)) {
    if (const u32 directive = s.at(i).directive; directive != 0 && s.at(i - 1).is("define")) {
      u32 end = i + 1;
      while (s.at(end).directive == directive) ++end;
      out.push_back({i + 1, end});
    } else if (s.at(i - 1).is("using") && s.at(i + 1).is("=")) {
      u32 end = i + 2;
      while (end < s.size() && !s.at(end).is(";")) ++end;
      out.push_back({i + 2, end});
    } else if (s.at(i + 1).is(";") && s.at(s.statement_of(i)).is("typedef")) {
      out.push_back({s.statement_of(i) + 1, i});
    } else if (s.at(i - 1).is("typename") || s.at(i - 1).is("class") || s.at(i - 1).is("struct")) {
      out.push_back({i, i}); // a parameter of a template, or a type of its own
    }
  }
  return out;
}

u32 size_at_depth(const Tokens& s, std::string_view type, u32 depth) {
  constexpr u32 deepest = 3;
  return size_of(type, [&](std::string_view word) -> u32 {
    if (depth == deepest) return 0;
    const std::vector<Range> all = type_definitions(s, word);
    const std::string type = all.size() == 1 ? s.words(all[0]) : "";
    return type.find('*') == type.npos ? size_at_depth(s, type, depth + 1) : 0;
  });
}

// What a statement that declares a thread's own array does not hold.
bool is_not_own(const Token& t) {
  static const std::set<std::string_view> words{
      "return",     "else",      "delete", "case",    "goto", "throw",     "extern",       "static",
      "__shared__", "constexpr", "using",  "typedef", "new",  "co_return", "__constant__", "do"};
  return words.contains(t.text) ||
         (t.kind != Token::Kind::literal && t.text.find_first_of("=(.-+?/%&|!") != t.text.npos);
}

// Of "float a[4], b, c[2]" or "float b, c[2]" the arrays; "x = a[i]", "return a[i]", "__shared__ float t[32]" declare none.
void add_own_arrays(const Tokens& s, Range statement, std::vector<std::string>& out) {
  const std::vector<Range> all = s.parts(statement, ",");
  if (all.empty()) return;
  const Range first = all[0];
  u32 end = first.first; // behind the name
  while (end < first.last && !s.at(end).is("[")) ++end;
  if (end < first.first + 2 || !s.at(first.first).word() || !s.at(end - 1).word()) return;
  for (u32 i = first.first; i < end; ++i)
    if (is_not_own(s.at(i))) return;
  const Token& before = s.at(end - 2);
  if (!before.word() && !before.text.ends_with('>') && !before.is("*")) return;
  if (end != first.last) out.emplace_back(s.at(end - 1).text);
  for (std::size_t n = 1; n < all.size(); ++n)
    if (s.at(all[n].first).word() && all[n].last > all[n].first + 1 && s.at(all[n].first + 1).is("["))
      out.emplace_back(s.at(all[n].first).text);
}

} // namespace

std::optional<Array> array_visible(const Tokens& s, std::string_view name, u32 use) {
  if (name.empty() || !s.sound()) return {};
  std::optional<Array> out;
  for (u32 i : s.places_of(name)) {
    if (i > use) break;
    const Token& before = s.at(i - 1);
    const u32 behind = behind_name(s, i);
    const bool may_declare =
        before.word() || before.is(",") || before.is("]") || before.is(")") || behind > i + 1;
    if (!may_declare || s.at(i).directive != 0 || !s.at(behind).is("[")) continue;
    std::optional<Array> one = declared_at(s, i);
    if (!one || use >= one->scope_end) continue;
    if (out) return {}; // one hides the other
    out = std::move(one);
  }
  return out;
}

std::optional<u64> constant(const Tokens& s, Range r) {
  u32 names = 64;
  return Calculator(s, 0, names).value(r);
}

u32 size_of(const Tokens& s, std::string_view type) { return size_at_depth(s, type, 0); }

std::vector<std::string> own_arrays(const Tokens& s, Range body) {
  std::vector<std::string> out;
  const u32 directive = s.at(body.first - 1).directive; // a macro may be the whole function
  u32 begin = body.first;
  for (u32 i = body.first; i <= body.last; ++i) {
    const Token& t = s.at(i);
    if (i == body.last || t.is(";") || t.is("{") || t.is("}"))
      add_own_arrays(s, {begin, i}, out);
    else if (begin != i || t.directive == directive)
      continue;
    begin = i + 1;
  }
  return out;
}

} // namespace warplens::source
