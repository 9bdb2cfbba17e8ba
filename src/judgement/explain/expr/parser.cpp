// Recursive descent over C's integer expressions. Binary operators by precedence climbing; everything that
// recurses goes through conditional() or unary(), which count the depth, so no input can exhaust the stack.
//
// Not here: assignments, floating point, calls other than min, max and abs, and values loaded from memory (an
// index inside an index): explain looks at one access and knows no contents. Each is diagnosed with what to
// do instead.
#include "explain/expr/parser.h"
#include "base/closest.h"
#include "text/lines.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

struct Operator {
  std::string_view text;
  u32 precedence;
  Binary op;
};
constexpr Operator operators[] = {
    {"*", 10, Binary::multiply},    {"/", 10, Binary::divide},        {"%", 10, Binary::remainder},
    {"+", 9, Binary::add},          {"-", 9, Binary::subtract},       {"<<", 8, Binary::shift_left},
    {">>", 8, Binary::shift_right}, {"<", 7, Binary::less},           {">", 7, Binary::greater},
    {"<=", 7, Binary::less_equal},  {">=", 7, Binary::greater_equal}, {"==", 6, Binary::equal},
    {"!=", 6, Binary::not_equal},   {"&", 5, Binary::bit_and},        {"^", 4, Binary::bit_xor},
    {"|", 3, Binary::bit_or},       {"&&", 2, Binary::logical_and},   {"||", 1, Binary::logical_or}};

bool gives_truth(Binary op) {
  return op >= Binary::less && op <= Binary::not_equal ? true : op >= Binary::logical_and;
}

constexpr std::string_view builtin_names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

// What courses and samples call the parts of an index. Sizes (n, width) have no usual value.
struct UsualName {
  std::string_view name, meaning;
};
constexpr std::string_view across = "blockIdx.x*blockDim.x + threadIdx.x",
                           down = "blockIdx.y*blockDim.y + threadIdx.y";
constexpr UsualName usual_names[] = {{"tid", "threadIdx.x"},
                                     {"t", "threadIdx.x"},
                                     {"tx", "threadIdx.x"},
                                     {"ty", "threadIdx.y"},
                                     {"tz", "threadIdx.z"},
                                     {"bid", "blockIdx.x"},
                                     {"bx", "blockIdx.x"},
                                     {"by", "blockIdx.y"},
                                     {"bz", "blockIdx.z"},
                                     {"i", across},
                                     {"idx", across},
                                     {"index", across},
                                     {"id", across},
                                     {"gid", across},
                                     {"gtid", across},
                                     {"x", across},
                                     {"ix", across},
                                     {"col", across},
                                     {"Col", across},
                                     {"column", across},
                                     {"y", down},
                                     {"iy", down},
                                     {"row", down},
                                     {"Row", down},
                                     {"lane", "threadIdx.x % 32"},
                                     {"laneId", "threadIdx.x % 32"},
                                     {"lane_id", "threadIdx.x % 32"},
                                     {"warp", "threadIdx.x / 32"},
                                     {"warpId", "threadIdx.x / 32"},
                                     {"warp_id", "threadIdx.x / 32"}};

struct DepthGuard {
  u32& depth;
  explicit DepthGuard(u32& d) : depth(++d) {}
  ~DepthGuard() { --depth; }
};

} // namespace

bool is_signed(Integer type) { return type == Integer::i32 || type == Integer::i64; }
u32 bits(Integer type) { return type == Integer::i32 || type == Integer::u32 ? 32 : 64; }
Integer common(Integer a, Integer b) { return std::max(a, b); } // the enumerators stand in C's order of rank

Parser::Parser(Texts& texts, Tree& tree) : texts_(texts), tree_(tree) {
  for (std::string_view name : builtin_names)
    for (char axis : {'x', 'y', 'z'})
      tree_.variables.push_back({fmt::format("{}.{}", name, axis), Integer::u32});
  tree_.variables.push_back({"warpSize", Integer::i32, warp_size});
  names_.push_back({"warpSize", {}, warp_size_variable});
}

