// Edits that change where the elements of an array lie, or how the array is aligned. See remedies.h.
//
// The first may be made if every use takes one element by as many indices as there are dimensions, and if no index leaves its
// dimension. The first index needs no proof: where the others stay in theirs, it leaves its own only together with the array.
#include "edits/remedies.h"
#include "edits/values.h"
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

namespace warplens::edits {
namespace {

using namespace clang;

struct Element {
  const Stmt* expr = nullptr; // the whole of t[i][j]
  std::vector<const ArraySubscriptExpr*> subscripts;
  const FunctionDecl* function = nullptr;
  Bounds last{}; // of the last index
};

// The declaration, and what became of it in the instantiations of its template.
struct Array {
  const VarDecl* declared = nullptr;
  std::vector<const VarDecl*> versions;
  std::vector<ArrayTypeLoc> dimensions; // as they are written
};

u64 extent(const VarDecl* v, u32 dimension) {
  QualType type = v->getType();
  for (u32 d = 0; d < dimension; ++d) type = type->getAsArrayTypeUnsafe()->getElementType();
  const auto* array = dyn_cast<ConstantArrayType>(type->getAsArrayTypeUnsafe());
  return array->getZExtSize();
}

QualType element_type(const VarDecl* v, u32 dimensions) {
  QualType type = v->getType();
  for (u32 d = 0; d < dimensions; ++d) type = type->getAsArrayTypeUnsafe()->getElementType();
  return type;
}

bool is_shared(const VarDecl* v) { return v->hasAttr<CUDASharedAttr>(); }
bool is_device(const VarDecl* v) { return v->hasAttr<CUDADeviceAttr>() && !is_shared(v); }

const VarDecl* as_written(const Unit& unit, const VarDecl* v) {
  for (const VarDecl* one : unit.variables)
    if (one->getLocation() == v->getLocation() && one->getDeclContext()->isDependentContext()) return one;
  return v;
}

// The array that the wish means, if it is declared plainly, here, and by nobody else.
std::optional<Refusal> find(const Unit& unit, const fix::Wish& wish, Array& out) {
  const VarDecl* v = meant(unit, wish);
  if (v == nullptr)
    return Refusal{fmt::format("it is not certain which declaration of '{}' is meant", wish.array)};
  const SourceLocation at = v->getLocation();
  if (!unit.is_written_here(at)) return Refusal{"it is declared in a header or by a macro", at};
  if ((!is_shared(v) && !is_device(v)) || v->hasAttr<CUDAConstantAttr>() || v->hasAttr<HIPManagedAttr>())
    return Refusal{"it is neither a __shared__ nor a __device__ array", at};
  if (v->hasExternalStorage() || v->isStaticDataMember() || v->getPreviousDecl() != nullptr ||
      v->getMostRecentDecl() != v)
    return Refusal{"it is declared elsewhere, too", at};
  if (!v->isLocalVarDecl() && v->isExternallyVisible() && unit.context.getLangOpts().GPURelocatableDeviceCode)
    return Refusal{"other files may use it, as device code is linked (-rdc=true)", at};
  if (unit.is_named_in_text(v)) return Refusal{"assembly or a string may name it", at};
  out.declared = as_written(unit, v);
  out.versions = unit.versions(v);
  if (out.versions.empty()) return Refusal{"its template is not used in this file", at};
  TypeLoc type = out.declared->getTypeSourceInfo()->getTypeLoc();
  for (ArrayTypeLoc dimension; (dimension = type.IgnoreParens().getAs<ArrayTypeLoc>());
       type = dimension.getElementLoc())
    out.dimensions.push_back(dimension);
  for (const VarDecl* one : out.versions) {
    u32 dimensions = 0;
    QualType rest = one->getType();
    for (; rest->isArrayType(); rest = rest->getAsArrayTypeUnsafe()->getElementType(), ++dimensions)
      if (!isa<ConstantArrayType>(rest->getAsArrayTypeUnsafe()))
        return Refusal{"its size is not constant", at};
    if (dimensions == 0 || dimensions != out.dimensions.size())
      return Refusal{"its dimensions are not written in its declaration", at};
  }
  return {};
}

// t[i][j] around a use of t.
std::optional<Refusal> element_at(const Unit& unit, const Use& use, u32 dimensions, Element& out) {
  const Stmt* at = use.expr;
  out.function = use.function;
  for (u32 d = 0; d < dimensions; ++d) {
    const Stmt* up = unit.parent_past_parens(at);
    const auto* decay = dyn_cast_or_null<ImplicitCastExpr>(up);
    if (decay == nullptr || decay->getCastKind() != CK_ArrayToPointerDecay)
      return Refusal{"it is used as a whole", use.expr->getLocation()};
    at = decay;
    const auto* subscript = dyn_cast_or_null<ArraySubscriptExpr>(unit.parent_past_parens(at));
    if (subscript == nullptr || subscript->getBase() != at)
      return Refusal{d == 0 ? "it is used as a whole" : "a row of it is used as a whole",
                     use.expr->getLocation()};
    out.subscripts.push_back(subscript);
    at = subscript;
  }
  out.expr = at;
  return element_leaks(unit, at);
}

// Runs for every thread of the block: in the body of the kernel itself, and nothing returns before it.
bool always_runs(const Unit& unit, const Element& e) {
  if (e.function == nullptr || !e.function->hasAttr<CUDAGlobalAttr>() || unit.jumps) return false;
  if (unit.assembly.find("exit") != unit.assembly.npos)
    return false; // in a function that the kernel may call
  for (const Stmt* up = unit.parent(e.expr); up != nullptr; up = unit.parent(up)) {
    if (isa<LambdaExpr, ConditionalOperator>(up)) return false;
    if (const auto* two = dyn_cast<BinaryOperator>(up); two != nullptr && two->isLogicalOp()) return false;
    if (!isa<Expr, CompoundStmt, DeclStmt>(up)) return false;
    if (up == e.function->getBody()) break;
  }
  struct Finder {
    static bool returns(const Stmt* s) {
      if (s == nullptr || isa<LambdaExpr>(s)) return false;
      if (isa<ReturnStmt, AsmStmt, CXXThrowExpr>(s)) return true;
      for (const Stmt* child : s->children())
        if (returns(child)) return true;
      return false;
    }
  };
  return !Finder::returns(e.function->getBody());
}

// x in t[x][y] is below the first dimension in every thread that gets there, or the access would leave the array.
void learn_from(const Unit& unit, const std::vector<Element>& elements, const VarDecl* v, Values& values) {
  for (const Element& e : elements) {
    const std::optional<Named> first = values.named(e.subscripts[0]->getIdx());
    if (!first || !always_runs(unit, e)) continue;
    bool rest = true;
    for (std::size_t d = 1; d < e.subscripts.size(); ++d)
      rest = rest && values.of(e.subscripts[d]->getIdx()).least >= 0;
    if (rest) values.learn(*first, {-(Whole{1} << 40), static_cast<Whole>(extent(v, 0)) - 1});
  }
}

// t[i / 32][i % 32]: the remainder is negative only where i is.
bool is_quotient(const Unit& unit, const Expr* first, const Expr* last, u64 extent) {
  const auto* quotient = dyn_cast<BinaryOperator>(first->IgnoreParenImpCasts());
  const auto* rest = dyn_cast<BinaryOperator>(last->IgnoreParenImpCasts());
  if (quotient == nullptr || rest == nullptr || quotient->getOpcode() != BO_Div ||
      rest->getOpcode() != BO_Rem)
    return false;
  const LaunchShape any;
  Values values(unit, any);
  const std::optional<Named> a = values.named(quotient->getLHS()), b = values.named(rest->getLHS());
  if (!a || a != b) return false;
  const Bounds p = values.of(quotient->getRHS()), q = values.of(rest->getRHS());
  const Whole n = static_cast<Whole>(extent);
  return p.least == n && p.most == n && q.least == n && q.most == n;
}

// All uses of one version, each of which is an element whose indices stay in their dimensions.
std::optional<Refusal> understand(const Unit& unit, const VarDecl* v, u32 dimensions,
                                  std::vector<Element>& out) {
  for (const Use& use : unit.uses_of(v)) {
    Element& e = out.emplace_back();
    if (std::optional<Refusal> why = element_at(unit, use, dimensions, e)) return why;
  }
  std::map<const FunctionDecl*, LaunchShape> shapes;
  for (const Element& e : out)
    if (!shapes.contains(e.function)) shapes[e.function] = shape_of(unit, e.function);
  for (const Element& e : out) {
    Values values(unit, shapes[e.function]);
    std::vector<Element> same_function;
    for (const Element& other : out)
      if (other.function == e.function) same_function.push_back(other);
    learn_from(unit, same_function, v, values);
    for (u32 d = 1; d < dimensions; ++d) {
      const Expr* index = e.subscripts[d]->getIdx();
      const Bounds is = values.of(index);
      const u64 size = extent(v, d);
      if (is.least >= 0 && is.most < static_cast<Whole>(size)) continue;
      if (dimensions == 2 && is_quotient(unit, e.subscripts[0]->getIdx(), index, size)) continue;
      return Refusal{fmt::format("nothing shows that this index stays below {}", size), index->getBeginLoc()};
    }
  }
  return {};
}

u64 bytes_of(const Unit& unit, const VarDecl* v) {
  return static_cast<u64>(unit.context.getTypeSizeInChars(v->getType()).getQuantity());
}

// Shared memory that a kernel has at most, in bytes: its own arrays, those of all functions that are no kernels, and what
// launches add.
std::optional<Refusal> has_room(const Unit& unit, const VarDecl* v, const FunctionDecl* function, u64 more) {
  constexpr u64 limit = 48 << 10; // on every compute capability, and the default
  const LaunchShape shape = shape_of(unit, function);
  if (shape.open)
    return Refusal{"what launches its kernel, or asks for the kernel's properties, is not all known",
                   v->getLocation()};
  bool dynamic = shape.dynamic_shared != 0 || !shape.dynamic_known;
  u64 taken = static_cast<u64>(shape.dynamic_shared);
  const bool in_kernel = function != nullptr && function->hasAttr<CUDAGlobalAttr>();
  auto is_of_other_kernel = [&](const FunctionDecl* owner) {
    return in_kernel && owner != nullptr && owner->hasAttr<CUDAGlobalAttr>() &&
           owner->getLocation() != function->getLocation();
  };
  for (const auto& [place, added] : unit.added)
    if (place != v->getLocation() && !is_of_other_kernel(added.first)) taken += added.second;
  for (const VarDecl* one : unit.variables) {
    const DeclContext* context = one->getDeclContext();
    if (!is_shared(one) || context->isDependentContext() || one->getType()->isDependentType()) continue;
    if (one->hasExternalStorage()) {
      dynamic = dynamic || !shape.launched;
      continue;
    }
    const auto* owner = dyn_cast<FunctionDecl>(context);
    const bool in_other_kernel =
        in_kernel && owner != nullptr && owner->hasAttr<CUDAGlobalAttr>() && owner != function;
    if (!in_other_kernel) taken += bytes_of(unit, one);
  }
  if (dynamic && (!shape.launched || !shape.dynamic_known))
    return Refusal{"its kernel uses dynamic shared memory, of a size that the file does not show",
                   v->getLocation()};
  if (dynamic && taken + more > limit)
    return Refusal{
        fmt::format("the kernel and its launches would take {} bytes of shared memory, more than {}",
                    taken + more, limit),
        v->getLocation()};
  return {};
}

// What " + 1" can stand behind.
bool takes_a_sum(const Expr* size) {
  size = size->IgnoreImpCasts();
  if (const auto* constant = dyn_cast<ConstantExpr>(size)) size = constant->getSubExpr()->IgnoreImpCasts();
  if (const auto* two = dyn_cast<BinaryOperator>(size))
    return two->isMultiplicativeOp() || two->isAdditiveOp();
  return !isa<AbstractConditionalOperator>(size);
}

const FunctionDecl* function_of(const VarDecl* v) {
  const auto* out = dyn_cast<FunctionDecl>(v->getDeclContext());
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(out); // of a lambda: the function around it
  return method != nullptr ? nullptr : out;
}

std::string text_of(const Unit& unit, SourceRange range) {
  const CharSourceRange in_file = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range),
                                                           unit.sources(), unit.context.getLangOpts());
  return in_file.isInvalid()
             ? ""
             : Lexer::getSourceText(in_file, unit.sources(), unit.context.getLangOpts()).str();
}

} // namespace

