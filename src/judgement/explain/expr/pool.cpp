// The declarations are read as a structure's members, then laid out without the gaps that a structure would
// have: what a program does that adds up sizes in bytes.
#include "explain/expr/pool.h"
#include "base/bits.h"
#include "explain/view/theme.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::explain {
namespace {

// One full warp reading elements 0 to 31 of an array that starts at `offset`.
arch::Counts warp_of(const arch::Architecture& arch, const Type& type, u64 offset) {
  Footprint lanes;
  for (u32 lane = 0; lane < warp_size; ++lane) {
    lanes.offset.push_back(i64{lane} * type.size);
    lanes.active.push_back(1);
  }
  Mode manner;
  manner.pieces = pieces(type);
  manner.base = offset;
  return count_block(arch, lanes, manner);
}

} // namespace

ResultOr<Pool, Rejection> pool(const std::string& text, u32 sm) {
  const arch::Architecture* arch = arch::find(sm);
  if (arch == nullptr)
    return failure(
        Rejection{diag::error("explain-architecture",
                              fmt::format("there is no compute capability {}", text::compute_capability(sm)),
                              {}, "`warplens gpus` lists them"),
                  {}});
  // Declarations are what a structure's body is made of.
  std::string body = text;
  while (!body.empty() && body.back() == ' ') body.pop_back();
  std::string structure = "struct{" + body + (body.empty() || body.back() == ';' ? "}" : ";}");
  Result<Type> type = parse_type(structure);
  if (!type) {
    type.error().span.file = "--pool";
    type.error().help = "declare the arrays as in C: --pool 'float a[100]; double b[10]'";
    return failure(Rejection{std::move(type.error()), structure});
  }
  Pool out{sm, {}, 0, 0};
  for (const Field& field : type->fields) {
    PoolArray array{field.name, field.type.name, field.type.size, out.bytes, field.type.align, 0, 0, {}, {}};
    for (u32 extent : field.dims) array.bytes *= extent;
    array.aligned = align_up(array.offset, array.alignment);
    array.segment = align_up(array.offset, 128);
    if (array.fits()) array.packed = warp_of(*arch, field.type, array.offset);
    array.moved = warp_of(*arch, field.type, array.segment);
    out.bytes += array.bytes;
    array.padded = align_up(out.aligned_bytes, 128);
    out.aligned_bytes = array.padded + array.bytes;
    out.arrays.push_back(std::move(array));
  }
  return out;
}

bool all_fit(const Pool& pool) {
  return std::all_of(pool.arrays.begin(), pool.arrays.end(), [](const PoolArray& a) { return a.fits(); });
}

namespace {

std::string verdict(const PoolArray& a, const Theme& ink) {
  if (!a.fits())
    return ink.bad(fmt::format("{} {} past a multiple of {}: start at {}", ink.no(), a.offset % a.alignment,
                               a.alignment, a.aligned));
  if (a.packed.transaction_bytes > a.moved.transaction_bytes)
    return ink.poor(fmt::format("a warp moves {} bytes, {} from {}", a.packed.transaction_bytes,
                                a.moved.transaction_bytes, a.segment));
  return ink.good(fmt::format("{} aligned", ink.yes()));
}

} // namespace

std::string terminal(const Pool& pool, const TextStyle& style) {
  Theme ink(style);
  std::string out = ink.bold("Arrays in one allocation, one behind the other") +
                    fmt::format("   compute capability {}\n", text::compute_capability(pool.sm));
  out += ink.faint("  array        type           bytes   starts at   needs") + "\n";
  for (const PoolArray& a : pool.arrays)
    out += fmt::format("  {} {} {:>9} {:>11} {:>7}   {}\n", pad_right(a.name, 12), pad_right(a.type, 12),
                       a.bytes, a.offset, a.alignment, verdict(a, ink));
  if (!all_fit(pool))
    out += "  An array that is not aligned to its type stops the kernel (cudaErrorMisalignedAddress) or "
           "reads wrong words.\n";
  out += fmt::format("  {} bytes; {} with every array at a multiple of 128, which suits every type:\n ",
                     pool.bytes, pool.aligned_bytes);
  for (const PoolArray& a : pool.arrays)
    out += fmt::format(" {} at {}{}", a.name, a.padded, &a == &pool.arrays.back() ? "\n" : ",");
  return style.unicode ? out : ascii(out);
}

nlohmann::json json(const Pool& pool) {
  nlohmann::json out = {{"schema", 1},
                        {"sm", pool.sm},
                        {"bytes", pool.bytes},
                        {"aligned_bytes", pool.aligned_bytes},
                        {"arrays", nlohmann::json::array()}};
  for (const PoolArray& a : pool.arrays)
    out["arrays"].push_back({{"name", a.name},
                             {"type", a.type},
                             {"bytes", a.bytes},
                             {"offset", a.offset},
                             {"alignment", a.alignment},
                             {"fits", a.fits()},
                             {"aligned_offset", a.aligned},
                             {"segment_offset", a.padded}});
  return out;
}

} // namespace warplens::explain