const Parser::Name* Parser::known(std::string_view name) const {
  auto at = std::find_if(names_.begin(), names_.end(), [&](const Name& n) { return n.name == name; });
  return at == names_.end() ? nullptr : &*at;
}

// Defines a name that has no meaning yet as it usually is; null where there is no such meaning.
const Parser::Name* Parser::usual(std::string_view name) {
  const auto* at = std::find_if(std::begin(usual_names), std::end(usual_names),
                                [&](const UsualName& one) { return one.name == name; });
  if (at == std::end(usual_names)) return nullptr;
  const std::vector<Token> tokens = std::move(tokens_);
  const std::size_t place = at_;
  const u32 depth = depth_;
  const bool defined = !define(std::string(name), std::string(at->meaning));
  tokens_ = tokens, at_ = place, depth_ = depth;
  if (!defined) return nullptr;
  assumed_.emplace_back(name, at->meaning);
  return &names_.back();
}

NodeId Parser::add(Node node) {
  tree_.nodes.push_back(node);
  return NodeId{tree_.nodes.size() - 1};
}

// From the start of `first` to the end of the last token taken.
TextPlace Parser::from(TextPlace first) const {
  const TextPlace& last = tokens_[at_ == 0 ? 0 : at_ - 1].place;
  first.length = std::max(last.column + last.length, first.column + 1) - first.column;
  return first;
}

NodeId Parser::operation(Binary op, NodeId a, NodeId b) {
  const Node &left = tree_[a], &right = tree_[b];
  Node node;
  node.kind = NodeKind::binary;
  node.op = op;
  bool shift = op == Binary::shift_left || op == Binary::shift_right;
  node.type = gives_truth(op) ? Integer::i32 : shift ? left.type : common(left.type, right.type);
  node.place = from(left.place);
  node.operands = {a, b, {}};
  return add(node);
}

std::optional<diag::Diagnostic> Parser::start(const std::string& what, const std::string& text) {
  u32 line = texts_.add(what, text);
  Result<std::vector<Token>> tokens = tokenize(texts_, line);
  if (!tokens) return std::move(tokens.error());
  tokens_ = std::move(*tokens);
  at_ = 0;
  depth_ = 0;
  if (here().kind == TokenKind::end)
    return texts_.error("explain-empty", "there is no expression here", here().place,
                        "write an index such as 'A[blockIdx.x*blockDim.x + threadIdx.x]'");
  return {};
}

diag::Diagnostic Parser::unexpected(std::string_view wanted) const {
  if (here().kind == TokenKind::end)
    return texts_.error("explain-syntax", fmt::format("expected {}, but the expression ends here", wanted),
                        here().place);
  return texts_.error("explain-syntax", fmt::format("expected {} before '{}'", wanted, here().text),
                      here().place);
}

std::optional<diag::Diagnostic> Parser::define(const std::string& name, const std::string& text) {
  bool good = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
              std::all_of(name.begin(), name.end(), text::is_word);
  if (std::ranges::any_of(assumed_, [&](const auto& one) { return one.first == name; }))
    return diag::error("explain-set", fmt::format("'{}' is used before it is set", name), {},
                       fmt::format("put --set {}=… first", name));
  if (!good || known(name) != nullptr ||
      std::find(std::begin(builtin_names), std::end(builtin_names), name) != std::end(builtin_names))
    return diag::error("explain-set",
                       good ? fmt::format("'{}' already has a meaning", name)
                            : fmt::format("'{}' is not a name", name),
                       {}, "write --set name=value, for example --set n=1024");
  Parsed value = expression("--set " + name, text);
  if (!value) return std::move(value.error());
  const Node& node = tree_[*value];
  bool negative = node.kind == NodeKind::negate && tree_[node.operands[0]].kind == NodeKind::number;
  if (node.kind == NodeKind::number || negative) {
    Wide number = negative ? -tree_[node.operands[0]].value : node.value;
    tree_.variables.push_back({name, node.type, number, true});
    names_.push_back({name, {}, VariableId{tree_.variables.size() - 1}});
    return {};
  }
  Node as_int{NodeKind::cast, node.type == Integer::u32 ? Integer::i32 : node.type, node.place};
  as_int.operands[0] = *value;
  names_.push_back({name, add(as_int), {}});
  return {};
}

