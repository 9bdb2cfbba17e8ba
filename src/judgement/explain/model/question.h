// What the user asks: one access, by whom, of what, on which hardware.
#pragma once
#include "access/access.h"
#include <string>
#include <utility>
#include <vector>

namespace warplens::explain {

struct Question {
  std::string access;    // "A[threadIdx.y*n + threadIdx.x]"
  std::string condition; // lanes for which it is 0 do not take part; empty: all do
  std::vector<std::pair<std::string, std::string>>
      settings; // n → "1024", row → "blockIdx.y*blockDim.y + threadIdx.y"
  std::string type = "float";
  std::vector<u64> dims; // elements per dimension of a multi-dimensional array, outermost first
  u64 pitch = 0;         // bytes from row to row, 0: rows are not padded
  u64 base = 0;          // where the array starts, bytes from a 256-byte boundary
  access::Space space = access::Space::global;
  access::Kind kind = access::Kind::load;
  access::Cache cache = access::Cache::none;
  Dim3 block{256, 1, 1}, grid{1, 1, 1};
  Dim3 cta{0, 0, 0}; // which block is looked at
  u32 warp = 0;      // which of its warps is drawn
  u32 sm = 90;
  u32 section = 0; // bytes of a DRAM burst section to draw instead of segments; 0: none
};

} // namespace warplens::explain
