// Functions of exports.def that are not implemented: each returns cudaErrorNotSupported and is named in the
// report.
#include "runtime/failed_calls.h"

namespace warplens::runtime {

extern "C" { // without their parameters, so that this file must not see their declarations
#define IMPLEMENTED(name)
#define ALIAS(name, of)
#define VARIANTS(name, in_11, in_12, in_13)
#define STUB(name)                                                                                           \
  int name() { return note_unsupported_call(#name); }
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB
}

} // namespace warplens::runtime
