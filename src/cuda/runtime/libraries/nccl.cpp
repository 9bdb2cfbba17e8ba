// NCCL's interface (2.x): communicators, collectives, point to point, groups.
//
// NCCL's kernels exist as machine code alone, and wait for one another on several GPUs at once. Here a call is an operation that puts what
// this rank gives into its mailbox (mailboxes.h), waits for what the others give, and computes its part on the CPU when all of it is
// there. A group's operations go on in turns until each has ended, so that one thread may be all ranks. Ranks are threads, or processes of
// one machine. Sums go from the first rank to the last, small floats as f32: a GPU adds in another order.
#include "runtime/libraries/call.h"
#include "runtime/libraries/mailboxes.h"
#include "runtime/stream.h"
#include "sem/convert.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace warplens::runtime {

extern "C" {
cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaFree(void*);
}

struct Factor {
  double real = 1;
  i64 integer = 1;
};

struct Communicator {
  std::shared_ptr<Mailboxes> mailboxes;
  u32 rank = 0, ranks = 1, device = 0;
  u64 collectives = 0;               // of this rank so far: what a collective's messages are called
  std::map<u32, u64> sent, received; // to and from each rank
  std::map<int, Factor> factors;     // of operators made with ncclRedOpCreatePreMulSum
};

namespace {

enum Status : int { // ncclResult_t
  success = 0,
  cuda_error = 1,
  system_error = 2,
  invalid_argument = 4,
  invalid_usage = 5,
  remote_error = 6
};
enum Type : int {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16,
  e4m3,
  e5m2
};
enum Operator : int { sum, product, maximum, minimum, average, first_own };

constexpr int version = 22703;

struct UniqueId { // ncclUniqueId, 128 bytes
  static constexpr u64 right_magic = 0x4c43434e70726157;
  u64 magic;
  MailboxesAddress address;
  char machine[64];
  char rest[128 - sizeof(u64) - sizeof(MailboxesAddress) - 64];
};
static_assert(sizeof(UniqueId) == 128);

std::string machine() {
  char name[64] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Handles are told from what is none; with the runtime's lock held.
std::map<const Communicator*, std::unique_ptr<Communicator>>& communicators() {
  static auto* all =
      new std::map<const Communicator*, std::unique_ptr<Communicator>>; // outlives a reset of the device
  return *all;
}
bool is_known(const Communicator* communicator) {
  std::lock_guard lock(Runtime::get().mutex);
  return communicators().contains(communicator);
}
Communicator* keep(std::unique_ptr<Communicator> communicator) {
  std::lock_guard lock(Runtime::get().mutex);
  Communicator* out = communicator.get();
  communicators()[out] = std::move(communicator);
  return out;
}
u32 current_device() { return thread_state().device; }

thread_local std::string last_message;
Status refuse(Status status, std::string message) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  last_message = message;
  runtime.say(diag::error("nccl", std::move(message)));
  return status;
}

// ---- Operations

// What is done of an operation, a step at a time.
class Operation {
public:
  enum class State : u8 { waits, goes_on, done };
  virtual ~Operation() = default;
  virtual State step() = 0; // sets `status` where it went wrong, and is done
  Status status = success;

protected:
  State fail(Status why) {
    status = why;
    return State::done;
  }
};
using State = Operation::State;

thread_local u32 group_depth = 0;
thread_local std::vector<std::unique_ptr<Operation>> group;

Status run(std::vector<std::unique_ptr<Operation>> operations) {
  Status out = success;
  for (std::chrono::microseconds wait{1}; !operations.empty();) {
    bool any = false;
    std::erase_if(operations, [&](std::unique_ptr<Operation>& one) {
      const State state = one->step();
      any |= state != State::waits;
      if (state == State::done && out == success) out = one->status;
      return state == State::done;
    });
    if (out != success) return out; // the others would wait for ever
    if (any) {
      wait = std::chrono::microseconds{1};
      continue;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(wait * 2, std::chrono::microseconds{1000});
  }
  return out;
}

// Now, or at the end of the group.
Status submit(std::unique_ptr<Operation> operation) {
  if (group_depth != 0) {
    group.push_back(std::move(operation));
    return success;
  }
  std::vector<std::unique_ptr<Operation>> one;
  one.push_back(std::move(operation));
  return run(std::move(one));
}

// Says who has gone, if one of them has.
Status gone(const Communicator& c, const std::vector<u32>& from, const char* name) {
  for (u32 rank : from)
    if (c.mailboxes->has_joined(rank) && !c.mailboxes->is_alive(rank))
      return refuse(remote_error, fmt::format("{}: rank {} of {} has ended, and rank {} waits for it", name,
                                              rank, c.ranks, c.rank));
  return success;
}

// Messages that an operation waits for, from some ranks, each of the same size.
class Inbox {
public:
  Inbox(Communicator& c, const char* name, std::vector<u32> from, u64 tag, u64 bytes)
      : c_(c), name_(name), from_(std::move(from)), tag_(tag), bytes_(bytes) {}
  // Looks for those that are missing. True: all are there, or `status` says what went wrong.
  bool look(Status& status, bool& any) {
    if (data_.empty()) data_.resize(from_.size()), there_.resize(from_.size());
    bool all = true;
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (there_[i]) continue;
      data_[i].resize(bytes_);
      const std::optional<bool> taken = c_.mailboxes->take(from_[i], tag_, data_[i]);
      if (!taken) {
        all = false;
        continue;
      }
      there_[i] = true, any = true;
      if (!*taken) {
        status =
            refuse(invalid_usage,
                   fmt::format("{}: rank {} gives another number of bytes than the {} that rank {} takes",
                               name_, from_[i], bytes_, c_.rank));
        return true;
      }
    }
    if (!all && ++looks_ % 256 == 0) status = gone(c_, from_, name_);
    return all || status != success;
  }
  const std::vector<std::byte>& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return from_.size(); }

private:
  Communicator& c_;
  const char* name_;
  std::vector<u32> from_;
  u64 tag_, bytes_;
  std::vector<std::vector<std::byte>> data_;
  std::vector<bool> there_;
  u64 looks_ = 0;
};

