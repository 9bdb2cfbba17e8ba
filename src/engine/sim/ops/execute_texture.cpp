// tex, tld4, txq, suq and istypep: coordinates that ops before these have kept (keep_matrix) become texels, lane by lane.
//
// What the image has and the instruction does not know of, or the other way round, is no reason to stop: coordinates that
// the image has no dimension for are ignored, missing ones are 0, with a warning.
#include "sem/half.h"
#include "sim/exec/fault.h"
#include "sim/ops/texture_access.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;

// The operands of a fetch, as the form says they lie in Exec::matrix.
class FetchOperands {
public:
  FetchOperands(const Exec& x, const Op& op)
      : geometry_(*ir::geometry_of(*op.form)), kept_(x.matrix.data()), stride_(x.shape.lanes),
        whole_(op.form->type(1) == Type::s32), level_(op.form->has(Modifier::level)),
        changes_(op.form->has(Modifier::grad)),
        shift_row_(geometry_.elements + level_ + (changes_ ? 2u * geometry_.changes : 0)),
        shifts_(x.instruction(op).sources > shift_row_ + 1 && !geometry_.cube) {}

  FetchPlace place(const TextureObject& object, u32 thread) const {
    FetchPlace out;
    u32 row = 0;
    if (geometry_.layered) out.layer = static_cast<u32>(at(row++, thread));
    for (u32 d = 0; d < geometry_.numbers(); ++d) out.at[d] = number(row + d, thread);
    out.whole = whole_;
    out.cube = geometry_.cube;
    row = geometry_.elements;
    out.chooses_level = level_ || changes_;
    if (level_) out.level = static_cast<float>(number(row, thread));
    if (changes_) out.level = level_of(object, row, thread);
    for (u32 d = 0; shifts_ && d < geometry_.dimensions; ++d)
      out.shift[d] = static_cast<i32>(at(shift_row_ + d, thread));
    return out;
  }
  u32 dimensions() const { return geometry_.dimensions; }
  const ir::Geometry& geometry() const { return geometry_; }

private:
  u64 at(u32 row, u32 thread) const { return kept_[row * stride_ + thread]; }
  double number(u32 row, u32 thread) const {
    u32 bits = static_cast<u32>(at(row, thread));
    return whole_ ? static_cast<double>(static_cast<i32>(bits)) : double{std::bit_cast<float>(bits)};
  }
  float level_of(const TextureObject& object, u32 row, u32 thread) const {
    float dx[3], dy[3];
    u32 count = geometry_.numbers();
    for (u32 d = 0; d < count; ++d) {
      dx[d] = static_cast<float>(number(row + d, thread));
      dy[d] = static_cast<float>(number(row + geometry_.changes + d, thread));
    }
    return level_of_changes(object, {dx, count}, {dy, count});
  }

  const ir::Geometry& geometry_;
  const u64* kept_;
  u64 stride_;
  bool whole_, level_, changes_;
  u32 shift_row_;
  bool shifts_;
};

void check_geometry(Exec& x, const Op& op, const ir::Geometry& geometry, const TextureObject& object,
                    u32 thread) {
  const Image& image = object.image;
  // ptxas fetches from one dimension as from two; the second number says nothing then.
  const bool of_line =
      image.dimensions == 1 && image.layout == ImageLayout::array && geometry.dimensions == 2;
  if ((image.dimensions == geometry.dimensions || of_line) && image.layered == geometry.layered &&
      image.cube == geometry.cube)
    return;
  warn(x, op, "kernel-texture-geometry",
       fmt::format("{} from an image of {} dimension{}{}{}", op.form->text, image.dimensions,
                   image.dimensions == 1 ? "" : "s", image.layered ? ", layered" : "",
                   image.cube ? ", cube" : ""),
       thread, {"a GPU's result is undefined"},
       "fetch with the function for what the object was created from");
}

// As the destinations hold them.
Channels as_results(const Channels& from, const ir::Form& form) {
  auto half = [&](u32 c) -> u32 { return sem::to_half<sem::F16>(std::bit_cast<float>(from[c])).bits; };
  if (form.type() == Type::f16) return {half(0), half(1), half(2), half(3)};
  if (form.type() == Type::f16x2) return {half(0) | half(1) << 16, half(2) | half(3) << 16, 0, 0};
  return from;
}

u32 gathered_channel(const ir::Form& form) {
  return form.has(Modifier::r) ? 0 : form.has(Modifier::g) ? 1 : form.has(Modifier::b) ? 2 : 3;
}

// The registers of the results, which lanes write one by one, the others keeping what they hold.
class Results {
public:
  Results(Exec& x, const Op& op) : x_(x), op_(op) {
    for (u32 d = 0; d < op.destinations; ++d) {
      if (op.destination(d) == no_slot) continue;
      Value& to = x.values[op.destination(d)];
      need_lanes(to, x.shape);
      to.set_lanes();
      if (to.bits == 32) words_[d] = to.writable<u32>(0);
    }
  }
  void give(u32 thread, const Channels& results) {
    for (u32 d = 0; d < op_.destinations; ++d) {
      u32 value =
          d < op_.form->vector ? results[d] : 1; // after them: whether the data was resident, as all is
      if (words_[d] != nullptr)
        words_[d][thread] = value;
      else if (op_.destination(d) != no_slot)
        x_.set_lane(x_.values[op_.destination(d)], thread, value);
    }
  }

private:
  Exec& x_;
  const Op& op_;
  std::array<u32*, 5> words_{};
};

