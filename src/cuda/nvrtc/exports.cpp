// nvrtc.def once more, as addresses.
#include "libraries/exports.h"

namespace warplens::runtime {
extern "C" {

// The table needs addresses only: every function is declared here without its parameters.
#define NVRTC(result, name, parameters, arguments) void name();
#include "nvrtc/nvrtc.def"
#undef NVRTC

[[gnu::visibility("default")]] extern const LibraryExport warplens_nvrtc[];

#define NVRTC(result, name, parameters, arguments) {#name, &name},
const LibraryExport warplens_nvrtc[] = {
#include "nvrtc/nvrtc.def"
};
#undef NVRTC

} // extern "C"
} // namespace warplens::runtime
