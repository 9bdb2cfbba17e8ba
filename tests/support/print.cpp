// A module as PTX text again. What the IR does not keep is not printed: comments, scopes, prototypes of
// indirect calls, operands of instructions that have no semantics. Registers and variables of nested scopes
// move to the top of their function; where two of them share a name, the later ones get a suffix. Labels are
// $B0, $B1, … by block.
#include "support/print.h"
#include "ir/operands.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace warplens::ir {
namespace {

std::string_view directive(StateSpace space) {
  switch (space) {
  case StateSpace::constant: return ".const";
  case StateSpace::shared: return ".shared";
  case StateSpace::local: return ".local";
  case StateSpace::param: return ".param";
  case StateSpace::reg: return ".reg";
  default: return ".global";
  }
}

std::string text(const ElementList& list) {
  std::string out(1, list.bits == 16 ? 'h' : 'b');
  for (u32 i = list.count; i-- > 0;) out += static_cast<char>('0' + list.element[i]);
  return out;
}

class Printer {
public:
  explicit Printer(const Module& module) : m_(module) {
    for (const Function& f : m_.functions) global_names_.insert(f.name);
    for (const Variable& v : m_.variables)
      if (!v.owner.valid()) global_names_.insert(v.name);
  }

  std::string module() {
    line(".version {}.{}", m_.version_major, m_.version_minor);
    line(".target sm_{}", m_.sm);
    line(".address_size {}", m_.address_bits);
    for (u32 i = 0; i < m_.files.size(); ++i)
      if (!m_.files[i].empty()) line(".file {} \"{}\"", i + 1, m_.files[i]);
    for (const Function& f : m_.functions) declaration(f);
    for (const Variable& v : m_.variables)
      if (!v.owner.valid()) variable(v, v.name, "");
    for (const Function& f : m_.functions)
      if (f.alias_of.valid()) line(".alias {}, {};", f.name, m_.functions[f.alias_of.value].name);
    for (const Function& f : m_.functions)
      if (!f.external && !f.alias_of.valid()) function(f);
    debug_strings();
    return std::move(out_);
  }

