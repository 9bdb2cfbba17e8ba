#include "measured/wire.h"
#include <gtest/gtest.h>
#include <string>

namespace warplens::measured {
namespace {

Fields fields(const std::string& bytes) {
  return Fields({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
}

TEST(Wire, ReadsEachType) {
  const std::string bytes("\x08\x96\x01\x11\x01\0\0\0\0\0\0\0\x1a\x03"
                          "abc\x25\x02\0\0\0",
                          22);
  Fields message = fields(bytes);
  std::optional<Field> one = message.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->number, 1u);
  EXPECT_EQ(one->value, 150u);
  one = message.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->value, 1u);
  one = message.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(os::as_text(one->bytes), "abc");
  one = message.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->number, 4u);
  EXPECT_EQ(one->value, 2u);
  EXPECT_FALSE(message.next());
  EXPECT_TRUE(message.ok());
}

TEST(Wire, DamageEndsTheMessage) {
  for (const std::string& bytes :
       {std::string("\x08"), std::string("\x08\x80"), std::string(11, '\xff'),
        std::string("\x1a\x05"
                    "abc"),
        std::string("\x11\x01"), std::string("\x25\x01"), std::string("\x0b"), std::string("\x02\x01", 2)}) {
    Fields message = fields(bytes);
    while (message.next()) {
    }
    EXPECT_FALSE(message.ok()) << testing::PrintToString(bytes);
  }
}

} // namespace
} // namespace warplens::measured
