// The shared libraries export the CUDA functions of exports.def and nothing else, and bring no libraries
// along.
#include "os/elf.h"
#include "runtime/exports.h"
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

namespace warplens::runtime {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Library : public testing::TestWithParam<const char*> {
protected:
  std::string path() const { return std::string(WARPLENS_BINARY_DIR) + "/lib/" + GetParam(); }
};

TEST_P(Library, ExportsTheTableAndNothingElse) {
  void* library = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const Export& function : exports())
    EXPECT_NE(dlvsym(library, std::string(function.name).c_str(), GetParam()), nullptr) << function.name;
  for (const char* hidden : {"ZSTD_decompress", "LZ4_decompress_safe", "_ZTVSt9exception", "_Znwm"}) {
    void* found = dlsym(library, hidden);
    Dl_info where{};
    bool ours = found && dladdr(found, &where) && std::string(where.dli_fname).ends_with(GetParam());
    EXPECT_FALSE(ours) << hidden;
  }
  dlclose(library);
}

TEST_P(Library, NeedsOnlyTheCLibrary) {
  std::string bytes = contents(path());
  std::optional<os::Elf> elf = os::Elf::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(elf);
  const std::set<std::string_view> allowed{"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
                                           "libpthread.so.0", "libdl.so.2"};
  for (std::string_view needed : elf->needed()) EXPECT_TRUE(allowed.contains(needed)) << needed;
}

INSTANTIATE_TEST_SUITE_P(EveryMajor, Library,
                         testing::Values("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"),
                         [](const auto& info) { return "No" + std::to_string(info.index); });

} // namespace
} // namespace warplens::runtime
