// Real compilations: every header's coverage file and every example, with clang and no toolkit; with nvcc
// where the machine has one (registered when the tests are configured). Every PTX must be one that our parser
// reads.
#include "os/temp_dir.h"
#include "ptx/parse.h"
#include "toolchain/compile.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <regex>

namespace warplens::toolchain {
namespace {

using os::TempDir;

using testing::HasSubstr;

CompileRequest request(const TempDir& folder, std::string source, Compiler compiler) {
  CompileRequest r;
  r.source = std::move(source);
  r.compiler = compiler;
  r.folder = folder.path();
  r.headers = header_folder();
  r.cudart = WARPLENS_BINARY_DIR "/lib/libcudart.so.13";
  return r;
}

// Compiles and returns the PTX; what the compiler says becomes part of the failure.
std::string ptx_of(const std::string& source, Compiler compiler, u32 sm = 90) {
  auto folder = TempDir::create();
  CompileRequest r = request(*folder, source, compiler);
  r.sm = sm;
  std::string said;
  r.on_output = [&](std::string_view text) { said += text; };
  auto ptx = compile_to_ptx(r);
  EXPECT_TRUE(ptx) << said << (ptx ? "" : ptx.error().message);
  EXPECT_EQ(said, "");
  return ptx.value_or("");
}

std::vector<std::string> sources(const char* folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cu") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}
std::string stem(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem();
}

class Source : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Coverage, Source, testing::ValuesIn(sources(WARPLENS_TEST_DATA)), stem);
INSTANTIATE_TEST_SUITE_P(Examples, Source, testing::ValuesIn(sources(WARPLENS_SOURCE_DIR "/examples")), stem);

std::string ptx_in(const TempDir& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".ptx") {
      std::ifstream in(entry.path(), std::ios::binary);
      return {std::istreambuf_iterator<char>(in), {}};
    }
  return "";
}

// Device pass and host pass in one compilation.
TEST_P(Source, ClangWithoutToolkit) {
  auto folder = TempDir::create();
  CompileRequest r = request(*folder, GetParam(), Compiler::clang);
  std::string said;
  r.on_output = [&](std::string_view text) { said += text; };
  auto compiled = compile(r);
  // Files that are no whole programs do not link; neither pass has anything to say.
  bool links = said.find("undefined reference to `main'") == said.npos;
  EXPECT_EQ(compiled.has_value(), links) << said;
  EXPECT_THAT(said, testing::Not(testing::AnyOf(HasSubstr("warning:"), HasSubstr(".cu:"))));
  std::string ptx = ptx_in(*folder);
  ASSERT_NE(ptx, "") << said;
  auto parsed = ptx::parse(ptx);
  EXPECT_TRUE(parsed) << diag::render(parsed.error());
}

const std::string data = WARPLENS_TEST_DATA;

TEST(ClangPtx, WideVectorsStayOneAccess) {
  std::string ptx = ptx_of(data + "/vector_types.cu", Compiler::clang);
  EXPECT_THAT(ptx, HasSubstr("ld.global.v4.f32"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.v2.f64"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr("ld.global.v2.f32")));
}

TEST(ClangPtx, AStructWithVectorsIsPassedByValue) {
  EXPECT_THAT(ptx_of(data + "/vector_types.cu", Compiler::clang),
              HasSubstr(".align 16 .b8 _Z8by_value6float44Pair7double26uchar4Pf_param_1[32]"));
}

TEST(ClangPtx, HeaderFunctionsHaveTheCallersLine) {
  std::string ptx = ptx_of(data + "/inline_stack.cu", Compiler::clang);
  std::size_t files = 0;
  for (std::size_t at = ptx.find("\t.file"); at != ptx.npos; at = ptx.find("\t.file", at + 1)) ++files;
  EXPECT_EQ(files, 1u) << "only the program's own file";
  std::size_t load = ptx.find("ld.global.nc");
  ASSERT_NE(load, ptx.npos);
  std::size_t location = ptx.rfind(".loc", load);
  EXPECT_EQ(ptx.substr(location, 9), ".loc\t1 3 ") << ptx.substr(location, 20);
}

// ptxas does not optimise what says so.
TEST(ClangPtx, IsNoCodeForADebugger) {
  const std::string ptx = ptx_of(data + "/inline_stack.cu", Compiler::clang);
  EXPECT_THAT(ptx, HasSubstr(".debug_info"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr(", debug\n")));
}

TEST(ClangPtx, SimpleHelpersAreInstructionsNotCalls) {
  for (const char* file : {"/memory_functions.cu", "/atomics.cu", "/warp_functions.cu"})
    EXPECT_THAT(ptx_of(data + file, Compiler::clang), testing::Not(HasSubstr("__nv_"))) << file;
}

TEST(ClangPtx, OlderArchitectures) {
  for (u32 sm : {60u, 70u, 80u})
    EXPECT_NE(ptx_of(WARPLENS_SOURCE_DIR "/examples/transpose.cu", Compiler::clang, sm), "");
}

TEST(Compile, ABadSourceIsRelayedAndExplained) {
  auto folder = TempDir::create();
  std::ofstream(folder->path() + "/bad.cu") << "__global__ void k() { undeclared = 1; }\n";
  CompileRequest r = request(*folder, folder->path() + "/bad.cu", Compiler::clang);
  std::string said;
  r.on_output = [&](std::string_view text) { said += text; };
  auto compiled = compile(r);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().kind, "toolchain-compile-failed");
  EXPECT_THAT(said, HasSubstr("bad.cu:1:23: error: use of undeclared identifier 'undeclared'"));
  EXPECT_THAT(compiled.error().help, HasSubstr("--compile-options"));
}

TEST(Compile, ManagedVariablesNeedNoNvcc) {
  auto folder = TempDir::create();
  std::ofstream(folder->path() + "/managed.cu") << "__managed__ int x;\nint main() { return x; }\n";
  CompileRequest r = request(*folder, folder->path() + "/managed.cu", Compiler::clang);
  std::string said;
  r.on_output = [&](std::string_view text) { said += text; };
  EXPECT_TRUE(compile(r));
  EXPECT_EQ(said, "");
}

#ifdef WARPLENS_TEST_NVCC
// Our headers stand or fall with this: the same memory instructions, by opcode and width, as nvcc's. The examples alone:
// the coverage files also use what CUDA 13 removed and our headers keep.
std::map<std::string, int> memory_instructions(const std::string& ptx) {
  std::map<std::string, int> count;
  static const std::regex instruction(R"((ld|st|atom|red)\.(global|shared|local|const)[a-z0-9.]*)");
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), instruction), end; at != end; ++at) ++count[at->str()];
  return count;
}
class Example : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Examples, Example, testing::ValuesIn(sources(WARPLENS_SOURCE_DIR "/examples")),
                         stem);
