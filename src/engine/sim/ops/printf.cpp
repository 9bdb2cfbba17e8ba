// Each conversion is taken out of the format, given the length that its argument has in the buffer, and
// handed to snprintf by itself. A width or precision of * takes an int from the buffer, as in C.
#include "sim/ops/printf.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace warplens::sim {
namespace {

// snprintf into a string; `spec` is one conversion with its flags, rebuilt so that its argument's type is
// known.
template <class T> std::string one(const std::string& spec, T value) {
  char small[512];
  int n = std::snprintf(small, sizeof small, spec.c_str(), value);
  if (n < 0) return {};
  if (static_cast<std::size_t>(n) < sizeof small) return {small, static_cast<std::size_t>(n)};
  std::string out(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(out.data(), out.size(), spec.c_str(), value);
  out.pop_back();
  return out;
}

// Widths and precisions beyond reason would only print gigabytes of blanks.
constexpr i32 widest = 4096;
void limit_numbers(std::string& spec) {
  for (std::size_t i = 0; i < spec.size(); ++i) {
    std::size_t end = spec.find_first_not_of("0123456789", i);
    if (end == std::string::npos) end = spec.size();
    if (end == i) continue;
    u64 number = std::strtoull(spec.c_str() + i, nullptr, 10);
    std::string limited(spec[i] == '0' ? 1 : 0, '0');
    limited += std::to_string(std::min<u64>(number, widest));
    if (end - i > 4) spec.replace(i, end - i, limited);
    i = spec.find_first_not_of("0123456789", i) - 1;
    if (i >= spec.size()) return;
  }
}

} // namespace

std::string format_device_printf(std::string_view format, const std::function<u64(u64, u32)>& argument,
                                 const std::function<std::string(u64)>& text) {
  std::string out;
  u64 offset = 0;
  auto take = [&](u32 bytes) {
    offset = align_up(offset, bytes);
    u64 value = argument(offset, bytes);
    offset += bytes;
    return value;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    std::size_t start = i++;
    u32 longs = 0;
    for (; i < format.size(); ++i) {
      char c = format[i];
      if (c == '*')
        spec += std::to_string(std::clamp<i32>(static_cast<i32>(take(4)), -widest, widest));
      else if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos)
        spec += c;
      else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
        ++longs;
      else if (c == 'h')
        spec += c;
      else
        break;
    }
    if (i >= format.size()) {
      out += format.substr(start);
      break;
    }
    char c = format[i];
    limit_numbers(spec);
    switch (c) {
    case '%': out += '%'; break;
    case 'd':
    case 'i':
      out += longs ? one(spec + "ll" + c, static_cast<long long>(take(8)))
                   : one(spec + c, static_cast<int>(take(4)));
      break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      out += longs ? one(spec + "ll" + c, static_cast<unsigned long long>(take(8)))
                   : one(spec + c, static_cast<unsigned>(take(4)));
      break;
    case 'c': out += one(spec + c, static_cast<int>(take(4))); break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': out += one(spec + c, std::bit_cast<double>(take(8))); break;
    case 's': out += one(spec + c, text(take(8)).c_str()); break;
    case 'p': out += one(spec + c, reinterpret_cast<void*>(take(8))); break;
    default: out += format.substr(start, i - start + 1);
    }
  }
  return out;
}

} // namespace warplens::sim
