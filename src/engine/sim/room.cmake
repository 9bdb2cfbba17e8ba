# The kernels under kernels/target/, too deep for warplens_room()'s glob, are compiled once per instruction set, into
# namespaces of their own, and chosen at run time (kernels/select.cpp); cmake/targets.cmake has the options.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${dir}/kernels/target/*.cpp)
foreach(kernel_target ${warplens_targets})
  add_library(warplens_kernels_${kernel_target} OBJECT ${kernel_sources})
  target_include_directories(warplens_kernels_${kernel_target} PRIVATE ${warplens_include})
  target_link_libraries(warplens_kernels_${kernel_target} PRIVATE warplens_flags warplens_ir warplens_access warplens_base)
  target_compile_definitions(warplens_kernels_${kernel_target} PRIVATE WARPLENS_TARGET_NAMESPACE=${kernel_target})
  target_compile_options(warplens_kernels_${kernel_target} PRIVATE ${warplens_options_${kernel_target}})
  if(WARPLENS_PRECOMPILED)
    target_precompile_headers(warplens_kernels_${kernel_target} PRIVATE <sim/kernels/target/lanes.h>)
  endif()
  target_sources(warplens_sim PRIVATE $<TARGET_OBJECTS:warplens_kernels_${kernel_target}>)
endforeach()
# The device library exists once, for the baseline. GCC 12 ends in an internal error (IPA pass cp)
# where it optimises math.cpp like that under -fsanitize=thread.
if(WARPLENS_SANITIZE STREQUAL "thread")
  set(without_fault ";-fno-ipa-cp")
endif()
set_source_files_properties(${dir}/kernels/math.cpp PROPERTIES
  COMPILE_OPTIONS "-O2;-ffp-contract=off;-fno-strict-aliasing${without_fault}" COMPILE_DEFINITIONS WARPLENS_TARGET_NAMESPACE=baseline)
