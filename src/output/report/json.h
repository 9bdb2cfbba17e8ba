// The report for programs: one JSON document, as docs/schema/run-1.schema.json says. Exact numbers, a fixed
// order of members, nothing that differs between two runs of the same program (processes are numbered in
// order of appearance).
#pragma once
#include "summary/model.h"

namespace warplens::report {

using namespace summary; // what is shown

std::string json(const Model&, std::string_view version); // ends with a newline

} // namespace warplens::report
