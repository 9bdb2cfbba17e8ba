# "cuda/…": the types of the API are compiled from the text of the headers for clang.
target_include_directories(warplens_runtime PUBLIC ${PROJECT_SOURCE_DIR})
warplens_alone(warplens_runtime)
