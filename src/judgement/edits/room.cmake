target_include_directories(${target} SYSTEM PUBLIC ${WARPLENS_CLANG_HEADERS})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(${target} PRIVATE -Wno-nonnull) # GCC 12 reports clang's own checks for null
endif()
set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
target_link_libraries(${target} PUBLIC ${WARPLENS_CLANG_LIBRARY} ${WARPLENS_LLVM_LIBRARY})
