#include "measured/recorder/cupti/writer.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <unistd.h>

namespace warplens::recorder {
namespace {

int output = STDERR_FILENO;
std::mutex writing;

} // namespace

std::string quoted(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string base64(std::string_view bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

void open_output(const char* path) {
  int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file >= 0) output = file;
}

void write_line(std::string line) {
  line += '\n';
  std::lock_guard lock(writing);
  std::string_view rest = line;
  while (!rest.empty()) {
    ssize_t written = ::write(output, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return; // a full disk: the reader finds a cut line
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void note_once(const std::string& text) {
  static std::mutex saying;
  static std::set<std::string>& said = *new std::set<std::string>;
  {
    std::lock_guard lock(saying);
    if (!said.insert(text).second) return;
  }
  note(text);
}

void note(const std::string& text) { write_line("{\"note\":" + quoted(text) + "}"); }

} // namespace warplens::recorder
