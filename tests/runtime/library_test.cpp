// Device code that a program loads while it runs: as PTX text, in a fat binary, from a file; its kernels and variables.
#include "abi/api.h"
#include "measure/wire.h"
#include "runtime/library.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

// out[i] = i + step, and the variable that says the step.
std::string ptx(const std::string& kernel, u32 step) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n"
         ".visible .global .align 4 .u32 step = " +
         std::to_string(step) + R"(;
.visible .global .attribute(.managed) .align 4 .u32 shown = 5;
.visible .entry )" +
         kernel + R"((.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [step];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";
}

std::string fatbinary(const std::string& text) {
  std::string entry(64, '\0'), container(16, '\0');
  auto put = [](std::string& out, std::size_t at, auto value) {
    std::memcpy(&out[at], &value, sizeof value);
  };
  put(entry, 0, u16{1}), put(entry, 4, u32{64}), put(entry, 8, u64{text.size()}), put(entry, 28, u32{75});
  put(container, 0, u32{0xba55ed50}), put(container, 6, u16{16}), put(container, 8, u64{64 + text.size()});
  return container + entry + text;
}

class LoadedLibrary : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&out), 32 * 4), cudaSuccess); }
  void TearDown() override {
    cudaDeviceReset();
    cudaGetLastError();
  }
  static cudaLibrary_t load(const std::string& code) {
    auto copy = std::make_unique<std::string>(code); // gone when the kernel runs
    cudaLibrary_t library = nullptr;
    EXPECT_EQ(cudaLibraryLoadData(&library, copy->c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
    return library;
  }
  static cudaKernel_t kernel(cudaLibrary_t library, const char* name) {
    cudaKernel_t found = nullptr;
    EXPECT_EQ(cudaLibraryGetKernel(&found, library, name), cudaSuccess);
    return found;
  }
  u32 last_after(cudaKernel_t launched) {
    void* arguments[] = {&out};
    EXPECT_EQ(cudaLaunchKernel(launched, {1}, {32}, arguments, 0, nullptr), cudaSuccess);
    u32 values[32] = {};
    EXPECT_EQ(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    return values[31];
  }
  u32* out = nullptr;
};

TEST_F(LoadedLibrary, AKernelOfPtxTextRunsByItsHandle) {
  EXPECT_EQ(last_after(kernel(load(ptx("f", 100)), "f")), 131u);
}

TEST_F(LoadedLibrary, AKernelRunsThroughALaunchConfiguration) {
  cudaKernel_t f = kernel(load(ptx("f", 200)), "f");
  cudaLaunchConfig_t config{};
  config.gridDim = {1}, config.blockDim = {32};
  void* arguments[] = {&out};
  EXPECT_EQ(cudaLaunchKernelExC(&config, f, arguments), cudaSuccess);
  u32 first = 0;
  EXPECT_EQ(cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(first, 200u);
}

TEST_F(LoadedLibrary, AFatBinaryAndACompilersWrapperAreTakenToo) {
  std::string fatbin = fatbinary(ptx("f", 300));
  EXPECT_EQ(last_after(kernel(load(fatbin), "f")), 331u);
  FatbinWrapper wrapper{FatbinWrapper::right_magic, 1, reinterpret_cast<const std::byte*>(fatbin.data()),
                        nullptr};
  cudaLibrary_t library = nullptr;
  ASSERT_EQ(cudaLibraryLoadData(&library, &wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  EXPECT_EQ(last_after(kernel(library, "f")), 331u);
}

TEST_F(LoadedLibrary, TwoLibrariesKeepTheirKernelsAndVariablesApart) {
  cudaLibrary_t a = load(ptx("f", 1)), b = load(ptx("f", 2));
  EXPECT_NE(kernel(a, "f"), kernel(b, "f"));
  EXPECT_EQ(kernel(a, "f"), kernel(a, "f"));
  EXPECT_EQ(last_after(kernel(a, "f")), 32u);
  EXPECT_EQ(last_after(kernel(b, "f")), 33u);
  void* address = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(cudaLibraryGetGlobal(&address, &size, b, "step"), cudaSuccess);
  EXPECT_EQ(size, 4u);
  u32 step = 1000;
  ASSERT_EQ(cudaMemcpy(address, &step, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(last_after(kernel(b, "f")), 1031u);
  EXPECT_EQ(last_after(kernel(a, "f")), 32u);
}

TEST_F(LoadedLibrary, AManagedVariableIsTheHostsToo) {
  cudaLibrary_t library = load(ptx("f", 1));
  void* address = nullptr;
  ASSERT_EQ(cudaLibraryGetManaged(&address, nullptr, library, "shown"), cudaSuccess);
  EXPECT_EQ(*static_cast<u32*>(address), 5u);
  EXPECT_EQ(cudaLibraryGetManaged(&address, nullptr, library, "step"), cudaErrorSymbolNotFound);
}

TEST_F(LoadedLibrary, KernelsAreCountedAndListed) {
  std::string two = ptx("f", 1);
  two += ".visible .entry g() { ret; }\n";
  cudaLibrary_t library = load(two);
  unsigned count = 0;
  ASSERT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  ASSERT_EQ(count, 2u);
  cudaKernel_t kernels[2] = {};
  ASSERT_EQ(cudaLibraryEnumerateKernels(kernels, 2, library), cudaSuccess);
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, kernels[1]), cudaSuccess);
  EXPECT_STREQ(name, "g");
}

TEST_F(LoadedLibrary, WhatIsUnloadedOrWasNeverThereIsRefused) {
  cudaLibrary_t library = load(ptx("f", 1));
  cudaKernel_t f = kernel(library, "f"), none = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&none, library, "g"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetGlobal(nullptr, nullptr, library, "nothing"), cudaErrorSymbolNotFound);
  ASSERT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryGetKernel(&none, library, "f"), cudaErrorInvalidResourceHandle);
  void* arguments[] = {&out};
  EXPECT_NE(cudaLaunchKernel(f, {1}, {32}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorFileNotFound);
}

TEST_F(LoadedLibrary, WhatIsWrongWithTheCodeIsSaidAtOnceAndInTheCallersLog) {
  char log[64] = {};
  int options[] = {5, 6}; // the buffer for errors, its size
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  cudaLibrary_t library = nullptr;
  std::string bad = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry f( { ret; }\n";
  EXPECT_EQ(cudaLibraryLoadData(&library, bad.c_str(), options, values, 2, nullptr, nullptr, 0),
            cudaErrorInvalidPtx);
  EXPECT_NE(std::string(log).find(":4:"), std::string::npos) << log;
  EXPECT_LT(strnlen(log, sizeof log), sizeof log);
  EXPECT_EQ(cudaLibraryLoadData(&library, "nothing", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorInvalidKernelImage);
}

// A launch that stops at an instruction without a size is told of like any other.
TEST_F(LoadedLibrary, EverySiteOfAKernelCanBeSent) {
  std::string text = ptx("f", 1);
  text.insert(text.rfind("  ret;"),
              "  cp.async.ca.shared.global [%rd1], [%rd3], 16;\n  cp.async.commit_group;\n");
  cudaKernel_t f = kernel(load(text), "f");
  ASSERT_EQ(f->resolve(Runtime::get()), cudaSuccess);
  measure::LaunchRecord record;
  record.kernel = record.name = "f";
  for (const access::Site& site : f->sites) {
    record.sites.push_back({.site = site});
    record.sites.back().counters.resize(1);
  }
  record.sm = {90};
  EXPECT_GE(record.sites.size(), 2u); // the load and the store
  Result<measure::Event> sent = measure::decode(measure::encode(record));
  EXPECT_TRUE(sent) << sent.error().message;
}

TEST_F(LoadedLibrary, ALibraryOutlivesAResetOfTheDevice) {
  cudaLibrary_t library = load(ptx("f", 7));
  cudaKernel_t f = kernel(library, "f");
  cudaDeviceReset();
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&out), 32 * 4), cudaSuccess);
  EXPECT_EQ(last_after(f), 38u);
}

TEST_F(LoadedLibrary, AFileIsLoaded) {
  std::string path = testing::TempDir() + "warplens-library-" + std::to_string(getpid()) + ".ptx";
  std::ofstream(path) << ptx("f", 400);
  cudaLibrary_t library = nullptr;
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(last_after(kernel(library, "f")), 431u);
  EXPECT_EQ(library->description, "compute_75 of " + path.substr(path.rfind('/') + 1));
  unlink(path.c_str());
}

} // namespace
} // namespace warplens::runtime
