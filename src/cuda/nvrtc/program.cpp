// libnvrtc.so: NVRTC's functions. Each hands its call on where NVIDIA's library is installed, and does it with clang otherwise.
//
// Results, logs and codes of errors follow NVRTC 13.0, held against it by a test. What differs:
// * the compiler's words in the log are clang's;
// * the C library's headers can be included, and its types are there without;
// * with -arch=sm_…, the cubin holds the PTX text and no machine code, so that it can be loaded here and nowhere else;
// * LTO IR and OptiX IR are not made: their options are refused as unknown ones, their sizes are 0;
// * precompiled headers are not kept, and compilation cannot be cancelled.
#include "machine_code/cubin.h"
#include "nvrtc/compile.h"
#include "nvrtc/installed.h"
#include "runtime/state.h"
#include <algorithm>
#include <cstring>

namespace warplens::runtime {

struct NvrtcProgram {
  NvrtcSource source;
  bool compiled = false, tried = false;
  NvrtcOutput output;
  std::vector<std::byte> cubin; // empty where a virtual architecture was asked for
};

namespace {

enum Result : int { // nvrtcResult
  success = 0,
  invalid_input = 3,
  invalid_program = 4,
  invalid_option = 5,
  compilation_failed = 6,
  builtin_failure = 7,
  names_after_compilation = 8,
  names_before_compilation = 9,
  name_not_valid = 10,
  no_pch_attempted = 13,
};

std::mutex& guard() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::map<const NvrtcProgram*, std::unique_ptr<NvrtcProgram>>& programs() {
  static auto* all =
      new std::map<const NvrtcProgram*, std::unique_ptr<NvrtcProgram>>; // outlives atexit handlers
  return *all;
}

// Runs `body` with the program, if it is one.
template <class Body> int with(NvrtcProgram* program, Body&& body) {
  std::lock_guard lock(guard());
  return programs().contains(program) ? body(*program) : invalid_program;
}

// Whose compiler this is, once; and every time why there is none.
void tell(const NvrtcOutput& output) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  diag::Diagnostic told = diag::note(
      "nvrtc-clang",
      "the program compiles kernels while it runs: NVRTC is not installed, and clang compiled them");
  if (output.no_compiler)
    told = diag::error("nvrtc-no-compiler",
                       "the program compiles kernels while it runs, and neither NVRTC nor clang can: " +
                           output.log.substr(0, output.log.find('\n')));
  if (runtime.said.insert(told.message).second) runtime.say(std::move(told));
}

int compile(NvrtcProgram& program, std::span<const char* const> words) {
  program.tried = true, program.compiled = false;
  program.output = {};
  program.cubin.clear();
  ResultOr<NvrtcOptions, std::string> options = nvrtc_options(words);
  if (!options) {
    program.output.log = options.error() + '\n';
    return invalid_option;
  }
  program.output = compile_nvrtc(program.source, *options);
  tell(program.output);
  if (program.output.no_compiler) return builtin_failure;
  if (!program.output.compiled) return compilation_failed;
  program.compiled = true;
  if (options->machine_code) program.cubin = fatbin::cubin_around(program.output.ptx, options->sm);
  return success;
}

// Texts are handed out with their zero; there is none of what was not made.
int give_size(std::size_t* size, std::size_t value) { return answer(size, value, invalid_input); }
int give_text(char* to, const std::string& text) {
  if (!to) return invalid_input;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return success;
}

constexpr int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}; // as NVRTC 13.0

