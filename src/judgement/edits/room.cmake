# One translation unit: clang's headers are what takes the time to read.
target_include_directories(${target} SYSTEM PUBLIC ${WARPLENS_CLANG_HEADERS})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(${target} PRIVATE -Wno-nonnull) # GCC 12 reports clang's own checks for null
endif()
set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0 DISABLE_PRECOMPILE_HEADERS ON)
target_link_libraries(${target} PUBLIC ${WARPLENS_CLANG_LIBRARY} ${WARPLENS_LLVM_LIBRARY})