// What is made of the elements of all ranks. The operator may be destroyed before the group ends.
struct Reduction {
  int type, op;
  Factor factor{};
};

// A call as all of them are: this rank gives some bytes to some readers, and makes something of what some ranks give.
struct Call {
  const char* name;
  Communicator* communicator;
  cudaStream_t stream;
  u64 tag;
  const void* give = nullptr;
  u64 give_bytes = 0;
  u32 readers = 0;
  std::vector<u32> from;
  u64 from_bytes = 0;
  void* take = nullptr;
  u64 take_bytes = 0;
  std::function<void(const Inbox&)> finish{};
  std::optional<Reduction> multiply{}; // what is given
};

std::vector<std::byte> multiplied(const Reduction&, const void* data, u64 bytes);

class Transfer final : public Operation {
public:
  explicit Transfer(Call call)
      : call_(std::move(call)),
        inbox_(*call_.communicator, call_.name, call_.from, call_.tag, call_.from_bytes) {}
  State step() override {
    bool any = false;
    if (!given_) {
      if (State state = give(); state != State::goes_on) return state;
      any = true;
    }
    if (!inbox_.look(status, any)) return any ? State::goes_on : State::waits;
    if (status != success || call_.take == nullptr) return State::done;
    const cudaError_t error = library_call(call_.name, call_.stream, {{call_.take, call_.take_bytes}}, [&] {
      call_.finish(inbox_);
      return cudaSuccess;
    });
    return error == cudaSuccess ? State::done : fail(cuda_error);
  }

private:
  State give() {
    bool put = false;
    const cudaError_t error = library_call(call_.name, call_.stream, {{call_.give, call_.give_bytes}}, [&] {
      std::span<const std::byte> data(static_cast<const std::byte*>(call_.give),
                                      call_.readers == 0 ? 0 : call_.give_bytes);
      if (call_.multiply)
        product_ = multiplied(*call_.multiply, call_.give, call_.give_bytes), data = product_;
      put = call_.communicator->mailboxes->put(call_.communicator->rank, call_.tag, data, call_.readers);
      return cudaSuccess;
    });
    if (error != cudaSuccess) return fail(cuda_error);
    given_ = put;
    return put ? State::goes_on : State::waits;
  }

