// One traversal that notes what unit.h lists.
#include "edits/unit.h"
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

namespace warplens::edits {
namespace {

using namespace clang;

class Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  explicit Collector(Unit& unit) : unit_(unit) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseStmt(Stmt* s) {
    if (s == nullptr) return true;
    if (!is_pattern()) {
      const Stmt* above = around_.empty() ? nullptr : around_.back();
      std::vector<const Stmt*>& known = unit_.parents[s];
      if (std::find(known.begin(), known.end(), above) == known.end()) known.push_back(above);
    }
    around_.push_back(s);
    const bool out = Base::TraverseStmt(s);
    around_.pop_back();
    return out;
  }

  bool TraverseDecl(Decl* d) {
    auto* function = dyn_cast_or_null<FunctionDecl>(d);
    if (function == nullptr) return Base::TraverseDecl(d);
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      unit_.functions.push_back(function);
    const FunctionDecl* before = std::exchange(function_, function);
    std::vector<const Stmt*> around;
    around.swap(around_);
    const bool out = Base::TraverseDecl(d);
    around_.swap(around);
    function_ = before;
    return out;
  }

  // Twice where it is written as a list: once is enough.
  bool TraverseInitListExpr(InitListExpr* list) {
    InitListExpr* semantic = list->isSemanticForm() ? list : list->getSemanticForm();
    for (Stmt* child : (semantic == nullptr ? list : semantic)->children())
      if (!TraverseStmt(child)) return false;
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (!is_pattern())
      unit_.uses[cast<ValueDecl>(e->getDecl()->getCanonicalDecl())].push_back({e, function_});
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    if (!isa<ParmVarDecl>(v)) unit_.variables.push_back(v);
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr* call) {
    if (!is_pattern()) unit_.launches.push_back({call, function_});
    return true;
  }
  bool VisitLabelStmt(LabelStmt*) { return unit_.jumps = true; }
  bool VisitSwitchCase(SwitchCase* one) {
    const Stmt* above = unit_.parent(one);
    while (above != nullptr && isa<SwitchCase, CompoundStmt>(above) && !isa<SwitchStmt>(above)) {
      if (isa<CompoundStmt>(above) && !isa_and_nonnull<SwitchStmt>(unit_.parent(above))) break;
      above = unit_.parent(above);
    }
    unit_.jumps = unit_.jumps || !isa_and_nonnull<SwitchStmt>(above);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt* s) {
    unit_.assembly += s->getAsmString()->getString().str() + '\n';
    return true;
  }
  bool VisitStringLiteral(StringLiteral* s) {
    if (s->isOrdinary()) unit_.strings.insert(s->getString().str());
    return true;
  }

private:
  // What a template does is what its instantiations do.
  bool is_pattern() const { return function_ != nullptr && function_->isDependentContext(); }
  Unit& unit_;
  const FunctionDecl* function_ = nullptr;
  std::vector<const Stmt*> around_;
};

} // namespace

bool Unit::is_written_here(SourceLocation at) const {
  return at.isValid() && at.isFileID() && sources().getFileID(at) == sources().getMainFileID();
}

bool Unit::is_system(const Decl* d) const { return sources().isInSystemHeader(d->getLocation()); }

const std::vector<Use>& Unit::uses_of(const ValueDecl* d) const {
  static const std::vector<Use> none;
  auto found = uses.find(cast<ValueDecl>(d->getCanonicalDecl()));
  return found == uses.end() ? none : found->second;
}

const Stmt* Unit::parent(const Stmt* s) const {
  auto found = parents.find(s);
  return found == parents.end() || found->second.size() != 1 ? nullptr : found->second.front();
}

const Stmt* Unit::parent_past_parens(const Stmt*& child) const {
  const Stmt* up = parent(child);
  while (up != nullptr && isa<ParenExpr>(up)) {
    child = up;
    up = parent(child);
  }
  return up;
}

std::vector<const VarDecl*> Unit::versions(const VarDecl* v) const {
  std::vector<const VarDecl*> out;
  for (const VarDecl* one : variables)
    if (one->getLocation() == v->getLocation() && !one->getDeclContext()->isDependentContext())
      out.push_back(one);
  return out;
}

std::vector<const FunctionDecl*> Unit::versions(const FunctionDecl* f) const {
  std::vector<const FunctionDecl*> out;
  for (const FunctionDecl* one : functions)
    if (one->getLocation() == f->getLocation()) out.push_back(one);
  return out;
}

// A mangled name has the length in front of the name.
bool Unit::is_named_in_text(const NamedDecl* d) const {
  const std::string name = d->getNameAsString();
  if (strings.contains(name) || assembly.find(fmt::format("{}{}", name.size(), name)) != assembly.npos)
    return true;
  auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%';
  };
  for (std::size_t at = 0; (at = assembly.find(name, at)) != assembly.npos; at += name.size()) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(assembly[at - 1])) && (end == assembly.size() || !is_part(assembly[end])))
      return true;
  }
  return false;
}

std::set<std::string> Unit::left_out(const std::string& word) const {
  std::map<std::string, u32> unseen, included; // of each mention, and of each file
  for (FileID file : files) {
    const std::string name = sources().getFilename(sources().getLocForStartOfFile(file)).str();
    ++included[name];
    Lexer lexer(file, sources().getBufferOrFake(file), sources(), context.getLangOpts());
    Token token;
    while (!lexer.LexFromRawLexer(token)) {
      if (!token.is(tok::raw_identifier) || token.getRawIdentifier() != word) continue;
      const u32 at = sources().getFileOffset(token.getLocation());
      for (const Skipped& one : skipped)
        if (one.file == file && one.begin <= at && at < one.end) {
          ++unseen[fmt::format("{}:{}", name, at)];
          break;
        }
    }
  }
  std::set<std::string> out;
  for (const auto& [place, times] : unseen)
    if (times == included[place.substr(0, place.rfind(':'))]) out.insert(place);
  return out;
}

void collect(Unit& unit) {
  Collector collector(unit);
  for (Decl* d : unit.context.getTranslationUnitDecl()->decls())
    if (!unit.is_system(d)) collector.TraverseDecl(d);
}

std::optional<BuiltinIndex> builtin_index(const Expr* e) {
  const auto* object = dyn_cast<PseudoObjectExpr>(e);
  const auto* property =
      object == nullptr ? nullptr : dyn_cast<MSPropertyRefExpr>(object->getSyntacticForm());
  if (property == nullptr) return {};
  const Expr* base = property->getBaseExpr();
  if (const auto* opaque = dyn_cast<OpaqueValueExpr>(base)) base = opaque->getSourceExpr();
  const auto* variable =
      dyn_cast_or_null<DeclRefExpr>(base == nullptr ? nullptr : base->IgnoreParenImpCasts());
  const StringRef name = property->getPropertyDecl()->getName();
  if (variable == nullptr || name.size() != 1 || name[0] < 'x' || name[0] > 'z') return {};
  return BuiltinIndex{variable->getDecl()->getNameAsString(), static_cast<u32>(name[0] - 'x')};
}

} // namespace warplens::edits
