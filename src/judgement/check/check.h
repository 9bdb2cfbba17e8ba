// Every memory access of a module, judged from its code for all launches.
#pragma once
#include "check/analysis.h"
#include "check/judgement.h"
#include "source/functions.h"
#include <functional>

namespace warplens::check {

struct Options {
  std::vector<const arch::Architecture*> architectures; // the first is the one that verdicts are for
  std::optional<Dim3> block, grid;
  std::map<std::string, i64>
      arguments;      // by name in source or PTX, or by number from 1: "n", "k_param_1", "2"
  std::string kernel; // a part of its name; empty: all
  Rules rules;
  u64 steps = most_steps; // that one function may take; what is not known by then is not decided
  // The parameters of a kernel as the source declares them: its mangled name, and where code of its body is.
  std::function<std::vector<source::Parameter>(const std::string& function, const access::SourceStack&)>
      names;
};

struct Checked {
  std::vector<Judgement>
      judgements; // in the order of the text; of one access one, or one per block shape that differs
  u64 kernels = 0, functions = 0;
  std::vector<std::string> unused_arguments; // of Options, that no kernel has
  u64 steps = 0;                             // taken, in all functions
};

Checked check(const ir::Module&, const Options&);

} // namespace warplens::check
