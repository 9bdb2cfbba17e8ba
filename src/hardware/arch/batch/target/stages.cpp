// Passes of the L1's tag and data stages (rules/l1_stages.h), warp by warp.
//
// The lines of one tag set are served one a pass, in the order in which lanes first want them: the n-th line of each of
// the four sets makes the n-th pass. So the lanes' order matters only for the order of lines, and of a line one needs
// to know the words that are wanted of it, one bit each: a word's place in its line is its bank. How many words of a
// pass meet in a bank is then how often a bit is set in at most four masks, which is an addition of bits.
//
// A reduction or an atomic serves each address of a line for one lane a pass. So what takes a pass is a line's n-th *serving*: it
// serves every lane before which n lanes have its address. A set takes its servings in the order of their first lanes, as it
// takes lines. So a lane whose address n lanes had before goes to its line's n-th serving, and the rest is the same.
#include "arch/batch/target/lanes.h"
#include "arch/rules/l1_stages.h"

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using access::Kind;

// How often the bit that is set most often is set in four masks.
[[gnu::always_inline]] inline u32 most_often_set(u32 a, u32 b, u32 c, u32 d) {
  u32 ones = a ^ b ^ c ^ d, carry = (a ^ b) & (c ^ d);
  u32 twos = (a & b) ^ (c & d) ^ carry, fours = a & b & c & d;
  return u32{(ones | twos | fours) != 0} + u32{(twos | fours) != 0} + u32{((twos & ones) | fours) != 0} +
         u32{fours != 0};
}

// The same of any number of masks up to 63, added one by one.
struct BitCounts {
  u32 plane[6] = {};
  [[gnu::always_inline]] void add(u32 mask) {
    for (u32& bits : plane) {
      u32 carry = bits & mask;
      bits ^= mask;
      mask = carry;
    }
  }
  [[gnu::always_inline]] u32 most() const {
    u32 candidates = ~u32{0}, most = 0;
    for (u32 n = 6; n-- > 0;)
      if ((candidates & plane[n]) != 0) {
        candidates &= plane[n];
        most |= u32{1} << n;
      }
    return most;
  }
};

// The lines that lanes want, by tag set. `groups`: of lanes that the data stage takes one after the other; a word
// of 4 bytes or less makes one, a wider one as many as it has words of 4 bytes.
template <u32 groups> struct Lines {
  u32 count[4] = {};
  u32 words[groups][4][warp_size] = {}; // that are wanted of a set's n-th line, a bit each

  [[gnu::always_inline]] u32 most() const {
    u32 most = 0;
    for (u32 n : count) most = most < n ? n : most;
    return most;
  }

  // What the passes from `first` on take in the data stage, each alone.
  [[gnu::always_inline]] u32 data_passes(u32 first, u32 passes) const {
    u32 sum = 0;
    for (u32 g = 0; g < groups; ++g)
      for (u32 n = first; n < passes; ++n)
        sum += most_often_set(words[g][0][n], words[g][1][n], words[g][2][n], words[g][3][n]);
    return sum;
  }

  // What the first `passes` take when they go through together.
  [[gnu::always_inline]] u32 data_passes_together(u32 passes) const {
    u32 sum = 0;
    for (u32 g = 0; g < groups; ++g) {
      u32 once = 0, again = 0;
      for (u32 n = 0; n < passes; ++n)
        for (u32 set = 0; set < 4; ++set) again |= once & words[g][set][n], once |= words[g][set][n];
      if (again == 0) {
        sum += once != 0;
        continue;
      }
      BitCounts bits;
      for (u32 set = 0; set < 4; ++set)
        for (u32 n = 0; n < smaller(passes, count[set]); ++n) bits.add(words[g][set][n]);
      sum += bits.most();
    }
    return sum;
  }
};

// What there is to know of each lane, worked out for all at once.
struct Lanes {
  alignas(
      64) u32 line[warp_size]; // its number's lower half, which tells lines apart that are near each other
  alignas(64) u32 set[warp_size];
  alignas(64) u32 slot[warp_size]; // of a table that most lines have to themselves
  alignas(64) u32 bits[warp_size]; // its words in their line

  [[gnu::always_inline]] Lanes(const u64* address, u32 width) {
    for (u32 l = 0; l < warp_size; ++l) line[l] = static_cast<u32>(address[l] >> 7);
    for (u32 l = 0; l < warp_size; ++l) bits[l] = ((u32{1} << width) - 1) << (address[l] >> 2 & 31);
    for (u32 l = 0; l < warp_size; ++l) slot[l] = (line[l] ^ line[l] >> 8) & 255;
    for (u32 l = 0; l < warp_size; ++l) { // tag_set(), both halves side by side
      u32 low = line[l] & static_cast<u32>(tag_set_low), high = line[l] & static_cast<u32>(tag_set_high);
      u32 both = ((low ^ low >> 16) & 0xffff) | (high ^ high << 16) >> 16 << 16;
      both ^= both >> 8, both ^= both >> 4, both ^= both >> 2, both ^= both >> 1;
      set[l] = (both & 1) | (both >> 15 & 2);
    }
  }
};

