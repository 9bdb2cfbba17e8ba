target_link_libraries(test_runtime PRIVATE warplens_driver_api) # some of its tests ask by both interfaces
