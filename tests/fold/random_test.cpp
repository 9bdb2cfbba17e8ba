// Random kernels whose addresses and branches depend on indices alone, over odd grids: folded counts must be
// those of full emulation for every architecture. The generator draws from the operations that index
// computations use, and some that folding does not follow; a refusal is no failure, but most kernels must
// fold, and some must fold well.
//
// WARPLENS_FOLD_PROGRAMS sets how many, WARPLENS_FOLD_SEED the first seed.
#include "fold/harness.h"
#include "oracle/random_program.h"
#include <cstdlib>
#include <fmt/format.h>
#include <random>

namespace warplens {
namespace {

using namespace fold_testing;

u64 setting(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// The buffer: every access is at most this far in, whatever the index.
constexpr u32 most_index = 65535, widest = 16;

class Generator {
public:
  explicit Generator(u64 seed) : random_(seed) {}

  std::string kernel() {
    for (const char* name : {"%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%ntid.x", "%nctaid.x"})
      line(fmt::format("mov.u32 {}, {};", fresh(), name));
    std::string linear = fresh();
    line(fmt::format("mad.lo.u32 {}, %r0, %r5, %r3;", linear));
    for (u32 i = 0; i < 2; ++i) blocks_.push_back(linear); // the index that real kernels use most
    blocks_.insert(blocks_.end(), {"%r0", "%r1", "%r2"});
    for (u32 i = 0; i < registers_; ++i) pool_.push_back(fmt::format("%r{}", i));
    statements(3 + below(5), 2);
    access();
    return fmt::format(
        "{}.visible .entry k(.param .u64 p, .param .u32 n) {{\n"
        ".reg .b32 %r<{}>; .reg .b64 %a<{}>; .reg .pred %p<{}>; .reg .b32 %d<8>; .reg .b16 %h<2>;\n"
        ".shared .align 16 .b8 tile[4096];\n"
        "ld.param.u64 %a0, [p]; mov.u32 %d1, 1; mov.u32 %d2, 2; mov.u32 %d3, 3; mov.u32 %d4, "
        "4;\n{}ret;\n}}\n",
        sim::ptx_header(), registers_ + 1, addresses_ + 1, predicates_ + 1, body_);
  }
  Size grid() {
    switch (below(4)) {
    case 0: return {1 + below(300)};
    case 1: return {1 + below(40), 1 + below(12)};
    case 2: return {1 + below(9), 1 + below(7), 1 + below(5)};
    default: return {64u << below(3)};
    }
  }
  Size block() {
    switch (below(4)) {
    case 0: return {32u << below(3)};
    case 1: return {1 + below(130)};
    case 2: return {1 + below(20), 1 + below(6)};
    default: return {16, 8};
    }
  }
  u32 below(std::size_t n) { return static_cast<u32>(random_() % n); }

private:
  std::string fresh() { return fmt::format("%r{}", registers_++); }
  void line(const std::string& text) { body_ += text + "\n"; }
  const std::string& any() {
    return below(3) == 0 ? blocks_[below(blocks_.size())] : pool_[below(pool_.size())];
  }
  u32 number() {
    constexpr u32 usual[] = {1,  2,  3,  4,   5,   7,   8,   12,  16,   31,  32,
                             33, 48, 64, 100, 127, 128, 255, 256, 1000, 1024};
    return usual[below(std::size(usual))];
  }
  std::string result(const std::string& text) {
    std::string to = fresh();
    line(fmt::format(fmt::runtime(text), to));
    pool_.push_back(to);
    return to;
  }

  void compute() {
    const std::string a = any(), b = any();
    u32 c = number(), shift = below(9);
    switch (below(24)) {
    case 0: result(fmt::format("add.s32 {{}}, {}, {};", a, b)); break;
    case 1: result(fmt::format("sub.s32 {{}}, {}, {};", a, b)); break;
    case 2: result(fmt::format("mul.lo.s32 {{}}, {}, {};", a, c)); break;
    case 3: result(fmt::format("mad.lo.s32 {{}}, {}, {}, {};", a, c, b)); break;
    case 4: result(fmt::format("shl.b32 {{}}, {}, {};", a, shift)); break;
    case 5: result(fmt::format("shr.u32 {{}}, {}, {};", a, shift)); break;
    case 6: result(fmt::format("shr.s32 {{}}, {}, {};", a, shift)); break;
    case 7: result(fmt::format("div.u32 {{}}, {}, {};", a, c)); break;
    case 8: result(fmt::format("rem.u32 {{}}, {}, {};", a, c)); break;
    case 9: result(fmt::format("div.s32 {{}}, {}, {};", a, c)); break;
    case 10: result(fmt::format("and.b32 {{}}, {}, {};", a, below(2) ? (1u << shift) - 1 : c)); break;
    case 11: result(fmt::format("and.b32 {{}}, {}, {};", a, ~((1u << shift) - 1))); break;
    case 12: result(fmt::format("or.b32 {{}}, {}, {};", a, b)); break;
    case 13: result(fmt::format("xor.b32 {{}}, {}, {};", a, below(2) ? "1" : b)); break;
    case 14: result(fmt::format("min.s32 {{}}, {}, {};", a, below(2) ? std::to_string(c) : b)); break;
    case 15: result(fmt::format("max.u32 {{}}, {}, {};", a, below(2) ? std::to_string(c) : b)); break;
    case 16: result(fmt::format("mul.hi.u32 {{}}, {}, {};", a, 1431655766u)); break;
    case 17: result(fmt::format("bfe.u32 {{}}, {}, {}, {};", a, shift, 1 + below(8))); break;
    case 18: result(fmt::format("not.b32 {{}}, {};", a)); break;
    case 19: {
      std::string p = predicate();
      result(fmt::format("selp.b32 {{}}, {}, {}, {};", a, b, p));
      break;
    }
    case 20: {
      line(fmt::format("cvt.u16.u32 %h0, {};", a));
      result(fmt::format("mul.wide.u16 {{}}, %h0, {};", number()));
      break;
    }
    case 21:
      result(fmt::format("shf.{}.{}.b32 {{}}, {}, {}, {};", below(2) ? "l" : "r", below(2) ? "clamp" : "wrap",
                         a, below(2) ? b : "0", below(40)));
      break;
    case 22: { // the sign of a quotient
      std::string sign = result(fmt::format("xor.b32 {{}}, {}, {};", a, b)),
                  p = fmt::format("%p{}", predicates_++);
      line(fmt::format("setp.{}.s32 {}, {}, 0;", below(2) ? "lt" : "ge", p, sign));
      result(fmt::format("selp.b32 {{}}, {}, {}, {};", a, b, p));
      break;
    }
    default: { // through 64 bits and back
      std::string x = fmt::format("%a{}", addresses_++ + 1);
      line(fmt::format("mul.wide.s32 {}, {}, {};", x, a, c));
      line(fmt::format("{} {}, {}, {};", below(2) ? "shr.s64" : "shr.u64", x, x, shift));
      result(fmt::format("cvt.u32.u64 {{}}, {};", x));
    }
    }
  }

  std::string predicate() {
    constexpr const char* how[] = {"lt.s32", "le.u32", "gt.s32", "ge.u32", "eq.s32", "ne.s32"};
    std::string p = fmt::format("%p{}", predicates_++);
    line(fmt::format("setp.{} {}, {}, {};", how[below(std::size(how))], p, any(),
                     below(3) == 0 ? any() : std::to_string(below(2) ? number() : below(2000))));
    return p;
  }

  void access() {
    std::string index = fresh(), guard = below(4) == 0 ? "@" + predicate() + " " : "";
    line(fmt::format("and.b32 {}, {}, {};", index, any(), most_index));
    if (below(6) == 0) { // shared memory
      line(fmt::format("and.b32 {}, {}, 1023; shl.b32 {}, {}, 2;", index, index, index, index));
      std::string base = fresh();
      line(fmt::format("mov.u32 {}, tile; add.u32 {}, {}, {};", base, index, index, base));
      line(fmt::format("{}{}", guard,
                       below(2) ? fmt::format("st.shared.u32 [{}], %d1;", index)
                                : fmt::format("ld.shared.u32 %d1, [{}];", index)));
      return;
    }
    u32 bytes = 1u << below(5);
    std::string address = fmt::format("%a{}", addresses_++ + 1);
    line(fmt::format("mul.wide.u32 {}, {}, {}; add.u64 {}, {}, %a0;", address, index, bytes, address,
                     address));
    const char* space = below(5) == 0 ? "" : ".global";
    std::string type = bytes == 1   ? ".u8"
                       : bytes == 2 ? ".u16"
                       : bytes == 4 ? ".u32"
                       : bytes == 8 ? ".v2.u32"
                                    : ".v4.u32";
    std::string data = bytes <= 4 ? "%d1" : bytes == 8 ? "{%d1, %d2}" : "{%d1, %d2, %d3, %d4}";
    if (bytes == 4 && below(4) == 0)
      line(fmt::format("{}red{}.add.u32 [{}], %d2;", guard, space, address));
    else if (below(2))
      line(fmt::format("{}st{}{} [{}], {};", guard, space, type, address, data));
    else
      line(fmt::format("{}ld{}{} {}, [{}];", guard, space, type, data, address));
  }

  // What is computed inside a branch may be undefined after it: it leaves the pool.
  template <class F> void scope(F&& inside) {
    std::size_t known = pool_.size();
    inside();
    pool_.resize(known);
  }

  void statements(u32 count, u32 depth) {
    for (u32 i = 0; i < count; ++i) {
      u32 kind = below(10);
      if (kind < 6 || depth == 0) {
        compute();
      } else if (kind < 8) {
        access();
      } else if (kind == 8) {
        std::string label = fmt::format("L{}", labels_++), p = predicate();
        line(fmt::format("@{}{} bra {};", below(2) ? "!" : "", p, label));
        scope([&] {
          statements(1 + below(3), depth - 1);
          access();
        });
        line(label + ":");
      } else {
        std::string label = fmt::format("L{}", labels_++), counter = fresh(), bound = fresh(),
                    p = fmt::format("%p{}", predicates_++);
        line(fmt::format("mov.u32 {}, 0; and.b32 {}, {}, 3;", counter, bound, any()));
        line(label + ":");
        scope([&] {
          pool_.push_back(counter);
          statements(1 + below(2), depth - 1);
          access();
        });
        line(fmt::format("add.u32 {}, {}, 1; setp.le.u32 {}, {}, {}; @{} bra {};", counter, counter, p,
                         counter, bound, p, label));
      }
    }
  }

  std::mt19937_64 random_;
  std::string body_;
  std::vector<std::string> pool_, blocks_;
  u32 registers_ = 0, addresses_ = 0, predicates_ = 0, labels_ = 0;
};

TEST(FoldRandom, CountsAreThoseOfFullEmulation) {
  u64 first = setting("WARPLENS_FOLD_SEED", 1), count = setting("WARPLENS_FOLD_PROGRAMS", 150);
  u64 folded = 0, well = 0;
  for (u64 seed = first; seed < first + count; ++seed) {
    Generator generator(seed);
    std::string ptx = generator.kernel();
    Size grid = generator.grid(), block = generator.block();
    SCOPED_TRACE(fmt::format("seed {}, grid {} {} {}, block {} {} {}", seed, grid.x, grid.y, grid.z, block.x,
                             block.y, block.z));
    Gpu gpu;
    if (!gpu.load(ptx)) return;
    u64 buffer = gpu.buffer(std::vector<std::byte>((most_index + 1) * widest));
    Launch launch{"k", grid, block, {buffer, 0}};
    Counted counts = count_folded(gpu, launch);
    if (!counts.rejected.empty()) continue;
    expect_equal(counts, emulate(gpu, launch));
    ++folded;
    well += counts.classes * 2 <= grid.count();
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << ptx;
      return; // one seed says enough
    }
  }
  EXPECT_GE(folded * 10, count * 7);
  EXPECT_GE(well * 10, count * 2);
  RecordProperty("folded", static_cast<int>(folded));
  RecordProperty("well", static_cast<int>(well));
}

// The programs that the emulator is compared with a naive interpreter on: every instruction there is, calls,
// recursion, shuffles, shared memory, data that decides. Most are rejected; the others must count alike.
TEST(FoldRandom, ProgramsOfEveryInstruction) {
  u64 first = setting("WARPLENS_FOLD_SEED", 1), count = setting("WARPLENS_FOLD_PROGRAMS", 150), folded = 0;
  for (u64 seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    oracle::RandomProgram program = oracle::random_program(seed);
    Gpu gpu;
    if (!gpu.load(program.ptx)) return;
    Launch launch{"k",
                  {program.grid.x, program.grid.y, program.grid.z},
                  {program.block.x, program.block.y, program.block.z},
                  {gpu.buffer(program.input),
                   gpu.buffer(std::vector<std::byte>(program.grid.count() * program.block.count() *
                                                     program.output_stride)),
                   gpu.buffer(std::vector<std::byte>(program.scratch_bytes)), program.a, program.b},
                  program.dynamic_shared};
    Counted counts = count_folded(gpu, launch);
    if (!counts.rejected.empty()) continue;
    ++folded;
    expect_equal(counts, emulate(gpu, launch));
    if (testing::Test::HasFailure()) return;
  }
  RecordProperty("folded_of_every_instruction", static_cast<int>(folded));
  EXPECT_GT(folded, 0u);
}

} // namespace
} // namespace warplens
