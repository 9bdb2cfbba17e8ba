# Linked statically into programs; Debian's archive does not fit into a shared library.
target_link_libraries(${target} PRIVATE $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,-l:libre2.a,re2>)
