// See far_mailboxes.h.
#include "libraries/far_mailboxes.h"
#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace warplens::runtime {

enum class Ask : u32 { join, has_joined, is_alive, put, take, all_is_read };
struct FarMailboxes::Question {
  Ask what{};
  u32 rank = 0;
  u64 tag = 0, bytes = 0, readers = 0; // of put, the bytes follow
};

namespace {

using Question = FarMailboxes::Question;
using Clock = std::chrono::steady_clock;
enum Answer : u64 { no, yes, other_size }; // of take, the bytes follow a yes

template <class T> bool send_value(int socket, const T& value) {
  return os::write_all(socket, std::as_bytes(std::span(&value, 1)));
}
template <class T> bool receive(int socket, T& value) { return os::read_all(socket, &value, sizeof value); }

void set(int socket, int level, int option, int value) {
  (void)setsockopt(socket, level, option, &value, sizeof value);
}
// Questions are short, and a machine that has gone is noticed within a minute.
void prepare(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
}
void set_patience(int socket, int option, long seconds) { // 0: for ever
  const timeval most{seconds, 0};
  (void)setsockopt(socket, SOL_SOCKET, option, &most, sizeof most);
}

// One process that asks, until it ends.
class Server {
public:
  Server(os::Descriptor socket, std::shared_ptr<SharedMailboxes> boxes)
      : socket_(std::move(socket)), boxes_(std::move(boxes)) {}
  void serve() {
    Question question{};
    prepare(socket_.get());
    if (send_value(socket_.get(), u64{yes}))
      while (receive(socket_.get(), question) && question.rank < Mailboxes::most_ranks && answer(question)) {
      }
    for (u32 rank : ranks_) boxes_->leave(rank);
  }

private:
  bool answer(const Question& question) {
    std::vector<std::byte> data; // that come, or go
    try {
      if (question.what == Ask::put && !receive_all(data, question.bytes)) return false;
      const u64 what = look(question, data);
      return send_value(socket_.get(), what) && os::write_all(socket_.get(), data);
    } catch (const std::bad_alloc&) { // more than there is room for: the rank loses its connection
      return false;
    }
  }
  bool receive_all(std::vector<std::byte>& data, u64 bytes) {
    constexpr u64 step = u64{16} << 20;
    for (u64 at = 0; at < bytes; at = data.size()) {
      data.resize(at + std::min(step, bytes - at));
      if (!os::read_all(socket_.get(), data.data() + at, data.size() - at)) return false;
    }
    return true;
  }
  // `data`: what was put; after it, what is taken.
  u64 look(const Question& question, std::vector<std::byte>& data) {
    switch (question.what) {
    case Ask::join:
      if (!boxes_->join(question.rank, true)) return no;
      ranks_.push_back(question.rank);
      return yes;
    case Ask::has_joined: return boxes_->has_joined(question.rank);
    case Ask::is_alive: return boxes_->is_alive(question.rank);
    case Ask::all_is_read: return boxes_->all_is_read(question.rank);
    case Ask::put:
      return boxes_->put(question.rank, question.tag, std::exchange(data, {}),
                         static_cast<u32>(question.readers));
    case Ask::take: {
      const std::optional<os::Descriptor> file =
          boxes_->take_file(question.rank, question.tag, question.bytes);
      if (!file) return no;
      if (*file) data.resize(question.bytes); // as many as there are
      if (*file && os::read_all(file->get(), data.data(), data.size())) return yes;
      data.clear();
      return other_size;
    }
    }
    return no;
  }

