target_compile_definitions(warplens_api PRIVATE WARPLENS_VERSION="${PROJECT_VERSION}")
