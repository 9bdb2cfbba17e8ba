// See assembled.h: a text at a time, a function at a time.
#include "assembly/assembled.h"
#include "assembly/function.h"
#include "ptx/parse.h"
#include <algorithm>
#include <map>

namespace warplens::assembly {
namespace {

using fatbin::MemoryInstruction;

// What machine code has for each line of a text; of all functions, since one may be inlined in several.
using ByLine = std::map<u32, std::vector<const MemoryInstruction*>>;

// Are the accesses of both the same, one by one? Then so are their functions, as far as it matters here.
bool is_same(const ir::Module& a, const ir::Function& f, const ir::Module& b, const ir::Function& g) {
  return std::ranges::equal(
      f.instructions, g.instructions, [&](const ir::Instruction& x, const ir::Instruction& y) {
        return x.site.valid() == y.site.valid() && (!x.site.valid() || a.form(x).text == b.form(y).text);
      });
}

} // namespace

Outcome& Outcome::operator+=(const Outcome& other) {
  functions += other.functions, accesses += other.accesses;
  changed += other.changed, unclear += other.unclear;
  return *this;
}

Outcome apply(ir::Module& module, const fatbin::MachineCode& code) {
  Outcome out;
  std::vector<std::vector<MemoryInstruction>> all;
  std::vector<ByLine> by_line(code.texts().size());
  std::set<std::string> compiled;
  for (const std::string& function : code.functions()) {
    compiled.insert(function);
    all.push_back(code.accesses(function));
  }
  for (const std::vector<MemoryInstruction>& accesses : all)
    for (const MemoryInstruction& one : accesses)
      if (one.line != 0 && one.text < by_line.size()) by_line[one.text][one.line].push_back(&one);
  std::map<std::string_view, u32> functions;
  for (u32 f = 0; f < module.functions.size(); ++f)
    if (!module.functions[f].external) functions.emplace(module.functions[f].name, f);
  for (std::size_t t = 0; t < code.texts().size(); ++t) {
    Result<ptx::Parsed> text = ptx::parse(code.texts()[t], {"the text in a cubin", false});
    if (!text) continue; // what the program runs was parsed elsewhere, and its errors were said there
    for (const ir::Function& of_text : text->module.functions) {
      auto known = functions.find(of_text.name);
      if (known == functions.end()) continue;
      const ir::Function& function = module.functions[known->second];
      if (!is_same(module, function, text->module, of_text)) continue;
      FunctionCode machine{compiled.contains(function.name), {}};
      machine.of.resize(function.instructions.size());
      for (std::size_t i = 0; i < function.instructions.size(); ++i)
        if (auto there = by_line[t].find(of_text.instructions[i].ptx_line); there != by_line[t].end())
          if (function.instructions[i].site.valid()) machine.of[i] = there->second;
      out += apply(module, function, machine);
    }
  }
  return out;
}

} // namespace warplens::assembly
