// exports.def once more, as addresses.
#include "runtime/exports.h"

// The table needs addresses only: every function is declared here without its parameters.
extern "C" {
#define IMPLEMENTED(name) void name();
#define ALIAS(name, of) void name();
#define STUB(name) void name();
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB
}

namespace warplens::runtime {

static constexpr Export table[] = {
#define IMPLEMENTED(name) {#name, &::name, true},
#define ALIAS(name, of) {#name, &::name, true},
#define STUB(name) {#name, &::name, false},
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB
};

std::span<const Export> exports() { return table; }

} // namespace warplens::runtime
