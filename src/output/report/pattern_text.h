// The words for what lanes do: "stride 128 bytes (32 floats)", "2 rows of 16 lanes, 4096 bytes apart",
// "8-way bank conflict". For people: whoever groups or compares uses the pattern itself.
#pragma once
#include "access/site.h"
#include "measure/pattern.h"

namespace warplens::report {

// The pattern of that site's warps; empty where none was looked at.
std::string describe(const measure::Pattern&, const access::Site&);

} // namespace warplens::report
