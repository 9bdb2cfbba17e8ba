// The cache's promises: what was put is found again, and everything else is a miss that harms nobody.
#include "os/store.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::cache {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "warplens-cache-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    fs::permissions(root_, fs::perms::owner_all);
    fs::remove_all(root_);
  }
  std::string folder() const { return root_ + "/deep/cache"; }
  Store store(u64 limit = 1 << 20) const { return Store({folder(), limit}); }
  std::vector<fs::path> files() const {
    std::error_code error;
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder(), error)) out.push_back(entry.path());
    return out;
  }
  std::string root_;
};

Digest key(u64 number) { return Hasher().add(number).digest(); }
std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
std::optional<std::string> text_of(const std::optional<Blob>& blob) {
  if (!blob) return {};
  return std::string(reinterpret_cast<const char*>(blob->data.get()), blob->size);
}
std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

TEST_F(StoreTest, FindsWhatWasPutUnderItsKindAndKeyAlone) {
  EXPECT_FALSE(store().find("module", key(1)));
  store().put("module", key(1), bytes("one"));
  store().put("module", key(2), bytes(""));
  EXPECT_EQ(text_of(store().find("module", key(1))), "one");
  EXPECT_EQ(text_of(store().find("module", key(2))), "");
  EXPECT_FALSE(store().find("module", key(3)));
  EXPECT_FALSE(store().find("program", key(1)));
  store().put("module", key(1), bytes("replaced"));
  EXPECT_EQ(text_of(store().find("module", key(1))), "replaced");
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all) << "others may not read it";
}

TEST_F(StoreTest, ADamagedFileIsAMissAndIsReplaced) {
  std::string content(1000, 'x');
  store().put("module", key(1), bytes(content));
  ASSERT_EQ(files().size(), 1u);
  fs::path file = files()[0];
  std::string whole = read_file(file);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write_file(file, whole.substr(0, length));
    EXPECT_FALSE(store().find("module", key(1))) << "cut off after " << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    write_file(file, flipped);
    EXPECT_FALSE(store().find("module", key(1))) << "bit " << at % 8 << " of byte " << at;
  }
  write_file(file, whole + "y");
  EXPECT_FALSE(store().find("module", key(1))) << "too long";
  store().put("module", key(1), bytes(content));
  EXPECT_EQ(text_of(store().find("module", key(1))), content);
}

