# The demangler that can be stopped (demangle.cpp); a static archive, as the room is part of the preloaded library.
target_link_libraries(warplens_ptx PUBLIC -l:libiberty.a)