TEST_P(Example, NvccAndClangMakeTheSameMemoryInstructions) {
  std::string nvcc = ptx_of(GetParam(), Compiler::nvcc);
  auto parsed = ptx::parse(nvcc);
  EXPECT_TRUE(parsed) << diag::render(parsed.error());
  EXPECT_EQ(memory_instructions(nvcc), memory_instructions(ptx_of(GetParam(), Compiler::clang)));
}
#endif

TEST(Compile, MissingFilesFoldersAndNul) {
  auto folder = TempDir::create();
  EXPECT_EQ(compile(request(*folder, "missing.cu", Compiler::clang)).error().kind, "toolchain-no-source");
  EXPECT_EQ(compile(request(*folder, folder->path(), Compiler::clang)).error().kind, "toolchain-no-source");
  EXPECT_EQ(compile(request(*folder, std::string("a\0.cu", 5), Compiler::clang)).error().kind,
            "toolchain-bad-name");
}

TEST(Compile, MissingHeadersAreNamed) {
  auto folder = TempDir::create();
  CompileRequest r = request(*folder, data + "/atomics.cu", Compiler::clang);
  r.headers = "/nowhere";
  EXPECT_EQ(compile(r).error().kind, "toolchain-no-headers");
}

TEST(Compile, NamesWithSpacesAndQuotes) {
  auto folder = TempDir::create();
  std::string source = folder->path() + "/a b'\"$c.cu";
  std::filesystem::copy_file(data + "/atomics.cu", source);
  EXPECT_TRUE(compile_to_ptx(request(*folder, source, Compiler::clang)));
}

TEST(Compile, FilesOfRelocatableCodeBecomeOneProgram) {
  auto folder = TempDir::create();
  auto write = [&](const char* name, const char* text) {
    std::string path = folder->path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  };
  CompileRequest r =
      request(*folder,
              write("a.cu", "extern __device__ int f(int);\n__global__ void k(int* p) { *p = f(1); }\n"
                            "int main() { k<<<1, 1>>>(nullptr); }\n"),
              Compiler::clang);
  r.options = {"-rdc=true", write("b.cu", "__device__ int f(int x) { return x + 1; }\n")};
  auto compiled = compile(r);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(std::filesystem::exists(compiled->executable));
  write("b.cu", "static __device__ int named = 1;\n__device__ int f(int x) { return x + named; }\n"
                "void g() { int y = 2; cudaMemcpyToSymbol(named, &y, 4); }\n");
  auto refused = compile(r);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "toolchain-static-name");
  EXPECT_NE(refused.error().message.find("'named'"), std::string::npos) << refused.error().message;
}

} // namespace
} // namespace warplens::toolchain
