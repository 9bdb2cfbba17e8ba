# Asks the program that makes edits.
target_link_libraries(test_fix PRIVATE warplens_toolchain warplens_os)
if(TARGET warplens_edits_program)
  add_dependencies(test_fix warplens_edits_program)
endif()
