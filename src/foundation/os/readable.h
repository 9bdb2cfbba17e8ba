// How far memory can be read from a place on: for data of the program that states its own size.
#pragma once
#include "os/bytes.h"
#include <algorithm>

namespace warplens::os {

// The bytes from `start` to the end of the readable memory around it: of the program or library that holds it, as it was
// loaded, else of the mappings that follow each other without a gap. Empty where nothing can be read at `start`.
Bytes readable_from(const std::byte* start);

// Whether `data` begins with the bytes of `magic`. A byte behind one that differs is not looked at: readable memory goes on behind what
// is at hand.
template <class T> bool begins_with(Bytes data, const T& magic) {
  const Bytes wanted = std::as_bytes(std::span(&magic, 1));
  return std::ranges::mismatch(data, wanted).in2 == wanted.end();
}

} // namespace warplens::os
