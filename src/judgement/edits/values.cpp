// Interval arithmetic over clang's expressions. See values.h.
#include "edits/values.h"
#include <algorithm>
#include <clang/AST/StmtCXX.h>

namespace warplens::edits {
namespace {

using namespace clang;

constexpr Whole everything = Whole{1} << 100;  // beyond every type
constexpr Whole factor_limit = Whole{1} << 62; // products of smaller ones are exact

Bounds hull(Bounds a, Bounds b) { return {std::min(a.least, b.least), std::max(a.most, b.most)}; }
Bounds meet(Bounds a, Bounds b) {
  const Bounds out{std::max(a.least, b.least), std::min(a.most, b.most)};
  return out.least <= out.most ? out : a; // code that is never reached
}

Bounds of_corners(Bounds a, Bounds b, Whole (*f)(Whole, Whole)) {
  const Whole all[] = {f(a.least, b.least), f(a.least, b.most), f(a.most, b.least), f(a.most, b.most)};
  return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
}

bool is_small(Bounds a) { return -factor_limit < a.least && a.most < factor_limit; }

// All bits up to the highest of a number that is not negative.
Whole filled(Whole n) {
  Whole out = 0;
  while (out < n) out = 2 * out + 1;
  return out;
}

// How a variable is written to; `other`: its address may be known elsewhere.
struct Writes {
  std::vector<const Expr*> values; // that it is given
  std::vector<const Stmt*> steps;  // ++v, v += e, and the like
  bool other = false;
};

bool is_discarded_or_read(const Unit& unit, const Stmt* s) {
  const Stmt* up = unit.parent_past_parens(s);
  if (up == nullptr) return false;
  if (const auto* cast = dyn_cast<CastExpr>(up))
    return cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_ToVoid;
  if (const auto* comma = dyn_cast<BinaryOperator>(up); comma != nullptr && comma->getOpcode() == BO_Comma)
    return comma->getLHS() == s || is_discarded_or_read(unit, up);
  return isa<CompoundStmt, ForStmt, IfStmt, WhileStmt, DoStmt, SwitchCase, LabelStmt>(up) ||
         (isa<ExprWithCleanups>(up) && is_discarded_or_read(unit, up));
}

Writes writes_of(const Unit& unit, const VarDecl* v) {
  Writes out;
  if (v->hasInit() && !isa<ParmVarDecl>(v)) out.values.push_back(v->getInit());
  for (const Use& use : unit.uses_of(v)) {
    const Stmt* child = use.expr;
    const Stmt* up = unit.parent_past_parens(child);
    const auto* cast = dyn_cast_or_null<CastExpr>(up);
    if (cast != nullptr && cast->getCastKind() == CK_LValueToRValue) continue;
    const auto* operation = dyn_cast_or_null<BinaryOperator>(up);
    const auto* single = dyn_cast_or_null<UnaryOperator>(up);
    if (operation != nullptr && operation->isAssignmentOp() && operation->getLHS() == child &&
        is_discarded_or_read(unit, up)) {
      if (operation->getOpcode() == BO_Assign)
        out.values.push_back(operation->getRHS());
      else
        out.steps.push_back(up);
    } else if (single != nullptr && single->isIncrementDecrementOp() &&
               (single->isPostfix() || is_discarded_or_read(unit, up))) {
      out.steps.push_back(up);
    } else {
      out.other = true;
    }
  }
  return out;
}

bool is_plain_local(const VarDecl* v) {
  return v->isLocalVarDecl() && v->hasLocalStorage() && v->getType()->isIntegralOrEnumerationType();
}

bool contains(const Stmt* tree, const Stmt* what) {
  if (tree == what) return true;
  if (tree == nullptr) return false;
  for (const Stmt* child : tree->children())
    if (contains(child, what)) return true;
  return false;
}

const VarDecl* variable_in(const Expr* e) {
  const auto* use = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
  return use == nullptr ? nullptr : dyn_cast<VarDecl>(use->getDecl());
}

// What a loop's variable is given by the loop's own first part; null where it is not.
const Expr* start_of(const ForStmt* loop, const VarDecl* v) {
  if (const auto* declares = dyn_cast_or_null<DeclStmt>(loop->getInit()))
    for (const Decl* d : declares->decls())
      if (const auto* one = dyn_cast<VarDecl>(d); one != nullptr && one->getCanonicalDecl() == v)
        return one->getInit();
  const auto* assigns = dyn_cast_or_null<Expr>(loop->getInit());
  while (assigns != nullptr) {
    const auto* operation = dyn_cast<BinaryOperator>(assigns->IgnoreParens());
    if (operation == nullptr) return nullptr;
    if (operation->getOpcode() == BO_Assign && variable_in(operation->getLHS()) == v)
      return operation->getRHS();
    if (operation->getOpcode() != BO_Comma) return nullptr;
    const auto* last = dyn_cast<BinaryOperator>(operation->getRHS()->IgnoreParens());
    if (last != nullptr && last->getOpcode() == BO_Assign && variable_in(last->getLHS()) == v)
      return last->getRHS();
    assigns = operation->getLHS();
  }
  return nullptr;
}

} // namespace

Bounds bounds_of_type(const Unit& unit, QualType type) {
  if (type.isNull() || type->isDependentType() || !type->isIntegralOrEnumerationType() ||
      type->isIncompleteType())
    return {-everything, everything};
  const u32 bits = unit.context.getIntWidth(type);
  if (bits > 64) return {-everything, everything};
  if (type->isBooleanType()) return {0, 1};
  if (type->isUnsignedIntegerOrEnumerationType()) return {0, (Whole{1} << bits) - 1};
  return {-(Whole{1} << (bits - 1)), (Whole{1} << (bits - 1)) - 1};
}

namespace {
Bounds fitted(const Unit& unit, Bounds b, QualType type) {
  const Bounds all = bounds_of_type(unit, type);
  return all.least <= b.least && b.most <= all.most ? b : all;
}
} // namespace

// A copy of the same type has the same name, and so has an int that is given threadIdx.x.
std::optional<Named> Values::named(const Expr* e) {
  e = e->IgnoreParenImpCasts();
  if (std::optional<BuiltinIndex> index = builtin_index(e); index && index->name == "threadIdx")
    return Named{nullptr, index->axis};
  const VarDecl* v = variable_in(e);
  const auto* parameter = dyn_cast_or_null<ParmVarDecl>(v);
  if (v == nullptr || (parameter == nullptr && !is_plain_local(v))) return {};
  v = v->getCanonicalDecl();
  const Writes writes = writes_of(unit_, v);
  if (writes.other || !writes.steps.empty()) return {};
  if (parameter != nullptr)
    return writes.values.empty() && v->getType()->isIntegralOrEnumerationType() ? std::optional(Named{v, 0})
                                                                                : std::nullopt;
  if (writes.values.size() != 1 || !v->hasInit()) return {};
  constexpr u32 deepest = 16, int_bits = 32;
  if (depth_ > deepest) return {};
  const Expr* init = v->getInit()->IgnoreParenImpCasts();
  if (builtin_index(init) ? unit_.context.getIntWidth(v->getType()) < int_bits
                          : !unit_.context.hasSameUnqualifiedType(init->getType(), v->getType()))
    return Named{v, 0};
  ++depth_;
  const std::optional<Named> source = named(init);
  --depth_;
  return source ? source : Named{v, 0};
}

Bounds Values::of(const Expr* e) {
  e = e->IgnoreParens();
  const Bounds all = bounds_of_type(unit_, e->getType());
  constexpr u32 deepest = 40;
  if (e->isTypeDependent() || e->isValueDependent() || all.most == everything || depth_ > deepest) return all;
  Expr::EvalResult value;
  if (e->EvaluateAsInt(value, unit_.context)) {
    const llvm::APSInt n = value.Val.getInt().extend(128);
    const Whole whole = (static_cast<Whole>(n.getRawData()[1]) << 64) | n.getRawData()[0];
    return {whole, whole};
  }
  ++depth_;
  Bounds out = computed(e);
  const auto* load = dyn_cast<CastExpr>(e);
  if (builtin_index(e) || (load != nullptr && load->getCastKind() == CK_LValueToRValue))
    if (std::optional<Named> name = named(e)) out = narrowed(e, *name, out);
  --depth_;
  return out;
}

Bounds Values::computed(const Expr* e) {
  const QualType type = e->getType();
  if (std::optional<BuiltinIndex> index = builtin_index(e)) return builtin(*index, type);
  if (const auto* one = dyn_cast<CastExpr>(e)) return cast(one);
  if (const auto* one = dyn_cast<ConstantExpr>(e)) return of(one->getSubExpr());
  if (const auto* one = dyn_cast<ExprWithCleanups>(e)) return of(one->getSubExpr());
  if (const auto* one = dyn_cast<SubstNonTypeTemplateParmExpr>(e)) return of(one->getReplacement());
  if (const auto* one = dyn_cast<BinaryOperator>(e)) return binary(one);
  if (const auto* one = dyn_cast<ConditionalOperator>(e))
    return hull(of(one->getTrueExpr()), of(one->getFalseExpr()));
  if (const auto* one = dyn_cast<UnaryOperator>(e)) {
    const Bounds b = one->getSubExpr()->isPRValue() ? of(one->getSubExpr()) : bounds_of_type(unit_, type);
    switch (one->getOpcode()) {
    case UO_Plus: return fitted(unit_, b, type);
    case UO_Minus: return fitted(unit_, {-b.most, -b.least}, type);
    case UO_Not: return fitted(unit_, {~b.most, ~b.least}, type);
    case UO_LNot: return {0, 1};
    default: return bounds_of_type(unit_, type);
    }
  }
  if (const auto* call = dyn_cast<CallExpr>(e)) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee != nullptr && unit_.is_system(callee) && call->getNumArgs() == 2 &&
        callee->getIdentifier() != nullptr && !callee->getReturnType()->isReferenceType()) {
      const Bounds a = of(call->getArg(0)), b = of(call->getArg(1));
      const StringRef name = callee->getName();
      if (name == "min" || name == "umin")
        return fitted(unit_, {std::min(a.least, b.least), std::min(a.most, b.most)}, type);
      if (name == "max" || name == "umax")
        return fitted(unit_, {std::max(a.least, b.least), std::max(a.most, b.most)}, type);
    }
  }
  return bounds_of_type(unit_, type);
}

