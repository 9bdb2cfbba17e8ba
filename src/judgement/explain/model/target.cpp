// The part of the parser that reads the access itself: the array, its subscripts, the members, and from them
// and the element's type the stride of each subscript in bytes.
#include "explain/expr/parser.h"
#include <fmt/format.h>

namespace warplens::explain {

Result<Target> Parser::access(const std::string& text, const Type& element, const std::vector<u64>& dims,
                              u64 pitch) {
  if (std::optional<diag::Diagnostic> bad = start("expression", text)) return failure(std::move(*bad));
  Target target{"A", "", {}, 0, element, element};
  const Token first = here();
  bool array = first.kind == TokenKind::name && tokens_[at_ + 1].text == "[" && known(first.text) == nullptr;
  if (!array) { // a bare index
    Parsed index = whole();
    if (!index) return failure(std::move(index.error()));
    target.subscripts.push_back({*index, element.size});
    return target;
  }
  ++at_;
  target.array = std::string(first.text);
  Result<std::vector<NodeId>> indices = subscripts();
  if (!indices) return failure(std::move(indices.error()));
  if (std::optional<diag::Diagnostic> bad = strides(target, *indices, dims, element.size, pitch, first.place))
    return failure(std::move(*bad));
  if (std::optional<diag::Diagnostic> bad = members(target)) return failure(std::move(*bad));
  if (here().kind != TokenKind::end)
    return failure(texts_.error("explain-one-access", "explain looks at one access at a time", here().place,
                                fmt::format("ask for '{}' alone", texts_.cut(from(first.place)))));
  return target;
}

// "[i][j]…", at least one.
Result<std::vector<NodeId>> Parser::subscripts() {
  std::vector<NodeId> out;
  TextPlace open = here().place;
  while (take("[")) {
    Parsed index = conditional();
    if (!index) return failure(std::move(index.error()));
    if (!take("]")) return failure(unexpected(fmt::format("']' for the '[' in column {}", open.column + 1)));
    out.push_back(*index);
    open = here().place;
  }
  return out;
}

std::optional<diag::Diagnostic> Parser::strides(Target& target, const std::vector<NodeId>& indices,
                                                const std::vector<u64>& dims, u64 size, u64 pitch,
                                                TextPlace at) const {
  if (indices.size() > 1 && dims.size() != indices.size() && dims.size() + 1 != indices.size())
    return texts_.error(
        "explain-dims",
        fmt::format("'{}' has {} subscripts and {} sizes", target.array, indices.size(), dims.size()), at,
        "give the elements of each dimension, outermost first: --dims 64,100");
  std::vector<Subscript> out(indices.size());
  u64 stride = size;
  for (std::size_t i = indices.size(); i-- > 0;) {
    out[i] = {indices[i], stride};
    std::size_t behind = indices.size() - i; // sizes are counted from the innermost
    if (i > 0 && __builtin_mul_overflow(stride, dims[dims.size() - behind], &stride))
      return texts_.error("explain-dims", "the array is larger than 2^64 bytes", at);
    if (i > 0 && behind == 1 && pitch != 0) stride = pitch;
  }
  target.subscripts.insert(target.subscripts.end(), out.begin(), out.end());
  return {};
}

// ".position.x", "->weights[3]"
std::optional<diag::Diagnostic> Parser::members(Target& target) {
  while (is(".") || is("->")) {
    bool arrow = is("->");
    ++at_;
    if (arrow)
      return texts_.error("explain-arrow", "'->' follows a pointer that is loaded from memory",
                          tokens_[at_ - 1].place, "write p[i].member for an array of structures");
    if (here().kind != TokenKind::name) return unexpected("a member's name");
    const Field* field = target.accessed.find(here().text);
    if (field == nullptr) {
      std::string names;
      for (const Field& f : target.accessed.fields) names += (names.empty() ? "" : ", ") + f.name;
      return texts_.error("explain-member",
                          fmt::format("'{}' has no member '{}'", target.accessed.name, here().text),
                          here().place,
                          names.empty() ? "say what the element is: --type 'struct{float x,y,z;}'"
                                        : "its members are " + names);
    }
    TextPlace at = here().place;
    ++at_;
    const Field found = *field;
    target.offset += found.offset;
    target.member += "." + found.name;
    target.accessed = found.type;
    if (found.dims.empty()) continue;
    if (!is("[")) return unexpected(fmt::format("'[' because '{}' is an array", found.name));
    Result<std::vector<NodeId>> indices = subscripts();
    if (!indices) return std::move(indices.error());
    if (indices->size() != found.dims.size())
      return texts_.error("explain-dims",
                          fmt::format("'{}' has {} dimensions", found.name, found.dims.size()), at);
    std::vector<u64> dims(found.dims.begin(), found.dims.end());
    if (std::optional<diag::Diagnostic> bad = strides(target, *indices, dims, found.type.size, 0, at))
      return bad;
    target.member += "[…]";
  }
  return {};
}

} // namespace warplens::explain
