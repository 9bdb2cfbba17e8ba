// The sizes of blocks and of dynamic shared memory, from the launches in a file.
#include "edits/values.h"
#include <algorithm>

namespace warplens::edits {
namespace {

using namespace clang;

// A dim3 as it is written, without copies of it.
const Expr* bare(const Expr* e) {
  for (;;) {
    const Expr* inner = e->IgnoreParenImpCasts();
    if (const auto* one = dyn_cast<ExprWithCleanups>(inner)) inner = one->getSubExpr();
    if (const auto* one = dyn_cast<MaterializeTemporaryExpr>(inner)) inner = one->getSubExpr();
    if (const auto* one = dyn_cast<CXXFunctionalCastExpr>(inner)) inner = one->getSubExpr();
    if (const auto* one = dyn_cast<CXXConstructExpr>(inner);
        one != nullptr && one->getNumArgs() == 1 && one->getConstructor()->isCopyOrMoveConstructor())
      inner = one->getArg(0);
    if (inner == e) return e;
    e = inner;
  }
}

// Is the variable only ever copied or read after its initialisation?
bool is_never_changed(const Unit& unit, const VarDecl* v) {
  for (const Use& use : unit.uses_of(v)) {
    const Stmt* child = use.expr;
    const Stmt* up = unit.parent_past_parens(child);
    if (const auto* member = dyn_cast_or_null<MemberExpr>(up); member != nullptr && !member->isArrow()) {
      child = up;
      up = unit.parent_past_parens(child);
      const auto* load = dyn_cast_or_null<ImplicitCastExpr>(up);
      if (load == nullptr || load->getCastKind() != CK_LValueToRValue) return false;
      continue;
    }
    while (const auto* cast = dyn_cast_or_null<ImplicitCastExpr>(up)) {
      if (cast->getCastKind() != CK_NoOp) return false;
      child = up;
      up = unit.parent_past_parens(child);
    }
    const auto* copy = dyn_cast_or_null<CXXConstructExpr>(up);
    if (copy == nullptr || !copy->getConstructor()->isCopyConstructor()) return false;
  }
  return true;
}

void read_size(const Unit& unit, Values& values, const Expr* e, Bounds (&out)[3]) {
  e = bare(e);
  if (const auto* use = dyn_cast<DeclRefExpr>(e)) {
    const auto* v = dyn_cast<VarDecl>(use->getDecl());
    if (v != nullptr && v->hasInit() && !isa<ParmVarDecl>(v) &&
        (v->isLocalVarDecl() || v->getType().isConstQualified()) && !v->getType()->isReferenceType() &&
        is_never_changed(unit, v))
      read_size(unit, values, v->getInit(), out);
    return;
  }
  const auto* made = dyn_cast<CXXConstructExpr>(e);
  if (made == nullptr || made->getConstructor()->getParent()->getName() != "dim3") return;
  for (u32 axis = 0; axis < 3 && axis < made->getNumArgs(); ++axis) {
    const Expr* size = made->getArg(axis);
    const Bounds is = isa<CXXDefaultArgExpr>(size) ? Bounds{1, 1} : values.of(size);
    out[axis] = {std::clamp(is.least, out[axis].least, out[axis].most),
                 std::clamp(is.most, out[axis].least, out[axis].most)};
  }
}

// The kernel of a launch; of one by a variable that variable; null where it is neither.
const ValueDecl* launched(const CUDAKernelCallExpr* call) {
  const auto* use = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  return use == nullptr ? nullptr : cast<ValueDecl>(use->getDecl()->getCanonicalDecl());
}

bool is_callee(const Unit& unit, const Stmt* s) {
  const Stmt *child = s, *up = unit.parent(s);
  while (up != nullptr && isa<ParenExpr, ImplicitCastExpr>(up)) {
    child = up;
    up = unit.parent(up);
  }
  const auto* call = dyn_cast_or_null<CUDAKernelCallExpr>(up);
  return call != nullptr && call->getCallee() == child;
}

bool is_compared(const Unit& unit, const Stmt* s) {
  const Stmt* up = unit.parent(s);
  while (up != nullptr && (isa<ParenExpr, ImplicitCastExpr>(up) ||
                           (isa<UnaryOperator>(up) && cast<UnaryOperator>(up)->getOpcode() == UO_AddrOf)))
    up = unit.parent(up);
  const auto* operation = dyn_cast_or_null<BinaryOperator>(up);
  return operation != nullptr && operation->isEqualityOp();
}

// The local variable that a kernel is given to, which does nothing but launch.
const VarDecl* given_to(const Unit& unit, const DeclRefExpr* kernel) {
  const Stmt *child = kernel, *up = unit.parent(kernel);
  while (up != nullptr && (isa<ParenExpr, ImplicitCastExpr>(up) ||
                           (isa<UnaryOperator>(up) && cast<UnaryOperator>(up)->getOpcode() == UO_AddrOf))) {
    child = up;
    up = unit.parent(up);
  }
  const VarDecl* out = nullptr;
  if (const auto* operation = dyn_cast_or_null<BinaryOperator>(up);
      operation != nullptr && operation->getOpcode() == BO_Assign && operation->getRHS() == child) {
    const auto* use = dyn_cast<DeclRefExpr>(operation->getLHS()->IgnoreParens());
    out = use == nullptr ? nullptr : dyn_cast<VarDecl>(use->getDecl());
  } else if (const auto* declares = dyn_cast_or_null<DeclStmt>(up)) {
    for (const Decl* d : declares->decls())
      if (const auto* v = dyn_cast<VarDecl>(d); v != nullptr && v->getInit() == child) out = v;
  }
  if (out == nullptr || !out->isLocalVarDecl() || !out->getType()->isPointerType()) return nullptr;
  for (const Use& use : unit.uses_of(out)) {
    const Stmt* inner = use.expr;
    const auto* operation = dyn_cast_or_null<BinaryOperator>(unit.parent_past_parens(inner));
    const bool assigned =
        operation != nullptr && operation->getOpcode() == BO_Assign && operation->getLHS() == inner;
    if (!assigned && !is_callee(unit, use.expr) && !is_compared(unit, use.expr)) return nullptr;
  }
  return out->getCanonicalDecl();
}

bool is_harmless_call(const Unit& unit, const DeclRefExpr* kernel) {
  const Stmt* up = unit.parent(kernel);
  while (up != nullptr && isa<ParenExpr, CastExpr>(up)) up = unit.parent(up);
  const auto* call = dyn_cast_or_null<CallExpr>(up);
  const FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && unit.is_system(callee) && callee->getIdentifier() != nullptr &&
         (callee->getName() == "cudaFuncSetCacheConfig" || callee->getName() == "cudaFuncSetSharedMemConfig");
}

bool is_in_other_file(const Unit& unit, const FunctionDecl* f) {
  for (const FunctionDecl* one : f->redecls())
    if (unit.sources().getFileID(unit.sources().getExpansionLoc(one->getLocation())) !=
        unit.sources().getMainFileID())
      return true;
  return false;
}

void add_size(Bounds (&all)[3], const Bounds (&one)[3], bool first) {
  for (u32 axis = 0; axis < 3; ++axis)
    all[axis] =
        first ? one[axis]
              : Bounds{std::min(all[axis].least, one[axis].least), std::max(all[axis].most, one[axis].most)};
}

void add_launch(const Unit& unit, const Launch& launch, LaunchShape& out) {
  const CallExpr* how = launch.call->getConfig();
  const LaunchShape anything;
  Values values(unit, anything);
  LaunchShape one;
  if (how != nullptr && how->getNumArgs() > 1) {
    read_size(unit, values, how->getArg(0), one.grid);
    read_size(unit, values, how->getArg(1), one.block);
  }
  add_size(out.grid, one.grid, !out.launched);
  add_size(out.block, one.block, !out.launched);
  out.launched = true;
  if (how == nullptr || how->getNumArgs() < 3) {
    out.dynamic_known = false;
  } else if (!isa<CXXDefaultArgExpr>(how->getArg(2))) {
    constexpr Whole most = Whole{1} << 30; // no shared memory is as large
    const Bounds bytes = values.of(how->getArg(2));
    out.dynamic_known = out.dynamic_known && bytes.least >= 0 && bytes.most < most;
    if (out.dynamic_known) out.dynamic_shared = std::max(out.dynamic_shared, bytes.most);
  }
}

bool is_kernel(const FunctionDecl* f) { return f != nullptr && f->hasAttr<CUDAGlobalAttr>(); }

void add_kernel(const Unit& unit, const FunctionDecl* kernel, LaunchShape& out) {
  std::set<const ValueDecl*> names{kernel->getCanonicalDecl()};
  for (const Use& use : unit.uses_of(kernel)) {
    if (is_callee(unit, use.expr) || is_compared(unit, use.expr) || is_harmless_call(unit, use.expr))
      continue;
    const VarDecl* variable = given_to(unit, use.expr);
    if (variable == nullptr)
      out.open = true;
    else
      names.insert(variable);
  }
  out.open = out.open || is_in_other_file(unit, kernel) || unit.is_named_in_text(kernel);
  for (const Launch& launch : unit.launches)
    if (names.contains(launched(launch.call))) add_launch(unit, launch, out);
}

} // namespace

LaunchShape shape_of(const Unit& unit, const FunctionDecl* f) {
  LaunchShape out;
  if (is_kernel(f)) {
    add_kernel(unit, f, out);
  } else {
    for (const FunctionDecl* one : unit.functions) {
      if (!is_kernel(one)) continue;
      LaunchShape alone;
      add_kernel(unit, one, alone);
      add_kernel(unit, one, out);
      out.open = out.open || !alone.launched; // what another file launches may call the function, too
    }
  }
  if (!out.open && out.launched) return out;
  const LaunchShape anything;
  std::copy(anything.block, anything.block + 3, out.block);
  std::copy(anything.grid, anything.grid + 3, out.grid);
  return out;
}

} // namespace warplens::edits
