// __align__ for a structure. Its size and its members stay where they are, so what may break is a pointer to one that does not
// come from one: those that are made by casts, of bytes, by other files, or as a part of something larger. See remedies.h.
//
// Pointers to the structure come from variables of it, from memory that malloc, new or cudaMalloc give, and from each other. So
// every conversion whose one side knows the structure and whose other side does not is looked at, in headers and in
// instantiations of templates, too.
#include "edits/remedies.h"
#include <clang/AST/RecursiveASTVisitor.h>
#include <fmt/format.h>

namespace warplens::edits {
namespace {

using namespace clang;

// How a type knows the structure: not, as it is (or arrays of it), as a pointer or reference to it, or in any other way.
enum class Knows : u8 { nothing, itself, pointer, deeper };

class Types {
public:
  explicit Types(const CXXRecordDecl* record) : record_(record->getCanonicalDecl()) {}

  Knows of(QualType type) {
    if (type.isNull() || type->isDependentType()) return Knows::nothing;
    const Type* plain = type.getCanonicalType().getTypePtr();
    auto [known, fresh] = known_.try_emplace(plain, Knows::nothing); // as of itself, where it comes round
    if (!fresh) return known->second;
    const Knows out = computed(plain);
    return known_[plain] = out;
  }

private:
  Knows computed(const Type* type) {
    if (const auto* record = type->getAsCXXRecordDecl()) {
      if (record->getCanonicalDecl() == record_) return Knows::itself;
      const auto* made = dyn_cast<ClassTemplateSpecializationDecl>(record);
      return made != nullptr && any_argument(made->getTemplateArgs().asArray()) ? Knows::deeper
                                                                                : Knows::nothing;
    }
    if (const auto* array = dyn_cast<ArrayType>(type)) {
      const Knows element = of(array->getElementType());
      return element == Knows::pointer ? Knows::deeper : element;
    }
    if (type->isPointerType() || type->isReferenceType()) {
      const Knows target = of(type->getPointeeType());
      return target == Knows::nothing ? target : target == Knows::itself ? Knows::pointer : Knows::deeper;
    }
    if (const auto* member = dyn_cast<MemberPointerType>(type))
      return of(member->getPointeeType()) == Knows::nothing ? Knows::nothing : Knows::deeper;
    if (const auto* function = dyn_cast<FunctionProtoType>(type)) {
      bool any = of(function->getReturnType()) != Knows::nothing;
      for (QualType parameter : function->param_types()) any = any || of(parameter) != Knows::nothing;
      return any ? Knows::deeper : Knows::nothing;
    }
    return Knows::nothing;
  }

  bool any_argument(llvm::ArrayRef<TemplateArgument> all) {
    for (const TemplateArgument& one : all) {
      if (one.getKind() == TemplateArgument::Type && of(one.getAsType()) != Knows::nothing) return true;
      if (one.getKind() == TemplateArgument::Pack && any_argument(one.getPackAsArray())) return true;
    }
    return false;
  }

  const CXXRecordDecl* record_;
  std::unordered_map<const Type*, Knows> known_;
};

bool gives_memory(const FunctionDecl* f) {
  static const std::set<std::string> names{"malloc",
                                           "calloc",
                                           "realloc",
                                           "aligned_alloc",
                                           "operator new",
                                           "operator new[]",
                                           "__builtin_operator_new"};
  return f != nullptr && names.contains(f->getNameAsString());
}

// Functions that store the address of memory of its own through their first argument.
bool gives_memory_to(const FunctionDecl* f) {
  static const std::set<std::string> names{"cudaMalloc", "cudaMallocManaged", "cudaMallocHost",
                                           "cudaHostAlloc"};
  return f != nullptr && names.contains(f->getNameAsString());
}

class Search : public RecursiveASTVisitor<Search> {
  using Base = RecursiveASTVisitor<Search>;

public:
  Search(const Unit& unit, const CXXRecordDecl* record) : unit_(unit), types_(record) {
    for (const VarDecl* v : unit.variables)
      dynamic_ = dynamic_ || (v->hasAttr<CUDASharedAttr>() && v->hasExternalStorage());
  }
  bool shouldVisitTemplateInstantiations() const { return true; }
  std::optional<Refusal> found;

