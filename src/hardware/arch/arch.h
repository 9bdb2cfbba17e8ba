// One row per compute capability: the constants and which rule of each memory space applies, every entry with
// its source and grade. Rows are in table.cpp; adding an architecture is a row there and, where it behaves in
// a new way, a rule of its own under rules/ (never `if (sm >= 40)`).
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

// No rule sees more of an address than its remainder by this: accesses whose addresses differ by a multiple count
// alike. It covers a line of global memory (128) and a row of the widest banks (3.x: 32 × 8). A test holds the table
// to it; a rule that sees more needs a larger one. Only the L1's stages see all bits of an address (stages.h).
inline constexpr u64 address_period = 256;

} // namespace warplens::arch
