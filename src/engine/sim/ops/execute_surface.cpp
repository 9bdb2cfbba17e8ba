// suld.b, sust.b and sured.b: bytes of a surface, lane by lane (PTX ISA, "Surface Instructions"). Coordinates count bytes
// along x, rows and slices along y and z, and were kept by ops before these. sust.p counts elements along x and stores
// numbers in the surface's format: halves are rounded, and integers of less than 32 bits are refused, since whether they are
// clamped is written nowhere.
//
// Outside the surface, .trap ends the kernel, .zero reads zeros and stores nothing, .clamp goes to the nearest place inside.
#include "sem/half.h"
#include "sim/exec/fault.h"
#include "sim/ops/texture_access.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Type;

enum class Boundary : u8 { trap, clamp, zero };

Boundary boundary_of(const ir::Form& form) {
  return form.has(Modifier::clamp)  ? Boundary::clamp
         : form.has(Modifier::zero) ? Boundary::zero
                                    : Boundary::trap;
}

class SurfaceAccess {
public:
  SurfaceAccess(Exec& x, const Op& op)
      : x_(x), op_(op), geometry_(*ir::geometry_of(*op.form)), boundary_(boundary_of(*op.form)),
        objects_(x, op, true), seen_(x, op, 1), formatted_(op.form->has(Modifier::p)),
        bytes_(u32{op.element_bytes} * op.elements) {}

  // Calls f(thread, bytes in memory) for every lane, with null for one that is outside.
  template <class F> void each(F&& f) {
    for (u32 w = x_.first_warp; w < x_.end_warp; ++w)
      for_each_lane(x_.mask->word[w],
                    [&](u32 lane) { f(w * warp_size + lane, place(w * warp_size + lane)); });
    seen_.report();
  }
  // The n-th value that is stored.
  u64 stored(u32 n, u32 thread) const { return kept(geometry_.elements + n, thread); }

  // Of sust.p: the element's channels, as many as are given.
  void store_formatted(u32 thread, std::byte* to) {
    const TexelFormat& format = objects_[thread].image.format;
    const u32 bytes = format.bits / 8;
    for (u32 c = 0; c < format.channels; ++c) {
      u64 value = c < op_.elements ? stored(c, thread) : 0;
      if (format.bits == 16)
        value = sem::to_half<sem::F16>(std::bit_cast<float>(static_cast<u32>(value))).bits;
      std::memcpy(to + c * bytes, &value, bytes);
    }
  }

  // The element at `to` was stored, for --check memory.
  void mark_written(const std::byte* to) const {
    if (WrittenBytes* written = x_.launch.device.memory->written())
      written->mark(reinterpret_cast<u64>(to), bytes_);
  }

private:
  u64 kept(u32 row, u32 thread) const { return x_.matrix[u64{row} * x_.shape.lanes + thread]; }

  std::byte* place(u32 thread) {
    const TextureObject& object = objects_[thread];
    const Image& image = object.image;
    const ImageLevel& level = image.levels[0];
    if (formatted_) bytes_ = format_bytes(thread, image.format);
    std::array<i64, 3> at{}, room{static_cast<i64>(level.width * image.format.bytes()) - bytes_ + 1,
                                  static_cast<i64>(level.height), static_cast<i64>(level.depth)};
    u32 row = 0;
    if (geometry_.layered) at[2] = static_cast<i32>(kept(row++, thread));
    for (u32 d = 0; d < geometry_.dimensions; ++d) at[d] = static_cast<i32>(kept(row + d, thread));
    if (formatted_) at[0] *= bytes_;
    bool inside = true;
    for (u32 d = 0; d < 3; ++d) inside = inside && at[d] >= 0 && at[d] < room[d];
    if (!inside && (boundary_ == Boundary::zero || room[0] <= 0)) return nullptr;
    if (!inside && boundary_ == Boundary::trap) refuse_outside(thread, at, image);
    for (u32 d = 0; d < 3; ++d) at[d] = std::clamp<i64>(at[d], 0, room[d] - 1);
    if (!inside) at[0] -= at[0] % bytes_;
    if (at[0] % bytes_ != 0)
      raise(x_, op_, FaultKind::misaligned_address, "kernel-misaligned-address",
            fmt::format("{} bytes at byte {} of a row of a surface, which is not a multiple of {}", bytes_,
                        at[0], bytes_),
            thread, 0, {}, "surfaces count x in bytes: multiply the index by the size of an element");
    u64 byte = static_cast<u64>(at[0]), y = static_cast<u64>(at[1]), slice = static_cast<u64>(at[2]);
    seen_.add(thread, object, bytes_, 1, std::array{image.seen_at(level, byte, y, slice)});
    return reinterpret_cast<std::byte*>(level.address + slice * level.slice_pitch + y * level.row_pitch +
                                        byte);
  }

