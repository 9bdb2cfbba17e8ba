// How the ranks of a communicator hand data to one another, whether they are threads of one process or processes of one machine.
//
// Each rank has a mailbox in memory that all of them share: a file without a name, which a rank finds by the process that made it. What
// a rank sends is a file of its own, again without a name, put into its mailbox under a tag; whoever has read it says so, and after the
// last reader it goes. Nothing waits here: what is not there yet is asked for again.
#pragma once
#include "base/types.h"
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warplens::runtime {

// Names the memory to another process of the machine.
struct MailboxesAddress {
  i64 process = 0;
  i32 file = -1;
  bool operator==(const MailboxesAddress&) const = default;
};

class Mailboxes {
public:
  static constexpr u32 most_ranks = 1024;
  // Nothing where the host refuses, or whoever made it is not there any more.
  static std::shared_ptr<Mailboxes> create();
  static std::shared_ptr<Mailboxes> open(const MailboxesAddress&);
  ~Mailboxes();
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;
  MailboxesAddress address() const { return address_; }

  void join(u32 rank); // this process has that rank from here on
  bool has_joined(u32 rank) const;
  bool is_alive(u32 rank) const; // one that has joined: its process

  // False: the mailbox is full, until others have read. `tag` is not 0, and another than those that are not read yet.
  bool put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers);
  // What `from` put there; once for each reader. Nothing: not yet. `size`: bytes that are expected; false where it has others.
  std::optional<bool> take(u32 from, u64 tag, std::span<std::byte> out);
  bool all_is_read(u32 rank) const;

private:
  struct Slot;
  struct Box;
  Mailboxes() = default;
  Box& box(u32 rank) const;

  MailboxesAddress address_;
  int own_file_ = -1;
  void* shared_ = nullptr;
};

} // namespace warplens::runtime
