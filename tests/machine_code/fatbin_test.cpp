// The fatbinary reader on containers built here byte by byte, and on every truncation of them.
#include "machine_code/cubin.h"
#include "machine_code/fatbin.h"
#include <cstring>
#include <gtest/gtest.h>
#include <lz4.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

namespace warplens::fatbin {
namespace {

const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(200, ' ') + "\n";

template <class T> void put(std::string& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

std::string entry(u16 kind, u32 sm, u64 flags, std::string payload, u64 plain) {
  u64 compressed = payload.size();
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string out(64, '\0');
  put<u16>(out, 0, kind);
  put<u16>(out, 2, 0x101);
  put<u32>(out, 4, 64);
  put<u64>(out, 8, payload.size());
  put<u32>(out, 16, static_cast<u32>(compressed));
  put<u32>(out, 28, sm);
  put<u64>(out, 40, flags);
  put<u64>(out, 56, plain);
  return out + payload;
}

std::string container(const std::string& entries) {
  std::string out(16, '\0');
  put<u32>(out, 0, 0xba55ed50);
  put<u16>(out, 4, 1);
  put<u16>(out, 6, 16);
  put<u64>(out, 8, entries.size());
  return out + entries;
}

std::string zstd(const std::string& in) {
  std::string out(ZSTD_compressBound(in.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), in.data(), in.size(), 3));
  return out;
}

std::string lz4(const std::string& in) {
  std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(in.size()))), '\0');
  out.resize(static_cast<std::size_t>(LZ4_compress_default(in.data(), out.data(), static_cast<int>(in.size()),
                                                           static_cast<int>(out.size()))));
  return out;
}

Fatbin read(const std::string& data) { return read_fatbin(std::as_bytes(std::span(data))); }

std::string all_kinds() {
  return container(entry(1, 80, 0, text, 0) + entry(1, 90, 0x8000, zstd(text), text.size()) +
                   entry(1, 75, 0x2000, lz4(text), text.size()));
}

TEST(Fatbin, ReadsPlainAndCompressedPtx) {
  Fatbin fatbin = read(container("") + all_kinds()); // an empty container first
  EXPECT_TRUE(fatbin.diagnostics.empty());
  ASSERT_EQ(fatbin.ptx.size(), 3u);
  for (const PtxImage& image : fatbin.ptx) EXPECT_EQ(image.text, text);
}

TEST(Fatbin, BarePtxTextCountsAsOne) {
  Fatbin fatbin = read(text);
  ASSERT_EQ(fatbin.ptx.size(), 1u);
  EXPECT_EQ(fatbin.ptx[0].sm, 80u);
}

TEST(Fatbin, EveryTruncationIsDiagnosed) {
  std::string whole = all_kinds();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly this size, so that a read past the end is one past an allocation.
    Fatbin fatbin = read(std::string(whole.data(), size));
    EXPECT_FALSE(fatbin.diagnostics.empty()) << "cut to " << size << " bytes";
    EXPECT_LT(fatbin.ptx.size(), 3u) << "cut to " << size << " bytes";
  }
}

TEST(Fatbin, GarbageIsDiagnosed) {
  std::string data = all_kinds();
  for (std::size_t at = 0; at < data.size(); ++at) {
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    read(damaged); // ends, without reading elsewhere
  }
  EXPECT_EQ(read("not a fatbinary").diagnostics.at(0).kind, "fatbin-damaged");
  EXPECT_EQ(read(container(entry(1, 80, 0x8000, "no zstd frame", 100))).diagnostics.at(0).kind,
            "fatbin-damaged");
  EXPECT_EQ(read(container(entry(1, 80, 0x8000, zstd(text), ~u64{0}))).diagnostics.at(0).kind,
            "fatbin-damaged");
}

TEST(Fatbin, TheHighestPtxNotAboveTheDeviceIsChosen) {
  Fatbin fatbin = read(all_kinds()); // 80, 90, 75
  EXPECT_EQ(choose_ptx(fatbin, 90).image->sm, 90u);
  EXPECT_EQ(choose_ptx(fatbin, 89).image->sm, 80u);
  EXPECT_EQ(choose_ptx(fatbin, 75).image->sm, 75u);
  EXPECT_FALSE(choose_ptx(fatbin, 75).above);
  EXPECT_EQ(choose_ptx(fatbin, 50).image->sm, 75u);
  EXPECT_TRUE(choose_ptx(fatbin, 50).above);
  EXPECT_EQ(choose_ptx(Fatbin{}, 90).image, nullptr);
}

TEST(Fatbin, ACubinThatIsNoElfIsCountedOnly) {
  Fatbin fatbin = read(container(entry(2, 90, 0,
                                       "\x7f"
                                       "ELF, but nothing follows",
                                       0)));
  EXPECT_EQ(fatbin.cubins, 1u);
  EXPECT_TRUE(fatbin.ptx.empty());
}

