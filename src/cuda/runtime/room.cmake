# loader/ is compiled into the shared library, not into the room: tests link the room and must not be patched.
get_target_property(runtime_sources warplens_runtime SOURCES)
list(FILTER runtime_sources EXCLUDE REGEX "/loader/")
set_target_properties(warplens_runtime PROPERTIES SOURCES "${runtime_sources}")
# "cuda/…": the types of the API are compiled from the text of the headers for clang.
target_include_directories(warplens_runtime PUBLIC ${PROJECT_SOURCE_DIR})
# These declare CUDA's functions without their parameters, for their addresses or for stubs: no other file may see that.
foreach(source ${runtime_sources})
  if(source MATCHES "/(exports|stubs)\\.cpp$")
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endforeach()
