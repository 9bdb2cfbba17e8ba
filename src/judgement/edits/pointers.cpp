// __restrict__ for a pointer that a kernel only reads through. It promises that nothing writes what the pointer leads to while the
// kernel runs. See remedies.h.
//
// It holds if every launch is in the file and passes variables that are the program's only names of memory of their own, and if
// the kernel reaches memory through its parameters alone: then no other pointer, whoever stored it, leads there.
#include "edits/remedies.h"
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

namespace warplens::edits {
namespace {

using namespace clang;

bool holds_pointers(QualType type, u32 depth = 0) {
  type = type.getCanonicalType();
  if (type->isArithmeticType() || type->isEnumeralType()) return false;
  if (const auto* array = type->getAsArrayTypeUnsafe()) return holds_pointers(array->getElementType(), depth);
  const auto* record = type->getAsCXXRecordDecl();
  constexpr u32 deepest = 8;
  if (record == nullptr || !record->hasDefinition() || record->getNumBases() != 0 || depth > deepest)
    return true;
  for (const FieldDecl* field : record->fields())
    if (holds_pointers(field->getType(), depth + 1)) return true;
  return false;
}

// Everything that a kernel does, and the functions that it calls: where a pointer might come from that is no parameter.
class Reach {
public:
  explicit Reach(const Unit& unit) : unit_(unit) {}

  std::optional<Refusal> of(const FunctionDecl* f) {
    if (!seen_.insert(f->getCanonicalDecl()).second) return {};
    const FunctionDecl* body = f->getDefinition();
    if (body == nullptr || !body->hasBody())
      return Refusal{"a function is called whose code is elsewhere", f->getLocation()};
    return of(body->getBody());
  }

private:
  std::optional<Refusal> of(const Stmt* s) {
    if (s == nullptr) return {};
    if (const char* why = objection(s)) return Refusal{why, s->getBeginLoc()};
    if (const auto* call = dyn_cast<CallExpr>(s);
        call != nullptr && call->getDirectCallee() != nullptr && !unit_.is_system(call->getDirectCallee()))
      if (std::optional<Refusal> why = of(call->getDirectCallee())) return why;
    for (const Stmt* child : s->children())
      if (std::optional<Refusal> why = of(child)) return why;
    return {};
  }

  const char* objection(const Stmt* s) const {
    if (isa<CXXThisExpr>(s)) return "the kernel calls member functions";
    if (isa<LambdaExpr>(s)) return "the kernel has a lambda";
    if (isa<AsmStmt>(s)) return "the kernel has assembly";
    if (isa<CUDAKernelCallExpr>(s)) return "the kernel launches kernels";
    if (isa<CXXNewExpr>(s)) return "the kernel allocates memory";
    if (const auto* made = dyn_cast<CXXConstructExpr>(s);
        made != nullptr && !made->getConstructor()->isTrivial() && !unit_.is_system(made->getConstructor()))
      return "the kernel calls constructors";
    if (const auto* cast = dyn_cast<CastExpr>(s)) {
      const bool of_bits = cast->getCastKind() == CK_LValueToRValueBitCast && holds_pointers(cast->getType());
      if (cast->getCastKind() == CK_IntegralToPointer || of_bits)
        return "the kernel makes a pointer of a number";
      if (cast->getCastKind() != CK_LValueToRValue || !cast->getType()->isPointerType()) return nullptr;
      const auto* use = dyn_cast<DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
      const auto* v = use == nullptr ? nullptr : dyn_cast<VarDecl>(use->getDecl());
      const bool local = v != nullptr && v->hasLocalStorage() && !v->getType()->isReferenceType();
      return local ? nullptr : "the kernel takes a pointer out of memory";
    }
    const auto* call = dyn_cast<CallExpr>(s);
    if (call == nullptr) return nullptr;
    if (call->getDirectCallee() == nullptr) return "the kernel calls a function by a pointer";
    const bool gives = unit_.is_system(call->getDirectCallee()) && call->getType()->isAnyPointerType();
    return gives ? "a function gives the kernel a pointer" : nullptr;
  }

