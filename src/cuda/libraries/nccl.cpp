// See nccl.h: the calls that move data. Each is checked, and becomes an operation: what this rank gives, to how many, and what it makes of
// what it takes.
#include "libraries/nccl.h"
#include "runtime/stream.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::runtime {

using namespace nccl;

namespace {

Status check(const char* name, const Communicator* c, int type, cudaStream_t stream) {
  if (c == nullptr || !is_known(c))
    return refuse(invalid_argument, fmt::format("{}: there is no such communicator", name));
  if (bytes_of(type) == 0)
    return refuse(invalid_argument, fmt::format("{}: there is no type {}", name, type));
  std::lock_guard lock(Runtime::get().mutex);
  if (!stream_exists(stream))
    return refuse(invalid_argument, fmt::format("{}: there is no such stream", name));
  if (!is_default(stream) && device_of(stream) != c->device)
    return refuse(cuda_error, fmt::format("{}: the stream is of device {}, and rank {} of device {}: call "
                                          "cudaSetDevice({}) before cudaStreamCreate",
                                          name, device_of(stream), c->rank, c->device, c->device));
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

// What does not fit in 64 bits is more than any memory has, and found out there.
u64 bytes_in(u64 count, int type, u64 ranks = 1) { return extent_bytes(ranks, count, 0, bytes_of(type)); }

Call collective(const char* name, Communicator* c, cudaStream_t stream) {
  return {name, c, stream, collective_tag, &c->collectives};
}

} // namespace

extern "C" {

int ncclRedOpCreatePreMulSum(int* op, const void* scalar, int type, int where, Communicator* c) {
  constexpr int on_device = 0; // then it is read when it is used, and here at once, as all work is done
  if (op == nullptr || scalar == nullptr || bytes_of(type) == 0 || !is_known(c)) return invalid_argument;
  if (where == on_device && library_call("ncclRedOpCreatePreMulSum", nullptr, {{scalar, bytes_of(type)}},
                                         [] { return cudaSuccess; }) != cudaSuccess)
    return cuda_error;
  *op = first_own;
  while (c->factors.contains(*op)) ++*op;
  c->factors[*op] = factor_of(type, scalar);
  return success;
}
int ncclRedOpDestroy(int op, Communicator* c) {
  return is_known(c) && c->factors.erase(op) != 0 ? success : invalid_argument;
}

int ncclGroupStart() {
  begin_group();
  return success;
}
int ncclGroupEnd() { return end_group(); }

int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int op, Communicator* c,
                  cudaStream_t stream) {
  if (Status status = check("ncclAllReduce", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclAllReduce", *c, type, op);
  if (!how) return how.error();
  Call call = collective("ncclAllReduce", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = call.from_bytes = call.take_bytes = bytes_in(count, type),
  call.readers = c->ranks;
  call.from = all_ranks(*c), call.take = receive;
  call.finish = [how = *how, count, receive](const Inbox& inbox) { reduce(how, inbox, 0, count, receive); };
  return submit(std::move(call));
}

int ncclReduce(const void* send, void* receive, std::size_t count, int type, int op, int root,
               Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclReduce", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclReduce", *c, type, op);
  if (!how) return how.error();
  if (Status status = check_rank("ncclReduce", *c, root); status != success) return status;
  Call call = collective("ncclReduce", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = bytes_in(count, type), call.readers = 1;
  if (static_cast<u32>(root) == c->rank) {
    call.from = all_ranks(*c), call.from_bytes = call.take_bytes = call.give_bytes, call.take = receive;
    call.finish = [how = *how, count, receive](const Inbox& inbox) { reduce(how, inbox, 0, count, receive); };
  }
  return submit(std::move(call));
}

int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int op, Communicator* c,
                      cudaStream_t stream) {
  if (Status status = check("ncclReduceScatter", c, type, stream); status != success) return status;
  const ResultOr<Reduction, Status> how = reduction("ncclReduceScatter", *c, type, op);
  if (!how) return how.error();
  Call call = collective("ncclReduceScatter", c, stream);
  if (op >= first_own) call.multiply = *how;
  call.give = send, call.give_bytes = call.from_bytes = bytes_in(count, type, c->ranks),
  call.readers = c->ranks;
  call.from = all_ranks(*c), call.take = receive, call.take_bytes = bytes_in(count, type);
  call.finish = [how = *how, count, receive, from = count * c->rank](const Inbox& inbox) {
    reduce(how, inbox, from, count, receive);
  };
  return submit(std::move(call));
}

int ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
                  cudaStream_t stream) {
  if (Status status = check("ncclBroadcast", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclBroadcast", *c, root); status != success) return status;
  Call call = collective("ncclBroadcast", c, stream);
  const u64 bytes = bytes_in(count, type);
  if (static_cast<u32>(root) == c->rank) call.give = send, call.give_bytes = bytes, call.readers = c->ranks;
  call.from = {static_cast<u32>(root)}, call.from_bytes = call.take_bytes = bytes, call.take = receive;
  call.finish = [=](const Inbox& inbox) { std::memcpy(receive, inbox[0].data(), bytes); };
  return submit(std::move(call));
}
int ncclBcast(void* buffer, std::size_t count, int type, int root, Communicator* c, cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, c, stream);
}

// Every rank's message, one behind the other; `own`: of each the part that is for this rank.
static Call joined(Call call, void* receive, u64 bytes, bool own) {
  const u64 skip = own ? bytes * call.communicator->rank : 0;
  call.take = receive, call.take_bytes = extent_bytes(call.from.size(), bytes, 0, 1);
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
  call.give = send, call.give_bytes = call.from_bytes = bytes_in(count, type), call.readers = c->ranks,
  call.from = all_ranks(*c);
  return submit(joined(std::move(call), receive, bytes_in(count, type), false));
}

int ncclAlltoAll(const void* send, void* receive, std::size_t count, int type, Communicator* c,
                 cudaStream_t stream) {
  if (Status status = check("ncclAlltoAll", c, type, stream); status != success) return status;
  Call call = collective("ncclAlltoAll", c, stream);
  call.give = send, call.give_bytes = call.from_bytes = bytes_in(count, type, c->ranks),
  call.readers = c->ranks;
  call.from = all_ranks(*c);
  return submit(joined(std::move(call), receive, bytes_in(count, type), true));
}

int ncclGather(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
               cudaStream_t stream) {
  if (Status status = check("ncclGather", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclGather", *c, root); status != success) return status;
  Call call = collective("ncclGather", c, stream);
  call.give = send, call.give_bytes = bytes_in(count, type), call.readers = 1;
  if (static_cast<u32>(root) == c->rank) {
    call.from = all_ranks(*c), call.from_bytes = call.give_bytes;
    call = joined(std::move(call), receive, bytes_in(count, type), false);
  }
  return submit(std::move(call));
}

int ncclScatter(const void* send, void* receive, std::size_t count, int type, int root, Communicator* c,
                cudaStream_t stream) {
  if (Status status = check("ncclScatter", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclScatter", *c, root); status != success) return status;
  Call call = collective("ncclScatter", c, stream);
  const u64 bytes = bytes_in(count, type);
  if (static_cast<u32>(root) == c->rank)
    call.give = send, call.give_bytes = bytes_in(count, type, c->ranks), call.readers = c->ranks;
  call.from = {static_cast<u32>(root)}, call.from_bytes = bytes_in(count, type, c->ranks);
  return submit(joined(std::move(call), receive, bytes, true));
}

int ncclSend(const void* send, std::size_t count, int type, int peer, Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclSend", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclSend", *c, peer); status != success) return status;
  const u32 to = static_cast<u32>(peer);
  Call call{"ncclSend", c, stream, pair_tag | u64{to} << 40, &c->sent[to]};
  call.give = send, call.give_bytes = bytes_in(count, type), call.readers = 1;
  return submit(std::move(call));
}

int ncclRecv(void* receive, std::size_t count, int type, int peer, Communicator* c, cudaStream_t stream) {
  if (Status status = check("ncclRecv", c, type, stream); status != success) return status;
  if (Status status = check_rank("ncclRecv", *c, peer); status != success) return status;
  const u32 from = static_cast<u32>(peer);
  Call call{"ncclRecv", c, stream, pair_tag | u64{c->rank} << 40, &c->received[from]};
  call.from = {from}, call.from_bytes = bytes_in(count, type);
  return submit(joined(std::move(call), receive, bytes_in(count, type), false));
}

} // extern "C"
} // namespace warplens::runtime
