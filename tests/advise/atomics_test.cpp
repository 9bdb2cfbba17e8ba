// Rules on atomics: what the assembler combines, what waits, copies of tables, and stores that a block can sort.
#include "advise/built.h"
#include "arch/waits.h"

namespace warplens::advise {
namespace {

TEST(Advise, AtomicsByWhatTheyDo) {
  auto atomic = [](Space space, Kind kind, std::string opcode, auto&& address) {
    Built out = site(space, kind, 4, address);
    out.site.site.opcode = std::move(opcode);
    return out;
  };
  auto one = [](u32) { return u64{0}; };
  Built counter = atomic(Space::global, Kind::reduction, "red.global.add.u32", one);
  EXPECT_EQ(only(advise(counter.site, counter.context)).rule, findings::Rule::combined_atomic);
  EXPECT_EQ(only(advise(counter.site, counter.context)).gain(), 1.0);
  Built floats = atomic(Space::global, Kind::reduction, "red.global.add.f32", one);
  Advice sum = only(advise(floats.site, floats.context));
  EXPECT_EQ(sum.rule, findings::Rule::same_address_atomic);
  EXPECT_EQ(sum.example.find("__reduce_add_sync"), std::string::npos) << "there is none for floats";
  Built pairs =
      atomic(Space::shared, Kind::atomic, "atom.shared.max.u32", [](u32 l) { return u64{l / 2} * 4; });
  EXPECT_EQ(only(advise(pairs.site, pairs.context)).after.wavefronts, 100u);
  EXPECT_NE(only(advise(pairs.site, pairs.context)).change.find("__match_any_sync"), std::string::npos);
  Built bins =
      atomic(Space::global, Kind::reduction, "red.global.add.u32", [](u32 l) { return u64{l} * l * 64; });
  EXPECT_EQ(only(advise(bins.site, bins.context)).rule, findings::Rule::contended_atomic);
}

TEST(Advise, AtomicsThatWait) {
  auto atomic = [](Space space, u32 bytes, std::string opcode, auto&& address) {
    Built out = site(space, Kind::atomic, bytes, address);
    out.site.site.opcode = std::move(opcode);
    return out;
  };
  auto one = [](u32) { return u64{0}; };
  Built floats = atomic(Space::global, 4, "atom.global.add.f32", one);
  const arch::Architecture& hopper = *floats.context.architecture;
  Advice sum = only(advise(floats.site, floats.context));
  EXPECT_EQ(sum.after.threads, 100u);
  EXPECT_EQ(sum.wait_cycles, 3100u * arch::word_updates(hopper).in_l2 * hopper.part.multiprocessors);
  EXPECT_NE(sum.change.find("of a block in shared memory first"), std::string::npos) << sum.change;
  Built apart = floats; // each warp has a word of its own: what is saved there is what it waits
  apart.site.distribution.busiest_word = 32;
  EXPECT_EQ(only(advise(apart.site, apart.context)).wait_cycles,
            31u * arch::word_updates(hopper).in_l2 * hopper.part.multiprocessors);
  Built wide = atomic(Space::global, 8, "atom.global.add.u64", one);
  EXPECT_EQ(only(advise(wide.site, wide.context)).rule, findings::Rule::same_address_atomic)
      << "there is no REDUX of 64 bits";
  EXPECT_NE(only(advise(wide.site, wide.context)).change.find("__shfl_down_sync"), std::string::npos);
  Built shared = atomic(Space::shared, 4, "atom.shared.add.f32", [](u32 l) { return u64{l % 4} * 4; });
  EXPECT_EQ(only(advise(shared.site, shared.context)).wait_cycles, 0u) << "its passes are counted";
  shared.site.site.timing_dependent = access::Timing::retry; // a loop, in no sum
  EXPECT_EQ(only(advise(shared.site, shared.context)).wait_cycles,
            2800u * arch::word_updates(hopper).in_loop);
  Built machine = atomic(Space::global, 4, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", one);
  EXPECT_NE(only(advise(machine.site, machine.context)).change.find("__shfl_down_sync"), std::string::npos)
      << "no instruction reduces floats of a warp";
  Built swap = atomic(Space::global, 4, "ATOMG.E.EXCH.STRONG.GPU", one);
  EXPECT_TRUE(advise(swap.site, swap.context).empty());
  Built exchange = atomic(Space::global, 4, "atom.global.exch.b32", one);
  EXPECT_TRUE(advise(exchange.site, exchange.context).empty()) << "their values cannot become one";
}

TEST(Advise, WarpsOfABlockThatMeet) {
  Built warps = site(
      Space::global, Kind::reduction, 4, [](u32) { return u64{64}; }, 8000);
  warps.site.site.opcode = "red.global.add.f32";
  access::WarpAccess lane = warps.site.distribution.classes[0].example;
  lane.active = 1;
  warps.site.distribution.classes = {measure::class_of(lane, 8000, *warps.context.architecture)};
  warps.site.counters[0].threads = 8000;
  measure::FirstBlock& block = warps.site.distribution.first_block;
  block.requests = block.sectors = block.lanes = 8, block.words = 1;
  Advice one = only(advise(warps.site, warps.context));
  EXPECT_EQ(one.rule, findings::Rule::same_address_atomic);
  EXPECT_EQ(one.after.threads, 1000u);
  EXPECT_NE(one.change.find("let one thread of the block"), std::string::npos) << one.change;
  EXPECT_EQ(one.wait_cycles, 7000u * arch::word_updates(*warps.context.architecture).in_l2 *
                                 warps.context.architecture->part.multiprocessors);
  block.words = 4;
  EXPECT_TRUE(advise(warps.site, warps.context).empty()) << "two warps for each word";
  block.words = 1;
  warps.site.counters[0].threads = warps.site.counters[0].instructions = 800;
  EXPECT_TRUE(advise(warps.site, warps.context).empty()) << "a launch takes longer than so few updates";
}

TEST(Advise, AResultThatNobodyReadsLetsTheAssemblerCombine) {
  Built tickets = site(Space::global, Kind::atomic, 4, [](u32) { return u64{0}; });
  tickets.site.site.opcode = "atom.global.add.u32";
  Advice used = only(advise(tickets.site, tickets.context));
  EXPECT_EQ(used.rule, findings::Rule::same_address_atomic);
  EXPECT_NE(used.change.find("the sum of the lanes before it"), std::string::npos) << used.change;
  EXPECT_FALSE(used.by_itself);
  tickets.site.result_unused = true;
  Advice unused = only(advise(tickets.site, tickets.context));
  EXPECT_EQ(unused.rule, findings::Rule::combined_atomic);
  EXPECT_EQ(unused.wait_cycles, 0u);
  ASSERT_TRUE(unused.by_itself);
  EXPECT_EQ(unused.by_itself->threads, 100u);
  for (const char* opcode : {"atom.global.max.s32", "atom.global.min.u32", "atom.global.or.b32"}) {
    tickets.site.site.opcode = opcode;
    EXPECT_EQ(only(advise(tickets.site, tickets.context)).rule, findings::Rule::combined_atomic) << opcode;
  }
}

// ATOMS.POPC.INC counts lanes of one word together; only the words of one bank wait for one another.
TEST(Advise, AddsOfOneInSharedMemory) {
  Built bins = site(Space::shared, Kind::reduction, 4, [](u32 l) { return u64{l % 4} * 128; });
  bins.site.site.opcode = "red.shared.add.u32";
  Advice other = only(advise(bins.site, bins.context));
  EXPECT_EQ(other.rule, findings::Rule::contended_atomic)
      << "one lane for each word would leave the bank its four words";
  EXPECT_FALSE(other.by_itself) << "what is added is not known";
  bins.site.adds_one = true;
  std::vector<Advice> list = advise(bins.site, bins.context);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].rule, findings::Rule::contended_atomic);
  EXPECT_EQ(list[0].before.wavefronts, 400u);
  EXPECT_EQ(list[0].after.wavefronts, 100u);
  EXPECT_EQ(list[1].rule, findings::Rule::combined_atomic);
  ASSERT_TRUE(list[1].by_itself);
  EXPECT_EQ(list[1].by_itself->wavefronts, 400u);
  bins.site.site.kind = Kind::atomic; // whose result is used
  EXPECT_FALSE(only(advise(bins.site, bins.context)).by_itself);
}

TEST(Advise, CopiesAreForWhatCombiningLeaves) {
  Built pairs = site(Space::shared, Kind::reduction, 4, [](u32 l) { return u64{l / 4} * 4; });
  pairs.site.site.opcode = "red.shared.max.s32";
  EXPECT_EQ(only(advise(pairs.site, pairs.context)).rule, findings::Rule::contended_atomic);
  Built sorted = site(Space::global, Kind::reduction, 4, [](u32 l) { return u64{l / 4} * 4; });
  sorted.site.site.opcode = "red.global.add.f32";
  sorted.site.counters[0].bytes_used = 100 * 4 * 9; // of other warps, more than the example's eight words
  measure::FirstBlock& block = sorted.site.distribution.first_block;
  block.requests = 8, block.sectors = block.lanes = 256, block.words = 70;
  Advice combined = only(advise(sorted.site, sorted.context));
  EXPECT_EQ(combined.rule, findings::Rule::contended_atomic)
      << "a copy for each block would leave 875 of 3200";
  EXPECT_EQ(combined.after.threads, 900u);
  block.words = 32;
  EXPECT_EQ(only(advise(sorted.site, sorted.context)).rule, findings::Rule::contended_atomic)
      << "400 of 3200";
}

// A block updates few words, and lanes of a warp meet there: a copy takes all of it, but for floats it is a loop, in which
// lanes of one word go one after the other.
TEST(Advise, CopiesOfFloatsAreUpdatedInALoop) {
  auto table = [](std::string opcode, u32 bytes, u32 words) {
    Built out = site(Space::global, Kind::reduction, bytes, [=](u32 l) { return u64{l * 7 % words} * 64; });
    out.site.site.opcode = std::move(opcode);
    measure::FirstBlock& block = out.site.distribution.first_block;
    block.requests = 1000, block.sectors = block.lanes = 32'000, block.words = words;
    return out;
  };
  const Built integers = table("red.global.add.s32", 4, 8), floats = table("red.global.add.f32", 4, 8),
              wide = table("red.global.max.u64", 8, 8);
  const auto change = [](const Built& one) { return only(advise(one.site, one.context)).change; };
  EXPECT_EQ(change(integers).find("loop of loads"), std::string::npos);
  EXPECT_TRUE(change(integers).starts_with("update a copy of the table")) << change(integers);
  for (const Built& one : {floats, wide}) {
    EXPECT_TRUE(change(one).starts_with("find the lanes of each address")) << change(one);
    EXPECT_NE(change(one).find("is a loop of loads and compare-and-swaps"), std::string::npos) << change(one);
  }
  // Lanes that go to words of their own have nothing to combine: the copy is right, and its loop is weighed.
  const Built apart = table("red.global.add.f32", 4, 32), whole = table("red.global.add.s32", 4, 32);
  EXPECT_TRUE(change(apart).starts_with("update a copy of the table")) << change(apart);
  EXPECT_NE(change(apart).find("an atomic of floats in shared memory is a loop"), std::string::npos);
  const auto alone = [](const Built& one) { // words are few, and updates many
    Built many = one;
    for (arch::Counts* counts : {&many.site.counters[0], &many.site.distribution.classes[0].counts})
      *counts *= 10;
    many.site.distribution.classes[0].warps *= 10;
    return only(advise(many.site, many.context)).wait_cycles;
  };
  EXPECT_EQ(alone(whole) - alone(apart), 32'000u * arch::word_updates(*apart.context.architecture).in_loop);
}

// What a copy for each block saves in waiting is of the word that has most, where that is known.
TEST(Advise, TheBusiestWordSaysHowLongCopiesAreWaitedFor) {
  Built bins = site(
      Space::global, Kind::reduction, 4, [](u32 l) { return u64{l * 7 % 32} * 64; }, 1000);
  bins.site.site.opcode = "red.global.add.u32";
  measure::FirstBlock& block = bins.site.distribution.first_block;
  block.requests = 100, block.sectors = block.lanes = 3200, block.words = 32;
  const auto wait = [&] { return only(advise(bins.site, bins.context)).wait_cycles; };
  const u64 as_if_alike = wait();
  for (const u64 times : {2, 8}) { // as often as the words of block 0 on average
    bins.site.distribution.busiest_word = times * 1000;
    bins.site.distribution.busiest_is_bound = false;
    EXPECT_NEAR(static_cast<double>(wait()), static_cast<double>(times * as_if_alike),
                static_cast<double>(as_if_alike) / 100);
    bins.site.distribution.busiest_is_bound = true;
    EXPECT_EQ(wait(), as_if_alike) << "a bound says nothing of the word";
  }
}

// Shared memory that keeps blocks off an SM is said, not what fits beside them, nor of a grid too small to fill it.
TEST(Advise, WhatACopyInSharedMemoryTakes) {
  Built bins = site(
      Space::global, Kind::reduction, 4, [](u32 l) { return u64{l * 7 % 32} * 64; }, 1000);
  bins.site.site.opcode = "red.global.add.u32";
  measure::FirstBlock& block = bins.site.distribution.first_block;
  block.requests = 4000, block.sectors = block.lanes = 128'000, block.words = 32;
  measure::LaunchRecord launch = launch_of({&bins});
  launch.grid = {4000, 1, 1}, launch.block = {256, 1, 1};
  const auto change = [&](u64 words) {
    block.span = launch.sites[0].distribution.first_block.span = words;
    return only(advise_in(bins, launch)).change;
  };
  EXPECT_NE(change(10'000).find("it takes 40 kB of shared memory, with which 5 instead of 8 blocks fit"),
            std::string::npos)
      << change(10'000);
  EXPECT_EQ(change(1000).find("instead of"), std::string::npos) << change(1000);
  launch.registers = 64; // four blocks
  EXPECT_EQ(change(10'000).find("instead of"), std::string::npos) << change(10'000);
  launch.shared_bytes = 30 << 10;
  EXPECT_NE(change(10'000).find("with which 3 instead of 4 blocks"), std::string::npos) << change(10'000);
  launch.grid = {132, 1, 1};
  EXPECT_EQ(change(10'000).find("instead of"), std::string::npos) << change(10'000);
}

TEST(Advise, CopiesOfATableInSharedMemory) {
  Built bins = site(Space::shared, Kind::atomic, 4, [](u32 l) { return u64{l * 7919 % 101} * 4; });
  bins.site.site.opcode = "atom.shared.add.u32";
  const u64 before = bins.site.counters[0].wavefronts;
  Advice copies = only(advise(bins.site, bins.context));
  EXPECT_EQ(copies.rule, findings::Rule::contended_atomic);
  EXPECT_EQ(copies.before.wavefronts, before);
  EXPECT_EQ(copies.after.wavefronts, 100u);
  EXPECT_NE(copies.change.find("keep 32 copies"), std::string::npos) << copies.change;
  EXPECT_NE(copies.change.find("with 4 copies, "), std::string::npos) << copies.change;
}

// Copies of structures keep the conflicts of lanes that are structures apart.
TEST(Advise, ATableOfStructuresBecomesOneOfEachMember) {
  for (const u64 element : {u64{8}, u64{16}})
    for (const bool in_order : {true, false}) {
      Built sums = site(Space::shared, Kind::atomic, 4,
                        [=](u32 l) { return u64{in_order ? l : l * 7919 % 101} * element + 4; });
      sums.site.site.opcode = "atom.shared.max.s32";
      const Advice advice = only(advise(sums.site, sums.context));
      EXPECT_NE(advice.change.find("one array per member"), std::string::npos) << advice.change;
      EXPECT_EQ(advice.change.find("copies") != std::string::npos, !in_order) << advice.change;
      EXPECT_EQ(advice.after.wavefronts, 100u);
    }
}

TEST(Advise, ACopyOfATableForEachBlock) {
  Built bins = site(Space::global, Kind::reduction, 4, [](u32 l) { return u64{l} * l * 64; });
  bins.site.site.opcode = "red.global.add.u32";
  measure::FirstBlock& block = bins.site.distribution.first_block;
  block.requests = 10, block.sectors = block.lanes = 320, block.words = 64;
  Advice copy = only(advise(bins.site, bins.context));
  EXPECT_EQ(copy.rule, findings::Rule::contended_atomic);
  EXPECT_EQ(copy.after.threads, 640u) << "of 3200, a fifth";
  EXPECT_NE(copy.title.find("each word 5 times"), std::string::npos) << copy.title;
  block.span = 100;
  EXPECT_EQ(only(advise(bins.site, bins.context)).after.threads, 640u) << "what lies between is left out";
  block.span = 5000;
  Advice wide = only(advise(bins.site, bins.context));
  EXPECT_EQ(wide.gain(), 1.0);
  EXPECT_NE(wide.change.find("5000 words to clear"), std::string::npos) << wide.change;
  block.words = 310, block.span = 0;
  Advice none = only(advise(bins.site, bins.context));
  EXPECT_EQ(none.gain(), 1.0);
  EXPECT_NE(none.change.find("fits, but has 310 words to clear and to add up, for 320 updates: let each "
                             "block take more elements"),
            std::string::npos)
      << none.change;
  block.lanes = block.sectors = 200'000, block.words = 20'000;
  const auto change = [&](u32 sm) {
    bins.context.architecture = arch::find(sm);
    return only(advise(bins.site, bins.context)).change;
  };
  EXPECT_NE(change(90).find("49.2 kB of it are dynamic, as cudaFuncSetAttribute allows"), std::string::npos)
      << change(90);
  EXPECT_NE(change(60).find("(80 kB of shared memory) does not fit in the 49.2 kB"), std::string::npos)
      << change(60);
  block.words = 60'000;
  EXPECT_NE(change(90).find("(240 kB of shared memory) does not fit in the 232 kB"), std::string::npos)
      << change(90);
}

// Data that happen to lead lanes in steps are data all the same: known by the index that is loaded.
TEST(Advise, AnIndexThatIsLoadedNeedsNoPattern) {
  for (const u64 warps : {100, 200}) { // 200: 6400 updates, 20 of each word
    Built bins = site(
        Space::global, Kind::reduction, 4, [](u32 l) { return u64{l} * 220 % 1024; }, warps);
    bins.site.site.opcode = "red.global.add.u32";
    measure::FirstBlock& block = bins.site.distribution.first_block;
    block.requests = 10, block.lanes = 320, block.words = 310, block.sectors = 320;
    EXPECT_TRUE(advise(bins.site, bins.context).empty());
    bins.site.loads_index = true;
    const std::size_t at =
        only(advise(bins.site, bins.context)).change.find("let each block take more elements");
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(at == 0, warps == 200) << "so few words are worth a copy before all else";
  }
}

// An unrolled loop is several instructions, and their sum has as many tables.
TEST(Advise, ACopyIsAsLargeAsOneTable) {
  Built bins = site(Space::global, Kind::reduction, 8, [](u32 l) { return u64{l} * l * 64; });
  bins.site.site.opcode = "red.global.add.f64";
  measure::FirstBlock& block = bins.site.distribution.first_block;
  block.requests = 16, block.sectors = block.lanes = 512, block.words = 480, block.span = 4096;
  const measure::LaunchRecord launch = launch_of({&bins});
  block *= 4;
  const Advice sort = only(advise_in(bins, launch));
  EXPECT_NE(
      sort.change.find("a copy for each block (32.8 kB of shared memory) fits, but has 4096 words to clear "
                       "and to add up, for 512 updates: let each block take more elements"),
      std::string::npos)
      << sort.change;
}

// Each thread updates a row of a matrix, element by element: so many lanes share the row, as they do where rows are loaded.
TEST(Advise, RowsThatThreadsUpdate) {
  for (const bool at_random : {true, false}) {
    Built rows = site(Space::global, Kind::reduction, 4,
                      [=](u32 l) { return u64{at_random ? l * 37 % 101 : l} * 64; });
    rows.site.site.opcode = "red.global.add.f32";
    measure::FirstBlock& block = rows.site.distribution.first_block;
    block.requests = 16, block.sectors = block.lanes = block.words = 512;
    block.rows = 32, block.row_elements = 512, block.row_lanes = 16;
    block.by_rows.instructions = block.by_rows.requests = 16, block.by_rows.sectors = 64;
    const Advice advice = advise(rows.site, rows.context).at(0);
    EXPECT_EQ(advice.way, Way::row_per_warp);
    EXPECT_EQ(advice.after.sectors, 400u) << advice.change;
    EXPECT_EQ(advice.change.find("combine what they found"), std::string::npos) << advice.change;
    block.rows = 0;
    for (const Advice& other : advise(rows.site, rows.context)) EXPECT_NE(other.way, Way::row_per_warp);
  }
}

// acc[rho*180 + t], rho by the data and t in a loop: acc[t*600 + rho] has neighbouring rows in one sector.
TEST(Advise, LanesThatGoDownAColumn) {
  for (const Kind kind : {Kind::reduction, Kind::load, Kind::store}) {
    auto in_turn = [=](u32 t) {
      Built out = site(Space::global, kind, 4, [=](u32 l) { return (u64{l} * l % 67) * 720 + t * 4; });
      out.site.site.opcode = kind == Kind::reduction ? "red.global.add.u32" : "";
      out.site.site.array = {access::ArrayKind::parameter, "acc"};
      return out;
    };
    Built first = in_turn(0), second = in_turn(1);
    const Advice advice = advise_in(first, launch_of({&first, &second})).at(0);
    EXPECT_NE(advice.change.find("acc[k*count + i] instead of acc[180*i + k]"), std::string::npos)
        << advice.change;
    EXPECT_EQ(advice.after.sectors, 900u) << "of 3200: 67 rows";
    Built again = in_turn(0);
    const std::vector<Advice> gaps = advise_in(again, launch_of({&again}));
    for (const Advice& other : gaps) EXPECT_NE(other.way, Way::layout) << "nothing lies between";
    Built along = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
    along.site.site.array = first.site.site.array;
    for (const Advice& other : advise_in(first, launch_of({&first, &second, &along})))
      EXPECT_NE(other.way, Way::layout) << "it is read along its rows, too";
  }
}

TEST(Advise, ABlockCanSortWhatItStores) {
  Built keys = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l ^ 5} * (l ^ 5) * 64; });
  EXPECT_EQ(only(advise(keys.site, keys.context)).after.sectors, 400u) << "a bound: all sorted before";
  measure::FirstBlock& block = keys.site.distribution.first_block;
  block.requests = 10, block.sectors = block.lanes = 320, block.words = 320;
  block.by_address.requests = 10, block.by_address.sectors = 80;
  Advice block_wise = only(advise(keys.site, keys.context));
  EXPECT_EQ(block_wise.after.sectors, 800u);
  EXPECT_NE(block_wise.change.find("collect a block's elements"), std::string::npos) << block_wise.change;
  block.by_address.sectors = 300;
  Advice before = only(advise(keys.site, keys.context));
  EXPECT_EQ(before.after.sectors, 400u);
  EXPECT_NE(before.change.find("sorting within the block does not help"), std::string::npos) << before.change;
}

} // namespace
} // namespace warplens::advise
