// From clang's places to edits, and from findings to declarations. See remedies.h.
#include "edits/remedies.h"
#include <clang/Lex/Lexer.h>

namespace warplens::edits {

using namespace clang;

SourceLocation behind(const Unit& unit, SourceLocation token) {
  return Lexer::getLocForEndOfToken(token, 0, unit.sources(), unit.context.getLangOpts());
}

std::optional<findings::Edit> inserting(const Unit& unit, SourceLocation at, std::string text) {
  const PresumedLoc place = unit.sources().getPresumedLoc(at, false);
  if (!unit.is_written_here(at) || place.isInvalid()) return {};
  return findings::Edit{
      {}, place.getLine(), place.getColumn(), place.getLine(), place.getColumn(), std::move(text)};
}

Answer refusal(const Unit& unit, const Refusal& why) {
  Answer out{{{}, why.why}, {}};
  const SourceLocation at = why.at.isValid() ? unit.sources().getExpansionLoc(why.at) : why.at;
  if (!unit.is_written_here(at)) return out;
  const PresumedLoc place = unit.sources().getPresumedLoc(at, false);
  out.made.line = place.getLine(), out.made.column = place.getColumn();
  return out;
}

// By the uses of the name on the line of the access; where it has none, by the only declaration in the file.
const VarDecl* meant(const Unit& unit, const fix::Wish& wish) {
  std::set<SourceLocation> used, declared;
  std::map<SourceLocation, const VarDecl*> at;
  const SourceManager& sm = unit.sources();
  for (const auto& [d, uses] : unit.uses) {
    const auto* v = dyn_cast<VarDecl>(d);
    if (v == nullptr || v->getIdentifier() == nullptr || v->getName() != wish.array) continue;
    at[v->getLocation()] = v;
    declared.insert(v->getLocation());
    for (const Use& use : uses) {
      const SourceLocation place = sm.getExpansionLoc(use.expr->getLocation());
      if (sm.getFileID(place) == sm.getMainFileID() && sm.getExpansionLineNumber(place) == wish.line)
        used.insert(v->getLocation());
    }
  }
  const std::set<SourceLocation>& all = used.empty() ? declared : used;
  return all.size() == 1 ? at[*all.begin()] : nullptr;
}

} // namespace warplens::edits