  std::string one(const Function& f, const Instruction& i) {
    name_everything(f);
    instruction(f, i);
    return std::move(out_);
  }

private:
  template <class... Args> void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    put(format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // Names of one function, made unique among themselves and against the module's.
  void name_everything(const Function& f) {
    registers_.clear();
    variables_.clear();
    std::unordered_set<std::string> taken;
    auto unique = [&](std::string wanted) {
      std::ranges::replace(wanted, '.', '_'); // components of vector registers
      std::string name = wanted;
      for (u32 n = 2; global_names_.count(name) != 0 || !taken.insert(name).second; ++n)
        name = fmt::format("{}${}", wanted, n);
      return name;
    };
    for (VariableId v : f.variables) variables_.emplace(v.value, unique(m_.variables[v.value].name));
    for (const Register& r : f.registers) registers_.push_back(unique(r.name));
  }

  std::string variable_name(VariableId id) const {
    auto own = variables_.find(id.value);
    return own != variables_.end() ? own->second : m_.variables[id.value].name;
  }

  void parameter_list(const Function& f, const std::vector<VariableId>& variables,
                      const std::vector<RegisterId>& registers) {
    out_ += '(';
    std::string_view separator = "";
    for (VariableId id : variables) {
      out_ += std::exchange(separator, ", ");
      shape(m_.variables[id.value], variable_name(id));
    }
    for (RegisterId id : registers) {
      out_ += std::exchange(separator, ", ");
      put(".reg .{} {}", name(f.registers[id.value].type), registers_[id.value]);
    }
    out_ += ')';
  }

  void header(const Function& f) {
    name_everything(f);
    if (f.external && f.visible)
      out_ += ".extern ";
    else if (f.visible)
      out_ += f.weak ? ".weak " : ".visible ";
    out_ += f.entry ? ".entry " : ".func ";
    if (!f.results.empty() || !f.register_results.empty()) parameter_list(f, f.results, f.register_results);
    put("{}", f.name);
    parameter_list(f, f.parameters, f.register_parameters);
    if (f.noreturn) out_ += " .noreturn";
    auto triple = [&](std::string_view what, const std::array<u32, 3>& n) {
      if (n[0] != 0) put(" {} {}, {}, {}", what, n[0], n[1], n[2]);
    };
    triple(".maxntid", f.max_threads);
    triple(".reqntid", f.required_threads);
    triple(".reqnctapercluster", f.required_cluster);
    if (f.explicit_cluster) out_ += " .explicitcluster";
    if (f.most_in_cluster != 0) put(" .maxclusterrank {}", f.most_in_cluster);
    if (f.min_ctas != 0) put(" .minnctapersm {}", f.min_ctas);
  }

  void declaration(const Function& f) {
    if (f.entry && !f.external) return; // nothing refers to a kernel before its definition
    header(f);
    line(";");
  }

  void shape(const Variable& v, std::string_view shown) {
    if (v.opaque) return put("{} .texref {}", directive(v.space), shown);
    put("{} ", directive(v.space));
    if (v.managed) out_ += ".attribute(.managed) ";
    put(".align {} .{} {}", v.alignment, name(v.type), shown);
    if (v.size == 0)
      out_ += "[]";
    else if (v.size != bytes(v.type))
      put("[{}]", v.size / std::max<u32>(bytes(v.type), 1));
  }

  void variable(const Variable& v, std::string_view shown, std::string_view indent) {
    put("{}", indent);
    if (v.external)
      out_ += ".extern ";
    else if (v.visible)
      out_ += v.weak ? ".weak " : ".visible ";
    shape(v, shown);
    initialiser(v);
    line(";");
  }

  void initialiser(const Variable& v) {
    if (v.initial.empty() && v.relocations.empty()) return;
    u32 width = std::max<u32>(bytes(v.type), 1);
    std::unordered_map<u64, const Relocation*> pointers;
    for (const Relocation& r : v.relocations) pointers.emplace(r.offset, &r);
    out_ += v.size == width ? " = " : " = {";
    std::string_view separator = "";
    for (u64 at = 0; at < v.initial.size(); at += width) {
      out_ += std::exchange(separator, ", ");
      if (auto pointer = pointers.find(at); pointer != pointers.end()) {
        at += relocation(*pointer->second, width) - width;
        continue;
      }
      u64 value = 0;
      for (u32 b = 0; b < width && b < 8 && at + b < v.initial.size(); ++b)
        value |= std::to_integer<u64>(v.initial[at + b]) << (8 * b);
      if (v.type == Type::f32)
        put("0f{:08X}", value);
      else if (v.type == Type::f64)
        put("0d{:016X}", value);
      else
        put("{}", value);
    }
    if (v.size != width) out_ += '}';
  }

  // Prints one pointer; the bytes it stands for. In an array of smaller elements it takes one element per
  // part.
  u64 relocation(const Relocation& r, u32 width) {
    std::string symbol =
        r.variable.valid() ? m_.variables[r.variable.value].name : m_.functions[r.function.value].name;
    if (r.generic) symbol = fmt::format("generic({})", symbol);
    if (r.addend != 0) symbol += fmt::format("+{}", r.addend);
    if (r.size <= width && r.shift == 0) {
      out_ += symbol;
      return width;
    }
    for (u32 part = 0; part * width < r.size; ++part) {
      u64 mask = width >= 8 ? ~u64{0} : ((u64{1} << (8 * width)) - 1) << (8 * width * part + r.shift);
      put("{}0x{:X}({})", part == 0 ? "" : ", ", mask, symbol);
    }
    return std::max<u64>(r.size, width);
  }

  void function(const Function& f) {
    header(f);
    line("\n{{");
    std::unordered_set<u32> formal;
    for (const std::vector<VariableId>* list : {&f.parameters, &f.results})
      for (VariableId v : *list) formal.insert(v.value);
    std::unordered_set<u32> formal_registers;
    for (const std::vector<RegisterId>* list : {&f.register_parameters, &f.register_results})
      for (RegisterId r : *list) formal_registers.insert(r.value);
    for (u32 r = 0; r < f.registers.size(); ++r)
      if (RegisterId(r) != f.carry && formal_registers.count(r) == 0)
        line("  .reg .{} {};", name(f.registers[r].type), registers_[r]);
    for (VariableId v : f.variables)
      if (formal.count(v.value) == 0) variable(m_.variables[v.value], variable_name(v), "  ");
    LocationId at;
    for (u32 b = 0; b < f.blocks.size(); ++b) {
      line("$B{}:", b);
      for (u32 i = f.blocks[b].first; i < f.blocks[b].first + f.blocks[b].count; ++i) {
        const Instruction& instr = f.instructions[i];
        if (instr.location != at && instr.location.valid())
          location(instr.location);
        else if (instr.location != at)
          line("  .loc 1 0 0");
        at = instr.location;
        out_ += "  ";
        instruction(f, instr);
        out_ += '\n';
      }
    }
    line("}}");
  }

  // Callers first: the reader of inlined_at looks for the latest .loc at that position.
  void location(LocationId id) {
    std::vector<LocationId> chain;
    for (; id.valid(); id = m_.locations[id.value].inlined_at) chain.push_back(id);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const Location& l = m_.locations[it->value];
      put("  .loc {} {} {}", l.file + 1, l.line, l.column);
      if (l.function.valid())
        put(", function_name $F{}",
            names_.try_emplace(m_.names[l.function.value], static_cast<u32>(names_.size())).first->second);
      if (l.inlined_at.valid()) {
        const Location& caller = m_.locations[l.inlined_at.value];
        put(", inlined_at {} {} {}", caller.file + 1, caller.line, caller.column);
      }
      out_ += '\n';
    }
  }

