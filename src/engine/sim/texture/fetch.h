// What a fetch from a texture gives (CUDA C++ Programming Guide, appendix "Texture Fetching"; PTX ISA, "tex", "tld4").
#pragma once
#include "sim/texture/texel.h"
#include <span>

namespace warplens::sim {

// Where a lane fetches. Numbers are texels, or parts of the image's size where its sampler says normalised; of a cube, a
// direction. Those that the image has no dimension for are ignored.
struct FetchPlace {
  std::array<double, 3> at{};
  u32 layer = 0;      // past the last: the last
  bool whole = false; // the numbers were given as integers: texels, neither normalised nor filtered
  bool cube = false;
  std::array<double, 3> shift{}; // texels, whole ones, of the level that is read
  // Which level: of an image with one, that. Half-way between two levels counts for the greater.
  bool chooses_level = false;
  float level = 0; // before the sampler's bias and clamps
};

// Which level a lane asks for by how the coordinates change from it to its neighbours: log2 of the longer way in texels of
// the greatest level. Without anisotropy; `dx` and `dy` count as `at` does.
float level_of_changes(const TextureObject&, std::span<const float> dx, std::span<const float> dy);

inline constexpr u32 most_texels = 16; // that one fetch reads: 8 of each of two levels

struct Fetched {
  Channels channels{};
  u32 texels = 0; // of the footprint
  std::array<u64, most_texels>
      seen_at; // for each the byte that the memory system sees; access::no_texel: outside
};

// tex. `dimensions`: how many numbers of a place there are, of a cube 2.
void fetch(const TextureObject&, u32 dimensions, const FetchPlace&, Fetched&);

// tld4: the channel of the four texels that a filter would weigh, from the lower left one counter-clockwise. The object has
// two dimensions, perhaps layers, or is a cube.
void gather(const TextureObject&, const FetchPlace&, u32 channel, Fetched&);

// How many texels a fetch from it reads, at most.
u32 texels_of(const TextureObject&, u32 dimensions);

} // namespace warplens::sim
