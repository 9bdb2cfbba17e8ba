# Packages: scripts/package.sh. The tarball is for every Linux on x86-64 whose glibc is as new as the one that it was made with.
# The Debian package: cpack --config build/release/CPackConfig.cmake. What it depends on is what its files are linked with, as
# dpkg-shlibdeps finds it; a compiler for .cu files is recommended. scripts/test_package.sh installs it into a bare Debian.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION share/doc/warplens)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/overrides DESTINATION share/lintian/overrides RENAME warplens)
install(FILES ${PROJECT_SOURCE_DIR}/editors/neovim/warplens.lua DESTINATION share/warplens/neovim)
install(FILES ${PROJECT_SOURCE_DIR}/python/warplens.py DESTINATION share/warplens/python)
install(FILES ${PROJECT_SOURCE_DIR}/editors/agents/SKILL.md DESTINATION share/warplens/agents)
# A first report where there is no compiler: a kernel's PTX, and where nvcc is a program.
install(FILES ${PROJECT_SOURCE_DIR}/examples/transpose.cu ${PROJECT_SOURCE_DIR}/web/src/playground/samples/transpose.ptx
  DESTINATION share/warplens/examples)
find_program(warplens_nvcc nvcc HINTS /usr/local/cuda/bin)
if(warplens_nvcc)
  set(example ${PROJECT_BINARY_DIR}/example/transpose)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/example)
  set(flags)
  foreach(option ${warplens_link_glibc})
    string(REGEX REPLACE "^-Wl," "-Xlinker=" option ${option})
    string(REGEX REPLACE "^-(-sysroot|B|static)" "-Xcompiler=-\\1" option ${option})
    list(APPEND flags ${option})
  endforeach()
  add_custom_command(OUTPUT ${example} DEPENDS ${PROJECT_SOURCE_DIR}/examples/transpose.cu
    COMMAND ${warplens_nvcc} -lineinfo -arch=sm_90 -cudart shared -o ${example} transpose.cu ${flags}
    COMMAND ${CMAKE_STRIP} ${example}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/examples VERBATIM)
  add_custom_target(example ALL DEPENDS ${example})
  add_dependencies(product example)
  install(PROGRAMS ${example} DESTINATION lib/warplens/examples OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warplens)
# Who publishes it stands in one file, of which all manifests are made.
file(READ ${PROJECT_SOURCE_DIR}/packaging.json packaging)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging.json)
foreach(member owner address repository summary description)
  string(JSON packaging_${member} GET "${packaging}" ${member})
endforeach()
set(CPACK_PACKAGE_CONTACT "${packaging_owner}")
if(packaging_address)
  string(APPEND CPACK_PACKAGE_CONTACT " <${packaging_address}>")
endif()
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${packaging_repository}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
# Debian wants a changelog beside the package, compressed; what changed says the repository.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/changelog CONTENT "warplens (${PROJECT_VERSION}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog)
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION share/doc/warplens)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${packaging_summary}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/description CONTENT "${packaging_description}")
execute_process(COMMAND fold -s -w 75 ${PROJECT_BINARY_DIR}/description OUTPUT_VARIABLE CPACK_DEBIAN_PACKAGE_DESCRIPTION OUTPUT_STRIP_TRAILING_WHITESPACE)
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
