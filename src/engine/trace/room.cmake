# simdjson parses pattern files; zlib reads compressed ones (and plain ones alike).
find_package(simdjson REQUIRED)
target_link_libraries(warplens_trace PRIVATE simdjson::simdjson -l:libz.a -Wl,--exclude-libs,libz.a)
# Damaged JSON is an everyday input: what would throw for it does not compile.
target_compile_definitions(${target} PRIVATE SIMDJSON_EXCEPTIONS=0)