  void debug_strings() {
    if (names_.empty()) return;
    std::vector<const std::string*> by_id(names_.size());
    for (const auto& [text, id] : names_) by_id[id] = &text;
    line(".section .debug_str\n{{");
    for (u32 id = 0; id < by_id.size(); ++id) {
      put("$F{}:\n.b8 ", id);
      for (char c : *by_id[id]) put("{}, ", static_cast<u32>(static_cast<u8>(c)));
      line("0");
    }
    line("}}");
  }

  void instruction(const Function& f, const Instruction& i) {
    if (i.guard.valid()) put("@{}{} ", i.guard_negated ? "!" : "", registers_[i.guard.value]);
    const Form& form = m_.form(i);
    put("{}", form.text);
    if (form.opcode == Opcode::call)
      call(f, i);
    else
      operands(f, i, form);
    out_ += ';';
  }

  void call(const Function& f, const Instruction& i) {
    auto list = [&](std::span<const Operand> all) {
      out_ += '(';
      std::string_view separator = "";
      for (const Operand& o : all) {
        out_ += std::exchange(separator, ", ");
        operand(o, Type::none);
      }
      out_ += ')';
    };
    out_ += ' ';
    if (i.destinations != 0) {
      list(f.destinations(i));
      out_ += ", ";
    }
    std::span<const Operand> sources = f.sources(i);
    operand(sources[0], Type::none);
    if (sources.size() > 1) {
      out_ += ", ";
      list(sources.subspan(1));
    }
  }

  // [tensor map, {coordinates}]
  void box(const Function& f, const Instruction& i, const Form& form, const OperandGroup& group) {
    Operand map = f.operands[i.first_operand + group.first];
    map.kind = map.reg.valid() ? Operand::Kind::reg : Operand::Kind::variable;
    out_ += '[';
    operand(map, Type::u64);
    for (u32 n = 1; n < group.count; ++n) {
      out_ += n == 1 ? ", {" : ", ";
      operand(f.operands[i.first_operand + group.first + n], group.type(form, n));
    }
    out_ += "}]";
  }

