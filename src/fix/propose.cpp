#include "fix/propose.h"
#include "fix/edits.h"
#include "fix/remedies.h"
#include "fix/show.h"
#include <map>
#include <memory>

namespace warplens::fix {
namespace {

using findings::Finding;
using Kind = findings::Remedy::Kind;

// A use within another's brackets: what is done to the one changes the other.
bool any_collide(const Edits& edits) {
  for (auto edit = edits.begin(); edit != edits.end(); ++edit)
    for (auto other = edits.begin(); other != edit; ++other)
      if (collide(*edit, *other)) return true;
  return false;
}

// Columns then mean the same to everybody, whatever they count.
bool is_plain_up_to(const Source& s, const Edits& edits) {
  for (const findings::Edit& edit : edits) {
    if (edit.line != edit.end_line) return false;
    for (char c : s.line(edit.line).substr(0, edit.end_column))
      if (c < 0) return false;
  }
  return true;
}

Edits edits_for(const Place& place) {
  switch (place.remedy.kind) {
  case Kind::none: return {};
  case Kind::longer_rows: return longer_rows(place);
  case Kind::other_order: return other_order(place);
  case Kind::aligned: return aligned(place);
  case Kind::restricted: return restricted(place);
  }
  return {};
}

} // namespace

void propose(findings::List& list, const findings::SourceText& text_of) {
  std::map<std::string, std::unique_ptr<Source>> sources;
  for (Finding& finding : list.findings) {
    if (finding.place.empty() || finding.array.empty()) continue;
    const access::SourceFrame& at = finding.place.front();
    auto [known, fresh] = sources.try_emplace(at.file);
    if (fresh) known->second = std::make_unique<Source>(text_of(at.file));
    const Source& source = *known->second;
    const u32 use = source.token_at(at.line, at.column);
    if (use >= source.size()) continue;
    const Place place{source, at.file, use, finding.array,
                      finding.fix ? finding.fix->remedy : findings::Remedy{}};
    show(place, at, finding);
    // What is worth a note in some launches is not worth another layout in all.
    if (finding.severity == findings::Severity::note && place.remedy.kind != Kind::restricted) continue;
    Edits edits = edits_for(place);
    if (!edits.empty() && is_plain_up_to(source, edits) && !any_collide(edits))
      finding.fix->edits = std::move(edits);
  }
}

} // namespace warplens::fix
