// From clang's places to edits, and from findings to declarations. See remedies.h.
#include "edits/remedies.h"
#include <clang/Lex/Lexer.h>

namespace warplens::edits {

using namespace clang;

namespace {

std::optional<findings::Edit> edit_of(const Unit& unit, CharSourceRange range, std::string text) {
  const SourceManager& sm = unit.sources();
  if (!unit.is_written_here(range.getBegin()) || !unit.is_written_here(range.getEnd())) return {};
  const PresumedLoc begin = sm.getPresumedLoc(range.getBegin(), false),
                    end = sm.getPresumedLoc(range.getEnd(), false);
  if (begin.isInvalid() || end.isInvalid() || begin.getLine() != end.getLine()) return {};
  return findings::Edit{
      {}, begin.getLine(), begin.getColumn(), end.getLine(), end.getColumn(), std::move(text)};
}

} // namespace

SourceLocation behind(const Unit& unit, SourceLocation token) {
  return Lexer::getLocForEndOfToken(token, 0, unit.sources(), unit.context.getLangOpts());
}

std::optional<findings::Edit> replacing(const Unit& unit, SourceRange range, std::string text) {
  const CharSourceRange in_file = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range),
                                                           unit.sources(), unit.context.getLangOpts());
  return edit_of(unit, in_file, std::move(text));
}

std::optional<findings::Edit> inserting(const Unit& unit, SourceLocation at, std::string text) {
  return edit_of(unit, CharSourceRange::getCharRange(at, at), std::move(text));
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