  Call call_;
  Inbox inbox_;
  std::vector<std::byte> product_;
  bool given_ = false;
};

constexpr u64 collective_tag = u64{1} << 63, pair_tag = u64{1} << 62;

std::vector<u32> all_ranks(const Communicator& c) {
  std::vector<u32> out(c.ranks);
  for (u32 rank = 0; rank < c.ranks; ++rank) out[rank] = rank;
  return out;
}

// ---- Types and operators

u64 bytes_of(int type) {
  constexpr u8 bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < 0 || static_cast<std::size_t>(type) >= std::size(bytes) ? 0 : bytes[type];
}

template <class T> struct Plain {
  using Value = T;
  static T read(const std::byte* at) {
    T out;
    std::memcpy(&out, at, sizeof out);
    return out;
  }
  static void write(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }
};
template <class H> struct Small {
  using Value = float;
  static float read(const std::byte* at) { return sem::to_float(Plain<H>::read(at)); }
  static void write(std::byte* at, float value) { Plain<H>::write(at, sem::to_half<H>(value)); }
};
template <bool Wide> struct Byte {
  using Value = float;
  static float read(const std::byte* at) {
    return sem::to_float(sem::byte_to_half<Wide>(Plain<u8>::read(at)));
  }
  static void write(std::byte* at, float value) {
    Plain<u8>::write(at, static_cast<u8>(sem::ToFormat(Wide ? sem::format_e5m2 : sem::format_e4m3,
                                                       sem::Round::nearest, true)
                                             .apply(double{value})));
  }
};

// Calls f with the elements of a type that there is.
template <class F> void with_type(int type, F&& f) {
  switch (type) {
  case int8: return f(Plain<i8>());
  case uint8: return f(Plain<u8>());
  case int32: return f(Plain<i32>());
  case uint32: return f(Plain<u32>());
  case int64: return f(Plain<i64>());
  case uint64: return f(Plain<u64>());
  case float16: return f(Small<sem::F16>());
  case float32: return f(Plain<float>());
  case float64: return f(Plain<double>());
  case bfloat16: return f(Small<sem::BF16>());
  case e4m3: return f(Byte<false>());
  default: return f(Byte<true>());
  }
}

// Integers wrap around.
template <class V> V combine(int op, V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    using U = std::make_unsigned_t<V>;
    if (op == product)
      return static_cast<V>(static_cast<U>(static_cast<u64>(static_cast<U>(a)) * static_cast<U>(b)));
    if (op == maximum || op == minimum) return (op == maximum) == (a < b) ? b : a;
    return static_cast<V>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    if (op == product) return a * b;
    if (op == maximum || op == minimum) return op == maximum ? std::fmax(a, b) : std::fmin(a, b);
    return a + b;
  }
}

// Of the elements [from, from + count) of each rank's message.
void reduce(const Reduction& how, const Inbox& inbox, u64 from, u64 count, void* out) {
  with_type(how.type, [&]<class Element>(Element) {
    using V = typename Element::Value;
    const u64 size = bytes_of(how.type);
    for (u64 i = 0; i < count; ++i) {
      V value{};
      for (std::size_t rank = 0; rank < inbox.size(); ++rank) {
        const V one = Element::read(inbox[rank].data() + (from + i) * size);
        value = rank == 0 ? one : combine(how.op, value, one);
      }
      if (how.op == average) value = static_cast<V>(value / static_cast<V>(inbox.size()));
      Element::write(static_cast<std::byte*>(out) + i * size, value);
    }
  });
}

// This rank's elements times its factor.
std::vector<std::byte> multiplied(const Reduction& how, const void* data, u64 bytes) {
  std::vector<std::byte> out(bytes);
  with_type(how.type, [&]<class Element>(Element) {
    using V = typename Element::Value;
    V factor{};
    if constexpr (std::is_integral_v<V>)
      factor = static_cast<V>(how.factor.integer);
    else
      factor = static_cast<V>(how.factor.real);
    for (u64 at = 0; at < bytes; at += bytes_of(how.type))
      Element::write(out.data() + at,
                     combine(product, Element::read(static_cast<const std::byte*>(data) + at), factor));
  });
  return out;
}

