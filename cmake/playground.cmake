# The playground: share/warplens/playground.html, one page that opens from disk and holds the rooms below as WebAssembly
# (web/module/). Made where Debian's packages for it are: clang-19, lld-19, libc++-19-dev-wasm32, libc++abi-19-dev-wasm32,
# libclang-rt-19-dev-wasm32, wasi-libc. The page itself, without the module, is in the repository, as the report's is.
find_program(warplens_wasm_clang clang++-19)
find_program(warplens_wasm_ld wasm-ld-19)
set(wasm_std /usr/lib/llvm-19/include/wasm32-wasi/c++/v1)
set(wasm_libc /usr/include/wasm32-wasi)
set(wasm_builtins /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a)
foreach(needed ${wasm_std} ${wasm_libc} ${wasm_builtins} /usr/lib/llvm-19/lib/wasm32-wasi/libc++abi.a)
  if(NOT EXISTS ${needed})
    set(missing ${needed})
  endif()
endforeach()
if(NOT warplens_wasm_clang OR NOT warplens_wasm_ld OR missing)
  message(STATUS "The playground is not built: the packages of cmake/playground.cmake are missing")
  return()
endif()

set(wasm_dir ${PROJECT_BINARY_DIR}/playground)
# The headers of libraries, and of nothing else that is in /usr/include.
file(MAKE_DIRECTORY ${wasm_dir}/include)
foreach(library fmt nlohmann tl)
  file(CREATE_LINK /usr/include/${library} ${wasm_dir}/include/${library} SYMBOLIC)
endforeach()

set(wasm_flags --target=wasm32-wasi --sysroot=${wasm_dir} -std=c++20 -O2 -DNDEBUG -DFMT_EXCEPTIONS=0 -DJSON_NOEXCEPTION
  -fno-exceptions -fno-rtti -fvisibility=hidden -ffunction-sections -fdata-sections -Wno-deprecated-declarations
  -nostdinc++ -isystem ${PROJECT_SOURCE_DIR}/web/module/include -isystem ${wasm_std} -isystem ${wasm_libc}
  -isystem ${wasm_dir}/include)
foreach(folder ${warplens_include} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  list(APPEND wasm_flags -I${folder})
endforeach()
set(wasm_objects)
function(wasm_object source) # FLAGS…
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  string(REPLACE "/" "_" name ${name})
  set(object ${wasm_dir}/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${warplens_wasm_clang} ${wasm_flags} ${ARGN} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "WebAssembly: ${name}" VERBATIM)
  set(wasm_objects ${wasm_objects} ${object} PARENT_SCOPE)
endfunction()

# wasm_room(ROOM WITHOUT…): its files but these, eight at once, as warplens_together in warplens.cmake does.
function(wasm_room place)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${place}/*.cpp ${PROJECT_SOURCE_DIR}/src/${place}/*/*.cpp)
  foreach(without ${ARGN})
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/${place}/${without})
  endforeach()
  get_filename_component(name ${place} NAME)
  warplens_together(together wasm_${name} 8 ${sources})
  foreach(source ${together})
    wasm_object(${source})
  endforeach()
  set(wasm_objects ${wasm_objects} PARENT_SCOPE)
endfunction()
wasm_room(foundation/base cpu.cpp fmt.cpp run_options.cpp)
wasm_room(foundation/text regex.cpp terminal_settings.cpp)
wasm_room(hardware/access)
wasm_room(hardware/arch batch/counting_loops.cpp)
wasm_room(code/ir)
wasm_room(code/ptx)
wasm_room(judgement/symbolic)
wasm_room(judgement/advise)
wasm_room(judgement/findings)
wasm_room(judgement/explain)
wasm_room(judgement/check)
wasm_room(output/playground)
foreach(file engine/measure/classify engine/measure/distribution engine/measure/pattern engine/measure/record
             engine/measure/totals engine/measure/first_block engine/measure/tally code/source/places code/source/types judgement/summary/pattern_text output/html/picture)
  wasm_object(${PROJECT_SOURCE_DIR}/src/${file}.cpp)
endforeach()
file(GLOB counting_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hardware/arch/batch/target/*.cpp)
foreach(source ${counting_sources})
  wasm_object(${source} -DWARPLENS_TARGET_NAMESPACE=baseline -ffp-contract=off -fno-math-errno -fno-strict-aliasing)
endforeach()
wasm_object(${PROJECT_SOURCE_DIR}/web/module/module.cpp)
wasm_object(${PROJECT_SOURCE_DIR}/web/module/fmt.cpp)

set(wasm_lib /usr/lib/llvm-19/lib/wasm32-wasi)
add_custom_command(OUTPUT ${wasm_dir}/playground.wasm
  COMMAND ${warplens_wasm_ld} -o ${wasm_dir}/playground.wasm --gc-sections --strip-all --no-entry -z stack-size=1048576 --stack-first
    --initial-memory=4194304 --max-memory=268435456 --export=_initialize /usr/lib/wasm32-wasi/crt1-reactor.o ${wasm_objects}
    -L${wasm_lib} -L/usr/lib/wasm32-wasi -lc++ -lc++abi -lc -lm ${wasm_builtins}
  DEPENDS ${wasm_objects} COMMENT "WebAssembly: playground.wasm" VERBATIM)
set(playground_page ${PROJECT_SOURCE_DIR}/src/output/playground/playground.html)
add_custom_command(OUTPUT ${wasm_dir}/playground.html
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/playground.py ${playground_page} ${wasm_dir}/playground.wasm ${wasm_dir}/playground.html
  DEPENDS ${playground_page} ${wasm_dir}/playground.wasm ${PROJECT_SOURCE_DIR}/scripts/playground.py VERBATIM)
add_custom_target(playground ALL DEPENDS ${wasm_dir}/playground.html)
install(FILES ${wasm_dir}/playground.html DESTINATION share/warplens OPTIONAL)
