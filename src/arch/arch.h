// One row per compute capability: the constants and which rule of each memory space applies, every entry with
// its source and grade. Rows are in table.cpp; adding an architecture is a row there and, where it behaves in
// a new way, a rule function of its own (never `if (sm >= 40)`).
#pragma once
#include "base/types.h"
#include <span>
#include <string_view>

namespace warplens::arch {

enum class Grade : u8 { documented, measured, inferred };
std::string_view name(Grade);

struct Architecture; // the row: arch/table.h

const Architecture* find(u32 sm); // 90 is 9.0, 121 is 12.1; nullptr when there is no such compute capability
std::span<const Architecture* const> all(); // ascending
u32 sm(const Architecture&);                // 90

} // namespace warplens::arch
