# Helpers that every CMakeLists.txt of the project uses.

add_library(warplens_flags INTERFACE)
# Missing initializers: GCC 12 warns of them where members are given by name, too, which is how it should be done.
target_compile_options(warplens_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<BOOL:${WARPLENS_WERROR}>:-Werror>)
add_link_options(-Wl,--build-id=sha1) # the cache tells versions of WarpLens apart by it
if(WARPLENS_SANITIZE)
  add_compile_options(-fsanitize=${WARPLENS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WARPLENS_SANITIZE})
endif()

# warplens_room(NAME DEP…): the library of src/NAME. Rooms include each other as "room/file.h".
# A room that needs more than "compile every .cpp" (extra flags, generated files) adds it in src/NAME/room.cmake.
# A room without sources (headers only, or its issue has not come yet) is an interface library.
function(warplens_room name)
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cpp ${dir}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(target warplens_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE warplens_flags)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} ${scope} nlohmann_json::nlohmann_json Threads::Threads)
  foreach(dep ${ARGN})
    target_link_libraries(${target} ${scope} warplens_${dep})
  endforeach()
  if(EXISTS ${dir}/room.cmake)
    include(${dir}/room.cmake)
  endif()
endfunction()
