// Advice for lanes that are apart: parts of vectors, structures, rows of threads, matrices that are turned.
#include "advise/built.h"
#include <fmt/format.h>

namespace warplens::advise {
namespace {

// A vector whose threads take eight neighbouring elements each, and one of structures.
TEST(Advise, ElementsOfAPlainVector) {
  std::vector<Built> parts;
  for (u64 k = 0; k < 8; ++k)
    parts.push_back(site(Space::global, Kind::load, 4, [k](u32 l) { return 4 * k + u64{l} * 32; }));
  std::vector<Built*> all;
  for (Built& one : parts) {
    one.site.site.frames = {{"a.cu", 5, 3, ""}};
    one.site.site.array.kind = access::ArrayKind::parameter;
    all.push_back(&one);
  }
  Built sums = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 32; }, 800);
  all.push_back(&sums);
  measure::LaunchRecord launch = launch_of(all);
  auto change = [&](std::string name) {
    launch.name = std::move(name);
    return only(advise_in(parts[0], launch)).change;
  };
  for (const char* name : {"add(float const*, int)", "add(unsigned int*)"}) {
    EXPECT_NE(change(name).find("thread t takes t, t + threads"), std::string::npos) << change(name);
    EXPECT_NE(change(name).find("threads: blockDim.x)"), std::string::npos)
        << "each block may copy a part of its own";
    EXPECT_NE(change(name).find("where a thread needs its 8 together, a[k*count + i]"), std::string::npos);
  }
  EXPECT_EQ(change("add(particle*)").find("store one array per member"), 0u);
  EXPECT_NE(change("add").find("one array per member"), std::string::npos) << "extern \"C\"";
  for (const char* declared : {"const float *", "float * __restrict__", "uint32_t *"}) {
    parts[0].site.declared = declared;
    EXPECT_NE(change("add").find("thread t takes t, t + threads"), std::string::npos) << "as the source says";
  }
  for (const char* declared : {"real *", "particle *"}) {
    parts[0].site.declared = declared;
    EXPECT_NE(change("add").find("one array per member"), std::string::npos) << "of what, it does not say";
  }
  parts[0].site.declared.clear();
  launch.sites.back().counters[0] = launch.sites[0].counters[0]; // what belongs to one thread's result
  EXPECT_NE(change("add(float const*, int)").find("a[k*count + i]"), std::string::npos);
}

// A structure of more than 64 bytes is one, if the array's type says so.
TEST(Advise, LargeStructures) {
  for (const u64 bytes : {72, 104}) {
    Built first = site(Space::global, Kind::load, 8, [=](u32 l) { return u64{l} * bytes; });
    Built second = site(Space::global, Kind::load, 8, [=](u32 l) { return u64{l} * bytes + 40; });
    for (Built* one : {&first, &second}) {
      one->site.site.array = {access::ArrayKind::parameter, "items"};
      one->site.site.frames = {{"a.cu", 5, 3, ""}};
    }
    measure::LaunchRecord launch = launch_of({&first, &second});
    launch.name = "revenue(item const*, double*)";
    EXPECT_EQ(only(advise_in(first, launch)).change.find("store one array per member"), 0u);
    EXPECT_EQ(only(advise_in(first, launch)).after.sectors, 800u);
    launch.name = "revenue(double const*, double*)";
    EXPECT_EQ(only(advise_in(first, launch)).change.find("store one array per member"), std::string::npos);
  }
}

// A kernel that makes arrays of structures, or structures of arrays, needs both as they are.
TEST(Advise, AChangeOfLayoutGoesThroughATile) {
  for (const Kind kind : {Kind::load, Kind::store}) {
    std::vector<Built> all;
    for (u32 k = 0; k < 10; ++k) {
      all.push_back(site(Space::global, kind, 4, [=](u32 l) { return u64{l} * 40 + k * 4; }));
      all.back().site.site.array = {access::ArrayKind::parameter, "rows"};
      all.push_back(site(Space::global, kind == Kind::load ? Kind::store : Kind::load, 4,
                         [](u32 l) { return u64{l} * 4; }));
      all.back().site.site.array = {access::ArrayKind::parameter, "column", k + 1};
    }
    std::vector<Built*> sites;
    for (Built& one : all)
      one.site.site.frames = {{"a.cu", static_cast<u32>(sites.size()), 3, ""}}, sites.push_back(&one);
    const auto change = [&] {
      measure::LaunchRecord launch = launch_of(sites);
      launch.name = "convert(row const*, columns)";
      return only(advise_in(all[0], launch)).change;
    };
    EXPECT_NE(change().find("shared memory"), std::string::npos) << change();
    EXPECT_EQ(change().find("one array per member"), std::string::npos) << change();
    sites.resize(12); // most of what it loads, it does not store
    for (u32 k = 12; k < 20; k += 2) sites.push_back(&all[k]);
    EXPECT_EQ(change().find("store one array per member"), 0u) << change();
  }
}

// A text stays as it is.
TEST(Advise, RowsOfBytesAreReadInWidePieces) {
  for (const u64 bytes : {64, 48}) {
    Built text = site(
        Space::global, Kind::load, 1, [=](u32 l) { return u64{l} * bytes; }, 100 * bytes);
    text.site.site.array = {access::ArrayKind::parameter, "text"};
    measure::FirstBlock& block = text.site.distribution.first_block;
    block.requests = bytes, block.sectors = 32 * bytes, block.distinct_sectors = bytes;
    block.rows = 32, block.row_elements = 32 * bytes, block.row_lanes = 32;
    Built result = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
    result.site.site.array = {access::ArrayKind::parameter, "out", 1};
    measure::LaunchRecord launch = launch_of({&text, &result});
    launch.name = "count(char const*, int*)";
    const Advice advice = only(advise_in(text, launch));
    EXPECT_NE(advice.change.find("16 bytes at once (uint4)"), std::string::npos) << advice.change;
    EXPECT_EQ(advice.after.sectors, 200 * bytes) << "32 sectors for 16 bytes of each lane";
  }
}

