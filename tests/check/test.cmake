target_link_libraries(test_check PRIVATE warplens_sim)

# What check says against what a run counted (soundness.py).
add_executable(against_run ${CMAKE_CURRENT_SOURCE_DIR}/check/against_run.cpp)
target_include_directories(against_run PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(against_run PRIVATE warplens_driver warplens_flags)
