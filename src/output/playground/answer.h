// The playground's other half: a page in a browser asks, and this answers, both as JSON. web/module/ compiles it to WebAssembly
// with the rooms that it includes, so that the page knows no rule of its own; the page is web/src/playground/.
//
// A question is an object whose member "do" says what is asked for:
//   explain    access, set ["n=1024"], type, dims, block, grid, cta, warp, if, space, op, cache, base, pitch, burst, sm: as the
//              options of `warplens explain` are called, texts but for numbers; lanes: how many are drawn, 32
//              → what `explain --json` says, and pictures, costs, words, lanes one by one, and every compute capability
//   curve      an access, and vary: a name of `set`, "@base", "@pitch", "@dims" or "@block.x"; from, to, step; sms
//              → what the block costs at each value
//   type, pool → a type's layout; arrays in one allocation
//   cases, case NAME, gpus → what there is
//   check      ptx, block, sm → each access judged for all launches
// What cannot be answered is {"error": {kind, message, what, text, column, length, notes, help}}.
//
// A cost is [what is paid, the least that the bytes need, transactions, efficiency 0…1]: bytes; passes of shared memory; requests
// of constant memory.
#pragma once
#include "base/diagnostic.h"
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace warplens::playground {

using Json = nlohmann::ordered_json;

// One JSON text for another; no text is too wrong.
std::string answer(std::string_view question);

// `source`: the texts that the diagnostic points into.
Json error_json(const diag::Diagnostic&, std::string_view source);
Json judged(std::string_view ptx, std::string_view block, unsigned sm);

} // namespace warplens::playground
