// Messages in a stream of bytes.
#include "lsp/framing.h"
#include <gtest/gtest.h>

namespace warplens::lsp {
namespace {

TEST(Framing, MessagesComeWholeHoweverTheBytesAreCut) {
  const std::string stream = framed("{\"a\":1}") + "content-length:2\nContent-Type: x\n\n{}" + framed("");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    MessageReader reader;
    std::vector<std::string> got;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      while (auto one = reader.next()) got.push_back(*one);
    }
    EXPECT_EQ(got, (std::vector<std::string>{"{\"a\":1}", "{}", ""})) << piece;
  }
}

TEST(Framing, WhatHasNoLengthIsRefused) {
  for (const char* bad :
       {"Content-Type: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n",
        "Content-Length: 9999999999999999999999\r\n\r\n", "Content-Length: 67108865\r\n\r\n",
        "Content-Length: 2 3\r\n\r\n", "Content-Length: \r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", "hello\r\n\r\n", "\r\n\r\n"}) {
    MessageReader reader;
    reader.feed(bad);
    EXPECT_FALSE(reader.next()) << bad;
    EXPECT_NE(reader.refusal(), "") << bad;
    reader.feed(framed("{}"));
    EXPECT_FALSE(reader.next()) << bad; // and stays so
  }
}

TEST(Framing, AHeaderHasAnEnd) {
  MessageReader reader;
  reader.feed(std::string(MessageReader::most_header - 1, 'x'));
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.refusal(), "");
  reader.feed("x");
  EXPECT_FALSE(reader.next());
  EXPECT_NE(reader.refusal(), "");
}

TEST(Framing, TheLargestLengthIsAwaited) {
  MessageReader reader;
  reader.feed("Content-Length: 67108864\r\n\r\n{");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.refusal(), "");
}

} // namespace
} // namespace warplens::lsp
