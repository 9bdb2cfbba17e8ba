# The pages (web/ builds them; docs/do/share-a-report.md) become strings of the library.
foreach(page report diff compare)
  set(file ${PROJECT_SOURCE_DIR}/src/output/html/${page}.html)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  string(TOUPPER ${page} name)
  file(READ ${file} WARPLENS_${name}_PAGE)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/src/output/html/template.cpp.in ${PROJECT_BINARY_DIR}/html_template.cpp @ONLY)
target_sources(warplens_html PRIVATE ${PROJECT_BINARY_DIR}/html_template.cpp)
