target_compile_definitions(${target} PRIVATE WARPLENS_VERSION="${PROJECT_VERSION}")
