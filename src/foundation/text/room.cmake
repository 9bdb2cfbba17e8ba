target_link_libraries(${target} PRIVATE re2)