// C[row][col] = sum of A[row][k] * B[k][col] with the row from threadIdx.x: each thread of rows needs all k. The exchange makes B dearer.
TEST(Advise, AResultForEachThreadOfRows) {
  for (const u32 height : {1, 16}) {
    constexpr u64 warps = 800, row = 512, turns = row / 4;
    Built a = site(
        Space::global, Kind::load, 4, [](u32 l) { return u64{l} % 16 * row; }, warps * turns);
    Built b = site(
        Space::global, Kind::load, 4, [](u32 l) { return u64{l} / 16 * 4; }, warps * turns);
    Built c = site(
        Space::global, Kind::store, 4, [](u32 l) { return u64{l} % 16 * row + l / 16 * 4; }, warps);
    u32 parameter = 0;
    for (Built* one : {&a, &b, &c}) one->site.site.array = {access::ArrayKind::parameter, "m", parameter++};
    measure::FirstBlock& block = a.site.distribution.first_block;
    block.requests = 8 * turns, block.sectors = 16 * block.requests, block.distinct_sectors = 16 * turns / 8;
    block.rows = 256, block.row_elements = 256 * turns, block.row_lanes = 32;
    measure::LaunchRecord launch = launch_of({&a, &b, &c});
    launch.name = "mm(float const*, float const*, float*)";
    launch.block = {256 / height, height, 1};
    const Advice advice = only(advise_in(a, launch));
    EXPECT_EQ(advice.change.find("thread t takes t") == std::string::npos, height != 1) << advice.change;
    if (height == 1) continue;
    EXPECT_EQ(advice.change.find("let threadIdx.x run along the row: swap"), 0u) << advice.change;
    EXPECT_EQ(advice.after.sectors, 2 * warps * turns);
    EXPECT_EQ(advice.lost_beside, warps * turns * 14 * turns / (14 * turns + 12))
        << "the store gains 12, too";
  }
}

// key[i] & 255 of integers: the compiler loads a byte of each.
TEST(Advise, NarrowedLoads) {
  Built key = site(Space::global, Kind::load, 1, [](u32 l) { return u64{l} * 4; });
  key.site.site.array = {access::ArrayKind::parameter, "key"};
  measure::LaunchRecord launch = launch_of({&key});
  launch.name = "hist(int const*)";
  const Advice advice = only(advise_in(key, launch));
  EXPECT_EQ(advice.change.find("store elements of 1 byte, where no other code needs more"), 0u)
      << advice.change;
  EXPECT_EQ(advice.after.sectors, 100u);
  launch.name = "hist(pixel const*)";
  EXPECT_EQ(only(advise_in(key, launch)).change.find("this code uses"), std::string::npos);
}

// A block of 1024 threads has 64 registers for each; smaller blocks may have more.
TEST(Advise, RegistersThatTheBlockCanHave) {
  struct Case {
    u32 threads, registers;
    std::string_view says;
    bool smaller;
  };
  for (const Case& c : {Case{1024, 32, "allow more registers, up to 64 with blocks of 1024 threads", true},
                        Case{1024, 64, "launch blocks of fewer threads", true},
                        Case{128, 64, "allow more registers, up to 255 with blocks of 128 threads", false}}) {
    Built spill = site(Space::local, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
    spill.site.site.array.kind = access::ArrayKind::spill;
    measure::LaunchRecord launch = launch_of({&spill});
    launch.block = {c.threads, 1, 1}, launch.registers = c.registers;
    const std::string change = only(advise_in(spill, launch)).change;
    EXPECT_EQ(change.find(c.says), 0u) << change;
    EXPECT_EQ(change.find("blocks of fewer threads") != std::string::npos, c.smaller) << change;
  }
}

// Each thread takes its part of a vector in a loop. What it finds is combined with what others find: the same elements, in turns.
// Where each has a result of its own, or the parts leave something between them, they are rows.
TEST(Advise, PartsOfAVectorInALoop) {
  for (const u64 elements : {8, 64}) {
    Built part = site(
        Space::global, Kind::load, 4, [=](u32 l) { return u64{l} * elements * 4; }, 100 * elements);
    part.site.site.array = {access::ArrayKind::parameter, "in"};
    measure::FirstBlock& block = part.site.distribution.first_block;
    block.requests = elements, block.sectors = 32 * elements, block.distinct_sectors = 4 * elements;
    block.rows = 32, block.row_elements = 32 * elements, block.row_lanes = 32;
    block.by_rows.sectors = 4 * elements, block.by_rows.instructions = block.by_rows.requests = elements;
    Built result = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
    result.site.site.array = {access::ArrayKind::parameter, "out", 1};
    const auto change = [&](Built& out) {
      measure::LaunchRecord launch = launch_of({&part, &out});
      launch.name = "sum(float const*, float*, int)";
      const std::vector<Advice> list = advise_in(part, launch);
      return list.empty() ? std::string() : list[0].change;
    };
    const std::string turns = "thread t takes t, t + threads";
    EXPECT_EQ(change(result).find(turns), std::string::npos) << "a sum for each thread: " << change(result);
    Built one = site(Space::global, Kind::reduction, 4, [](u32) { return u64{0}; });
    one.site.site.array = result.site.site.array;
    EXPECT_NE(change(one).find(turns), std::string::npos) << change(one);
    EXPECT_EQ(change(one).find("together"), std::string::npos) << change(one);
    block.row_elements = 16 * elements;
    EXPECT_EQ(change(one).find(turns), std::string::npos) << "half of each row: " << change(one);
    block.rows = 128, block.row_elements = 40 * elements;
    EXPECT_NE(change(one).find(turns), std::string::npos) << "in several goes: " << change(one);
    block.distinct_sectors = 2 * elements;
    EXPECT_EQ(change(one).find(turns), std::string::npos) << "half of each row, twice: " << change(one);
  }
}

// Lanes that wrap around at a periodic border are those of the plain stride: sorting gains nothing.
TEST(Advise, AStrideThatWrapsAround) {
  for (const u64 first : {1, 31, 95}) {
    const u64 width = first == 95 ? 96 : 32;
    Built wrapped = site(Space::global, Kind::load, 4, [=](u32 l) { return (l + first) % width * 32; });
    wrapped.site.site.array = {access::ArrayKind::parameter, "cells"};
    const Advice advice = only(advise(wrapped.site, wrapped.context));
    EXPECT_EQ(advice.rule, findings::Rule::uncoalesced_load);
    EXPECT_NE(advice.change.find("cells[k*count + i] instead of cells[8*i + k]"), std::string::npos)
        << advice.change;
    EXPECT_EQ(advice.after.sectors, width == 96 ? 500u : 400u) << "a lane elsewhere is a sector more";
  }
  Built far =
      site(Space::global, Kind::load, 4, [](u32 l) { return (l % 16 + 15) % 16 * u64{1024} + l / 16 * 4; });
  EXPECT_NE(only(advise(far.site, far.context)).change.find("swap the index order"), std::string::npos);
}

// Lanes that go upwards are sorted already.
TEST(Advise, WhatIsInOrderIsNotToBeSorted) {
  Built gaps = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * l * 64; });
  const Advice advice = only(advise(gaps.site, gaps.context));
  EXPECT_EQ(advice.title, "neighbouring threads go to places in order, but apart");
  EXPECT_NE(advice.change.find("which sorting does not bring about"), std::string::npos) << advice.change;
  Built anywhere = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l * 7919 % 101} * l * 64; });
  const Advice sorted = only(advise(anywhere.site, anywhere.context));
  EXPECT_NE(sorted.change.find("sort by destination"), std::string::npos);
  EXPECT_NE(sorted.way, advice.way) << "another cause";
  anywhere.site.site.kind = Kind::load;
  EXPECT_NE(only(advise(anywhere.site, anywhere.context)).way, sorted.way) << "another cause";
}

