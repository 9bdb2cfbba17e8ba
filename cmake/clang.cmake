# clang 19's libraries, of which src/judgement/edits/ makes a program that finds safe edits (docs/do/fix.md). Without them WarpLens is built
# all the same, and makes no edits.
#
# Not find_package(Clang): its targets name files that Debian keeps in further packages.
set(warplens_llvm /usr/lib/llvm-19)
find_path(WARPLENS_CLANG_HEADERS clang/AST/RecursiveASTVisitor.h HINTS ${warplens_llvm}/include NO_DEFAULT_PATH)
find_library(WARPLENS_CLANG_LIBRARY NAMES libclang-cpp.so.19.1 libclang-cpp.so HINTS ${warplens_llvm}/lib NO_DEFAULT_PATH)
find_library(WARPLENS_LLVM_LIBRARY NAMES libLLVM-19.so libLLVM.so.19.1 HINTS ${warplens_llvm}/lib NO_DEFAULT_PATH)
set(WARPLENS_CLANG_RESOURCES ${warplens_llvm}/lib/clang/19)
if(WARPLENS_CLANG_HEADERS AND EXISTS ${WARPLENS_CLANG_HEADERS}/llvm/ADT/StringRef.h
   AND WARPLENS_CLANG_LIBRARY AND WARPLENS_LLVM_LIBRARY)
  set(WARPLENS_EDITS ON)
else()
  set(WARPLENS_EDITS OFF)
  message(STATUS "no edits of sources: install libclang-19-dev and llvm-19-dev")
endif()
