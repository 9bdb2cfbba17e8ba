// See assembled.h: a text at a time, a function at a time.
#include "machine_code/assembled.h"
#include "machine_code/function.h"
#include "ptx/parse.h"
#include <algorithm>
#include <map>

namespace warplens::assembly {
namespace {

using fatbin::MemoryInstruction;

// What machine code has for each line of a text; of all functions, since one may be inlined in several.
struct Line {
  struct Place {
    std::size_t function = 0;
    u64 offset = 0;
  };
  std::vector<const MemoryInstruction*> accesses;
  Place last_access;
  std::vector<Place> branches;
};
// Is the one access of a line behind the one branch of another?
bool stands_behind(const Line& access, const Line& branch) {
  return access.accesses.size() == 1 && branch.branches.size() == 1 &&
         access.last_access.function == branch.branches[0].function &&
         access.last_access.offset > branch.branches[0].offset;
}
using ByLine = std::map<u32, Line>;

// What machine code has for a function, whose lines are those of the same one in the cubin's text.
FunctionCode code_of(const ir::Function& function, const ir::Function& of_text, const ByLine& lines,
                     bool compiled) {
  FunctionCode out{compiled, {}, {}};
  out.of.resize(function.instructions.size());
  out.behind_branch.resize(function.instructions.size());
  auto at = [&](u32 i) {
    auto found = lines.find(of_text.instructions[i].ptx_line);
    return found == lines.end() ? nullptr : &found->second;
  };
  for (const ir::Block& block : function.blocks) {
    if (block.count == 0) continue;
    const Line* end = at(block.first + block.count - 1);
    for (u32 i = block.first; i < block.first + block.count; ++i) {
      const Line* line = function.instructions[i].site.valid() ? at(i) : nullptr;
      if (line == nullptr) continue;
      out.of[i] = line->accesses;
      out.behind_branch[i] = end != nullptr && stands_behind(*line, *end);
    }
  }
  return out;
}

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
  const std::vector<std::string> names = code.functions();
  std::vector<std::vector<MemoryInstruction>> all;
  std::vector<ByLine> by_line(code.texts().size());
  std::set<std::string> compiled;
  for (const std::string& function : names) {
    if (code.has_text_lines(function)) compiled.insert(function);
    all.push_back(code.accesses(function));
  }
  for (std::size_t f = 0; f < names.size(); ++f) {
    auto line_of = [&](u32 text, u32 line) {
      return line != 0 && text < by_line.size() ? &by_line[text][line] : nullptr;
    };
    for (const MemoryInstruction& one : all[f])
      if (Line* line = line_of(one.text, one.line)) {
        line->accesses.push_back(&one);
        line->last_access = {f, one.offset};
      }
    for (const fatbin::BranchInstruction& one : code.branches(names[f]))
      if (Line* line = line_of(one.text, one.line)) line->branches.push_back({f, one.offset});
  }
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
      out +=
          apply(module, function, code_of(function, of_text, by_line[t], compiled.contains(function.name)));
    }
  }
  return out;
}

} // namespace warplens::assembly
