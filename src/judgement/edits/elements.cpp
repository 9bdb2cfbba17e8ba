// What a program does with an element of an array: whether anything else than its value is used. See remedies.h.
//
// An element may be read, assigned, incremented, copied as a whole, have members that are, and go to an atomic operation. Its
// address, a reference to it, and everything that is not listed here may tell where it lies.
#include "edits/remedies.h"
#include <clang/AST/StmtCXX.h>

namespace warplens::edits {
namespace {

using namespace clang;

bool is_atomic(const Unit& unit, const FunctionDecl* f) {
  return f != nullptr && f->getIdentifier() != nullptr && f->getName().starts_with("atomic") &&
         unit.is_system(f) && f->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         !f->getReturnType()->isPointerType();
}

bool is_discarding(const Stmt* up, const Stmt* child) {
  if (const auto* branch = dyn_cast<IfStmt>(up)) return branch->getCond() != child;
  return isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, SwitchCase, LabelStmt>(up);
}

bool is_own_copy(const CXXMethodDecl* f) {
  const auto* made = dyn_cast<CXXConstructorDecl>(f);
  const bool copies = made != nullptr ? made->isCopyOrMoveConstructor()
                                      : f->isCopyAssignmentOperator() || f->isMoveAssignmentOperator();
  return copies && (f->isTrivial() || f->isDefaulted());
}

// A function of the CUDA headers on values such as half2 and float4: it takes them by reference, and gives a value.
bool is_value_function(const Unit& unit, const FunctionDecl* f) {
  return f != nullptr && unit.is_system(f) && !f->isInStdNamespace() && !f->isVariadic() &&
         !f->getReturnType()->isAnyPointerType() && !f->getReturnType()->isReferenceType();
}

// A member function of such a class: it gives a value, or the element itself, as an assignment does.
bool is_value_method(const Unit& unit, const CXXMethodDecl* f) {
  if (is_own_copy(f)) return true;
  if (!unit.is_system(f) || f->isInStdNamespace() || f->getReturnType()->isAnyPointerType()) return false;
  return !f->getReturnType()->isReferenceType() || f->isOverloadedOperator();
}

class Leak {
public:
  explicit Leak(const Unit& unit) : unit_(unit) {}

  std::optional<Refusal> of(const Stmt* at) {
    for (;;) {
      const Stmt* child = at;
      const Stmt* up = unit_.parent_past_parens(child);
      if (up == nullptr) return Refusal{"it is used in a way that is not understood", at->getBeginLoc()};
      const Step step = next(child, up);
      if (step == Step::fine) return {};
      if (step == Step::leaks) return Refusal{why_, at->getBeginLoc()};
      at = up; // still the element
    }
  }

private:
  enum class Step : u8 { fine, same, leaks };

  Step leaks(std::string why) {
    why_ = std::move(why);
    return Step::leaks;
  }
  Step other() { return leaks("an element is used in a way that may depend on where it lies"); }

  Step next(const Stmt* child, const Stmt* up) {
    if (is_discarding(up, child)) return Step::fine;
    if (isa<ExprWithCleanups>(up)) return Step::same;
    if (const auto* cast = dyn_cast<CastExpr>(up)) return of_cast(cast);
    if (const auto* member = dyn_cast<MemberExpr>(up)) return of_member(member);
    if (const auto* one = dyn_cast<UnaryOperator>(up)) return of_unary(one);
    if (const auto* two = dyn_cast<BinaryOperator>(up)) {
      if (two->isAssignmentOp()) return two->getLHS() == child ? Step::same : other();
      if (two->getOpcode() == BO_Comma) return two->getLHS() == child ? Step::fine : Step::same;
      return other();
    }
    if (isa<ConditionalOperator>(up)) return Step::same;
    if (const auto* made = dyn_cast<CXXConstructExpr>(up))
      return is_own_copy(made->getConstructor()) || is_copy_of_system(made) ? Step::fine : by_reference();
    if (const auto* call = dyn_cast<CallExpr>(up)) return of_call(call, child);
    if (isa<DeclStmt, ReturnStmt, LambdaExpr, CXXForRangeStmt>(up)) return by_reference();
    if (isa<UnaryExprOrTypeTraitExpr>(up)) return leaks("its size or alignment is asked for");
    return other();
  }

  Step by_reference() { return leaks("an element is passed by reference"); }

  bool is_copy_of_system(const CXXConstructExpr* made) {
    return made->getConstructor()->isCopyOrMoveConstructor() && unit_.is_system(made->getConstructor());
  }

  Step of_cast(const CastExpr* cast) {
    if (!isa<ImplicitCastExpr>(cast))
      return cast->getCastKind() == CK_ToVoid ? Step::fine : leaks("an element is cast as it lies in memory");
    if (cast->getCastKind() == CK_LValueToRValue) return Step::fine;
    return cast->getCastKind() == CK_NoOp ? Step::same : other();
  }

  Step of_member(const MemberExpr* member) {
    if (member->isArrow()) return other();
    if (const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      return field->getType()->isReferenceType() ? Step::fine : Step::same;
    const auto* method = dyn_cast<CXXMethodDecl>(member->getMemberDecl());
    return method != nullptr && is_value_method(unit_, method)
               ? Step::fine
               : leaks("a member function is called on an element");
  }

  Step of_unary(const UnaryOperator* one) {
    if (one->isIncrementDecrementOp()) return one->isPostfix() ? Step::fine : Step::same;
    if (one->getOpcode() != UO_AddrOf) return other();
    const Stmt* child = one;
    const Stmt* up = unit_.parent_past_parens(child);
    while (isa_and_nonnull<ImplicitCastExpr>(up) && cast<ImplicitCastExpr>(up)->getCastKind() == CK_NoOp) {
      child = up;
      up = unit_.parent_past_parens(child);
    }
    const auto* call = dyn_cast_or_null<CallExpr>(up);
    const bool atomic =
        call != nullptr && is_atomic(unit_, call->getDirectCallee()) && call->getCallee() != child;
    return atomic ? Step::fine : leaks("the address of an element is taken");
  }

  Step of_call(const CallExpr* call, const Stmt* child) {
    if (call->getCallee() == child) return other();
    if (const auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee())) {
      const auto* by_operator = dyn_cast<CXXOperatorCallExpr>(call);
      if (by_operator == nullptr || !is_value_method(unit_, method)) return by_reference();
      return by_operator->getArg(0) == child && method->getReturnType()->isReferenceType() ? Step::same
                                                                                           : Step::fine;
    }
    return is_value_function(unit_, call->getDirectCallee()) ? Step::fine : by_reference();
  }

  const Unit& unit_;
  std::string why_;
};

} // namespace

std::optional<Refusal> element_leaks(const Unit& unit, const Stmt* element) { return Leak(unit).of(element); }

} // namespace warplens::edits
