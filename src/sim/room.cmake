# The kernels under kernels/target/ are compiled once per instruction set, into namespaces of their own, and chosen at
# run time (kernels/select.cpp). -O3 even in debug builds: a debugger has no business in 32-lane loops, and calls that
# are not inlined there would cost a factor of 20.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${dir}/kernels/target/*.cpp)
set(kernel_options -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND kernel_options -Wno-psabi)
endif()
foreach(kernel_target baseline avx2 avx512)
  add_library(warplens_kernels_${kernel_target} OBJECT ${kernel_sources})
  target_include_directories(warplens_kernels_${kernel_target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(warplens_kernels_${kernel_target} PRIVATE warplens_flags warplens_ir warplens_access warplens_base)
  target_compile_definitions(warplens_kernels_${kernel_target} PRIVATE WARPLENS_TARGET_NAMESPACE=${kernel_target})
  target_compile_options(warplens_kernels_${kernel_target} PRIVATE ${kernel_options})
  target_sources(warplens_sim PRIVATE $<TARGET_OBJECTS:warplens_kernels_${kernel_target}>)
endforeach()
set(avx2_options -mavx -mavx2 -mfma -mbmi -mbmi2 -mf16c -mlzcnt -mmovbe -mpopcnt -msse4.2)
target_compile_options(warplens_kernels_avx2 PRIVATE ${avx2_options})
target_compile_options(warplens_kernels_avx512 PRIVATE ${avx2_options}
  -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512)
# The device library and the video instructions exist once, for the baseline.
set_source_files_properties(${dir}/kernels/math.cpp ${dir}/kernels/video.cpp PROPERTIES
  COMPILE_OPTIONS "-O2;-ffp-contract=off;-fno-strict-aliasing" COMPILE_DEFINITIONS WARPLENS_TARGET_NAMESPACE=baseline)
