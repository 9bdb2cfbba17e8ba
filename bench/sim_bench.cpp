// How many thread instructions a second one core emulates, by class of instruction and by what the engine
// knows of the operands: "lanes" were loaded from memory, every lane with a value of its own; "affine" are
// threadIdx.x and what follows from it; "uniform" are the same in all lanes. Nothing is counted: count_bench
// has that part.
//
// Each class is a kernel written here: a loop of 64 instructions of the class over 8 registers, so that the
// loop itself is noise. `items_per_second` is thread instructions, the loop's included.
#include "ptx/parse.h"
#include "sim/sim.h"
#include <benchmark/benchmark.h>
#include <cstring>
#include <fmt/format.h>

namespace warplens {
namespace {

constexpr u32 threads = 256, ctas = 64, trips = 8, unrolled = 64;

struct Class {
  const char* name;
  const char* text; // {0}: a register number from 8 to 15, {1}: a byte offset per register
};
constexpr Class classes[] = {
    {"add_s32", "add.s32 %r{0}, %r{0}, %r1;"},
    {"mad_lo_s32", "mad.lo.s32 %r{0}, %r1, %r2, %r{0};"},
    {"and_b32", "and.b32 %r{0}, %r{0}, %r1;"},
    {"add_s64", "add.s64 %d{0}, %d{0}, %d1;"},
    {"fma_f32", "fma.rn.f32 %f{0}, %f{0}, %f1, %f1;"},
    {"fma_f64", "fma.rn.f64 %g{0}, %g{0}, %g1, %g1;"},
    {"setp_selp", "setp.lt.s32 %p1, %r{0}, %r1; selp.b32 %r{0}, %r1, %r{0}, %p1;"},
    {"cvt_f32_s32", "cvt.rn.f32.s32 %f{0}, %r1;"},
    {"load_shared", "ld.shared.u32 %r{0}, [%r4+{1}];"},
    {"store_shared", "st.shared.u32 [%r4+{1}], %r1;"},
    {"load_global", "ld.global.u32 %r{0}, [%d4+{1}];"},
    {"store_global", "st.global.u32 [%d4+{1}], %r1;"},
    {"shuffle", "shfl.sync.bfly.b32 %r{0}, %r{0}, 1, 31, -1;"},
    {"atomic_shared", "red.shared.add.u32 [%r4+{1}], %r1;"},
    {"atomic_global", "red.global.add.u32 [%d4+{1}], %r1;"},
};

// What %r1, the operand, and %r3, the index of the address, are.
struct Form {
  const char* name;
  const char* text;
};
constexpr Form forms[] = {
    {"lanes", "ld.global.u32 %r1, [%d3]; and.b32 %r3, %r1, 255;"},
    {"affine", "mov.u32 %r1, %r0; mov.u32 %r3, %r0;"},
    {"uniform", "ld.param.u32 %r1, [three]; mov.u32 %r3, %r1;"},
};

std::string kernel(const Class& c, const Form& form) {
  std::string body, start;
  for (u32 i = 0; i < unrolled; ++i) {
    body += fmt::format(fmt::runtime(c.text), 8 + i % 8, i % 8 * threads * 4);
    body += '\n';
  }
  for (u32 i = 8; i < 16; ++i)
    start +=
        fmt::format("mov.u32 %r{0}, %r1; mov.u64 %d{0}, %d1; mov.f32 %f{0}, %f1; mov.f64 %g{0}, %g1;\n", i);
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry run(.param .u64 data, .param .u32 three) {{
  .reg .b32 %r<24>; .reg .b64 %d<24>; .reg .f32 %f<24>; .reg .f64 %g<24>; .reg .pred %p<3>;
  .shared .align 8 .b8 tile[{bytes}];
  ld.param.u64 %d0, [data];
  ld.param.u32 %r2, [three];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.s64 %d3, %d0, %d2;
  {form}
  cvt.u64.u32 %d1, %r1; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %g1, %r1;
  mul.wide.u32 %d2, %r3, 4;
  add.s64 %d4, %d0, %d2;
  mov.u32 %r5, tile;
  shl.b32 %r4, %r3, 2;
  add.s32 %r4, %r4, %r5;
  {start}
  mov.u32 %r20, 0;
again:
  {body}
  add.s32 %r20, %r20, 1;
  setp.lt.u32 %p2, %r20, {trips};
  @%p2 bra again;
  ret;
}})",
                     fmt::arg("bytes", 8 * threads * 4), fmt::arg("form", form.text),
                     fmt::arg("start", start), fmt::arg("body", body), fmt::arg("trips", trips));
}

void emulate(benchmark::State& state, const Class& c, const Form& form) {
  auto parsed = ptx::parse(kernel(c, form));
  if (!parsed) return state.SkipWithError(diag::render(parsed.error()).c_str());
  sim::Device device;
  auto memory = sim::Memory::create(u64{1} << 30);
  if (!memory) return state.SkipWithError("no address space");
  device.memory = std::move(*memory);
  auto program = sim::Program::load(std::move(parsed->module), device);
  auto data = device.memory->allocate(u64{8} * threads * 4);
  if (!program || !data) return state.SkipWithError("the kernel cannot be loaded");
  u32* word = reinterpret_cast<u32*>(*data); // device pointers are the host's
  for (u32 i = 0; i < 8 * threads; ++i) word[i] = i * 37 % threads;

  std::array<std::byte, 12> parameters{};
  u32 three = 3;
  std::memcpy(parameters.data(), &*data, 8);
  std::memcpy(parameters.data() + 8, &three, 4);
  sim::LaunchSpec spec{*(*program)->kernel("run"), {ctas}, {threads}, {}, 0, parameters, false};
  sim::LaunchOptions options;
  options.workers = 1;
  u64 instructions = 0;
  for (auto _ : state) {
    sim::LaunchResult result = sim::launch(device, **program, spec, options);
    if (result.fault) return state.SkipWithError(diag::render(result.fault->diagnostic).c_str());
    instructions += result.thread_instructions;
  }
  state.SetItemsProcessed(static_cast<i64>(instructions));
}

const int registered = [] {
  for (const Class& c : classes)
    for (const Form& form : forms)
      benchmark::RegisterBenchmark(fmt::format("{}/{}", c.name, form.name).c_str(), emulate, c, form);
  return 0;
}();

} // namespace
} // namespace warplens
