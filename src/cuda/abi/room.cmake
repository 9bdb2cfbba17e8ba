# "cuda/…": types and functions of the API are compiled from the text of the headers for clang.
target_include_directories(warplens_abi INTERFACE ${PROJECT_SOURCE_DIR})
