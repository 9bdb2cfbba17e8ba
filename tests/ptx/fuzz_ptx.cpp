// libFuzzer: any bytes parse or are refused; what parses keeps the conventions and prints to something that
// parses. Built with the fuzz preset only: build/fuzz/fuzz_ptx tests/ptx/corpus
#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parse.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warplens;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<ptx::Parsed> result = ptx::parse(text);
  if (!result) return result.error().message.empty() ? std::abort(), 0 : 0;
  if (!ir::verify(result->module).empty()) std::abort();
  if (!ptx::parse(ir::print(result->module))) std::abort();
  return 0;
}
