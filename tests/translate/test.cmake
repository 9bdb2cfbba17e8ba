find_package(ZLIB REQUIRED)
target_link_libraries(test_translate PRIVATE warplens_sim warplens_ptx ZLIB::ZLIB)
