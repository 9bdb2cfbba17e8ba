// Mailboxes of one machine (mailboxes.h): a file without a name, which a rank finds by the process that made it. What a rank sends is a
// file of its own, again without a name.
#pragma once
#include "libraries/mailboxes.h"
#include "os/file.h"

namespace warplens::runtime {

class SharedMailboxes final : public Mailboxes, public std::enable_shared_from_this<SharedMailboxes> {
public:
  static std::shared_ptr<SharedMailboxes> create(u64 machine);
  static std::shared_ptr<SharedMailboxes> open(const MailboxesAddress&);
  ~SharedMailboxes() override;
  SharedMailboxes(const SharedMailboxes&) = delete;
  SharedMailboxes& operator=(const SharedMailboxes&) = delete;

  // From here on processes of other machines are served, as long as this process lives. Changes the address.
  void let_others_in();

  bool join(u32 rank) override { return join(rank, false); }
  bool join(u32 rank, bool far); // far: this process serves another that has the rank
  void leave(u32 rank);          // of one that is far: its process has gone
  bool has_joined(u32 rank) override;
  bool is_alive(u32 rank) override;
  bool put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) override;
  std::optional<bool> take(u32 from, u64 tag, std::span<std::byte> out) override;
  // The same, as a file; none where it has other bytes than so many.
  std::optional<os::Descriptor> take_file(u32 from, u64 tag, u64 bytes);
  bool may_leave(u32 rank) override; // who serves others stays until these have gone
  bool all_is_read(u32 rank) const;

private:
  struct Slot;
  struct Box;
  SharedMailboxes() = default;
  Box& box(u32 rank) const;

  os::Descriptor own_file_;
  std::shared_ptr<os::Descriptor> door_; // where others come
  void* shared_ = nullptr;
};

} // namespace warplens::runtime
