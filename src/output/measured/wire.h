// The wire format of protocol buffers (protobuf.dev/programming-guides/encoding): a message is a row of fields, each a number
// and a value of one of four types. A reader that needs a dozen fields of messages that somebody else defines needs no more
// than this: no schema, no generated code, and what it does not know it steps over. Every size is checked; what does not fit
// ends the message, and ok() says so.
#pragma once
#include "os/bytes.h"
#include <optional>

namespace warplens::measured {

struct Field {
  u32 number = 0;
  enum class Type : u8 { varint, fixed64, bytes, fixed32 } type{};
  u64 value = 0;     // varint, fixed64, fixed32
  os::Bytes bytes{}; // bytes: a string or a message
};

class Fields {
public:
  explicit Fields(os::Bytes message) : rest_(message) {}
  std::optional<Field> next(); // nothing at the end, and at damage
  bool ok() const { return ok_; }

private:
  std::optional<u64> varint();
  std::optional<u64> fixed(std::size_t size);
  os::Bytes rest_;
  bool ok_ = true;
};

} // namespace warplens::measured
