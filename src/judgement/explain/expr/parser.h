// From texts to a tree. One Parser serves the access, the condition and the definitions of one question,
// because the definitions are names in the others.
#pragma once
#include "explain/expr/tree.h"
#include <optional>

namespace warplens::explain {

class Parser {
public:
  Parser(Texts& texts, Tree& tree);

  // `name=text`: a number becomes a parameter of that value, anything else a definition: an int variable.
  std::optional<diag::Diagnostic> define(const std::string& name, const std::string& text);
  // The names that the texts used without a definition and that have the meaning courses give them: "tid" → "threadIdx.x".
  const std::vector<std::pair<std::string, std::string>>& assumed() const { return assumed_; }
  // What is worth saying of texts that are right.
  const std::vector<diag::Diagnostic>& notes() const { return notes_; }
  Result<NodeId> expression(const std::string& what, const std::string& text);
  // "A[i]", "p[i].y", "A[i][j]" or a bare index. `dims`: elements per dimension, outermost first; the
  // outermost may be left out. `pitch`: bytes from row to row where rows are padded, else 0.
  Result<Target> access(const std::string& text, const Type& element, const std::vector<u64>& dims,
                        u64 pitch);

private:
  using Parsed = Result<NodeId>;
  struct Name {
    std::string name;
    NodeId node; // of a definition
    VariableId variable;
  };
  const Token& here() const { return tokens_[at_]; }
  bool is(std::string_view text) const { return here().kind != TokenKind::end && here().text == text; }
  bool take(std::string_view text) { return is(text) ? (++at_, true) : false; }
  std::optional<diag::Diagnostic> start(const std::string& what, const std::string& text);
  diag::Diagnostic unexpected(std::string_view wanted) const;
  Parsed whole();
  diag::Diagnostic too_deep() const;
  Parsed conditional();
  Parsed binary(u32 lowest);
  Parsed unary();
  Parsed primary();
  Parsed name();
  Parsed builtin(u32 first);
  Parsed call(const Token& function);
  Parsed cast(TextPlace open);
  std::optional<Node> cast_type();
  Result<std::vector<NodeId>> subscripts();
  std::optional<diag::Diagnostic> members(Target& target);
  std::optional<diag::Diagnostic> strides(Target& target, const std::vector<NodeId>& indices,
                                          const std::vector<u64>& dims, u64 size, u64 pitch,
                                          TextPlace at) const;
  NodeId add(Node node);
  NodeId operation(Binary op, NodeId a, NodeId b);
  TextPlace from(TextPlace first) const;
  diag::Diagnostic unknown_name(const Token&) const;
  const Name* known(std::string_view name) const;
  const Name* usual(std::string_view name);
  Parsed size_of(const Token& word);
  Parsed static_cast_of(const Token& word);

  Texts& texts_;
  Tree& tree_;
  std::vector<Name> names_;
  std::vector<std::pair<std::string, std::string>> assumed_;
  std::vector<diag::Diagnostic> notes_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  u32 depth_ = 0;
};

// The type of a binary operation's result, and that both sides are converted to first (but for shifts).
Integer common(Integer a, Integer b);
bool is_signed(Integer);
u32 bits(Integer);

} // namespace warplens::explain
