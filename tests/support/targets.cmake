# run_on_every_target(ROOM FILTER): ROOM.targets.TARGET runs the tests of test_ROOM that match FILTER on each instruction set
# that is shipped, and says that it was skipped where the processor lacks it.
function(run_on_every_target room filter)
  target_sources(test_${room} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/target_in_use.cpp)
  foreach(target ${warplens_targets})
    add_test(NAME ${room}.targets.${target} COMMAND test_${room} --gtest_filter=${filter})
    set_tests_properties(${room}.targets.${target} PROPERTIES TIMEOUT ${test_timeout}
      ENVIRONMENT "WARPLENS_TARGET=${target};WARPLENS_RANDOM_PROGRAMS=12" SKIP_REGULAR_EXPRESSION "this processor cannot run")
  endforeach()
endfunction()
