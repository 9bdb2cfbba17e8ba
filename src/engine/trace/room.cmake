# simdjson parses pattern files; zlib reads compressed ones (and plain ones alike).
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
target_link_libraries(warplens_trace PRIVATE simdjson::simdjson ZLIB::ZLIB)
# Damaged JSON is an everyday input: what would throw for it does not compile.
target_compile_definitions(${target} PRIVATE SIMDJSON_EXCEPTIONS=0)
