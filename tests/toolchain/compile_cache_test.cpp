// A compilation that is found again is the one that would be made; anything that could change it makes it
// new.
#include "os/temp_dir.h"
#include "toolchain/compile_cache.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace warplens::toolchain {
namespace {

using os::TempDir;

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CompileCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::optional<LocatedCompiler> compiler = locate_compiler(compiler_, Search::from_environment());
    if (compiler && !binary_behind(compiler->path)) {
      EXPECT_FALSE(CompileCache(request(), compiler->kind, compiler->path).enabled());
      GTEST_SKIP() << compiler->path << " is a script that does more than call a compiler: nothing is kept";
    }
    write("header.h", "__device__ inline int answer() { return 42; }\n");
    write("a.cu", "#include \"header.h\"\n__global__ void k(int* p) { *p = answer(); }\n"
                  "int main() { k<<<1, 1>>>(nullptr); }\n");
    settle();
  }
  void write(const std::string& name, const std::string& text) {
    fs::path path = source_->path() + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // Files that change while the compiler runs are not kept; those of a moment ago cannot be told from them.
  static void settle() { usleep(30000); }

  struct Outcome {
    bool known, compiled;
    std::string program, said, description;
  };
  CompileRequest request() const {
    CompileRequest r;
    r.source = source_->path() + "/a.cu";
    r.compiler = compiler_;
    r.headers = header_folder();
    r.cudart = WARPLENS_BINARY_DIR "/lib/libcudart.so.13";
    r.cache = &store_;
    return r;
  }
  Outcome run(CompileRequest r) const {
    Result<TempDir> folder = TempDir::create();
    r.folder = folder->path();
    Outcome out{};
    r.on_output = [&](std::string_view text) { out.said += text; };
    std::optional<LocatedCompiler> located = locate_compiler(r.compiler, r.search);
    out.known = CompileCache(r, located->kind, located->path).find().has_value();
    out.said.clear();
    Result<Compiled> compiled = compile(r);
    out.compiled = compiled.has_value();
    if (!compiled) return out;
    out.program = read_file(compiled->executable);
    out.description = compiled->description;
    EXPECT_EQ(access(compiled->executable.c_str(), X_OK), 0);
    EXPECT_TRUE(std::any_of(fs::directory_iterator(r.folder), fs::directory_iterator(),
                            [](const auto& entry) { return entry.path().extension() == ".ptx"; }));
    return out;
  }
  Outcome run() const { return run(request()); }

  Compiler compiler_ = Compiler::clang;
  Result<TempDir> source_ = TempDir::create(), folder_ = TempDir::create();
  cache::Store store_{{folder_->path() + "/cache", u64{64} << 20}};
};

TEST_F(CompileCacheTest, FollowsTheContentOfEveryFile) {
  Outcome first = run(), second = run();
  EXPECT_FALSE(first.known);
  EXPECT_TRUE(second.known);
  EXPECT_EQ(first.program, second.program);
  EXPECT_EQ(first.description, second.description);
  write("header.h", "__device__ inline int answer() { return 43; }\n");
  settle();
  Outcome changed = run();
  EXPECT_FALSE(changed.known);
  EXPECT_NE(changed.program, first.program);
  EXPECT_TRUE(run().known);
  write("header.h", "__device__ inline int answer() { return 42; }\n");
  EXPECT_TRUE(run().known) << "as it was before";
  fs::remove(source_->path() + "/header.h");
  EXPECT_FALSE(run().compiled);
}

TEST_F(CompileCacheTest, KeepsPtxApartFromPrograms) {
  auto ptx = [&] {
    Result<TempDir> folder = TempDir::create();
    CompileRequest r = request();
    r.folder = folder->path();
    std::optional<LocatedCompiler> located = locate_compiler(r.compiler, r.search);
    bool known = CompileCache(r, located->kind, located->path, CompileCache::Made::ptx).find().has_value();
    return std::pair(known, compile_to_ptx(r).value_or(""));
  };
  EXPECT_TRUE(run().compiled);
  settle();
  auto [first_known, first] = ptx();
  auto [second_known, second] = ptx();
  EXPECT_FALSE(first_known);
  EXPECT_TRUE(second_known);
  EXPECT_NE(first.find(".version"), first.npos);
  EXPECT_EQ(first, second);
  write("header.h", "__device__ inline int answer() { return 43; }\n");
  EXPECT_FALSE(ptx().first);
}

TEST_F(CompileCacheTest, FollowsWhatIsFoundFirst) {
  write("a.cu", "#include <vector>\nint main() {}\n");
  settle();
  CompileRequest r = request();
  r.options = {"-I" + source_->path() + "/include"};
  fs::create_directory(source_->path() + "/include");
  run(r);
  EXPECT_TRUE(run(r).known);
  write("include/vector", "#error this one\n");
  EXPECT_FALSE(run(r).compiled) << "the new <vector> comes before the library's";
  fs::remove(source_->path() + "/include/vector");
  EXPECT_TRUE(run(r).known);
}

TEST_F(CompileCacheTest, FollowsTheCommandAndTheEnvironment) {
  run();
  CompileRequest other = request();
  other.options = {"-DX"};
  EXPECT_FALSE(run(other).known);
  other = request();
  other.sm = 80;
  EXPECT_FALSE(run(other).known);
  setenv("CPATH", source_->path().c_str(), 1);
  EXPECT_FALSE(run().known);
  unsetenv("CPATH");
  EXPECT_TRUE(run().known);
}

