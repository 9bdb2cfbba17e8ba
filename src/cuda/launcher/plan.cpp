// See plan.h. What each argument says is read in arguments.cpp.
#include "launcher/plan.h"
#include "ir/call_graph.h"
#include "launcher/arguments.h"
#include "launcher/example.h"
#include "launcher/kernels.h"
#include "launcher/words.h"
#include "os/environment.h"
#include "os/output_file.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warplens::launcher {
namespace {

// One launch of one kernel, while its plan is made.
class Planner {
public:
  Planner(const ir::Module& module, const ir::Function& kernel, const std::string& file, const Words& words,
          const arch::Architecture& architecture)
      : module_(module), kernel_(kernel), file_(file), words_(words), architecture_(architecture) {}

  Result<Plan> plan() {
    plan_.kernel = kernel_.name;
    // What the blocks of a cooperative launch wait at is passed in these.
    plan_.is_cooperative = has_operand([](const ir::Operand& o) {
      return o.kind == ir::Operand::Kind::special &&
             (o.special == ir::Special::envreg1 || o.special == ir::Special::envreg2);
    });
    for (auto step :
         {&Planner::shape, &Planner::shared, &Planner::arguments, &Planner::sizes, &Planner::saves})
      if (Result<void> done = (this->*step)(); !done) return failure(done.error());
    return std::move(plan_);
  }

private:
  const ir::Variable& parameter(std::size_t i) const {
    return module_.variables[kernel_.parameters[i].value];
  }
  // Has the kernel, or what it calls?
  template <class Holds> bool has_operand(Holds&& holds) const {
    const ir::Reachable all = ir::reachable(module_, module_.find_function(kernel_.name));
    return std::ranges::any_of(all.functions, [&](ir::FunctionId f) {
      return std::ranges::any_of(module_.functions[f.value].operands, holds);
    });
  }
  // The parameters, as a note; and a command line to start from, as a help.
  std::vector<std::string> signature() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i)
      out.push_back(fmt::format("{}: {} {}", i + 1, type_text(parameter(i)), said_name(parameter(i))));
    return {fmt::format("{} takes {}", short_name(kernel_.name),
                        out.empty() ? "no parameters" : fmt::format("{}", fmt::join(out, ", ")))};
  }
  tl::unexpected<diag::Diagnostic> incomplete(std::string message) const {
    const Proposal proposal = propose(module_, kernel_, file_, words_, architecture_);
    std::vector<std::string> notes = signature();
    if (!proposal.line.empty())
      notes.emplace_back("the sizes and strides below are guesses: counts depend on them, so write yours");
    return bad(std::move(message), proposal.line.empty() ? proposal.reason : "e.g. " + proposal.line,
               std::move(notes));
  }

  Result<void> shape() {
    const auto& required = kernel_.required_threads;
    if (!words_.grid)
      return incomplete(
          fmt::format("--grid is missing: how many blocks of '{}' to launch", short_name(kernel_.name)));
    Result<Dim3> grid = dimensions("--grid", *words_.grid);
    if (!grid) return failure(grid.error());
    plan_.grid = *grid;
    if (!words_.block && required[0] == 0)
      return incomplete(fmt::format("--block is missing: '{}' does not say its block's size (.reqntid)",
                                    short_name(kernel_.name)));
    plan_.block = {required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
    if (words_.block) {
      Result<Dim3> block = dimensions("--block", *words_.block);
      if (!block) return failure(block.error());
      if (required[0] != 0 && !(*block == plan_.block))
        return bad(fmt::format("--block {}: '{}' was compiled for blocks of {}×{}×{} threads (.reqntid)",
                               *words_.block, short_name(kernel_.name), plan_.block.x, plan_.block.y,
                               plan_.block.z),
                   "leave --block out");
      plan_.block = *block;
    }
    if (auto problem = launch_problem(architecture_.limits.launch(), plan_.grid, plan_.block))
      return bad(fmt::format("{}: {}", problem->what, problem->most));
    return {};
  }

  Result<void> shared() {
    if (!words_.shared) {
      // A kernel that takes what it is launched with gets what a block has without asking for more.
      constexpr u32 without_asking = 48 << 10;
      if (takes_any_shared()) plan_.shared = without_asking, plan_.is_shared_assumed = true;
      return {};
    }
    const char* end = words_.shared->data() + words_.shared->size();
    auto [parsed, error] = std::from_chars(words_.shared->data(), end, plan_.shared);
    const u32 most = architecture_.limits.shared_per_block_optin;
    if (error != std::errc{} || parsed != end || plan_.shared > most)
      return bad(fmt::format("--shared '{}' is not a number of bytes up to {}, which a block can have",
                             *words_.shared, most));
    return {};
  }

  // Machine code does not say: it does where it has shared memory and no array there.
  bool takes_any_shared() const {
    if (!kernel_.is_machine_code)
      return has_operand([&](const ir::Operand& o) {
        return o.variable.valid() && module_.variables[o.variable.value].external &&
               module_.variables[o.variable.value].space == ir::StateSpace::shared;
      });
    const bool has_array = std::ranges::any_of(kernel_.operands, [&](const ir::Operand& o) {
      return o.variable.valid() && module_.variables[o.variable.value].space == ir::StateSpace::shared &&
             module_.variables[o.variable.value].size > kernel_.reserved_shared;
    });
    return !has_array && std::ranges::any_of(kernel_.instructions, [&](const ir::Instruction& i) {
      return module_.form(i).space() == ir::StateSpace::shared;
    });
  }

  Result<void> arguments() {
    const std::size_t wanted = kernel_.parameters.size(), given = words_.arguments.size();
    if (given > wanted)
      return incomplete(fmt::format("'{}' has {} parameters, and there are {} --arg",
                                    short_name(kernel_.name), wanted, given));
    for (std::size_t i = 0; i < given; ++i) {
      Result<Argument> one = read_argument(words_.arguments[i], parameter(i), plan_.arguments);
      if (!one) return failure(one.error());
      plan_.arguments.push_back(std::move(*one));
    }
    if (given < wanted)
      return incomplete(fmt::format("--arg for {} is missing: there {} {} of {}",
                                    described(given, parameter(given)), given == 1 ? "is" : "are", given,
                                    wanted));
    return {};
  }

  // What nobody fills takes no memory of the machine until a kernel touches it.
  Result<void> sizes() {
    u64 all = 0, filled = 0;
    for (const Argument* buffer : plan_.buffers()) {
      if (__builtin_add_overflow(all, buffer->bytes(), &all)) all = ~u64{0};
      if (buffer->fill.kind != Fill::Kind::zeros) filled += buffer->bytes();
    }
    const double gib = 0x1p-30;
    if (all > architecture_.part.memory_bytes)
      return bad(fmt::format("the buffers take {:.1f} GiB, and the device has {:.1f}",
                             static_cast<double>(all) * gib,
                             static_cast<double>(architecture_.part.memory_bytes) * gib),
                 "make them smaller, or choose a device that has more: --sm");
    if (const u64 machine = os::physical_memory(); filled > machine)
      return bad(fmt::format("the buffers that are filled take {:.1f} GiB, and this machine has {:.1f}",
                             static_cast<double>(filled) * gib, static_cast<double>(machine) * gib),
                 "make them smaller");
    return {};
  }

  Result<void> saves() {
    for (const std::string& word : words_.saves) {
      Save save;
      const std::size_t equals = word.find('=');
      const char* end = word.data() + (equals == word.npos ? 0 : equals);
      auto [parsed, error] = std::from_chars(word.data(), end, save.argument);
      --save.argument; // where it was 0, past all
      if (error != std::errc{} || parsed != end || save.argument >= plan_.arguments.size() ||
          plan_.arguments[save.argument].its_buffer() == nullptr || equals + 1 == word.size())
        return bad(fmt::format("--save '{}' is not ARGUMENT=FILE, where the argument is a buffer", word),
                   "e.g. --save 1=out.bin; arguments are counted from 1");
      save.file = word.substr(equals + 1);
      if (std::string_view other = read_or_saved(save.file); !other.empty())
        return bad(fmt::format("--save would write over '{}', which {}", save.file, other),
                   "save to another file");
      plan_.saves.push_back(std::move(save));
    }
    return {};
  }

  // What else a file is for, if anything.
  std::string_view read_or_saved(const std::string& file) const {
    if (os::is_same_file(file, file_)) return "holds the kernel";
    auto reads = [&](const Argument& one) {
      return one.fill.kind == Fill::Kind::file && os::is_same_file(file, one.fill.text);
    };
    for (const Argument& argument : plan_.arguments)
      if (reads(argument) || std::ranges::any_of(argument.members, reads))
        return "an argument is filled from";
    for (const Save& save : plan_.saves)
      if (save.file == file || (os::is_same_file(save.file, file) && std::filesystem::is_regular_file(file)))
        return "another argument is saved to";
    return {};
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  const std::string& file_;
  const Words& words_;
  const arch::Architecture& architecture_;
  Plan plan_;
};

} // namespace

std::vector<const Argument*> Plan::buffers() const {
  std::vector<const Argument*> out;
  auto add = [&](const Argument& one) {
    if (one.buffer && !one.same_as) out.push_back(&one);
  };
  for (const Argument& argument : arguments) {
    add(argument);
    std::ranges::for_each(argument.members, add);
  }
  return out;
}

Result<Plan> plan_launch(const ir::Module& module, const std::string& file,
                         std::span<const std::string> words, const arch::Architecture& architecture) {
  Result<Words> sorted = sort_words(words, file);
  if (!sorted) return failure(sorted.error());
  Result<const ir::Function*> kernel = find_kernel(module, file, sorted->kernel);
  if (!kernel) return failure(kernel.error());
  return Planner(module, **kernel, file, *sorted, architecture).plan();
}

} // namespace warplens::launcher
