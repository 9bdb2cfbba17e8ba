// The table: one row per compute capability, 1.0 to 12.1, ascending.
//
// A row starts from its generation's common part and names what differs. Limits are those of the table
// "Technical Specifications per Compute Capability" of the CUDA C Programming Guide (4.2 for 1.x and 2.x, 8.0
// for 3.x, 12 and 13 for the rest). The reference part's clocks and sizes are the product's published ones;
// what is inferred for a part that NVIDIA has not described says so in its source.
#include "arch/table.h"
#include <algorithm>

namespace warplens::arch {

// The rules that rows name, each in rules/; this is where a new one is declared.
namespace rules {
extern const Rule global_half_warp_strict; // 1.0 1.1: k-th thread, k-th word             global_half_warp.cpp
extern const Rule
    global_half_warp_segments;           // 1.2 1.3: shrinking segments                 global_half_warp.cpp
extern const Rule global_split_requests; // 2.x 3.x: wide words split into requests     global_requests.cpp
extern const Rule global_whole_warp;     // 5.0 on: one request per instruction         global_requests.cpp
extern const Rule shared_one_broadcast;  // 1.x: half-warps, one broadcast word a pass  shared_half_warp.cpp
extern const Rule shared_fermi;          // 2.x                                         shared_banks.cpp
extern const Rule shared_kepler_narrow;  // 3.x, 32-bit mode                            shared_banks.cpp
extern const Rule shared_kepler_wide;    // 3.x, 64-bit mode                            shared_banks.cpp
extern const Rule shared_by_group;       // 5.x 6.x                                     shared_banks.cpp
extern const Rule shared_pair_merge;     // 7.0 on: pairs of lanes merge wide loads     shared_pairs.cpp
extern const Rule constant_by_half_warp; // 1.x                                         constant.cpp
extern const Rule constant_by_warp;      // 2.0 on                                      constant.cpp
extern const Rule local_interleaved;     //                                             local.cpp
extern const Rule l1_stages;             // 7.0 on: the L1's tag and data stages            l1_stages.cpp
extern const Rule texture_groups;        // measured on 9.0, an estimate elsewhere      texture.cpp
} // namespace rules

namespace {

using enum Grade;
using namespace rules;

constexpr u64 MiB = u64{1} << 20, GiB = u64{1} << 30;
constexpr u32 KiB = 1 << 10;

constexpr std::string_view guide4 = "CUDA C Programming Guide 4.2", guide12 = "CUDA C++ Programming Guide 12",
                           measured_data =
                               "measured on an H100, Nsight Compute 2025.3, data in tests/arch/data";

// Rules, each with its source. A row whose grade differs copies one with `with`.
constexpr SpaceRule strict{
    &global_half_warp_strict,
    {"half-warps coalesce when thread k accesses word k of an aligned segment, else 32 bytes per lane",
     "CUDA C Programming Guide 4.2, F.3.2.1", documented}};
constexpr SpaceRule segments{
    &global_half_warp_segments,
    {"half-warps issue the 32-, 64- or 128-byte segments that they touch, halved while one half is unused",
     "CUDA C Programming Guide 4.2, F.3.2.2", documented}};
constexpr SpaceRule fermi_global{
    &global_split_requests,
    {"8- and 16-byte words are 2 and 4 requests; loads move 128-byte lines through L1, everything else "
     "32-byte sectors",
     "CUDA C Programming Guide 4.2, F.4.2; that stores and atomics move sectors is inferred", documented}};
constexpr SpaceRule kepler_global{
    &global_split_requests,
    {"8- and 16-byte words are 2 and 4 requests; L2 alone serves them in 32-byte sectors",
     "CUDA C Programming Guide 8.0, compute capability 3.x; Kepler Tuning Guide", documented}};
constexpr SpaceRule kepler_cached_global{&global_split_requests,
                                         {"as 3.0; loads marked ca or nc move 128-byte lines",
                                          "CUDA C Programming Guide 8.0, compute capability 3.x; "
                                          "that nc moves lines is inferred",
                                          documented}};
constexpr SpaceRule maxwell_global{&global_whole_warp,
                                   {"one request per instruction; 32-byte sectors from L2",
                                    "CUDA C++ Programming Guide 12, compute capability 5.x; "
                                    "CUDA C++ Best Practices Guide 10.2.1",
                                    documented}};
constexpr SpaceRule maxwell_cached_global{
    &global_whole_warp,
    {"one request per instruction; 32-byte sectors from L2, 128-byte segments for loads marked ca",
     "CUDA C++ Programming Guide 12, compute capability 5.x; CUDA C++ Best Practices Guide 10.2.1",
     documented}};
constexpr SpaceRule sector_global{&global_whole_warp,
                                  {"one request per instruction; 128-byte tags, 32-byte sectors",
                                   "CUDA C++ Best Practices Guide 10.2.1; "
                                   "CUDA C++ Programming Guide 12, compute capabilities 6.x to 12.x",
                                   documented}};

constexpr SpaceRule tesla_shared{
    &shared_one_broadcast,
    {"16 banks of 4 bytes, half-warps apart, one broadcast word a pass, wide words split",
     "CUDA C Programming Guide 4.2, F.3.3; choice of the broadcast word and stores inferred", documented}};
constexpr SpaceRule fermi_shared{&shared_fermi,
                                 {"32 banks of 4 bytes, equal words shared; 8 bytes by half-warps, 16 bytes "
                                  "one pass more than the worst quarter",
                                  "CUDA C Programming Guide 4.2, F.4.3; stores and atomics inferred",
                                  documented}};
constexpr SpaceRule kepler_shared{
    &shared_kepler_narrow,
    {"32 banks of 8 bytes in 32-bit mode: words i and i+32 of an aligned run of 64 do not conflict",
     "CUDA C Programming Guide 4.2, F.5.3; 16-byte words, stores and atomics inferred", documented}};
constexpr SpaceRule kepler_wide_shared{
    &shared_kepler_wide,
    {"32 banks of 8 bytes in 64-bit mode: equal 8-byte words shared",
     "CUDA C Programming Guide 4.2, F.5.3; 16-byte words, stores and atomics inferred", documented}};
constexpr SpaceRule maxwell_shared{
    &shared_by_group,
    {"32 banks of 4 bytes, equal words shared; 8 bytes by half-warps, 16 bytes by quarter-warps",
     "CUDA C++ Programming Guide 12, compute capability 5.x; the grouping of wide words and atomics inferred",
     documented}};
constexpr SpaceRule pair_shared{&shared_pair_merge,
                                {"32 banks of 4 bytes, equal words shared; 8 bytes by half-warps, 16 bytes "
                                 "by quarter-warps, wide loads of lanes in equal pairs merge",
                                 "CUDA C++ Programming Guide 12 for the banks; NVIDIA developer forum 77228 "
                                 "for the pairs; inferred from 9.0 for the rest",
                                 inferred}};
constexpr SpaceRule hopper_shared{&shared_pair_merge,
                                  {"32 banks of 4 bytes, equal words shared; 8 bytes by half-warps, 16 bytes "
                                   "by quarter-warps, wide loads of lanes in equal pairs merge",
                                   measured_data, measured}};

constexpr SpaceRule tesla_constant{&constant_by_half_warp,
                                   {"one request per different address of a half-warp",
                                    "CUDA C Programming Guide 4.2, 5.3.2.4 and F.3", documented}};
constexpr SpaceRule any_constant{&constant_by_warp,
                                 {"one request per different address of a warp",
                                  "CUDA C Programming Guide 4.2, 5.3.2.4; 12, 8.3.2", documented}};
constexpr SpaceRule hopper_constant{&constant_by_warp,
                                    {"one request per different address of a warp", measured_data, measured}};

constexpr SpaceRule any_local{
    &local_interleaved,
    {"4-byte words of consecutive lanes are adjacent; a wider element is one request per word",
     "CUDA C Programming Guide 4.2, 5.3.2.2; 12, 8.3.2; one request per word inferred from 9.0", documented}};
constexpr SpaceRule hopper_local{
    &local_interleaved,
    {"4-byte words of consecutive lanes are adjacent; a wider element is one request per word", measured_data,
     measured}};

constexpr std::string_view stages_text =
    "tag passes: a line in each of four sets; data wavefronts: the words of a "
    "pass in one of 32 banks; atomics and stores of 1 and 2 bytes estimates";
constexpr SpaceRule any_stages{&l1_stages,
                               {stages_text, "not documented; inferred from 9.0, an estimate", inferred}};
constexpr SpaceRule hopper_stages{
    &l1_stages,
    {stages_text, "measured on an H100 and an H200, Nsight Compute 2025.3, data in tests/arch/data",
     measured}};

constexpr std::string_view costs_text =
    "an SM does a tag pass or a wavefront per cycle; a constant request takes 2 cycles, a sector from "
    "memory 4, an L2 update of a word 4";
constexpr StageCosts any_costs{
    .constant_request = 2,
    .source = {costs_text, "not documented; inferred from 9.0, an estimate", inferred}};
constexpr StageCosts hopper_costs{.constant_request = 2, // 2.2: 59,642 requests of each SM in 66.6 µs
                                  .source = {costs_text,
                                             "measured on an H200, tests/arch/data/h200_rates.jsonl and "
                                             "tests/hardware/data/h200_variants.json",
                                             measured}};

constexpr std::string_view texture_text =
    "one request per four lanes (surfaces: 8); the sectors of each four, of each pair for wide filters, "
    "of each 8 for linear buffers and surfaces";
constexpr SpaceRule any_texture{&texture_groups,
                                {texture_text, "not documented; inferred from 9.0, an estimate", inferred}};
constexpr SpaceRule hopper_texture{
    &texture_groups,
    {texture_text,
     "measured on an H100 and an H200, data in tests/arch/data and tests/hardware/data; texels of 2 bytes, "
     "mip levels and atomics on surfaces an estimate",
     measured}};

// --- generations ---

constexpr Architecture tesla(u32 sm, ReferencePart part, SpaceRule global, u32 warps, u32 registers,
                             u32 register_allocation_unit) {
  Architecture row;
  row.costs = any_costs;
  row.sm = sm, row.generation = "Tesla", row.part = part;
  row.limits = {.threads_per_block = 512,
                .threads_per_sm = warps * 32,
                .blocks_per_sm = 8,
                .registers_per_sm = registers,
                .registers_per_block = registers,
                .registers_per_thread = 124,
                .register_allocation_unit = register_allocation_unit,
                .shared_per_block = 16 * KiB,
                .shared_per_block_optin = 16 * KiB,
                .shared_per_sm = 16 * KiB,
                .shared_allocation_unit = 512,
                .warp_schedulers = 1,
                .block = {512, 512, 64},
                .grid = {65535, 65535, 1}};
  row.banks = {.count = 16, .width = 4, .group_lanes = 16};
  row.memory = {.l1 = L1Policy::none,
                .segments = true,
                .pitch_alignment = 256,
                .texture_alignment = 256,
                .texture_pitch_alignment = 32,
                .surface_alignment = 256};
  row.global = global, row.shared = tesla_shared, row.constant = tesla_constant, row.local = any_local,
  row.texture = any_texture;
  row.part_source = {"limits and reference part", "CUDA C Programming Guide 4.2, F.1", documented};
  return row;
}

constexpr Architecture fermi(u32 sm, ReferencePart part) {
  Architecture row;
  row.costs = any_costs;
  row.sm = sm, row.generation = "Fermi", row.part = part;
  row.limits = {.threads_per_sm = 1536,
                .blocks_per_sm = 8,
                .registers_per_sm = 32 * KiB,
                .registers_per_block = 32 * KiB,
                .registers_per_thread = 63,
                .register_allocation_unit = 64,
                .shared_allocation_unit = 128,
                .warp_schedulers = 2,
                .grid = {65535, 65535, 65535}};
  row.memory = {.l1 = L1Policy::on, .local_lines = true};
  row.global = fermi_global, row.shared = fermi_shared, row.constant = any_constant, row.local = any_local,
  row.texture = any_texture;
  row.part_source = {"limits and reference part", "CUDA C Programming Guide 4.2, F.1", documented};
  return row;
}

constexpr Architecture kepler(u32 sm, ReferencePart part, u32 registers_per_thread) {
  Architecture row;
  row.costs = any_costs;
  row.sm = sm, row.generation = "Kepler", row.part = part;
  row.limits = {.threads_per_sm = 2048,
                .blocks_per_sm = 16,
                .registers_per_sm = 64 * KiB,
                .registers_per_block = 64 * KiB,
                .registers_per_thread = registers_per_thread};
  row.banks = {.count = 32, .width = 8, .group_lanes = 32};
  row.memory = {.l1 = L1Policy::none, .local_lines = true};
  row.global = kepler_global, row.shared = kepler_shared, row.shared_wide = kepler_wide_shared;
  row.constant = any_constant, row.local = any_local, row.texture = any_texture;
  row.part_source = {"limits and reference part", "CUDA C Programming Guide 8.0, technical specifications",
                     documented};
  return row;
}

// 5.0 and later: what grows is warps, blocks and shared memory.
struct Sizes {
  u32 warps, blocks, shared_per_sm, shared_optin, reserved;
};

constexpr Features maxwell{}, pascal{.concurrent_managed_access = true, .cooperative_launch = true},
    hopper{.concurrent_managed_access = true, .cooperative_launch = true, .cluster_launch = true};

constexpr Architecture modern(u32 sm, std::string_view generation, ReferencePart part, Sizes sizes,
                              Features features, SpaceRule global, SpaceRule shared) {
  Architecture row;
  row.costs = any_costs;
  row.sm = sm, row.generation = generation, row.part = part;
  row.limits = {.threads_per_sm = sizes.warps * 32,
                .blocks_per_sm = sizes.blocks,
                .registers_per_sm = 64 * KiB,
                .registers_per_block = 64 * KiB,
                .registers_per_thread = 255,
                .shared_per_block_optin = sizes.shared_optin * KiB,
                .shared_per_sm = sizes.shared_per_sm * KiB,
                .shared_reserved_per_block = sizes.reserved * KiB,
                .shared_allocation_unit = sizes.reserved ? 128u : 256u};
  row.memory = {.l1 = L1Policy::on, .l1_line = 32};
  row.features = features;
  row.global = global, row.shared = shared, row.constant = any_constant, row.local = any_local,
  row.texture = any_texture;
  row.part_source = {"limits and reference part", "CUDA C++ Programming Guide 13, technical specifications",
                     documented};
  return row;
}

// 7.0 and later: the L1 and shared memory are one.
constexpr Architecture unified(u32 sm, std::string_view generation, ReferencePart part, Sizes sizes,
                               Features features) {
  Architecture row = modern(sm, generation, part, sizes, features, sector_global, pair_shared);
  row.stages = any_stages;
  row.features.independent_threads = true;
  return row;
}

constexpr Architecture with_l1(Architecture row, SpaceRule global, L1Policy policy, bool for_nc) {
  row.global = global;
  row.memory.l1 = policy, row.memory.l1_for_nc = for_nc, row.memory.l1_line = 128;
  return row;
}

constexpr Architecture small_register_file(Architecture row) {
  row.limits.registers_per_block = 32 * KiB;
  return row;
}

constexpr Architecture gk210(Architecture row) {
  row.limits.registers_per_sm = 128 * KiB;
  row.limits.shared_per_sm = 112 * KiB;
  return row;
}

constexpr Architecture measured_hopper(Architecture row) {
  row.global.source = {row.global.source.rule, measured_data, measured};
  row.shared = hopper_shared, row.constant = hopper_constant, row.local = hopper_local;
  row.texture = hopper_texture, row.stages = hopper_stages, row.costs = hopper_costs;
  return row;
}

constexpr Architecture undescribed(Architecture row, std::string_view why) {
  row.part_source = {"limits and reference part", why, inferred};
  return row;
}

constexpr Architecture rows[] = {
    tesla(10, {"Tesla C870", 16, 1350000, 800000, 384, 1536 * MiB, 0}, strict, 24, 8 * KiB, 256),
    tesla(11, {"GeForce 9800 GTX", 16, 1688000, 1100000, 256, 512 * MiB, 0}, strict, 24, 8 * KiB, 256),
    tesla(12, {"GeForce GT 240", 12, 1340000, 1700000, 128, 512 * MiB, 0}, segments, 32, 16 * KiB, 512),
    tesla(13, {"Tesla C1060", 30, 1296000, 800000, 512, 4 * GiB, 0}, segments, 32, 16 * KiB, 512),
    fermi(20, {"Tesla C2050", 14, 1147000, 1500000, 384, 3 * GiB, 768 * KiB}),
    fermi(21, {"GeForce GTX 560 Ti", 8, 1645000, 2004000, 256, 1 * GiB, 512 * KiB}),
    kepler(30, {"GeForce GTX 680", 8, 1058500, 3004000, 256, 2 * GiB, 512 * KiB}, 63),
    small_register_file(kepler(32, {"Tegra K1", 1, 852000, 924000, 64, 2 * GiB, 128 * KiB}, 255)),
    with_l1(kepler(35, {"Tesla K40m", 15, 745000, 3004000, 384, 12 * GiB, 1536 * KiB}, 255),
            kepler_cached_global, L1Policy::opt_in, true),
    gk210(with_l1(kepler(37, {"Tesla K80", 13, 823500, 2505000, 384, 12 * GiB, 1536 * KiB}, 255),
                  kepler_cached_global, L1Policy::opt_in, true)),
    modern(50, "Maxwell", {"GeForce GTX 750 Ti", 5, 1084500, 2700000, 128, 2 * GiB, 2 * MiB},
           {64, 32, 64, 48, 0}, maxwell, maxwell_global, maxwell_shared),
    with_l1(modern(52, "Maxwell", {"Tesla M40", 24, 1112000, 3004000, 384, 12 * GiB, 3 * MiB},
                   {64, 32, 96, 48, 0}, maxwell, maxwell_global, maxwell_shared),
            maxwell_cached_global, L1Policy::opt_in, false),
    with_l1(
        small_register_file(modern(53, "Maxwell", {"Tegra X1", 2, 998400, 1600000, 64, 4 * GiB, 256 * KiB},
                                   {64, 32, 64, 48, 0}, maxwell, maxwell_global, maxwell_shared)),
        maxwell_cached_global, L1Policy::opt_in, false),
    modern(60, "Pascal", {"Tesla P100-SXM2-16GB", 56, 1480500, 715000, 4096, 16 * GiB, 4 * MiB},
           {64, 32, 64, 48, 0}, pascal, sector_global, maxwell_shared),
    modern(61, "Pascal", {"GeForce GTX 1080 Ti", 28, 1582000, 5505000, 352, 11 * GiB, 2816 * KiB},
           {64, 32, 96, 48, 0}, pascal, sector_global, maxwell_shared),
    small_register_file(modern(62, "Pascal", {"Tegra X2", 2, 1300500, 1600000, 128, 8 * GiB, 512 * KiB},
                               {64, 32, 64, 48, 0}, pascal, sector_global, maxwell_shared)),
    unified(70, "Volta", {"Tesla V100-SXM2-16GB", 80, 1530000, 877000, 4096, 16 * GiB, 6 * MiB},
            {64, 32, 96, 96, 0}, pascal),
    unified(72, "Volta", {"Jetson AGX Xavier", 8, 1377000, 1377000, 256, 32 * GiB, 512 * KiB},
            {64, 32, 96, 96, 0}, pascal),
    unified(75, "Turing", {"Tesla T4", 40, 1590000, 5001000, 256, 16 * GiB, 4 * MiB}, {32, 16, 64, 64, 0},
            pascal),
    unified(80, "Ampere", {"NVIDIA A100-SXM4-40GB", 108, 1410000, 1215000, 5120, 40 * GiB, 40 * MiB},
            {64, 32, 164, 163, 1}, pascal),
    unified(86, "Ampere", {"NVIDIA GeForce RTX 3090", 82, 1695000, 9751000, 384, 24 * GiB, 6 * MiB},
            {48, 16, 100, 99, 1}, pascal),
    unified(87, "Ampere", {"Jetson AGX Orin", 16, 1300000, 3200000, 256, 64 * GiB, 4 * MiB},
            {48, 16, 164, 163, 1}, pascal),
    undescribed(unified(88, "Ampere",
                        {"Ampere, compute capability 8.8", 12, 1400000, 3200000, 128, 12 * GiB, 1 * MiB},
                        {48, 16, 100, 99, 1}, pascal),
                "PTX ISA 9.0 names sm_88; no product is described: limits are 8.6's, sizes an assumption"),
    unified(89, "Ada", {"NVIDIA GeForce RTX 4090", 128, 2520000, 10501000, 384, 24 * GiB, 72 * MiB},
            {48, 24, 100, 99, 1}, pascal),
    measured_hopper(unified(90, "Hopper",
                            {"NVIDIA H100 80GB HBM3", 132, 1980000, 2619000, 5120, 80 * GiB, 50 * MiB},
                            {64, 32, 228, 227, 1}, hopper)),
    unified(100, "Blackwell", {"NVIDIA B200", 148, 1965000, 3996000, 8192, 180 * GiB, 126 * MiB},
            {64, 32, 228, 227, 1}, hopper),
    unified(103, "Blackwell", {"NVIDIA B300", 148, 1920000, 3996000, 8192, 268 * GiB, 126 * MiB},
            {64, 32, 228, 227, 1}, hopper),
    undescribed(unified(110, "Blackwell", {"Jetson AGX Thor", 20, 1575000, 4266000, 256, 128 * GiB, 32 * MiB},
                        {48, 24, 228, 227, 1}, hopper),
                "CUDA C++ Programming Guide 13, technical specifications; clocks and L2 of the part are an "
                "assumption"),
    unified(120, "Blackwell", {"NVIDIA GeForce RTX 5090", 170, 2407000, 14001000, 512, 32 * GiB, 96 * MiB},
            {48, 24, 100, 99, 1}, hopper),
    undescribed(unified(121, "Blackwell", {"NVIDIA GB10", 48, 2418000, 4266000, 256, 128 * GiB, 24 * MiB},
                        {48, 24, 100, 99, 1}, hopper),
                "CUDA C++ Programming Guide 13, technical specifications; clocks and L2 of the part are an "
                "assumption"),
};

constexpr std::size_t row_count = std::size(rows);

constexpr auto make_pointers() {
  std::array<const Architecture*, row_count> pointers{};
  for (std::size_t i = 0; i < row_count; ++i) pointers[i] = &rows[i];
  return pointers;
}
constexpr auto pointers = make_pointers();

} // namespace

const Architecture* find(u32 sm) {
  const auto* at = std::ranges::find(rows, sm, &Architecture::sm);
  return at == std::end(rows) ? nullptr : at;
}

std::span<const Architecture* const> all() { return pointers; }
u32 sm(const Architecture& row) { return row.sm; }
u32 major(const Architecture& row) { return row.sm / 10; }
u32 minor(const Architecture& row) { return row.sm % 10; }

std::string_view name(Grade grade) {
  switch (grade) {
  case Grade::documented: return "documented";
  case Grade::measured: return "measured";
  case Grade::inferred: return "inferred";
  }
  return "";
}

std::string_view name(L1Policy policy) {
  switch (policy) {
  case L1Policy::none: return "none";
  case L1Policy::opt_in: return "opt-in";
  case L1Policy::on: return "on";
  }
  return "";
}

Architecture configured(const Architecture& row, const Options& options) {
  Architecture out = row;
  if (out.memory.l1 != L1Policy::none && options.l1_on) out.memory.l1 = L1Policy::on;
  if (out.memory.l1 == L1Policy::on && options.l1_off) out.memory.l1 = L1Policy::opt_in;
  if (options.wide_banks && out.shared_wide.rule != nullptr) out.shared = out.shared_wide;
  return out;
}

} // namespace warplens::arch
