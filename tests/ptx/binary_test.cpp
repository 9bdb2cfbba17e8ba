// A module that is written and read is the same in every member, and damaged bytes are refused.
#include "ir/module_bytes.h"
#include "ptx/parse.h"
#include "support/print.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace warplens::ir {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_same(const Operand& a, const Operand& b) {
  EXPECT_TRUE(a.kind == b.kind && a.negated == b.negated && a.special == b.special && a.reg == b.reg &&
              a.variable == b.variable && a.function == b.function && a.block == b.block &&
              a.value == b.value);
}

void expect_same(const Instruction& a, const Instruction& b) {
  EXPECT_TRUE(a.form == b.form && a.guard == b.guard && a.guard_negated == b.guard_negated &&
              a.location == b.location && a.ptx_line == b.ptx_line && a.site == b.site &&
              a.first_operand == b.first_operand && a.destinations == b.destinations &&
              a.sources == b.sources && a.first_target == b.first_target && a.target_count == b.target_count);
}

void expect_same(const Function& a, const Function& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(a.entry == b.entry && a.external == b.external && a.visible == b.visible && a.weak == b.weak &&
              a.noreturn == b.noreturn && a.alias_of == b.alias_of);
  EXPECT_TRUE(a.parameters == b.parameters && a.results == b.results &&
              a.register_parameters == b.register_parameters && a.register_results == b.register_results &&
              a.variables == b.variables && a.carry == b.carry && a.targets == b.targets);
  EXPECT_TRUE(a.max_threads == b.max_threads && a.required_threads == b.required_threads &&
              a.min_ctas == b.min_ctas && a.ptx_line == b.ptx_line);
  ASSERT_EQ(a.registers.size(), b.registers.size());
  for (std::size_t i = 0; i < a.registers.size(); ++i)
    EXPECT_TRUE(a.registers[i].name == b.registers[i].name && a.registers[i].type == b.registers[i].type);
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (std::size_t i = 0; i < a.instructions.size(); ++i) expect_same(a.instructions[i], b.instructions[i]);
  ASSERT_EQ(a.operands.size(), b.operands.size());
  for (std::size_t i = 0; i < a.operands.size(); ++i) expect_same(a.operands[i], b.operands[i]);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i)
    EXPECT_TRUE(a.blocks[i].first == b.blocks[i].first && a.blocks[i].count == b.blocks[i].count &&
                a.blocks[i].successors == b.blocks[i].successors);
}

void expect_same(const Variable& a, const Variable& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(a.space == b.space && a.type == b.type && a.size == b.size && a.alignment == b.alignment &&
              a.external == b.external && a.visible == b.visible && a.weak == b.weak &&
              a.managed == b.managed && a.opaque == b.opaque && a.owner == b.owner && a.initial == b.initial);
  ASSERT_EQ(a.relocations.size(), b.relocations.size());
  for (std::size_t i = 0; i < a.relocations.size(); ++i) {
    const Relocation &x = a.relocations[i], &y = b.relocations[i];
    EXPECT_TRUE(x.offset == y.offset && x.size == y.size && x.variable == y.variable &&
                x.function == y.function && x.addend == y.addend && x.generic == y.generic &&
                x.shift == y.shift);
  }
}

void expect_same(const Module& a, const Module& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(a.version_major == b.version_major && a.version_minor == b.version_minor && a.sm == b.sm &&
              a.address_bits == b.address_bits && a.files == b.files && a.names == b.names &&
              a.sites == b.sites);
  ASSERT_EQ(a.forms.size(), b.forms.size());
  for (std::size_t i = 0; i < a.forms.size(); ++i) {
    const Form &x = a.forms[i], &y = b.forms[i];
    EXPECT_TRUE(x.text == y.text && x.opcode == y.opcode && x.modifiers == y.modifiers &&
                x.types == y.types && x.type_count == y.type_count && x.vector == y.vector)
        << x.text;
  }
  ASSERT_EQ(a.locations.size(), b.locations.size());
  for (std::size_t i = 0; i < a.locations.size(); ++i) {
    const Location &x = a.locations[i], &y = b.locations[i];
    EXPECT_TRUE(x.file == y.file && x.line == y.line && x.column == y.column &&
                x.inlined_at == y.inlined_at && x.function == y.function);
  }
  ASSERT_EQ(a.functions.size(), b.functions.size());
  for (std::size_t i = 0; i < a.functions.size(); ++i) expect_same(a.functions[i], b.functions[i]);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  for (std::size_t i = 0; i < a.variables.size(); ++i) expect_same(a.variables[i], b.variables[i]);
  EXPECT_EQ(print(a), print(b));
}

