// A cubin's kernels and variables as one PTX text, and what the parser cannot know of it. See translate.h.
#include "access/site.h"
#include "base/bits.h"
#include "ir/call_graph.h"
#include "ir/tidy.h"
#include "machine_code/machine_code.h"
#include "ptx/parse.h"
#include "translate/kernel_translation.h"
#include "translate/translate.h"
#include <cstring>

namespace warplens::translate {
namespace {

std::optional<std::vector<Instruction>> decode_all(const KernelImage& kernel, u32 sm, std::string& why) {
  std::vector<Instruction> out;
  for (u64 at = 0; at + sass::instruction_bytes <= kernel.code.size(); at += sass::instruction_bytes) {
    u64 low = 0, high = 0;
    std::memcpy(&low, kernel.code.data() + at, sizeof low);
    std::memcpy(&high, kernel.code.data() + at + sizeof low, sizeof high);
    const std::optional<Instruction> one = sass::decode(low, high, at, sm);
    if (!one) {
      why = fmt::format("the instruction at {:#x}, {:#018x} {:#018x}, is not known", at, low, high);
      return {};
    }
    out.push_back(*one);
  }
  return out;
}

std::string bytes_text(os::Bytes bytes, u64 size) {
  std::string out;
  u64 last = bytes.size(); // zeros at the end are left out
  while (last > 0 && bytes[last - 1] == std::byte{0}) --last;
  if (last == 0) return {};
  for (u64 i = 0; i < std::min(last, size); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ",", static_cast<u32>(bytes[i]));
  return fmt::format(" = {{{}}}", out);
}

struct Translated {
  std::string name;
  u32 first_line = 0; // of its text, in the module's
  std::vector<Meeting> meetings;
  std::vector<std::pair<u32, u64>> instructions;
  std::vector<Instruction> code;
  const KernelImage* image = nullptr;
};

// The block that begins at or behind that line.
ir::BlockId block_at(const ir::Function& function, u32 line) {
  for (u32 b = 0; b < function.blocks.size(); ++b)
    if (function.blocks[b].count != 0 && function.instructions[function.blocks[b].first].ptx_line >= line)
      return ir::BlockId(b);
  return {};
}

void add_meetings(ir::Function& function, const Translated& kernel) {
  function.meetings.assign(function.blocks.size(), {});
  std::map<u32, u32> block_of_line; // of the last instruction of each block
  for (u32 b = 0; b < function.blocks.size(); ++b)
    if (const ir::Block& block = function.blocks[b]; block.count != 0)
      block_of_line[function.instructions[block.first + block.count - 1].ptx_line] = b;
  for (const Meeting& meeting : kernel.meetings) {
    auto block = block_of_line.find(meeting.branch + kernel.first_line);
    if (block == block_of_line.end() || meeting.label == 0) continue;
    function.meetings[block->second] = block_at(function, meeting.label + kernel.first_line);
  }
}

// Do the kernels have no array in local memory? Then what they keep there is registers.
bool has_no_local_arrays(const std::span<const ir::Module>& ptx) {
  return !ptx.empty() && std::ranges::none_of(ptx, [](const ir::Module& module) {
    return std::ranges::any_of(module.variables, [](const ir::Variable& v) {
      return v.owner.valid() && v.space == ir::StateSpace::local;
    });
  });
}

// Where instructions come from, and what their accesses are in machine code.
class Origins {
public:
  Origins(ir::Module& module, const fatbin::MachineCode& lines, bool all_local_is_spilled)
      : module_(module), lines_(lines), all_local_is_spilled_(all_local_is_spilled) {}

  void add(ir::Function& function, const Translated& kernel, const std::vector<Instruction>& code) {
    std::map<u32, u64> offsets; // by line
    for (const auto& [line, offset] : kernel.instructions) offsets[line + kernel.first_line] = offset;
    for (ir::Instruction& i : function.instructions) {
      auto found = offsets.find(i.ptx_line);
      if (found == offsets.end()) continue;
      i.location = location(*kernel.image, found->second);
      if (!i.site.valid()) continue;
      const Instruction& machine = code[found->second / sass::instruction_bytes];
      access::Site& site = module_.sites[i.site.value];
      site.opcode = opcode_text(machine);
      const bool spills = kernel.image->spills.contains(found->second) ||
                          (all_local_is_spilled_ && site.space == access::Space::local);
      if (spills) site.array = {access::ArrayKind::spill, "spilled registers"};
      // Lanes of one word are served together.
      if (machine.has(Modifier::POPC)) site.atomic = access::AtomicForm::combined;
      if (machine.has(Modifier::CAST)) site.atomic = access::AtomicForm::cast;
    }
  }

private:
  static std::string opcode_text(const Instruction& i) {
    std::string out(sass::name(i.opcode));
    for (Modifier m : i.modifiers()) out += fmt::format(".{}", sass::name(m));
    return out;
  }

