// Files, folders and variables of this process, and ELF images whole and damaged.
#include "os/build_id.h"
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/mappings.h"
#include "os/output_file.h"
#include "os/readable.h"
#include "os/shared_memory.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::os {
namespace {

TEST(TempDirTest, IsPrivateAndGoesWithItsOwner) {
  std::string path;
  {
    Result<TempDir> folder = TempDir::create();
    ASSERT_TRUE(folder);
    path = folder->path();
    std::ofstream(path + "/file") << "x";
    TempDir moved = std::move(*folder);
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDirTest, WhatAKilledOwnerLeftGoesWithTheNext) {
  Result<TempDir> ours = TempDir::create();
  ASSERT_TRUE(ours);
  setenv("TMPDIR", ours->path().c_str(), 1);
  pid_t owner = fork();
  if (owner == 0) {
    Result<TempDir> folder = TempDir::create();
    if (folder) std::ofstream(folder->path() + "/file") << "x";
    raise(SIGKILL);
  }
  waitpid(owner, nullptr, 0);
  auto folders = [&] {
    auto all = std::filesystem::directory_iterator(ours->path());
    return std::count_if(begin(all), end(all), [](const auto& entry) { return entry.is_directory(); });
  };
  EXPECT_EQ(folders(), 1);
  std::string other =
      ours->path() + "/warplens-tmp-words"; // has something, and nothing to lock: not one of ours
  std::filesystem::create_directory(other);
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  std::ofstream(other + "/words") << "x";
  {
    Result<TempDir> living = TempDir::create(), another = TempDir::create();
    ASSERT_TRUE(living && another);
    EXPECT_TRUE(std::filesystem::exists(living->path()));
    EXPECT_EQ(folders(), 3);
  }
  EXPECT_EQ(folders(), 1);
  unsetenv("TMPDIR");
}

// Ends by the signal, as it would without us, and leaves nothing.
TEST(TempDirTest, GoesWithAnOwnerThatASignalEnds) {
  Result<TempDir> ours = TempDir::create();
  ASSERT_TRUE(ours);
  setenv("TMPDIR", ours->path().c_str(), 1);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    pid_t owner = fork();
    if (owner == 0) {
      signal(number, SIG_DFL);
      remove_temporary_folders_on_signals();
      Result<TempDir> first = TempDir::create(), second = TempDir::create();
      std::filesystem::create_directories(second->path() + "/a/b");
      for (int i = 0; i < 100; ++i) std::ofstream(second->path() + "/a/b/" + std::to_string(i)) << "x";
      raise(number);
      _exit(0);
    }
    int status = 0;
    waitpid(owner, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
    auto all = std::filesystem::directory_iterator(ours->path());
    EXPECT_EQ(std::count_if(begin(all), end(all), [](const auto& e) { return e.is_directory(); }), 0)
        << number;
  }
  unsetenv("TMPDIR");
}

// In a process of its own, whose handler must not hear of our write.
TEST(WriteAll, IsAnErrorPastTheLimitOnTheSizeOfFiles) {
  Result<TempDir> folder = TempDir::create();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/file", text(10000, 'x');
  pid_t writer = fork();
  if (writer == 0) {
    static volatile sig_atomic_t heard = 0;
    signal(SIGXFSZ, [](int) { heard = heard + 1; });
    const rlimit small{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &small);
    Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const bool written = write_all(file.get(), std::as_bytes(std::span(text)));
    _exit(!written && errno == EFBIG && heard == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(SharedMemoryTest, IsOneForAllThatKnowItsName) {
  Result<SharedMemory> made = SharedMemory::create(64);
  ASSERT_TRUE(made);
  std::string name = made->name();
  pid_t other = fork();
  if (other == 0) {
    std::optional<SharedMemory> same = SharedMemory::open(name, 64);
    if (same) std::strcpy(static_cast<char*>(same->data()), "words");
    _exit(same ? 0 : 1);
  }
  int status = -1;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(static_cast<const char*>(made->data()), "words");
  EXPECT_FALSE(SharedMemory::open(name, 65));
  EXPECT_FALSE(SharedMemory::open(name + "1", 64)); // another inode
  EXPECT_FALSE(SharedMemory::open("", 64));
}

TEST(SharedMemoryTest, OnlyMemoryHasAFixedSize) {
  const Descriptor memory(memfd_create("memory", MFD_ALLOW_SEALING)), unsealed(memfd_create("unsealed", 0));
  ASSERT_EQ(ftruncate(memory.get(), 4096), 0);
  EXPECT_FALSE(has_fixed_size(memory.get()));
  EXPECT_TRUE(fix_size(memory.get()));
  EXPECT_TRUE(has_fixed_size(memory.get()));
  EXPECT_NE(ftruncate(memory.get(), 0), 0);
  EXPECT_FALSE(fix_size(unsealed.get()));
  Result<TempDir> folder = TempDir::create();
  const Descriptor file(open((folder->path() + "/file").c_str(), O_CREAT | O_RDWR, 0600)),
      null(open("/dev/null", O_RDWR));
  for (const int other : {unsealed.get(), file.get(), null.get(), -1})
    EXPECT_FALSE(has_fixed_size(other)) << other;
}

TEST(Mappings, TellWhatIsMemoryAndWhatMayBeDoneWithIt) {
  constexpr std::size_t page = 4096;
  void* three = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  u64 address = reinterpret_cast<u64>(three);
  EXPECT_TRUE(accessible(address + 8, 3 * page - 8, true));
  mprotect(reinterpret_cast<void*>(address + page), page, PROT_READ);
  EXPECT_TRUE(accessible(address, 3 * page, false));
  EXPECT_FALSE(accessible(address, 3 * page, true));
  EXPECT_TRUE(accessible(address, page, true));
  munmap(reinterpret_cast<void*>(address + page), page);
  EXPECT_FALSE(accessible(address, 3 * page, false));
  auto is_writable = [](u64 at) {
    for (auto [from, to] : writable_memory())
      if (at >= from && at < to) return true;
    return false;
  };
  EXPECT_TRUE(is_writable(address + 8));
  EXPECT_FALSE(is_writable(address + page));
  EXPECT_TRUE(is_writable(address + 2 * page));
  EXPECT_FALSE(accessible(page, u64{1} << 47, false));
  EXPECT_FALSE(accessible(address, ~u64{0}, false));
  munmap(three, 3 * page);
}

TEST(Environment, UnsetIsEmptyAndStillTold) {
  unsetenv("WARPLENS_TEST");
  EXPECT_STREQ(variable("WARPLENS_TEST"), "");
  EXPECT_FALSE(is_set("WARPLENS_TEST"));
  setenv("WARPLENS_TEST", "", 1);
  EXPECT_TRUE(is_set("WARPLENS_TEST"));
  setenv("WARPLENS_TEST", "words", 1);
  EXPECT_STREQ(variable("WARPLENS_TEST"), "words");
  EXPECT_EQ(executable(), std::filesystem::canonical("/proc/self/exe"));
}

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

TEST(DescriptorTest, ClosesWhatItOwnsOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Descriptor reader(ends[0]), writer(ends[1]);
    Descriptor moved(std::move(writer));
    EXPECT_FALSE(writer);
    EXPECT_TRUE(write_all(moved.get(), std::as_bytes(std::span("abc", 3))));
    char text[3];
    EXPECT_TRUE(read_all(reader.get(), text, 3));
    EXPECT_EQ(std::string_view(text, 3), "abc");
    moved.reset();
    EXPECT_FALSE(is_open(ends[1]));
    EXPECT_FALSE(read_all(reader.get(), text, 1)) << "at the end";
    EXPECT_TRUE(is_open(ends[0]));
  }
  EXPECT_FALSE(is_open(ends[0]));
}

TEST(ReadFile, IsAllOfARegularFileOrNothing) {
  TempDir folder = std::move(*TempDir::create());
  const std::string path = folder.path() + "/file", content("a\0b\n", 4);
  EXPECT_FALSE(read_file(path));
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(read_file(path), content);
  std::ofstream(path, std::ios::binary).close();
  EXPECT_EQ(read_file(path), "");
  EXPECT_FALSE(read_file(folder.path()));
}

TEST(MappedFileTest, IsEmptyWhereNothingCanBeRead) {
  EXPECT_TRUE(MappedFile("/no/such/file").bytes().empty());
  EXPECT_TRUE(MappedFile("/").bytes().empty());
  EXPECT_TRUE(MappedFile("/dev/null").bytes().empty());
}

TEST(ElfTest, ReadsThisProgram) {
  MappedFile file(executable().c_str());
  EXPECT_EQ(elf_kind(file.bytes()), ElfKind::native);
  std::optional<Elf> elf = Elf::parse(file.bytes());
  ASSERT_TRUE(elf);
  ASSERT_NE(elf->find(".text"), nullptr);
  EXPECT_EQ(elf->find(".no_such_section"), nullptr);
  EXPECT_TRUE(elf->has(SHT_DYNAMIC));
  std::vector<std::string_view> needed = elf->needed();
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
  std::vector<Elf::Symbol> symbols = elf->symbols();
  EXPECT_TRUE(std::any_of(symbols.begin(), symbols.end(), [](const Elf::Symbol& s) {
    return s.name == "main" && s.type == STT_FUNC && s.defined;
  }));
}

// What `strip` leaves: a function that has a symbol begins where the table for unwinding says that one does.
TEST(ElfTest, FindsWhereFunctionsBeginWithoutTheirSymbols) {
  MappedFile file("/proc/self/exe");
  std::optional<Elf> elf = Elf::parse(file.bytes());
  ASSERT_TRUE(elf);
  const std::vector<u64> starts = elf->function_starts();
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  u32 functions = 0, found = 0;
  for (const Elf::Symbol& symbol : elf->symbols()) {
    if (symbol.type != STT_FUNC || !symbol.defined || symbol.size == 0) continue;
    ++functions;
    found += std::binary_search(starts.begin(), starts.end(), symbol.value);
  }
  EXPECT_GT(functions, 100u);
  EXPECT_GT(found, functions * 99 / 100); // the C library's first instructions have no entry
}

// Cut off anywhere, and with each byte of the header and of the table of sections changed: absent or
// incomplete, never a read outside (the sanitizers watch).
TEST(ElfTest, DamagedImagesHaveNothingInThem) {
  MappedFile file(executable().c_str());
  Bytes whole = file.bytes();
  for (std::size_t length : {0u, 3u, 4u, 20u, 63u, 64u, 100u, 4096u}) {
    std::optional<Elf> elf = Elf::parse(whole.first(std::min<std::size_t>(length, whole.size())));
    EXPECT_TRUE(!elf || elf->symbols().empty()) << length;
  }
  std::vector<std::byte> copy(whole.begin(), whole.end());
  Elf64_Ehdr header;
  std::memcpy(&header, copy.data(), sizeof header);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof header; ++i) places.push_back(i);
  for (std::size_t i = 0; i < header.e_shnum * sizeof(Elf64_Shdr); i += 3)
    places.push_back(header.e_shoff + i);
  for (std::size_t place : places) {
    ASSERT_LT(place, copy.size());
    std::byte before = copy[place];
    copy[place] = ~before;
    if (std::optional<Elf> elf = Elf::parse(copy)) elf->needed(), elf->find(".text"), elf->function_starts();
    copy[place] = before;
  }
}

TEST(ElfTest, TellsForeignProgramsByTheirHeader) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_AARCH64;
  auto kind = [&] { return elf_kind(std::as_bytes(std::span(&header, 1))); };
  EXPECT_EQ(kind(), ElfKind::foreign);
  header.e_machine = EM_X86_64;
  EXPECT_EQ(kind(), ElfKind::native);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(kind(), ElfKind::foreign);
  header.e_ident[0] = 'M';
  EXPECT_EQ(kind(), ElfKind::none);
  EXPECT_EQ(elf_kind({}), ElfKind::none);
}

std::string note(std::string_view owner, u32 type, std::string_view content) {
  Elf64_Nhdr header{static_cast<u32>(owner.size() + 1), static_cast<u32>(content.size()), type};
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out += owner;
  out.resize((out.size() + 1 + 3) / 4 * 4);
  out += content;
  out.resize((out.size() + 3) / 4 * 4);
  return out;
}

TEST(ElfTest, FindsANoteByOwnerAndType) {
  std::string notes = note("stapsdt", 3, "other owner") + note("GNU", 1, "type") + note("GNU", 3, "this one");
  auto find = [&](std::string_view text, u32 type) {
    return std::string(as_text(find_note(std::as_bytes(std::span(text)), "GNU", type)));
  };
  EXPECT_EQ(find(notes, 3), "this one");
  EXPECT_EQ(find(notes, 1), "type");
  EXPECT_EQ(find(notes, 2), "");
  for (std::size_t length = 0; length < notes.size(); ++length)
    EXPECT_EQ(find(std::string_view(notes).substr(0, length), 3), "") << length;
}

TEST(BuildId, IsOfThisProgram) { EXPECT_EQ(build_id().size(), 20u) << "SHA-1, as CMakeLists.txt asks for"; }

std::string content_of(const std::string& path) { return read_file(path).value_or("none"); }

TEST(OutputFileTest, ReplacesTheContentWholeAndKeepsRightsAndLinks) {
  TempDir temporary = std::move(*TempDir::create());
  const std::string folder = temporary.path() + "/out", path = folder + "/report", link = folder + "/link";
  std::filesystem::create_directory(folder);
  std::ofstream(path) << "before";
  chmod(path.c_str(), 0640);
  symlink("report", link.c_str());
  Result<OutputFile> file = OutputFile::prepare(link);
  ASSERT_TRUE(file);
  EXPECT_EQ(content_of(path), "before");
  ASSERT_TRUE(file->write("after"));
  EXPECT_EQ(content_of(path), "after");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  auto entries = std::filesystem::directory_iterator(folder);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "nothing is left aside";
}

TEST(OutputFileTest, WhatNobodyMayWriteIsNotReplaced) {
  Result<TempDir> folder = TempDir::create();
  const std::string path = folder->path() + "/file", link = folder->path() + "/link";
  std::ofstream(path) << "before";
  std::filesystem::create_symlink(path, link);
  chmod(path.c_str(), 0444);
  EXPECT_FALSE(OutputFile::prepare(path)) << "for root, too";
  EXPECT_FALSE(OutputFile::prepare(link));
  EXPECT_EQ(read_file(path), "before");
  chmod(path.c_str(), 0644);
  EXPECT_TRUE(OutputFile::prepare(path));
}

TEST(OutputFileTest, AllNamesOfAFileAndItsOwnerStay) {
  Result<TempDir> folder = TempDir::create();
  const std::string path = folder->path() + "/file", other = folder->path() + "/other";
  std::ofstream(path) << "before";
  std::filesystem::create_hard_link(path, other);
  ASSERT_TRUE(OutputFile::prepare(path)->write("after"));
  EXPECT_EQ(read_file(other), "after");
  std::filesystem::remove(other);
  constexpr uid_t somebody = 12345;
  if (chown(path.c_str(), somebody, somebody) != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_TRUE(OutputFile::prepare(path)->write("later"));
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(status.st_uid == somebody && status.st_gid == somebody);
  EXPECT_EQ(read_file(path), "later");
}

TEST(OutputFileTest, PreparingMakesNoFile) {
  TempDir temporary = std::move(*TempDir::create());
  const std::string folder = temporary.path() + "/out", path = folder + "/new";
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(OutputFile::prepare(path));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(OutputFileTest, SaysWhatCannotBeWritten) {
  auto refused = [](const std::string& path) { return OutputFile::prepare(path).error().message; };
  EXPECT_EQ(refused("/nonexistent/x"), "cannot write '/nonexistent/x': No such file or directory");
  EXPECT_EQ(refused("/tmp"), "cannot write '/tmp': Is a directory");
  EXPECT_TRUE(OutputFile::prepare("/dev/null")->write("x"));
  Result<void> full = OutputFile::prepare("/dev/full")->write("x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().help, "check the space on the disk");
}

TEST(SameFile, IsToldByLinksFoldersAndNamesThatDoNotExistYet) {
  TempDir folder = std::move(*TempDir::create());
  const std::string a = folder.path() + "/a", dotted = folder.path() + "/./a";
  EXPECT_TRUE(is_same_file(a, dotted));
  EXPECT_FALSE(is_same_file(a, folder.path() + "/b"));
  std::ofstream(a) << "x";
  symlink("a", (folder.path() + "/soft").c_str());
  link(a.c_str(), (folder.path() + "/hard").c_str());
  for (const char* name : {"/a", "/./a", "/soft", "/hard"})
    EXPECT_TRUE(is_same_file(a, folder.path() + name)) << name;
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null")) << "loses nothing";
  EXPECT_FALSE(is_same_file(folder.path(), folder.path()));
}

TEST(ReadFile, NeverOpensAPipeAndKeepsToItsLimit) {
  TempDir folder = std::move(*TempDir::create());
  const std::string pipe = folder.path() + "/pipe", file = folder.path() + "/file";
  mkfifo(pipe.c_str(), 0600);
  EXPECT_FALSE(read_file(pipe));
  EXPECT_TRUE(MappedFile(pipe.c_str()).bytes().empty());
  std::ofstream(file) << "four";
  EXPECT_EQ(read_file(file, 4), "four");
  EXPECT_FALSE(read_file(file, 3));
}

const char constant_data[64] = "in the program's own file";

TEST(ReadableFrom, EndsWithTheProgramsFileOrTheMapping) {
  auto* constant = reinterpret_cast<const std::byte*>(constant_data);
  EXPECT_GE(readable_from(constant).size(), sizeof constant_data);
  auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* memory =
      static_cast<std::byte*>(mmap(nullptr, 4 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + page, page, PROT_READ | PROT_WRITE); // three mappings in a row, then a gap
  mprotect(memory + 3 * page, page, PROT_NONE);
  EXPECT_EQ(readable_from(memory).size(), 3 * page);
  EXPECT_EQ(readable_from(memory + 100).size(), 3 * page - 100);
  EXPECT_TRUE(readable_from(memory + 3 * page).empty());
  munmap(memory, 4 * page);
  EXPECT_TRUE(readable_from(memory).empty());
  EXPECT_TRUE(readable_from(nullptr).empty());
}

} // namespace
} // namespace warplens::os
