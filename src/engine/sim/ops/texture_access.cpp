// A lane's object looked up, and the texels of a warp handed to the sink. See access.h.
#include "sim/ops/texture_access.h"
#include "sim/exec/fault.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include "sim/ops/check.h"
#include "sim/program/program.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;

ObjectOfLane::ObjectOfLane(Exec& x, const Op& op, bool surface)
    : x_(x), op_(op), surface_(surface), uniform_(x.values[op.source(0)].uniform()) {
  if (uniform_) uniform_handle_ = x.values[op.source(0)].base + static_cast<u64>(op.offset);
}

// The address of a texture or surface reference is not the object's handle, but where the host wrote that.
u64 ObjectOfLane::bound_to(u64 handle) const {
  const Program::Impl& program = x_.launch.program;
  for (std::size_t v = 0; v < program.variable_address.size(); ++v)
    if (program.variable_address[v] == handle && program.module.variables[v].opaque)
      return read_element<u64>(handle);
  return handle;
}

const TextureObject* ObjectOfLane::find(u32 thread) {
  const TextureObjects& all = x_.launch.device.textures;
  u64 given = x_.lane_value(op_.source(0), thread) + static_cast<u64>(op_.offset);
  const TextureObject* object = all.find(given);
  return object != nullptr ? object : all.find(bound_to(given));
}

const TextureObject& ObjectOfLane::look_up(u64 given, u32 thread) {
  const TextureObjects& all = x_.launch.device.textures;
  const u64 handle = all.find(given) != nullptr ? given : bound_to(given);
  const TextureObject* found = all.find(handle);
  std::string_view kind = surface_ ? "surface" : "texture";
  auto refuse = [&](std::string what, std::string help) {
    raise(x_, op_, FaultKind::illegal_address, "kernel-texture-object", std::move(what), thread, handle, {},
          std::move(help));
  };
  if (found == nullptr && handle == 0 && given != 0)
    refuse(fmt::format("a {} reference that is bound to nothing", kind),
           "bind it with cuTexRefSetArray, cuTexRefSetAddress or cuSurfRefSetArray before the launch");
  else if (found == nullptr)
    refuse(
        all.existed(handle) ? fmt::format("{} object {} was destroyed", kind, handle)
                            : fmt::format("there is no {} object {:#x}", kind, handle),
        fmt::format("pass the kernel what cudaCreate{}Object gave, and destroy it when the kernel has ended",
                    surface_ ? "Surface" : "Texture"));
  else if (found->is_surface != surface_)
    refuse(fmt::format("object {} is a {} object, not a {} object", handle,
                       found->is_surface ? "surface" : "texture", kind),
           "read textures with tex…, surfaces with surf…");
  const Image& image = found->image;
  if (!in_known_range(x_, op_, image.begin, image.begin + image.bytes - 1, 1))
    refuse(fmt::format("the memory of {} object {} was freed", kind, handle),
           "free arrays and memory after the kernels that read them, and destroy the object first");
  handle_ = given, object_ = found;
  return *found;
}

void check_described(Exec& x, const Op& op, const TextureObject& object, const FetchPlace& place,
                     u32 thread) {
  const Image& image = object.image;
  if (image.layout != ImageLayout::buffer || image.levels[0].row_pitch <= image.bytes) return;
  const double texel = std::floor(place.at[0]);
  const u32 bytes = image.format.bytes();
  if (texel < 0 || texel >= static_cast<double>(image.levels[0].width)) return;
  check_device_lane(x, op, bytes, thread, image.begin + static_cast<u64>(texel) * bytes);
}

SeenByMemory::SeenByMemory(Exec& x, const Op& op, u32 most_texels) : x_(x), op_(op) {
  std::size_t further = std::size_t{x.shape.warps} * (most_texels - 1) * warp_size;
  if (x.texels.size() < further) x.texels.resize(further);
}

void SeenByMemory::start(const TextureObject& object, u32 bytes, u32 texels) {
  if (object_ != nullptr) report();
  object_ = &object, bytes_ = bytes, texels_ = texels;
  plain_ = object.image.layout == ImageLayout::buffer;
}

void SeenByMemory::add(u32 thread, const TextureObject& object, u32 bytes, u32 texels,
                       std::span<const u64> seen_at) {
  if (x_.sink == nullptr || !op_.site.valid()) return;
  if (object_ != &object || bytes_ != bytes) start(object, bytes, texels);
  u32 warp = thread / warp_size, lane = thread % warp_size;
  lanes_.word[warp] |= u32{1} << lane;
  x_.address[thread] = seen_at[0];
  plain_ = plain_ && seen_at[0] != access::no_texel;
  const std::size_t further = std::size_t{warp} * (texels_ - 1);
  for (u32 t = 1; t < texels_; ++t)
    x_.texels[(further + t - 1) * warp_size + lane] = t < seen_at.size() ? seen_at[t] : access::no_texel;
}

// A fetch gives up to four components, the first two from one half of a texel; which of them nobody reads was found when
// the op was made. A gather gives one component of four texels.
static u8 passes_of_texels(const Op& op) {
  if (op.form->opcode != ir::Opcode::tex) return 0;
  auto used = [&](u32 component) {
    return component < op.destinations && op.destination(component) != no_slot;
  };
  return (used(0) || used(1)) && (used(2) || used(3)) ? 2 : 1;
}

// Where lanes fetch from different objects, each object's lanes are an access of their own.
void SeenByMemory::report() {
  if (object_ == nullptr) return;
  const access::Site& site = x_.code->module->sites[op_.site.value];
  access::LaneBatch batch;
  batch.site = op_.site;
  batch.space = site.space;
  batch.kind = site.kind;
  batch.bytes = static_cast<u8>(bytes_);
  const Image& image = object_->image;
  const bool deep = image.dimensions > 2 && !image.layered && !image.cube;
  batch.texture_dimensions = image.layout == ImageLayout::buffer ? 1 : deep ? 3 : 2;
  batch.texel_passes = passes_of_texels(op_);
  u32 first = x_.first_warp - x_.first_warp % x_.shape.cta_warps;
  batch.cta = x_.cta->index + first / x_.shape.cta_warps;
  batch.active = {lanes_.word.data() + first, x_.end_warp - first};
  batch.address = x_.address + first * warp_size;
  batch.cta_warps = x_.shape.cta_warps;
  batch.further_texels = texels_ - 1;
  batch.further = x_.texels.data() + std::size_t{first} * (texels_ - 1) * warp_size;
  batch.shows_pattern = plain_ && texels_ == 1;
  x_.sink->lanes(batch);
  lanes_ = {};
  object_ = nullptr;
}

} // namespace warplens::sim