Bounds Values::cast(const CastExpr* e) {
  const Expr* from = e->getSubExpr();
  switch (e->getCastKind()) {
  case CK_NoOp:
  case CK_IntegralCast:
    return from->isPRValue() ? fitted(unit_, of(from), e->getType()) : bounds_of_type(unit_, e->getType());
  case CK_LValueToRValue:
    if (const auto* use = dyn_cast<DeclRefExpr>(from->IgnoreParens())) return variable(use);
    return bounds_of_type(unit_, e->getType());
  default: return bounds_of_type(unit_, e->getType());
  }
}

Bounds Values::binary(const BinaryOperator* e) {
  const QualType type = e->getType();
  const Bounds all = bounds_of_type(unit_, type);
  if (e->isComparisonOp() || e->isLogicalOp()) return {0, 1};
  if (e->getOpcode() == BO_Comma) return of(e->getRHS());
  if (e->isAssignmentOp()) return all;
  const Bounds a = of(e->getLHS()), b = of(e->getRHS());
  const bool positive = a.least >= 0 && b.least >= 0;
  switch (e->getOpcode()) {
  case BO_Add: return fitted(unit_, {a.least + b.least, a.most + b.most}, type);
  case BO_Sub: return fitted(unit_, {a.least - b.most, a.most - b.least}, type);
  case BO_Mul:
    if (!is_small(a) || !is_small(b)) return all;
    return fitted(unit_, of_corners(a, b, [](Whole x, Whole y) { return x * y; }), type);
  case BO_Div:
    if (b.least <= 0) return all;
    return fitted(unit_, of_corners(a, b, [](Whole x, Whole y) { return x / y; }), type);
  case BO_Rem:
    if (b.least <= 0) return all;
    if (a.least >= 0) return {0, std::min(a.most, b.most - 1)};
    return fitted(unit_, {-(b.most - 1), b.most - 1}, type);
  case BO_Shl:
    if (b.least < 0 || b.most > 62 || !is_small(a)) return all;
    return fitted(unit_, of_corners(a, b, [](Whole x, Whole y) { return x * (Whole{1} << y); }), type);
  case BO_Shr:
    if (!positive || b.most > 63) return all;
    return {a.least >> b.most, a.most >> b.least};
  case BO_And:
    if (positive) return {0, std::min(a.most, b.most)};
    return a.least >= 0 ? Bounds{0, a.most} : b.least >= 0 ? Bounds{0, b.most} : all;
  case BO_Or:
  case BO_Xor: return positive ? Bounds{0, filled(std::max(a.most, b.most))} : all;
  default: return all;
  }
}