// Rows of lanes in a volume: neither threadIdx.x nor threadIdx.y goes along its rows.
TEST(Advise, TheThirdIndexOfABlockGoesAlongTheRow) {
  for (const auto& [x, y] : {std::pair<u64, u64>{800, 80}, {80, 800}}) {
    Built volume = site(Space::global, Kind::store, 8, [=](u32 l) { return l % 8 * x + l / 8 * y; });
    measure::FirstBlock& block = volume.site.distribution.first_block;
    block.requests = 16, block.sectors = 512, block.distinct_sectors = 192;
    measure::LaunchRecord launch = launch_of({&volume});
    launch.block = {8, 8, 8};
    const Advice exchange = advise_in(volume, launch).at(0);
    EXPECT_NE(exchange.change.find("threadIdx.x and threadIdx.z"), std::string::npos) << exchange.change;
    EXPECT_LT(2 * exchange.after.sectors, exchange.before.sectors);
    block.distinct_sectors = 512; // a face
    launch.block = {8, 8, 1};
    const Advice face = advise_in(volume, launch).at(0);
    EXPECT_NE(face.change.find("no index of the block runs along the row"), std::string::npos) << face.change;
  }
}

// out[e][d] = in[d][e] by an index that is taken apart: threads lie in one row, but the copy turns a matrix.
TEST(Advise, ACopyThatPermutesDimensionsNeedsATile) {
  Built in = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  for (const auto& [x, y] : {std::pair<u64, u64>{7680, 128}, {640, 15360}}) {
    Built out = site(Space::global, Kind::store, 4, [=](u32 l) { return l % 16 * x + l / 16 * y; });
    const Advice advice = advise_in(out, launch_of({&in, &out})).at(0);
    EXPECT_NE(advice.change.find("collect a tile in shared memory"), std::string::npos) << advice.change;
    EXPECT_NE(advice.change.find("fastest index of either array"), std::string::npos) << advice.change;
  }
}

// 19 numbers of each cell, all of which a thread moves in an unrolled loop: no row that is worth another index order.
TEST(Advise, AStructureThatIsLargerThanMost) {
  std::vector<Built> parts;
  for (u64 k = 0; k < 19; ++k)
    parts.push_back(site(Space::global, Kind::store, 4, [k](u32 l) { return 4 * k + u64{l} * 76; }));
  std::vector<Built*> all;
  for (Built& one : parts) one.site.site.frames = {{"a.cu", 5, 3, ""}}, all.push_back(&one);
  measure::LaunchRecord launch = launch_of(all);
  EXPECT_NE(only(advise_in(parts[0], launch)).change.find("structure of arrays"), std::string::npos);
  parts[0].site.distribution.classes =
      parts[3].site.distribution.classes; // a row of the report stands for all
  EXPECT_NE(only(advise_in(parts[0], launch)).change.find("structure of arrays"), std::string::npos);
  launch.sites.resize(12); // where places are known to 256 bytes, some fall together
  EXPECT_NE(only(advise_in(parts[0], launch)).change.find("structure of arrays"), std::string::npos);
  launch.sites.resize(4);
  EXPECT_NE(only(advise_in(parts[0], launch)).change.find("swap the index order"), std::string::npos);
}

