// Calls of the CUDA API that return an error to the program: copies and fills of any run, each call with --check memory.
//
// The program reaches each function by a table (preload/exports.h, driver_api/entry_points.h). Each row that is watched gets a function
// that calls the real one and looks at what it returns. So only the program's own calls are seen, and by the names that
// the program uses. Its type is that of no function in the table: by the System V ABI for x86-64 six words are passed in
// registers, and the others, structures by value included, as words on the stack, which are passed on as they are. No row
// takes more. A function with floating-point parameters, or with another result than an error, keeps its row.
//
// Left out, as by compute-sanitizer's memcheck (2025.3 on an H200): queries of work that is not done yet, and access of a peer
// that is as it was asked for. cudaGetLastError() and cudaPeekAtLastError(), which repeat the error of an earlier call, are left out
// here and listed there.
#pragma once
#include "base/types.h"
#include <string_view>

namespace warplens::runtime {

// `name`: of the error, as the function's own API calls it.
void note_failed_call(std::string_view function, int error, const char* name);
const char* runtime_error_name(int error);
int note_unsupported_call(const char* function); // with or without the check: cudaErrorNotSupported
bool is_watched(std::string_view function);

using Word = u64;
// A Row has the name of its function, and those of its API's errors.
template <auto function, class Row>
Word watched(Word a, Word b, Word c, Word d, Word e, Word f, Word s0, Word s1, Word s2, Word s3, Word s4,
             Word s5, Word s6, Word s7, Word s8, Word s9) {
  const auto untyped = reinterpret_cast<void (*)()>(function);
  const auto real = reinterpret_cast<decltype(&watched<function, Row>)>(untyped);
  const Word result = real(a, b, c, d, e, f, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9);
  const int error = static_cast<int>(result);
  if (error != 0) note_failed_call(Row::name(), error, Row::name_of(error));
  return result;
}

} // namespace warplens::runtime