TEST(Fatbin, ACubinMadeForItsPtxAloneGivesItBack) {
  const std::vector<std::byte> cubin = cubin_around(text, 90);
  Fatbin fatbin = read_fatbin(cubin);
  EXPECT_EQ(fatbin.cubins, 1u);
  ASSERT_EQ(fatbin.ptx.size(), 1u);
  EXPECT_EQ(fatbin.ptx[0].text, text);
  EXPECT_TRUE(fatbin.ptx[0].from_cubin);
  EXPECT_TRUE(fatbin.ptx[0].linked.empty());
  EXPECT_EQ(fatbin_extent(cubin.data()).size(), cubin.size()); // whoever is given it knows no size
}

// Bytes that end where memory does: a page behind them cannot be read.
class AtTheEdge {
public:
  explicit AtTheEdge(const std::string& data) {
    auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (data.size() + page - 1) / page * page + page;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + size_ - page, page, PROT_NONE);
    start_ = memory_ + size_ - page - data.size();
    std::memcpy(start_, data.data(), data.size());
  }
  ~AtTheEdge() { munmap(memory_, size_); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;
  const std::byte* start() const { return start_; }

private:
  std::byte *memory_, *start_;
  std::size_t size_;
};

std::string with_container(u16 header, u64 size) {
  std::string out = container(entry(1, 80, 0, text, 0));
  put<u16>(out, 6, header);
  put<u64>(out, 8, size);
  return out;
}

TEST(Fatbin, ItsExtentIsWhatItSaysAndNeverPastWhatCanBeRead) {
  std::string good = container("") + all_kinds();
  EXPECT_EQ(fatbin_extent(AtTheEdge(good).start()).size(), good.size());
  EXPECT_EQ(fatbin_extent(AtTheEdge(text).start()).size(), text.size());
  EXPECT_TRUE(fatbin_extent(nullptr).empty());
  EXPECT_TRUE(fatbin_extent(reinterpret_cast<const std::byte*>(16)).empty());
  static const std::string constant(text);
  EXPECT_EQ(fatbin_extent(reinterpret_cast<const std::byte*>(constant.c_str())).size(), text.size());
  for (auto [header, size] : {std::pair<u16, u64>{0, 0},
                              {0, 200},
                              {15, 0},
                              {65535, 8},
                              {16, 1u << 20},
                              {16, u64{1} << 40},
                              {16, ~u64{0}},
                              {16, ~u64{0} - 15}}) {
    std::string bad = with_container(header, size);
    AtTheEdge at_the_edge(bad);
    Bytes extent = fatbin_extent(at_the_edge.start());
    EXPECT_LE(extent.size(), bad.size()) << header << " " << size;
    EXPECT_FALSE(read_fatbin(extent).diagnostics.empty()) << header << " " << size;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    AtTheEdge cut(good.substr(0, size));
    EXPECT_LE(fatbin_extent(cut.start()).size(), size);
  }
}

TEST(Fatbin, ASizeThatCompressionCannotYieldIsNotAllocated) {
  const u64 gigabytes = u64{4} << 30;
  for (u64 flags : {0x8000, 0x2000})
    for (u64 plain : {u64{0}, gigabytes, ~u64{0}, u64{0x7e000000}}) {
      Fatbin fatbin = read(container(entry(1, 80, flags, std::string(24, '\0'), plain)));
      ASSERT_EQ(fatbin.diagnostics.size(), 1u) << flags << " " << plain;
      EXPECT_NE(fatbin.diagnostics[0].message.find("a size that it cannot have"), std::string::npos);
    }
}

TEST(Fatbin, WhatShrankAThousandTimesIsStillRead) {
  std::string blank = text + std::string(2 << 20, ' ');
  Fatbin fatbin = read(container(entry(1, 90, 0x8000, zstd(blank), blank.size()) +
                                 entry(1, 75, 0x2000, lz4(blank), blank.size())));
  EXPECT_TRUE(fatbin.diagnostics.empty());
  ASSERT_EQ(fatbin.ptx.size(), 2u);
  EXPECT_EQ(fatbin.ptx[0].text, blank);
  EXPECT_EQ(fatbin.ptx[1].text, blank);
}

TEST(Fatbin, ManyBombsTogetherAreStopped) {
  std::string bomb = zstd(std::string(256 << 20, ' ')), entries; // 8 KiB or so
  for (int i = 0; i < 12; ++i) entries += entry(2, 90, 0x8000, bomb, 256 << 20);
  Fatbin fatbin = read(container(entries));
  EXPECT_LT(fatbin.cubins, 8u);
  ASSERT_FALSE(fatbin.diagnostics.empty());
  EXPECT_NE(fatbin.diagnostics[0].message.find("gigabytes"), std::string::npos);
}

} // namespace
} // namespace warplens::fatbin
