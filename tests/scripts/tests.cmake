# House checks, and whole-program tests: shell scripts that run the built warplens as a user would. A script that exits
# with 77 is skipped and says why on its last line.
set(scripts ${PROJECT_SOURCE_DIR}/scripts)
add_test(NAME house.layers COMMAND python3 ${scripts}/check_layers.py)
add_test(NAME house.links COMMAND python3 ${scripts}/check_links.py)
add_test(NAME house.capabilities COMMAND python3 ${scripts}/check_capabilities.py)
if(NOT WARPLENS_SANITIZE) # sanitizers add weak symbols of their own
  foreach(target ${warplens_targets})
    list(APPEND objects_of_targets ${target}: $<TARGET_OBJECTS:warplens_kernels_${target}>
      $<TARGET_OBJECTS:warplens_counting_${target}>)
  endforeach()
  add_test(NAME house.symbols COMMAND python3 ${scripts}/check_symbols.py ${objects_of_targets} COMMAND_EXPAND_LISTS)
endif()
add_test(NAME house.coverage_page COMMAND python3 ${scripts}/coverage.py --check)
add_test(NAME house.format COMMAND ${scripts}/check_format.sh)
add_test(NAME house.checks_can_fail COMMAND ${CMAKE_CURRENT_LIST_DIR}/house_checks_fail.sh)
add_custom_target(tidy COMMAND ${scripts}/check_tidy.sh ${PROJECT_BINARY_DIR} USES_TERMINAL)

file(GLOB whole_program_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.sh)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/driver/run.cpp) # all but the help tests run programs
  list(FILTER whole_program_tests INCLUDE REGEX "/help_test\\.sh$")
endif()
set(program_environment "WARPLENS_BINARY=$<TARGET_FILE:warplens>;WARPLENS_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "WARPLENS_BUILD_DIR=${PROJECT_BINARY_DIR}")
foreach(target ${warplens_targets})
  add_test(NAME program.targets.${target} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/target_run.sh ${target})
  set_tests_properties(program.targets.${target} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT "${program_environment}")
endforeach()
foreach(script ${whole_program_tests})
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  add_test(NAME program.${name} COMMAND sh ${script})
  set_tests_properties(program.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
    ENVIRONMENT "${program_environment}")
endforeach()
