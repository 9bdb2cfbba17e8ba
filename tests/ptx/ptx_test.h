// Helpers of the PTX tests.
#pragma once
#include "ptx/parse.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace warplens::ptx {

inline std::string read_data(const std::string& file) {
  std::ifstream in(std::string(WARPLENS_TEST_DATA) + "/" + file);
  EXPECT_TRUE(in.good()) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A kernel around some statements, with registers of every kind.
inline std::string kernel(const std::string& body, const std::string& before = {}) {
  return ".version 8.3\n.target sm_90\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg "
         ".b64 %d<9>;\n"
         ".reg .f32 %f<9>;\n.reg .f64 %e<9>;\n.reg .b128 %q<9>;\n" +
         body + "\nret;\n}\n";
}

inline ir::Module parsed(const std::string& text) {
  Result<Parsed> result = parse(text, {"test.ptx"});
  EXPECT_TRUE(result.has_value()) << (result ? "" : diag::render(result.error(), text));
  return result ? std::move(result->module) : ir::Module{};
}

} // namespace warplens::ptx
