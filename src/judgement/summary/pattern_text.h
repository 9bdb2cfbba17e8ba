// The words for what lanes do: "stride 128 bytes (32 floats)", "2 rows of 16 lanes, 4096 bytes apart",
// "8-way bank conflict". For people: whoever groups or compares uses the pattern itself.
#pragma once
#include "summary/model.h"

namespace warplens::summary {

// The pattern of that site's warps; empty where none was looked at.
std::string describe(const measure::Pattern&, const access::Site&);

// "stride 512 bytes (128 floats) in 50% of warps, 2.0 of 32 lanes active"
std::string pattern_text(const AccessRow&,
                         bool with_lanes = true); // with_lanes: how many are active, where few are
// ", 8.0 of 32 lanes active", on average; empty where nearly all are.
std::string idle_lanes(const AccessRow&);
// "load global 4 B": for a column of a table.
std::string access_name(const AccessRow&);
// "load of 4 bytes from 'a'", "store of 4 bytes to shared memory": for a sentence. `array`: empty where it is not known.
// `written`: an asynchronous copy, as what it does to where it writes.
std::string described(const access::Site&, access::Space, const std::string& array, bool written);
// Active lanes of an instruction, on average; 32 where nothing ran.
double active_lanes(const arch::Counts&);

} // namespace warplens::summary
