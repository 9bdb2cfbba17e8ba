// See nccl.h: communicators are made, split, asked and destroyed. A communicator is a rank's place among mailboxes.
#include "libraries/nccl.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace warplens::runtime {

using namespace nccl;

namespace {

constexpr int nccl_version = 22703;

struct UniqueId { // ncclUniqueId, 128 bytes
  static constexpr u64 right_magic = 0x4c43434e70726157;
  u64 magic;
  MailboxesAddress address;
  char rest[128 - sizeof(u64) - sizeof(MailboxesAddress)];
};
static_assert(sizeof(UniqueId) == 128);

// Handles are told from what is none; with the runtime's lock held.
std::map<const Communicator*, std::unique_ptr<Communicator>>& communicators() {
  static auto* all =
      new std::map<const Communicator*, std::unique_ptr<Communicator>>; // outlives a reset of the device
  return *all;
}
// Waits until all ranks have come.
class Arrival final : public Operation {
public:
  explicit Arrival(Communicator& c) : c_(c), joined_(c.mailboxes->join(c.rank)) {}
  State step() override {
    if (Status reached = reach(c_, "ncclCommInitRank"); reached != success) return fail(reached);
    if (!joined_)
      return fail(refuse(invalid_usage,
                         fmt::format("ncclCommInitRank: rank {} of {} is there already: an id is of one "
                                     "communicator, and each rank comes once",
                                     c_.rank, c_.ranks)));
    for (u32 rank = 0; rank < c_.ranks; ++rank)
      if (!c_.mailboxes->has_joined(rank)) return State::waits;
    return State::done;
  }

private:
  Communicator& c_;
  bool joined_;
};

std::unique_ptr<Communicator> member(std::shared_ptr<Mailboxes> mailboxes, u32 rank, u32 ranks, u32 device) {
  auto out = std::make_unique<Communicator>();
  out->mailboxes = std::move(mailboxes), out->rank = rank, out->ranks = ranks, out->device = device;
  return out;
}

// Everybody says its colour; those of one colour are a communicator, whose mailboxes the first of them makes.
class Split final : public Operation {
public:
  struct Wish {
    i32 colour, key;
  };
  Split(Communicator& c, Wish wish, Communicator** out)
      : c_(c), wish_(wish), out_(out), tag_(collective_tag | ++c.collectives),
        second_(collective_tag | ++c.collectives),
        wishes_(c, "ncclCommSplit", all_ranks(c), tag_, sizeof(Wish)) {}
  State step() override {
    bool any = false;
    if (Status reached = reach(c_, "ncclCommSplit"); reached != success) return fail(reached);
    if (!said_) {
      if (!c_.mailboxes->put(c_.rank, tag_, std::as_bytes(std::span(&wish_, 1)), c_.ranks))
        return State::waits;
      said_ = any = true;
    }
    if (members_.empty()) {
      if (!wishes_.look(status, any)) return any ? State::goes_on : State::waits;
      if (status != success) return State::done;
      if (wish_.colour < 0) return *out_ = nullptr, State::done;
      choose();
    }
    if (mailboxes_ == nullptr) {
      if (State state = meet(); state != State::goes_on) return state;
    }
    if (made_ == nullptr) {
      const auto self = std::ranges::find(members_, c_.rank);
      made_ = member(mailboxes_, static_cast<u32>(self - members_.begin()), static_cast<u32>(members_.size()),
                     c_.device);
      mailboxes_->join(made_->rank);
    }
    for (u32 rank = 0; rank < made_->ranks; ++rank)
      if (!mailboxes_->has_joined(rank)) return any ? State::goes_on : State::waits;
    *out_ = keep(std::move(made_));
    return State::done;
  }

private:
  Wish wish_of(u32 rank) const {
    Wish out;
    std::memcpy(&out, wishes_[rank].data(), sizeof out);
    return out;
  }
  void choose() {
    for (u32 rank = 0; rank < c_.ranks; ++rank)
      if (wish_of(rank).colour == wish_.colour) members_.push_back(rank);
    std::ranges::stable_sort(members_, {}, [&](u32 rank) { return wish_of(rank).key; });
  }
  State meet() { // goes_on: the mailboxes are there
    if (members_[0] == c_.rank) {
      if (own_ == nullptr && (own_ = Mailboxes::create(Mailboxes::Reach::machines)) == nullptr)
        return fail(system_error);
      const MailboxesAddress address = own_->address();
      if (!c_.mailboxes->put(c_.rank, second_, std::as_bytes(std::span(&address, 1)),
                             static_cast<u32>(members_.size() - 1)))
        return State::waits;
      mailboxes_ = own_;
      return State::goes_on;
    }
    MailboxesAddress address;
    const std::optional<bool> taken =
        c_.mailboxes->take(members_[0], second_, std::as_writable_bytes(std::span(&address, 1)));
    if (!taken) return State::waits;
    mailboxes_ = Mailboxes::open(address);
    return mailboxes_ != nullptr ? State::goes_on : fail(remote_error);
  }