  ir::LocationId location(const KernelImage& kernel, u64 offset) {
    const std::string* function = &kernel.name;
    u64 begin = 0;
    for (const LinkedFunction& one : kernel.functions)
      if (one.begin <= offset) function = &one.name, begin = one.begin;
    const access::SourceStack frames = lines_.frames(*function, offset - begin);
    ir::LocationId out;
    std::vector<access::SourceFrame> outermost(frames.begin(), frames.end());
    std::ranges::reverse(outermost);
    for (const access::SourceFrame& frame : outermost) {
      auto [file, fresh] = files_.try_emplace(frame.file, static_cast<u32>(module_.files.size()));
      if (fresh) module_.files.push_back(frame.file);
      auto [known, is_new] = locations_.try_emplace({file->second, frame.line, out.valid() ? out.value : ~0u},
                                                    ir::LocationId(module_.locations.size()));
      if (is_new) module_.locations.push_back({file->second, frame.line, frame.column, out, {}});
      out = known->second;
    }
    return out;
  }

  ir::Module& module_;
  const fatbin::MachineCode& lines_;
  bool all_local_is_spilled_;
  std::map<std::string, u32> files_;
  std::map<std::array<u32, 3>, ir::LocationId> locations_;
};

void add_addresses(ir::Module& module, const DeviceVariable& from) {
  const ir::VariableId id = module.find_variable(from.name);
  if (!id.valid() || module.variables[id.value].external) return;
  for (const auto& [offset, address] : from.addresses) {
    ir::Relocation one{.offset = offset, .addend = static_cast<u64>(address.addend) + address.pointer};
    if (address.pointer == 0) one.variable = module.find_variable(address.name);
    module.variables[id.value].relocations.push_back(one);
  }
}

bool calls_through_pointers(std::span<const ir::Module> ptx) {
  return std::ranges::any_of(ptx, [](const ir::Module& module) {
    return std::ranges::any_of(module.functions,
                               [&](const ir::Function& f) { return ir::callees(module, f).indirect; });
  });
}

// Those that begin with addresses of functions, which are others in machine code.
std::set<std::string> variables_with_functions(std::span<const ir::Module> ptx) {
  std::set<std::string> out;
  for (const ir::Module& module : ptx)
    for (const ir::Variable& v : module.variables)
      if (std::ranges::any_of(v.relocations, [](const ir::Relocation& r) { return r.function.valid(); }))
        out.insert(v.name);
  return out;
}

// The arrays of a kernel's shared memory, by name: ptxas places them as PTX declares them, one behind the other (72 kernels of nvcc 13,
// 7.5, 9.0, 12.0). They stay nameless where that does not add up.
void name_shared(Image& image, const ir::Module& ptx) {
  for (KernelImage& kernel : image.kernels) {
    const ir::FunctionId id = ptx.find_function(kernel.name);
    if (!id.valid() || kernel.shared_bytes == 0) continue;
    u64 end = kernel.shared_reserved;
    std::vector<SharedArray> arrays;
    bool clear = true;
    for (const ir::Variable& v : ptx.variables) {
      if (v.space != ir::StateSpace::shared || v.size == 0) continue;
      clear &= v.owner.valid(); // which functions use one of the module's is not looked at
      if (v.owner != id) continue;
      end = align_up(end, u64{v.alignment});
      arrays.push_back({v.name, end, v.size, v.alignment});
      end += v.size;
    }
    if (clear && end == kernel.shared_bytes) kernel.shared_arrays = std::move(arrays);
  }
}

} // namespace

MachineModule translate(os::Bytes cubin, u32 sm, const std::string& name, std::span<const ir::Module> ptx,
                        std::optional<std::string_view> only) {
  MachineModule out;
  Image image = read_image(cubin, sm);
  std::map<std::string, u32> in_ptx; // variables of the modules, how often
  for (const ir::Module& module : ptx) {
    name_shared(image, module);
    for (const ir::Variable& v : module.variables)
      if (!v.owner.valid() && !v.external) ++in_ptx[v.name];
  }
  std::string ambiguous;
  for (const DeviceVariable& v : image.variables)
    if (in_ptx.contains(v.name) && in_ptx[v.name] > 1)
      ambiguous = fmt::format("several files have a variable '{}'", v.name);
  // What is written fits every architecture: nothing in it is newer than sm_90.
  std::string text = fmt::format(".version 8.0\n.target sm_{}\n.address_size 64\n", std::min(sm, 90u));
  std::set<std::string> builtins;
  std::string kernels, variables;
  std::vector<Translated> translated;
  for (const KernelImage& kernel : image.kernels) {
    if (only && kernel.name != *only) {
      out.others.insert(kernel.name);
      continue;
    }
    std::string why = ambiguous;
    if (image.unknown_addresses && (ptx.empty() || kernel.calls_apart))
      why = "variables are initialised with addresses that are not known";
    std::optional<std::vector<Instruction>> code = why.empty() ? decode_all(kernel, sm, why) : std::nullopt;
    if (!code) {
      out.refused[kernel.name] = why;
      continue;
    }
    Kernel one(image, kernel, std::move(*code));
    if (!one.translate()) {
      out.refused[kernel.name] = one.why();
      continue;
    }
    Translated lines{kernel.name, static_cast<u32>(std::ranges::count(kernels, '\n')), {}, {}, {}, &kernel};
    const std::string entry = one.text();
    if (!one.why().empty()) {
      out.refused[kernel.name] = one.why();
      continue;
    }
    kernels += entry;
    lines.meetings = one.meetings;
    lines.instructions = one.instructions;
    lines.code = one.code();
    translated.push_back(std::move(lines));
    builtins.insert(one.builtins().begin(), one.builtins().end());
    if (one.uses_tables())
      variables +=
          fmt::format(".const .align 4 .b8 {}_tables[{}]{};\n", kernel.name, kernel.jump_tables.size(),
                      bytes_text(kernel.jump_tables, kernel.jump_tables.size()));
  }
  // In PTX functions have other addresses, and kernels hand them to each other.
  if (!out.refused.empty() && calls_through_pointers(ptx)) {
    for (const Translated& kernel : translated)
      out.refused[kernel.name] =
          fmt::format("'{}' of the same file runs as PTX, where functions have other addresses",
                      out.refused.begin()->first);
    return out;
  }
  const std::set<std::string> tables = variables_with_functions(ptx);
  for (const DeviceVariable& v : image.variables) {
    const bool is_extern = in_ptx.contains(v.name) && !tables.contains(v.name);
    variables += fmt::format(".{} .{} .align 16 .b8 {}[{}]{};\n", is_extern ? "extern" : "visible",
                             v.is_constant ? "const" : "global", v.name, std::max<u64>(v.size, 1),
                             is_extern ? "" : bytes_text(v.initial, v.size));
  }
  text += variables;
  for (const std::string& declaration : builtins) text += declaration + "\n";
  const u32 before = static_cast<u32>(std::ranges::count(text, '\n'));
  text += kernels;
  out.ptx = text;
  Result<ptx::Parsed> parsed = ptx::parse(out.ptx, {name, false});
  if (!parsed) {
    for (const Translated& kernel : translated) out.refused[kernel.name] = parsed.error().message;
    return out;
  }
  out.module = std::move(parsed->module);
  out.module.sm = sm;
  for (const DeviceVariable& v : image.variables) add_addresses(out.module, v);
  const fatbin::MachineCode lines{cubin};
  Origins origins(out.module, lines, has_no_local_arrays(ptx));
  for (Translated& kernel : translated) {
    kernel.first_line += before;
    const ir::FunctionId id = out.module.find_function(kernel.name);
    if (!id.valid()) continue;
    out.module.functions[id.value].reserved_shared =
        kernel.image->shared_bytes != 0 ? static_cast<u32>(kernel.image->shared_reserved) : 0;
    out.module.functions[id.value].is_machine_code = true;
    const std::vector<ir::VariableId>& parameters = out.module.functions[id.value].parameters;
    for (std::size_t i = 0; i < std::min(parameters.size(), kernel.image->parameters.size()); ++i)
      out.module.variables[parameters[i].value].offset = kernel.image->parameters[i].offset;
    add_meetings(out.module.functions[id.value], kernel);
    origins.add(out.module.functions[id.value], kernel, kernel.code);
    ir::tidy(out.module, out.module.functions[id.value]);
  }
  return out;
}

} // namespace warplens::translate
