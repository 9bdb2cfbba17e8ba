// The rules, one file each, and what they share: a rule makes its change to the lanes of every class of a site's warps,
// and the architecture counts the result. So the sentence, the number and the change are the same thing.
#pragma once
#include "advise/advise.h"
#include "findings/remedy.h"
#include "findings/rules.h"
#include <algorithm>
#include <bit>
#include <functional>
#include <ranges>

namespace warplens::advise::rules {

struct Subject {
  const measure::SiteRecord& site;
  const arch::Counts& counters; // of the context's architecture
  const Context& context;
};

bool returns_nothing(const measure::SiteRecord&); // an atomic whose result nobody uses

// The array as code calls it, where that is known; else "a".
std::string name_of(const Subject&);

// The access as it is in the launch: what is advised on may be several instructions of a place, in several launches.
const measure::SiteRecord& in_launch(const Subject&);

// A rule adds at most one piece of advice.
using Rule = void(const Subject&, std::vector<Advice>&);
Rule strided;        // a stride wider than the element: index order, structure of arrays, a row per thread
Rule narrow_block;   // a block that is narrower than a warp
Rule misaligned;     // consecutive, but starting inside a segment
Rule broadcast;      // one address for the warp: fine, a note
Rule scattered;      // no pattern: sort, tile
Rule scattered_copy; // an asynchronous copy whose lanes write parts of a sector to different places
Rule narrow;         // consecutive, but 1 to 8 bytes a lane: vector loads
Rule bank_conflict;  // shared memory: pad rows
Rule constant_serialised; // constant memory read at several addresses
Rule local_array;         // an array of each thread that lives in device memory
Rule spilled;             // registers that are saved in local memory; no other rule speaks of them
Rule atomics;             // lanes that update one address, or one bank, or addresses far apart
Rule divergence;          // few lanes of each warp take part
Rule left_out;            // elements of lanes that do not lie between those of others
Rule repeated;            // a block reads the same again and again: a tile
inline constexpr Rule* all[] = {
    strided,       narrow_block,        misaligned,  broadcast, scattered,  narrow,   scattered_copy,
    bank_conflict, constant_serialised, local_array, atomics,   divergence, left_out, repeated};

// What two of them would have done, as far as edits of the source can make it.
findings::Remedy remedy_of_stride(const Subject&);
findings::Remedy remedy_of_conflict(const Subject&);

// Changes one warp's lanes: their addresses, which of them take part, the space or the width.
using Change = std::function<void(access::WarpAccess&)>;
// The counts of all warps if each class's had been changed. Warps beyond the classes, in proportion.
arch::Counts predicted(const Subject&, const Change&);
// The lanes of the main class as it leaves them.
access::WarpAccess changed(const Subject&, const Change&);

// The change to an asynchronous copy that writes neighbouring elements side by side, from wherever it reads them.
Change neighbouring_destinations();

// Says what the change makes of the counts and of the lanes.
void predict(const Subject&, const Change&, Advice&);

// Of the instructions at the place of an access, in the launch, the share for which `f` holds: in 0…1 by how often they are performed.
double share_at_place(const Subject&, const std::function<bool(const measure::SiteRecord&)>& f);
// As predict() by `most`, but that share of the access changes as `some` has it.
void predict_share(const Subject&, const Change& most, double share, const Change& some, Advice&);

// The change to lane n at n times the width from an aligned start; in local memory, to one offset for all. What copies write, too.
Change consecutive(const Subject&);

// Where so many more bytes of shared memory for each block let fewer of the launch's blocks onto an SM: how many, as a clause that
// begins with a semicolon. Else nothing.
std::string cost_of_shared(const Subject&, u64 bytes);

// What of the first block is, of all blocks: an estimate where they differ.
u64 of_all_blocks(u64 all, u64 changed, u64 in_first_block);
// So many sectors, and what moves with them in proportion.
inline void set_sectors(arch::Counts& counts, u64 sectors) {
  if (counts.sectors != 0)
    counts.transaction_bytes =
        static_cast<u64>(static_cast<double>(counts.transaction_bytes) * static_cast<double>(sectors) /
                         static_cast<double>(counts.sectors));
  counts.sectors = sectors;
}
// Do threads walk along rows of their own (measure::FirstBlock)? Then `out` says to give each to a warp, or to a part of
// one, with what that costs: counted for the first block's rows, whatever their lengths.
bool say_rows_of_threads(const Subject&, Advice& out);
// Lanes go upwards, but apart, by an index that each reads: to store the elements in the order of the index. Of stores only where the
// array is read through such an index, too: else their order is the result. False: nothing is said.
bool say_renumbered(const Subject&, Advice& out);
// Do a block's stores fill the sectors that they touch, though those of a warp do not? Then `out` says to collect them in shared memory.
bool say_collected(const Subject&, Advice& out);
void say_tile_of_block(Advice& out); // what it says
// What helps where lanes go to different elements of their own local arrays.
inline constexpr std::string_view shared_index =
    "index by a loop counter that all lanes share, or keep the array in shared memory";
// What helps where threads follow links, wherever these lead.
inline constexpr std::string_view shorter_chains =
    "store the elements in the order of the steps, element k of all chains side by side, if each is in one "
    "chain. Where only the end of a chain is wanted, make chains shorter. Store the end in the elements on "
    "the way (path compression), or replace each link by the next one's in rounds (pointer jumping)";
// Each step's index is what the step before it read: to store the elements in the order of the steps, or to take fewer steps.
void say_links(const Subject&, Advice& out);
// Is it a load of the same loop that has one address for all lanes, another in each turn?
bool walks_beside(const Subject&, const measure::SiteRecord& other);
// Adds what to do instead where rows cannot be shared out, as each element follows from the one before it.
void say_recurrence(const Subject&, Advice& out);
// Does the kernel store about as many values as it loads from the array? Then they are not combined.
bool stores_as_many(const Subject&);
inline constexpr u64 shortest_row_of_thread = 4; // elements, on average: a thread takes as many at once
inline bool is_heap(const Subject& s) { return s.site.site.array.kind == access::ArrayKind::heap; }
// Does each thread have an array of its own: from malloc(), or through a pointer that it alone reads?
bool threads_have_arrays(const Subject&);
// Is an access of the kernel to the same array one whose lanes are side by side? In another order of indices it would not be.
bool has_coalesced_access(const Subject&);
// "a[k*count + i] instead of a[8*i + k]", for rows or structures of so many bytes.
std::string other_way_round(const Subject&, u64 row);
// To put them into one, element by element.
void say_interleaved(const Subject&, Advice& out);
inline constexpr u64 largest_structure = 64; // bytes; beyond, a stride is rather a row
inline constexpr u64 largest_vector = 16;
// The type of the n-th parameter of a function, as "void k<f(x)>(view<int, right>, int*)" has it; empty where there is none.
std::string_view parameter_type(std::string_view function, u32 n);
// What the array is declared as one of, as far as the kernel's name tells, or the source; else empty.
std::string_view element_type(const Subject&);
// Is the array declared as one of numbers, or of structures? As far as these tell.
bool has_numbers(const Subject&);
bool has_structures(const Subject&);
// Do the accesses of the thread that go to the array of `s` make up whole vectors of so many bytes, each of which begins where a vector
// may, in all warps that were recorded? `only_here`: those of one place in the source.
bool are_whole_vectors(const Subject&, u64 bytes, bool only_here);
// The bytes that divide all distances between lanes of a warp, in every class; 0 where too few lanes tell.
u64 row_of_column(const Subject&);
// Counts each access as its part of one that moves so many bytes of each lane, from where such a vector begins.
void predict_at_once(const Subject&, u64 bytes, Advice& out);
// Do lanes, wherever they go, move a small structure member by member? Then `out` says to move it at once, counted for the lanes.
// `only_here`: by accesses of one place in the source.
bool say_vector_of_gather(const Subject&, bool only_here, Advice& out);
// Do threads that follow links read several members of each node? Then `out` says to read a node at once, counted for nodes that are
// padded to the size of a vector.
bool say_vector_of_node(const Subject&, Advice& out);
// Does each lane load and store nothing of the array but a structure of its own, again in each round of a loop? How many requests of the
// first block are those of one round; else 0.
u64 requests_of_own_structure(const Subject&);
// The bytes from one element to the next: in rows of so many bytes, the access's width where nothing tells of structures; and of
// structures that lie so far apart from lane to lane, or in parts of it.
u64 element_in_row(const Subject&, u64 row);
u64 structure_of(const Subject&, u64 stride);
// Do threads compute the cells of a table along its diagonals, from those above and beside them?
bool follows_diagonals(const Subject&, u64 stride);
// To store it by diagonals: whichever index lanes follow, they step over a row and a cell.
void say_diagonals(const Subject&, u64 stride, Advice& out);
// Where lane 0 goes, or would, modulo arch::address_period.
i64 start_of_lanes(const measure::WarpClass&);
// What to do about a reduction whose step doubles from round to round; `what`: words of a bank, elements of an array.
std::string largest_step_first(std::string_view what);
// Atomics that the data send anywhere: to copies of the table. `by_itself`: what hardware does where the assembler combines
// lanes. False where there is nothing to say.
bool spread_atomics(const Subject&, const std::optional<arch::Counts>& by_itself, std::vector<Advice>&);
// Does the assembler make a loop of loads and compare-and-swaps of this operation, where it is on shared memory?
bool loops_in_shared(const access::Site&);
// Adds to a change that combines lanes what becomes of the rest in shared memory.
void say_loop_in_shared(const access::Site&, Advice& out);
// Are lanes side by side, but for some that are turns of a loop ahead, whole widths of a warp? Not where all are.
bool in_other_turns(const Subject&);
// Do the data send lanes to one place of rows each? Then `out` says to make neighbours of these, by the other order of indices, if that
// leaves clearly fewer sectors: counted for the warps of every class.
bool say_column(const Subject&, Advice& out);
// The lanes of a warp that go along one row, where each 4, 8 or 16 have a row of their own; else 0.
u32 lanes_of_row(const measure::SiteRecord&);
// How often the first block asks for each sector of these loads, on average; 0 where it was not followed.
double times_read(const Subject&);
// How often in a row a warp of the first block asks for the same words with these loads or stores, on average; 0 where it was not
// followed.
double times_in_a_row(const Subject&);
inline constexpr double often = 4; // from there on it is worth a word

// The class that costs most beyond need, or the most frequent; the site has one.
const measure::WarpClass& main_class(const Subject&);
// Where its first active lane goes, within a structure or a row of so many bytes.
inline u64 place_in(const measure::WarpClass& c, u64 stride) {
  return c.example.address[static_cast<u32>(std::countr_zero(c.example.active))] % stride;
}
inline bool is_sibling(const Subject& s, const measure::SiteRecord& other) {
  return !(other.site.id == s.site.site.id) && other.space == s.site.space &&
         other.site.kind == s.site.site.kind && other.site.bytes == s.site.site.bytes &&
         other.site.function == s.site.site.function && !other.distribution.classes.empty();
}
// Is it not known that it goes to another array?
inline bool may_be_of_array(const Subject& s, const measure::SiteRecord& other) {
  const access::Array &one = s.site.site.array, &another = other.site.array;
  return one.kind == access::ArrayKind::unknown || another.kind == access::ArrayKind::unknown ||
         one == another;
}
inline bool same_place(const access::Site& a, const access::Site& b) {
  return !a.frames.empty() && a.frames == b.frames;
}
// The launch's accesses in the function of `s`, itself among them; none where no launch is known. `s` outlives what these return.
inline auto in_function(const Subject& s) {
  static const std::vector<measure::SiteRecord> none;
  return (s.context.launch == nullptr ? none : s.context.launch->record().sites) |
         std::views::filter(
             [&s](const measure::SiteRecord& other) { return other.site.function == s.site.site.function; });
}
// Of these the others that ran, in the same space, of the same kind and width.
inline auto siblings(const Subject& s) {
  return in_function(s) |
         std::views::filter([&s](const measure::SiteRecord& other) { return is_sibling(s, other); });
}
inline Turns turns_by_code(const Subject& s, const measure::SiteRecord& other) {
  return s.context.launch == nullptr ? Turns::counted : s.context.launch->turns(other.site.id);
}
// Those at the place of `s`, of its kind and to its array: what is advised on may be several.
inline auto at_place(const Subject& s) {
  return in_function(s) | std::views::filter([&s](const measure::SiteRecord& other) {
           return other.space == s.site.space && other.site.kind == s.site.site.kind &&
                  other.site.array == s.site.site.array &&
                  (other.site.id == s.site.site.id || same_place(other.site, s.site.site));
         });
}
// Those to the array of `s`, where it is known which array that is.
inline auto to_array(const Subject& s) {
  return in_function(s) | std::views::filter([&s](const measure::SiteRecord& other) {
           return s.site.site.array.kind != access::ArrayKind::unknown && other.space == s.site.space &&
                  other.site.array == s.site.site.array;
         });
}
// Those that ran and have this stride, whatever else they are.
inline auto of_stride(const Subject& s, u64 stride) {
  static const std::vector<const measure::SiteRecord*> none;
  return (s.context.launch == nullptr ? none : s.context.launch->of_stride(stride)) |
         std::views::transform(
             [](const measure::SiteRecord* other) -> const measure::SiteRecord& { return *other; }) |
         std::views::filter(
             [&s](const measure::SiteRecord& other) { return other.site.function == s.site.site.function; });
}

// Does another access of the kernel do the same work from an aligned start? Of the same array where that is known, with about
// as many lanes in each warp: those at the border have no neighbour. (What is advised on may be several instructions of a
// line.)
bool has_aligned_twin(const Subject&);
// The note for an access that reads its neighbours' elements. `has_twin`: because another one is aligned; else a loop goes over them.
Advice halo(const Subject&, bool has_twin);

bool is_device(access::Space);
bool reads(access::Kind); // from where its lanes go: a load, an asynchronous copy
// Does the architecture move larger pieces than the touched sectors? Only up to 3.x.
bool moves_more_than_sectors(const Subject&);
Advice draft(const Subject&, findings::Rule, Metric metric);

} // namespace warplens::advise::rules