// Few numbers for each thread, and no power of two, are a structure, whether a loop goes over them or not.
TEST(Advise, FewNumbersOfEachThreadAreAStructure) {
  for (const u64 elements : {u64{9}, u64{19}, u64{27}, u64{16}}) {
    const u64 bytes = elements == 27 ? 8 : 4;
    std::vector<Built> parts;
    for (u64 k = 0; k < elements; ++k)
      parts.push_back(site(Space::global, Kind::store, static_cast<u32>(bytes),
                           [=](u32 l) { return bytes * (k + u64{l} * elements); }));
    std::vector<Built*> all;
    for (Built& one : parts) {
      one.site.site.frames = {{"a.cu", 5, 3, ""}};
      one.site.site.array = {access::ArrayKind::parameter, "f"};
      all.push_back(&one);
    }
    measure::LaunchRecord launch = launch_of(all);
    launch.name = bytes == 4 ? "init(float*, int)" : "init(double*, int)";
    const std::string layout = fmt::format("f[k*count + i] instead of f[{}*i + k]", elements),
                      turns = "t, t + threads";
    const std::string unrolled = only(advise_in(parts[0], launch)).change;
    ASSERT_NE(unrolled.find(layout), std::string::npos) << unrolled;
    ASSERT_NE(unrolled.find(turns), std::string::npos) << unrolled;
    EXPECT_EQ(unrolled.find(layout) < unrolled.find(turns), elements != 16) << unrolled;
    if (elements == 16) continue;
    Built loop = parts[0];
    for (arch::Counts& counts : loop.site.counters) counts *= elements;
    launch = launch_of({&loop});
    launch.name = "init(float*, int)";
    const Advice advice = only(advise_in(loop, launch));
    EXPECT_NE(advice.change.find(layout), std::string::npos) << advice.change;
    EXPECT_EQ(advice.after.sectors * (32 / bytes), advice.before.sectors);
    Built load = loop,
          before = loop; // a line that does the same to each; but for one that needs them all before
    load.site.site.kind = before.site.site.kind = Kind::load;
    before.site.site.frames = {{"a.cu", 3, 3, ""}};
    launch = launch_of({&load, &loop});
    EXPECT_EQ(advise_in(loop, launch).at(0).change.find("where all are treated alike"), std::string::npos);
    launch = launch_of({&before, &load, &loop});
    EXPECT_NE(advise_in(loop, launch).at(0).change.find(layout), std::string::npos);
  }
}

// Where each thread reads its index, no order of the threads' own indices puts neighbours side by side.
TEST(Advise, WhatAnIndexFromMemoryLeadsToIsRenumbered) {
  for (const u64 stride : {u64{508}, u64{1016}})
    for (const Kind kind : {Kind::load, Kind::store}) {
      Built x = site(Space::global, kind, 4, [=](u32 l) { return u64{l} * stride; });
      EXPECT_NE(only(advise(x.site, x.context)).change.find("swap the index order"), std::string::npos);
      x.site.loads_index = true;
      if (kind == Kind::store) { // whose order is the result, unless the array is read through an index, too
        EXPECT_TRUE(advise_in(x, launch_of({&x})).empty());
      }
      Built reader = x;
      reader.site.site.kind = Kind::load;
      x.site.site.array = reader.site.site.array = {access::ArrayKind::parameter, "x"};
      const Advice advice = only(advise_in(x, launch_of({&x, &reader})));
      EXPECT_NE(advice.change.find("renumber them by the index"), std::string::npos) << advice.change;
      EXPECT_NE(advice.cause.find("read from memory"), std::string::npos) << advice.cause;
      EXPECT_EQ(advice.after.sectors, 400u);
    }
  Built runs = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * l * 64; });
  EXPECT_EQ(only(advise(runs.site, runs.context)).change.find("renumber"), std::string::npos);
  runs.site.loads_index = true;
  EXPECT_NE(only(advise(runs.site, runs.context)).change.find("renumber"), std::string::npos);
  Built members = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 32; });
  members.site.loads_index = true;
  EXPECT_EQ(only(advise(members.site, members.context)).change.find("renumber"), std::string::npos)
      << "structures, one after the other";
}

// Elements that threads store one after the other fill sectors of the block: they are collected there, and their order stays.
TEST(Advise, StoresThatFillABlocksSectorsAreCollected) {
  for (const bool in_order : {false, true}) {
    Built x = site(Space::global, Kind::store, 4,
                   [=](u32 l) { return in_order ? u64{l} * 28 + l * l % 5 * 4 : u64{l} * 32; });
    x.site.loads_index = in_order;
    x.site.site.array = {access::ArrayKind::parameter, "out"}, x.site.declared = "int *";
    measure::FirstBlock& block = x.site.distribution.first_block;
    block.requests = 8, block.sectors = 256, block.distinct_sectors = 32;
    block.lanes = block.words = block.span = 256;
    block.by_address.sectors = 256;
    if (!in_order) block.rows = 32, block.row_elements = 256;
    measure::LaunchRecord launch = launch_of({&x});
    const Advice advice = only(advise_in(x, launch));
    EXPECT_NE(advice.change.find("collect the block's elements in shared memory"), std::string::npos)
        << advice.change;
    EXPECT_EQ(advice.after.sectors, 400u);
    block.words = 64; // and leave gaps
    launch = launch_of({&x});
    for (const Advice& other : advise_in(x, launch))
      EXPECT_EQ(other.change.find("collect the block's"), std::string::npos) << other.change;
  }
}

// One key has several hashes: an order by one of them leaves the others where they are.
TEST(Advise, AnOrderServesOneOfSeveralPlaces) {
  for (const u64 places : {u64{2}, u64{4}}) {
    Built x = site(
              Space::global, Kind::load, 4, [](u32 l) { return u64{(l * l * 7919 + 5) % 1013} * 256; },
              100 * places),
          key = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
    x.site.site.array = {access::ArrayKind::parameter, "filter"}, x.site.loads_index = true;
    key.site.site.array = {access::ArrayKind::parameter, "keys", 1};
    const Advice hashes = only(advise_in(x, launch_of({&x, &key})));
    const u64 saved = hashes.before.sectors - 400 * places;
    EXPECT_EQ(hashes.after.sectors, hashes.before.sectors - saved / places) << hashes.change;
    Built index = site(
        Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; }, 100 * places); // one for each
    index.site.site.array = {access::ArrayKind::parameter, "index", 1};
    EXPECT_EQ(only(advise_in(x, launch_of({&x, &index}))).after.sectors, 400 * places);
  }
}

