find_package(ZLIB REQUIRED)
target_link_libraries(test_arch PRIVATE ZLIB::ZLIB)
