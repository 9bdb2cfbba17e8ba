find_package(ZLIB REQUIRED)
target_link_libraries(test_sass PRIVATE ZLIB::ZLIB)
