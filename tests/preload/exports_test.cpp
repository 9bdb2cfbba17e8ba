// The shared libraries by the CUDA Runtime's names export the functions of exports.def and nothing else, and each
// hands every call on to what its major has; the library with the code exports their table alone. None brings a
// library along. What the headers for clang declare is exported.
#include "abi/types.h"
#include "driver_api/entry_points.h"
#include "os/elf.h"
#include "preload/exports.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <map>
#include <regex>
#include <set>

namespace warplens::runtime {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string library(const std::string& name) { return std::string(WARPLENS_BINARY_DIR) + "/lib/" + name; }

// The names of defined dynamic symbols.
std::set<std::string> exported(const os::Elf& elf) {
  const os::Elf::Section *symbols = elf.find(".dynsym"), *names = elf.find(".dynstr");
  std::set<std::string> out;
  for (u64 at = 0; at + sizeof(Elf64_Sym) <= symbols->data.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols->data.data() + at, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue; // SHN_ABS: the version node
    out.insert(reinterpret_cast<const char*>(names->data.data()) + symbol.st_name);
  }
  return out;
}

class Library : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    library_ = dlopen(library(GetParam()).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  void TearDown() override { dlclose(library_); }
  template <class Function> Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlvsym(library_, name, GetParam()));
  }
  int version() const {
    int version = 0;
    EXPECT_EQ(find<cudaError_t(int*)>("cudaRuntimeGetVersion")(&version), cudaSuccess);
    return version;
  }
  void* library_ = nullptr;
};

TEST_P(Library, ExportsTheTableAndNothingElse) {
  std::string bytes = contents(library(GetParam()));
  std::optional<os::Elf> elf = os::Elf::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(elf);
  std::set<std::string> names;
  for (const Export& function : exports()) {
    names.insert(function.name);
    EXPECT_NE(find<void()>(function.name), nullptr) << function.name;
  }
  EXPECT_EQ(exported(*elf), names);
  EXPECT_THAT(elf->needed(), testing::ElementsAre("libwarplens-runtime.so"));
}

TEST_P(Library, HandsCallsOnToItsMajor) {
  const std::map<std::string, int> versions{
      {"libcudart.so.11.0", 11080}, {"libcudart.so.12", 12090}, {"libcudart.so.13", 13000}};
  EXPECT_EQ(version(), versions.at(GetParam()));
  EXPECT_STREQ(find<const char*(int)>("cudaGetErrorName")(700), "cudaErrorIllegalAddress");
  int value = 0;
  EXPECT_EQ(find<cudaError_t(int*, int, int)>("cudaDeviceGetAttribute")(&value, cudaDevAttrWarpSize, 0),
            cudaSuccess);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(find<cudaError_t()>("cudaWaitExternalSemaphoresAsync_v2_ptsz")(), cudaErrorNotSupported);
}

// The instruction at a name, movq table@GOTPCREL(%rip), %r11; jmpq *displacement(%r11), of 8 or 32 bits, says which slot of
// the table it jumps through.
u64 slot_of(void (*function)()) {
  auto code = reinterpret_cast<const u8*>(function);
  i32 displacement = code[10];
  if (code[9] != 0x63) std::memcpy(&displacement, code + 10, sizeof displacement);
  return static_cast<u64>(displacement);
}

TEST_P(Library, JumpsThroughTheRowOfTheName) {
  const u64 column = static_cast<u64>(version() / 1000 - 11);
  u64 row = 0;
  for (const Export& function : exports()) {
    u64 slot = offsetof(Export, in_major) + column * sizeof(Export::Function);
    EXPECT_EQ(slot_of(find<void()>(function.name)), row++ * sizeof(Export) + slot) << function.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMajor, Library,
                         testing::Values("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"),
                         [](const auto& info) { return "No" + std::to_string(info.index); });

TEST(DriverLibrary, ExportsItsTableAndJumpsThroughIt) {
  void* loaded = dlopen(library("libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr) << dlerror();
  std::string bytes = contents(library("libcuda.so.1"));
  std::optional<os::Elf> elf = os::Elf::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(elf);
  std::set<std::string> names;
  u64 row = 0;
  for (const DriverExport& function : driver_exports()) {
    names.insert(function.name);
    auto found = reinterpret_cast<void (*)()>(dlsym(loaded, function.name));
    ASSERT_NE(found, nullptr) << function.name;
    EXPECT_EQ(slot_of(found), row++ * sizeof(DriverExport) + offsetof(DriverExport, function))
        << function.name;
  }
  EXPECT_EQ(exported(*elf), names);
  EXPECT_THAT(elf->needed(), testing::ElementsAre("libwarplens-runtime.so"));
  dlclose(loaded);
}

TEST(RuntimeLibrary, ExportsTablesAndWhatNvtxAsksForAndNeedsOnlyTheCLibrary) {
  std::string bytes = contents(library("libwarplens-runtime.so"));
  std::optional<os::Elf> elf = os::Elf::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(elf);
  EXPECT_THAT(exported(*elf),
              testing::ElementsAre("InitializeInjectionNvtx", "InitializeInjectionNvtx2", "warplens_cublas",
                                   "warplens_cublaslt", "warplens_cuda", "warplens_cudart", "warplens_cufft",
                                   "warplens_curand", "warplens_cusolver", "warplens_cusparse",
                                   "warplens_nccl", "warplens_nvrtc"));
  const std::set<std::string_view> allowed{"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
                                           "libpthread.so.0", "libdl.so.2"};
  for (std::string_view needed : elf->needed()) EXPECT_TRUE(allowed.contains(needed)) << needed;
}

TEST(Headers, DeclareOnlyWhatIsExported) {
  std::set<std::string> names;
  for (const Export& function : exports()) names.insert(function.name);
  std::string text = contents(WARPLENS_SOURCE_DIR "/cuda/warplens/runtime_api.h");
  const std::regex declaration(R"(\n[a-zA-Z_ ]+[ *]+(\w*cuda\w+)\()");
  u64 declared = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at, ++declared)
    EXPECT_TRUE(names.contains((*at)[1])) << (*at)[1] << " is not in exports.def";
  EXPECT_GT(declared, 200u);
}

} // namespace
} // namespace warplens::runtime