  os::Descriptor socket_;
  std::shared_ptr<SharedMailboxes> boxes_;
  std::vector<u32> ranks_; // that it has
};

// A thread to which no signal of the program comes; false where there is none to be had.
template <class Body> bool start_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool started = true;
  try {
    std::thread(std::move(body)).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Who has connected, and has not said the secret yet.
struct Guest {
  static constexpr std::size_t most = 16;
  static constexpr auto patience = std::chrono::seconds(10);

  os::Descriptor socket;
  Clock::time_point until = Clock::now() + patience;
  std::array<u64, 2> said{};
  std::size_t bytes = 0; // of it

  // Whether it knows the secret; nothing: not all of it is there.
  std::optional<bool> listen(const std::array<u64, 2>& secret) {
    const ssize_t got =
        recv(socket.get(), reinterpret_cast<std::byte*>(&said) + bytes, sizeof said - bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (got <= 0) return false;
    bytes += static_cast<std::size_t>(got);
    return bytes < sizeof said ? std::nullopt : std::optional(said == secret);
  }
};

// Until something happens at the door or at a guest, or the time of the first of them is up. Is it at the door?
bool wait_at_door(int door, const std::vector<Guest>& guests) {
  std::vector<pollfd> all{{door, POLLIN, 0}};
  for (const Guest& guest : guests) all.push_back({guest.socket.get(), POLLIN, 0});
  using std::chrono::ceil, std::chrono::milliseconds;
  const auto left = guests.empty()
                        ? milliseconds(-1)
                        : std::max(milliseconds(0), ceil<milliseconds>(guests.front().until - Clock::now()));
  return poll(all.data(), all.size(), static_cast<int>(left.count())) > 0 && all[0].revents != 0;
}

// Lets others in until the door is shut, or nobody has the mailboxes any more.
void keep_door(int door, const std::weak_ptr<SharedMailboxes>& boxes) {
  std::vector<Guest> guests; // the first has come first
  while (true) {
    const bool is_there = wait_at_door(door, guests);
    const std::shared_ptr<SharedMailboxes> there = boxes.lock();
    if (there == nullptr) return;
    std::erase_if(guests, [&](Guest& guest) {
      const std::optional<bool> knows = guest.listen(there->address().secret);
      if (knows == true)
        start_thread(
            [server = std::make_shared<Server>(std::move(guest.socket), there)] { server->serve(); });
      return knows || Clock::now() >= guest.until;
    });
    if (!is_there) continue;
    if (os::Descriptor socket(accept4(door, nullptr, nullptr, SOCK_CLOEXEC)); socket) {
      if (guests.size() == Guest::most) guests.erase(guests.begin());
      guests.push_back({.socket = std::move(socket)});
    } else if (errno == EINVAL) { // it is shut
      return;
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) { // no room, for now
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

// By which others know this machine; last by which it knows itself alone.
std::array<u32, 8> own_hosts() {
  std::array<u32, 8> out{};
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return out;
  std::size_t count = 0;
  for (const unsigned loopback : {0u, unsigned{IFF_LOOPBACK}})
    for (const ifaddrs* one = all; one != nullptr && count < out.size(); one = one->ifa_next)
      if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET && (one->ifa_flags & IFF_UP) != 0 &&
          (one->ifa_flags & IFF_LOOPBACK) == loopback)
        out[count++] = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr;
  freeifaddrs(all);
  return out;
}

sockaddr_in place(u32 host, u16 port) {
  sockaddr_in out{};
  out.sin_family = AF_INET, out.sin_addr.s_addr = host, out.sin_port = htons(port);
  return out;
}

} // namespace

std::shared_ptr<os::Descriptor> open_door(MailboxesAddress& address, std::weak_ptr<SharedMailboxes> boxes) {
  auto door =
      std::make_shared<os::Descriptor>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in own = place(INADDR_ANY, 0);
  socklen_t size = sizeof own;
  auto* const raw = reinterpret_cast<sockaddr*>(&own);
  if (bind(door->get(), raw, size) != 0 || listen(door->get(), SOMAXCONN) != 0 ||
      getsockname(door->get(), raw, &size) != 0 ||
      getrandom(&address.secret, sizeof address.secret, 0) != sizeof address.secret)
    return nullptr;
  if (!start_thread([door, boxes] { keep_door(door->get(), boxes); })) return nullptr;
  address.port = ntohs(own.sin_port), address.hosts = own_hosts();
  return door;
}

std::shared_ptr<FarMailboxes> FarMailboxes::connect(const MailboxesAddress& address) {
  for (const u32 host : address.hosts) {
    if (host == 0 || address.port == 0) continue;
    os::Descriptor to(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in there = place(host, address.port);
    u64 welcome = no;
    for (int option : {SO_SNDTIMEO, SO_RCVTIMEO}) set_patience(to.get(), option, 5);
    if (::connect(to.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0 ||
        !send_value(to.get(), address.secret) || !receive(to.get(), welcome) || welcome != yes)
      continue;
    for (int option : {SO_SNDTIMEO, SO_RCVTIMEO}) set_patience(to.get(), option, 0);
    prepare(to.get());
    return std::shared_ptr<FarMailboxes>(new FarMailboxes(address, std::move(to)));
  }
  return nullptr;
}

u64 FarMailboxes::ask(const Question& question, std::span<const std::byte> give, std::span<std::byte> take) {
  std::lock_guard lock(mutex_);
  u64 answer = no;
  const int to = socket_.get();
  if (!lost_ && !(send_value(to, question) && os::write_all(to, give) && receive(to, answer) &&
                  (answer != yes || os::read_all(to, take.data(), take.size()))))
    lost_ = true;
  return lost_ ? u64{no} : answer;
}

bool FarMailboxes::join(u32 rank) { return ask({Ask::join, rank}) == yes; }
bool FarMailboxes::has_joined(u32 rank) { return ask({Ask::has_joined, rank}) == yes; }
bool FarMailboxes::is_alive(u32 rank) { return ask({Ask::is_alive, rank}) == yes; }
bool FarMailboxes::may_leave(u32 rank) { return ask({Ask::all_is_read, rank}) == yes; }
bool FarMailboxes::put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) {
  return ask({Ask::put, rank, tag, data.size(), readers}, data) == yes;
}
std::optional<bool> FarMailboxes::take(u32 from, u64 tag, std::span<std::byte> out) {
  const u64 answer = ask({Ask::take, from, tag, out.size()}, {}, out);
  return answer == no ? std::nullopt : std::optional(answer == yes);
}

} // namespace warplens::runtime