// ---- Checks that calls share

Status check(const char* name, const Communicator* c, int type, cudaStream_t stream) {
  if (c == nullptr || !is_known(c))
    return refuse(invalid_argument, fmt::format("{}: there is no such communicator", name));
  if (bytes_of(type) == 0)
    return refuse(invalid_argument, fmt::format("{}: there is no type {}", name, type));
  std::lock_guard lock(Runtime::get().mutex);
  if (!stream_exists(stream))
    return refuse(invalid_argument, fmt::format("{}: there is no such stream", name));
  if (is_captured(stream)) {
    library_gap(fmt::format("{} on a stream that is captured", name));
    return invalid_usage;
  }
  return success;
}
Status check_rank(const char* name, const Communicator& c, int rank) {
  return rank >= 0 && static_cast<u32>(rank) < c.ranks
             ? success
             : refuse(invalid_argument, fmt::format("{}: there is no rank {} among {}", name, rank, c.ranks));
}
ResultOr<Reduction, Status> reduction(const char* name, const Communicator& c, int type, int op) {
  if (op >= sum && op < first_own) return Reduction{type, op};
  if (auto own = c.factors.find(op); own != c.factors.end()) return Reduction{type, op, own->second};
  return failure(refuse(invalid_argument, fmt::format("{}: there is no operator {}", name, op)));
}

Call collective(const char* name, Communicator* c, cudaStream_t stream) {
  return {name, c, stream, collective_tag | ++c->collectives};
}

// ---- Communicators

// Waits until all ranks have come.
class Arrival final : public Operation {
public:
  explicit Arrival(Communicator& c) : c_(c) { c.mailboxes->join(c.rank); }
  State step() override {
    for (u32 rank = 0; rank < c_.ranks; ++rank)
      if (!c_.mailboxes->has_joined(rank)) return State::waits;
    return State::done;
  }

private:
  Communicator& c_;
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
      if (own_ == nullptr && (own_ = Mailboxes::create()) == nullptr) return fail(system_error);
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
  if (machine() != id.machine)
    return refuse(
        system_error,
        fmt::format(
            "ncclCommInitRank: rank {} is on another machine ('{}') than where the id was made ('{}'): "
            "WarpLens's NCCL joins ranks of one machine",
            rank, machine(), id.machine));
  {
    Runtime& runtime = Runtime::get();
    std::lock_guard lock(runtime.mutex);
    if (runtime.start() != cudaSuccess) return cuda_error;
  }
  std::shared_ptr<Mailboxes> mailboxes = Mailboxes::open(id.address);
  if (mailboxes == nullptr)
    return refuse(system_error, "ncclCommInitRank: the process that made the id has ended");
  *out =
      keep(member(std::move(mailboxes), static_cast<u32>(rank), static_cast<u32>(ranks), current_device()));
  return submit(std::make_unique<Arrival>(**out));
}

std::map<const void*, std::shared_ptr<Mailboxes>>&
of_ids() { // made for ids: they live as long as the process
  static auto* all = new std::map<const void*, std::shared_ptr<Mailboxes>>;
  return *all;
}

} // namespace