  bool TraverseDecl(Decl* d) {
    if (d == nullptr || found) return !found;
    const Decl* before = std::exchange(around_, isa<FunctionDecl>(d) ? d : around_);
    std::vector<const Stmt*> above;
    if (isa<FunctionDecl>(d)) above.swap(above_);
    Base::TraverseDecl(d);
    if (isa<FunctionDecl>(d)) above.swap(above_);
    around_ = before;
    return !found;
  }
  bool TraverseStmt(Stmt* s) {
    if (s == nullptr || found) return !found;
    above_.push_back(s);
    Base::TraverseStmt(s);
    above_.pop_back();
    return !found;
  }

  // A generic lambda does what its instantiations do.
  bool VisitLambdaExpr(LambdaExpr* e) {
    for (const FieldDecl* field : e->getLambdaClass()->fields())
      VisitFieldDecl(const_cast<FieldDecl*>(field));
    if (FunctionTemplateDecl* call = e->getLambdaClass()->getDependentLambdaCallOperator())
      for (FunctionDecl* one : call->specializations()) TraverseDecl(one);
    return true;
  }

  bool VisitCastExpr(CastExpr* e) {
    switch (e->getCastKind()) {
    case CK_BitCast:
    case CK_LValueBitCast:
    case CK_LValueToRValueBitCast:
    case CK_IntegralToPointer:
    case CK_ReinterpretMemberPointer:
    case CK_BaseToDerived:
    case CK_AddressSpaceConversion:
    case CK_UserDefinedConversion:
    case CK_PointerToIntegral: break;
    default: return true;
    }
    const Expr* from = e->getSubExpr();
    if (e->getCastKind() == CK_UserDefinedConversion ||
        unit_.context.hasSimilarType(from->getType(), e->getType()))
      return true;
    const Knows a = types_.of(from->getType()), b = types_.of(e->getType());
    if (a == Knows::nothing && b == Knows::nothing) return true;
    const bool bits = e->getCastKind() == CK_LValueBitCast || e->getCastKind() == CK_LValueToRValueBitCast;
    if (a == Knows::pointer && b == Knows::nothing && !bits) return true; // to look at its bytes
    if (a == Knows::nothing && b == Knows::pointer && !bits && is_fresh_memory(from)) return true;
    if (a == Knows::deeper && b == Knows::nothing && is_for_allocation(e)) return true;
    if (a == Knows::itself && b == Knows::nothing) return true;
    return refuse("a cast makes a pointer to it, or of a pointer to one", e->getBeginLoc());
  }

  bool VisitFieldDecl(FieldDecl* d) {
    const Knows how = types_.of(d->getType());
    if (how == Knows::itself) return refuse("something else has one as a member", d->getLocation());
    if (how != Knows::nothing && !is_system(d))
      return refuse("something else has a pointer to one as a member", d->getLocation());
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl* d) {
    if (!d->isThisDeclarationADefinition()) return true;
    for (const CXXBaseSpecifier& base : d->bases())
      if (types_.of(base.getType()) == Knows::itself)
        return refuse("something else inherits it", d->getLocation());
    const auto* made = dyn_cast<ClassTemplateSpecializationDecl>(d);
    if (made != nullptr && d->getName() == "alignment_of" &&
        types_.of(d->getTypeForDecl()->getCanonicalTypeInternal()) != Knows::nothing)
      return refuse("its alignment is asked for", SourceLocation());
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl* d) {
    if (is_system(d) || d->isDefined() || d->isTemplated() || types_.of(d->getType()) == Knows::nothing)
      return true;
    if (d->isImplicit() || d->isDefaulted() || d->isDeleted() ||
        d->getTemplateInstantiationPattern() != nullptr)
      return true;
    return refuse("a function of another file takes or gives one", d->getLocation());
  }
  bool VisitVarDecl(VarDecl* d) {
    const bool elsewhere = !isa<ParmVarDecl>(d) && d->hasExternalStorage() && d->getDefinition() == nullptr;
    const bool shared = d->hasAttr<CUDASharedAttr>();
    if (shared && dynamic_ && types_.of(d->getType()) == Knows::itself)
      return refuse("it lies beside dynamic shared memory, which may be at its limit", d->getLocation());
    if (elsewhere && !shared && types_.of(d->getType()) != Knows::nothing)
      return refuse("a variable of another file leads to one", d->getLocation());
    return true;
  }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* e) {
    if (e->getKind() == UETT_SizeOf || is_system_place(e->getBeginLoc())) return true;
    return types_.of(e->getTypeOfArgument()) != Knows::itself ||
           refuse("its alignment is asked for", e->getBeginLoc());
  }
  bool VisitAlignedAttr(AlignedAttr* a) {
    return a->isAlignmentExpr() || types_.of(a->getAlignmentType()->getType()) != Knows::itself ||
           refuse("its alignment is asked for", a->getLocation());
  }
  bool VisitCXXNewExpr(CXXNewExpr* e) {
    const FunctionDecl* from = e->getOperatorNew();
    const bool own = from != nullptr && (isa<CXXMethodDecl>(from) || (from->isDefined() && !is_system(from)));
    const bool placed = e->getNumPlacementArgs() != 0 && !is_system_place(e->getBeginLoc());
    return (!placed && !own) || types_.of(e->getAllocatedType()) != Knows::itself ||
           refuse("one is made in memory of the program's own", e->getBeginLoc());
  }
  bool VisitGCCAsmStmt(GCCAsmStmt* s) {
    for (u32 i = 0; i < s->getNumOutputs(); ++i)
      if (types_.of(s->getOutputExpr(i)->getType()) != Knows::nothing)
        return refuse("assembly writes to one", s->getBeginLoc());
    return true;
  }
  bool VisitVAArgExpr(VAArgExpr* e) {
    return types_.of(e->getType()) == Knows::nothing || refuse("it is an unnamed argument", e->getBeginLoc());
  }

private:
  bool refuse(std::string why, SourceLocation at) {
    found = Refusal{std::move(why), at};
    return false;
  }
  bool is_system_place(SourceLocation at) const {
    return unit_.sources().isInSystemHeader(unit_.sources().getExpansionLoc(at));
  }
  bool is_system(const Decl* d) const { return is_system_place(d->getLocation()); }