TEST_F(CompileCacheTest, WarningsAreSaidAgain) {
  write("a.cu", "#warning look here\nint main() {}\n");
  settle();
  std::string first = run().said;
  EXPECT_THAT(first, HasSubstr("look here"));
  Outcome second = run();
  EXPECT_TRUE(second.known);
  EXPECT_EQ(second.said, first);
}

TEST_F(CompileCacheTest, FailuresAndTheTimeOfDayAreNotKept) {
  write("header.h", "__device__ inline int answer() { return undeclared; }\n");
  settle();
  EXPECT_FALSE(run().compiled);
  EXPECT_FALSE(run().known);
  write("header.h", "__device__ inline int answer() { return __TIME__[0]; }\n");
  settle();
  EXPECT_TRUE(run().compiled);
  EXPECT_FALSE(run().known);
}

TEST_F(CompileCacheTest, WhatMayReadMoreFilesIsNotKept) {
  auto keeps = [&](std::vector<std::string> options) {
    CompileRequest r = request();
    r.options = std::move(options);
    std::optional<LocatedCompiler> located = locate_compiler(r.compiler, r.search);
    return CompileCache(r, located->kind, located->path).enabled();
  };
  EXPECT_TRUE(keeps({}));
  EXPECT_TRUE(keeps({"-std=c++20", "-Iinclude", "-D", "X=1", "-O2", "-lineinfo", "-Xcompiler",
                     "-Wall,-fopenmp", "-gencode", "arch=compute_80,code=sm_80", "other.cu", "-lm"}));
  for (const char* option :
       {"-fplugin=x.so", "-Wl,--script=x", "@options", "-optf", "more.o", "libx.a", "more.cpp", "-lfoo",
        "-march=native", "-ccbin", "-B/x", "--config=x", "-fprofile-use=x"})
    EXPECT_FALSE(keeps({option})) << option;
  EXPECT_FALSE(keeps({"-Xcompiler", "-Wall,-fplugin=x.so"}));
  EXPECT_FALSE(keeps({"-Xcompiler"}));
}

TEST_F(CompileCacheTest, AScriptThatOnlyCallsAnotherProgramIsFollowed) {
  std::string clang = locate_compiler(compiler_, request().search)->path;
  std::string script = source_->path() + "/clang-19";
  auto binary_of_script = [&](const std::string& text) {
    write("clang-19", text);
    fs::permissions(script, fs::perms::owner_all);
    return binary_behind(script);
  };
  EXPECT_FALSE(binary_behind("/nowhere"));
  EXPECT_EQ(binary_behind("/proc/self/exe")->path, fs::canonical("/proc/self/exe"));
  for (const char* other : {"#!/bin/sh\nexec clang-19 \"$@\"\n", "#!/bin/sh\nX=1 exec /bin/true \"$@\"\n",
                            "#!/bin/sh\nexec /bin/true -x \"$@\"\n", "#!/bin/sh\nexec /bin/$X \"$@\"\n",
                            "#!/bin/sh\ntrue\nexec /bin/true \"$@\"\n", "exec /bin/true \"$@\"\n", ""})
    EXPECT_FALSE(binary_of_script(other)) << other;
  EXPECT_FALSE(binary_of_script("#!/bin/sh\nexec " + script + " \"$@\"\n")) << "it calls itself";

  std::optional<Binary> behind = binary_of_script("#!/bin/sh\nexec " + clang + " \"$@\"\n");
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->path, fs::canonical(clang));
  EXPECT_NE(behind->identity, binary_behind(clang)->identity) << "the script counts, too";
  CompileRequest r = request();
  r.search.clang = script;
  settle();
  run(r);
  EXPECT_TRUE(run(r).known);
}

TEST_F(CompileCacheTest, DamageIsACompilation) {
  Outcome first = run();
  for (const auto& entry : fs::directory_iterator(folder_->path() + "/cache"))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
  Outcome second = run();
  EXPECT_FALSE(second.known);
  EXPECT_EQ(second.program, first.program);
  EXPECT_TRUE(run().known);
}

#ifdef WARPLENS_TEST_NVCC
class NvccCacheTest : public CompileCacheTest {
protected:
  NvccCacheTest() { compiler_ = Compiler::nvcc; }
};

// nvcc preprocesses twice; a header of the device pass alone counts, too.
TEST_F(NvccCacheTest, FollowsHeadersOfBothPasses) {
  write("header.h", "#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#else\n#include \"host.h\"\n#endif\n");
  write("device.h", "__device__ inline int answer() { return 1; }\n");
  write("host.h", "__device__ inline int answer() { return 1; }\n");
  settle();
  run();
  EXPECT_TRUE(run().known);
  write("device.h", "__device__ inline int answer() { return 2; }\n");
  settle();
  EXPECT_FALSE(run().known);
  EXPECT_TRUE(run().known);
  write("host.h", "__device__ inline int answer() { return 1; } // \n");
  EXPECT_FALSE(run().known);
}

TEST_F(NvccCacheTest, AppendedFlagsThatNameFilesAreNotKept) {
  setenv("NVCC_APPEND_FLAGS", "-optf more", 1);
  CompileRequest r = request();
  std::optional<LocatedCompiler> located = locate_compiler(r.compiler, r.search);
  EXPECT_FALSE(CompileCache(r, located->kind, located->path).enabled());
  setenv("NVCC_APPEND_FLAGS", "-lineinfo", 1);
  EXPECT_TRUE(CompileCache(r, located->kind, located->path).enabled());
  unsetenv("NVCC_APPEND_FLAGS");
}
#endif

} // namespace
} // namespace warplens::toolchain