Result<NodeId> Parser::expression(const std::string& what, const std::string& text) {
  if (std::optional<diag::Diagnostic> bad = start(what, text)) return failure(std::move(*bad));
  return whole();
}

Parser::Parsed Parser::whole() {
  Parsed out = conditional();
  if (out && here().kind != TokenKind::end) return failure(unexpected("an operator"));
  return out;
}

diag::Diagnostic Parser::too_deep() const {
  return texts_.error("explain-too-deep", fmt::format("nested more than {} deep", deepest_nesting),
                      here().place, "name parts of the expression with --set name=EXPRESSION");
}

Parser::Parsed Parser::conditional() {
  DepthGuard guard(depth_);
  if (depth_ > deepest_nesting) return failure(too_deep());
  TextPlace first = here().place;
  Parsed condition = binary(1);
  if (!condition || !take("?")) return condition;
  Parsed yes = conditional();
  if (!yes) return yes;
  if (!take(":")) return failure(unexpected("':'"));
  Parsed no = conditional();
  if (!no) return no;
  Node node{NodeKind::conditional, common(tree_[*yes].type, tree_[*no].type), from(first)};
  node.operands = {*condition, *yes, *no};
  return add(node);
}

Parser::Parsed Parser::binary(u32 lowest) {
  Parsed left = unary();
  while (left) {
    auto at = std::find_if(std::begin(operators), std::end(operators),
                           [&](const Operator& o) { return is(o.text); });
    if (at == std::end(operators) || at->precedence < lowest) break;
    ++at_;
    Parsed right = binary(at->precedence + 1);
    if (!right) return right;
    const bool is_power = at->op == Binary::bit_xor && tree_[*left].kind == NodeKind::number &&
                          (tree_[*left].value == 2 || tree_[*left].value == 10);
    left = operation(at->op, *left, *right);
    if (is_power) {
      notes_.push_back(texts_.error("explain-xor", "'^' is exclusive or, and no power", tree_[*left].place,
                                    "two to the power of n is 1 << n"));
      notes_.back().severity = diag::Severity::note;
    }
  }
  return left;
}

Parser::Parsed Parser::unary() {
  DepthGuard guard(depth_);
  if (depth_ > deepest_nesting) return failure(too_deep());
  TextPlace first = here().place;
  if (is("++") || is("--") || is("*") || is("&"))
    return failure(texts_.error("explain-operator",
                                fmt::format("'{}' has no place in an index expression", here().text),
                                here().place, "write the access as A[index]"));
  std::string_view op = here().text;
  if (!take("-") && !take("+") && !take("~") && !take("!")) return primary();
  Parsed operand = unary();
  if (!operand || op == "+") return operand;
  Node node{op == "-" ? NodeKind::negate : op == "~" ? NodeKind::complement : NodeKind::logical_not};
  node.type = op == "!" ? Integer::i32 : tree_[*operand].type;
  node.place = from(first);
  node.operands[0] = *operand;
  return add(node);
}

Parser::Parsed Parser::primary() {
  TextPlace first = here().place;
  if (here().kind == TokenKind::number) {
    Node node{NodeKind::number, here().type, first};
    node.value = here().value;
    ++at_;
    return add(node);
  }
  if (here().kind == TokenKind::name) return name();
  if (!take("(")) return failure(unexpected("a value"));
  std::size_t inside = at_;
  if (cast_type() && is(")")) return at_ = inside, cast(first);
  at_ = inside;
  Parsed out = conditional();
  if (out && !take(")"))
    return failure(unexpected(fmt::format("')' for the '(' in column {}", first.column + 1)));
  return out;
}

