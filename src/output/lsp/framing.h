// Where one message of the Language Server Protocol ends and the next begins: a header with Content-Length, an empty line,
// and so many bytes of JSON (specification 3.17, "Base Protocol"). Bytes come in pieces of any size.
//
// What has no length cannot be skipped: after a header that is not one, or a length that no editor means, the stream is of no
// use any more, and refusal() says why.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace warplens::lsp {

class MessageReader {
public:
  static constexpr std::size_t most_header = 4096, most_content = std::size_t{64} << 20; // bytes

  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The content of the next whole message; none where more bytes are needed, or the stream was refused.
  std::optional<std::string> next();
  // Empty while the stream can be read.
  const std::string& refusal() const { return refusal_; }

private:
  void read_header();
  std::string buffer_;
  std::optional<std::size_t> length_; // of the content, once the header was read
  std::string refusal_;
};

// The content as a message, with its header.
std::string framed(std::string_view content);

} // namespace warplens::lsp