  const Unit& unit_;
  std::set<const FunctionDecl*> seen_;
};

std::optional<Refusal> reads_alone(const Unit&, const VarDecl*);

// Is what this expression of the variable leads to only read, at once or through a local pointer? Of a pointer, or of what is behind it.
bool only_reads(const Unit& unit, const VarDecl* v, const Stmt* at, bool pointer) {
  const Stmt* child = at;
  const Stmt* up = unit.parent_past_parens(child);
  if (up == nullptr) return false;
  if (pointer) {
    if (const auto* local = dyn_cast<DeclStmt>(up)) {
      for (const Decl* d : local->decls())
        if (const auto* copy = dyn_cast<VarDecl>(d); copy != nullptr && copy->getInit() == child)
          return copy != v && copy->hasLocalStorage() && !reads_alone(unit, copy);
      return false;
    }
    if (const auto* cast = dyn_cast<ImplicitCastExpr>(up); cast != nullptr && cast->getCastKind() == CK_NoOp)
      return only_reads(unit, v, up, true);
    if (const auto* sum = dyn_cast<BinaryOperator>(up))
      return sum->isAdditiveOp() && sum->getType()->isPointerType() && only_reads(unit, v, up, true);
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(up))
      return subscript->getBase() == child && only_reads(unit, v, up, false);
    if (const auto* deref = dyn_cast<UnaryOperator>(up))
      return deref->getOpcode() == UO_Deref && only_reads(unit, v, up, false);
    const auto* member = dyn_cast<MemberExpr>(up);
    return member != nullptr && member->isArrow() && isa<FieldDecl>(member->getMemberDecl()) &&
           only_reads(unit, v, up, false);
  }
  if (const auto* cast = dyn_cast<ImplicitCastExpr>(up)) {
    if (cast->getCastKind() == CK_LValueToRValue) return !cast->getType()->isPointerType();
    if (cast->getCastKind() == CK_ArrayToPointerDecay) return only_reads(unit, v, up, true);
    return cast->getCastKind() == CK_NoOp && only_reads(unit, v, up, false);
  }
  if (const auto* member = dyn_cast<MemberExpr>(up))
    return !member->isArrow() && isa<FieldDecl>(member->getMemberDecl()) && only_reads(unit, v, up, false);
  const auto* copy = dyn_cast<CXXConstructExpr>(up);
  return copy != nullptr && copy->getConstructor()->isCopyConstructor() &&
         copy->getConstructor()->isTrivial();
}

std::optional<Refusal> reads_alone(const Unit& unit, const VarDecl* p) {
  if (!p->getType()->isPointerType()) return Refusal{"it is declared as no pointer", p->getLocation()};
  if (p->getType()->getPointeeType().isVolatileQualified())
    return Refusal{"it is volatile", p->getLocation()};
  for (const Use& use : unit.uses_of(p)) {
    const Stmt* child = use.expr;
    const auto* load = dyn_cast_or_null<ImplicitCastExpr>(unit.parent_past_parens(child));
    if (load == nullptr || load->getCastKind() != CK_LValueToRValue || !only_reads(unit, p, load, true))
      return Refusal{"the kernel may do more here than read through it", use.expr->getLocation()};
  }
  return {};
}

bool is_null(const Unit& unit, const Expr* e) {
  return e->isNullPointerConstant(unit.context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
}

// The local variable that a launch passes, if cudaMalloc alone gives it values.
std::optional<Refusal> own_memory(const Unit& unit, const Expr* argument, const VarDecl*& out) {
  const auto* passed = dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts());
  out = passed == nullptr ? nullptr : dyn_cast<VarDecl>(passed->getDecl());
  const SourceLocation at = argument->getBeginLoc();
  if (out == nullptr || !out->isLocalVarDecl() || !out->hasLocalStorage() || !out->getType()->isPointerType())
    return Refusal{"a launch passes a pointer that is no variable of the function", at};
  out = out->getCanonicalDecl();
  if (out->hasInit() && !is_null(unit, out->getInit()))
    return Refusal{"a launch passes a pointer to memory that may have other names", out->getLocation()};
  bool allocated = false;
  for (const Use& use : unit.uses_of(out)) {
    const Stmt* child = use.expr;
    const Stmt* up = unit.parent_past_parens(child);
    if (const auto* load = dyn_cast_or_null<ImplicitCastExpr>(up);
        load != nullptr && load->getCastKind() == CK_LValueToRValue)
      continue;
    const auto* address = dyn_cast_or_null<UnaryOperator>(up);
    while (isa_and_nonnull<UnaryOperator, CastExpr, ParenExpr>(up)) {
      child = up;
      up = unit.parent(up);
    }
    const auto* call = dyn_cast_or_null<CallExpr>(up);
    const FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
    const bool fills = address != nullptr && address->getOpcode() == UO_AddrOf && callee != nullptr &&
                       unit.is_system(callee) && callee->getNameAsString() == "cudaMalloc" &&
                       call->getArg(0) == child;
    if (!fills)
      return Refusal{"a launch passes a pointer that may get another value", use.expr->getLocation()};
    allocated = true;
  }
  if (!allocated) return Refusal{"a launch passes a pointer to memory that is not from cudaMalloc", at};
  return {};
}

std::optional<Refusal> keeps_apart(const Unit& unit, const Launch& launch, const FunctionDecl* kernel) {
  const CallExpr* how = launch.call->getConfig();
  const SourceLocation at = launch.call->getBeginLoc();
  if (how == nullptr || how->getNumArgs() < 4 ||
      !(isa<CXXDefaultArgExpr>(how->getArg(3)) || is_null(unit, how->getArg(3))))
    return Refusal{"a launch is in a stream, so that other kernels may run beside it", at};
  std::set<const VarDecl*> names;
  for (u32 i = 0; i < kernel->getNumParams(); ++i) {
    if (!kernel->getParamDecl(i)->getType()->isPointerType()) continue;
    const VarDecl* v = nullptr;
    if (i >= launch.call->getNumArgs()) return Refusal{"a launch passes fewer arguments", at};
    if (std::optional<Refusal> why = own_memory(unit, launch.call->getArg(i), v)) return why;
    if (!names.insert(v).second)
      return Refusal{"a launch passes the same memory twice", launch.call->getArg(i)->getBeginLoc()};
  }
  return {};
}

std::optional<Refusal> launches_keep_apart(const Unit& unit, const FunctionDecl* kernel) {
  const SourceLocation at = kernel->getLocation();
  std::set<const Stmt*> callees;
  u32 launches = 0;
  for (const Launch& launch : unit.launches) {
    const Expr* callee = launch.call->getCallee()->IgnoreParenImpCasts();
    const auto* direct = dyn_cast<DeclRefExpr>(callee);
    if (direct == nullptr || direct->getDecl()->getCanonicalDecl() != kernel->getCanonicalDecl()) continue;
    callees.insert(callee);
    ++launches;
    if (std::optional<Refusal> why = keeps_apart(unit, launch, kernel)) return why;
  }
  for (const Use& use : unit.uses_of(kernel))
    if (!callees.contains(use.expr))
      return Refusal{"its kernel is mentioned in another way than to launch it", use.expr->getLocation()};
  for (const FunctionDecl* one : kernel->redecls())
    if (!unit.is_written_here(unit.sources().getExpansionLoc(one->getLocation())))
      return Refusal{"its kernel is declared in a header", at};
  if (launches == 0) return Refusal{"the file does not launch its kernel", at};
  return {};
}

bool whole_program(const Unit& unit, std::optional<Refusal>& why) {
  static const std::set<std::string> by_name{"cuModuleGetFunction", "cuLibraryGetKernel",
                                             "cudaGetFuncBySymbol", "cudaLibraryGetKernel"};
  bool out = false;
  for (const FunctionDecl* f : unit.functions) out = out || f->isMain();
  if (!out) why = Refusal{"the file has no main(), so others may launch its kernel"};
  for (const auto& [d, uses] : unit.uses)
    if (isa<FunctionDecl>(d) && by_name.contains(d->getNameAsString()))
      why = Refusal{"the program looks kernels up by their names", uses[0].expr->getLocation()};
  return !why;
}

std::optional<Refusal> may_be_restricted(const Unit& unit, const FunctionDecl* kernel, u32 index) {
  for (const ParmVarDecl* p : kernel->parameters())
    if (!p->getType()->isPointerType() && holds_pointers(p->getType()))
      return Refusal{"another parameter may hold pointers", p->getLocation()};
  if (std::optional<Refusal> why = reads_alone(unit, kernel->getParamDecl(index))) return why;
  if (std::optional<Refusal> why = Reach(unit).of(kernel)) return why;
  return launches_keep_apart(unit, kernel);
}

const FunctionDecl* kernel_around(const Unit& unit, const fix::Wish& wish) {
  const SourceManager& sm = unit.sources();
  for (const FunctionDecl* f : unit.functions) {
    const SourceRange range = f->getSourceRange();
    const SourceLocation begin = sm.getExpansionLoc(range.getBegin()),
                         end = sm.getExpansionLoc(range.getEnd());
    if (f->hasAttr<CUDAGlobalAttr>() && unit.is_written_here(end) &&
        sm.getExpansionLineNumber(begin) <= wish.line && wish.line <= sm.getExpansionLineNumber(end))
      return f;
  }
  return nullptr;
}

} // namespace

