# Manual pages and completions, as an installation has them below share/, made by the binary that was just built:
#   cmake -DWARPLENS=build/release/warplens -DTO=FOLDER -P cmake/pages.cmake
function(page file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${TO}/${folder})
  execute_process(COMMAND ${WARPLENS} ${ARGN} OUTPUT_FILE ${TO}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Manual pages are compressed, as distributions have them.
function(manual name)
  page(man/man1/${name}.1 man ${ARGN})
  execute_process(COMMAND gzip -9nf ${TO}/man/man1/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endfunction()

manual(warplens)
execute_process(COMMAND ${WARPLENS} man --list OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
foreach(command ${commands})
  manual(warplens-${command} ${command})
endforeach()
page(bash-completion/completions/warplens completion bash)
page(fish/vendor_completions.d/warplens.fish completion fish)
page(zsh/site-functions/_warplens completion zsh)
page(zsh/vendor-completions/_warplens completion zsh) # where Debian's zsh looks below /usr