// A tile has whole rows: none is there where a block goes down one column, and what else the kernel moves is no other side of a matrix.
TEST(Advise, ABlockOfOneColumnHasNoTile) {
  for (const u64 row : {u64{128}, u64{4096}})
    for (const Kind kind : {Kind::load, Kind::store}) {
      Built column = site(Space::global, kind, 4, [=](u32 l) { return l * row; }),
            keys = site(
                Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; }, 800);
      column.site.site.array = {access::ArrayKind::parameter, "hist"};
      keys.site.site.array = {access::ArrayKind::parameter, "keys", 1};
      measure::FirstBlock& block = column.site.distribution.first_block;
      block.requests = 1, block.sectors = block.distinct_sectors = 32;
      const std::string change = advise_in(column, launch_of({&column, &keys})).at(0).change;
      EXPECT_NE(change.find("swap the index order"), std::string::npos) << change;
      EXPECT_EQ(change.find("tile"), std::string::npos) << change;
    }
}

// Where a step's index is what the step before it read, threads that go to neighbours one after the other walk along no row.
TEST(Advise, LinksAreNoRows) {
  for (const auto& place :
       {+[](u32 l) { return u64{l} * 256; }, +[](u32 l) { return u64{l * l % 32} * 512; }}) {
    Built x = site(Space::global, Kind::load, 4, place);
    measure::FirstBlock& block = x.site.distribution.first_block;
    block.requests = 100, block.sectors = 3200, block.distinct_sectors = 400;
    block.rows = 32, block.row_elements = 3200, block.row_lanes = 32;
    measure::LaunchRecord launch = launch_of({&x});
    launch.grid = {1, 1, 1};
    for (const bool links : {false, true}) {
      x.site.follows_links = links;
      const Advice advice = only(advise_in(x, launch));
      EXPECT_EQ(advice.change.find("give each row to a warp") != std::string::npos, !links) << advice.change;
      EXPECT_EQ(advice.change.find("pointer jumping") != std::string::npos, links) << advice.change;
    }
  }
}

// A tile is no help where the block asks for each sector once.
TEST(Advise, ATileIsForWhatABlockReadsAgain) {
  Built x = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l * 7919 % 101} * l * 64; });
  measure::FirstBlock& block = x.site.distribution.first_block;
  block.requests = 4, block.sectors = 128, block.distinct_sectors = 120;
  for (const bool loaded : {false, true}) {
    x.site.loads_index = loaded;
    block.distinct_sectors = 120;
    EXPECT_EQ(only(advise(x.site, x.context)).change.find("shared memory"), std::string::npos);
    EXPECT_EQ(only(advise(x.site, x.context)).change.find("the indices") != std::string::npos, loaded);
    block.distinct_sectors = 60;
    EXPECT_NE(only(advise(x.site, x.context)).change.find("; or load consecutive"), std::string::npos);
    block.distinct_sectors = 16; // 8 times each, in 512 bytes
    const Advice table = only(advise(x.site, x.context));
    EXPECT_TRUE(table.change.starts_with("load what the block reads again into shared memory (512 B"))
        << table.change;
    EXPECT_EQ(table.way, Way::tile);
    EXPECT_EQ(table.after.sectors, x.site.counters[0].sectors / 8);
    block.sectors = 1 << 20, block.distinct_sectors = 2048; // 64 kB: more than a block may have
    EXPECT_NE(only(advise(x.site, x.context)).way, Way::tile);
    block.sectors = 128;
  }
}

// The layout of a structure of cuRAND is not the program's.
TEST(Advise, ALibrarysStateIsCopied) {
  std::vector<Built> parts;
  for (u64 member : {0, 8, 16})
    parts.push_back(site(Space::global, Kind::load, 8, [=](u32 l) { return member + u64{l} * 48; }));
  for (Built& part : parts) part.site.site.array = {access::ArrayKind::parameter, "states"};
  measure::LaunchRecord launch = launch_of({&parts[0], &parts[1], &parts[2]});
  launch.name = "step(curandStateXORWOW*, int)";
  Advice advice = only(advise_in(parts[0], launch));
  EXPECT_NE(advice.change.find("Copy it into a local variable"), std::string::npos) << advice.change;
  EXPECT_EQ(advice.after, advice.before);
  launch.name = "step(State*, int)";
  EXPECT_NE(only(advise_in(parts[0], launch)).change.find("structure of arrays"), std::string::npos);
}

// A kernel of Triton whose rows begin anywhere, so that it moves the elements of a thread one by one.
TEST(Advise, RowsOfTritonThatBeginAnywhere) {
  auto part = [](u64 byte) {
    Built out = site(Space::global, Kind::load, 4, [byte](u32 l) { return byte + u64{l} * 16; });
    out.site.site.frames = {{"kernel.py", 10, 3, ""}};
    return out;
  };
  Built a = part(0), b = part(4), c = part(8), d = part(12);
  measure::LaunchRecord launch = launch_of({&a, &b, &c, &d});
  EXPECT_NE(only(advise_in(a, launch)).change.find("tl.multiple_of"), std::string::npos);
  Built again = part(0);
  launch = launch_of({&a, &b, &c, &again}); // the first warps of two classes are in rows that begin elsewhere
  const std::string change = only(advise_in(a, launch)).change;
  EXPECT_NE(change.find("pad them to a multiple of 4 elements"), std::string::npos) << change;
  EXPECT_NE(change.find("compiled again"), std::string::npos) << change;
  Built column = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4096; });
  column.site.site.frames = {{"kernel.py", 10, 3, ""}};
  launch = launch_of({&column});
  EXPECT_NE(only(advise_in(column, launch)).change.find("tl.trans"), std::string::npos);
}