extern "C" {

int ncclGetVersion(int* out) {
  if (out == nullptr) return invalid_argument;
  *out = version;
  return success;
}

const char* ncclGetErrorString(int status) {
  switch (status) {
  case success: return "no error";
  case cuda_error: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
  case system_error: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
  case 3: return "internal error - please report this issue to the NCCL developers";
  case invalid_argument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
  case invalid_usage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
  case remote_error: return "remote process exited or there was a network error";
  case 7: return "NCCL operation in progress";
  default: return "unknown result code";
  }
}
const char* ncclGetLastError(Communicator*) { return last_message.c_str(); }

int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return invalid_argument;
  std::shared_ptr<Mailboxes> made = Mailboxes::create();
  if (made == nullptr)
    return refuse(system_error, "ncclGetUniqueId: the system gives no memory that processes share");
  std::memset(static_cast<void*>(id), 0, sizeof *id);
  id->magic = UniqueId::right_magic, id->address = made->address();
  machine().copy(id->machine, sizeof id->machine - 1);
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
  std::shared_ptr<Mailboxes> mailboxes = Mailboxes::create();
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
      if (rank != c->rank && c->mailboxes->is_alive(rank)) return !c->mailboxes->all_is_read(c->rank);
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

int ncclRedOpCreatePreMulSum(int* op, const void* scalar, int type, int where, Communicator* c) {
  constexpr int on_device = 0; // then it is read when it is used, and here at once, as all work is done
  if (op == nullptr || scalar == nullptr || bytes_of(type) == 0 || !is_known(c)) return invalid_argument;
  if (where == on_device && library_call("ncclRedOpCreatePreMulSum", nullptr, {{scalar, bytes_of(type)}},
                                         [] { return cudaSuccess; }) != cudaSuccess)
    return cuda_error;
  *op = first_own;
  while (c->factors.contains(*op)) ++*op;
  with_type(type, [&]<class Element>(Element) {
    const auto value = Element::read(static_cast<const std::byte*>(scalar));
    c->factors[*op] = {static_cast<double>(value), static_cast<i64>(value)};
  });
  return success;
}
int ncclRedOpDestroy(int op, Communicator* c) {
  return is_known(c) && c->factors.erase(op) != 0 ? success : invalid_argument;
}

int ncclGroupStart() {
  ++group_depth;
  return success;
}
int ncclGroupEnd() {
  if (group_depth == 0) return refuse(invalid_usage, "ncclGroupEnd: there is no group");
  if (--group_depth != 0) return success;
  return run(std::exchange(group, {}));
}

int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int op, Communicator* c,
                  cudaStream_t stream) {
  if (Status status = check("ncclAllReduce", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclAllReduce", *c, type, op);
  if (!how) return how.error();
  Call call = collective("ncclAllReduce", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = call.from_bytes = call.take_bytes = count * bytes_of(type),
  call.readers = c->ranks;
  call.from = all_ranks(*c), call.take = receive;
  call.finish = [how = *how, count, receive](const Inbox& inbox) { reduce(how, inbox, 0, count, receive); };
  return submit(std::make_unique<Transfer>(std::move(call)));
}

int ncclReduce(const void* send, void* receive, std::size_t count, int type, int op, int root,
               Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclReduce", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclReduce", *c, type, op);
  if (!how) return how.error();
  if (Status status = check_rank("ncclReduce", *c, root); status != success) return status;
  Call call = collective("ncclReduce", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = count * bytes_of(type), call.readers = 1;
  if (static_cast<u32>(root) == c->rank) {
    call.from = all_ranks(*c), call.from_bytes = call.take_bytes = call.give_bytes, call.take = receive;
    call.finish = [how = *how, count, receive](const Inbox& inbox) { reduce(how, inbox, 0, count, receive); };
  }
  return submit(std::make_unique<Transfer>(std::move(call)));
}

int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int op, Communicator* c,
                      cudaStream_t stream) {
  if (Status status = check("ncclReduceScatter", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclReduceScatter", *c, type, op);
  if (!how) return how.error();
  Call call = collective("ncclReduceScatter", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = call.from_bytes = count * c->ranks * bytes_of(type),
  call.readers = c->ranks;
  call.from = all_ranks(*c), call.take = receive, call.take_bytes = count * bytes_of(type);
  call.finish = [how = *how, count, receive, from = count * c->rank](const Inbox& inbox) {
    reduce(how, inbox, from, count, receive);
  };
  return submit(std::make_unique<Transfer>(std::move(call)));
}

int ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
                  cudaStream_t stream) {
  if (Status status = check("ncclBroadcast", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclBroadcast", *c, root); status != success) return status;
  Call call = collective("ncclBroadcast", c, stream);
  const u64 bytes = count * bytes_of(type);
  if (static_cast<u32>(root) == c->rank) call.give = send, call.give_bytes = bytes, call.readers = c->ranks;
  call.from = {static_cast<u32>(root)}, call.from_bytes = call.take_bytes = bytes, call.take = receive;
  call.finish = [=](const Inbox& inbox) { std::memcpy(receive, inbox[0].data(), bytes); };
  return submit(std::make_unique<Transfer>(std::move(call)));
}
int ncclBcast(void* buffer, std::size_t count, int type, int root, Communicator* c, cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, c, stream);
}

// Every rank's message, one behind the other; `own`: of each the part that is for this rank.
static Call joined(Call call, void* receive, u64 bytes, bool own) {
  const u64 skip = own ? bytes * call.communicator->rank : 0;
  call.take = receive, call.take_bytes = bytes * call.from.size();
  call.finish = [=](const Inbox& inbox) {
    for (std::size_t i = 0; i < inbox.size(); ++i)
      std::memcpy(static_cast<std::byte*>(receive) + i * bytes, inbox[i].data() + skip, bytes);
  };
  return call;
}

int ncclAllGather(const void* send, void* receive, std::size_t count, int type, Communicator* c,
                  cudaStream_t stream) {
  if (Status status = check("ncclAllGather", c, type, stream); status != success) return status;
  Call call = collective("ncclAllGather", c, stream);
  call.give = send, call.give_bytes = call.from_bytes = count * bytes_of(type), call.readers = c->ranks,
  call.from = all_ranks(*c);
  return submit(std::make_unique<Transfer>(joined(std::move(call), receive, count * bytes_of(type), false)));
}

int ncclAlltoAll(const void* send, void* receive, std::size_t count, int type, Communicator* c,
                 cudaStream_t stream) {
  if (Status status = check("ncclAlltoAll", c, type, stream); status != success) return status;
  Call call = collective("ncclAlltoAll", c, stream);
  call.give = send, call.give_bytes = call.from_bytes = count * bytes_of(type) * c->ranks,
  call.readers = c->ranks;
  call.from = all_ranks(*c);
  return submit(std::make_unique<Transfer>(joined(std::move(call), receive, count * bytes_of(type), true)));
}

int ncclGather(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
               cudaStream_t stream) {
  if (Status status = check("ncclGather", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclGather", *c, root); status != success) return status;
  Call call = collective("ncclGather", c, stream);
  call.give = send, call.give_bytes = count * bytes_of(type), call.readers = 1;
  if (static_cast<u32>(root) == c->rank) {
    call.from = all_ranks(*c), call.from_bytes = call.give_bytes;
    call = joined(std::move(call), receive, count * bytes_of(type), false);
  }
  return submit(std::make_unique<Transfer>(std::move(call)));
}

int ncclScatter(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
                cudaStream_t stream) {
  if (Status status = check("ncclScatter", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclScatter", *c, root); status != success) return status;
  Call call = collective("ncclScatter", c, stream);
  const u64 bytes = count * bytes_of(type);
  if (static_cast<u32>(root) == c->rank)
    call.give = send, call.give_bytes = bytes * c->ranks, call.readers = c->ranks;
  call.from = {static_cast<u32>(root)}, call.from_bytes = bytes * c->ranks;
  return submit(std::make_unique<Transfer>(joined(std::move(call), receive, bytes, true)));
}

int ncclSend(const void* send, std::size_t count, int type, int peer, Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclSend", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclSend", *c, peer); status != success) return status;
  const u32 to = static_cast<u32>(peer);
  Call call{"ncclSend", c, stream, pair_tag | u64{to} << 40 | ++c->sent[to]};
  call.give = send, call.give_bytes = count * bytes_of(type), call.readers = 1;
  return submit(std::make_unique<Transfer>(std::move(call)));
}

int ncclRecv(void* receive, std::size_t count, int type, int peer, Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclRecv", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclRecv", *c, peer); status != success) return status;
  const u32 from = static_cast<u32>(peer);
  Call call{"ncclRecv", c, stream, pair_tag | u64{c->rank} << 40 | ++c->received[from]};
  call.from = {from}, call.from_bytes = count * bytes_of(type);
  return submit(std::make_unique<Transfer>(joined(std::move(call), receive, count * bytes_of(type), false)));
}

} // extern "C"
} // namespace warplens::runtime
