// A block asks for the same sectors again and again, in each request without waste: every warp reads the same row of a
// matrix, every thread the same table. Loaded once per block into shared memory, each sector travels once. That the block
// does so is seen in the first one; what is predicted is what its different sectors are.
//
// L1 serves many of the repetitions, so that the time gained is less than the sectors.
//
// Where each warp asks for what it asked for just before, nothing has to be shared: the value belongs into a register.
#include "access/opcode.h"
#include "advise/rules/rules.h"
#include "base/bits.h"
#include "findings/words.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::advise::rules {

double times_read(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return block.distinct_sectors == 0 || s.site.site.kind != access::Kind::load
             ? 0
             : static_cast<double>(block.sectors) / static_cast<double>(block.distinct_sectors);
}

double times_in_a_row(const Subject& s) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const access::Kind kind = s.site.site.kind;
  return block.requests <= block.again || (kind != access::Kind::load && kind != access::Kind::store)
             ? 0
             : static_cast<double>(block.requests) / static_cast<double>(block.requests - block.again);
}

namespace {

u64 first_word(const measure::SiteRecord& site) { // 0: not known
  if (site.distribution.classes.empty()) return 0;
  const access::WarpAccess& example = site.distribution.classes.front().example;
  return example.active == 0 ? 0 : example.address[static_cast<u32>(std::countr_zero(example.active))];
}

// May another thread change in between what is read here, or read what is written? So it is where accesses of the other kind reach other
// words of the array, as those of neighbours do: other sectors, or in the example another start. Each thread's own sum reaches the same.
bool meets_others(const Subject& s) {
  if (s.context.launch == nullptr) return false;
  const access::Site& own = s.site.site;
  const measure::FirstBlock& block = s.site.distribution.first_block;
  return std::ranges::any_of(s.context.launch->record().sites, [&](const measure::SiteRecord& other) {
    if (!may_be_of_array(s, other) || !is_device(other.space) || other.site.kind == own.kind ||
        other.counters[s.context.column].instructions == 0)
      return false;
    return other.distribution.first_block.distinct_sectors != block.distinct_sectors ||
           (own.array == other.site.array && first_word(other) != first_word(s.site));
  });
}

// The state of a generator, or of a particle: the compiler does not keep it in registers, as other pointers may lead to it.
void kept_in_local(const Subject& s, u64 once, std::vector<Advice>& list) {
  const measure::FirstBlock& block = in_launch(s).distribution.first_block;
  const bool load = s.site.site.kind == access::Kind::load;
  const double times = static_cast<double>(block.requests) / static_cast<double>(once);
  Advice out = draft(s, findings::uncoalesced(s.site.site.kind), Metric::sectors);
  out.title =
      fmt::format("neighbouring threads are {} bytes apart, and each thread {} its own structure {} times",
                  s.site.pattern.shape.distance(), load ? "reads" : "writes", findings::times(times));
  out.cause = "seen in block 0; no thread goes to a structure of another one, but a loop goes to memory in "
              "each round";
  out.change = fmt::format(
      "copy {}[i] into a local variable before the loop, and store the members that change once behind the "
      "loop, if no other thread uses them in between",
      name_of(s));
  out.example = fmt::format("T own = {0}[i]; for (…) … own.x … ; {0}[i].x = own.x;", name_of(s));
  set_sectors(out.after, of_all_blocks(s.counters.sectors, once, block.requests));
  out.asks_for_less = true;
  out.after.ideal_sectors = of_all_blocks(s.counters.ideal_sectors, once, block.requests);
  list.push_back(std::move(out));
}

void kept_in_register(const Subject& s, bool waste, std::vector<Advice>& list) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const u64 first = block.requests - block.again; // requests that are no repetition
  const bool load = s.site.site.kind == access::Kind::load;
  Advice out = draft(s, waste ? findings::uncoalesced(s.site.site.kind) : findings::Rule::missing_restrict,
                     Metric::sectors);
  if (waste)
    out.title = fmt::format("neighbouring threads are {} bytes apart, and ", s.site.pattern.shape.distance());
  out.title += fmt::format("each thread {} the same words {} times", load ? "reads" : "writes",
                           findings::times(times_in_a_row(s)));
  out.cause = "seen in block 0; another pointer may lead to the same memory, so the compiler keeps nothing "
              "in a register";
  out.change =
      load
          ? "keep the value in a register, read before the loop, if no other thread writes it in between; "
            "const __restrict__ on the pointer promises that"
          : "keep the value in a register, and write it once behind the loop, if no other thread reads it in "
            "between; __restrict__ on the pointer promises that";
  out.example = load ? "const float x = a[i]; for (…) … x …" : "float sum = 0; for (…) sum += …; a[i] = sum;";
  set_sectors(out.after, of_all_blocks(s.counters.sectors, first, block.requests));
  out.asks_for_less = true;
  out.after.ideal_sectors = of_all_blocks(s.counters.ideal_sectors, first, block.requests);
  list.push_back(std::move(out));
}

} // namespace

void repeated(const Subject& s, std::vector<Advice>& list) {
  constexpr u64 constant_bytes = 64 << 10;
  const measure::FirstBlock& block = s.site.distribution.first_block;
  bool several_warps = s.context.launch == nullptr || s.context.launch->record().block.count() > warp_size;
  bool waste = 10 * s.counters.sectors > 11 * s.counters.ideal_sectors;
  // Who waits for another reads again on purpose, and what others write is no tile.
  const bool waits = s.site.site.timing_dependent != access::Timing::none || access::is_ordered(s.site.site);
  // Tables of the compiler's own library, which sinf() and others read for large arguments, are not the program's.
  if (waits || s.site.site.array.name.starts_with("__cudart")) return;
  if (times_in_a_row(s) >= often && (!waste || s.site.pattern.kind() == measure::PatternKind::strided) &&
      !meets_others(s))
    return kept_in_register(s, waste, list);
  if (const u64 once = requests_of_own_structure(s); once != 0) return kept_in_local(s, once, list);
  if (times_read(s) < often || !several_warps || waste || moves_more_than_sectors(s)) return;
  Advice out = draft(s, findings::Rule::repeated_load, Metric::sectors);
  out.title = fmt::format("the first block reads each sector {} times", findings::times(times_read(s)));
  out.cause = "seen in block 0; L1 serves much of it, but each time is a request";
  bool table = s.site.pattern.kind() == measure::PatternKind::broadcast &&
               block.distinct_sectors * 32 <= constant_bytes;
  out.change =
      "let the block load a tile into shared memory, each element once, and all its warps read it there";
  if (table) out.change += "; a table that never changes, of 64 kB at most, can be in __constant__ memory";
  out.example =
      "for (int k0 = 0; k0 < n; k0 += 32) { tile[…] = a[…]; __syncthreads(); … tile[…] …; __syncthreads(); }";
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.distinct_sectors, block.sectors));
  out.after.ideal_sectors = out.after.sectors, out.asks_for_less = true;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