template <class F> void each_thread(const Exec& x, F&& f) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) { f(w * warp_size + lane); });
}

// OpenCL's numbers, which PTX takes: cl_channel_type, cl_channel_order.
u32 channel_type(const TextureObject& object) {
  constexpr u32 snorm = 0x10d0, unorm = 0x10d2, integer = 0x10d7, natural = 0x10da, half = 0x10dd,
                single = 0x10de;
  const TexelFormat& format = object.image.format;
  u32 width = format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2;
  if (format.kind == ChannelKind::floating) return format.bits == 16 ? half : single;
  bool is_signed = format.kind == ChannelKind::signed_integer;
  if (object.sampler.normalized_read) return (is_signed ? snorm : unorm) + width;
  return (is_signed ? integer : natural) + width;
}
u32 channel_order(u32 channels) {
  constexpr u32 r = 0x10b0, rg = 0x10b2, rgba = 0x10b5;
  return channels == 1 ? r : channels == 2 ? rg : rgba;
}

u32 answer(const TextureObject& object, const ir::Form& form, u32 level) {
  const Image& image = object.image;
  const ImageLevel& at = image.levels[std::min<u64>(level, image.levels.size() - 1)];
  u64 faces = image.cube ? 6 : 1;
  const Sampler& sampler = object.sampler;
  if (form.has(Modifier::width)) return static_cast<u32>(at.width);
  if (form.has(Modifier::height)) return static_cast<u32>(image.dimensions > 1 ? at.height : 0);
  if (form.has(Modifier::depth)) return static_cast<u32>(image.dimensions > 2 ? at.depth : 0);
  if (form.has(Modifier::array_size)) return static_cast<u32>(image.layered ? image.layers / faces : 0);
  if (form.has(Modifier::num_mipmap_levels)) return static_cast<u32>(image.levels.size());
  if (form.has(Modifier::num_samples)) return 1;
  if (form.has(Modifier::channel_data_type)) return channel_type(object);
  if (form.has(Modifier::channel_order)) return channel_order(image.format.channels);
  if (form.has(Modifier::normalized_coords)) return sampler.normalized_coordinates;
  if (form.has(Modifier::force_unnormalized_coords)) return 0;
  if (form.has(Modifier::filter_mode)) return sampler.linear;
  for (u32 d = 0; d < 3; ++d)
    if (form.has(std::array{Modifier::addr_mode_0, Modifier::addr_mode_1, Modifier::addr_mode_2}[d]))
      return static_cast<u32>(sampler.mode[d]);
  return 0;
}

// Samplers are parts of textures here, and none is an object.
void is_object(Exec& x, const Op& op) {
  const bool surface = op.form->has(Modifier::surfref), texture = op.form->has(Modifier::texref);
  ObjectOfLane objects(x, op, surface);
  Results results(x, op);
  each_thread(x, [&](u32 thread) {
    const TextureObject* object = objects.find(thread);
    bool is = object != nullptr && (object->is_surface ? surface : texture);
    results.give(thread, {u32{is}});
  });
}

} // namespace

namespace ops {

// tex, tld4. Slots: channels, perhaps whether they were resident; the object
void fetch_texture(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const FetchOperands operands(x, op);
  ObjectOfLane objects(x, op, false);
  const bool gathers = op.form->opcode == Opcode::tld4;
  auto texels_from = [&](const TextureObject& object) {
    return gathers ? 4 : texels_of(object, operands.dimensions());
  };
  SeenByMemory seen(x, op, objects.uniform() ? texels_from(objects[first_thread(*x.mask)]) : most_texels);
  Results results(x, op);
  Fetched fetched;
  each_thread(x, [&](u32 thread) {
    const TextureObject& object = objects[thread];
    check_geometry(x, op, operands.geometry(), object, thread);
    FetchPlace place = operands.place(object, thread);
    check_described(x, op, object, place, thread);
    if (gathers)
      gather(object, place, gathered_channel(*op.form), fetched);
    else
      fetch(object, std::min<u32>(operands.dimensions(), object.image.dimensions), place, fetched);
    seen.add(thread, object, object.image.format.bytes(), texels_from(object),
             {fetched.seen_at.data(), fetched.texels});
    results.give(thread, gathers ? fetched.channels : as_results(fetched.channels, *op.form));
  });
  seen.report();
}

// txq, suq, istypep. Slots: the answer, the object; a level is kept
void query_texture(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  if (op.form->opcode == Opcode::istypep) return is_object(x, op);
  ObjectOfLane objects(x, op, op.form->opcode == Opcode::suq);
  bool of_level = op.form->has(Modifier::level);
  Results results(x, op);
  each_thread(x, [&](u32 thread) {
    u32 level = of_level ? static_cast<u32>(x.matrix[thread]) : 0;
    results.give(thread, {answer(objects[thread], *op.form, level)});
  });
}

} // namespace ops
} // namespace warplens::sim