TEST(Advise, MembersOfAStructureAndRowsOfAThread) {
  Built x = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 16; });
  Built y = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 16; });
  x.site.site.frames = {{"a.cu", 5, 3, ""}}, y.site.site.frames = {{"a.cu", 5, 9, ""}};
  measure::LaunchRecord launch = launch_of({&x, &y});
  EXPECT_NE(only(advise_in(x, launch)).change.find("one array per member"), std::string::npos);
  y.site.site.frames =
      x.site.site.frames; // one statement, or an unrolled loop over so short a row: the same change
  launch = launch_of({&x, &y});
  EXPECT_NE(only(advise_in(x, launch)).change.find("one array per member"), std::string::npos);
  Built near = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; });
  Built far = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 512; });
  near.site.site.frames = far.site.site.frames = {{"a.cu", 5, 3, ""}};
  launch = launch_of({&near, &far});
  EXPECT_NE(only(advise_in(near, launch)).change.find("to a warp"), std::string::npos);
  near.site.distribution.first_block.requests = 10; // whose threads walk along no rows
  EXPECT_EQ(only(advise_in(near, launch)).change.find("to a warp"), std::string::npos);
}

// A structure of 12 bytes that is read whole by one statement is no row of its thread.
TEST(Advise, AStructureThatOneStatementReads) {
  std::vector<Built> members;
  for (u64 k = 0; k < 3; ++k)
    members.push_back(site(Space::global, Kind::load, 4, [k](u32 l) { return 4 * k + u64{l} * 12; }));
  for (Built& one : members) one.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&members[0], &members[1], &members[2]});
  EXPECT_NE(only(advise_in(members[0], launch)).change.find("one array per member"), std::string::npos);
}

// What other arrays are accessed with is no member of this one: c[i] = a[i] * b[i].
TEST(Advise, StructuresOfOneStatementGetTheSameChange) {
  auto part = [](const char* array, u32 column, u64 byte) {
    Built out = site(Space::global, Kind::load, 4, [byte](u32 l) { return byte + u64{l} * 8; });
    out.site.site.frames = {{"a.cu", 5, column, ""}};
    out.site.site.array = {.kind = access::ArrayKind::parameter, .name = array};
    return out;
  };
  Built a = part("a", 3, 0), a2 = part("a", 3, 4), b = part("b", 9, 0), b2 = part("b", 9, 4);
  measure::LaunchRecord launch = launch_of({&a, &a2, &b, &b2});
  for (Built* one : {&a, &b})
    EXPECT_NE(only(advise_in(*one, launch)).change.find("__align__(8)"), std::string::npos)
        << one->site.site.array.name;
}

// Lanes that lie two structures apart go to the same members in both; members of other widths are none of these.
TEST(Advise, WhatIsInAStructureIsAsWideInEach) {
  const auto left = [](std::vector<std::pair<u64, u32>> members,
                       u64 stride) { // where they are, and how wide; of the last
    std::vector<Built> all;
    for (const auto& [place, bytes] : members)
      all.push_back(site(Space::global, Kind::load, bytes, [=](u32 l) { return place + l * stride; }));
    std::vector<Built*> pointers;
    for (Built& one : all) {
      one.site.site.array = {.kind = access::ArrayKind::parameter, .name = "a"};
      one.site.site.frames = {{"a.cu", 5 + static_cast<u32>(&one - all.data()), 3, ""}};
      pointers.push_back(&one);
    }
    const measure::LaunchRecord launch = launch_of(pointers);
    return only(advise_in(all.back(), launch)).after.sectors;
  };
  EXPECT_EQ(left({{0, 2}, {2, 1}}, 4), 100u) << "a length of two bytes, and a value of one";
  EXPECT_EQ(left({{8, 8}, {0, 4}}, 16), 400u);
  EXPECT_EQ(left({{0, 4}, {8, 4}}, 16), 800u) << "every second of 8 bytes";
}

// A structure that is copied, each member by an access of its own because nothing says how it is aligned.
TEST(Advise, AStructureThatIsMovedWhole) {
  Built a = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 8; });
  Built b = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 8; });
  a.site.site.frames = b.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&a, &b});
  Advice whole = only(advise_in(a, launch));
  EXPECT_NE(whole.change.find("__align__(8)"), std::string::npos) << whole.change;
  EXPECT_EQ(whole.after.sectors, 400u);
}

// Each thread reads on within its row; where it also stores one result into that row, the order of indices is to blame.
TEST(Advise, AResultInARowOfItsOwnMeansTheOtherIndexOrder) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 10000);
  Built store = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 512; }, 100);
  Built other = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 100);
  load.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&load, &store});
  EXPECT_NE(only(advise_in(load, launch)).change.find("swap the index order"), std::string::npos);
  launch = launch_of({&load, &other}); // a result for each row, side by side
  EXPECT_NE(only(advise_in(load, launch)).change.find("to a warp"), std::string::npos);
}

// Where results lie side by side, and there are as many of them, rows that were given to warps would scatter them.
TEST(Advise, AKernelThatTurnsAMatrixKeepsItsThreadsAndLoadsATile) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 136; }, 10000);
  Built store = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 10000);
  measure::LaunchRecord launch = launch_of({&load, &store});
  Advice tile = only(advise_in(load, launch));
  EXPECT_EQ(tile.change.find("to a warp"), std::string::npos) << tile.change;
  EXPECT_NE(tile.change.find("tile into shared memory"), std::string::npos) << tile.change;

  // An unrolled loop: what is advised on is the line, the stores are single instructions.
  Built first = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 300);
  Built second = first;
  Built line = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 900);
  first.site.site.frames = second.site.site.frames = {{"a.cu", 5, 9, ""}};
  launch = launch_of({&line, &first, &second});
  EXPECT_NE(only(advise_in(line, launch)).change.find("row by row"), std::string::npos);
  second.site.site.frames = {{"a.cu", 7, 9, ""}};
  launch = launch_of({&line, &first, &second});
  EXPECT_EQ(only(advise_in(line, launch)).change.find("row by row"), std::string::npos);
}

