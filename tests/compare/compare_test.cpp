// Sides made by hand, with counts that differ for one reason each.
#include "compare/compare.h"
#include "compare/launches.h"
#include <gtest/gtest.h>

namespace warplens::compare {
namespace {

using access::Kind;
using access::Space;
using arch::Counts;

measure::SiteRecord site(u32 line, Space space, Kind kind, Counts counts, u8 bytes = 4) {
  measure::SiteRecord out;
  out.space = out.site.space = space;
  out.site.kind = kind;
  out.site.bytes = bytes;
  out.site.id.value = line * 16 + static_cast<u32>(space) * 4 + static_cast<u32>(kind);
  out.site.function = "k";
  if (line != 0) out.site.frames = {{"/src/a.cu", line, 1, {}}};
  out.counters = {counts};
  return out;
}

Counts global(u64 instructions, u64 threads, u64 sectors) {
  Counts out;
  out.instructions = instructions, out.threads = threads, out.tags = instructions,
  out.sectors = out.ideal_sectors = sectors;
  return out;
}

Counts shared(u64 instructions, u64 threads, u64 wavefronts) {
  Counts out;
  out.instructions = instructions, out.threads = threads, out.wavefronts = out.ideal_wavefronts = wavefronts;
  return out;
}

summary::Input run(std::vector<measure::SiteRecord> sites, bool measured, Dim3 grid = {8, 1, 1},
                   std::string name = "void k<int>(int *)") {
  summary::Input out;
  out.sm = {90};
  if (measured) out.measured.emplace();
  measure::LaunchRecord launch;
  launch.kernel = "_Z1kIiEvPi", launch.name = std::move(name);
  launch.grid = grid, launch.block = {256, 1, 1};
  launch.sm = {90};
  launch.sites = std::move(sites);
  summary::LaunchList(out.launches).add(summary::Launch(std::move(launch)));
  return out;
}

std::optional<std::string> none(const std::string&, u32) { return {}; }

Model compared(const summary::Input& a, const summary::Input& b, const Options& options = {}) {
  Result<Model> out = compare({{"a", &a}, {"b", &b}}, {none, none}, none, options);
  EXPECT_TRUE(out.has_value());
  return std::move(*out);
}

Reason reason(const measure::SiteRecord& predicted, const measure::SiteRecord& measured) {
  const summary::Input a = run({predicted}, false), b = run({measured}, true);
  const Model model = compared(a, b);
  EXPECT_EQ(model.different.size(), 1u);
  return model.different.empty() ? Reason::none : model.different.begin()->first;
}

TEST(Comparing, EqualSidesAreEqual) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false),
                       b = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true);
  const Model model = compared(a, b);
  EXPECT_FALSE(model.differs);
  EXPECT_EQ(model.equal, 5u);
  EXPECT_TRUE(model.different.empty());
  EXPECT_EQ(model.launches_equal, 1u);
}

TEST(Comparing, TheToleranceIsOfTheLargerCount) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 1000))}, false),
                       b = run({site(3, Space::global, Kind::load, global(8, 256, 999))}, true);
  EXPECT_TRUE(compared(a, b).differs);
  EXPECT_FALSE(compared(a, b, {.tolerance = 0.001}).differs);
}

TEST(Comparing, AnAcceptedReasonIsNoDifference) {
  const summary::Input a = run({site(3, Space::global, Kind::store, global(8, 256, 32))}, false),
                       b = run({site(3, Space::global, Kind::store,
                                     [] {
                                       Counts counts = global(8, 256, 32);
                                       counts.instructions = 12;
                                       return counts;
                                     }())},
                               true);
  EXPECT_TRUE(compared(a, b).differs);
  EXPECT_FALSE(compared(a, b, {.accepted = {Reason::predicated}}).differs);
}

TEST(Comparing, WhatIsPredictedIsHeldAgainstWhatIsMeasuredInEitherOrder) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true),
                       b = run({site(3, Space::global, Kind::load, global(8, 256, 64))}, false);
  const Model model = compared(a, b);
  EXPECT_EQ(model.base, 1u);
  EXPECT_EQ(model.other, 0u);
}

// A launch with sums of the hardware and no counters by line.
summary::Input sums_of(const std::map<std::string, double>& counters) {
  summary::Input out = run({}, true);
  summary::Launch launch = out.launches[0];
  launch.counters = counters;
  out.launches.clear();
  summary::LaunchList(out.launches).add(std::move(launch));
  return out;
}

