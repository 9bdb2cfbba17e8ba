// Rows whose length does not suit the hardware. In device memory: pad each row to a multiple of the warp,
// which is what cudaMallocPitch does. In shared memory: pad by one word, so that a column spreads over the
// banks.
#include "advise/padding.h"
#include "arch/table.h"
#include "base/bits.h"
#include "explain/fixes/tools.h"
#include "text/layout.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

using symbolic::Algebra;
using symbolic::QuasiPolynomial;

namespace {

QuasiPolynomial with_length(const Situation& s, const RowLength& row, i64 length) {
  Algebra& algebra = s.symbolic.form.algebra();
  return bytes_of(s, algebra.add(algebra.multiply(row.rows, Algebra::constant(length)), row.columns));
}

bool is_number(const QuasiPolynomial& length) {
  return std::ranges::all_of(length.terms, [](const auto& term) { return term.first.empty(); });
}

// An array of no rows, where steps come back to the same banks: each 32 words begin in another bank.
void leave_words_free(Situation& s, std::vector<advise::Advice>& list) {
  constexpr i64 banks = 128, word = 4; // bytes
  if (s.target.element.size != word) return;
  Footprint skewed = s.footprint;
  for (i64& offset : skewed.offset) offset += offset / banks * word;
  advise::Advice out;
  predict(s, skewed, s.manner, out);
  out.rule = findings::Rule::bank_conflict;
  out.title = "Leave one word in 33 free";
  out.cause = "The step comes back to the same banks, so the words of one bank are read one after the other.";
  out.change =
      "Make the array longer by a 32nd, and shift each 32 elements by one more, wherever it is used.";
  out.example = fmt::format("{0}[i + i/32] instead of {0}[i]", s.target.array);
  out.metric = advise::Metric::wavefronts;
  out.before = s.block;
  offer(list, std::move(out));
}

} // namespace

void pad_rows(Situation& s, std::vector<advise::Advice>& list) {
  bool device = s.question.space == access::Space::global || s.question.space == access::Space::texture;
  std::optional<QuasiPolynomial> index = element_index(s);
  if (!device || !index || s.form.kind == FormKind::other) return;
  i64 size = s.target.element.size;
  for (const RowLength& row : row_lengths(s, *index)) {
    i64 padded = static_cast<i64>(align_up(static_cast<u64>(row.value), warp_size));
    if (padded == row.value || row.value < warp_size) continue;
    u64 pitch = align_up(static_cast<u64>(row.value * size), s.arch.memory.pitch_alignment);
    advise::Advice out;
    out.rule = findings::Rule::misaligned_access;
    out.title = fmt::format("Pad the rows from {} to {} elements", row.value, padded);
    out.cause = fmt::format("A row of {} elements is {} bytes, so rows start in the middle of a segment.",
                            row.value, row.value * size);
    out.change =
        fmt::format("Make the width a multiple of the warp; cudaMallocPitch gives rows {} bytes apart on {}.",
                    pitch, text::compute_capability(s.question.sm));
    out.example = fmt::format("({}*)((char*){} + row*pitch) + column   // pitch = {}", s.target.element.name,
                              s.target.array, pitch);
    out.metric = metric_of(s);
    out.before = s.block;
    predict(s, with_length(s, row, padded), out);
    if (out.after.transaction_bytes == out.before.transaction_bytes && out.after.tags < out.before.tags)
      out.change += fmt::format(
          " The sectors are full as they are; the 128-byte lines that the L1 looks up fall from {} to {}.",
          out.before.tags, out.after.tags);
    std::size_t had = list.size();
    offer(list, std::move(out));
    if (list.size() != had) return;
  }
}

void pad_shared_rows(Situation& s, std::vector<advise::Advice>& list) {
  std::optional<QuasiPolynomial> index = element_index(s);
  if (s.question.space != access::Space::shared || !index) return;
  for (const RowLength& row : row_lengths(s, *index)) {
    const bool flat = s.target.subscripts.size() == 1;
    if (flat && !is_number(row.length)) continue; // a step, or the length of rows that nobody declared
    i64 unit = s.target.element.size < 4 ? 4 / static_cast<i64>(s.target.element.size) : 1;
    advise::Padding padding = advise::smallest_padding(
        s.block, [&](u32 units) { return counted(s, with_length(s, row, row.value + units * unit)); });
    if (padding.units == 0) continue;
    i64 best_pad = padding.units * unit;
    advise::Advice best;
    predict(s, with_length(s, row, row.value + best_pad), best);
    best.rule = findings::Rule::bank_conflict;
    best.title = fmt::format("Pad each row by {}: {} becomes {}", best_pad, row.value, row.value + best_pad);
    best.cause = fmt::format("Steps of {} elements come back to the same banks, so the words of one bank are "
                             "read one after the other.",
                             row.value);
    best.change =
        fmt::format("Declare the array {} wider; what is added is never used and shifts every row to other "
                    "banks.",
                    text::plural(static_cast<u64>(best_pad), "column"));
    Algebra& algebra = s.symbolic.form.algebra();
    best.example = flat ? fmt::format("{}[{}]", s.target.array,
                                      algebra.text(algebra.add(
                                          algebra.multiply(row.rows, Algebra::constant(row.value + best_pad)),
                                          row.columns)))
                        : fmt::format("__shared__ {} {}[…][{} + {}];", s.target.element.name, s.target.array,
                                      row.text, best_pad);
    best.metric = advise::Metric::wavefronts;
    best.before = s.block;
    best.confidence = advise::Confidence::certain;
    std::size_t had = list.size();
    offer(list, std::move(best));
    if (list.size() != had) return;
  }
  if (s.target.subscripts.size() == 1) leave_words_free(s, list);
}

} // namespace warplens::explain
