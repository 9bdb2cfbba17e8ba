// What is known of the hardware's counts of textures and surfaces.
#pragma once
#include "arch/table.h"

namespace warplens::arch {

// Were the sectors of texels of that many bytes measured, of fetches and of surfaces' loads and stores?
inline bool knows_texels(const Architecture& arch, access::Space space, access::Kind kind, u32 bytes) {
  return arch.texture.source.grade == Grade::measured &&
         (kind == access::Kind::load || kind == access::Kind::store) &&
         (space == access::Space::texture || bytes != 2);
}

} // namespace warplens::arch
