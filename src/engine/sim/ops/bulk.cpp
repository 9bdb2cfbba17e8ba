// Bulk copies, lane by lane: who copies how much from where, and how tiles of a tensor lie in shared memory.
//
// A tile's elements lie side by side, the fastest dimension first, in 16-byte pieces that the map may have exchanged
// (tensor_map.h). Elements outside the tensor are 0 or not a number when read, and left alone when written; the mbarrier is
// told of the whole tile.
//
// Not here: interleaved layouts, elements of less than a byte.
#include "ir/operands.h"
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/lower/bulk_slots.h"
#include "sim/memory/tensor_tile_rows.h"
#include "sim/ops/atomic_steps.h"
#include "sim/ops/mbarrier.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::BulkCopy;
using ir::Modifier;

// One thread's copy.
class Bulk {
public:
  Bulk(Exec& x, const Op& op, u32 thread) : x_(x), op_(op), form_(*op.form), thread_(thread) {}

  void run() {
    switch (ir::bulk_copy(form_)) {
    case BulkCopy::in: return copy_in();
    case BulkCopy::across: return copy_across();
    case BulkCopy::out: return copy_out();
    case BulkCopy::tensor_in: return tile_in();
    case BulkCopy::tensor_out: return tile_out();
    default: return;
    }
  }

private:
  u64 value(BulkSlot slot, u32 further = 0) const {
    SlotId id = op_.slot[slot + further];
    return id == no_slot ? 0 : x_.lane_value(id, thread_);
  }

  [[noreturn]] void fail(FaultKind kind, std::string name, std::string message, u64 address,
                         std::string help) {
    std::vector<std::string> notes;
    if (kind == FaultKind::illegal_address && address >= Memory::window_size)
      notes.push_back(describe_address(x_, address));
    raise(x_, op_, kind, std::move(name), std::move(message), thread_, address, std::move(notes),
          std::move(help));
  }

  void check_aligned(u64 what, u64 to, std::string_view name) {
    if (what % to == 0) return;
    fail(FaultKind::misaligned_address, "kernel-misaligned-address",
         fmt::format("bulk copy with {} {:#x}, which is not a multiple of {}", name, what, to), what,
         "align both sides, and the size, to what the instruction demands");
  }

  // Shared memory on the host. `rank`: of the CTA; else the one that the address names. A wider register is truncated (resolve.cpp).
  std::byte* shared(u64 address, u64 bytes, std::optional<u32> rank = {}) {
    address = static_cast<u32>(address);
    u64 owner = rank ? *rank + 1 : address >> cluster_rank_shift, at = address & (Memory::window_size - 1);
    if (!rank && x_.launch.ranks_in_addresses) ++owner;
    const Cluster* cluster = x_.cta->cluster.get();
    Cta* cta = owner == 0 || (cluster == nullptr && owner == 1)      ? x_.cta
               : cluster != nullptr && owner <= cluster->ctas.size() ? cluster->ctas[owner - 1]
                                                                     : nullptr;
    if (cta == nullptr)
      fail(FaultKind::invalid_instruction, "kernel-bad-cluster-rank",
           fmt::format("bulk copy to block {} of a cluster of {}", owner - 1, x_.launch.cluster.count()),
           address, "name only blocks of the cluster");
    if (!Memory::Range{0, x_.shared_bytes()}.covers(at, bytes))
      fail(FaultKind::illegal_address, "kernel-illegal-address",
           fmt::format("bulk copy of {} bytes {}", bytes, outside_shared(x_, at)), at,
           "check the size, and the dynamic shared size in the launch <<<…>>> (--shared BYTES for a .ptx "
           "file)");
    return cta->shared.data() + at;
  }