const Count* sum_called(const Model& model, std::string_view part) {
  for (const Count& count : model.kernels.at(0).groups.at(0).sums)
    if (count.name.find(part) != count.name.npos) return &count;
  return nullptr;
}

TEST(Sums, OfSharedMemoryAreThoseByInstruction) {
  const std::string passes = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_";
  const summary::Input a = run({site(3, Space::shared, Kind::load, shared(8, 256, 40)),
                                site(4, Space::global, Kind::async_copy, shared(2, 64, 8))},
                               false),
                       b = sums_of(
                           {{passes + "ld.sum", 30}, {passes + "ldsm.sum", 10}, {passes + "ldgsts.sum", 9}});
  const Model model = compared(a, b);
  const Count *loads = sum_called(model, "op_ld.sum"), *copies = sum_called(model, "op_ldgsts.sum");
  ASSERT_TRUE(loads != nullptr && copies != nullptr);
  EXPECT_EQ(loads->values, (Values{40, 40}));
  EXPECT_EQ(copies->values, (Values{8, 9}));
  EXPECT_EQ(sum_called(model, "ldsm"), nullptr) << "is part of the loads";
}

TEST(Sums, HaveTheReasonThatTheirSpaceAndKindTell) {
  Counts atomics = shared(8, 256, 64), local = global(8, 256, 32);
  local.requests = 8;
  const summary::Input a = run({site(3, Space::shared, Kind::atomic, atomics),
                                site(4, Space::local, Kind::store, local)},
                               false),
                       b = sums_of({{"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 8},
                                    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 0},
                                    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 40}});
  const Model model = compared(a, b);
  EXPECT_EQ(sum_called(model, "op_atom")->reason, Reason::contended);
  EXPECT_EQ(sum_called(model, "t_requests")->reason, Reason::registers);
  EXPECT_EQ(sum_called(model, "t_sectors")->reason, Reason::spilled);
}

// l1tex__t_sectors is no count by instruction: the lines are equal, and the launch is not.
TEST(Sums, ThatDifferWhereNoLineDoesMakeADifference) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false);
  auto measured = [&](double sectors) {
    summary::Input b = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true);
    b.launches[0].counters = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors}};
    return b;
  };
  const summary::Input same = measured(32), more = measured(33);
  EXPECT_FALSE(compared(a, same).differs);
  const Model model = compared(a, more);
  EXPECT_TRUE(model.differs);
  EXPECT_EQ(model.different, (std::map<Reason, u64>{{Reason::unexplained, 1}}));
  EXPECT_FALSE(compared(a, more, {.tolerance = 0.05}).differs);
}

TEST(Sums, AreNotComparedWhereNothingIsPredicted) {
  const std::string passes = "l1tex__t_output_wavefronts_pipe_lsu_mem_";
  Counts coalesced = global(8, 256, 32), scattered = coalesced;
  coalesced.requests = scattered.requests = 8, coalesced.tags = 8, scattered.tags = 40;
  const summary::Input measured =
      sums_of({{passes + "local_op_ld.sum", 8}, {passes + "global_op_ld.sum", 5}});
  auto count = [&](Space space, Kind kind, const Counts& counts, std::string_view name) {
    return sum_called(compared(run({site(3, space, kind, counts)}, false), measured), name) != nullptr;
  };
  EXPECT_TRUE(count(Space::local, Kind::load, coalesced, "local_op_ld"));
  EXPECT_FALSE(count(Space::local, Kind::load, scattered, "local_op_ld"))
      << "where the lines lie is not known";
  EXPECT_TRUE(count(Space::global, Kind::load, coalesced, "global_op_ld"));
  EXPECT_FALSE(count(Space::global, Kind::async_copy, coalesced, "global_op_ld")) << "no rule";
}

