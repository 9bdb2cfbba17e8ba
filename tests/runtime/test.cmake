# One major's functions complete the room; the tests call the API as a program of CUDA 13 would.
target_sources(test_runtime PRIVATE ${PROJECT_SOURCE_DIR}/src/runtime/versions/cuda13/exports.cpp)
add_dependencies(test_runtime cudart_cuda11 cudart_cuda12 cudart_cuda13)
