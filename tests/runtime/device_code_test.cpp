// Device code that comes out of the cache is what reading it again would give, and nothing else comes out.
#include "ir/module_bytes.h"
#include "runtime/device_code.h"
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

// A module of `kernels` kernels, as bare text.
std::string ptx(u32 kernels, std::string_view version = "8.3") {
  std::string text = fmt::format(".version {}\n.target sm_80\n.address_size 64\n", version);
  for (u32 k = 0; k < kernels; ++k)
    text += fmt::format(".visible .entry kernel_{0}(.param .u64 p) {{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
                        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, {0};\nst.global.u32 [%rd1], %r1;\nret;\n}}\n",
                        k);
  return text;
}

class DeviceCodeCache : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "warplens-code-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  ResultOr<DeviceCode, CodeProblem> read(const std::vector<std::string>& texts, u32 sm = 90,
                                         const std::string& program = "app") {
    std::vector<Bytes> fatbins;
    for (const std::string& text : texts) fatbins.push_back(std::as_bytes(std::span(text)));
    notes_.clear();
    return read_device_code(cache::Store({folder_, u64{64} << 20}), fatbins, {sm, Code::ptx}, program,
                            notes_);
  }
  // The inodes of the entries: one that is written anew gets another.
  std::vector<u64> entries() const {
    std::vector<u64> out;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      struct stat status {};
      stat(entry.path().c_str(), &status);
      out.push_back(status.st_ino);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::string folder_;
  std::vector<diag::Diagnostic> notes_;
};

void expect_same(const DeviceCode& a, const DeviceCode& b) {
  EXPECT_EQ(ir::encode(a.module), ir::encode(b.module));
  EXPECT_TRUE(a.registers == b.registers && a.ptx_sm == b.ptx_sm && a.above == b.above);
}

TEST_F(DeviceCodeCache, TheSecondReadIsTheFirst) {
  auto first = read({ptx(300)});
  ASSERT_TRUE(first);
  std::vector<u64> kept = entries();
  ASSERT_EQ(kept.size(), 1u);
  auto second = read({ptx(300)});
  ASSERT_TRUE(second);
  expect_same(*first, *second);
  EXPECT_EQ(entries(), kept) << "found, not made again";
}

TEST_F(DeviceCodeCache, EverythingThatMattersIsInTheName) {
  ASSERT_TRUE(read({ptx(300)}));
  auto above = read({ptx(300)}, 70);
  ASSERT_TRUE(above);
  EXPECT_TRUE(above->above);
  EXPECT_EQ(read({ptx(300)}, 90, "other")->module.name, "other (compute_80)");
  EXPECT_EQ(read({ptx(301)})->module.functions.size(), 301u);
  EXPECT_EQ(entries().size(), 4u);
  above = read({ptx(300)}, 70);
  EXPECT_TRUE(above->above);
  EXPECT_EQ(above->ptx_sm, 80u);
  EXPECT_EQ(entries().size(), 4u);
}

TEST_F(DeviceCodeCache, SeveralUnitsAreKeptLinked) {
  std::string unit = ptx(300), library = ".version 8.3\n.target sm_80\n.visible .func f() { ret; }\n";
  auto first = read({unit, library}), second = read({unit, library});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->module.functions.size(), 301u);
  expect_same(*first, *second);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(DeviceCodeCache, SmallCodeAndWhatIsToBeSaidAreNotKept) {
  ASSERT_TRUE(read({ptx(3)}));
  EXPECT_TRUE(entries().empty());
  ASSERT_TRUE(read({ptx(300, "99.0")}));
  EXPECT_EQ(notes_.size(), 1u);
  ASSERT_TRUE(read({ptx(300, "99.0")}));
  EXPECT_EQ(notes_.size(), 1u) << "the warning comes each time";
  EXPECT_FALSE(read({ptx(300) + "nonsense"}));
  EXPECT_TRUE(entries().empty());
}

TEST_F(DeviceCodeCache, DamagedEntriesAreMadeAnew) {
  auto first = read({ptx(300)});
  fs::path entry = fs::directory_iterator(folder_)->path();
  u64 whole = fs::file_size(entry);
  for (u64 size : {u64{0}, u64{10}, whole / 2, whole - 1}) {
    fs::resize_file(entry, size);
    auto again = read({ptx(300)});
    ASSERT_TRUE(again);
    expect_same(*first, *again);
    EXPECT_EQ(fs::file_size(entry), whole);
  }
}

} // namespace
} // namespace warplens::runtime