  Communicator& c_;
  Wish wish_;
  Communicator** out_;
  u64 tag_, second_;
  Inbox wishes_;
  bool said_ = false;
  std::vector<u32> members_; // ranks of the old communicator, in the order of the new one
  std::shared_ptr<Mailboxes> own_, mailboxes_;
  std::unique_ptr<Communicator> made_;
};

Status init_rank(Communicator** out, int ranks, const UniqueId& id, int rank) {
  if (out == nullptr || ranks <= 0 || rank < 0 || rank >= ranks)
    return refuse(invalid_argument, fmt::format("ncclCommInitRank: rank {} of {}", rank, ranks));
  if (id.magic != UniqueId::right_magic)
    return refuse(invalid_argument, "ncclCommInitRank: the id is not one of ncclGetUniqueId");
  if (static_cast<u32>(ranks) > Mailboxes::most_ranks)
    return refuse(invalid_usage,
                  fmt::format("ncclCommInitRank: {} ranks are more than {}", ranks, Mailboxes::most_ranks));
  {
    Runtime& runtime = Runtime::get();
    std::lock_guard lock(runtime.mutex);
    if (runtime.start() != cudaSuccess) return cuda_error;
  }
  std::shared_ptr<Mailboxes> mailboxes = Mailboxes::open(id.address);
  if (mailboxes == nullptr)
    return refuse(system_error,
                  fmt::format("ncclCommInitRank: rank {} does not reach the process that made the id: it has "
                              "ended, or is on another machine that takes no connection at port {}",
                              rank, id.address.port));
  *out = keep(
      member(std::move(mailboxes), static_cast<u32>(rank), static_cast<u32>(ranks), thread_state().device));
  return submit(std::make_unique<Arrival>(**out));
}

std::map<const void*, std::shared_ptr<Mailboxes>>&
of_ids() { // made for ids: they live as long as the process
  static auto* all = new std::map<const void*, std::shared_ptr<Mailboxes>>;
  return *all;
}

} // namespace

bool nccl::is_known(const Communicator* communicator) {
  std::lock_guard lock(Runtime::get().mutex);
  return communicators().contains(communicator);
}
Communicator* nccl::keep(std::unique_ptr<Communicator> communicator) {
  std::lock_guard lock(Runtime::get().mutex);
  Communicator* out = communicator.get();
  communicators()[out] = std::move(communicator);
  return out;
}

extern "C" {

int ncclGetVersion(int* out) {
  if (out == nullptr) return invalid_argument;
  *out = nccl_version;
  return success;
}

const char* ncclGetErrorString(int status) {
  switch (status) {
  case success: return "no error";
  case cuda_error: return "a CUDA call failed";
  case system_error: return "system error";
  case invalid_argument: return "invalid argument";
  case invalid_usage: return "invalid usage";
  case remote_error: return "another rank has ended";
  default: return "not a result of WarpLens's NCCL";
  }
}
const char* ncclGetLastError(Communicator*) { return last_message().c_str(); }

int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return invalid_argument;
  std::shared_ptr<Mailboxes> made = Mailboxes::create(Mailboxes::Reach::machines);
  if (made == nullptr)
    return refuse(system_error, "ncclGetUniqueId: the system gives no memory that processes share");
  std::memset(static_cast<void*>(id), 0, sizeof *id);
  id->magic = UniqueId::right_magic, id->address = made->address();
  std::lock_guard lock(Runtime::get().mutex);
  of_ids()[made.get()] = made;
  return success;
}

