// How the ranks of a communicator hand data to one another: threads of one process, processes of one machine, or of several.
//
// Each rank has a mailbox. What it sends is put there under a tag, and goes after the last reader. Nothing waits here: what is not there
// yet is asked for again. On one machine the mailboxes are memory that all share (shared_mailboxes.h). A rank on another machine has its
// mailbox there, too, and asks the process that made the mailboxes, over TCP (far_mailboxes.h).
//
// Why TCP, and not MPI: NCCL itself begins over TCP, with an address in its unique id. So a program that runs with NCCL runs here,
// with or without MPI, whichever MPI it is, and from whichever thread.
#pragma once
#include "base/types.h"
#include <array>
#include <memory>
#include <optional>
#include <span>

namespace warplens::runtime {

// Names mailboxes to another process.
struct MailboxesAddress {
  u64 machine = 0; // who sees the same processes
  i64 process = 0;
  i32 file = -1;
  u16 port = 0;               // of TCP; 0: other machines cannot ask
  std::array<u32, 8> hosts{}; // by which the machine is known, in the network's order of bytes; 0: no more
  std::array<u64, 2> secret{};
};

class Mailboxes {
public:
  static constexpr u32 most_ranks = 1024;
  enum class Reach : u8 { machine, machines };
  // Nothing where the host refuses, or whoever made it is not there any more.
  static std::shared_ptr<Mailboxes> create(Reach);
  static std::shared_ptr<Mailboxes> open(const MailboxesAddress&);
  virtual ~Mailboxes() = default;
  const MailboxesAddress& address() const { return address_; }

  // This process has that rank from here on; false: somebody has it already, or the mailboxes are lost.
  virtual bool join(u32 rank) = 0;
  virtual bool has_joined(u32 rank) = 0;
  virtual bool is_alive(u32 rank) = 0; // one that has joined: its process
  // False: the mailbox is full, until others have read. `tag` is not 0, and another than those that are not read yet.
  virtual bool put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) = 0;
  // What `from` put there; once for each reader. Nothing: not yet. `out` has the bytes that are expected; false where there are others.
  virtual std::optional<bool> take(u32 from, u64 tag, std::span<std::byte> out) = 0;
  virtual bool may_leave(u32 rank) = 0;          // nobody needs its process for what the rank put there
  virtual bool is_lost() const { return false; } // for ever: nothing of the above works

protected:
  MailboxesAddress address_;
};

} // namespace warplens::runtime
