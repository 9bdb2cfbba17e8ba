# The CUDA headers for clang (cuda/, product data): beside the binary in the build tree, under share/ when installed.
# They are found relative to the running binary, so an installation can be moved.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/warplens)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/cuda ${PROJECT_BINARY_DIR}/share/warplens/cuda SYMBOLIC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cuda DESTINATION share/warplens)