  std::byte* global(u64 address, u64 bytes) {
    const Memory& memory = *x_.launch.device.memory;
    if (!memory.range(address).covers(address, bytes)) {
      bool mapped = memory.mapped(address, bytes) && !x_.launch.options.strict_memory;
      std::string message =
          fmt::format("bulk copy of {} bytes at {:#x} is {}", bytes, address,
                      mapped ? "outside its allocation, inside a mapped page: a GPU may not notice"
                             : "outside its allocation, or outside all device memory");
      if (!mapped)
        fail(FaultKind::illegal_address, "kernel-illegal-address", message, address,
             "check the address and the size against what was allocated");
      warn(x_, op_, "kernel-out-of-bounds", message, thread_, {describe_address(x_, address)});
    }
    return reinterpret_cast<std::byte*>(address);
  }

  void report(std::span<const access::BulkRow> rows) {
    if (x_.sink == nullptr || !op_.site.valid()) return;
    const access::Site& site = x_.code->module->sites[op_.site.value];
    access::BulkAccess bulk{
        {.site = op_.site, .space = access::Space::global, .kind = site.kind, .bytes = site.bytes}};
    bulk.cta = x_.cta->index;
    bulk.rows = rows;
    x_.sink->bulk(bulk);
  }

  void wrote() {
    ++x_.writes;
    ++x_.effects;
  }

  // For --check memory.
  void mark_written(u64 address, u64 bytes) {
    if (WrittenBytes* written = x_.launch.device.memory->written()) written->mark(address, bytes);
  }

  // Calls f(rank) for each CTA of a multicast; once without a rank where it is none.
  template <class F> void each_destination(F&& f) {
    if (op_.slot[bulk_ctas] == no_slot) return f(std::optional<u32>());
    for (u32 rank = 0, mask = static_cast<u32>(value(bulk_ctas)) & 0xffff; mask >> rank != 0; ++rank)
      if (mask >> rank & 1) f(std::optional<u32>(rank));
  }

  void complete(u64 bytes, std::optional<u32> rank) {
    u64 at = value(bulk_mbarrier);
    check_aligned(at & (Memory::window_size - 1), 8, "an mbarrier at");
    complete_bytes(x_, op_, reinterpret_cast<u64>(shared(at, 8, rank)), bytes, thread_);
  }

  u64 checked_size() {
    u64 bytes = value(bulk_size);
    check_aligned(bytes, 16, "a size of");
    check_aligned(value(bulk_shared) & (Memory::window_size - 1), 16, "an address");
    check_aligned(value(bulk_global), 16, "an address");
    return bytes;
  }

  // global → shared
  void copy_in() {
    u64 bytes = checked_size(), from = value(bulk_global);
    const std::byte* source = bytes == 0 ? nullptr : global(from, bytes);
    access::BulkRow row{from, bytes};
    report({&row, 1});
    each_destination([&](std::optional<u32> rank) {
      if (bytes != 0) std::memcpy(shared(value(bulk_shared), bytes, rank), source, bytes);
      complete(bytes, rank);
    });
    wrote();
  }

  // shared → shared of a CTA of the cluster
  void copy_across() {
    u64 bytes = checked_size();
    if (bytes != 0) {
      std::byte *to = shared(value(bulk_shared), bytes), *from = shared(value(bulk_global), bytes);
      if (form_.has(Modifier::reduce))
        reduce(form_.type(), to, from, bytes, false);
      else
        std::memmove(to, from, bytes);
    }
    complete(bytes, {});
    wrote();
  }

  // shared → global
  void copy_out() {
    u64 bytes = checked_size(), to = value(bulk_global);
    if (bytes == 0) return;
    const std::byte* from = shared(value(bulk_shared), bytes);
    std::byte* destination = global(to, bytes);
    access::BulkRow row{to, bytes};
    report({&row, 1});
    if (form_.has(Modifier::reduce))
      reduce(form_.type(), destination, from, bytes, true);
    else
      std::memcpy(destination, from, bytes);
    mark_written(to, bytes);
    wrote();
  }

