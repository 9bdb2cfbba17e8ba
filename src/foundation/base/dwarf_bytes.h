// The encodings of DWARF sections (DWARF 4, section 7): little-endian numbers, LEB128, strings that end with a zero. Reads past
// the end give zeros, and ok() is false from then on.
#pragma once
#include "base/types.h"
#include <string>
#include <string_view>

namespace warplens {

class DwarfBytes {
public:
  explicit DwarfBytes(std::string_view bytes, u64 at = 0) : bytes_(bytes), at_(at) {}
  bool ok() const { return ok_; }
  bool more() const { return ok_ && at_ < bytes_.size(); }
  u64 at() const { return at_; }
  bool skip(u64 size) {
    ok_ = ok_ && at_ <= bytes_.size() && size <= bytes_.size() - at_;
    if (ok_) at_ += size;
    return ok_;
  }
  u64 fixed(u32 size) {
    u64 value = 0;
    if (!skip(size)) return value;
    for (u32 i = 0; i < size; ++i) value |= u64{static_cast<u8>(bytes_[at_ - size + i])} << (8 * i);
    return value;
  }
  u64 unsigned_leb() { return leb(false); }
  i64 signed_leb() { return static_cast<i64>(leb(true)); }
  std::string string() {
    const std::size_t end = at_ < bytes_.size() ? bytes_.find('\0', at_) : bytes_.npos;
    if (end == bytes_.npos) return ok_ = false, std::string();
    std::string text(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }

private:
  u64 leb(bool is_signed) {
    u64 value = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
      const u64 byte = fixed(1);
      value |= (byte & 0x7f) << shift;
      if (byte & 0x80) continue;
      if (is_signed && (byte & 0x40) && shift + 7 < 64) value |= ~u64{0} << (shift + 7);
      return value;
    }
    ok_ = false;
    return 0;
  }

  std::string_view bytes_;
  u64 at_;
  bool ok_ = true;
};

} // namespace warplens