Answer restricted(const Unit& unit, const fix::Wish& wish) {
  const FunctionDecl* kernel = kernel_around(unit, wish);
  if (kernel == nullptr) return refusal(unit, {"the access is in no kernel of this file"});
  u32 index = 0;
  while (index < kernel->getNumParams() && kernel->getParamDecl(index)->getName() != wish.array) ++index;
  if (index == kernel->getNumParams())
    return refusal(unit, {"it is no parameter of the kernel", kernel->getLocation()});
  std::optional<Refusal> why;
  if (!whole_program(unit, why)) return refusal(unit, *why);
  for (const FunctionDecl* version : unit.versions(kernel))
    if ((why = may_be_restricted(unit, version, index))) return refusal(unit, *why);
  const ParmVarDecl* p = kernel->getParamDecl(index);
  const PointerTypeLoc pointer =
      p->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getAs<PointerTypeLoc>();
  if (!pointer || p->getType().isRestrictQualified() || !unit.is_written_here(pointer.getStarLoc()))
    return refusal(unit, {"it is not written as a pointer, or is restricted", p->getLocation()});
  const SourceLocation at = pointer.getStarLoc().getLocWithOffset(1);
  const char next = *unit.sources().getCharacterData(at);
  std::optional<findings::Edit> edit =
      inserting(unit, at, next == ' ' || next == ',' || next == ')' ? " __restrict__" : " __restrict__ ");
  if (!edit) return refusal(unit, {"a macro declares it", p->getLocation()});
  return {{{*edit}}, {wish.array, kernel->getNameAsString()}};
}

} // namespace warplens::edits