Bounds Values::builtin(const BuiltinIndex& index, QualType type) {
  const Bounds block = shape_.block[index.axis], grid = shape_.grid[index.axis];
  if (index.name == "threadIdx") return {0, block.most - 1};
  if (index.name == "blockDim") return block;
  if (index.name == "blockIdx") return {0, grid.most - 1};
  if (index.name == "gridDim") return grid;
  return bounds_of_type(unit_, type);
}

Bounds Values::variable(const DeclRefExpr* use) {
  const QualType type = use->getType();
  const Bounds all = bounds_of_type(unit_, type);
  const auto* v = dyn_cast<VarDecl>(use->getDecl());
  if (v == nullptr || !is_plain_local(v)) return all;
  v = v->getCanonicalDecl();
  const Writes writes = writes_of(unit_, v);
  if (writes.other) return all;
  const Stmt* child = use;
  for (const Stmt* up = unit_.parent(child); up != nullptr && !unit_.jumps; child = up, up = unit_.parent(up))
    if (const auto* loop = dyn_cast<ForStmt>(up);
        loop != nullptr && loop->getBody() == child && start_of(loop, v))
      return in_loop(v, loop, type);
  if (!writes.steps.empty() || writes.values.empty()) return all;
  Bounds out = of(writes.values.front());
  for (const Expr* value : writes.values) out = hull(out, of(value));
  return fitted(unit_, out, type);
}

