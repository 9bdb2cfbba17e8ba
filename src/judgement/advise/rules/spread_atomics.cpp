// Atomics whose lanes go where the data send them, as in a histogram or a scatter-add: combining would be wrong, but updates
// can be spread over copies of the table.
//
// In global memory each update is a sector towards L2. A copy in shared memory takes the block's updates, and what is left
// is one for each word of the copy: how many words that are is seen in the first block (measure::FirstBlock), an estimate
// where blocks differ. In shared memory lanes want different words of one bank. Copies side by side, word by word, one for
// some of the lanes each, are tried on the lanes of every class; with one for each lane no two can meet. Copies of structures would
// leave the conflicts of lanes that are structures apart: first each member gets a table of its own.
#include "access/opcode.h"
#include "advise/rules/rules.h"
#include "arch/table.h"
#include "arch/waits.h"
#include "base/bits.h"
#include "findings/words.h"
#include <fmt/format.h>
#include <numeric>

namespace warplens::advise::rules {

namespace {

std::string loop_in_shared(const access::Site& site) {
  return fmt::format(
      "an atomic of {} in shared memory is a loop of loads and compare-and-swaps; one of 32-bit "
      "integers is an instruction",
      access::is_of_floats(site) ? "floats" : "8 bytes");
}

u64 unit_of(const Subject& s) { return std::max<u64>(4, s.site.site.bytes); }

// The bytes from one element of the table to the next, where all lanes go to one member of structures; else those of a word.
u64 element_of_table(const Subject& s) {
  const u64 apart = row_of_column(s), unit = unit_of(s),
            element = apart > largest_structure ? std::gcd(apart, largest_structure) : apart,
            known = std::gcd(arch::address_period, element);
  const bool one_member = std::ranges::all_of(s.site.distribution.classes, [&](const measure::WarpClass& c) {
    return place_in(c, known) == place_in(main_class(s), known);
  });
  return one_member && element > unit && element % unit == 0 ? element : unit;
}

// Lane n uses copy n % copies of the table. Where the assembler counts lanes of one word together, it still does.
Change to_copies(const Subject& s, u32 copies, bool as_loads) {
  const u64 unit = unit_of(s), element = element_of_table(s);
  return [=](access::WarpAccess& access) {
    if (as_loads) access.kind = access::Kind::load;
    for_each_lane(access.active, [&](u32 lane) {
      access.address[lane] = (access.address[lane] / element * copies + lane % copies) * unit;
    });
  };
}

// What that would cost.
arch::Counts with_copies(const Subject& s, u32 copies, bool as_loads) {
  return predicted(s, to_copies(s, copies, as_loads));
}

bool copy_side_by_side(const Subject& s, const std::optional<arch::Counts>& by_itself,
                       std::vector<Advice>& list) {
  const arch::Counts now = by_itself.value_or(s.counters);
  if (4 * now.wavefronts <= 5 * now.ideal_wavefronts) return false; // copies would cost more than they save
  constexpr u32 some = 4;
  const bool members = element_of_table(s) != unit_of(s);
  u32 copies = members ? 1 : 2;
  arch::Counts after = with_copies(s, copies, by_itself.has_value());
  const bool enough = members && 4 * after.wavefronts <= 5 * after.ideal_wavefronts;
  while (!enough && copies < warp_size && after.wavefronts > after.ideal_wavefronts)
    after = with_copies(s, copies *= 2, by_itself.has_value());
  if (after.wavefronts >= now.wavefronts) return false;
  Advice out = draft(s, findings::Rule::contended_atomic, Metric::wavefronts);
  out.title = "lanes update different words of one bank";
  out.cause =
      "a bank performs one lane's operation at a time, and no padding helps where the data choose the word";
  if (members)
    out.change = "store one array per member (structure of arrays)", out.example = "x[i] instead of p[i].x";
  if (copies > 1)
    out.change +=
        fmt::format("{1}keep {0} copies of {2} side by side, table[{0}*i + lane % {0}], and add them "
                    "up at the end",
                    copies, members ? ", and " : "", members ? "each" : "the table");
  if (u64 left = with_copies(s, some, by_itself.has_value()).wavefronts;
      copies > some && left < now.wavefronts)
    out.change += fmt::format("; with {} copies, {} of {} wavefronts are left", some, left, now.wavefronts);
  out.before = now, out.after = after;
  out.lanes = changed(s, to_copies(s, copies, by_itself.has_value()));
  list.push_back(std::move(out));
  return true;
}

bool copy_for_each_block(const Subject& s, std::vector<Advice>& list) {
  // `one`: of a single launch; the sum of several sites or launches has a table as large as all of theirs.
  const measure::FirstBlock &block = s.site.distribution.first_block,
                            &one = in_launch(s).distribution.first_block;
  const bool scattered = s.site.pattern.kind() == measure::PatternKind::scattered || s.site.loads_index;
  if (block.lanes == 0 && !scattered) return false;
  // The block clears a copy from the first word that it updates to the last, and adds up what it has updated of it.
  const u64 table = std::max(block.words, block.span);
  const u64 left = of_all_blocks(s.counters.threads, block.words, block.lanes),
            looked_at = of_all_blocks(s.counters.threads, table, block.lanes),
            bytes = std::max(one.words, one.span) * s.site.site.bytes,
            shared = s.context.architecture->limits.shared_per_block_optin;
  // Copies that are added up in the end have no result to give while the kernel runs.
  const bool helps = block.lanes != 0 && 10 * looked_at < 9 * s.counters.threads && bytes <= shared &&
                     returns_nothing(s.site);
  if (!helps && !scattered) return false;
  Advice out = draft(s, findings::Rule::contended_atomic, Metric::threads);
  out.title = "lanes update addresses that lie far apart";
  out.cause = "each update is a sector of its own towards L2";
  if (helps) {
    out.title =
        fmt::format("a block updates each word {} times",
                    findings::times(static_cast<double>(block.lanes) / static_cast<double>(block.words)));
    out.cause += fmt::format(": block 0 performs {} on {} words", block.lanes, block.words);
    out.change = "update a copy of the table in shared memory for each block, and add the copies up at the "
                 "end. Skip the words of a copy that nobody updated. The more elements a block takes, the "
                 "more it saves";
    if (loops_in_shared(s.site.site)) out.change += "; " + loop_in_shared(s.site.site);
    if (const u64 plain = s.context.architecture->limits.shared_per_block; bytes > plain)
      out.change += fmt::format("; more than {} of it are dynamic, as cudaFuncSetAttribute allows",
                                findings::bytes(plain));
    out.change += cost_of_shared(s, bytes);
    out.after.threads = left, out.asks_for_less = true;
    set_sectors(out.after, of_all_blocks(s.counters.sectors, ceil_div(bytes, 32), block.sectors));
    // Warps that each go to different words still meet the other warps there. Few updates are not worth a word.
    constexpr u64 few_updates = 4096, some_times = 4;
    const arch::WordUpdates cycles = arch::word_updates(*s.context.architecture);
    const u64 saved = s.counters.threads - left;
    // Of the word that has most; where that is not known, as if block 0's had as many each.
    const measure::Distribution& all = s.site.distribution;
    const u64 of_one_word = all.busiest_word != 0 && !all.busiest_is_bound
                                ? of_all_blocks(all.busiest_word, saved, s.counters.threads)
                                : saved / block.words;
    const u64 wait = of_one_word * cycles.in_l2 * s.context.architecture->part.multiprocessors,
              loop = loops_in_shared(s.site.site) ? s.counters.threads * cycles.in_loop : 0;
    if (saved >= few_updates && block.lanes >= some_times * table)
      out.wait_cycles = wait - std::min(wait, loop);
  } else {
    const std::string sort = "sort by destination, so that neighbouring threads update neighbouring words; ";
    const std::string copy =
        fmt::format("a copy for each block ({} of shared memory)", findings::bytes(bytes));
    constexpr u64 many = 16; // updates of a word, by all blocks
    const bool few_words = bytes <= shared && returns_nothing(s.site) && s.counters.threads >= many * table;
    out.change =
        block.lanes != 0 && few_words
            ? fmt::format(
                  "let each block take more elements, in a loop over the grid, and update {}; add the "
                  "copies up at the end. An element for each thread saves nothing: the copy has {} words to "
                  "clear and to add up, for {} updates",
                  copy, std::max(one.words, one.span), one.lanes)
        : block.lanes == 0 ? "update a copy in shared memory for each block, and add the copies up at the end"
        : bytes > shared   ? fmt::format("{}{} does not fit in the {} that a block can have", sort, copy,
                                         findings::bytes(shared))
        : !returns_nothing(s.site)
            ? sort + "a copy in shared memory would not have the result that is used"
            : fmt::format("{}{} fits, but has {} words to clear and to add up, for {} updates: let each "
                          "block take more elements, in a loop over the grid",
                          2 * block.words < block.lanes ? "combine the updates of one word in a warp first; "
                                                        : sort,
                          copy, std::max(one.words, one.span), one.lanes);
    out.confidence = Confidence::possible; // a note: what it gains depends on the data
  }
  list.push_back(std::move(out));
  return true;
}

} // namespace

bool loops_in_shared(const access::Site& site) {
  const access::AtomicOperation operation = access::atomic_operation(site);
  return (access::is_of_floats(site) || site.bytes == 8) && operation != access::AtomicOperation::exch &&
         operation != access::AtomicOperation::cas;
}

void say_loop_in_shared(const access::Site& site, Advice& out) {
  out.change +=
      "; a copy of the table in shared memory for each block takes what is left, but " + loop_in_shared(site);
}

bool spread_atomics(const Subject& s, const std::optional<arch::Counts>& by_itself,
                    std::vector<Advice>& list) {
  return s.site.space == access::Space::shared ? copy_side_by_side(s, by_itself, list)
                                               : copy_for_each_block(s, list);
}

} // namespace warplens::advise::rules