// Every kind of member that the example files lack.
constexpr std::string_view rare = R"(.version 8.3
.target sm_90
.address_size 64
.global .attribute(.managed) .align 8 .u64 m = 5;
.global .align 8 .u64 table[3] = {f, generic(m)+8, 0xFF00(m)};
.weak .global .u32 w;
.extern .shared .align 16 .b8 dynamic[];
.global .texref t;
.func (.reg .u32 r) leaf(.reg .u32 a) { add.u32 r, a, -1; ret; }
.visible .func (.param .b32 o) f(.param .b32 i) .noreturn { trap; }
.alias g, f;
.visible .entry k(.param .u64 p) .maxntid 128, 2 .reqntid 64 .minnctapersm 3 {
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .reg .v2 .f32 v;
  .local .align 4 .b8 here[16];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r7, %nonsense.x;
  setp.lt.s32 %p1, %r1, -5;
  @!%p1 ld.global.nc.v2.f32 v, [%rd1+-8];
  selp.b32 %r5, %r1, 7, !%p1;
  add.cc.u32 %r2, %r1, 0xffffffff; addc.u32 %r3, %r2, 0;
  frobnicate.s32 %r1, %r2;
T: .branchtargets A, B;
  brx.idx %r1, T;
A: st.shared.u32 [dynamic+4], %r1;
B: ret;
})";

std::vector<std::string> texts() {
  std::vector<std::string> out{std::string(rare)};
  for (const char* folder : {"/tests/ptx", "/tests/fuzz/seeds"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(WARPLENS_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".ptx") out.push_back(read_file(entry.path()));
  return out;
}

TEST(Binary, AModuleThatIsReadIsTheOneThatWasWritten) {
  std::size_t modules = 0;
  for (const std::string& text : texts()) {
    Result<ptx::Parsed> parsed = ptx::parse(text, {"in.ptx"});
    if (!parsed) continue;
    ++modules;
    std::vector<std::byte> bytes = encode(parsed->module);
    std::optional<Module> read = decode(bytes);
    ASSERT_TRUE(read);
    expect_same(parsed->module, *read);
    EXPECT_EQ(encode(*read), bytes);
  }
  EXPECT_GE(modules, 5u);
}

TEST(Binary, SourceStacksAreStillShared) {
  Module module;
  access::SourceStack stack{{"a.cu", 1, 2, "f"}};
  module.sites = {{access::SiteId(0u), "k", stack}, {access::SiteId(1u), "k", stack}};
  std::optional<Module> read = decode(encode(module));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sites[1].frames, stack);
  EXPECT_EQ(read->sites[0].frames.all().data(), read->sites[1].frames.all().data());
}

TEST(Binary, CutOffBytesAreRefused) {
  Result<ptx::Parsed> parsed = ptx::parse(rare);
  ASSERT_TRUE(parsed) << parsed.error().message;
  std::vector<std::byte> bytes = encode(parsed->module);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode(std::span(bytes).first(length))) << length;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(decode(bytes)) << "too long";
}

TEST(Binary, DamagedBytesAreRefusedOrReadWithoutHarm) {
  Result<ptx::Parsed> parsed = ptx::parse(rare);
  ASSERT_TRUE(parsed);
  std::vector<std::byte> bytes = encode(parsed->module);
  std::mt19937 random(1);
  u32 refused = 0;
  constexpr u32 rounds = 20000;
  for (u32 round = 0; round < rounds; ++round) {
    std::vector<std::byte> damaged = bytes;
    for (u32 n = random() % 3 + 1; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    refused += !decode(damaged);
  }
  EXPECT_GT(refused, rounds / 4);
}

} // namespace
} // namespace warplens::ir
