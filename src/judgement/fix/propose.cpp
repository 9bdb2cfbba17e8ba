// Three steps. Tokens tell which findings may have an edit at all. The edits program (src/judgement/edits) is asked about these, all of one file
// at once. Its answers become edits, or a note that says why there is none.
#include "fix/propose.h"
#include "fix/edits.h"
#include "fix/show.h"
#include "source/arrays.h"
#include "source/functions.h"
#include "source/structures.h"
#include <algorithm>
#include <map>

namespace warplens::fix {
namespace {

using findings::Edit;
using findings::Finding;
using Kind = findings::Remedy::Kind;

// The tokens of each file, made once.
class Sources {
public:
  explicit Sources(const findings::SourceText& text_of) : text_of_(text_of) {}

  const source::Tokens& of(const std::string& file) {
    auto known = sources_.find(file);
    if (known == sources_.end()) known = sources_.try_emplace(file, text_of_(file)).first;
    return known->second;
  }
  // Where the access of a finding is; nothing where that is not known.
  std::optional<ArrayUse> place(const Finding& finding) {
    if (finding.place.empty() || finding.array.empty()) return {};
    const access::SourceFrame& at = finding.place.front();
    const source::Tokens& tokens = of(at.file);
    const u32 use = source::in_body(tokens, tokens.token_at(at.line, at.column));
    if (use >= tokens.size()) return {};
    return ArrayUse{tokens, at.file, use, finding.array,
                    finding.fix ? finding.fix->remedy : findings::Remedy{}};
  }

private:
  const findings::SourceText& text_of_;
  std::map<std::string, source::Tokens> sources_;
};

// Why there is nothing to edit, as far as tokens tell; empty where there is. Nothing: no edit is thought of.
std::optional<std::string> why_not(const ArrayUse& p) {
  const source::Tokens& s = p.tokens;
  const std::optional<source::Array> array = source::array_visible(s, p.array, p.use);
  switch (p.remedy.kind) {
  case Kind::none:
  case Kind::other_order: return {};
  case Kind::longer_rows: // twice the array and more for the sake of it is a matter of taste
    if (!array || !array->shared || array->dimensions.empty())
      return "its declaration is not of the form '__shared__ T name[rows][columns]'";
    if (array->dimensions.size() == 1) return {};
    return p.remedy.bytes <= p.remedy.row / 2 ? "" : "its rows would become more than half as long again";
  case Kind::aligned: {
    if (array && source::size_of(s, array->type) != 0) return "";
    const std::optional<source::Structure> type = source::structure(s, source::type_of(s, p.array, p.use));
    if (!type) return "its elements are not of a structure that this file defines by its name";
    return type->bytes == p.remedy.bytes ? ""
                                         : "its structure has other bytes than those that a thread moves";
  }
  case Kind::restricted: {
    const std::optional<source::Function> function = source::function_around(s, p.use);
    const auto all = function ? source::parameters(s, function->parameters) : std::nullopt;
    if (all && std::ranges::find(*all, p.array, &source::Parameter::name) != all->end()) return "";
    return {};
  }
  }
  return {};
}

// A use within another's brackets: what is done to the one changes the other.
bool any_collide(const std::vector<Edit>& edits) {
  for (auto edit = edits.begin(); edit != edits.end(); ++edit)
    for (auto other = edits.begin(); other != edit; ++other)
      if (collide(*edit, *other)) return true;
  return false;
}

// Columns then mean the same to everybody, whatever they count.
bool is_plain_up_to(const source::Tokens& s, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    if (edit.line != edit.end_line) return false;
    for (char c : s.line(edit.line).substr(0, edit.end_column))
      if (c < 0) return false;
  }
  return true;
}

void add(Finding& finding, Made made, const std::string& file, const source::Tokens& tokens) {
  for (Edit& edit : made.edits) edit.file = file;
  if (!made.edits.empty() && !is_plain_up_to(tokens, made.edits))
    made = {{}, "its line has other characters than ASCII in front of it", made.edits[0].line, 1};
  if (any_collide(made.edits)) made = {{}, "an index of it is an element of it", made.edits[0].line, 1};
  if (!made.edits.empty()) {
    finding.fix->edits = std::move(made.edits);
    return;
  }
  findings::Note& note = finding.notes.emplace_back(findings::Note{"no edit of the source: " + made.why, {}});
  if (made.line != 0) note.place = access::SourceFrame{file, made.line, made.column, {}};
}

} // namespace

void show(findings::List& list, const findings::SourceText& text_of) {
  Sources sources(text_of);
  for (Finding& finding : list.findings)
    if (std::optional<ArrayUse> place = sources.place(finding)) show(*place, finding.place.front(), finding);
}

void propose(findings::List& list, const findings::SourceText& text_of, const Editor& editor) {
  Sources sources(text_of);
  std::map<std::string, std::vector<Finding*>> asking; // by file
  for (Finding& finding : list.findings) {
    const std::optional<ArrayUse> place = sources.place(finding);
    // What is worth a note in some launches is not worth another layout in all.
    const bool worth =
        finding.severity != findings::Severity::note || (place && place->remedy.kind == Kind::restricted);
    const std::optional<std::string> why = place && worth ? why_not(*place) : std::nullopt;
    if (why && why->empty())
      asking[place->file].push_back(&finding);
    else if (why)
      add(finding, {{}, *why}, place->file, place->tokens);
  }
  for (const auto& [file, all] : asking) {
    std::vector<Wish> wishes;
    for (const Finding* finding : all) {
      const access::SourceFrame& at = finding->place.front();
      wishes.push_back({finding->fix->remedy, finding->array, at.line, at.column});
    }
    Answered answered = editor(file, wishes);
    answered.made.resize(wishes.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!answered.problem.empty()) answered.made[i] = {{}, answered.problem};
      add(*all[i], std::move(answered.made[i]), file, sources.of(file));
    }
  }
}

} // namespace warplens::fix