TEST_F(StoreTest, AnEntryUnderAnotherNameIsAMiss) {
  store().put("module", key(1), bytes("one"));
  fs::path one = files()[0];
  store().put("module", key(2), bytes("two"));
  std::vector<fs::path> both = files();
  fs::path two = both[0] == one ? both[1] : both[0];
  fs::copy_file(one, two, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(store().find("module", key(2)));
  EXPECT_EQ(text_of(store().find("module", key(1))), "one");
}

TEST_F(StoreTest, WhatIsNoFileIsAMiss) {
  store().put("module", key(1), bytes("one"));
  fs::path file = files()[0];
  fs::remove(file);
  fs::create_directory(file);
  store().put("module", key(1), bytes("one"));
  EXPECT_FALSE(store().find("module", key(1)));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(store().find("module", key(1))) << "and does not wait for a writer";
  fs::remove(file);
  write_file(root_ + "/elsewhere", "text");
  fs::create_symlink(root_ + "/elsewhere", file);
  EXPECT_FALSE(store().find("module", key(1)));
}

TEST_F(StoreTest, StaysBelowItsLimitAndKeepsWhatWasReadLast) {
  Store small = store(10000);
  std::string content(2000, 'x');
  for (u64 i = 0; i < 4; ++i) {
    small.put("module", key(i), bytes(content));
    usleep(5000);
  }
  for (u64 i = 4; i < 40; ++i) {
    ASSERT_TRUE(small.find("module", key(0))) << "read before each put";
    usleep(2000);
    small.put("module", key(i), bytes(content));
    u64 total = 0;
    for (const fs::path& file : files()) total += fs::file_size(file);
    ASSERT_LE(total, 10000u);
  }
  EXPECT_TRUE(small.find("module", key(39)));
  EXPECT_FALSE(small.find("module", key(5)));
  small.put("module", key(100), bytes(std::string(10000, 'x')));
  EXPECT_FALSE(small.find("module", key(100))) << "alone larger than the limit";
}

TEST_F(StoreTest, FilesThatAreNotOursStay) {
  fs::create_directories(folder());
  write_file(folder() + "/thesis.tex", std::string(5000, 'x'));
  write_file(folder() + "/new-ideas.txt", std::string(5000, 'x'));
  write_file(folder() + "/notes-0123456789abcdef", std::string(5000, 'x'));
  Store small = store(3000);
  for (u64 i = 0; i < 10; ++i) small.put("module", key(i), bytes(std::string(1000, 'x')));
  EXPECT_TRUE(fs::exists(folder() + "/thesis.tex"));
  EXPECT_TRUE(fs::exists(folder() + "/new-ideas.txt"));
  EXPECT_TRUE(fs::exists(folder() + "/notes-0123456789abcdef"));
}

TEST_F(StoreTest, RemovesWhatAWriterLeftUnfinishedLongAgo) {
  fs::create_directories(folder());
  write_file(folder() + "/new-aaaaaa", "old");
  write_file(folder() + "/new-bbbbbb", "young");
  fs::last_write_time(folder() + "/new-aaaaaa", fs::file_time_type::clock::now() - std::chrono::hours(2));
  store().put("module", key(1), bytes("one"));
  EXPECT_FALSE(fs::exists(folder() + "/new-aaaaaa"));
  EXPECT_TRUE(fs::exists(folder() + "/new-bbbbbb"));
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsAnEmptyCache) {
  write_file(root_ + "/deep", "a file where the folder should be");
  store().put("module", key(1), bytes("one"));
  EXPECT_FALSE(store().find("module", key(1)));
  Store nowhere({"/proc/warplens", 1 << 20});
  nowhere.put("module", key(1), bytes("one"));
  EXPECT_FALSE(nowhere.find("module", key(1)));
}

TEST_F(StoreTest, AReadOnlyCacheIsStillRead) {
  store().put("module", key(1), bytes("one"));
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(text_of(store().find("module", key(1))), "one");
  store().put("module", key(2), bytes("two")); // root may write it all the same
  EXPECT_EQ(store().find("module", key(2)).has_value(), geteuid() == 0);
  fs::permissions(folder(), fs::perms::owner_all);
}

TEST_F(StoreTest, NoFolderOrNoRoomIsNoCache) {
  EXPECT_FALSE(Store({"", 1 << 20}).enabled());
  EXPECT_FALSE(Store({folder(), 0}).enabled());
  Store({folder(), 0}).put("module", key(1), bytes("one"));
  EXPECT_FALSE(fs::exists(folder()));
}

// Writers and readers of several processes on few keys: a reader sees a whole entry or none.
TEST_F(StoreTest, ConcurrentProcessesSeeWholeEntries) {
  constexpr int processes = 6, rounds = 300;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = fork();
    if (child == 0) {
      Store shared = store(20000); // small: eviction takes part
      bool good = true;
      for (int r = 0; r < rounds; ++r) {
        u64 k = static_cast<u64>(r * 7 + p) % 5;
        shared.put("module", key(k), bytes(std::string(3000 + 100 * k, static_cast<char>('a' + k))));
        std::optional<std::string> found = text_of(shared.find("module", key((k + 1) % 5)));
        u64 other = (k + 1) % 5;
        good = good && (!found || *found == std::string(3000 + 100 * other, static_cast<char>('a' + other)));
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const fs::path& file : files()) EXPECT_FALSE(file.filename().string().starts_with("new-")) << file;
}

TEST(Settings, ComeFromTheEnvironment) {
  auto set = [](const char* name, const char* value) { value ? setenv(name, value, 1) : unsetenv(name); };
  set("WARPLENS_CACHE_DIR", nullptr);
  set("WARPLENS_CACHE_SIZE", nullptr);
  set("XDG_CACHE_HOME", "/x");
  set("HOME", "/h");
  EXPECT_EQ(settings_from_environment().folder, "/x/warplens");
  EXPECT_EQ(settings_from_environment().limit, u64{256} << 20);
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(settings_from_environment().folder, "/h/.cache/warplens");
  set("HOME", nullptr);
  EXPECT_EQ(settings_from_environment().folder, "");
  set("WARPLENS_CACHE_DIR", "/d");
  EXPECT_EQ(settings_from_environment().folder, "/d");
  set("WARPLENS_CACHE_SIZE", "0");
  EXPECT_EQ(settings_from_environment().limit, 0u);
  set("WARPLENS_CACHE_SIZE", "17");
  EXPECT_EQ(settings_from_environment().limit, u64{17} << 20);
  for (const char* nonsense : {"-1", "many", "1x", ""}) {
    set("WARPLENS_CACHE_SIZE", nonsense);
    EXPECT_EQ(settings_from_environment().limit, u64{256} << 20) << nonsense;
  }
}

TEST(Digest, EveryBitAndEveryLengthCounts) {
  std::set<std::string> seen;
  std::string text(130, '\0');
  for (std::size_t length = 0; length <= text.size(); ++length)
    seen.insert(digest_of(std::string_view(text).substr(0, length)).text());
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(1 << bit % 8);
    seen.insert(digest_of(text).text());
    text[bit / 8] = 0;
  }
  EXPECT_EQ(seen.size(), 131u + 8 * 130u);
  EXPECT_NE(Hasher().add("ab").add("c").digest(), Hasher().add("a").add("bc").digest());
  EXPECT_NE(Hasher().add("").digest(), Hasher().digest());
}

// The vectors are what `xxhsum -H2` says of the lengths (8 bytes, little-endian) and contents in a row.
TEST(Digest, IsXxh3Of128Bits) {
  EXPECT_EQ(Hasher().digest().text(), "99aa06d3014798d86001c324468d497f") << "of nothing";
  EXPECT_EQ(digest_of("abc").text(), "45bcdc88efffd44520b986a5e7fe1438");
  std::string long_one; // longer than what is hashed in one go
  for (u32 i = 0; i < 1000; ++i) long_one += static_cast<char>(i % 251);
  EXPECT_EQ(digest_of(long_one).text(), "492093f5f934aa5f21cc3facdd454e73");
}

} // namespace
} // namespace warplens::cache