// Of a name that has been taken.
diag::Diagnostic Parser::unknown_name(const Token& token) const {
  if (here().kind == TokenKind::name) return unexpected("an operator");
  std::vector<std::string> known(std::begin(builtin_names), std::end(builtin_names));
  for (const Name& name : names_) known.push_back(name.name);
  const std::string near = closest(token.text, known);
  return texts_.error(
      "explain-unknown-name", fmt::format("'{}' has no value", token.text), token.place,
      !near.empty() ? fmt::format("did you mean {}?", near)
      : is(".")
          ? fmt::format("give what you mean a name without a member: {0}_x, and --set {0}_x=1024", token.text)
          : fmt::format(
                "give it one: --set {0}=1024 for a size, --set '{0}=threadIdx.x' for a part of the index",
                token.text));
}

Parser::Parsed Parser::name() {
  const Token token = here();
  for (u32 i = 0; i < std::size(builtin_names); ++i)
    if (token.text == builtin_names[i]) return builtin(i * 3);
  ++at_;
  if (token.text == "sizeof") return size_of(token);
  if (token.text == "static_cast") return static_cast_of(token);
  if (is("(")) return call(token);
  if (is("["))
    return failure(texts_.error(
        "explain-loaded",
        fmt::format("the value of '{}[…]' is loaded from memory, which explain does not know", token.text),
        token.place,
        fmt::format("use `warplens run` on the program, or write a name of your own for it: --set "
                    "'value=threadIdx.x*7%256' and [value] instead of [{}[…]]",
                    token.text)));
  if (is("->"))
    return failure(
        texts_.error("explain-arrow", fmt::format("which structure '{}' points to is not known", token.text),
                     token.place, fmt::format("write {}[i].member for an array of structures", token.text)));
  const Name* found = known(token.text);
  if (found == nullptr) found = usual(token.text);
  if (found == nullptr) return failure(unknown_name(token));
  if (found->node.valid()) { // a copy of its outermost node, so that carets point at this use of it
    Node use = tree_[found->node];
    use.place = token.place;
    return add(use);
  }
  const Variable& variable = tree_.variables[found->variable.value];
  Node node{NodeKind::variable, variable.type, token.place};
  node.variable = found->variable;
  return add(node);
}

Parser::Parsed Parser::builtin(u32 first) {
  TextPlace place = here().place;
  std::string_view name = here().text;
  ++at_;
  if (!take(".")) return failure(unexpected(fmt::format("'.x', '.y' or '.z' after {}", name)));
  std::string_view axis = here().text;
  if (here().kind != TokenKind::name || axis.size() != 1 || axis[0] < 'x' || axis[0] > 'z')
    return failure(
        texts_.error("explain-member", fmt::format("{} has the members x, y and z", name), here().place));
  ++at_;
  Node node{NodeKind::variable, Integer::u32, from(place)};
  node.variable = VariableId{first + static_cast<u32>(axis[0] - 'x')};
  return add(node);
}

Parser::Parsed Parser::call(const Token& function) {
  struct Known {
    std::string_view name;
    NodeKind kind;
    u32 arguments;
  };
  static constexpr Known functions[] = {{"min", NodeKind::minimum, 2},
                                        {"max", NodeKind::maximum, 2},
                                        {"umin", NodeKind::minimum, 2},
                                        {"umax", NodeKind::maximum, 2},
                                        {"abs", NodeKind::absolute, 1}};
  auto at = std::find_if(std::begin(functions), std::end(functions),
                         [&](const Known& k) { return k.name == function.text; });
  if (at == std::end(functions))
    return failure(texts_.error(
        "explain-function", fmt::format("'{}' is not a function that explain knows", function.text),
        function.place,
        "min, max and abs are. Write out a macro; write v[y][x] with --dims for a view's v(y, x); give any "
        "other value a name with --set"));
  take("(");
  Node node{at->kind, Integer::i32};
  for (u32 i = 0; i < at->arguments; ++i) {
    if (i > 0 && !take(",")) return failure(unexpected("','"));
    Parsed argument = conditional();
    if (!argument) return argument;
    node.operands[i] = *argument;
    node.type = common(node.type, tree_[*argument].type);
  }
  if (!take(")")) return failure(unexpected("')'"));
  node.place = from(function.place);
  return add(node);
}