// Lanes before `lane` with its address.
[[gnu::always_inline]] inline u32 same_before(const StagedWarp& w, u32 lane) {
  u32 same = 0;
  for (u32 l = 0; l < lane; ++l) same += u32{w.address[l] == w.address[lane]} & w.lanes >> l;
  return same;
}

// Sorts the lanes' words into lines, or into servings of lines where lanes of one address wait for each other.
template <u32 groups>
[[gnu::always_inline]] inline void gather(const StagedWarp& w, const Lanes& lanes, Lines<groups>& lines) {
  const bool one_by_one = is_atomic(w.kind);
  u8 latest[256] = {};         // per slot, a lane and one
  u8 again[4][warp_size] = {}; // the next serving of the same line
  u32 place[warp_size];        // of a lane's line in its set
  for (u32 rest = w.lanes; rest != 0; rest &= rest - 1) {
    u32 l = first_lane(rest), set = lanes.set[l], g = l * groups / warp_size, like = latest[lanes.slot[l]];
    if (like != 0 && lanes.line[like - 1] != lanes.line[l]) { // a stranger's slot: look at all before
      like = 0;
      for (u32 before = w.lanes & (rest ^ (rest - 1)) >> 1; before != 0; before &= before - 1)
        if (lanes.line[first_lane(before)] == lanes.line[l]) like = first_lane(before) + 1;
    }
    place[l] = like != 0 ? place[like - 1] : lines.count[set]++;
    latest[lanes.slot[l]] = static_cast<u8>(l + 1);
    u32 serving = place[l], wanted = 0;
    for (u32 other = 0; other < groups; ++other) wanted |= lines.words[other][set][serving] & lanes.bits[l];
    if (one_by_one && wanted != 0)
      for (u32 waits = same_before(w, l); waits != 0; --waits) {
        u8& next = again[set][serving];
        if (next == 0) next = static_cast<u8>(lines.count[set]++);
        serving = next;
      }
    lines.words[g][set][serving] |= lanes.bits[l];
  }
}

// Where lanes' addresses differ; false where the kernel does not apply: misaligned, or more than 2^39 bytes apart.
template <bool all_lanes> [[gnu::always_inline]] inline bool look(const StagedWarp& w, u64& differ) {
  u64 leader = w.address[first_lane(w.lanes)], apart = 0;
  for (u64 lane = 0; lane < warp_size; ++lane) {
    u64 in = all_lanes ? ~u64{0} : -(u64{w.lanes} >> lane & 1);
    apart |= (w.address[lane] ^ leader) & in;
  }
  differ = apart;
  return (apart >> 39) == 0 && ((leader | apart) & ((u64{1} << w.shift) - 1)) == 0;
}

template <u32 groups> [[gnu::always_inline]] inline StagePasses one_line(const StagedWarp& w) {
  constexpr u32 lanes = warp_size / groups, group = ~u32{0} >> (warp_size - lanes);
  u32 taken = 0;
  for (u32 g = 0; g < groups; ++g) taken += (w.lanes >> (g * lanes) & group) != 0;
  return {1, taken};
}

// An aligned quad of lines, each of them in a tag set of its own.
template <u32 groups> [[gnu::always_inline]] inline StagePasses one_quad(const StagedWarp& w) {
  u32 words[groups][4] = {}, sum = 0;
  for (u32 rest = w.lanes; rest != 0; rest &= rest - 1) {
    u32 lane = first_lane(rest);
    u64 at = w.address[lane];
    words[lane * groups / warp_size][at >> 7 & 3] |= ((u32{1} << groups) - 1) << (at >> 2 & 31);
  }
  for (const u32(&of)[4] : words) sum += most_often_set(of[0], of[1], of[2], of[3]);
  return {1, sum};
}

template <u32 groups>
[[gnu::always_inline]] inline StagePasses passes_of_lines(const StagedWarp& w, const Lines<groups>& lines) {
  StagePasses out{lines.most(), 0};
  u32 first = 0;
  if (w.kind == Kind::store) {
    first = smaller(out.tag, passes_together(u32{1} << w.shift));
    out.data = lines.data_passes_together(first);
  }
  out.data += lines.data_passes(first, out.tag);
  return out;
}

template <u32 groups> [[gnu::always_inline]] inline bool stages(const StagedWarp& w, StagePasses& out) {
  u64 differ;
  if (!(w.lanes == full_mask ? look<true>(w, differ) : look<false>(w, differ))) return false;
  bool atomic = is_atomic(w.kind);
  u32 factor = w.kind == Kind::atomic ? 2 : 1;
  if (differ < 128 && !atomic) {
    out = one_line<groups>(w);
    return true;
  }
  if (differ < 512 && !atomic) {
    out = one_quad<groups>(w);
    return true;
  }
  if (differ == 0) { // one address, a lane a pass
    out = {ones(w.lanes), ones(w.lanes) * factor};
    return true;
  }
  Lanes lanes(w.address, groups);
  Lines<groups> lines;
  gather(w, lanes, lines);
  out = passes_of_lines(w, lines);
  out.data *= factor;
  return true;
}

} // namespace

bool count_stages_of_warp(const StagedWarp& w, StagePasses& out) {
  switch (w.shift) {
  case 3: return stages<2>(w, out);
  case 4: return stages<4>(w, out);
  case 5: return stages<8>(w, out);
  default: return stages<1>(w, out);
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
