// WarpLens for programs: count accesses, run PTX and see what it touches, read reports.
//
//   find_package(WarpLens REQUIRED)
//   target_link_libraries(mine PRIVATE WarpLens::warplens)
//
// Each header stands alone: access.h (the rules), program.h (the emulator), report.h (saved runs). Stable within a major
// version: members may be added at the end of structs, nothing is renamed or taken away. Nothing here throws or prints.
#pragma once
#include <warplens/access.h>
#include <warplens/program.h>
#include <warplens/record.h>
#include <warplens/report.h>
