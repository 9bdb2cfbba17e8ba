// Device code as compilers embed it: a fatbinary is a row of containers, each with entries that hold PTX text
// or a cubin, plain or compressed. clang, asked to, embeds bare PTX text instead; programs that load device code while they
// run have it as any of the three: fatbinary, PTX text, cubin.
//
// The container is not documented by NVIDIA; its layout is public knowledge (e.g. LLVM's clang-offload tools,
// the cuobjdump output, the ZLUDA project's notes) and was checked against what nvcc 13 writes:
//   container  u32 magic 0xba55ed50, u16 version, u16 header size, u64 size of the entries
//   entry      u16 kind (1 PTX, 2 cubin), u16 version, u32 header size, u64 padded payload size, u32
//   compressed size,
//              …, u32 sm at 28, …, u64 flags at 40 (0x2000 LZ4 block, 0x8000 zstd), u64 plain size at 56
// Nothing is trusted: whatever does not fit becomes a diagnostic, and what was read before it is kept.
#pragma once
#include "base/diagnostic.h"
#include "base/types.h"
#include "os/bytes.h"
#include <map>
#include <string>
#include <vector>

namespace warplens::fatbin {

using os::Bytes;

struct PtxImage {
  u32 sm = 0; // .target compute_90: 90; 0 where unknown
  std::string text;
  bool from_cubin = false;         // the copy that -lineinfo leaves in the cubin
  std::vector<std::string> linked; // from a cubin that a linker made of several PTX modules: the others
};

struct CubinImage {
  u32 sm = 0;
  std::vector<std::byte> bytes;
};

struct Fatbin {
  std::vector<PtxImage> ptx;
  std::vector<CubinImage> machine_code;      // linked cubins, where they were asked for
  u32 cubins = 0;                            // seen, whether or not they held PTX
  std::map<std::string, u32> registers;      // kernel → registers per thread, as ptxas allocated them
  std::vector<diag::Diagnostic> diagnostics; // what could not be read
};

// `data` starts with a container, with PTX text or is a cubin. Reads containers in a row until one ends the row or `data`
// ends.
Fatbin read_fatbin(Bytes data, bool keep_cubins = false);
// The bytes that a fatbinary at `start` says it occupies, for one whose end is not known (a pointer from the
// program): never beyond the memory that can be read there. Of a damaged one as much as shows the damage.
Bytes fatbin_extent(const std::byte* start);
void append(Fatbin& to, Fatbin from);

// The PTX that a GPU of capability `sm` would take: the highest version not above it, else the lowest there
// is (which no GPU of that capability would run). PTX of its own beats a cubin's copy. Empty: there is none.
struct PtxChoice {
  const PtxImage* image = nullptr;
  bool above = false; // only newer versions were there
};
PtxChoice choose_ptx(const Fatbin&, u32 sm);
// The machine code that a GPU of capability `sm` would run: of its own generation, the highest that is not above it. Null: there
// is none, and the driver would compile the PTX.
const CubinImage* choose_machine_code(const Fatbin&, u32 sm);

} // namespace warplens::fatbin
