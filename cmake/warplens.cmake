# Helpers that every CMakeLists.txt of the project uses.

add_library(warplens_flags INTERFACE)
# Missing initializers: GCC 12 warns of them where members are given by name, too, which is how it should be done.
target_compile_options(warplens_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<BOOL:${WARPLENS_WERROR}>:-Werror>)
# Masks and warps of 128 to 1,024 bytes are cleared and copied all the time. GCC does so by rep stos unless told otherwise,
# which took 1 to 9 % of the time of eight of 20 programs.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(block_strategy vector_loop:1024:noalign,libcall:-1:noalign)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-mmemset-strategy=${block_strategy}>
    $<$<COMPILE_LANGUAGE:C,CXX>:-mmemcpy-strategy=${block_strategy}>)
endif()
add_link_options(-Wl,--build-id=sha1) # the cache tells versions of WarpLens apart by it
set(warplens_nothing_open -Wl,-z,defs) # for shared libraries: every name is found when they are linked
if(WARPLENS_SANITIZE)
  set(warplens_nothing_open) # but those of the sanitizers, which clang links into programs alone
  add_compile_options(-fsanitize=${WARPLENS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WARPLENS_SANITIZE})
endif()

# Packages are for distributions with an older glibc than the one here. Only linking differs: our objects ask for few functions that it
# does not have (cmake/old_glibc.c).
set(WARPLENS_GLIBC "" CACHE PATH "a folder with an older glibc to link with, made by scripts/old_glibc.sh")
if(WARPLENS_GLIBC)
  set(folder ${WARPLENS_GLIBC}/usr/lib/x86_64-linux-gnu)
  set(warplens_link_glibc --sysroot=${WARPLENS_GLIBC} -B${folder} -Wl,--allow-shlib-undefined)
  add_link_options(${warplens_link_glibc})
  set(CMAKE_CXX_STANDARD_LIBRARIES "${folder}/old_glibc.o -lpthread -ldl")
  list(APPEND warplens_link_glibc -static-libstdc++ -static-libgcc ${folder}/old_glibc.o -lpthread -ldl) # of a whole program
endif()

# How hard a release build optimises, where that is not -O2: what runs per lane, per access or per CTA gets -O3; what
# runs once per run, or once per line of a report, gets -O1, which compiles in 10 to 30 % less time.
set(warplens_rooms_O3 sim arch fold)
set(warplens_rooms_O1 text source findings summary fix gates advise report html diff compare measured lsp explain toolchain
  launcher driver cli edits)
function(warplens_optimise target room)
  set(optimisation O2)
  foreach(level O1 O3)
    if(room IN_LIST warplens_rooms_${level})
      set(optimisation ${level})
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-${level}>)
    endif()
  endforeach()
  warplens_precompiled(${target} ${optimisation})
endfunction()

set(WARPLENS_TOGETHER 16 CACHE STRING "how many files of a room are compiled at once; 0: each alone")
option(WARPLENS_PRECOMPILED "precompile headers" ON)
# ccache keeps nothing that a precompiled header went into, but with these two (its manual, "Precompiled headers"). It takes what a
# header was made from out of the compiler's list of dependencies: else a second change to a header gave the first one's. A header
# is named below as it is included, not by where this clone lies, so that clones have each other's.
if(WARPLENS_PRECOMPILED AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "ccache")
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ccache)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# warplens_precompiled(TARGET KIND): TARGET starts from the headers that warplens_precompile(KIND …) compiled. GCC takes
# them for equal options only, so there is one KIND for each level of optimisation, and one for the tests. They save 40 %
# of the time of a room's source files (bench/build-times.md).
function(warplens_precompile kind header)
  set(empty ${PROJECT_BINARY_DIR}/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(warplens_precompiled_${kind} OBJECT ${empty})
  target_include_directories(warplens_precompiled_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/cmake)
  target_compile_options(warplens_precompiled_${kind} PRIVATE ${ARGN})
  target_link_libraries(warplens_precompiled_${kind} PRIVATE warplens_flags)
  target_precompile_headers(warplens_precompiled_${kind} PRIVATE <${header}>)
endfunction()
if(WARPLENS_PRECOMPILED)
  warplens_precompile(O1 precompiled.h $<$<CONFIG:Release>:-O1>)
  warplens_precompile(O2 precompiled.h)
  warplens_precompile(O3 precompiled.h $<$<CONFIG:Release>:-O3>)
endif()
function(warplens_precompiled target kind)
  if(WARPLENS_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM warplens_precompiled_${kind})
  endif()
endfunction()

set(warplens_rooms_whole edits) # in one file, with its main.cpp: the headers of clang are nearly all of its time
# warplens_together(OUT NAME COUNT SOURCE…): OUT is a list of files that include COUNT sources each, since half of the time of
# most of them is reading headers and making the same templates again. Names in unnamed namespaces are therefore unique in a
# room. Sources are named from the project's folder on, so that clones at different places have each other's objects in ccache
# (CMake's UNITY_BUILD names them by absolute paths).
function(warplens_together out name count)
  set(files)
  set(sources ${ARGN})
  while(sources)
    list(LENGTH sources left)
    list(LENGTH files part)
    set(batch)
    foreach(next RANGE 1 ${count})
      if(sources)
        list(POP_FRONT sources source)
        file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
        string(APPEND batch "#include \"${source}\"\n")
      endif()
    endforeach()
    set(file ${PROJECT_BINARY_DIR}/together/${name}_${part}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${batch}" @ONLY)
    list(APPEND files ${file})
  endwhile()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# warplens_room(WING/NAME DEP…): the library of src/WING/NAME. Rooms include each other as "room/file.h".
# Sources lie in that folder and one folder below it; what lies deeper (kernels/target/ of sim) is compiled by room.cmake.
# A room that needs more than "compile every .cpp" (extra flags, generated files) adds it there, in its room.cmake.
# A room without sources (headers only, or its issue has not come yet) is an interface library.
# Each wing is a place where includes are looked for, so that "sim/sim.h" says the room alone.
set(warplens_include)
foreach(wing foundation hardware code engine cuda judgement output commands)
  list(APPEND warplens_include ${PROJECT_SOURCE_DIR}/src/${wing})
endforeach()

function(warplens_room place)
  set(dir ${PROJECT_SOURCE_DIR}/src/${place})
  get_filename_component(name ${place} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cpp ${dir}/*/*.cpp)
  if(NOT name IN_LIST warplens_rooms_whole)
    list(FILTER sources EXCLUDE REGEX "/(main|own_heap|changed_files)\\.cpp$") # programs and shared objects of their own
  endif()
  set(target warplens_${name})
  if(sources)
    if(WARPLENS_TOGETHER)
      # Tables and stubs declare CUDA's functions without their parameters, which no other file may see; math has options of its own.
      set(alone ${sources})
      list(FILTER alone INCLUDE REGEX "/(exports|stubs|kernels/math)\\.cpp$")
      list(REMOVE_ITEM sources ${alone})
      set(count ${WARPLENS_TOGETHER})
      if(name IN_LIST warplens_rooms_whole)
        set(count 100)
      endif()
      warplens_together(sources ${name} ${count} ${sources})
      list(APPEND sources ${alone})
    endif()
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE warplens_flags)
    warplens_optimise(${target} ${name})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${warplens_include} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} ${scope} nlohmann_json::nlohmann_json Threads::Threads)
  foreach(dep ${ARGN})
    target_link_libraries(${target} ${scope} warplens_${dep})
  endforeach()
  if(EXISTS ${dir}/room.cmake)
    include(${dir}/room.cmake)
  endif()
endfunction()
