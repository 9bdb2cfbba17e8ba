// The fatbinary reader on containers built here byte by byte, and on every truncation of them.
#include "runtime/fatbin.h"
#include <cstring>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

namespace warplens::runtime {
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

} // namespace
} // namespace warplens::runtime
