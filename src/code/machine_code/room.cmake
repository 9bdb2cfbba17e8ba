# Static archives: the preloaded library must not drag shared ones into the program.
target_link_libraries(${target} PUBLIC -l:libzstd.a -l:liblz4.a)
