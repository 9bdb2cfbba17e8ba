// The words of a launch, one a line, for one of a few kernels; what they fill is filled.
#include "fuzz/target.h"
#include "launcher/plan.h"
#include "ptx/parse.h"

namespace {

using namespace warplens;

constexpr char kernels[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5saxpyiPKfPff(.param .u32 n, .param .u64 x, .param .u64 y, .param .f32 a) { ret; }
.visible .entry tuned(.param .b32 either, .param .align 8 .b8 pair[12], .param .u16 half) .reqntid 64, 2 { ret; }
.visible .entry _Z1fIfEvv() { ret; }
.visible .entry _Z1fIdEvv() { ret; }
)";

void carry_out(const launcher::Plan& plan, const ir::Module& module) {
  const ir::Function& kernel = module.functions[module.find_function(plan.kernel).value];
  fuzz::require(plan.arguments.size() == kernel.parameters.size(), "every parameter has an argument");
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const launcher::Argument& argument = plan.arguments[i];
    const u64 size = module.variables[kernel.parameters[i].value].size;
    fuzz::require(argument.buffer
                      ? size == 8
                      : (argument.value.empty() ? argument.bytes() : argument.value.size()) == size,
                  "an argument has its parameter's size");
    constexpr u64 most = 1 << 16;
    if (!argument.value.empty() || argument.bytes() > most ||
        argument.fill.kind == launcher::Fill::Kind::file)
      continue;
    std::vector<std::byte> content(argument.bytes());
    fuzz::require(launcher::fill(content, argument.type, argument.fill).has_value(),
                  "a fill that was planned fills");
  }
}

} // namespace

FUZZ_TARGET(launch) {
  static const ir::Module module = std::move(ptx::parse(kernels)->module);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < input.size();) {
    std::size_t end = std::min(input.find('\n', at), input.size());
    words.emplace_back(input.substr(at, end - at));
    at = end + 1;
  }
  Result<launcher::Plan> plan = launcher::plan_launch(module, "kernels.ptx", words, *arch::find(90));
  if (plan)
    carry_out(*plan, module);
  else
    fuzz::require(!plan.error().message.empty(), "what cannot be launched has a reason");
}