int ncclCommInitRank(Communicator** out, int ranks, UniqueId id, int rank) {
  return init_rank(out, ranks, id, rank);
}
// What the configuration says is about speed, or lets calls return before they have ended, which they need not.
int ncclCommInitRankConfig(Communicator** out, int ranks, UniqueId id, int rank, void*) {
  return init_rank(out, ranks, id, rank);
}

int ncclCommInitAll(Communicator** out, int count, const int* devices) {
  Runtime& runtime = Runtime::get();
  if (out == nullptr || count <= 0 || static_cast<u32>(count) > Mailboxes::most_ranks)
    return refuse(invalid_argument, fmt::format("ncclCommInitAll: {} devices", count));
  {
    std::lock_guard lock(runtime.mutex);
    if (runtime.start() != cudaSuccess) return cuda_error;
  }
  for (int i = 0; i < count; ++i)
    if (const int device = devices == nullptr ? i : devices[i]; !runtime.is_device(device))
      return refuse(invalid_usage,
                    fmt::format("ncclCommInitAll: there is no device {}; warplens run --devices {} makes it",
                                device, count));
  std::shared_ptr<Mailboxes> mailboxes = Mailboxes::create(Mailboxes::Reach::machine);
  if (mailboxes == nullptr) return system_error;
  for (int i = 0; i < count; ++i) {
    const u32 device = static_cast<u32>(devices == nullptr ? i : devices[i]);
    mailboxes->join(static_cast<u32>(i));
    out[i] = keep(member(mailboxes, static_cast<u32>(i), static_cast<u32>(count), device));
  }
  return success;
}

int ncclCommSplit(Communicator* c, int colour, int key, Communicator** out, void*) {
  if (c == nullptr || out == nullptr || !is_known(c))
    return refuse(invalid_argument, "ncclCommSplit: there is no such communicator");
  return submit(std::make_unique<Split>(*c, Split::Wish{colour, key}, out));
}

int ncclCommFinalize(Communicator* c) { return c != nullptr && is_known(c) ? success : invalid_argument; }

// What others have not read yet stays until they have, or have gone.
int ncclCommDestroy(Communicator* c) {
  if (c == nullptr) return success;
  if (!is_known(c)) return invalid_argument;
  auto somebody_reads = [&] {
    for (u32 rank = 0; rank < c->ranks; ++rank)
      if (rank != c->rank && c->mailboxes->is_alive(rank)) return !c->mailboxes->may_leave(c->rank);
    return false;
  };
  for (u32 looks = 0; looks < 10'000 && somebody_reads(); ++looks) // ten seconds
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::lock_guard lock(Runtime::get().mutex);
  communicators().erase(c);
  return success;
}
int ncclCommAbort(Communicator* c) {
  std::lock_guard lock(Runtime::get().mutex);
  return c == nullptr || communicators().erase(c) != 0 ? success : invalid_argument;
}

int ncclCommGetAsyncError(Communicator* c, int* status) {
  if (status == nullptr || !is_known(c)) return invalid_argument;
  return *status = success;
}
static int tell(const Communicator* c, int* out, u32 Communicator::*member) {
  if (out == nullptr || !is_known(c)) return invalid_argument;
  *out = static_cast<int>(c->*member);
  return success;
}
int ncclCommCount(const Communicator* c, int* out) { return tell(c, out, &Communicator::ranks); }
int ncclCommCuDevice(const Communicator* c, int* out) { return tell(c, out, &Communicator::device); }
int ncclCommUserRank(const Communicator* c, int* out) { return tell(c, out, &Communicator::rank); }
int ncclCommRegister(const Communicator* c, void* buffer, std::size_t, void** handle) {
  if (handle == nullptr || !is_known(c)) return invalid_argument;
  *handle = buffer; // where data lie changes nothing here
  return success;
}
int ncclCommDeregister(const Communicator* c, void*) { return is_known(c) ? success : invalid_argument; }
int ncclMemAlloc(void** pointer, std::size_t size) {
  return cudaMalloc(pointer, size) == cudaSuccess ? success : cuda_error;
}
int ncclMemFree(void* pointer) { return cudaFree(pointer) == cudaSuccess ? success : cuda_error; }

} // extern "C"
} // namespace warplens::runtime