TEST(Reasons, FollowFromWhatStaysTheSame) {
  Counts more = global(8, 256, 32);
  more.instructions = 16;
  EXPECT_EQ(reason(site(3, Space::global, Kind::load, global(8, 256, 32)),
                   site(3, Space::global, Kind::load, more)),
            Reason::predicated);
  EXPECT_EQ(reason(site(3, Space::shared, Kind::load, shared(32, 1024, 32)),
                   site(3, Space::shared, Kind::load, shared(8, 256, 32), 16)),
            Reason::widened);
  EXPECT_EQ(reason(site(3, Space::global, Kind::load, global(24, 768, 96)),
                   site(3, Space::global, Kind::load, global(8, 256, 32))),
            Reason::merged);
  EXPECT_EQ(reason(site(3, Space::shared, Kind::load, shared(24, 768, 24)),
                   site(3, Space::shared, Kind::load, shared(8, 256, 8))),
            Reason::registers);
  EXPECT_EQ(reason(site(3, Space::shared, Kind::atomic, shared(8, 256, 96)),
                   site(3, Space::shared, Kind::atomic, shared(8, 256, 8))),
            Reason::contended);
  EXPECT_EQ(reason(site(3, Space::global, Kind::load, global(8, 256, 32)),
                   site(3, Space::global, Kind::load, global(8, 256, 40))),
            Reason::unexplained);
}

TEST(Reasons, TheAssemblerChangedNothingOfMachineCode) {
  auto reasons = [](u32 machine_code) {
    summary::Input a = run({site(3, Space::shared, Kind::load, shared(24, 768, 24)),
                            site(4, Space::local, Kind::load, global(8, 256, 32))},
                           false);
    a.launches[0].record.machine_code = machine_code;
    const summary::Input b = run({site(3, Space::shared, Kind::load, shared(8, 256, 8))}, true);
    std::set<Reason> out;
    for (const auto& [reason, count] : compared(a, b).different) out.insert(reason);
    return out;
  };
  EXPECT_EQ(reasons(0), (std::set{Reason::registers}));
  EXPECT_EQ(reasons(90), (std::set{Reason::not_repeated, Reason::unexplained}));
}

TEST(Reasons, LocalMemoryIsSpilledOrKeptInRegisters) {
  const summary::Input none = run({}, false),
                       array = run({site(3, Space::local, Kind::load, global(8, 256, 32))}, false);
  const summary::Input spills = run({site(3, Space::local, Kind::load, global(8, 256, 32))}, true),
                       kept = run({}, true);
  EXPECT_TRUE(compared(none, spills).different.contains(Reason::spilled));
  EXPECT_TRUE(compared(array, kept).different.contains(Reason::registers));
}

TEST(Reasons, TheSameAtAnotherLineIsNoOtherCount) {
  const summary::Input a = run({site(0, Space::global, Kind::load, global(8, 256, 32))}, false),
                       b = run({site(5, Space::global, Kind::load, global(8, 256, 32))}, true);
  const Model model = compared(a, b);
  ASSERT_EQ(model.different.size(), 1u);
  EXPECT_TRUE(model.different.contains(Reason::other_line));
}

TEST(Reasons, OtherGridsAreOtherInput) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false, {8, 1, 1}),
                       b = run({site(3, Space::global, Kind::load, global(16, 512, 64))}, true, {16, 1, 1});
  EXPECT_TRUE(compared(a, b).different.contains(Reason::other_input));
}

TEST(Reasons, EachHasANameThatLeadsBackToIt) {
  for (u32 value = 0; value <= static_cast<u32>(Reason::unexplained); ++value) {
    const auto one = static_cast<Reason>(value);
    EXPECT_EQ(reason_called(name(one)), one);
    EXPECT_FALSE(words(one).empty());
  }
  EXPECT_FALSE(reason_called("weather"));
}

TEST(Launches, KernelsAreMatchedHoweverTheirNamesAreWritten) {
  EXPECT_EQ(plain_name("void k<int>(int *)"), "k<int>");
  EXPECT_EQ(plain_name("void increment<float>(const float*, float*, int)"), "increment<float>");
  EXPECT_EQ(plain_name("ns::f<void (*)(int)>(int)"), "ns::f<void(*)(int)>");
  EXPECT_EQ(plain_name("(anonymous namespace)::k(int)"), "(anonymousnamespace)::k");
  EXPECT_EQ(plain_name(""), "");
  // As a demangler has them, and as Nsight Compute prints them.
  for (const char* name : {"void reduce7<int, 256u, true>(int const*, int*, unsigned int)",
                           "void reduce7<int, 256, 1>(const T1 *, T1 *, unsigned int)",
                           "void reduce7<int, (unsigned int)256, (bool)1>(int const*, int*, unsigned int)"})
    EXPECT_EQ(plain_name(name), "reduce7<int,256,1>");
  EXPECT_EQ(plain_name("f<(E)-2, -3ll, T1, truest, a::g<false>, &(x)>(int)"),
            "f<-2,-3,T1,truest,a::g<0>,&(x)>");
  EXPECT_EQ(plain_name("void f<(lambda at a.cu:3:4)>(int)"), "f<(lambdaata.cu:3:4)>");
  summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false);
  summary::Input b =
      run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true, {8, 1, 1}, "void k<int>(int*)");
  b.launches[0].record.kernel = "void k<int>(int*)"; // as a page of ncu --csv has it
  const Model model = compared(a, b);
  EXPECT_EQ(model.kernels.size(), 1u);
  EXPECT_FALSE(model.differs);
}