  bool is_fresh_memory(const Expr* e) const {
    const auto* call = dyn_cast<CallExpr>(e->IgnoreParenImpCasts());
    const FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
    return gives_memory(callee) && (callee->isImplicit() || is_system(callee));
  }

  // "cudaMalloc((void**)&p, …)", and the header's own function that says so.
  bool is_for_allocation(const Expr* e) const {
    if (const auto* inside = dyn_cast_or_null<FunctionDecl>(around_);
        gives_memory_to(inside) && is_system(inside))
      return true;
    for (auto up = above_.rbegin(); up != above_.rend(); ++up) {
      if (*up == e || isa<ParenExpr, CastExpr>(*up)) continue;
      const auto* call = dyn_cast<CallExpr>(*up);
      const FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
      return gives_memory_to(callee) && is_system(callee) && call->getNumArgs() > 0 &&
             call->getArg(0)->IgnoreParenCasts() == e->IgnoreParenCasts();
    }
    return false;
  }

  const Unit& unit_;
  Types types_;
  bool dynamic_ = false;         // the file has dynamic shared memory
  const Decl* around_ = nullptr; // the function
  std::vector<const Stmt*> above_;
};

} // namespace

std::optional<Refusal> aligned_structure(const Unit& unit, const CXXRecordDecl* record, u32 bytes,
                                         std::vector<findings::Edit>& edits) {
  record = record->getDefinition();
  if (record == nullptr) return Refusal{"its structure is not defined here"};
  const SourceLocation at = record->getLocation(), keyword = record->getBeginLoc();
  if (!unit.is_written_here(keyword) || !unit.is_written_here(at))
    return Refusal{"its structure is defined in a header or by a macro", at};
  if (record->isUnion() || record->isTemplated() || isa<ClassTemplateSpecializationDecl>(record) ||
      record->getDeclContext()->isDependentContext() || isa<CXXRecordDecl>(record->getDeclContext()) ||
      record->isLambda())
    return Refusal{"its structure is a union, a template, or a part of one", at};
  if (record->hasAttr<AlignedAttr>() || record->hasAttr<PackedAttr>() ||
      record->hasAttr<MaxFieldAlignmentAttr>())
    return Refusal{"the alignment of its structure is declared", at};
  const QualType type = unit.context.getRecordType(record);
  if (unit.context.getTypeSizeInChars(type).getQuantity() != bytes)
    return Refusal{fmt::format("its structure has not {} bytes", bytes), at};
  Search search(unit, record);
  search.TraverseDecl(unit.context.getTranslationUnitDecl());
  if (search.found) return search.found;
  std::optional<findings::Edit> edit =
      inserting(unit, behind(unit, keyword), fmt::format(" __align__({})", bytes));
  if (!edit) return Refusal{"its structure is defined by a macro", at};
  edits.push_back(*edit);
  return {};
}

} // namespace warplens::edits
