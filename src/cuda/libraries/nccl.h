// NCCL's stand-in: what its files share.
//
// NCCL's kernels exist as machine code alone, and wait for one another on several GPUs at once. Here a call is an operation that puts what
// this rank gives into its mailbox (mailboxes.h), waits for what the others give, and computes its part on the CPU when all of it is
// there. A group's operations go on in turns until each has ended, so that one thread may be all ranks. Ranks are threads, or processes of
// one machine or of several.
//
//   nccl.cpp                 the calls that move data, and groups
//   nccl_communicators.cpp   the calls about communicators
//   nccl_operations.cpp      operations and groups
//   nccl_elements.cpp        types, sums, products
#pragma once
#include "libraries/library_call.h"
#include "libraries/mailboxes.h"
#include <map>
#include <optional>

namespace warplens::runtime {

struct Communicator;

namespace nccl {

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

// The factor of an operator made with ncclRedOpCreatePreMulSum, in either kind of number.
struct Factor {
  double real = 1;
  i64 integer = 1;
};

// What is made of the elements of all ranks. The operator may be destroyed before the group ends.
struct Reduction {
  int type, op;
  Factor factor{};
};

// Says what is wrong, to the report and to ncclGetLastError; gives `status`.
Status refuse(Status status, std::string message);
const std::string& last_message(); // of this thread

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

// To its end, or at the end of this thread's group.
Status submit(std::unique_ptr<Operation>);
void begin_group();
Status end_group(); // runs what was submitted since the outermost group began

// Messages that an operation waits for, from some ranks, each of the same size.
class Inbox {
public:
  Inbox(Communicator& c, const char* name, std::vector<u32> from, u64 tag, u64 bytes)
      : c_(c), name_(name), from_(std::move(from)), tag_(tag), bytes_(bytes), data_(from_.size()),
        there_(from_.size()) {}
  // Looks for those that are missing; `any`: one has come. True: all are there, or `status` says what went wrong.
  bool look(Status& status, bool& any);
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

// A call as all of them are: this rank gives some bytes to some readers, and makes something of what some ranks give.
struct Call {
  const char* name;
  Communicator* communicator;
  cudaStream_t stream;
  u64 kind;    // collective_tag or pair_tag, with whom
  u64* so_far; // of that kind: what a call's messages are called follows when its turn comes
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

// On a stream that is captured: as a node of the graph, which is the whole group.
Status submit(Call);

// Whether this rank can still put and take.
Status reach(const Communicator&, const char* name);

constexpr u64 collective_tag = u64{1} << 63, pair_tag = u64{1} << 62;
std::vector<u32> all_ranks(const Communicator&);

u64 bytes_of(int type); // 0: there is no such type
Factor factor_of(int type, const void* scalar);
// Of the elements [from, from + count) of each rank's message. Sums go from the first rank to the last, small floats as f32: a GPU adds
// in another order. Integers wrap around.
void reduce(const Reduction&, const Inbox&, u64 from, u64 count, void* out);
std::vector<std::byte> multiplied(const Reduction&, const void* data,
                                  u64 bytes); // this rank's elements times its factor

// Handles are told from what is none.
bool is_known(const Communicator*);
Communicator* keep(std::unique_ptr<Communicator>);

} // namespace nccl

struct Communicator {
  std::shared_ptr<Mailboxes> mailboxes;
  u32 rank = 0, ranks = 1, device = 0;
  u64 collectives = 0;                 // of this rank so far: what a collective's messages are called
  std::map<u32, u64> sent, received;   // to and from each rank
  std::map<int, nccl::Factor> factors; // of operators made with ncclRedOpCreatePreMulSum
};

} // namespace warplens::runtime
