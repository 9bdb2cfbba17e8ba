// A module as the cache keeps it: damaged bytes are refused, others come back as they were.
#include "fuzz/target.h"
#include "ir/module_bytes.h"
#include "ir/verify.h"
#include "ptx/parse.h"
#include <algorithm>

FUZZ_TARGET(module) {
  using namespace warplens;
  // Seeds are PTX; what is damaged is what encode() makes of them.
  std::vector<std::byte> bytes;
  std::size_t digits = input.find('\n');
  Result<ptx::Parsed> parsed = ptx::parse(input);
  if (parsed) {
    bytes = ir::encode(parsed->module);
    std::optional<ir::Module> again = ir::decode(bytes);
    fuzz::require(again && ir::encode(*again) == bytes, "a module survives being written and read");
  } else {
    auto* begin = reinterpret_cast<const std::byte*>(input.data());
    bytes.assign(begin, begin + input.size());
  }
  // Every byte that the input's first line can reach, changed.
  for (std::size_t i = 0; i < std::min({digits, std::size_t{64}, input.size()}) && !bytes.empty(); ++i) {
    std::size_t at = (static_cast<unsigned char>(input[i]) * 2654435761u + i * 40503u) % bytes.size();
    std::byte kept = bytes[at];
    bytes[at] ^= static_cast<std::byte>(1u << i % 8);
    if (auto damaged = ir::decode(bytes))
      fuzz::require(ir::verify(*damaged).empty(), "what decodes is well-formed");
    bytes[at] = kept;
  }
}
