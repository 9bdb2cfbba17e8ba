// See declarations.h. Works on words and signs; templates, attributes and macros inside a declaration are skipped by their
// brackets or end the attempt.
#include "source/declarations.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace warplens::source {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Token {
  std::string_view text;
  std::size_t at = 0;
  bool word() const { return in_word(text.front()); }
};

std::vector<Token> tokens_of(std::string_view text, std::size_t at = 0) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (in_word(text[i]))
      while (end < text.size() && in_word(text[end])) ++end;
    out.push_back({text.substr(i, end - i), at + i});
    i = end;
  }
  return out;
}

// The position of the bracket that closes the one at `open`; npos where there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == '}' || text[i] == ']') && --depth == 0) return i;
  }
  return text.npos;
}

std::vector<std::string_view> split(std::string_view list, char mark) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    char c = list[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c != mark || depth > 0) continue;
    out.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  out.push_back(list.substr(begin));
  return out;
}

// "const float *__restrict__ a[]" → its type, its name, and that it is a pointer.
std::optional<Parameter> parameter_of(std::string_view text) {
  text = text.substr(0, text.find('='));
  if (text.find('(') != text.npos) return {}; // a pointer to a function, or an attribute
  Parameter out;
  std::size_t bracket = text.find('[');
  out.pointer = bracket != text.npos || text.find('*') != text.npos;
  std::vector<Token> tokens = tokens_of(text.substr(0, bracket));
  if (tokens.size() < 2 || !tokens.back().word()) return {};
  out.name = tokens.back().text;
  for (const Token& token : tokens)
    if (&token != &tokens.back()) (out.type += out.type.empty() ? "" : " ") += token.text;
  return out;
}

std::optional<std::vector<Parameter>> parameters_of(std::string_view list) {
  std::vector<Parameter> out;
  std::vector<Token> tokens = tokens_of(list);
  if (tokens.empty() || (tokens.size() == 1 && tokens[0].text == "void")) return out;
  for (std::string_view one : split(list, ',')) {
    std::optional<Parameter> parameter = parameter_of(one);
    if (!parameter) return {};
    out.push_back(std::move(*parameter));
  }
  return out;
}

// "float counts[16]" declares an array of a thread's own; "x = a[i]", "return a[i]", "__shared__ float t[32]" do not.
// Of "float a[4], b, c[2]" only `a`.
std::optional<std::string> array_declared(std::string_view statement) {
  static const std::set<std::string_view> not_own{
      "return",     "else",      "delete", "case",    "goto", "throw",     "extern",       "static",
      "__shared__", "constexpr", "using",  "typedef", "new",  "co_return", "__constant__", "do"};
  std::size_t bracket = statement.find('[');
  if (bracket == statement.npos) return {};
  std::string_view head = statement.substr(0, bracket);
  if (head.find_first_of("=(.-+?/%&|!") != head.npos) return {};
  std::vector<Token> tokens = tokens_of(head);
  if (tokens.size() < 2 || !tokens.back().word() || !tokens.front().word()) return {};
  for (const Token& token : tokens)
    if (not_own.contains(token.text)) return {};
  const Token& before = tokens[tokens.size() - 2];
  if (!before.word() && before.text != ">" && before.text != "*") return {};
  return std::string(tokens.back().text);
}

// Of "float a[4], b, c[2]", or of "float b, c[2]".
void add_arrays(std::string_view statement, std::vector<std::string>& out) {
  std::vector<std::string_view> declarators = split(statement, ',');
  std::string first(declarators[0]);
  bool array = first.find('[') != first.npos;
  if (!array) first += "[]"; // to be read as the others
  std::optional<std::string> name = array_declared(first);
  if (!name) return;
  if (array) out.push_back(*name);
  for (std::size_t i = 1; i < declarators.size(); ++i) {
    std::string_view one = declarators[i].substr(0, declarators[i].find('['));
    std::vector<Token> tokens = tokens_of(one);
    if (one.size() != declarators[i].size() && tokens.size() == 1 && tokens[0].word())
      out.emplace_back(tokens[0].text);
  }
}

std::vector<std::string> arrays_of(std::string_view body) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= body.size(); ++i) {
    if (i != body.size() && body[i] != ';' && body[i] != '{' && body[i] != '}') continue;
    add_arrays(body.substr(begin, i - begin), out);
    begin = i + 1;
  }
  return out;
}