// Nsight Compute leaves out namespaces. Where that leaves two kernels of a side alike, each is its own.
TEST(Launches, KernelsAreMatchedWithoutNamespacesWhereThatIsClear) {
  auto named = [](bool measured, std::initializer_list<const char*> names) {
    summary::Input out = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, measured);
    const summary::Launch one = out.launches[0];
    out.launches.clear();
    for (const char* name : names) {
      summary::Launch& launch = out.launches.emplace_back(one);
      launch.record.kernel = launch.record.name = name;
      launch.record.index = out.launches.size() - 1;
      launch.when[0].first = launch.record.index;
    }
    return out;
  };
  const summary::Input full = named(false, {"a::b::c::k<a::T>::g(int)", "void c::other<int>(int)"}),
                       shortened = named(true, {"a::c::k<T>::g(int)", "void other<int>(int)"});
  EXPECT_EQ(compared(full, shortened).kernels.size(), 2u);
  EXPECT_FALSE(compared(full, shortened).differs);
  const summary::Input two = named(false, {"a::k(int)", "b::k(int)"}),
                       one = named(true, {"k(int)", "k(int)"});
  EXPECT_EQ(compared(two, one).kernels.size(), 3u);
  EXPECT_TRUE(compared(two, one).differs);
  const summary::Input first = named(false, {"a::k(int)"}), second = named(true, {"b::k(int)"});
  EXPECT_EQ(compared(first, second).kernels.size(), 2u) << "neither is shortened";
  // What has no name is written in two ways: such kernels are matched in their order.
  const char *lambda = "void n::k<4, n::g(n::T&)::{lambda()#1}, A<char*, 2ul> >(int)",
             *other = "void k<{lambda(int)#2}>(int)";
  const summary::Input mine = named(false, {lambda, other, "void n::(anonymous namespace)::m<1u>(int)"}),
                       theirs = named(
                           true, {"void n::k<4, n::g(n::T &)::[lambda() (instance 1)], A<char *, 2>>(int)",
                                  "void k<[lambda(int) (instance 2)]>(int)", "void n::<unnamed>::m<1>(int)"});
  EXPECT_EQ(compared(mine, theirs).kernels.size(), 3u);
  EXPECT_FALSE(compared(mine, theirs).differs);
  EXPECT_TRUE(compared(mine, named(true, {"void k<[lambda(int) (instance 2)]>(int)"})).differs)
      << "which is not known";
}

TEST(Launches, OneThatIsMissingIsADifference) {
  summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false);
  a.launches[0].repeat(0, 1);
  const summary::Input b = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true);
  const Model model = compared(a, b);
  EXPECT_TRUE(model.differs);
  EXPECT_EQ(model.launches, 1u);
  ASSERT_EQ(model.notes.size(), 2u);
  EXPECT_TRUE(model.notes[1].starts_with("the sides differ in their launches alone")) << model.notes[1];
}

TEST(Launches, OneThatCudaRefusedIsNotMeasured) {
  const summary::Input measured = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true);
  summary::Input predicted = run({}, false, {8, 1, 1});
  predicted.launches[0].record.status = measure::Status::refused;
  summary::Launch ran = measured.launches[0];
  ran.record.index = ran.when[0].first = 1;
  predicted.launches.push_back(ran);
  const Model model = compared(predicted, measured);
  EXPECT_FALSE(model.differs);
  EXPECT_TRUE(model.notes.empty());
  EXPECT_EQ(compared(predicted, predicted).launches, 2u) << "two predictions have both";
}

