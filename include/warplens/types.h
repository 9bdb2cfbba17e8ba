// The words of the model: where an access goes, what it does, what it costs. WarpLens itself uses these very types.
#pragma once
#include <cstdint>
#include <string_view>

#define WARPLENS_API __attribute__((visibility("default")))

namespace warplens {

enum class Space : std::uint8_t { global, shared, local, constant, texture, surface };
enum class AccessKind : std::uint8_t { load, store, reduction, atomic, async_copy, ldmatrix };
// Whether memory reads, changes and writes a word at once: with the old value as its result (atomic) or without (reduction).
constexpr bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}
// PTX cache operators; `nc` is the read-only path (ld.global.nc), `volatile_` bypasses L1 where there is a choice.
enum class CacheOperator : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt, nc, volatile_ };

// As in JSON and pattern files; of CacheOperator::none, and of what is no enumerator, empty.
WARPLENS_API std::string_view name(Space);
WARPLENS_API std::string_view name(AccessKind);
WARPLENS_API std::string_view name(CacheOperator);

// Sums over the accesses that were counted; src/hardware/arch/MODEL.md defines them and names the hardware counter that each predicts.
// Counts that do not apply to an access stay 0.
struct Counts {
#define COUNT(name, which) std::uint64_t name = 0;
#include <warplens/counts.def>
#undef COUNT
  WARPLENS_API Counts& operator+=(const Counts&);
  WARPLENS_API Counts&
  operator*=(std::uint64_t times); // so many accesses, or sums of accesses, that all count alike
  friend Counts operator*(Counts counts, std::uint64_t times) { return counts *= times; }
  bool operator==(const Counts&) const = default;
};

} // namespace warplens