Answer longer_rows(const Unit& unit, const fix::Wish& wish) {
  Array array;
  if (std::optional<Refusal> why = find(unit, wish, array)) return refusal(unit, *why);
  const u32 dimensions = static_cast<u32>(array.dimensions.size());
  if (!is_shared(array.versions[0]) || dimensions < 2)
    return refusal(unit, {"it has no rows that could become longer", array.declared->getLocation()});
  u64 more = 0; // elements
  for (const VarDecl* v : array.versions) {
    const u64 size =
        static_cast<u64>(unit.context.getTypeSizeInChars(element_type(v, dimensions)).getQuantity());
    if (extent(v, dimensions - 1) * size == wish.remedy.row && wish.remedy.bytes % size == 0)
      more = wish.remedy.bytes / size;
  }
  if (more == 0)
    return refusal(unit, {"its rows are not those that were judged", array.declared->getLocation()});
  for (const VarDecl* v : array.versions) {
    std::vector<Element> elements;
    if (std::optional<Refusal> why = understand(unit, v, dimensions, elements)) return refusal(unit, *why);
    const u64 column = bytes_of(unit, v) / extent(v, dimensions - 1);
    if (std::optional<Refusal> why = has_room(unit, v, function_of(v), column * more))
      return refusal(unit, *why);
  }
  const Expr* size = array.dimensions.back().getSizeExpr();
  const SourceRange in_file(unit.sources().getExpansionRange(size->getSourceRange()).getAsRange());
  std::vector<findings::Edit> edits;
  const auto insert = [&](SourceLocation at, std::string text) {
    std::optional<findings::Edit> edit = inserting(unit, at, std::move(text));
    if (edit) edits.push_back(std::move(*edit));
    return edit.has_value();
  };
  const bool bare = takes_a_sum(size);
  if (text_of(unit, size->getSourceRange()).empty() || (!bare && !insert(in_file.getBegin(), "(")) ||
      !insert(behind(unit, in_file.getEnd()), fmt::format("{} + {}", bare ? "" : ")", more)))
    return refusal(unit,
                   {"nothing can be added to the length of its rows as it is written", size->getBeginLoc()});
  const VarDecl* v = array.versions[0];
  unit.added[v->getLocation()] = {function_of(v), bytes_of(unit, v) / extent(v, dimensions - 1) * more};
  return {{edits}, {wish.array}};
}

