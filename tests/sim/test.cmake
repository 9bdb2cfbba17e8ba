find_package(ZLIB REQUIRED)
target_link_libraries(test_sim PRIVATE warplens_ptx warplens_measure warplens_arch ZLIB::ZLIB)
include(${PROJECT_SOURCE_DIR}/tests/support/targets.cmake)
run_on_every_target(sim "RandomPrograms.*:Launch.*-Launch.Endless*")