// out[x*h + y] = in[y*w + x]: another order of the indices would make the other side of the statement pay.
TEST(Advise, ATransposeNeedsATileOnEitherSide) {
  for (Kind down : {Kind::load, Kind::store}) {
    Built column = site(Space::global, down, 4, [](u32 l) { return u64{l} * 2048; });
    Built row = site(
        Space::global, down == Kind::load ? Kind::store : Kind::load, 16, [](u32 l) { return u64{l} * 16; },
        25);
    measure::LaunchRecord launch = launch_of({&column, &row});
    launch.grid = {10, 10, 1};
    Advice tile = only(advise_in(column, launch));
    EXPECT_EQ(tile.change.find("swap"), std::string::npos) << tile.change;
    EXPECT_NE(tile.change.find("tile in"), down == Kind::load ? std::string::npos : 0) << tile.change;
    EXPECT_EQ(tile.after.sectors, 400u);
    // A row that all warps read alike costs nothing in the other order.
    launch.sites[1].distribution.first_block = {.requests = 8, .sectors = 128, .distinct_sectors = 16};
    EXPECT_NE(only(advise_in(column, launch)).change.find("swap the index order"), std::string::npos);
  }
}

// In a block of 16x16 threads a warp has two rows of lanes, and has them after the change.
TEST(Advise, ANarrowBlockGainsLess) {
  auto rows = [](u32 bytes, u64 step, u64 gap) {
    return site(Space::global, Kind::load, bytes, [=](u32 l) { return l % 16 * step + l / 16 * gap; });
  };
  struct Case {
    u32 bytes;
    u64 step, gap, sectors; // after it, per request
  };
  for (const Case& c : {Case{1, 960, 3, 4},    // pixels of three bytes, the two indices exchanged
                        Case{1, 320, 1, 2},    // bytes, likewise
                        Case{4, 512, 0, 2},    // what lanes of a row share
                        Case{1, 3, 960, 2}}) { // a colour of each pixel
    Built built = rows(c.bytes, c.step, c.gap);
    measure::LaunchRecord launch = launch_of({&built});
    launch.block = {16, 16, 1};
    for (const Advice& advice : advise_in(built, launch))
      if (advice.tells_stride) {
        EXPECT_EQ(advice.after.sectors, 100 * c.sectors) << c.step << " " << advice.change;
      }
  }
  // Rows that begin inside a sector still do with the indices exchanged.
  Built shifted =
      site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l % 16 * 800 + l / 16 * 4}; });
  measure::LaunchRecord launch = launch_of({&shifted});
  launch.block = {16, 16, 1};
  EXPECT_EQ(advise_in(shifted, launch)[0].after.sectors, 600u);
}

// Three bytes of a pixel are no row for a warp.
TEST(Advise, ShortRowsOfThreadsAreNotWorthAWarp) {
  Built pixel = site(
      Space::global, Kind::load, 1, [](u32 l) { return u64{l} * 960; }, 300);
  measure::FirstBlock& block = pixel.site.distribution.first_block;
  block.requests = 24, block.sectors = 768, block.distinct_sectors = 768;
  block.rows = 256, block.row_elements = 768, block.row_lanes = 4;
  measure::LaunchRecord launch = launch_of({&pixel});
  EXPECT_NE(only(advise_in(pixel, launch)).change.find("swap the index order"), std::string::npos);
  block.row_elements = 256 * 30;
  EXPECT_NE(only(advise_in(pixel, launch)).change.find("lanes of a warp"), std::string::npos);
}

TEST(Advise, RowsOfThreadsAreCountedAsTheyWereWalked) {
  Built b = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * l * 64; });
  measure::FirstBlock& block = b.site.distribution.first_block;
  block.requests = 50, block.sectors = 1600, block.distinct_sectors = 200;
  block.rows = 32, block.row_elements = 32 * 50, block.row_lanes = 32;
  block.by_rows.instructions = block.by_rows.requests = 64, block.by_rows.sectors = 230;
  Advice rows = only(advise(b.site, b.context));
  EXPECT_EQ(rows.rule, findings::Rule::uncoalesced_load);
  EXPECT_EQ(rows.after.sectors, 460u) << "twice the first block's";
  EXPECT_NE(rows.change.find("to a warp"), std::string::npos);
  block.row_lanes = 8;
  EXPECT_NE(only(advise(b.site, b.context)).change.find("8 lanes of a warp"), std::string::npos);
  block.row_lanes = 0, block.rows = block.row_elements = 0; // no rows were walked along
  EXPECT_EQ(only(advise(b.site, b.context)).rule, findings::Rule::scattered_access);
}

TEST(Advise, RowsWhoseValuesAreStoredAreNotCombined) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 6400);
  Built all = site(
            Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 640; }, 6400),
        one = site(
            Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 100);
  measure::LaunchRecord launch = launch_of({&load, &all});
  EXPECT_NE(only(advise_in(load, launch)).change.find("to a warp"), std::string::npos);
  EXPECT_EQ(only(advise_in(load, launch)).change.find("combine"), std::string::npos);
  EXPECT_NE(only(advise_in(load, launch)).change.find("needs the result of the one before it"),
            std::string::npos);
  EXPECT_NE(only(advise_in(load, launch)).change.find("a[k*rows + row]"), std::string::npos);
  launch = launch_of({&load, &one});
  EXPECT_NE(only(advise_in(load, launch)).change.find("combine what they found"), std::string::npos);
}

// Short rows, each read by 8 lanes, of which the last turn leaves some idle: nothing there can be renumbered.
TEST(Advise, RowsOfAFewLanesAreNotToBeSorted) {
  Built rows = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l / 8 * 200 + l % 8 * 8}; });
  access::WarpAccess access = rows.site.distribution.classes[0].example;
  access.active = 0xf8030f07;
  rows.site.distribution.classes = {measure::class_of(access, 100, *rows.context.architecture)};
  rows.site.counters[0] = rows.site.distribution.classes[0].counts;
  rows.site.pattern = measure::pattern_of(rows.site.distribution);
  ASSERT_EQ(rows.site.pattern.kind(), measure::PatternKind::scattered);
  std::vector<Advice> list = advise(rows.site, rows.context);
  auto found = std::ranges::find(list, findings::Rule::scattered_access, &Advice::rule);
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->title, "each 8 lanes of a warp go along a row of their own");
  EXPECT_EQ(found->change.find("renumber"), std::string::npos) << found->change;
  EXPECT_EQ(std::ranges::find(list, findings::Rule::divergent_access, &Advice::rule), list.end());
  EXPECT_EQ(found->gain(), 1.0);
}

