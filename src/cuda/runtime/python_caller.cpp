// The interpreter is asked by its C interface, whose functions the process has if it is Python's: nothing is linked. Since 3.9 all of
// them are there.
#include "runtime/python_caller.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <fmt/format.h>
#include <string_view>

namespace warplens::runtime {
namespace {

struct Object; // PyObject and what derives from it

struct Interpreter {
  int (*is_initialized)();
  void* (*this_thread)();
  int (*lock)();
  void (*unlock)(int);
  Object* (*error)();       // borrowed
  Object* (*first_frame)(); // borrowed
  Object* (*back)(Object*);
  Object* (*code)(Object*);
  int (*line)(Object*);
  Object* (*attribute)(Object*, const char*);
  const char* (*text)(Object*);
  void (*release)(Object*);
  int (*is_ending)() = nullptr;
  bool complete = true;

  Interpreter() {
    find(is_initialized, "Py_IsInitialized");
    find(this_thread, "PyGILState_GetThisThreadState");
    find(lock, "PyGILState_Ensure");
    find(unlock, "PyGILState_Release");
    find(error, "PyErr_Occurred");
    find(first_frame, "PyEval_GetFrame");
    find(back, "PyFrame_GetBack");
    find(code, "PyFrame_GetCode");
    find(line, "PyFrame_GetLineNumber");
    find(attribute, "PyObject_GetAttrString");
    find(text, "PyUnicode_AsUTF8");
    find(release, "Py_DecRef");
    for (const char* name : {"Py_IsFinalizing", "_Py_IsFinalizing"}) // since 3.13, before
      if (is_ending == nullptr) is_ending = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
  }
  template <class F> void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
    complete = complete && function != nullptr;
  }
};

bool is_of_package(std::string_view file) {
  return file.empty() || file[0] == '<' ||
         std::ranges::any_of(std::array{"/site-packages/", "/dist-packages/", "/lib/python3"},
                             [&](std::string_view folder) { return file.find(folder) != file.npos; });
}

// "file:line" of a frame; empty: it is a package's.
std::string place_of(const Interpreter& python, Object* frame) {
  Object* code = python.code(frame);
  Object* file = code != nullptr ? python.attribute(code, "co_filename") : nullptr;
  const char* name = file != nullptr ? python.text(file) : nullptr;
  std::string out;
  if (name != nullptr && !is_of_package(name)) out = fmt::format("{}:{}", name, python.line(frame));
  if (file != nullptr) python.release(file);
  if (code != nullptr) python.release(code);
  return out;
}

} // namespace

static std::atomic<bool> is_here = false;

void python_is_here() { is_here = true; }

std::string python_caller() {
  if (!is_here) return {};
  static const Interpreter python;
  if (!python.complete || python.is_initialized() == 0 || python.this_thread() == nullptr) return {};
  if (python.is_ending != nullptr && python.is_ending() != 0) return {};
  const int state = python.lock();
  std::string out;
  if (python.error() == nullptr) {
    Object* frame = python.first_frame();
    for (bool is_borrowed = true; frame != nullptr && out.empty(); is_borrowed = false) {
      out = place_of(python, frame);
      Object* next = out.empty() ? python.back(frame) : nullptr;
      if (!is_borrowed) python.release(frame);
      frame = next;
    }
  }
  python.unlock(state);
  return out;
}

} // namespace warplens::runtime
