// What `check` is asked for.
#pragma once
#include "driver/options/run.h"
#include <map>

namespace warplens::driver {

struct CheckOptions {
  std::vector<std::string> inputs; // files, "-", compile_commands.json
  std::string
      compile_commands; // a build's folder or its compile_commands.json, which has the options of inputs; empty: none
  std::string block, grid;                    // "32,8"; empty: not known
  std::vector<std::string> settings;          // "n=1024"
  std::string sm = "90";                      // one or several; verdicts are for the first
  std::string kernel;                         // a part of its name
  std::map<std::string, i64> usual_arguments; // of .warplens.toml: for kernels that have such parameters
  std::string compiler = "auto", compile_options;
  bool sm_given = false, compiler_given = false; // else .warplens.toml may say others
  GateOptions gates;                             // where nobody asks, warnings fail
  u32 jobs = 0;                                  // 0: one per core
  bool no_cache = false;                         // of compilations
  bool all = false;                              // what is fine, and what is not known, too
  bool json = false;
  std::string verdicts; // a file for all verdicts as JSON, "-": standard output; empty: none
  std::string html;     // a page, too; empty: none
  bool colour = false;
  std::string version; // of WarpLens, for documents
};

} // namespace warplens::driver
