// Filters by NVTX ranges choose the launches that Nsight Compute chooses, and NVTX's interface to tools is met: the program's side is
// played here, as nvtx3/nvtxDetail/nvtxInit.h does.
#include "base/types.h"
#include "runtime/nvtx.h"
#include <array>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

extern "C" int InitializeInjectionNvtx2(const void* (*export_table)(warplens::u32));

namespace warplens::runtime::nvtx {
namespace {

// What the measured program's launches k0 to k8 are in.
std::array<Open, 9> launches() {
  return {{{},
           {{{"", {"A"}}}, {}},
           {{{"", {"A", "B"}}}, {}},
           {{{"", {"A", "B", "C"}}}, {}},
           {{{"", {"B"}}}, {}},
           {{{"", {}}}, {{"", "S"}}},
           {{{"", {"A"}}}, {{"", "S"}}},
           {{{"", {}}, {"D", {"A"}}}, {}},
           {{{"", {"A", "C", "B"}}}, {}}}};
}

TEST(Nvtx, ChoosesWhatNsightComputeChooses) {
  std::ifstream in(std::string(WARPLENS_TEST_DATA) + "/nvtx_filters.tsv");
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t tab = line.find('\t');
    const std::string expression = line.substr(0, tab);
    std::string chosen;
    for (std::size_t k = 0; k < 9; ++k)
      if (matches(expression, launches()[k])) chosen += (chosen.empty() ? "k" : " k") + std::to_string(k);
    EXPECT_EQ(chosen, line.substr(tab + 1)) << expression;
    ++rows;
  }
  EXPECT_GT(rows, 30);
}

TEST(Nvtx, PartsOfBothKindsMayBeJoined) {
  EXPECT_TRUE(matches("S,A/", launches()[6]));
  EXPECT_FALSE(matches("S,A/", launches()[5]));
  EXPECT_FALSE(matches("S,A/", launches()[1]));
}

TEST(Nvtx, NothingIsTooWrong) {
  for (const char* expression :
       {"/", "[", "]", "[]", "@", "@/", "*", "+/", "[*]", "[+]", "A//B", "A@B@C/", "*/*/*/*/*/*/*/*/A"})
    for (const Open& open : launches()) matches(expression, open);
  Open deep{{{"", std::vector<std::string>(60, "A")}}, {}};
  std::string hard;
  for (int i = 0; i < 20; ++i) hard += "*/A/*/*/";
  EXPECT_TRUE(matches(hard, deep));
  EXPECT_FALSE(matches(hard + "B", deep)) << "and it takes no time";
}

// ---- the program's side

using Function = void (*)();
Function pushed, popped, begun, ended, in_domain, out_of_domain, domain, text;
Function* core[16] = {};
Function* core2[16] = {};

int table_of(u32 module, Function*** table, unsigned* size) {
  *table = module == 1 ? core : core2;
  *size = 16;
  return module == 1 || module == 5;
}
struct Table {
  std::size_t size = sizeof(Table);
  int (*table_of)(u32, Function***, unsigned*) = nvtx::table_of;
};
const void* exported(u32 number) {
  static const Table table;
  return number == 1 ? &table : nullptr;
}

struct Attributes {
  u16 version = 3, size = 48;
  u32 category = 0;
  i32 colour_type = 0;
  u32 colour = 0;
  i32 payload_type = 0, reserved = 0;
  u64 payload = 0;
  i32 message_type = 0;
  const void* message = nullptr;
};

template <class F, class... A> auto call(Function f, A... arguments) {
  return reinterpret_cast<F*>(f)(arguments...);
}

TEST(Nvtx, KeepsTheRangesOfThreadsAndOfTheProcess) {
  core[9] = &pushed, core[11] = &popped, core[5] = &begun, core[7] = &ended;
  core2[4] = &in_domain, core2[5] = &out_of_domain, core2[12] = &domain, core2[10] = &text;
  ASSERT_EQ(InitializeInjectionNvtx2(exported), 1);
  EXPECT_FALSE(is_wanted("A/", ""));
  EXPECT_TRUE(is_wanted("", "A/"));
  EXPECT_EQ(call<int(const char*)>(pushed, "A"), 0);
  EXPECT_EQ(call<int(const char*)>(pushed, "B"), 1);
  EXPECT_TRUE(is_wanted("x/\nA/B]", ""));
  EXPECT_FALSE(is_wanted("A/", "B/"));
  std::thread([] { EXPECT_FALSE(is_wanted("A/", "")) << "a stack is its thread's"; }).join();
  const u64 id = call<u64(const char*)>(begun, "S");
  std::thread([] { EXPECT_TRUE(is_wanted("S", "")) << "what was started is the process's"; }).join();
  call<void(u64)>(ended, id);
  EXPECT_FALSE(is_wanted("S", ""));
  EXPECT_EQ(call<int()>(popped), 1);
  EXPECT_EQ(call<int()>(popped), 0);
  EXPECT_EQ(call<int()>(popped), -2) << "nothing is left";

  const void* of = call<const void*(const char*)>(domain, "D");
  const void* name = call<const void*(const void*, const char*)>(text, of, "phase");
  Attributes registered;
  registered.message_type = 3, registered.message = name;
  call<int(const void*, const Attributes*)>(in_domain, of, &registered);
  EXPECT_TRUE(is_wanted("D@phase/", ""));
  EXPECT_FALSE(is_wanted("phase/", ""));
  Attributes wide;
  wide.message_type = 2, wide.message = L"größe";
  call<int(const void*, const Attributes*)>(in_domain, of, &wide);
  EXPECT_TRUE(is_wanted("D@größe]", ""));
  call<int(const void*)>(out_of_domain, of);
  call<int(const void*)>(out_of_domain, of);
  EXPECT_FALSE(is_wanted("D@phase/", ""));
}

TEST(Nvtx, AnUnknownVersionOfItIsLeftAlone) {
  EXPECT_EQ(InitializeInjectionNvtx2([](u32) -> const void* { return nullptr; }), 0);
}

} // namespace
} // namespace warplens::runtime::nvtx
