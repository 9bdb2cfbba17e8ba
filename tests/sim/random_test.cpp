// Random programs, run by the emulator and by the naïve interpreter of tests/oracle: outputs bit for bit
// (NaNs of one register as one value), scratch memory byte for byte, and for every site the counts of the
// emulator's accesses against those of the interpreter's accesses under the plain rule of one warp.
//
// WARPLENS_RANDOM_PROGRAMS sets how many (60, a few seconds' worth, by default), WARPLENS_RANDOM_SEED the first
// seed (1). A failure names the seed of its program: WARPLENS_RANDOM_SEED=4711 WARPLENS_RANDOM_PROGRAMS=1 runs that
// one again.
#include "arch/count.h"
#include "measure/collect.h"
#include "oracle/interpreter.h"
#include "oracle/random_program.h"
#include "oracle/random_shapes.h"
#include "sim/harness.h"
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace warplens {
namespace {

using Bytes = std::vector<std::byte>;
using SiteCounts = std::map<std::pair<u32, access::Space>, arch::Counts>;

u64 setting(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

struct Both {
  Bytes output, scratch;
  SiteCounts counts;
  std::string error;
};

struct Buffers {
  u64 input = 0, output = 0, scratch = 0, output_bytes = 0;
};

Buffers allocate(sim::Gpu& gpu, const oracle::RandomProgram& program) {
  Buffers b;
  b.output_bytes = program.grid.count() * program.block.count() * program.output_stride;
  b.input = gpu.buffer(program.input);
  b.output = gpu.buffer(Bytes(b.output_bytes));
  b.scratch = gpu.buffer(Bytes(program.scratch_bytes));
  return b;
}

Both emulate(sim::Gpu& gpu, const oracle::RandomProgram& program, const Buffers& b, u32 workers, u32 batch) {
  Both out;
  const arch::Architecture* device = arch::find(90);
  measure::Collector collector({&device, 1}, gpu.program->module().sites, workers);
  sim::LaunchOptions options;
  options.workers = workers;
  options.batch = batch;
  options.sinks = collector.sinks();
  sim::LaunchResult result =
      gpu.run("k", program.grid, program.block, {b.input, b.output, b.scratch, program.a, program.b}, options,
              program.dynamic_shared);
  if (result.fault) out.error = diag::render(result.fault->diagnostic);
  for (const measure::SiteRecord& record : collector.finish()) {
    const arch::Counts& counts = record.counters[0];
    if (counts.instructions != 0) out.counts[{record.site.id.value, record.space}] = counts;
  }
  out.output = gpu.read<std::byte>(b.output, b.output_bytes);
  out.scratch = gpu.read<std::byte>(b.scratch, program.scratch_bytes);
  return out;
}

Both interpret(const sim::Gpu& gpu, const oracle::RandomProgram& program, const Buffers& b) {
  const ir::Module& module = gpu.program->module();
  oracle::GlobalMemory memory;
  memory[b.input] = program.input;
  memory[b.output] = Bytes(b.output_bytes);
  memory[b.scratch] = Bytes(program.scratch_bytes);
  oracle::Launch launch;
  launch.kernel = *gpu.program->kernel("k");
  launch.grid = program.grid, launch.block = program.block, launch.dynamic_shared = program.dynamic_shared;
  launch.shared_window = gpu.device.memory->shared_window(),
  launch.local_window = gpu.device.memory->local_window();
  launch.param_window = gpu.device.memory->param_window(), launch.window_size = sim::Memory::window_size;
  launch.parameters.resize(40);
  const u64 parameters[] = {b.input, b.output, b.scratch, program.a, program.b};
  std::memcpy(launch.parameters.data(), parameters, sizeof parameters);
  for (u32 v = 0; v < module.variables.size(); ++v) {
    const ir::Variable& variable = module.variables[v];
    if (variable.space != ir::StateSpace::global && variable.space != ir::StateSpace::constant) continue;
    u64 address = gpu.program->symbol(variable.name)->address;
    launch.placed[v] = address;
    memory[address] = variable.initial;
    memory[address].resize(variable.size);
  }
  oracle::Outcome outcome = oracle::interpret(module, launch, memory);
  Both out{memory[b.output], memory[b.scratch], {}, outcome.error};
  for (const access::WarpAccess& access : outcome.accesses)
    out.counts[{access.site.value, access.space}] += arch::count(*arch::find(90), access);
  return out;
}

std::string differing_counts(const ir::Module& module, const SiteCounts& emulated,
                             const SiteCounts& expected) {
  std::ostringstream out;
  std::set<std::pair<u32, access::Space>> keys;
  for (const auto& [key, counts] : emulated) keys.insert(key);
  for (const auto& [key, counts] : expected) keys.insert(key);
  for (const auto& key : keys) {
    auto a = emulated.find(key), b = expected.find(key);
    arch::Counts x = a == emulated.end() ? arch::Counts{} : a->second,
                 y = b == expected.end() ? arch::Counts{} : b->second;
    const access::Site& site = module.sites[key.first];
    for (const arch::CountMember& member : arch::count_members)
      if (u64 got = x.*member.value, want = y.*member.value; got != want)
        out << "  PTX line " << site.ptx_line << " " << site.opcode << " " << access::name(key.second) << ": "
            << member.name << " " << got << ", expected " << want << "\n";
  }
  return out.str();
}

std::string first_difference(const Bytes& got, const Bytes& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i])
      return "scratch byte " + std::to_string(i) + ": " + std::to_string(std::to_integer<int>(got[i])) +
             " against " + std::to_string(std::to_integer<int>(want[i]));
  return "";
}

TEST(RandomPrograms, AgreeWithTheNaiveInterpreter) {
  u64 first = setting("WARPLENS_RANDOM_SEED", 1), count = setting("WARPLENS_RANDOM_PROGRAMS", 60);
  for (u64 seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    oracle::RandomProgram program = oracle::random_program(seed);
    sim::Gpu gpu;
    if (!gpu.load(program.ptx)) return;
    Buffers buffers = allocate(gpu, program);
    Both expected = interpret(gpu, program, buffers);
    ASSERT_EQ(expected.error, "");
    Both emulated =
        emulate(gpu, program, buffers, 1 + static_cast<u32>(seed % 3), static_cast<u32>(seed % 5));
    ASSERT_EQ(emulated.error, "");
    EXPECT_EQ(oracle::compare_outputs(program, emulated.output, expected.output), "");
    EXPECT_EQ(first_difference(emulated.scratch, expected.scratch), "");
    EXPECT_EQ(differing_counts(gpu.program->module(), emulated.counts, expected.counts), "");
    if (testing::Test::HasFailure()) return; // one seed says enough
  }
}

// The table of forms and ir/opcodes.def must cover each other.
TEST(RandomShapes, CoverEveryComputeOpcode) {
  std::set<std::string_view> drawn, excused;
  for (const oracle::Shape& shape : oracle::shapes()) {
    drawn.insert(shape.opcode());
    ASSERT_TRUE(ir::opcode_named(shape.opcode()).has_value()) << shape.text;
  }
  for (const oracle::Exempt& exempt : oracle::exempt()) excused.insert(exempt.opcode);
  for (std::size_t i = 0; i < ir::opcode_count; ++i) {
    const ir::OpcodeInfo& info = ir::info(static_cast<ir::Opcode>(i));
    if (info.family != ir::Family::compute) continue;
    EXPECT_NE(drawn.count(info.text), excused.count(info.text))
        << info.text << " is drawn and exempt, or neither";
  }
}

} // namespace
} // namespace warplens
