// A folder of files named by what they were made from: the results that are worth keeping between runs.
//
// An entry is written to a file of its own and renamed into place, so that readers and writers of other
// processes see it whole or not at all; no lock is needed. It is read in one go and counts only when its
// length, its name and the digest of its payload agree with its header: whatever a crash, a full disk or
// another program left there is a miss, and the next put replaces it. Every program that reads or writes
// entries is part of their names (os/build_id.h), so that no version of WarpLens ever sees what another one wrote.
// The files together stay below a limit: those not read for the longest time go first.
//
// Nothing here can fail for the caller: a folder that cannot be made, read or written is an empty cache.
#pragma once
#include "os/digest.h"
#include <memory>
#include <optional>

namespace warplens::cache {

struct Settings {
  std::string folder; // empty: no cache
  u64 limit = 0;      // bytes of all files together; 0: no cache
};

// WARPLENS_CACHE_DIR, else $XDG_CACHE_HOME/warplens, else ~/.cache/warplens; WARPLENS_CACHE_SIZE in MiB
// (256; 0: no cache).
Settings settings_from_environment();

struct Blob {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::span<const std::byte> bytes() const { return {data.get(), size}; }
};

class Store {
public:
  explicit Store(Settings);
  bool enabled() const { return !settings_.folder.empty(); }

  // `kind` is a word for people who look into the folder: "module", "program". `key` covers everything that
  // the payload depends on.
  std::optional<Blob> find(std::string_view kind, const Digest& key) const;
  void put(std::string_view kind, const Digest& key, std::span<const std::byte> payload) const;

private:
  std::string path(std::string_view kind, const Digest& name) const;
  void make_room() const;
  Settings settings_;
};

} // namespace warplens::cache