// In the body of for (v = start; v < end; ++v), where nothing else there writes to v.
Bounds Values::in_loop(const VarDecl* v, const ForStmt* loop, QualType type) {
  const Bounds all = bounds_of_type(unit_, type);
  const Writes writes = writes_of(unit_, v);
  const Stmt* step = nullptr;
  for (const Stmt* one : writes.steps) {
    if (contains(loop->getBody(), one) || contains(loop->getCond(), one)) return all;
    if (!contains(loop->getInc(), one)) continue;
    if (step != nullptr) return all;
    step = one;
  }
  const Expr* start = start_of(loop, v);
  for (const Expr* value : writes.values)
    if (value != start && contains(loop, value)) return all;
  if (step == nullptr || start == nullptr || loop->getCond() == nullptr) return all;
  const Bounds first = of(start);
  bool up = false, shrinks = false; // v >>= 1, v /= 2
  Bounds by{1, 1};
  if (const auto* single = dyn_cast<UnaryOperator>(step)) {
    up = single->isIncrementOp();
  } else {
    const auto* operation = clang::cast<CompoundAssignOperator>(step);
    const BinaryOperatorKind kind = operation->getOpcode();
    by = of(operation->getRHS());
    up = kind == BO_AddAssign;
    shrinks = (kind == BO_ShrAssign || kind == BO_DivAssign) && first.least >= 0;
    if (by.least < 0 || (!up && !shrinks && kind != BO_SubAssign)) return all;
  }
  Bounds out{up ? first.least : shrinks ? 0 : all.least, up ? all.most : first.most};
  narrow(loop->getCond(), true, {v, ~0u}, out);
  if (up) {
    if (out.most + by.most > all.most) return all; // it might go round
    if (by.least > 0 && by.least == by.most && first.least == first.most && out.most >= first.least)
      out.most = first.least + (out.most - first.least) / by.least * by.least;
  } else if (!shrinks && out.least - by.most < all.least) {
    return all;
  }
  return fitted(unit_, out, type);
}

