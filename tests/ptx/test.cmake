target_sources(test_ptx PRIVATE support/print.cpp)
