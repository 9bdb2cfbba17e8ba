// Readers: what they read, what they refuse and where they say it is, and that they go on behind a bad line.
#include "trace/sass.h"
#include "trace/trace.h"
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>
#include <zlib.h>

namespace warplens::trace {
namespace {

using access::Cache;
using access::Kind;
using access::Space;

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& text) {
    path_ =
        testing::TempDir() + "warplens_trace_" + std::to_string(getpid()) + "_" + std::to_string(++number_);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

private:
  static inline int number_ = 0;
  std::string path_;
};

struct Everything {
  std::vector<Record> records;
  std::vector<diag::Diagnostic> errors;
  u64 skipped = 0;
};

Everything read(const std::string& path, Part part = {}) {
  Everything out;
  Result<std::unique_ptr<Reader>> reader = open(path, part);
  if (!reader) return out.errors.push_back(reader.error()), out;
  while (!(*reader)->finished()) {
    Result<std::optional<Record>> record = (*reader)->next();
    if (!record)
      out.errors.push_back(record.error());
    else if (*record && !(*record)->is_counted)
      ++out.skipped;
    else if (*record)
      out.records.push_back(**record);
    else
      break;
  }
  return out;
}

Everything read_text(const std::string& text) { return read(TemporaryFile(text).path()); }

std::string addresses(u64 stride = 4) {
  std::string out = "[0";
  for (u64 lane = 1; lane < 32; ++lane) out += "," + std::to_string(lane * stride);
  return out + "]";
}

std::string pattern(const std::string& fields) {
  return "{" + fields + ",\"addresses\":" + addresses() + "}\n";
}
const std::string good = pattern(R"("id":7,"space":"global","op":"load","bytes":4,"mask":"0xffffffff")");

TEST(Patterns, ReadsEveryField) {
  Everything all = read_text(
      good + "\n" +
      pattern(R"("mask":3,"bytes":16,"matrices":2,"op":"ldmatrix","space":"shared","later":[1,{}])") +
      pattern(R"("id":"a b","space":"global","op":"load","bytes":8,"mask":"0x1","cache":"nc")"));
  ASSERT_THAT(all.errors, testing::IsEmpty());
  ASSERT_EQ(all.records.size(), 3u);
  EXPECT_EQ(all.records[0].id, "7");
  EXPECT_EQ(all.records[0].access.active, full_mask);
  EXPECT_EQ(all.records[0].access.address[31], 124u);
  EXPECT_EQ(all.records[1].id, "3"); // the line's number
  EXPECT_EQ(all.records[1].access.kind, Kind::ldmatrix);
  EXPECT_EQ(all.records[1].access.matrices, 2);
  EXPECT_EQ(all.records[2].id, "\"a b\"");
  EXPECT_EQ(all.records[2].access.cache, Cache::nc);
}

TEST(Patterns, LastLineNeedsNoNewlineAndCarriageReturnsGo) {
  std::string text = good;
  text.back() = '\r';
  text += '\n' + good.substr(0, good.size() - 1);
  EXPECT_EQ(read_text(text).records.size(), 2u);
}

struct Bad {
  std::string line, message;
  u32 column;
};

TEST(Patterns, BadLinesAreNamedAndTheRestIsRead) {
  std::string no_mask = R"("space":"global","op":"load","bytes":4)";
  const Bad cases[] = {
      {"{\"space\":\"globl\"}", "unknown space 'globl'", 10},
      {"{\"op\":\"lod\"}", "unknown op 'lod'", 7},
      {"[1]", "malformed JSON", 0},
      {"{\"id\":7", "malformed JSON", 0},
      {pattern(no_mask), "no \"mask\"", 0},
      {pattern(no_mask + R"(,"mask":"0x1ffffffff")"), "more than 32 lanes", 0},
      {pattern(no_mask + R"(,"mask":"zebra")"), "'zebra' is no number", 0},
      {pattern(no_mask + R"(,"mask":-1)"), "whole number", 0},
      {pattern(R"("space":"global","op":"load","bytes":3,"mask":1)"), "3 bytes per lane", 1},
      {pattern(R"("space":"global","op":"load","bytes":0,"mask":1)"), "0 bytes per lane", 1},
      {pattern(R"("space":"shared","op":"ldmatrix","bytes":16,"mask":1)"), "matrices", 1},
      {pattern(R"("space":"constant","op":"store","bytes":4,"mask":1)"), "constant memory", 1},
      {"{" + no_mask + R"(,"mask":1,"addresses":[1,2,3]})", "'addresses' has values for 3 of 32 lanes", 0},
      {"{" + no_mask + R"(,"mask":1,"addresses":[null,)" + addresses().substr(3) + "}",
       "lane 0 is active but has no address", 0},
      {"{" + no_mask + R"(,"mask":1,"addresses":[18446744073709551614,)" + addresses().substr(3) + "}",
       "pass the end of the 64-bit address space", 1},
      {"{" + no_mask + R"(,"mask":1,"addresses":[18446744073709551616,)" + addresses().substr(3) + "}",
       "not a whole number", 0},
      {"{" + no_mask + R"(,"mask":1,"addresses":[1.5,)" + addresses().substr(3) + "}", "not a whole number",
       0},
      {"{\"addresses\":[null2}", "neither a number nor null", 15},
      {"{\"addresses\":[nul,1]}", "not a whole number", 0},
      {"{\"addresses\":[null", "", 0},
      {"{\"id\":[1]}", "the id is neither a number nor a string", 7},
      {"{\"id\":7x}", "the id is neither a number nor a string", 0},
      {pattern(no_mask + R"(,"op":"store","mask":1)"), "\"op\" twice", 0},
      {pattern(no_mask + R"(,"mask":1,"mask":1)"), "\"mask\" twice", 0},
      {pattern(no_mask + R"(,"mask":1,"offsets":)" + addresses()), "\"addresses\" twice", 0},
      {"{" + no_mask + R"(,"mask":1,"offsets":5})", "'offsets' is not an array", 0},
      {"{" + no_mask + R"(,"mask":1,"addresses":[1 2]})", "malformed JSON in the addresses", 0},
      {R"({"space":"texture","op":"load","bytes":4,"mask":1,"texels":[[1,2,3]]})", "a texel is [x, y]", 0},
      {good.substr(0, good.size() - 1) + " {}", "more text after the JSON object", 0},
      {good.substr(0, good.size() - 1) + " x", "", 0}};
  for (const Bad& bad : cases) {
    std::string line = bad.line.back() == '\n' ? bad.line : bad.line + "\n";
    Everything all = read_text(good + line + good);
    ASSERT_EQ(all.errors.size(), 1u) << bad.line;
    EXPECT_THAT(all.errors[0].message, testing::HasSubstr(bad.message)) << bad.line;
    EXPECT_EQ(all.errors[0].span.line, 2u) << bad.line;
    EXPECT_GT(all.errors[0].span.column, 0u) << bad.line;
    if (bad.column != 0) {
      EXPECT_EQ(all.errors[0].span.column, bad.column) << bad.line;
    }
    EXPECT_EQ(all.records.size(), 2u) << bad.line;
  }
}

TEST(Patterns, TheLastByteOfTheAddressSpaceIsFine) {
  Everything all =
      read_text(R"({"space":"global","op":"load","bytes":4,"mask":1,"addresses":[18446744073709551612,)" +
                addresses().substr(3) + "}\n");
  ASSERT_EQ(all.records.size(), 1u);
  EXPECT_EQ(all.records[0].access.address[0], ~u64{0} - 3);
}

TEST(Patterns, ReadsTheMeasuredFileCompressed) {
  Everything all = read(WARPLENS_SOURCE_DIR "/tests/arch/data/h100_patterns.jsonl.gz");
  EXPECT_THAT(all.errors, testing::IsEmpty());
  EXPECT_EQ(all.records.size(), 1840u);
}

TEST(Open, RefusesWhatIsNoTrace) {
  EXPECT_EQ(read("/nonexistent/file").errors.at(0).kind, "trace-cannot-open");
  EXPECT_EQ(read("/tmp").errors.at(0).kind, "trace-is-directory");
  EXPECT_EQ(read_text("").errors.at(0).kind, "trace-empty");
  EXPECT_EQ(read_text("\n  \n").errors.at(0).kind, "trace-empty");
  EXPECT_EQ(read_text("hello\n").errors.at(0).kind, "trace-unknown-format");
  EXPECT_EQ(read_text(std::string(3 << 20, 'x')).errors.at(0).kind, "trace-long-line");
}

TEST(Open, ATruncatedCompressedFileIsAnError) {
  std::ifstream in(WARPLENS_SOURCE_DIR "/tests/arch/data/h100_patterns.jsonl.gz", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  Everything all = read_text(bytes.substr(0, bytes.size() / 2));
  ASSERT_EQ(all.errors.size(), 1u);
  EXPECT_GT(all.records.size(), 100u);
}

TEST(MemTrace, ReadsAccessesAmongOtherOutput) {
  Everything all = read(WARPLENS_TEST_DATA "/mem_trace.txt");
  ASSERT_THAT(all.errors, testing::IsEmpty());
  ASSERT_EQ(all.records.size(), 2u);
  const access::WarpAccess& load = all.records[0].access;
  EXPECT_EQ(load.space, Space::global);
  EXPECT_EQ(load.cache, Cache::nc);
  EXPECT_EQ(load.bytes, 8);
  EXPECT_EQ(load.active, 0xfu);
  EXPECT_EQ(load.address[3], 0x7f2b01000018u);
  EXPECT_EQ(all.records[0].line, 4u);
  EXPECT_EQ(all.records[1].access.space, Space::shared);
  EXPECT_EQ(all.records[1].access.kind, Kind::store);
}

TEST(MemTrace, ACutLineIsNamed) {
  Everything all =
      read_text("MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - 0x10 0x20\n");
  ASSERT_EQ(all.errors.size(), 1u);
  EXPECT_THAT(all.errors[0].message, testing::HasSubstr("lane 2"));
  EXPECT_EQ(all.errors[0].span.column, 78u);
}

TEST(Traceg, ReadsTheThreeAddressModes) {
  Everything all = read(WARPLENS_TEST_DATA "/kernel-1.traceg");
  ASSERT_THAT(all.errors, testing::IsEmpty());
  ASSERT_EQ(all.records.size(), 3u);
  EXPECT_EQ(all.records[0].access.address[31], 0x7f2b0100007cu);
  EXPECT_EQ(all.records[1].access.bytes, 16);
  EXPECT_EQ(all.records[1].access.address[2], 0x7f2b01001020u);
  EXPECT_EQ(all.records[1].access.address[3], 0x7f2b01001000u);
  EXPECT_EQ(all.records[2].access.active, 0x80000001u);
  EXPECT_EQ(all.records[2].access.address[31], 0x7f2b01003000u);
  EXPECT_EQ(all.skipped, 1u); // the texture fetch
}

TEST(Traceg, BadInstructionsAreNamed) {
  std::string header = "-kernel name = k\n-accelsim tracer version = 4\n#BEGIN_TB\n";
  for (const char* line : {"0010 fffffffff 0 LDG.E 0 4 0 0x10", "zz ffffffff 0 LDG.E 0 4 1 0x10 4",
                           "0010 00000003 0 LDG.E 0 4 0 0x10", "0010 00000001 0 LDG.E 0 4 9 0x10", "0010",
                           "0010 00000001 99 LDG.E 0 4 0 0x10"}) {
    Everything all = read_text(header + line + "\n0020 00000001 0 LDG.E 0 4 0 0x10\n#END_TB\n");
    ASSERT_EQ(all.errors.size(), 1u) << line;
    EXPECT_EQ(all.errors[0].span.line, 4u);
    EXPECT_EQ(all.records.size(), 1u) << line;
  }
}

// Each line is read by one part, whatever the format, and what a line means does not depend on who reads it.
TEST(Parts, ReadEachLineOnce) {
  constexpr u32 lines = 10'000, parts = 3;
  std::string patterns, mem_trace, traceg = "-kernel name = k\n-grid dim = (1,1,1)\n#BEGIN_TB\nwarp = 0\n";
  traceg += "insts = " + std::to_string(lines) + "\n";
  std::string hexadecimal;
  for (u32 lane = 1; lane <= 32; ++lane) hexadecimal += " 0x" + std::to_string(lane);
  for (u32 n = 0; n < lines; ++n) {
    patterns += good;
    mem_trace += "MEMTRACE: CTX 0x0 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - " + hexadecimal + "\n";
    traceg += n % 2 == 0 ? "0008 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f00 4\n"
                         : "0010 ffffffff 1 R1 TEX 1 R2 4 1 0x7f00 4\n";
  }
  for (const std::string& text : {patterns, mem_trace, traceg + "#END_TB\n"}) {
    const TemporaryFile file(text);
    const Everything whole = read(file.path());
    ASSERT_EQ(whole.records.size() + whole.skipped, lines);
    std::map<u64, u32> readers;
    u64 skipped = 0;
    for (u32 index = 0; index < parts; ++index) {
      const Everything one = read(file.path(), {index, parts});
      EXPECT_THAT(one.errors, testing::IsEmpty());
      for (const Record& record : one.records) ++readers[record.line];
      skipped += one.skipped;
    }
    EXPECT_EQ(skipped, whole.skipped);
    ASSERT_EQ(readers.size(), whole.records.size());
    for (const Record& record : whole.records) ASSERT_EQ(readers[record.line], 1u) << record.line;
  }
}

TEST(Sass, OpcodesOfEachSpace) {
  EXPECT_EQ(sass_access("LDG.E.U8.SYS")->bytes, 1);
  EXPECT_EQ(sass_access("LDSM.16.M88.4")->matrices, 4);
  EXPECT_EQ(sass_access("LDGSTS.E.BYPASS.128")->cache, Cache::cg);
  EXPECT_EQ(sass_access("ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU")->kind, Kind::atomic);
  EXPECT_EQ(sass_access("RED.E.ADD.64.STRONG.GPU")->bytes, 8);
  EXPECT_EQ(sass_access("STL.128")->space, Space::local);
  EXPECT_FALSE(sass_access("FFMA"));
  EXPECT_FALSE(sass_access(""));
}

std::string compressed(const std::string& text) {
  TemporaryFile file("");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Gzip, IsMembersInARowAndNothingElse) {
  const std::string member = compressed(good);
  EXPECT_EQ(read_text(member + member + member).records.size(), 3u);
  EXPECT_EQ(read_text(member + std::string(1000, '\0')).records.size(), 1u);
  EXPECT_THAT(read_text(member + std::string(1000, '\0')).errors, testing::IsEmpty());
  for (std::string behind : {std::string("x"), std::string("garbage"), std::string("\x1f"), good}) {
    Everything all = read_text(member + behind);
    EXPECT_EQ(all.records.size(), 1u);
    ASSERT_EQ(all.errors.size(), 1u) << behind;
    EXPECT_THAT(all.errors[0].message, testing::HasSubstr("not gzip"));
  }
  for (std::size_t size = 2; size < member.size(); ++size)
    EXPECT_EQ(read_text(member.substr(0, size)).errors.size(), 1u) << "cut to " << size;
}

TEST(Open, AMarkOfUtf8IsPassedOverAndUtf16IsNamed) {
  EXPECT_EQ(read_text("\xef\xbb\xbf" + good).records.size(), 1u);
  EXPECT_THAT(read_text("\xff\xfe{").errors.at(0).message, testing::HasSubstr("UTF-16"));
}

// Wherever a trace is cut off at the end of a line, reading it ends with an error.
TEST(Traceg, EveryCutIsFound) {
  std::ifstream in(WARPLENS_TEST_DATA "/kernel-1.traceg");
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  std::size_t end = whole.find("#END_TB");
  for (std::size_t at = whole.find('\n'); at < end; at = whole.find('\n', at + 1)) {
    Everything all = read_text(whole.substr(0, at + 1));
    ASSERT_EQ(all.errors.size(), 1u) << "cut to " << at + 1;
    EXPECT_EQ(all.errors[0].kind, "trace-cut-off");
  }
}

TEST(Traceg, FewerInstructionsOrBlocksThanAnnouncedAreAnError) {
  std::ifstream in(WARPLENS_TEST_DATA "/kernel-1.traceg");
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return read_text(text.replace(text.find(from), from.size(), to)).errors;
  };
  EXPECT_EQ(changed("insts = 6", "insts = 8").at(0).message,
            "the warp before this line has 2 instructions fewer than it announces");
  EXPECT_EQ(changed("dim = (1,1,1)", "dim = (3,2,1)").at(0).message,
            "the file ends after 1 of the grid's 6 blocks");
  EXPECT_THAT(changed("dim = (1,1,1)", "dim = (4294967295,4294967295,4294967295)"), testing::IsEmpty())
      << "no such grid";
  EXPECT_THAT(changed("dim = (1,1,1)", "dim = nonsense"), testing::IsEmpty());
}

} // namespace
} // namespace warplens::trace
