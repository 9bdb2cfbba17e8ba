# The variants with nvcc exist where there is one; clang-19 is a dependency of the project.
find_program(WARPLENS_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
if(WARPLENS_NVCC)
  target_compile_definitions(test_toolchain PRIVATE WARPLENS_TEST_NVCC="${WARPLENS_NVCC}")
endif()
# test_toolchain lies in the build folder, as the tool does, and finds the headers beside itself.
# What the compilers make of the sources is parsed.
target_link_libraries(test_toolchain PRIVATE warplens_ptx)
# What they link is linked with both libraries.
add_dependencies(test_toolchain cudart_13 cuda_driver)
