# House checks, and whole-program tests: shell scripts that run the built warplens as a user would. A script that exits
# with 77 is skipped and says why on its last line.
set(scripts ${PROJECT_SOURCE_DIR}/scripts)
add_test(NAME house.layers COMMAND python3 ${scripts}/check_layers.py)
add_test(NAME house.links COMMAND python3 ${scripts}/check_links.py)
add_test(NAME house.capabilities COMMAND python3 ${scripts}/check_capabilities.py)
add_test(NAME house.openings COMMAND python3 ${scripts}/check_openings.py)
if(NOT WARPLENS_SANITIZE) # sanitizers add weak symbols of their own
  foreach(target ${warplens_targets})
    list(APPEND objects_of_targets ${target}: $<TARGET_OBJECTS:warplens_kernels_${target}>
      $<TARGET_OBJECTS:warplens_counting_${target}>)
  endforeach()
  add_test(NAME house.symbols COMMAND python3 ${scripts}/check_symbols.py ${objects_of_targets} COMMAND_EXPAND_LISTS)
endif()
add_test(NAME house.coverage_page COMMAND python3 ${scripts}/coverage.py --check)
add_test(NAME house.rules_page COMMAND python3 ${scripts}/rules_page.py --check)
add_test(NAME house.words COMMAND python3 ${scripts}/check_words.py)
add_test(NAME house.programs_page COMMAND python3 ${scripts}/programs_page.py --check)
add_test(NAME house.hardware_pages COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/hw/page.py --check)
add_test(NAME house.format COMMAND ${scripts}/check_format.sh)
add_test(NAME house.checks_can_fail COMMAND ${CMAKE_CURRENT_LIST_DIR}/house_checks_fail.sh)
add_custom_target(tidy COMMAND ${scripts}/check_tidy.sh ${PROJECT_BINARY_DIR} USES_TERMINAL)

file(GLOB whole_program_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.sh)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/commands/driver/run.cpp) # all but the help tests run programs
  list(FILTER whole_program_tests INCLUDE REGEX "/help_test\\.sh$")
endif()
set(program_environment "WARPLENS_BINARY=$<TARGET_FILE:warplens>;WARPLENS_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "WARPLENS_BUILD_DIR=${PROJECT_BINARY_DIR}")
# Scripts that run the same few programs share what the first of them compiled. The others start with an empty cache:
# what they look at is compiling, or an installation, or a machine without a toolkit.
set(sharing_scripts run gates check soundness advice check_advice timing bad_input source_root faults interrupt complete count_only numbers nvcc progress lsp)
function(program_test name script) # ARGUMENTS…
  set(environment ${program_environment})
  if(name IN_LIST sharing_scripts)
    list(APPEND environment "WARPLENS_TEST_CACHE=${PROJECT_BINARY_DIR}/test-cache")
  endif()
  add_test(NAME program.${name} COMMAND sh ${script} ${ARGN})
  set_tests_properties(program.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout} ENVIRONMENT "${environment}")
endfunction()
foreach(target ${warplens_targets})
  list(APPEND sharing_scripts targets.${target})
  program_test(targets.${target} ${CMAKE_CURRENT_LIST_DIR}/target_run.sh ${target})
endforeach()
# What needs the network or waits by a real clock: scripts/nightly.sh runs it, ./test does not.
set(nightly_scripts sarif progress vscode)
# The longest first, so that no core waits for one of them at the end.
set(longest_scripts soundness gates fix verify_fix count_only variants)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cu)
foreach(script ${whole_program_tests})
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  if(name STREQUAL "examples") # one test each: they run side by side
    foreach(example ${examples})
      get_filename_component(stem ${example} NAME_WE)
      program_test(examples.${stem} ${script} ${example})
    endforeach()
  else()
    program_test(${name} ${script})
    if(name IN_LIST nightly_scripts)
      set_tests_properties(program.${name} PROPERTIES LABELS nightly)
    endif()
    list(FIND longest_scripts ${name} place)
    if(place GREATER -1)
      math(EXPR cost "1000 - ${place}")
      set_tests_properties(program.${name} PROPERTIES COST ${cost})
    endif()
  endif()
endforeach()
