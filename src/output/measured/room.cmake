# The recorder: a library that the driver of a machine with a GPU loads into a program (recorder/cupti/inject.cpp). It is built where
# a CUDA toolkit with CUPTI is found, needs nothing of WarpLens, and nothing of WarpLens needs it to be built.
find_path(WARPLENS_CUPTI_INCLUDE cupti_sass_metrics.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda
  PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
find_path(WARPLENS_CUDA_INCLUDE cuda.h
  HINTS ${WARPLENS_CUPTI_INCLUDE} ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include)
find_library(WARPLENS_CUPTI_LIBRARY cupti
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda
  PATH_SUFFIXES lib64 lib extras/CUPTI/lib64 targets/x86_64-linux/lib)
if(WARPLENS_CUPTI_INCLUDE AND WARPLENS_CUDA_INCLUDE AND WARPLENS_CUPTI_LIBRARY AND NOT WARPLENS_SANITIZE)
  file(GLOB recorder_sources CONFIGURE_DEPENDS ${dir}/recorder/cupti/*.cpp)
  add_library(warplens_recorder SHARED ${recorder_sources})
  target_include_directories(warplens_recorder PRIVATE ${warplens_include})
  target_include_directories(warplens_recorder SYSTEM PRIVATE ${WARPLENS_CUPTI_INCLUDE} ${WARPLENS_CUDA_INCLUDE})
  target_compile_definitions(warplens_recorder PRIVATE WARPLENS_CUPTI_LIBRARY="${WARPLENS_CUPTI_LIBRARY}")
  target_link_libraries(warplens_recorder PRIVATE warplens_flags ${CMAKE_DL_LIBS})
  # It comes into foreign programs: nothing but its entry is seen.
  target_link_options(warplens_recorder PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs
    -Wl,--version-script=${dir}/recorder/cupti/exports.map)
  set_target_properties(warplens_recorder PROPERTIES OUTPUT_NAME warplens-recorder
    LINK_DEPENDS ${dir}/recorder/cupti/exports.map LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS warplens_recorder LIBRARY DESTINATION lib/warplens)
endif()
