// Edits applied to a text, and what they changed as a unified diff.
#pragma once
#include "findings/finding.h"
#include <optional>
#include <span>
#include <string>

namespace warplens::fix {

// Does one change what another does? Two that insert at one place do; the same edit twice does not.
bool collide(const findings::Edit&, const findings::Edit&);
bool same(const findings::Edit&, const findings::Edit&);

// The text after all of them, each once. Nothing where one lies outside of the text, or two collide.
std::optional<std::string> applied(std::string_view text, std::span<const findings::Edit>);

// As `patch -p1` and `git apply` take it: with the names a/FILE and b/FILE, three lines of context. Empty where nothing
// differs.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

} // namespace warplens::fix