// sizeof(T)
Parser::Parsed Parser::size_of(const Token& word) {
  if (!take("(")) return failure(unexpected("'(' after sizeof"));
  const std::size_t first = at_;
  while (!is(")") && here().kind != TokenKind::end) ++at_;
  if (at_ == first || here().kind == TokenKind::end) return failure(unexpected("a type in brackets"));
  TextPlace place = tokens_[first].place;
  place.length = here().place.column - place.column;
  Result<Type> type = parse_type(texts_.cut(place));
  if (!type)
    return failure(texts_.error("explain-type", fmt::format("unknown type '{}'", texts_.cut(place)), place,
                                "write its size in bytes"));
  ++at_;
  Node node{NodeKind::number, Integer::u64, from(word.place)};
  node.value = type->size;
  return add(node);
}

// static_cast<T>(value)
Parser::Parsed Parser::static_cast_of(const Token& word) {
  std::optional<Node> node;
  if (take("<")) node = cast_type();
  if (!node || !take(">") || !take("(")) return failure(unexpected("an integer type in '<…>' and a value"));
  Parsed value = conditional();
  if (!value) return value;
  if (!take(")")) return failure(unexpected("')'"));
  node->operands[0] = *value, node->place = from(word.place);
  return add(*node);
}

// The words of an integer type, after '('; nothing when they are not one. Leaves at_ behind them.
std::optional<Node> Parser::cast_type() {
  struct Word {
    std::string_view name;
    u32 bits;
    bool is_unsigned;
  };
  static constexpr Word words[] = {
      {"int", 0, false},      {"unsigned", 0, true},  {"signed", 0, false},   {"long", 64, false},
      {"short", 16, false},   {"char", 8, false},     {"size_t", 64, true},   {"ptrdiff_t", 64, false},
      {"int8_t", 8, false},   {"uint8_t", 8, true},   {"int16_t", 16, false}, {"uint16_t", 16, true},
      {"int32_t", 32, false}, {"uint32_t", 32, true}, {"int64_t", 64, false}, {"uint64_t", 64, true},
      {"uint", 32, true},     {"ulong", 64, true},    {"ushort", 16, true},   {"uchar", 8, true}};
  u32 width = 0, count = 0;
  bool is_unsigned = false;
  for (; here().kind == TokenKind::name; ++at_, ++count) {
    auto at = std::find_if(std::begin(words), std::end(words),
                           [&](const Word& w) { return w.name == here().text; });
    if (at == std::end(words) || known(here().text) != nullptr) break;
    width = std::max(width, at->bits);
    is_unsigned = is_unsigned || at->is_unsigned;
  }
  if (count == 0) return {};
  Node node{NodeKind::cast};
  if (width == 8 || width == 16)
    node.narrow = static_cast<u8>(width), node.narrow_unsigned = is_unsigned;
  else if (width == 64)
    node.type = is_unsigned ? Integer::u64 : Integer::i64;
  else
    node.type = is_unsigned ? Integer::u32 : Integer::i32;
  return node;
}

Parser::Parsed Parser::cast(TextPlace open) {
  Node node = *cast_type();
  take(")");
  Parsed operand = unary();
  if (!operand) return operand;
  node.operands[0] = *operand;
  node.place = from(open);
  return add(node);
}

} // namespace warplens::explain