TEST(Writers, SayTheResidualAndTheReason) {
  const summary::Input a = run({site(3, Space::shared, Kind::atomic, shared(8, 256, 96))}, false),
                       b = run({site(3, Space::shared, Kind::atomic, shared(8, 256, 48))}, true);
  const Model model = compared(a, b);
  const std::string text = terminal(model, 100, false, 5);
  EXPECT_NE(text.find("-50.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("contended"), std::string::npos) << text;
  EXPECT_NE(text.find("a.cu:3"), std::string::npos) << text;
  const std::string document = json(model, "0");
  EXPECT_NE(document.find("\"residual\": -0.5"), std::string::npos) << document;
  EXPECT_NE(document.find("\"reason\": \"contended\""), std::string::npos);
}

summary::SourceLines texts(std::map<u32, std::string> lines) {
  return [lines = std::move(lines)](const std::string&, u32 line) -> std::optional<std::string> {
    auto found = lines.find(line);
    return found == lines.end() ? std::nullopt : std::optional(found->second);
  };
}

// Two lines went down by 2, and one of them was edited; another is new.
TEST(Comparing, LinesOfAChangedSourceAreFoundByTheirText) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 256)),
                                site(4, Space::global, Kind::store, global(8, 256, 32))},
                               false),
                       b = run({site(4, Space::shared, Kind::store, shared(8, 256, 8)),
                                site(5, Space::global, Kind::load, global(8, 256, 32)),
                                site(6, Space::global, Kind::store, global(8, 256, 32))},
                               false);
  const summary::SourceLines before = texts({{3, "float x = a[32 * i];"}, {4, "b[i] = x;"}}),
                             after = texts({{4, "tile[t] = 0;"}, {5, "float x = a[i];"}, {6, "b[i] = x;"}});
  Result<Model> model = compare({{"a", &a}, {"b", &b}}, {before, after}, none, {});
  ASSERT_TRUE(model.has_value());
  const std::vector<Line>& lines = model->kernels.at(0).groups.at(0).lines;
  ASSERT_EQ(lines.size(), 3u);
  const Line load = *std::ranges::find_if(lines, [](const Line& line) { return line.numbers[1] == 5; });
  EXPECT_EQ(load.numbers[0], 3u);
  EXPECT_EQ(load.reason, Reason::edited);
  const Line store = *std::ranges::find_if(lines, [](const Line& line) { return line.numbers[1] == 6; });
  EXPECT_EQ(store.numbers[0], 4u);
  EXPECT_EQ(store.reason, Reason::none);
  const Line fresh = *std::ranges::find_if(lines, [](const Line& line) { return line.numbers[0] == 0; });
  EXPECT_EQ(fresh.space, Space::shared);
  EXPECT_EQ(fresh.text, "tile[t] = 0;");
  EXPECT_EQ(fresh.reason, Reason::edited);
  EXPECT_EQ(model->different, (std::map<Reason, u64>{{Reason::edited, 6}}));
}

// A profiler brings no texts along: those on disk now say nothing of what it measured.
TEST(Comparing, AFileOnDiskMovesNoLine) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, false),
                       b = run({site(3, Space::global, Kind::load, global(8, 256, 32))}, true);
  Result<Model> model = compare({{"a", &a}, {"b", &b}}, {texts({{3, "x = a[i];"}}), none},
                                texts({{3, "int unrelated;"}, {5, "x = a[i];"}}), {});
  ASSERT_TRUE(model.has_value());
  EXPECT_FALSE(model->differs);
}

// The same source, of which one side shows an access at another line with the same text.
TEST(Comparing, LinesOfOneSourceKeepTheirNumbers) {
  const summary::Input a = run({site(3, Space::global, Kind::load, global(8, 256, 32)),
                                site(9, Space::global, Kind::load, global(8, 256, 32))},
                               false),
                       b = run({site(9, Space::global, Kind::load, global(16, 512, 64))}, true);
  const summary::SourceLines source = texts({{3, "x += a[i];"}, {9, "x += a[i];"}});
  Result<Model> model = compare({{"a", &a}, {"b", &b}}, {source, source}, none, {});
  ASSERT_TRUE(model.has_value());
  for (const Line& line : model->kernels.at(0).groups.at(0).lines)
    EXPECT_EQ(line.numbers, (line.place.line == 3 ? std::array<u32, most_sides>{3, 0, 0}
                                                  : std::array<u32, most_sides>{9, 9, 0}));
}

} // namespace
} // namespace warplens::compare
