#include "sim/texture/image.h"
#include "access/texture_layout.h"

namespace warplens::sim {

void Image::place_levels() {
  u64 next = begin;
  for (ImageLevel& level : levels) {
    level.place = next;
    next += access::slice_in_array(level.width * format.bytes(), level.height) * level.depth;
  }
}

u64 Image::seen_at(const ImageLevel& level, u64 x, u64 y, u64 slice) const {
  if (layout != ImageLayout::array)
    return level.address + slice * level.slice_pitch + y * level.row_pitch + x;
  u64 row = level.width * format.bytes();
  return level.place + slice * access::slice_in_array(row, level.height) + access::place_in_array(x, y, row);
}

u64 TextureObjects::add(TextureObject object) {
  objects_.push_back(std::make_unique<TextureObject>(std::move(object)));
  return objects_.size();
}

bool TextureObjects::remove(u64 handle, bool is_surface) {
  const TextureObject* object = find(handle);
  if (object == nullptr || object->is_surface != is_surface) return false;
  objects_[handle - 1].reset();
  return true;
}

const TextureObject* TextureObjects::find(u64 handle) const {
  return existed(handle) ? objects_[handle - 1].get() : nullptr;
}

void TextureObjects::clear() {
  for (std::unique_ptr<TextureObject>& object : objects_) object.reset();
}

} // namespace warplens::sim
