#include "advise/rules/triton.h"
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise {

using findings::Rule;

namespace {
constexpr u64 widest_vector = 16; // bytes
}

bool is_triton(const access::Site& site) {
  if (site.frames.empty() || site.function.find("cudapy") != site.function.npos) return false; // numba's mark
  return site.frames[site.frames.size() - 1].file.ends_with(".py");
}

// Triton: arguments that are divisible by 16 are compiled for that, and vectors are as wide as the proven alignment of pointers,
// strides and masks allows (triton.language.multiple_of, max_contiguous).
void say_for_triton(const rules::Subject& s, Advice& advice) {
  const u64 bytes = std::max<u64>(1, s.site.site.bytes);
  switch (advice.rule) {
  case Rule::uncoalesced_load:
  case Rule::uncoalesced_store:
    if (const findings::Remedy remedy = rules::remedy_of_stride(s);
        remedy.kind != findings::Remedy::Kind::aligned && s.site.pattern.shape.distance() <= widest_vector) {
      // The block's layout gives each thread some elements side by side, which begin anywhere from row to row.
      advice.change = fmt::format("let rows begin at multiples of 16 bytes: pad them to a multiple of {} "
                                  "elements, and pass sizes and "
                                  "strides divisible by 16. Triton then compiles another variant, which "
                                  "moves the {} elements of a thread "
                                  "at once. PTX that was saved before has to be compiled again",
                                  widest_vector / bytes, s.site.pattern.shape.distance() / bytes);
      advice.example = "torch.empty(rows, (n + 15) // 16 * 16)[:, :n]";
    } else if (remedy.kind == findings::Remedy::Kind::aligned) {
      const u64 elements = remedy.bytes / bytes;
      advice.change = fmt::format(
          "pass strides and sizes divisible by 16, or say that they are: tl.multiple_of(offsets, {0}), "
          "tl.max_contiguous. Triton moves the {0} elements of a thread one by one, because it does not know "
          "that they begin at a multiple of {1} bytes. Masks must end at such a multiple too. PTX that was "
          "saved "
          "before has to be compiled again",
          elements, remedy.bytes);
      advice.example =
          fmt::format("offsets = tl.max_contiguous(tl.multiple_of(offsets, {0}), {0})", elements);
    } else {
      advice.change =
          "let the last dimension of the block, tl.arange(0, BLOCK)[None, :], run along the dimension of "
          "stride 1, and transpose the block behind the load (tl.trans), not the index";
      advice.example = "x + rows[:, None]*stride + columns[None, :]";
    }
    break;
  case Rule::narrow_access:
    advice.change = fmt::format(
        "let each thread have {} elements side by side: a larger BLOCK or fewer num_warps, with strides "
        "and sizes that are divisible by 16",
        16 / bytes);
    advice.example.clear();
    break;
  case Rule::misaligned_access:
    if (advice.metric == Metric::instructions ||
        value(advice.metric, advice.after) == value(advice.metric, advice.before))
      break; // none needed
    advice.change = "let the rows' stride be a multiple of 128 bytes (pad the tensor), and begin at its "
                    "first element: x[:, 1:] "
                    "begins off it";
    advice.example = "torch.empty(rows, (n + 31) // 32 * 32)[:, :n]";
    break;
  case Rule::bank_conflict:
    advice.change = "Triton chooses where blocks lie in shared memory: try another num_warps or BLOCK shape, "
                    "or load the block in the "
                    "order in which it is used";
    advice.example.clear();
    break;
  case Rule::same_address_atomic:
  case Rule::contended_atomic:
    advice.change = "add up within the block first (tl.sum), and let one tl.atomic_add bring the result";
    advice.example = "tl.atomic_add(out, tl.sum(x, axis=0))";
    break;
  default: break;
  }
}

} // namespace warplens::advise
