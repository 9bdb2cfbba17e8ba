// See nccl.h. An operation that cannot go on says so, and is asked again: first at once, then every millisecond.
#include "libraries/nccl.h"
#include "runtime/capture.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace warplens::runtime::nccl {
namespace {

thread_local std::string message_of_thread;
thread_local u32 group_depth = 0;
thread_local std::vector<std::unique_ptr<Operation>> group;
thread_local std::vector<Call> captured; // of the group: those on a captured stream

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

// Says who has gone, if one of them has.
Status gone(const Communicator& c, const std::vector<u32>& from, const char* name) {
  for (u32 rank : from)
    if (c.mailboxes->has_joined(rank) && !c.mailboxes->is_alive(rank))
      return refuse(remote_error, fmt::format("{}: rank {} of {} has ended, and rank {} waits for it", name,
                                              rank, c.ranks, c.rank));
  return success;
}

// The device of a rank reads and writes its buffers.
bool may_access(const Communicator& c, const void* buffer) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  return runtime.memory().is_visible_to(c.device, reinterpret_cast<u64>(buffer));
}

class Transfer final : public Operation {
public:
  explicit Transfer(Call call)
      : call_(std::move(call)), tag_(call_.kind | ++*call_.so_far),
        inbox_(*call_.communicator, call_.name, call_.from, tag_, call_.from_bytes) {}
  State step() override {
    bool any = false;
    const Communicator& c = *call_.communicator;
    if (Status reached = reach(c, call_.name); reached != success) return fail(reached);
    for (const void* buffer : {call_.give, static_cast<const void*>(call_.take)})
      if (!may_access(c, buffer))
        return fail(
            refuse(cuda_error, fmt::format("{}: rank {} is of device {}, which may not access {}: call "
                                           "cudaSetDevice({}) before cudaMalloc",
                                           call_.name, c.rank, c.device, buffer, c.device)));
    if (!given_) {
      if (State state = give(); state != State::goes_on) return state;
      any = true;
    }
    if (!may_take_) { // before there is room for it
      if (check_operands(call_.name, {{call_.take, call_.take_bytes}}) != cudaSuccess)
        return fail(cuda_error);
      may_take_ = true;
    }
    if (!inbox_.look(status, any)) return any ? State::goes_on : State::waits;
    if (status != success || call_.take == nullptr) return State::done;
    const cudaError_t error = library_work(call_.name, {{call_.take, call_.take_bytes}}, [&] {
      call_.finish(inbox_);
      return cudaSuccess;
    });
    return error == cudaSuccess ? State::done : fail(cuda_error);
  }

private:
  State give() {
    bool put = false;
    const cudaError_t error = library_work(call_.name, {{call_.give, call_.give_bytes}}, [&] {
      std::span<const std::byte> data(static_cast<const std::byte*>(call_.give),
                                      call_.readers == 0 ? 0 : call_.give_bytes);
      if (call_.multiply)
        product_ = multiplied(*call_.multiply, call_.give, call_.give_bytes), data = product_;
      put = call_.communicator->mailboxes->put(call_.communicator->rank, tag_, data, call_.readers);
      return cudaSuccess;
    });
    if (error != cudaSuccess) return fail(cuda_error);
    given_ = put;
    return put ? State::goes_on : State::waits;
  }

  Call call_;
  u64 tag_;
  Inbox inbox_;
  std::vector<std::byte> product_;
  bool given_ = false, may_take_ = false;
};

// They wait for one another, and so are one node.
Status put_into_graph(std::vector<Call> calls) {
  const cudaStream_t stream = calls[0].stream;
  for (const Call& call : calls)
    if (call.stream != stream) {
      library_gap(
          fmt::format("{} on another stream that is captured than the group's first call", call.name));
      return invalid_usage;
    }
  const std::string name = calls[0].name;
  auto body = [calls = std::move(calls)] {
    std::vector<std::unique_ptr<Operation>> operations;
    for (const Call& call : calls) operations.push_back(std::make_unique<Transfer>(call));
    return run(std::move(operations)) == success ? cudaSuccess : cudaErrorUnknown;
  };
  std::lock_guard lock(Runtime::get().mutex);
  return capture(stream, Work(CallWork{name, std::move(body)})) == cudaSuccess ? success : cuda_error;
}

bool is_on_captured_stream(const Call& call) {
  std::lock_guard lock(Runtime::get().mutex);
  return is_captured(call.stream);
}

} // namespace

Status refuse(Status status, std::string message) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  message_of_thread = message;
  runtime.say(diag::error("nccl", std::move(message)));
  return status;
}
Status reach(const Communicator& c, const char* name) {
  return c.mailboxes->is_lost()
             ? refuse(
                   remote_error,
                   fmt::format("{}: rank {} of {} has lost the connection to the process on another machine "
                               "that made the communicator",
                               name, c.rank, c.ranks))
             : success;
}
const std::string& last_message() { return message_of_thread; }

Status submit(std::unique_ptr<Operation> operation) {
  if (group_depth != 0) {
    group.push_back(std::move(operation));
    return success;
  }
  std::vector<std::unique_ptr<Operation>> one;
  one.push_back(std::move(operation));
  return run(std::move(one));
}
Status submit(Call call) {
  if (!is_on_captured_stream(call)) return submit(std::make_unique<Transfer>(std::move(call)));
  captured.push_back(std::move(call));
  return group_depth != 0 ? success : put_into_graph(std::exchange(captured, {}));
}

void begin_group() { ++group_depth; }
Status end_group() {
  if (group_depth == 0) return refuse(invalid_usage, "ncclGroupEnd: there is no group");
  if (--group_depth != 0) return success;
  const Status put = captured.empty() ? success : put_into_graph(std::exchange(captured, {}));
  const Status ran = run(std::exchange(group, {}));
  return put != success ? put : ran;
}

bool Inbox::look(Status& status, bool& any) {
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
      status = refuse(invalid_usage,
                      fmt::format("{}: rank {} gives another number of bytes than the {} that rank {} takes",
                                  name_, from_[i], bytes_, c_.rank));
      return true;
    }
  }
  if (!all && ++looks_ % 256 == 0) status = gone(c_, from_, name_);
  return all || status != success;
}

std::vector<u32> all_ranks(const Communicator& c) {
  std::vector<u32> out(c.ranks);
  for (u32 rank = 0; rank < c.ranks; ++rank) out[rank] = rank;
  return out;
}

} // namespace warplens::runtime::nccl
