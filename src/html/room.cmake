# The page (web/ builds it; docs/HTML.md) becomes a string of the library.
set(page ${PROJECT_SOURCE_DIR}/src/html/page.html)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
file(READ ${page} WARPLENS_PAGE)
configure_file(${PROJECT_SOURCE_DIR}/src/html/template.cpp.in ${PROJECT_BINARY_DIR}/html_template.cpp @ONLY)
target_sources(warplens_html PRIVATE ${PROJECT_BINARY_DIR}/html_template.cpp)