// A thread that goes along its part twice and tells no other what it found needs all of it, as where its place there leads to another
// array. What is read before a loop, of the same part, is no value of its own.
TEST(Advise, APartThatAThreadNeedsAsAWholeIsARow) {
  const auto walk = [](Kind kind, u32 line, u64 turns) {
    Built out = site(
        Space::global, kind, 4, [](u32 l) { return u64{l} * 256; }, 100 * turns);
    out.site.site.array = {access::ArrayKind::parameter, kind == Kind::load ? "in" : "out",
                           kind == Kind::load ? 0u : 1u};
    out.site.site.frames = {{"a.cu", line, 3, ""}};
    measure::FirstBlock& block = out.site.distribution.first_block;
    block.requests = turns, block.sectors = 32 * turns, block.distinct_sectors = 4 * turns;
    block.rows = 32, block.row_elements = 32 * turns, block.row_lanes = 32;
    block.by_rows.sectors = 4 * turns, block.by_rows.instructions = block.by_rows.requests = turns;
    return out;
  };
  Built first = walk(Kind::load, 1, 64), second = walk(Kind::load, 2, 64), before = walk(Kind::load, 1, 1),
        store = walk(Kind::store, 2, 64);
  Built beside = site(
            Space::global, Kind::load, 4, [](u32) { return u64{0}; }, 6400),
        shared = site(Space::shared, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
  beside.site.site.array = {access::ArrayKind::parameter, "weight", 2};
  const auto turns = [&](const Built& of, std::vector<Built*> all) {
    measure::LaunchRecord launch = launch_of(std::move(all));
    launch.name = "norm(float const*, float*, float const*)";
    return advise_in(of, launch).at(0).change.find("thread t takes t, t + threads") != std::string::npos;
  };
  for (Built* of : {&first, &store}) {
    EXPECT_TRUE(turns(*of, {&first, &store}));
    EXPECT_TRUE(turns(*of, {&first, &store, &before}));
    EXPECT_FALSE(turns(*of, {&first, &store, &second}));
    EXPECT_TRUE(turns(*of, {&first, &store, &second, &shared}));
    EXPECT_FALSE(turns(*of, {&first, &store, &beside, &shared}));
  }
}

// The rows of a table that an index leads to are copied: a warp that reads a row also writes one.
TEST(Advise, ACopyOfGatheredRowsIsSharedOutAsTheyAre) {
  Built row = site(
            Space::global, Kind::load, 4, [](u32 l) { return u64{l * 7919 % 101} * 256; }, 6400),
        out = site(
            Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 256; }, 6400);
  row.site.site.array = {access::ArrayKind::parameter, "table"};
  out.site.site.array = {access::ArrayKind::parameter, "out", 1};
  measure::FirstBlock& block = row.site.distribution.first_block;
  block.requests = 64, block.sectors = 2048, block.distinct_sectors = 256;
  block.rows = 32, block.row_elements = 2048, block.row_lanes = 32;
  const auto change = [&] { return only(advise_in(out, launch_of({&out, &row}))).change; };
  EXPECT_NE(change().find("give each row to a warp"), std::string::npos) << change();
  row.site.counters[0] = row.site.counters[0] * 2; // another loop
  EXPECT_EQ(change().find("give each row to a warp"), std::string::npos) << change();
}

// What a thread found is its own: others cannot take a part of it, unless they read what it was made of.
TEST(Advise, ResultsOfAThreadAreCollected) {
  const auto piece = [](Kind kind, u64 k, u32 parameter) {
    Built out = site(Space::global, kind, 4, [=](u32 l) { return u64{l} * 32 + 4 * k; });
    out.site.site.array = {access::ArrayKind::parameter, parameter == 0 ? "out" : "in", parameter};
    out.site.site.frames = {{"a.cu", 5 + parameter, 3, ""}};
    measure::FirstBlock& block = out.site.distribution.first_block;
    block.requests = 8, block.sectors = 256, block.distinct_sectors = 32;
    block.lanes = block.words = block.span = 256;
    return out;
  };
  Built one = piece(Kind::store, 0, 0), two = piece(Kind::store, 1, 0), in = piece(Kind::load, 0, 1);
  const auto change = [&](std::vector<Built*> all) {
    measure::LaunchRecord launch = launch_of(std::move(all));
    launch.name = "best(float*, float const*)";
    return advise_in(one, launch).at(0).change;
  };
  EXPECT_NE(change({&one, &two}).find("collect the block's elements"), std::string::npos);
  EXPECT_NE(change({&one, &two, &in}).find("thread t takes t, t + threads"), std::string::npos);
}

// Without a run the code tells that a thread stores its row once, from end to end.
TEST(Advise, RowsThatAreStoredFromEndToEndAreCollected) {
  const auto change = [](u32 elements) {
    std::vector<Built> all;
    for (u32 k = 0; k < elements; ++k) {
      all.push_back(site(Space::global, Kind::store, 4, [=](u32 l) { return u64{l} * 32 + 4 * k; }));
      all.back().site.site.array = {access::ArrayKind::parameter, "out"};
      all.back().site.site.frames = {{"a.cu", 5, 3, ""}};
    }
    std::vector<Built*> stores;
    for (Built& one : all) stores.push_back(&one);
    measure::LaunchRecord record = launch_of(stores);
    record.name = "fill(float*)";
    std::map<access::SiteId, Turns> once;
    for (const Built& one : all) once[one.site.site.id] = Turns::one;
    const Launch launch(record, 0, once);
    Context context = all[0].context;
    context.launch = &launch;
    return advise(all[0].site, context).at(0).change;
  };
  EXPECT_NE(change(8).find("collect the block's elements"), std::string::npos) << change(8);
  EXPECT_EQ(change(6).find("collect the block's elements"), std::string::npos) << change(6);
}

} // namespace
} // namespace warplens::advise
