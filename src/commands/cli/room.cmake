target_compile_definitions(${target} PRIVATE WARPLENS_VERSION="${PROJECT_VERSION}")
# Each command is a small file; CLI11 is what takes the time to read.
set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
