# Packages: scripts/package.sh. The tarball is for every Linux on x86-64 whose glibc is as new as the one that it was made with.
# The Debian package: cpack --config build/release/CPackConfig.cmake. What it depends on is what its files are linked with, as
# dpkg-shlibdeps finds it; a compiler for .cu files is recommended. scripts/test_package.sh installs it into a bare Debian.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/warplens RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/editors/neovim/warplens.lua DESTINATION share/warplens/neovim)
install(FILES ${PROJECT_SOURCE_DIR}/python/warplens.py DESTINATION share/warplens/python)
install(FILES ${PROJECT_SOURCE_DIR}/editors/agents/SKILL.md DESTINATION share/warplens/agents)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warplens)
set(CPACK_PACKAGE_CONTACT "The developers of WarpLens <warplens@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "shows how the memory accesses of CUDA programs coalesce, without a GPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "WarpLens runs unmodified CUDA programs on the processor, and counts for each line of their
source the sectors and wavefronts that its memory accesses take on a GPU. It judges kernels
from their code, explains single accesses, and serves editors.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-19 | clang-16 | clang, g++")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The runtime's libraries, which need each other, are no package's.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
include(CPack)