  u32 format_bytes(u32 thread, const TexelFormat& format) {
    if (format.bits == 32 || format.kind == ChannelKind::floating) return format.bytes();
    raise(x_, op_, FaultKind::unsupported_instruction, "kernel-unsupported-instruction",
          fmt::format("'{}' of integers of {} bits is not implemented", op_.form->text, format.bits), thread,
          0, {}, "store with surf1Dwrite to surf3Dwrite (sust.b), which take bytes");
  }

  [[noreturn]] void refuse_outside(u32 thread, const std::array<i64, 3>& at, const Image& image) {
    const ImageLevel& level = image.levels[0];
    raise(x_, op_, FaultKind::trap, "kernel-surface-bounds",
          fmt::format("byte {} of row {} of slice {} is outside a surface of {} bytes x {} rows x {} slices",
                      at[0], at[1], at[2], level.width * image.format.bytes(), level.height, level.depth),
          thread, 0, {},
          "check the index (x counts bytes), or pass cudaBoundaryModeZero or cudaBoundaryModeClamp");
  }

  Exec& x_;
  const Op& op_;
  const ir::Geometry& geometry_;
  Boundary boundary_;
  ObjectOfLane objects_;
  SeenByMemory seen_;
  bool formatted_;
  u32 bytes_; // of an element
};

template <class T> u64 reduced(ir::AtomicOp operation, u64 old, u64 value) {
  T a = static_cast<T>(old), b = static_cast<T>(value);
  switch (operation) {
  case ir::AtomicOp::min: return static_cast<u64>(std::min(a, b));
  case ir::AtomicOp::max: return static_cast<u64>(std::max(a, b));
  case ir::AtomicOp::and_: return old & value;
  case ir::AtomicOp::or_: return old | value;
  default: return old + value;
  }
}

u64 reduced(const ir::Form& form, u64 old, u64 value) {
  switch (form.type()) {
  case Type::s32: return reduced<i32>(form.atomic_op(), old, value);
  case Type::s64: return reduced<i64>(form.atomic_op(), old, value);
  case Type::u64:
  case Type::b64: return reduced<u64>(form.atomic_op(), old, value);
  default: return reduced<u32>(form.atomic_op(), old, value);
  }
}

template <class Word> void reduce_at(std::byte* at, const ir::Form& form, u64 value) {
  std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
  Word old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, static_cast<Word>(reduced(form, old, value)),
                                     std::memory_order_relaxed)) {
  }
}

} // namespace

namespace ops {

// Slots: elements, the surface
void load_surface(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  SurfaceAccess surface(x, op);
  for (u32 d = 0; d < op.destinations; ++d)
    if (op.destination(d) != no_slot) {
      need_lanes(x.values[op.destination(d)], x.shape);
      x.values[op.destination(d)].set_lanes();
    }
  surface.each([&](u32 thread, const std::byte* from) {
    for (u32 d = 0; d < op.destinations; ++d) {
      u64 value = d >= op.elements; // after the elements: whether they were resident
      if (d < op.elements && from != nullptr)
        std::memcpy(&value, from + d * op.element_bytes, op.element_bytes);
      if (op.destination(d) != no_slot) x.set_lane(x.values[op.destination(d)], thread, value);
    }
  });
}

// Slots: the surface; the elements are kept
void store_surface(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  ++x.writes, ++x.effects;
  SurfaceAccess surface(x, op);
  surface.each([&](u32 thread, std::byte* to) {
    if (to == nullptr || !x.performs_stores) return;
    surface.mark_written(to);
    if (op.form->has(Modifier::p)) return surface.store_formatted(thread, to);
    for (u32 n = 0; n < op.elements; ++n) {
      u64 value = surface.stored(n, thread);
      std::memcpy(to + n * op.element_bytes, &value, op.element_bytes);
    }
  });
}

// Slots: the surface; the value is kept
void reduce_surface(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  ++x.writes, ++x.effects;
  SurfaceAccess surface(x, op);
  surface.each([&](u32 thread, std::byte* to) {
    if (to == nullptr || !x.performs_stores) return;
    if (op.element_bytes == 8)
      reduce_at<u64>(to, *op.form, surface.stored(0, thread));
    else
      reduce_at<u32>(to, *op.form, surface.stored(0, thread));
  });
}

} // namespace ops
} // namespace warplens::sim