const char* name_of(int result) {
  constexpr const char* names[] = {"NVRTC_SUCCESS",
                                   "NVRTC_ERROR_OUT_OF_MEMORY",
                                   "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                   "NVRTC_ERROR_INVALID_INPUT",
                                   "NVRTC_ERROR_INVALID_PROGRAM",
                                   "NVRTC_ERROR_INVALID_OPTION",
                                   "NVRTC_ERROR_COMPILATION",
                                   "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                   "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                   "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                   "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                   "NVRTC_ERROR_INTERNAL_ERROR",
                                   "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                   "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                   "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                   "NVRTC_ERROR_PCH_CREATE",
                                   "NVRTC_ERROR_CANCELLED",
                                   "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
  return result >= 0 && result < static_cast<int>(std::size(names)) ? names[result] : "NVRTC_ERROR unknown";
}

const char* nvrtcGetErrorString_without_nvrtc(int result) { return name_of(result); }

int nvrtcVersion_without_nvrtc(int* major, int* minor) {
  if (!major || !minor) return invalid_input;
  const int release = nvrtc_major();
  *major = release;
  *minor = release == 12 ? 9 : 0; // the last of 12, the first of 13
  return success;
}

int nvrtcGetNumSupportedArchs_without_nvrtc(int* count) {
  return answer(count, static_cast<int>(std::size(architectures)), invalid_input);
}
int nvrtcGetSupportedArchs_without_nvrtc(int* to) {
  if (!to) return invalid_input;
  std::copy(std::begin(architectures), std::end(architectures), to);
  return success;
}

int nvrtcCreateProgram_without_nvrtc(NvrtcProgram** program, const char* source, const char* name, int count,
                                     const char* const* headers, const char* const* names) {
  if (!program) return invalid_program;
  if (!source || count < 0 || (count > 0 && (!headers || !names))) return invalid_input;
  auto none = [&](const char* const* list) { return std::find(list, list + count, nullptr) != list + count; };
  if (none(headers) || none(names)) return invalid_input;
  auto created = std::make_unique<NvrtcProgram>();
  created->source.name = name && *name ? name : "default_program";
  created->source.text = source;
  for (int i = 0; i < count; ++i) created->source.headers.emplace_back(names[i], headers[i]);
  std::lock_guard lock(guard());
  *program = created.get();
  programs()[*program] = std::move(created);
  return success;
}

int nvrtcDestroyProgram_without_nvrtc(NvrtcProgram** program) {
  std::lock_guard lock(guard());
  return program && programs().erase(*program) != 0 ? success : invalid_program;
}

int nvrtcCompileProgram_without_nvrtc(NvrtcProgram* program, int count, const char* const* options) {
  return with(program, [&](NvrtcProgram& p) {
    const bool listed = count == 0 || (count > 0 && options &&
                                       std::find(options, options + count, nullptr) == options + count);
    return listed ? compile(p, {options, static_cast<std::size_t>(count)}) : int{invalid_input};
  });
}

int nvrtcGetPTXSize_without_nvrtc(NvrtcProgram* program, std::size_t* size) {
  return with(program,
              [&](NvrtcProgram& p) { return give_size(size, p.compiled ? p.output.ptx.size() + 1 : 0); });
}
int nvrtcGetPTX_without_nvrtc(NvrtcProgram* program, char* to) {
  return with(program, [&](NvrtcProgram& p) { return p.compiled ? give_text(to, p.output.ptx) : success; });
}

int nvrtcGetCUBINSize_without_nvrtc(NvrtcProgram* program, std::size_t* size) {
  return with(program, [&](NvrtcProgram& p) { return give_size(size, p.cubin.size()); });
}
int nvrtcGetCUBIN_without_nvrtc(NvrtcProgram* program, char* to) {
  return with(program, [&](NvrtcProgram& p) -> int {
    if (!to) return invalid_input;
    if (!p.cubin.empty()) std::memcpy(to, p.cubin.data(), p.cubin.size());
    return success;
  });
}

int nothing_size(NvrtcProgram* program, std::size_t* size) {
  return with(program, [&](NvrtcProgram&) { return give_size(size, 0); });
}
int nothing(NvrtcProgram* program) {
  return with(program, [&](NvrtcProgram&) -> int { return success; });
}
int nvrtcGetLTOIRSize_without_nvrtc(NvrtcProgram* p, std::size_t* size) { return nothing_size(p, size); }
int nvrtcGetLTOIR_without_nvrtc(NvrtcProgram* p, char*) { return nothing(p); }
int nvrtcGetNVVMSize_without_nvrtc(NvrtcProgram* p, std::size_t* size) { return nothing_size(p, size); }
int nvrtcGetNVVM_without_nvrtc(NvrtcProgram* p, char*) { return nothing(p); }
int nvrtcGetOptiXIRSize_without_nvrtc(NvrtcProgram* p, std::size_t* size) { return nothing_size(p, size); }
int nvrtcGetOptiXIR_without_nvrtc(NvrtcProgram* p, char*) { return nothing(p); }

int nvrtcGetProgramLogSize_without_nvrtc(NvrtcProgram* program, std::size_t* size) {
  return with(program, [&](NvrtcProgram& p) { return give_size(size, p.output.log.size() + 1); });
}
int nvrtcGetProgramLog_without_nvrtc(NvrtcProgram* program, char* to) {
  return with(program, [&](NvrtcProgram& p) { return give_text(to, p.output.log); });
}

int nvrtcAddNameExpression_without_nvrtc(NvrtcProgram* program, const char* expression) {
  return with(program, [&](NvrtcProgram& p) -> int {
    if (!expression) return invalid_input;
    if (p.tried) return names_after_compilation;
    p.source.expressions.emplace_back(expression);
    return success;
  });
}
int nvrtcGetLoweredName_without_nvrtc(NvrtcProgram* program, const char* expression, const char** name) {
  return with(program, [&](NvrtcProgram& p) -> int {
    if (!expression || !name) return invalid_input;
    if (!p.compiled) return names_before_compilation;
    auto found = p.output.lowered.find(expression);
    if (found == p.output.lowered.end()) return name_not_valid;
    *name = found->second.c_str();
    return success;
  });
}

int nvrtcSetFlowCallback_without_nvrtc(NvrtcProgram* program, int (*)(void*, void*), void*) {
  return nothing(program);
}
int nvrtcGetPCHHeapSize_without_nvrtc(std::size_t* size) { return give_size(size, 0); }
int nvrtcSetPCHHeapSize_without_nvrtc(std::size_t) { return success; }
int nvrtcGetPCHCreateStatus_without_nvrtc(NvrtcProgram* program) {
  return with(program, [&](NvrtcProgram&) -> int { return no_pch_attempted; });
}
int nvrtcGetPCHHeapSizeRequired_without_nvrtc(NvrtcProgram* program, std::size_t*) {
  return nvrtcGetPCHCreateStatus_without_nvrtc(program);
}

} // namespace

extern "C" {

#define NVRTC(result, name, parameters, arguments)                                                           \
  result name parameters {                                                                                   \
    if (void* there = installed_nvrtc(#name))                                                                \
      return reinterpret_cast<result(*) parameters>(there) arguments;                                        \
    return name##_without_nvrtc arguments;                                                                   \
  }
#include "nvrtc/nvrtc.def"
#undef NVRTC

} // extern "C"
} // namespace warplens::runtime