// What a condition says of a value: of `i < 32 && flag` that i is at most 31.
void Values::narrow(const Expr* condition, bool holds, const Named& what, Bounds& out) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto* single = dyn_cast<UnaryOperator>(condition);
      single != nullptr && single->getOpcode() == UO_LNot)
    return narrow(single->getSubExpr(), !holds, what, out);
  const auto* e = dyn_cast<BinaryOperator>(condition);
  if (e == nullptr) return;
  if (e->getOpcode() == (holds ? BO_LAnd : BO_LOr)) {
    narrow(e->getLHS(), holds, what, out);
    return narrow(e->getRHS(), holds, what, out);
  }
  if (!e->isComparisonOp() || e->getOpcode() == BO_Cmp) return;
  // ~0u stands for the variable of a loop, which is not named elsewhere.
  auto is_what = [&](const Expr* side) {
    if (what.axis == ~0u) {
      const VarDecl* v = variable_in(side);
      return v != nullptr && v->getCanonicalDecl() == what.variable;
    }
    return named(side) == what;
  };
  const bool left = is_what(e->getLHS());
  if (!left && !is_what(e->getRHS())) return;
  const Expr* own = left ? e->getLHS() : e->getRHS();
  const Bounds other = of(left ? e->getRHS() : e->getLHS());
  BinaryOperatorKind kind = left ? e->getOpcode() : BinaryOperator::reverseComparisonOp(e->getOpcode());
  if (!holds) kind = BinaryOperator::negateComparisonOp(kind);
  // A negative value is a large one where both are compared as unsigned: too large to be below what fits an int.
  const bool wraps = own->getType()->isUnsignedIntegerType() && out.least < 0;
  if (wraps && (other.most > (Whole{1} << 31) - 1 || (kind != BO_LT && kind != BO_LE && kind != BO_EQ)))
    return;
  if (wraps) out = {0, std::max<Whole>(out.most, 0)};
  switch (kind) {
  case BO_LT: out = meet(out, {-everything, other.most - 1}); break;
  case BO_LE: out = meet(out, {-everything, other.most}); break;
  case BO_GT: out = meet(out, {other.least + 1, everything}); break;
  case BO_GE: out = meet(out, {other.least, everything}); break;
  case BO_EQ: out = meet(out, other); break;
  default: break;
  }
}

Bounds Values::narrowed(const Expr* e, const Named& name, Bounds out) {
  for (const auto& [what, bounds] : known_)
    if (what == name) out = meet(out, bounds);
  if (unit_.jumps) return out;
  const Stmt* child = e;
  for (const Stmt* up = unit_.parent(child); up != nullptr; child = up, up = unit_.parent(up)) {
    if (const auto* branch = dyn_cast<IfStmt>(up)) {
      if (branch->getThen() == child) narrow(branch->getCond(), true, name, out);
      if (branch->getElse() == child) narrow(branch->getCond(), false, name, out);
    } else if (const auto* either = dyn_cast<ConditionalOperator>(up)) {
      if (either->getTrueExpr() == child) narrow(either->getCond(), true, name, out);
      if (either->getFalseExpr() == child) narrow(either->getCond(), false, name, out);
    } else if (const auto* both = dyn_cast<BinaryOperator>(up)) {
      if (both->getRHS() == child && both->isLogicalOp())
        narrow(both->getLHS(), both->getOpcode() == BO_LAnd, name, out);
    } else if (const auto* loop = dyn_cast<ForStmt>(up)) {
      if (loop->getBody() == child && loop->getCond() != nullptr) narrow(loop->getCond(), true, name, out);
    } else if (const auto* repeats = dyn_cast<WhileStmt>(up)) {
      if (repeats->getBody() == child) narrow(repeats->getCond(), true, name, out);
    }
  }
  return out;
}

} // namespace warplens::edits
