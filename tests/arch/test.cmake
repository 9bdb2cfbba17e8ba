find_package(ZLIB REQUIRED)
target_link_libraries(test_arch PRIVATE ZLIB::ZLIB)
include(${PROJECT_SOURCE_DIR}/tests/support/targets.cmake)
run_on_every_target(arch "Targets.*:Forms.*")