  // to = to op from, element by element; `atomic` where other host threads may do so too.
  void reduce(ir::Type type, std::byte* to, const std::byte* from, u64 bytes, bool atomic) {
    with_step(form_.atomic_op(), type, atomic, [&]<class Step>() {
      using T = typename Step::Bits;
      for (u64 at = 0; at < bytes; at += sizeof(T)) {
        T value, *word = reinterpret_cast<T*>(to + at);
        std::memcpy(&value, from + at, sizeof value);
        T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(word, &old, Step::apply(old, value, 0), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST)) {
        }
      }
    });
  }

  TensorMap map() {
    u64 at = value(bulk_global);
    const Memory& memory = *x_.launch.device.memory;
    const std::byte* bytes = nullptr;
    if (u64 offset = at - memory.param_window(); offset < Memory::window_size) {
      if (Memory::Range{0, x_.launch.parameters.size()}.covers(offset, TensorMap::size))
        bytes = x_.launch.parameters.data() + offset;
    } else if (memory.range(at).covers(at, TensorMap::size)) {
      bytes = reinterpret_cast<const std::byte*>(at);
    }
    std::optional<TensorMap> found;
    if (bytes != nullptr) found = TensorMap::read(bytes);
    if (!found)
      fail(FaultKind::invalid_instruction, "kernel-bad-tensor-map",
           fmt::format("there is no tensor map at {:#x}", at), at,
           "make it with cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col, and pass it as a const "
           "__grid_constant__ parameter or in "
           "global memory");
    if (found->rank != ir::tensor_dimensions(form_))
      fail(FaultKind::invalid_instruction, "kernel-bad-tensor-map",
           fmt::format("a copy of {} dimensions with a tensor map of {}", ir::tensor_dimensions(form_),
                       found->rank),
           at, "copy with the dimensions that the map was made for");
    bool columns = form_.has(Modifier::im2col) || form_.has(Modifier::im2col_no_offs);
    if (columns != (found->pixels != 0))
      fail(
          FaultKind::invalid_instruction, "kernel-bad-tensor-map",
          fmt::format("'{}' with a tensor map of the other mode", form_.text), at,
          "copy tiles with a map of cuTensorMapEncodeTiled, and .im2col with one of cuTensorMapEncodeIm2col");
    return *found;
  }

  // An H200 stops at tiles that do not begin at 16 bytes, and at stores of those that begin in front of the tensor (29 November 2026).
  void check_place(const TensorMap& map, std::span<const i32> at, bool stored) {
    if (map.pixels != 0) return;
    const i64 begin = i64{at[0]} * bytes_of(map.element);
    if (begin % 16 != 0)
      fail(FaultKind::invalid_instruction, "kernel-bad-tensor-map",
           fmt::format("a tile from element {} on, {} bytes into a row: not a multiple of 16", at[0], begin),
           value(bulk_global), "let tiles begin at multiples of 16 bytes");
    if (stored && std::ranges::any_of(at, [](i32 one) { return one < 0; }))
      fail(FaultKind::invalid_instruction, "kernel-bad-tensor-map",
           "a store of a tile that begins in front of the tensor", value(bulk_global),
           "store from coordinate 0 on; loads may begin in front");
  }

  // Of the rows with elements inside; reports them.
  TileRows rows_inside(const TensorMap& map, bool stored) {
    std::array<i32, TensorMap::most_dimensions> at{};
    std::array<u32, TensorMap::most_corners> offsets{};
    for (u32 d = 0; d < map.rank; ++d) at[d] = static_cast<i32>(value(bulk_coordinate, d));
    const u32 corners = ir::im2col_offsets(form_);
    for (u32 c = 0; c < corners; ++c) // packed, 16 bits each
      offsets[c] = static_cast<u32>(value(bulk_size) >> (16 * c)) & 0xffff;
    check_place(map, {at.data(), map.rank}, stored);
    TileRows rows = rows_of_tile(map, {at.data(), map.rank}, {offsets.data(), corners}, stored);
    std::vector<access::BulkRow> reported;
    for (const TileRow& row : rows.rows) {
      global(row.address, rows.bytes);
      reported.push_back({row.address, rows.bytes});
    }
    report(reported);
    return rows;
  }

  // What lies outside the tensor; a NaN is what conversions make of one.
  static void fill(const TensorMap& map, std::byte* tile, u64 at) {
    const u64 element = bytes_of(map.element);
    const u64 pattern = !map.nan ? 0 : element == 2 ? 0x7fff : element == 4 ? 0x7fffffff : ~u64{0} >> 1;
    for (u64 row = 0, end = map.tile_room(); row < end; row += map.row_pitch())
      for (u64 i = 0; i < map.row_bytes(); i += element)
        std::memcpy(tile + (swizzled(at + row + i, map.swizzle) - at), &pattern, element);
  }

  // Calls f(in the tensor, in the tile) for each element that lies inside; both on the host.
  template <class F>
  void each_element(const TensorMap& map, const TileRows& rows, std::byte* tile, u64 at, F&& f) {
    const u64 element = bytes_of(map.element), step = map.step[0] * element;
    for (const TileRow& row : rows.rows)
      for (u32 i = rows.first; i < rows.end; ++i) {
        u64 place = swizzled(at + row.place + i * element, map.swizzle) - at;
        f(reinterpret_cast<std::byte*>(row.address + (i - rows.first) * step), tile + place);
      }
  }

  // Pieces are exchanged within lines of 128 bytes, so that a tile stays where it is.
  u64 tile_address() {
    u64 at = value(bulk_shared) & (Memory::window_size - 1);
    check_aligned(at, 128, "a tile at");
    return at;
  }

  void tile_in() {
    const TensorMap map = this->map();
    const u64 bytes = map.tile_bytes(), at = tile_address();
    const TileRows rows = rows_inside(map, false);
    each_destination([&](std::optional<u32> rank) {
      std::byte* tile = shared(value(bulk_shared), map.tile_room(), rank);
      fill(map, tile, at);
      with_element(map, [&]<u32 n>() {
        each_element(map, rows, tile, at,
                     [](const std::byte* from, std::byte* to) { std::memcpy(to, from, n); });
      });
      complete(bytes, rank);
    });
    wrote();
  }

  void tile_out() {
    const TensorMap map = this->map();
    const u64 at = tile_address();
    std::byte* tile = shared(value(bulk_shared), map.tile_room());
    const TileRows rows = rows_inside(map, true);
    for (const TileRow& row : rows.rows) mark_written(row.address, rows.bytes);
    if (form_.has(Modifier::reduce)) {
      std::optional<ir::Type> type = reduced(map.element);
      if (!type)
        fail(FaultKind::invalid_instruction, "kernel-bad-tensor-map",
             "a reduction of elements that have none", value(bulk_global), "");
      each_element(map, rows, tile, at, [&](std::byte* to, const std::byte* from) {
        reduce(*type, to, from, bytes_of(map.element), true);
      });
    } else {
      with_element(map, [&]<u32 n>() {
        each_element(map, rows, tile, at,
                     [](std::byte* to, const std::byte* from) { std::memcpy(to, from, n); });
      });
    }
    wrote();
  }

  template <class F> static void with_element(const TensorMap& map, F&& f) {
    switch (bytes_of(map.element)) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 4: return f.template operator()<4>();
    default: return f.template operator()<8>();
    }
  }

  static std::optional<ir::Type> reduced(TensorElement element) {
    switch (element) {
    case TensorElement::u32: return ir::Type::u32;
    case TensorElement::i32: return ir::Type::s32;
    case TensorElement::u64: return ir::Type::u64;
    case TensorElement::i64: return ir::Type::s64;
    case TensorElement::f16: return ir::Type::f16;
    case TensorElement::bf16: return ir::Type::bf16;
    case TensorElement::f32:
    case TensorElement::f32_ftz: return ir::Type::f32;
    case TensorElement::f64: return ir::Type::f64;
    default: return {};
    }
  }

  Exec& x_;
  const Op& op_;
  const ir::Form& form_;
  u32 thread_;
};

} // namespace

namespace ops {

// slots: BulkSlot
void bulk_copy(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Mask lanes = *x.mask;
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(lanes.word[w], [&](u32 lane) { Bulk(x, op, w * warp_size + lane).run(); });
}

} // namespace ops
} // namespace warplens::sim