Answer aligned(const Unit& unit, const fix::Wish& wish) {
  const VarDecl* v = meant(unit, wish);
  if (v == nullptr)
    return refusal(unit, {fmt::format("it is not certain which declaration of '{}' is meant", wish.array)});
  QualType type = v->getType();
  while (type->isArrayType() || type->isPointerType())
    type = type->isPointerType() ? type->getPointeeType() : type->getAsArrayTypeUnsafe()->getElementType();
  if (const auto* record = type->getAsCXXRecordDecl(); record != nullptr && !unit.is_system(record)) {
    std::vector<findings::Edit> edits;
    if (std::optional<Refusal> why = aligned_structure(unit, record, wish.remedy.bytes, edits))
      return refusal(unit, *why);
    return {{edits},
            {record->getTypedefNameForAnonDecl() != nullptr
                 ? record->getTypedefNameForAnonDecl()->getNameAsString()
                 : record->getNameAsString()}};
  }
  Array array;
  if (std::optional<Refusal> why = find(unit, wish, array)) return refusal(unit, *why);
  const SourceLocation at = array.declared->getLocation();
  for (const VarDecl* one : array.versions) {
    if (one->hasAttr<AlignedAttr>()) return refusal(unit, {"its alignment is declared", at});
    for (const Use& use : unit.uses_of(one))
      for (const Stmt* up = unit.parent(use.expr); up != nullptr; up = unit.parent(up))
        if (isa<UnaryExprOrTypeTraitExpr>(up))
          return refusal(unit, {"its size or alignment is asked for", up->getBeginLoc()});
    if (is_shared(one))
      if (std::optional<Refusal> why = has_room(unit, one, function_of(one), wish.remedy.bytes))
        return refusal(unit, *why);
  }
  std::optional<findings::Edit> edit = inserting(unit, array.declared->getTypeSpecStartLoc(),
                                                 fmt::format("__align__({}) ", wish.remedy.bytes));
  if (!edit) return refusal(unit, {"a macro declares it", at});
  return {{{*edit}}, {wish.array}};
}

} // namespace warplens::edits
