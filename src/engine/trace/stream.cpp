// zlib's own reader of gzip files passes over what follows the compressed data, and with it over half of a file that two
// tools wrote to. Here a file is members of gzip (RFC 1952) one after the other, at most padded with zeros, or none.
#include "trace/stream.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace warplens::trace {
namespace {

constexpr std::size_t read_size = std::size_t{1} << 18;

} // namespace

struct Stream::Decoder {
  z_stream z{};
  bool ready = inflateInit2(&z, 15 + 16) == Z_OK; // the largest window, gzip's header
  bool inside = true;                             // a member
  ~Decoder() {
    if (ready) inflateEnd(&z);
  }
};

Result<std::unique_ptr<Stream>> Stream::open(const std::string& path) {
  bool standard_input = path == "-";
  std::string name = standard_input ? "<stdin>" : path;
  int descriptor =
      standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure(diag::error("trace-cannot-open", "cannot open '" + name + "': " + std::strerror(errno), {},
                               "check the path; '-' reads standard input"));
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    return failure(
        diag::error("trace-is-directory", "'" + name + "' is a directory", {}, "name a file in it"));
  }
  return std::unique_ptr<Stream>(new Stream(std::move(name), descriptor));
}

Stream::Stream(std::string name, int descriptor)
    : name_(std::move(name)), input_(read_size, '\0'), descriptor_(descriptor) {}

Stream::~Stream() { close(descriptor_); }

bool Stream::fill() {
  if (at_end_) return false;
  std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
  end_ -= begin_, begin_ = 0;
  ssize_t count = 0;
  do count = ::read(descriptor_, input_.data() + end_, input_.size() - end_);
  while (count < 0 && errno == EINTR);
  if (count < 0) error_ = errno;
  at_end_ = count <= 0;
  end_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  return count > 0;
}

void Stream::recognise() {
  recognised_ = true;
  while (end_ - begin_ < 2 && fill()) {
  }
  if (end_ - begin_ >= 2 && input_[begin_] == '\x1f' && input_[begin_ + 1] == '\x8b')
    decoder_ = std::make_unique<Decoder>();
}

ResultOr<std::size_t, std::string> Stream::read(char* to, std::size_t size) {
  if (!recognised_) recognise();
  return decoder_ ? inflated(to, size) : plain(to, size);
}

ResultOr<std::size_t, std::string> Stream::plain(char* to, std::size_t size) {
  if (begin_ == end_ && !fill() && error_ != 0) return failure(std::string(std::strerror(error_)));
  std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(to, input_.data() + begin_, count);
  begin_ += count;
  return count;
}

// Behind a member: whether another one follows.
ResultOr<bool, std::string> Stream::next_member() {
  do
    while (begin_ != end_ && input_[begin_] == '\0') ++begin_; // padding
  while (begin_ == end_ && fill());
  if (begin_ == end_) return false;
  while (end_ - begin_ < 2 && fill()) {
  }
  if (end_ - begin_ < 2 || input_[begin_] != '\x1f' || input_[begin_ + 1] != '\x8b')
    return failure(std::string("something that is not gzip follows the compressed data"));
  inflateReset(&decoder_->z);
  decoder_->inside = true;
  return true;
}

ResultOr<std::size_t, std::string> Stream::inflated(char* to, std::size_t size) {
  if (!decoder_->ready) return failure(std::string("not enough memory"));
  z_stream& z = decoder_->z;
  z.next_out = reinterpret_cast<Bytef*>(to), z.avail_out = static_cast<uInt>(size);
  while (z.avail_out == size) {
    if (!decoder_->inside) {
      ResultOr<bool, std::string> more = next_member();
      if (!more) return failure(std::move(more.error()));
      if (!*more) return std::size_t{0};
    }
    if (begin_ == end_ && !fill())
      return failure(error_ != 0 ? std::string(std::strerror(error_)) : "the compressed data is cut off");
    z.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_),
    z.avail_in = static_cast<uInt>(end_ - begin_);
    int code = inflate(&z, Z_NO_FLUSH);
    begin_ = end_ - z.avail_in;
    if (code == Z_STREAM_END)
      decoder_->inside = false;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      return failure(std::string(z.msg != nullptr ? z.msg : "the compressed data is damaged"));
  }
  return size - z.avail_out;
}

} // namespace warplens::trace
