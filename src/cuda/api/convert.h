// Between the public types (include/warplens/) and the rooms' own.
#pragma once
#include "arch/arch.h"
#include "base/diagnostic.h"
#include "measure/record.h"
#include <warplens/record.h>

namespace warplens::api {

Error error_of(const diag::Diagnostic&, std::string_view source = {});
Result<const arch::Architecture*> architecture(int sm);
LaunchRecord record_of(const measure::LaunchRecord&);

} // namespace warplens::api
