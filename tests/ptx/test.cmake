# The fuzzer needs clang's libFuzzer, which the fuzz preset asks for.
if(WARPLENS_SANITIZE MATCHES "fuzzer")
  add_executable(fuzz_ptx ${CMAKE_CURRENT_SOURCE_DIR}/ptx/fuzz_ptx.cpp)
  target_link_libraries(fuzz_ptx PRIVATE warplens_ptx warplens_flags)
  target_link_options(fuzz_ptx PRIVATE -fsanitize=fuzzer)
endif()
