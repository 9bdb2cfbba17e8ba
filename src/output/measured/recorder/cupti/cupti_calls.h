// Calls of CUPTI: parameter blocks that know their size, and what to do when one fails.
#pragma once
#include "measured/recorder/cupti/writer.h"
#include <cuda.h>
#include <cupti.h>
#include <string>

namespace warplens::recorder {

// Says once for each call and error what went wrong, in the recording.
inline bool works(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  note_once(std::string(call) + ": " + (text != nullptr ? text : "error") + " (" + std::to_string(result) +
            ")");
  return false;
}

// A zeroed parameter block of the size that CUPTI wants to hear.
template <class Params> Params block_of(std::size_t size) {
  Params out{};
  out.structSize = size;
  return out;
}
#define WARPLENS_CUPTI(type) ::warplens::recorder::block_of<type>(type##_STRUCT_SIZE)

} // namespace warplens::recorder
