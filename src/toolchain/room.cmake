# The CUDA headers for clang: beside the binary in the build tree, under share/ when installed. They are found
# relative to the running binary, so an installation can be moved.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/warplens)
file(CREATE_LINK ${dir}/cuda ${PROJECT_BINARY_DIR}/share/warplens/cuda SYMBOLIC)
install(DIRECTORY ${dir}/cuda DESTINATION share/warplens)
