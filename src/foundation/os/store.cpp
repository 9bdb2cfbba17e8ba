// See store.h for what is promised. Entries of other users are never believed: a cached program is run.
#include "os/store.h"
#include "os/build_id.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/folder.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace warplens::cache {
namespace {

namespace fs = std::filesystem;

constexpr u64 default_limit_mib = 256;
constexpr std::string_view temporary = "new-"; // begins the names of files that are being written
constexpr std::string_view pattern = "XXXXXX"; // of mkostemp

bool is_temporary(std::string_view name) {
  return name.starts_with(temporary) && name.size() == temporary.size() + pattern.size();
}

// Whether this is a file of ours, "module-0123…": the folder may hold other things, which stay.
bool is_entry(std::string_view name) {
  constexpr std::size_t digits = 32;
  if (name.size() < digits + 2 || name[name.size() - digits - 1] != '-') return false;
  return name.substr(name.size() - digits).find_first_not_of("0123456789abcdef") == name.npos;
}

struct Header {
  std::array<char, 8> magic{'W', 'L', 'C', 'A', 'C', 'H', 'E', '1'};
  u64 size = 0; // of the payload, which follows
  Digest name, payload;
  bool operator==(const Header&) const = default;
};

std::string default_folder() {
  if (std::string folder = os::variable("WARPLENS_CACHE_DIR"); !folder.empty()) return folder;
  // The XDG Base Directory Specification: a path that is not absolute is to be ignored.
  if (std::string folder = os::variable("XDG_CACHE_HOME"); folder.starts_with('/'))
    return folder + "/warplens";
  if (std::string home = os::variable("HOME"); home.starts_with('/')) return home + "/.cache/warplens";
  return {};
}

Digest name_of(const Digest& key) {
  return Hasher().add(os::build_id()).add(key.words[0]).add(key.words[1]).digest();
}

} // namespace

Settings settings_from_environment() {
  u64 limit = default_limit_mib;
  if (std::string text = os::variable("WARPLENS_CACHE_SIZE"); !text.empty()) {
    char* end = nullptr;
    u64 value = std::strtoull(text.c_str(), &end, 10);
    if (*end == '\0' && text[0] >= '0' && text[0] <= '9') limit = std::min<u64>(value, u64{1} << 40);
  }
  return {default_folder(), limit << 20};
}

Store::Store(Settings settings) : settings_(std::move(settings)) {
  if (settings_.limit == 0 || os::build_id().empty()) settings_.folder.clear();
}

std::string Store::path(std::string_view kind, const Digest& name) const {
  return settings_.folder + '/' + std::string(kind) + '-' + name.text();
}

std::optional<Blob> Store::find(std::string_view kind, const Digest& key) const {
  if (!enabled()) return {};
  Header wanted, header;
  wanted.name = name_of(key);
  os::Descriptor file(open(path(kind, wanted.name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_uid != geteuid() || static_cast<u64>(status.st_size) < sizeof header) return {};
  if (!os::read_all(file.get(), &header, sizeof header)) return {};
  wanted.size = static_cast<u64>(status.st_size) - sizeof header;
  wanted.payload = header.payload;
  if (header != wanted || wanted.size > settings_.limit) return {};
  Blob blob{std::make_unique_for_overwrite<std::byte[]>(wanted.size), wanted.size};
  if (!os::read_all(file.get(), blob.data.get(), blob.size) || digest_of(blob.bytes()) != header.payload)
    return {};
  futimens(file.get(), nullptr); // read just now: the last to go
  return blob;
}

void Store::put(std::string_view kind, const Digest& key, std::span<const std::byte> payload) const {
  if (!enabled() || payload.size() + sizeof(Header) > settings_.limit) return;
  std::error_code error;
  fs::create_directories(fs::path(settings_.folder).parent_path(), error);
  mkdir(settings_.folder.c_str(), S_IRWXU); // private; it may be there already
  Header header;
  header.size = payload.size();
  header.name = name_of(key);
  header.payload = digest_of(payload);
  std::string written = settings_.folder + '/' + std::string(temporary) + std::string(pattern);
  os::Descriptor file(mkostemp(written.data(), O_CLOEXEC));
  if (!file) return;
  bool whole =
      os::write_all(file.get(), std::as_bytes(std::span(&header, 1))) && os::write_all(file.get(), payload);
  if (!whole || rename(written.c_str(), path(kind, header.name).c_str()) != 0) unlink(written.c_str());
  make_room();
}

void Store::make_room() const {
  struct Entry {
    fs::file_time_type used;
    u64 size;
    fs::path path;
    bool abandoned;
  };
  constexpr auto longest_write = std::chrono::hours(1);
  auto now = fs::file_time_type::clock::now();
  std::vector<Entry> entries;
  u64 total = 0;
  std::error_code error;
  for (const std::string& name : os::names_in(settings_.folder)) {
    const fs::path path = fs::path(settings_.folder) / name;
    std::error_code gone; // another process removes files, too
    if ((!is_entry(name) && !is_temporary(name)) || !fs::is_regular_file(path, gone)) continue;
    Entry entry{fs::last_write_time(path, gone), 0, path, false};
    if (!gone) entry.size = fs::file_size(path, gone);
    if (gone) continue;
    total += entry.size;
    entry.abandoned = is_temporary(name) && now - entry.used > longest_write;
    if (entry.abandoned || is_entry(name)) entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= settings_.limit && !entry.abandoned) continue;
    fs::remove(entry.path, error);
    total -= entry.size;
  }
}

} // namespace warplens::cache
