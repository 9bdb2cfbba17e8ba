// PTX text: any bytes parse or are refused; what parses keeps the conventions and prints to something that parses.
#include "fuzz/target.h"
#include "ir/verify.h"
#include "ptx/parse.h"
#include "support/print.h"

FUZZ_TARGET(ptx) {
  using namespace warplens;
  Result<ptx::Parsed> result = ptx::parse(input);
  if (!result) return fuzz::require(!result.error().message.empty(), "what is refused has a message");
  fuzz::require(ir::verify(result->module).empty(), "what parses is well-formed");
  fuzz::require(ptx::parse(ir::print(result->module)).has_value(), "what is printed parses");
}
