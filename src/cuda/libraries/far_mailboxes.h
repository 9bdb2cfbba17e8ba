// Mailboxes that another process keeps, on another machine (mailboxes.h): each call is a question over TCP, and its answer.
//
// The process that made the mailboxes has a thread that lets in who knows the secret of the address, and one for each process that it let in.
// This does what is asked with its own mailboxes. Who ends has left. All messages of such ranks go through that process.
//
// Strangers may connect, too, and say nothing: few are waited for at a time, and not for long. Memory is taken for bytes that are there, not
// for as many as somebody says.
#pragma once
#include "libraries/shared_mailboxes.h"
#include <atomic>
#include <mutex>

namespace warplens::runtime {

// Where processes of other machines come, until it is shut down or the process ends; null where there is no network. Writes into the
// address how they get there.
std::shared_ptr<os::Descriptor> open_door(MailboxesAddress&, std::weak_ptr<SharedMailboxes>);

class FarMailboxes final : public Mailboxes {
public:
  static std::shared_ptr<FarMailboxes> connect(const MailboxesAddress&);

  bool join(u32 rank) override;
  bool has_joined(u32 rank) override;
  bool is_alive(u32 rank) override;
  bool put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) override;
  std::optional<bool> take(u32 from, u64 tag, std::span<std::byte> out) override;
  bool may_leave(u32 rank) override;
  bool is_lost() const override { return lost_; }

  struct Question;

private:
  FarMailboxes(const MailboxesAddress& address, os::Descriptor socket) : socket_(std::move(socket)) {
    address_ = address;
  }
  u64 ask(const Question&, std::span<const std::byte> give = {}, std::span<std::byte> take = {});

  std::mutex mutex_; // one question at a time
  os::Descriptor socket_;
  std::atomic<bool> lost_ = false;
};

} // namespace warplens::runtime
