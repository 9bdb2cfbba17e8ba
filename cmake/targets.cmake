# Loops over lanes are compiled once per instruction set, into namespaces of their own, and src/foundation/base/cpu.h chooses at run
# time. A room.cmake makes an object library of them for each of ${warplens_targets} with ${warplens_options_<target>};
# scripts/check_symbols.py holds what comes out to its namespace.
#
# -O3 even in debug builds: a debugger has no business in 32-lane loops, and calls that are not inlined there would cost a
# factor of 20.
set(warplens_targets baseline avx2 avx512)
set(warplens_options_baseline -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND warplens_options_baseline -Wno-psabi)
endif()
# x86-64-v3 and x86-64-v4, which is what cpu::best_target() asks for
set(warplens_options_avx2 ${warplens_options_baseline}
  -mavx -mavx2 -mfma -mbmi -mbmi2 -mf16c -mlzcnt -mmovbe -mpopcnt -msse4.2)
set(warplens_options_avx512 ${warplens_options_avx2}
  -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512)
# From a precompiled header GCC 12 reports its own intrinsics' deliberate use of undefined values.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND warplens_options_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
