// The messages of an .ncu-rep file that are wanted, each read into a plain value. ncu_report.h says which fields they have.
#pragma once
#include "measured/measured.h"
#include "measured/wire.h"
#include <stdexcept>

namespace warplens::measured::ncu {

// What is wrong with the file; thrown within the reader, which makes a diagnostic of it.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Value {
  std::string_view text;
  double number = 0;
  u64 whole = 0; // the number, where it is one that a u64 holds
  bool is_number = false;
};

struct Block {
  u64 modules = 0, results = 0, others = 0; // that follow
  u64 bytes = 0;
  i64 process = 0;
};

struct Module {
  u64 id = 0;
  os::Bytes cubin;
  std::vector<std::pair<std::string, u64>> functions; // mangled name, address
};

// A metric, its name being known. `elements`: of one with values for parts of a launch.
struct Metric {
  u64 name = 0;
  Value whole;
  os::Bytes message;
};

// A launch. What names its process in a message is the thread that asked for it: the process is that of its block.
struct Kernel {
  std::string mangled, demangled;
  Dim3 grid, block;
  u64 module = 0;
  float driver = 0;
  std::vector<Metric> metrics;
};

u64 version_of(os::Bytes file_header);
// Adds to `strings` and to what is known of the machine.
Block block_of(os::Bytes, std::vector<std::string>& strings, Machine&);
// Adds source files.
Module module_of(os::Bytes, std::map<std::string, std::string>& sources);
Kernel kernel_of(os::Bytes);

struct Element {
  Value correlation, value;
};
std::vector<Element> elements_of(const Metric&);

} // namespace warplens::measured::ncu