  void operands(const Function& f, const Instruction& i, const Form& form) {
    std::string_view separator = " ";
    for (const OperandGroup& group : operand_groups(form, i.destinations, i.sources)) {
      if (!group.rule.in_text()) continue;
      out_ += std::exchange(separator, ", ");
      if (group.rule.box())
        box(f, i, form, group);
      else
        this->group(f, i, form, group);
    }
    if (i.target_count != 0) branch_table(f, i, separator);
  }

  // Braces hold `inside` operands; what stands before them is a texture, what comes after them a predicate.
  void group(const Function& f, const Instruction& i, const Form& form, const OperandGroup& group) {
    u32 before = group.rule.texture() ? 1 : 0;
    u32 inside = group.rule.letter == 'V' ? form.vector : group.count - before;
    bool always = group.rule.matrix() || group.rule.texture() || group.rule.changes() || group.rule.shift();
    bool braces = ((group.rule.vector() || group.rule.described()) && inside > 1) || always;
    if (before != 0) out_ += '[';
    for (u32 n = 0; n < group.count; ++n) {
      u32 at = n - before;
      if (before != 0 && n == before) out_ += ", ";
      if (n > before) out_ += braces && at < inside ? ", " : "|";
      if (braces && n == before) out_ += '{';
      operand(f.operands[i.first_operand + group.first + n], group.type(form, n));
      if (braces && at + 1 == inside) out_ += '}';
    }
    if (before != 0) out_ += ']';
  }

  // brx.idx: the list stands in the text before it is used, so it is written where the parser also takes it.
  void branch_table(const Function& f, const Instruction& i, std::string_view separator) {
    std::string table = fmt::format("$T{}", i.first_target), list = table + ": .branchtargets ";
    std::string_view comma = "";
    for (BlockId target : f.branch_targets(i))
      list += fmt::format("{}$B{}", std::exchange(comma, ", "), target.value);
    put("{}{}", separator, table);
    std::size_t start = out_.rfind('\n');
    out_.insert(start == out_.npos ? 0 : start + 1, "  " + list + ";\n");
  }

  void operand(const Operand& o, Type type) {
    if (o.negated) out_ += '!';
    switch (o.kind) {
    case Operand::Kind::none: out_ += '_'; break;
    case Operand::Kind::reg:
      out_ += registers_[o.reg.value];
      if (o.part != Part::whole)
        put(".{}", o.part == Part::several ? text(ElementList::unpack(o.value)) : std::string(name(o.part)));
      break;
    case Operand::Kind::immediate: immediate(o.value, type); break;
    case Operand::Kind::special: out_ += name(o.special); break;
    case Operand::Kind::function: out_ += m_.functions[o.function.value].name; break;
    case Operand::Kind::label: put("$B{}", o.block.value); break;
    case Operand::Kind::variable:
      out_ += variable_name(o.variable);
      if (o.value != 0) put("+{}", static_cast<i64>(o.value));
      break;
    case Operand::Kind::address:
      out_ += '[';
      if (o.reg.valid())
        out_ += registers_[o.reg.value];
      else if (o.variable.valid())
        out_ += variable_name(o.variable);
      if (!o.reg.valid() && !o.variable.valid())
        put("{}", o.value);
      else if (o.value != 0)
        put("+{}", static_cast<i64>(o.value));
      out_ += ']';
      break;
    }
  }

  void immediate(u64 value, Type type) {
    if (type == Type::f32)
      put("0f{:08X}", value);
    else if (type == Type::f64)
      put("0d{:016X}", value);
    else
      put("{}", value);
  }

  const Module& m_;
  std::string out_;
  std::unordered_set<std::string> global_names_;
  std::vector<std::string> registers_;
  std::unordered_map<u32, std::string> variables_;
  std::unordered_map<std::string, u32> names_; // of inlined functions, as labels in .debug_str
};

} // namespace

std::string print(const Module& module) { return Printer(module).module(); }
std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  return Printer(module).one(function, instruction);
}

} // namespace warplens::ir
