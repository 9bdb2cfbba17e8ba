# Two files are compiled by CMakeLists.txt: the heap, which sanitizers go without, and what has a shared object of its own.
get_target_property(sources warplens_preload SOURCES)
list(FILTER sources EXCLUDE REGEX "/(own_heap|changed_files)\\.cpp$")
set_target_properties(warplens_preload PROPERTIES SOURCES "${sources}")
warplens_alone(warplens_preload)