// Bytes of a type of one word or a pointer; 0 where that is not known here.
u32 size_of(std::string_view word) {
  struct Known {
    std::string_view word;
    u32 size;
  };
  static constexpr std::array<Known, 22> known{
      {{"char", 1},     {"bool", 1},      {"uint8_t", 1},  {"int8_t", 1},   {"short", 2},    {"uint16_t", 2},
       {"int16_t", 2},  {"half", 2},      {"__half", 2},   {"int", 4},      {"unsigned", 4}, {"float", 4},
       {"int32_t", 4},  {"uint32_t", 4},  {"long", 8},     {"double", 8},   {"size_t", 8},   {"int64_t", 8},
       {"uint64_t", 8}, {"ptrdiff_t", 8}, {"intptr_t", 8}, {"uintptr_t", 8}}};
  for (const Known& one : known)
    if (one.word == word) return one.size;
  return 0;
}

// Of "unsigned long", "const float": the words that give no size are left out.
u32 size_of_type(const std::vector<Token>& words) {
  u32 size = 0;
  for (const Token& token : words) {
    if (token.text == "const" || token.text == "volatile" || token.text == "struct") continue;
    u32 one = size_of(token.text);
    if (one == 0) return 0;
    size = std::max(size, one);
  }
  return size;
}

} // namespace

std::string without_comments(std::string_view text) {
  std::string out(text);
  auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t end = i;
    if (text.substr(i).starts_with("//")) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      end = text.find("*/", i + 2);
      end = end == text.npos ? text.size() : end + 2;
    } else if (text[i] == '"') {
      for (end = i + 1; end < text.size() && text[end] != '"' && text[end] != '\n'; ++end)
        if (text[end] == '\\') ++end;
      ++end;
    }
    if (end > i) blank(i, end), i = end - 1;
  }
  return out;
}

std::optional<Definition> definition_of(std::string_view text, std::string_view function, std::size_t end) {
  if (function.empty()) return {};
  std::optional<Definition> out;
  for (std::size_t at = text.find(function); at < end && at != text.npos; at = text.find(function, at + 1)) {
    std::size_t open = at + function.size();
    if ((at > 0 && in_word(text[at - 1])) || (open < text.size() && in_word(text[open]))) continue;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open]))) ++open;
    if (open >= text.size() || text[open] != '(') continue;
    std::size_t close = closing(text, open);
    if (close == text.npos) continue;
    std::size_t brace = text.find_first_of("{;(=,)", close + 1);
    if (brace == text.npos || text[brace] != '{') continue; // a declaration or a call
    std::optional<std::vector<Parameter>> parameters = parameters_of(text.substr(open + 1, close - open - 1));
    out.reset();
    if (!parameters) continue;
    std::size_t last = std::min(closing(text, brace), text.size());
    out = Definition{std::move(*parameters), arrays_of(text.substr(brace + 1, last - brace - 1))};
  }
  return out;
}

std::optional<std::string> pointer_member(std::string_view text, std::string_view type, u32 offset) {
  std::vector<Token> words = tokens_of(type);
  std::erase_if(words, [](const Token& token) { return token.text == "const" || token.text == "struct"; });
  if (words.empty() || !words[0].word()) return {};
  std::vector<Token> tokens = tokens_of(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "struct" || tokens[i + 1].text != words[0].text || tokens[i + 2].text != "{")
      continue;
    std::size_t open = tokens[i + 2].at, close = closing(text, open);
    if (close == text.npos) return {};
    u32 at = 0;
    for (std::string_view declaration : split(text.substr(open + 1, close - open - 1), ';')) {
      std::vector<Token> parts = tokens_of(declaration);
      if (parts.empty()) continue;
      std::size_t first = 0; // of the declarators: stars and the last word
      while (first < parts.size() && parts[first].word()) ++first;
      bool plain = first == parts.size() || parts[first].text == ",";
      if (plain) --first; // "float a, b": the last word before the comma is the name
      u32 size = size_of_type({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first)});
      std::string_view list = declaration.substr(parts[first].at);
      for (std::string_view declarator : split(list, ',')) {
        std::vector<Token> name = tokens_of(declarator);
        bool pointer = declarator.find('*') != declarator.npos;
        if (name.empty() || !name.back().word() || declarator.find_first_of("([:={") != declarator.npos)
          return {};
        u32 bytes = pointer ? 8 : size;
        if (bytes == 0) return {};
        at = (at + bytes - 1) / bytes * bytes;
        if (at == offset) return pointer ? std::optional(std::string(name.back().text)) : std::nullopt;
        if (at > offset) return {};
        at += bytes;
      }
    }
    return {};
  }
  return {};
}

} // namespace warplens::source
