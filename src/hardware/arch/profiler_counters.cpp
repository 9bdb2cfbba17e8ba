// Two tables and a reader. `quantities` has what is counted, by unit and first words; `parts` has the words that say of what.
// A counter takes the longest quantity that its name begins with, and the rest is read part by part. Names that are not built of
// parts (nvprof, source metrics, labels and rules) have a table of their own. See profiler_counters.h.
#include "arch/profiler_counters.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace warplens::arch {
namespace {

constexpr std::string_view more_sectors =
    "Divide it by the requests. 32 lanes side by side need 1 sector for each byte of the element (4 for a "
    "float, 8 for a double); each more is read for nothing. That costs time once the L1, the L2 or device "
    "memory is near its peak.";
constexpr std::string_view more_passes =
    "Divide it by the instructions. 1 is the ideal up to 4 bytes a lane, 2 for 8, 4 for 16; each more is a "
    "bank conflict and keeps the pipe for one more cycle. It costs time where the kernel waits for shared "
    "memory.";
constexpr std::string_view conflicts_mislead =
    "It is not the number to judge by: it also counts passes lost for other reasons (arbitration with other "
    "traffic of the L1), and so is above 0 without any conflict. L1 Wavefronts Shared Excessive is that.";
constexpr std::string_view busy =
    "Near 100 %, this unit is what limits the kernel, and only less work for it helps. Far below, fewer "
    "sectors or passes here gain little.";
constexpr std::string_view bytes_asked =
    "32 is the ideal: below it, parts of sectors that were moved were not asked for. Broadcasts, where lanes "
    "share bytes, can have more.";
constexpr std::string_view hits = "A high rate means that a later level is spared, not that the access is "
                                  "coalesced: lanes that walk along rows of "
                                  "their own hit often and still move every sector many times.";
constexpr std::string_view l2_reached =
    "Sectors that the L1 did not have. Uncoalesced accesses raise it where the L1 is too small to keep "
    "what neighbouring lanes left over.";

struct Quantity {
  std::string_view unit, begins, counts, costs, ours;
  bool memory = true;
};

constexpr Quantity quantities[] = {
    {"l1tex", "t_requests",
     "Requests that the L1 looked up: one for each instruction that a warp executes (two or more where its "
     "lanes do not fit into one)",
     "", "requests"},
    {"l1tex", "t_sectors", "Sectors of 32 bytes that the L1 looked up", more_sectors, "sectors"},
    {"l1tex", "t_sector", "Sectors of 32 bytes that the L1 looked up", "", ""},
    {"l1tex", "t_bytes", "Bytes of the sectors that the L1 looked up (32 for each)", more_sectors,
     "transaction_bytes"},
    {"l1tex", "average_t_sectors_per_request", "Sectors for each request in the L1", more_sectors,
     "sectors / requests"},
    {"l1tex", "average_t_sector", "Sectors for each request in the L1", more_sectors, "sectors / requests"},
    {"l1tex", "t_output_wavefronts",
     "Passes of the L1's tag stage: an access takes one for each group of lines that it can look up at once",
     "Divide it by the requests: above 1 the lanes are spread over many lines. It costs time where the tag "
     "stage is the busiest.",
     "tag_passes"},
    {"l1tex", "t_set_accesses", "Lookups of a set of the L1's tags: one for each 128-byte line of a request",
     "More lines than the bytes need (1 for 32 floats) is what padding rows or aligning the start removes.",
     "tags"},
    {"l1tex", "t_set_conflicts", "Lookups that waited for another one of the same set of the L1's tags", "",
     ""},
    {"l1tex", "data_pipe_lsu_wavefronts",
     "Passes of the L1's data stage, which shared memory is a part of, as the hardware made them",
     more_passes, "data_wavefronts"},
    {"l1tex", "data_bank_conflicts_type_arbitration",
     "Passes lost as another request of the L1 had the banks", "", ""},
    {"l1tex", "data_bank_conflicts", "Passes of the L1's data stage beyond one for each request",
     conflicts_mislead, ""},
    {"l1tex", "data_bank", "Cycles in which banks of the L1 and of shared memory worked", "", ""},
    {"l1tex", "data_pipe_tex_wavefronts", "Passes of the L1's data stage for textures and surfaces", "", ""},
    {"l1tex", "f_", "Work of the texture filter", "", ""},
    {"l1tex", "lsu_writeback", "Cycles in which loads brought values back to registers", "", ""},
    {"l1tex", "tex_writeback", "Cycles in which textures brought values back to registers", "", ""},
    {"l1tex", "lsuin_requests", "Instructions that reached the L1 by the load/store unit", "", ""},
    {"l1tex", "tmain_requests", "Requests of textures and of the load/store unit that reached the L1's tags",
     "", ""},
    {"l1tex", "texin", "Requests on their way to the texture unit (a request is 4 lanes, a quad)", "", ""},
    {"l1tex", "average_m_xbar2l1tex_read_bytes", "Bytes that came from the L2 for each sector or request", "",
     ""},
    {"l1tex", "m_xbar2l1tex_read_sectors", "Sectors that came to the L1 from the L2", l2_reached, ""},
    {"l1tex", "m_xbar2l1tex_read_bytes", "Bytes that came to the L1 from the L2", l2_reached, ""},
    {"l1tex", "m_xbar2l1tex", "The way from the L2 to the L1", busy, ""},
    {"l1tex", "m_l1tex2xbar_write_sectors",
     "Sectors that the L1 sent to the L2 (stores and atomics are not kept in the L1)", more_sectors, ""},
    {"l1tex", "m_l1tex2xbar_write_bytes", "Bytes that the L1 sent to the L2", more_sectors, ""},
    {"l1tex", "m_l1tex2xbar_read_requests", "Requests for what the L1 did not have, sent to the L2",
     l2_reached, ""},
    {"l1tex", "m_l1tex2xbar", "The way from the L1 to the L2", busy, ""},
    {"l1tex", "throughput", "The busiest part of the L1", busy, ""},
    {"l1tex", "cycles", "Cycles of the L1", "", ""},
    {"lts", "average_gcomp", "What compression in the L2 did", "", ""},
    {"lts", "gcomp", "Sectors that went through compression in the L2", "", ""},
    {"lts", "d_decomp", "Sectors that the L2 unpacked", "", ""},
    {"lts", "d_atomic", "Cycles in which the L2 worked on atomics",
     "Atomics of many warps on the same words queue here.", ""},
    {"lts", "d_sectors_fill", "Sectors that were filled from memory", "", ""},
    {"lts", "d_sectors", "Sectors that the L2's data banks moved", "", ""},
    {"lts", "t_sectors", "Sectors of 32 bytes that the L2 looked up",
     "Much above what the L1 asked for once, data comes again and again from the L2; with coalesced accesses "
     "it is the traffic that the L1 could not keep.",
     ""},
    {"lts", "t_sector", "Sectors of 32 bytes that the L2 looked up", "", ""},
    {"lts", "t_bytes", "Bytes of the sectors that the L2 looked up", "", ""},
    {"lts", "t_tag_requests", "Lookups of tags in the L2", "", ""},
    {"lts", "t_request", "Requests to the L2, each for up to 4 sectors of one line", "", ""},
    {"lts", "throughput", "The busiest part of the L2", busy, ""},
    {"lts", "average", "A mean of the L2", "", ""},
    {"lts", "cycles", "Cycles of the L2", "", ""},
    {"lts", "lts2xbar", "Cycles in which the L2 sent to the SMs", busy, ""},
    {"lts", "xbar2lts", "Cycles in which the L2 received from the SMs", busy, ""},
    {"lts", "ltcfabric", "Cycles in which the two halves of the L2 talked to each other", "", ""},
    {"lts", "", "The L2 cache", "", ""},
    {"ltc", "", "The L2 cache and the way between its halves", "", ""},
    {"syslts", "", "What the L2 asked of memory outside the GPU (the host's, or another GPU's)",
     "Such memory is many times slower than the GPU's own.", ""},
    {"lrc", "", "The cache between the L2 and the SMs (L2 request coalescer)", "", ""},
    {"dramc", "", "The controller of device memory", "", ""},
    {"dram", "bytes", "Bytes that device memory moved",
     "Uncoalesced accesses raise it only where neither the L1 nor the L2 keeps the rest of each sector until "
     "it is used.",
     ""},
    {"dram", "sectors", "Sectors of 32 bytes that device memory moved (it moves 64 bytes at a time)", "", ""},
    {"dram", "throughput", "Device memory", busy, ""},
    {"dram", "", "Device memory", "", ""},
    {"fbpa", "", "The way to device memory", busy, ""},
    {"idc", "request_hit_rate", "Requests to the constant cache that found their word", "", ""},
    {"idc", "request_cycles", "Cycles in which the constant cache answered", "", ""},
    {"idc", "requests",
     "Requests to the constant cache: one for each different 4-byte word that the lanes of a warp ask for",
     "Above 1 for an instruction, lanes that read different words wait for one another: put such a table "
     "into shared memory.",
     "requests (constant memory)"},
    {"idc", "", "The constant cache", "", ""},
    {"pcie", "", "The bus between the GPU and the host", "", ""},
    {"gpu", "time_duration", "The time that the kernel took", "", ""},
    {"gpu", "dram_throughput", "Device memory and the way to it", busy, ""},
    {"gpu", "compute_memory_access",
     "The busiest of the L1, the L2 and device memory, by what they access (Mem Busy)", busy, ""},
    {"gpu", "compute_memory_request",
     "The busiest of the ways between SMs, L2 and device memory, by requests (Max Bandwidth)", busy, ""},
    {"gpu", "compute_memory_throughput", "The busiest part of all memory (Memory Throughput)", busy, ""},
    {"gpu", "", "The whole GPU", "", "", false},
    {"smsp", "sass_average_data_bytes_per_sector",
     "Bytes that lanes asked for, for each sector that was moved", bytes_asked, "bytes_used / sectors"},
    {"smsp", "sass_average_data_bytes_per_wavefront",
     "Bytes that lanes asked for in shared memory, for each pass",
     "128 is the ideal (32 banks of 4 bytes). Less means conflicts, or lanes that ask for little.",
     "bytes_used / wavefronts"},
    {"smsp", "sass_data_bytes", "Bytes that lanes asked for", "", "bytes_used"},
    {"smsp", "sass_sectors", "Sectors that instructions would ask of the L2 if the L1 kept nothing",
     more_sectors, "sectors"},
    {"smsp", "sass_l1tex_tags", "128-byte lines that instructions looked up in the L1",
     "More lines than the bytes need (1 for 32 floats) is what padding rows or aligning the start removes.",
     "tags"},
    {"smsp", "sass_l1tex_pipe_lsu_wavefronts", "Passes that instructions need in shared memory", more_passes,
     "wavefronts"},
    {"smsp", "sass_l1tex_data_pipe_lsu_wavefronts", "Passes that instructions need in shared memory",
     more_passes, "wavefronts"},
    {"smsp", "sass_l1tex_data_bank_conflicts",
     "Passes that instructions need in shared memory beyond one for each",
     "Above 0 also for 8 and 16 bytes a lane, which need 2 and 4 passes without any conflict.", ""},
    {"smsp", "sass_l1tex_t_requests", "Requests that instructions made to the L1", "", "requests"},
    {"smsp", "sass_l1tex_t_sectors", "Sectors that instructions asked of the L1", more_sectors, "sectors"},
    {"smsp", "sass_l1tex_average_t_sectors_per_request", "Sectors for each request in the L1", more_sectors,
     "sectors / requests"},
    {"smsp", "sass_l1tex_t_output_wavefronts", "Passes of the L1's tag stage that instructions need", "",
     "tag_passes"},
    {"smsp", "sass_l1tex_m_xbar2l1tex", "What came from the L2 around the L1, straight to shared memory", "",
     ""},
    {"smsp", "sass_inst_executed_memdesc", "Instructions that carry an L2 eviction policy", "", ""},
    {"smsp", "sass_inst_executed", "Instructions that warps executed", "", "instructions"},
    {"smsp", "sass_thread_inst_executed", "Instructions, counted for each lane", "", "threads"},
    {"smsp", "sass_thread_inst_executed_op", "Operations of floating-point numbers, counted for each lane",
     "", "", false},
    {"smsp", "sass_branch", "Branches", "", "", false},
    {"smsp", "sass_average_branch", "Branches at which all lanes of a warp went the same way", "", "", false},
    {"smsp", "inst_executed", "Instructions that warps executed", "", "instructions"},
    {"smsp", "inst_executed_op_branch", "Branches that warps executed", "", "", false},
    {"smsp", "l1tex", "Instructions that were sent to the L1", "", "instructions"},
    {"smsp", "tex_requests", "Instructions that were sent to the texture unit", "", "instructions"},
    {"smsp", "mio2rf", "Cycles in which memory and special units brought values back to registers", "", ""},
    {"smsp", "pcsamp_sample_count", "Samples of where warps were", "", "", false},
    {"smsp", "imc",
     "The cache of immediate constants (kernel parameters and __constant__ with an index that all lanes "
     "share)",
     "", ""},
    {"smsp", "", "The four schedulers of an SM", "", "", false},
    {"sm", "idc_divergent_instructions",
     "Instructions whose lanes asked the constant cache for different words",
     "Each different word is a request of its own.", ""},
    {"sm", "idc_divergent_instruction_replays",
     "Repetitions of instructions whose lanes asked the constant cache for different words",
     "Each different word is a request of its own.", ""},
    {"sm", "average_inst_latency", "Cycles from an instruction's start to its result", "", ""},
    {"sm", "inst_pending", "Instructions under way", "", ""},
    {"sm", "memory_throughput", "The busiest part of an SM's memory units", busy, ""},
    {"sm", "mio", "The queue of memory and special instructions in an SM", busy, ""},
    {"sm", "", "The SMs", "", "", false},
    {"sass", "inst_executed_register_spilling",
     "Instructions that save registers to memory and bring them back",
     "Each is traffic that the program did not ask for: give the kernel more registers (__launch_bounds__, "
     "-maxrregcount), or fewer live values.",
     ""},
    {"sass", "inst_executed_global", "Instructions of global memory", "", "instructions"},
    {"sass", "inst_executed_shared", "Instructions of shared memory", "", "instructions"},
    {"sass", "inst_executed_local", "Instructions of local memory", "", "instructions"},
    {"sass", "", "Machine instructions", "", "", false},
    {"gpc", "", "Groups of SMs", "", "", false},
    {"launch", "persisting_l2_cache_size",
     "Bytes of the L2 that are set aside for data that stays (cudaLimitPersistingL2CacheSize)", "", ""},
    {"launch", "", "How the kernel was launched", "", "", false},
    {"device", "", "What the GPU is", "", "", false},
    {"profiler", "", "How the profiler measured", "", "", false},
    {"pmsampling", "", "Samples of counters over time", "", "", false},
    {"tpc", "", "Pairs of SMs", "", "", false},
    {"nvlrx", "", "The link from other GPUs", "", ""},
    {"nvltx", "", "The link to other GPUs", "", ""},
    {"nvlink", "", "The link to other GPUs", "", ""},
    {"c2clink", "", "The link between the GPU and its host processor", "", ""},
    {"numa", "", "Where processors and GPUs are", "", "", false},
    {"ctc", "", "The link between the GPU and its host processor", "", ""},
};

// Why a warp could not go on. Samples and shares of them; memory's are those with a cost.
struct Stall {
  std::string_view name, why, costs;
};
constexpr Stall stalls[] = {
    {"long_scoreboard", "it waited for global, local, texture or surface memory",
     "The first to look at where memory limits: fewer sectors for each request, more loads under way before "
     "the first is used, or data in shared memory."},
    {"short_scoreboard", "it waited for shared memory, a shuffle or a special function",
     "Bank conflicts raise it."},
    {"lg_throttle", "the queue of global and local memory was full",
     "Very many or very scattered accesses of global or local memory: fewer and wider ones."},
    {"mio_throttle", "the queue of shared memory and special instructions was full",
     "Bank conflicts and many narrow accesses of shared memory raise it."},
    {"tex_throttle", "the queue of textures was full",
     "Fewer fetches, or linear memory where rows are read in order."},
    {"imc_miss", "a constant was not in its cache",
     "An index into constant memory or into parameters that differs by lane or by turn."},
    {"drain", "it had ended, and its stores were not all done",
     "Many or scattered stores at the kernel's end."},
    {"membar", "it waited at a memory fence", ""},
    {"barrier", "it waited for other warps at a barrier", ""},
    {"branch_resolving", "the target of a branch was not known yet", ""},
    {"dispatch_stall", "the dispatcher held it back", ""},
    {"gmma", "it waited for a matrix instruction of a warp group", ""},
    {"math_pipe_throttle", "the unit that computes was busy", ""},
    {"misc", "of another reason", ""},
    {"no_instruction", "its next instruction was not in the cache", ""},
    {"not_selected", "another warp was taken", ""},
    {"selected", "it did go on", ""},
    {"sleeping", "it slept", ""},
    {"wait", "of a latency that is known and fixed", ""},
};

struct Part {
  std::string_view name, means;
};
constexpr Part parts[] = {
    {"pipe_lsu", "by the load/store unit"},
    {"pipe_tex", "by the texture unit"},
    {"pipe_tma", "by the tensor memory unit"},
    {"mem_global", "of global memory"},
    {"mem_local", "of local memory"},
    {"mem_shared", "of shared memory"},
    {"mem_dshared", "of another block's shared memory"},
    {"mem_lgds", "of global, local and other blocks' shared memory"},
    {"mem_lg", "of global and local memory"},
    {"mem_surface", "of surfaces"},
    {"mem_texture", "of textures"},
    {"global", "of global memory"},
    {"local", "of local memory"},
    {"shared", "of shared memory"},
    {"dshared", "of another block's shared memory"},
    {"generic", "of generic addresses"},
    {"surface", "of surfaces"},
    {"texture", "of textures"},
    {"op_ldgsts", "by asynchronous copies (cp.async)"},
    {"op_ldsm", "by ldmatrix"},
    {"op_stsm", "by stmatrix"},
    {"op_ld", "by loads"},
    {"op_st", "by stores"},
    {"op_atom", "by atomics whose result is used"},
    {"op_red", "by atomics whose result is not used"},
    {"op_redas", "by asynchronous atomics"},
    {"op_stas", "by asynchronous stores"},
    {"op_gmma", "by matrix instructions of a warp group"},
    {"op_read", "by reads"},
    {"op_write", "by writes"},
    {"op_membar", "by memory fences"},
    {"op_tma_ld", "by bulk copies from global memory"},
    {"op_tma_st", "by bulk copies to global memory"},
    {"op_tma_red", "by bulk reductions"},
    {"op_shared_atom", "by atomics of shared memory"},
    {"op_generic_atom", "by atomics whose result is used"},
    {"op_global_red", "by atomics whose result is not used"},
    {"op_branch", "by branches"},
    {"op_texture", "by texture fetches"},
    {"ld", "by loads"},
    {"st", "by stores"},
    {"atom", "by atomics whose result is used"},
    {"red", "by atomics whose result is not used"},
    {"gmma", "by matrix instructions of a warp group"},
    {"dot_alu", "that compute"},
    {"dot_cas", "that compare and swap"},
    {"cache_access", "through the L1"},
    {"cache_bypass", "around the L1"},
    {"lookup_hit", "that were found there"},
    {"lookup_miss", "that were not found there"},
    {"hit_rate", "that were found there, in %"},
    {"srcunit_tex", "asked for by the SMs' L1s"},
    {"srcunit_ltcfabric", "asked for by the other half of the L2"},
    {"srcnode_gpc", "asked for by SMs"},
    {"aperture_device", "in device memory"},
    {"aperture_sysmem", "in the host's memory"},
    {"aperture_peer", "in another GPU's memory"},
    {"evict_first", "to be dropped first"},
    {"evict_last", "to be kept longest"},
    {"evict_normal", "with the usual policy"},
    {"evict_normal_demote", "with the usual policy, demoted"},
    {"fill_device", "from device memory"},
    {"fill_sysmem", "from the host's memory"},
    {"ideal", "if lanes were side by side"},
    {"pred_on", "that were switched on"},
    {"pred_off", "that were switched off"},
    {"cmd_read", "of reads"},
    {"cmd_write", "of writes"},
    {"read", "by reads"},
    {"write", "by writes"},
    {"active", "while it worked"},
    {"elapsed", "from start to end"},
    {"sum", "added up over the GPU"},
    {"avg", "the mean of its units"},
    {"max", "of the unit with most"},
    {"min", "of the unit with least"},
    {"max_rate", "the most that is possible"},
    {"pct", "in %"},
    {"ratio", "as a ratio"},
    {"per_second", "for each second"},
    {"per_cycle_active", "for each cycle at work"},
    {"per_cycle_elapsed", "for each cycle"},
    {"pct_of_peak_sustained_elapsed", "in % of what the hardware can do in the kernel's time"},
    {"pct_of_peak_sustained_active", "in % of what the hardware can do while it is at work"},
    {"peak_sustained", "the most that the hardware can do in a cycle"},
};

struct Named {
  std::string_view name, counts, costs, ours;
  bool memory = true;
};
constexpr Named named[] = {
    // Counters of instructions and what Nsight Compute derives from them
    {"inst_executed", "Warps that executed the instruction", "", "instructions"},
    {"thread_inst_executed", "Lanes that executed the instruction, switched off by a predicate or not", "",
     ""},
    {"thread_inst_executed_true",
     "Lanes that executed the instruction and were not switched off by a predicate", "", "threads"},
    {"memory_l1_tag_requests_global", "128-byte lines that the instruction looked up in the L1",
     "More lines than the bytes need (1 for 32 floats) is what padding rows or aligning the start removes.",
     "tags"},
    {"memory_l1_wavefronts_shared", "Passes that the instruction needed in shared memory", more_passes,
     "wavefronts"},
    {"memory_l1_wavefronts_shared_ideal",
     "Passes that the instruction would have needed in shared memory without conflicts", "",
     "ideal_wavefronts"},
    {"memory_l2_theoretical_sectors_global",
     "Sectors that the instruction would ask of the L2 if the L1 kept nothing", more_sectors, "sectors"},
    {"memory_l2_theoretical_sectors_global_ideal",
     "Sectors that the instruction would have asked for with its lanes side by side", "", "ideal_sectors"},
    {"memory_l2_theoretical_sectors_local", "Sectors of local memory that the instruction asked for", "",
     "sectors (local memory)"},
    {"memory_l1_conflicts_shared_nway", "Passes of shared memory for each instruction", more_passes,
     "wavefronts / instructions"},
    {"memory_l1_wavefronts_shared_excessive", "Passes of shared memory beyond the ideal: bank conflicts",
     "Each keeps the pipe for a cycle. It costs time where the kernel waits for shared memory.",
     "wavefronts - ideal_wavefronts"},
    {"memory_l2_theoretical_sectors_global_excessive",
     "Sectors of global memory beyond the ideal: what uncoalesced accesses ask for",
     "They cost time once the L1, the L2 or device memory is near its peak; where the L1 has them, less than "
     "their number says.",
     "sectors - ideal_sectors"},
    {"memory_type", "The memory that the instruction accesses", "", "space"},
    {"memory_access_type", "Load, store, atomic or copy", "", "kind"},
    {"memory_access_size_type", "Bits for each lane", "", "bytes"},
    {"branch_inst_executed", "Branches that were executed", "", "", false},
    {"avg_thread_executed", "Lanes for each instruction", "", "", false},
    {"avg_thread_executed_true", "Lanes for each instruction that were not switched off by a predicate", "",
     "", false},
    {"avg_thread_unexecuted_true", "Lanes of 32 that had nothing to do in the instruction", "", "", false},
    {"derivative_avg_thread_executed_true", "The difference of the active lanes to the instruction before",
     "", "", false},
    {"local_spilling_requests", "Requests of local memory that save registers or bring them back",
     "Each is traffic that the program did not ask for: give the kernel more registers (__launch_bounds__, "
     "-maxrregcount), or fewer live values.",
     ""},
    {"local_spilling_requests_pct",
     "The share of local memory's requests that save registers or bring them back", "", ""},
    {"pct_occupancy_per_barrier_count", "Warps that fit an SM, in % of the most, for each number of barriers",
     "", "", false},
    {"pct_occupancy_per_block_size", "Warps that fit an SM, in % of the most, for each block size", "", "",
     false},
    {"pct_occupancy_per_register_count",
     "Warps that fit an SM, in % of the most, for each number of registers", "", "", false},
    {"pct_occupancy_per_shared_mem_size",
     "Warps that fit an SM, in % of the most, for each size of shared memory", "", "", false},
    // What its tables and charts are called
    {"Mem Busy", "The busiest of the L1, the L2 and device memory, by what they access", busy, ""},
    {"Max Bandwidth", "The busiest of the ways between SMs, L2 and device memory", busy, ""},
    {"Mem Pipes Busy", "The busiest part of an SM's memory units", busy, ""},
    {"Memory Throughput",
     "The busiest part of all memory, in %; in the memory section the bytes of device memory for each second",
     busy, ""},
    {"DRAM Throughput", "Device memory and the way to it", busy, ""},
    {"L1/TEX Cache Throughput", "The busiest part of the L1", busy, ""},
    {"L2 Cache Throughput", "The busiest part of the L2", busy, ""},
    {"L1/TEX Hit Rate", "Sectors that the L1 had", hits, ""},
    {"L2 Hit Rate", "Sectors that the L2 had", hits, ""},
    {"Local Memory Spilling Requests", "Requests of local memory that save registers or bring them back",
     "Give the kernel more registers (__launch_bounds__, -maxrregcount), or fewer live values.", ""},
    {"Local Memory Spilling Request Overhead",
     "The share of local memory's requests that save registers or bring them back", "", ""},
    {"Duration", "The time that the kernel took", "", ""},
    {"L2 Persisting Size", "Bytes of the L2 that are set aside for data that stays", "", ""},
    {"L2 Compression Success Rate", "Sectors that compression in the L2 made smaller", "", ""},
    {"L2 Compression Ratio", "How much smaller compression in the L2 made them", "", ""},
    {"L2 Compression Input Sectors", "Sectors that went through compression in the L2", "", ""},
    {"L1 Tag Requests Global", "128-byte lines that the instruction looked up in the L1", "", "tags"},
    {"L1 Wavefronts Shared", "Passes that the instruction needed in shared memory", more_passes,
     "wavefronts"},
    {"L1 Wavefronts Shared Ideal", "Passes that it would have needed without conflicts", "",
     "ideal_wavefronts"},
    {"L1 Wavefronts Shared Excessive", "Passes of shared memory beyond the ideal: bank conflicts",
     more_passes, "wavefronts - ideal_wavefronts"},
    {"L1 Conflicts Shared N-Way", "Passes of shared memory for each instruction", more_passes,
     "wavefronts / instructions"},
    {"L2 Theoretical Sectors Global",
     "Sectors that the instruction would ask of the L2 if the L1 kept nothing", more_sectors, "sectors"},
    {"L2 Theoretical Sectors Global Ideal",
     "Sectors that it would have asked for with its lanes side by side", "", "ideal_sectors"},
    {"L2 Theoretical Sectors Global Excessive", "Sectors of global memory beyond the ideal", more_sectors,
     "sectors - ideal_sectors"},
    {"L2 Theoretical Sectors Local", "Sectors of local memory that the instruction asked for", "",
     "sectors (local memory)"},
    {"Instructions Executed", "Warps that executed the instruction", "", "instructions"},
    {"Predicated-On Thread Instructions Executed",
     "Lanes that executed it and were not switched off by a predicate", "", "threads"},
    // Its rules
    {"Uncoalesced Global Accesses",
     "A rule: speaks when sectors of global memory exceed the ideal, and names the share of all that are in "
     "excess",
     "Its estimated speedup takes every excess sector for time of the L2; where the L1 has them, or where "
     "the kernel waits for something else, less comes of it.",
     "sectors - ideal_sectors"},
    {"Uncoalesced Shared Accesses", "A rule: speaks when passes of shared memory exceed the ideal",
     "Its estimated speedup takes every excess pass for time of the L1.", "wavefronts - ideal_wavefronts"},
    {"Shared Memory Conflicts",
     "A rule: speaks when the hardware's passes of shared memory are more than its requests, and calls the "
     "mean an n-way conflict",
     "8- and 16-byte accesses have 2 and 4 passes without any conflict, and passes lost to other traffic are "
     "counted, too.",
     "data_wavefronts / requests"},
    {"Memory Cache Access Pattern",
     "A rule: speaks when the bytes that lanes ask for are fewer than 32 for each sector", bytes_asked,
     "bytes_used / sectors"},
    {"L1TEX Global Load Access Pattern",
     "A rule: speaks when global loads use less than 32 bytes of each sector", bytes_asked,
     "bytes_used / sectors"},
    {"L1TEX Global Store Access Pattern",
     "A rule: speaks when global stores use less than 32 bytes of each sector", bytes_asked,
     "bytes_used / sectors"},
    {"Memory Bottleneck", "A rule: speaks when memory is busier than the units that compute", "", ""},
    {"Memory L2 Compression", "A rule of what compression in the L2 did", "", ""},
    {"Memory Aperture Usage", "A rule: speaks when much is read from the host's or another GPU's memory", "",
     ""},
    // nvprof, metrics
    {"gld_efficiency", "Bytes that global loads asked for, in % of the bytes that were moved for them",
     "100 % is the ideal (broadcasts can have more). The rest is moved for nothing, which costs time once "
     "memory is near its peak.",
     "bytes_used / transaction_bytes"},
    {"gst_efficiency", "Bytes that global stores asked for, in % of the bytes that were moved for them",
     "100 % is the ideal. The rest is moved for nothing.", "bytes_used / transaction_bytes"},
    {"gld_transactions",
     "Transactions of global loads: sectors of 32 bytes from compute capability 5.0 on, lines of 128 before "
     "where the L1 has them",
     more_sectors, "sectors (transactions before 5.0)"},
    {"gst_transactions", "Transactions of global stores: 32 bytes each", more_sectors, "sectors"},
    {"gld_transactions_per_request", "Transactions for each global load of a warp", more_sectors,
     "sectors / requests"},
    {"gst_transactions_per_request", "Transactions for each global store of a warp", more_sectors,
     "sectors / requests"},
    {"gld_requested_throughput", "Bytes that global loads asked for, for each second", "", ""},
    {"gst_requested_throughput", "Bytes that global stores asked for, for each second", "", ""},
    {"gld_throughput", "Bytes that were moved for global loads, for each second",
     "Above the requested throughput, the difference is moved for nothing.", ""},
    {"gst_throughput", "Bytes that were moved for global stores, for each second",
     "Above the requested throughput, the difference is moved for nothing.", ""},
    {"global_load_requests", "Global loads of warps", "", "requests"},
    {"global_store_requests", "Global stores of warps", "", "requests"},
    {"global_atomic_requests", "Atomics of warps whose result is used", "", "requests"},
    {"global_reduction_requests", "Atomics of warps whose result is not used", "", "requests"},
    {"local_load_requests", "Loads of local memory by warps", "", "requests (local memory)"},
    {"local_store_requests", "Stores to local memory by warps", "", "requests (local memory)"},
    {"surface_load_requests", "Loads of surfaces by warps", "", ""},
    {"surface_store_requests", "Stores to surfaces by warps", "", ""},
    {"tex_cache_transactions", "Transactions of the texture cache: 32 bytes each", "", ""},
    {"tex_cache_hit_rate", "Requests that the texture cache had (the L1 is a part of it from 5.0 on)", hits,
     ""},
    {"tex_cache_throughput", "Bytes of the texture cache for each second", "", ""},
    {"tex_utilization", "How busy the unified L1 and texture cache was, 0 to 10", busy, ""},
    {"tex_fu_utilization", "How busy the unit that answers textures and global loads was, 0 to 10", busy, ""},
    {"global_hit_rate", "Global loads that the L1 had", hits, ""},
    {"local_hit_rate", "Loads and stores of local memory that the L1 had", hits, ""},
    {"l1_cache_global_hit_rate", "Global loads that the L1 had", hits, ""},
    {"l1_cache_local_hit_rate", "Loads and stores of local memory that the L1 had", hits, ""},
    {"global_replay_overhead", "Repetitions for each instruction, as lanes touched several lines",
     "0 is the ideal.", "tags - requests"},
    {"global_cache_replay_overhead", "Repetitions for each instruction, as the L1 did not have a global load",
     "", ""},
    {"local_replay_overhead", "Repetitions for each instruction, of local memory", "", ""},
    {"shared_replay_overhead", "Repetitions for each instruction, of bank conflicts", "0 is the ideal.",
     "wavefronts - requests"},
    {"atomic_replay_overhead", "Repetitions for each instruction, of atomics on one word", "", ""},
    {"shared_load_transactions", "Passes of loads from shared memory", more_passes, "wavefronts"},
    {"shared_store_transactions", "Passes of stores to shared memory", more_passes, "wavefronts"},
    {"shared_load_transactions_per_request", "Passes for each load of shared memory", more_passes,
     "wavefronts / requests"},
    {"shared_store_transactions_per_request", "Passes for each store to shared memory", more_passes,
     "wavefronts / requests"},
    {"shared_load_throughput", "Bytes of shared memory that were loaded for each second", "", ""},
    {"shared_store_throughput", "Bytes of shared memory that were stored for each second", "", ""},
    {"shared_efficiency",
     "Bytes that accesses of shared memory asked for, in % of what their passes could have moved",
     "Low for conflicts, and for lanes that share a word or ask for little, where nothing is lost.",
     "bytes_used / wavefronts"},
    {"shared_utilization", "How busy shared memory was, 0 to 10", busy, ""},
    {"local_load_transactions", "Transactions of loads from local memory",
     "Local arrays with an index that only the run knows, or spilled registers.", "sectors (local memory)"},
    {"local_store_transactions", "Transactions of stores to local memory",
     "Local arrays with an index that only the run knows, or spilled registers.", "sectors (local memory)"},
    {"local_load_transactions_per_request", "Transactions for each load from local memory", "",
     "sectors / requests (local memory)"},
    {"local_store_transactions_per_request", "Transactions for each store to local memory", "",
     "sectors / requests (local memory)"},
    {"local_load_throughput", "Bytes of local memory that were loaded for each second", "", ""},
    {"local_store_throughput", "Bytes of local memory that were stored for each second", "", ""},
    {"local_memory_overhead", "Traffic of local memory, in % of all traffic between L1 and L2",
     "Local arrays with an index that only the run knows, or spilled registers.", ""},
    {"l2_l1_read_hit_rate", "Reads of the L1 that the L2 had", hits, ""},
    {"l2_tex_hit_rate", "Requests of the L1 and texture cache that the L2 had", hits, ""},
    {"l2_tex_read_hit_rate", "Reads of the L1 and texture cache that the L2 had", hits, ""},
    {"l2_tex_write_hit_rate", "Writes of the L1 and texture cache that the L2 had", hits, ""},
    {"l2_read_transactions", "Sectors that the L2 was asked for", "", ""},
    {"l2_write_transactions", "Sectors that were written to the L2", "", ""},
    {"l2_tex_read_transactions", "Sectors that the L1 and texture cache asked of the L2", l2_reached, ""},
    {"l2_tex_write_transactions", "Sectors that the L1 and texture cache wrote to the L2", "", ""},
    {"l2_l1_read_transactions", "Sectors that the L1 asked of the L2", l2_reached, ""},
    {"l2_l1_write_transactions", "Sectors that the L1 wrote to the L2", "", ""},
    {"l2_atomic_transactions", "Sectors of atomics in the L2", "", ""},
    {"l2_global_load_bytes", "Bytes of global loads that the L1 did not have", l2_reached, ""},
    {"l2_local_load_bytes", "Bytes of local memory's loads that the L1 did not have", "", ""},
    {"l2_read_throughput", "Bytes read from the L2 for each second", "", ""},
    {"l2_write_throughput", "Bytes written to the L2 for each second", "", ""},
    {"l2_utilization", "How busy the L2 was, 0 to 10", busy, ""},
    {"dram_read_transactions", "Sectors that device memory read", "", ""},
    {"dram_write_transactions", "Sectors that device memory wrote", "", ""},
    {"dram_read_bytes", "Bytes that device memory read", "", ""},
    {"dram_write_bytes", "Bytes that device memory wrote", "", ""},
    {"dram_read_throughput", "Bytes that device memory read for each second", "", ""},
    {"dram_write_throughput", "Bytes that device memory wrote for each second", "", ""},
    {"dram_utilization", "How busy device memory was, 0 to 10", busy, ""},
    {"sysmem_read_transactions", "Reads of the host's memory", "", ""},
    {"sysmem_write_transactions", "Writes to the host's memory", "", ""},
    {"atomic_transactions", "Transactions of atomics", "", ""},
    {"atomic_transactions_per_request", "Transactions for each atomic of a warp",
     "Atomics of lanes on different sectors are transactions of their own.", "sectors / requests"},
    {"ldst_fu_utilization", "How busy the load/store units were, 0 to 10", busy, ""},
    {"ldst_issued", "Instructions of memory that were issued, with repetitions", "", ""},
    {"ldst_executed", "Instructions of memory that were executed", "", "instructions"},
    {"inst_replay_overhead", "Repetitions for each instruction, for any reason", "", ""},
    {"stall_memory_dependency", "The share of stalls in which a warp waited for memory", "", ""},
    {"stall_memory_throttle", "The share of stalls in which too many accesses of memory were under way",
     "Many or scattered accesses.", ""},
    {"stall_constant_memory_dependency", "The share of stalls in which a warp waited for a constant", "", ""},
    {"stall_texture", "The share of stalls in which a warp waited for a texture", "", ""},
    {"achieved_occupancy", "Warps at work, as a share of those that fit", "", "", false},
    {"warp_execution_efficiency", "Active lanes for each instruction, in % of 32", "", "", false},
    {"branch_efficiency", "Branches at which all lanes went the same way, in %", "", "", false},
    {"sm_efficiency", "The share of time in which an SM had a warp", "", "", false},
    {"ipc", "Instructions for each cycle", "", "", false},
    // nvprof, events
    {"gld_request", "Global loads of warps", "", "requests"},
    {"gst_request", "Global stores of warps", "", "requests"},
    {"shared_load", "Loads of shared memory by warps", "", "requests (shared memory)"},
    {"shared_store", "Stores to shared memory by warps", "", "requests (shared memory)"},
    {"local_load", "Loads of local memory by warps", "", "requests (local memory)"},
    {"local_store", "Stores to local memory by warps", "", "requests (local memory)"},
    {"shared_ld_bank_conflict", "Passes of shared loads beyond one for each", more_passes,
     "wavefronts - requests"},
    {"shared_st_bank_conflict", "Passes of shared stores beyond one for each", more_passes,
     "wavefronts - requests"},
    {"shared_ld_transactions", "Passes of loads from shared memory", more_passes, "wavefronts"},
    {"shared_st_transactions", "Passes of stores to shared memory", more_passes, "wavefronts"},
    {"l1_shared_load_transactions", "Passes of loads from shared memory", more_passes, "wavefronts"},
    {"l1_shared_store_transactions", "Passes of stores to shared memory", more_passes, "wavefronts"},
    {"l1_shared_bank_conflict", "Passes of shared memory beyond one for each access", more_passes,
     "wavefronts - requests"},
    {"l1_global_load_hit", "Lines of global loads that the L1 had", "", ""},
    {"l1_global_load_miss", "Lines of global loads that the L1 did not have", "", ""},
    {"l1_local_load_hit", "Lines of local memory's loads that the L1 had", "", ""},
    {"l1_local_load_miss", "Lines of local memory's loads that the L1 did not have", "", ""},
    {"global_load", "Global loads of warps", "", "requests"},
    {"global_store", "Global stores of warps", "", "requests"},
    {"global_store_transaction", "Transactions of global stores", more_sectors, "transactions"},
    {"uncached_global_load_transaction", "Transactions of global loads around the L1", more_sectors,
     "transactions"},
    {"gld_32b", "Global loads of 32 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gld_64b", "Global loads of 64 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gld_128b", "Global loads of 128 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gst_32b", "Global stores of 32 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gst_64b", "Global stores of 64 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gst_128b", "Global stores of 128 bytes by half-warps (1.x)", "", "transactions (1.x)"},
    {"gld_coherent", "Coalesced global loads of half-warps (1.0 and 1.1)", "", ""},
    {"gld_incoherent",
     "Global loads of half-warps that were not coalesced (1.0 and 1.1): 16 transactions each", "", ""},
    {"gst_coherent", "Coalesced global stores of half-warps (1.0 and 1.1)", "", ""},
    {"gst_incoherent", "Global stores of half-warps that were not coalesced (1.0 and 1.1)", "", ""},
    {"warp_serialize", "Warps that waited for bank conflicts or different words of constant memory (1.x)", "",
     ""},
};

// "a_b_c" begins with "a_b" as a whole word.
bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || word.empty() || word.back() == '_' ||
                                    text[word.size()] == '_' || text[word.size()] == '.');
}

const Quantity* quantity_of(std::string_view unit, std::string_view rest) {
  const Quantity* best = nullptr;
  for (const Quantity& one : quantities)
    if (one.unit == unit &&
        (begins_with_word(rest, one.begins) || (!one.begins.empty() && rest.starts_with(one.begins))) &&
        (best == nullptr || one.begins.size() > best->begins.size()))
      best = &one;
  return best;
}

// What the words behind a quantity say: "(of global memory, by loads, added up over the GPU)". Words that no table has are left out.
std::string tail_of(std::string_view rest) {
  std::string out;
  while (!rest.empty()) {
    const Part* best = nullptr;
    for (const Part& part : parts)
      if (begins_with_word(rest, part.name) && (best == nullptr || part.name.size() > best->name.size()))
        best = &part;
    if (best != nullptr) out += fmt::format("{}{}", out.empty() ? " (" : ", ", best->means);
    rest.remove_prefix(best != nullptr ? best->name.size() : std::min(rest.find_first_of("_."), rest.size()));
    while (rest.starts_with('_') || rest.starts_with('.')) rest.remove_prefix(1);
  }
  return out.empty() ? out : out + ')';
}

const Stall* stall_of(std::string_view name) {
  const std::size_t at = name.find("issue_stalled_");
  if (at == name.npos) return nullptr;
  const std::string_view why = name.substr(at + std::string_view("issue_stalled_").size());
  const Stall* best = nullptr;
  for (const Stall& stall : stalls)
    if (why.starts_with(stall.name) && (best == nullptr || stall.name.size() > best->name.size()))
      best = &stall;
  return best;
}

std::string sentence(std::string_view text) {
  std::string out(text);
  if (!out.empty() && !out.ends_with('.')) out += '.';
  return out;
}

// "derived__" and where a unit was sampled from say nothing of what is counted.
std::string_view plain(std::string_view name) {
  if (const std::size_t at = name.find(".TriageCompute."); at != name.npos) name.remove_prefix(at + 15);
  if (name.starts_with("breakdown:")) name.remove_prefix(10);
  if (name.starts_with("group:")) name.remove_prefix(6);
  if (name.starts_with("derived__")) name.remove_prefix(9);
  if (name.ends_with(')')) name = name.substr(0, name.rfind(" (")); // the unit behind a label
  return name;
}

bool same_letters(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

const Named* named_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(named, [&](const Named& one) { return same_letters(one.name, name); });
  return found == std::end(named) ? nullptr : found;
}

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

bool is_percent(std::string_view name) {
  for (std::string_view part :
       {"pct", "hit_rate", "_efficiency", "Hit Rate", "Success Rate", "Busy", "Max Bandwidth"})
    if (has(name, part)) return true;
  return name.ends_with("Throughput"); // of a label; nvprof's have small letters
}

} // namespace

std::optional<CounterMeaning> counter_meaning(std::string_view name) {
  CounterMeaning out;
  out.percent = is_percent(name);
  name = plain(name);
  if (const Named* one = named_of(name)) {
    out.counts = sentence(one->counts), out.costs = one->costs, out.ours = one->ours,
    out.memory = one->memory;
    return out;
  }
  if (const Stall* stall = stall_of(name)) {
    out.counts = fmt::format("Samples or cycles in which a warp could not go on{}: {}.",
                             has(name, "not_issued") ? " and no other went on" : "", stall->why);
    out.costs = stall->costs, out.memory = !stall->costs.empty();
    return out;
  }
  const std::size_t split = name.find("__");
  if (split == name.npos) return {};
  std::string_view rest = name.substr(split + 2);
  // Counted by instruction, for each SM instead of for each scheduler: the same
  const std::string_view unit =
      name.starts_with("sm__sass_") || name.starts_with("sm__inst_executed") ? "smsp" : name.substr(0, split);
  const Quantity* quantity = quantity_of(unit, rest);
  if (quantity == nullptr) return {};
  rest.remove_prefix(std::min(quantity->begins.size(), rest.size()));
  out.counts = fmt::format("{}{}.", quantity->counts, tail_of(rest));
  out.memory = quantity->memory;
  if (has(name, "hit_rate")) {
    out.costs = hits;
  } else if (has(name, "pct_of_peak")) {
    out.costs = busy;
  } else {
    out.costs = quantity->costs, out.ours = quantity->ours;
  }
  return out;
}

std::vector<std::string> counter_names() {
  std::vector<std::string> out;
  for (const Named& one : named) out.emplace_back(one.name);
  return out;
}

std::string judge_counter(std::string_view name, double value) {
  name = plain(name);
  if (has(name, "bytes_per_sector") && !name.ends_with("max_rate"))
    return fmt::format("{:.4g} of 32 bytes: {:.0f}% of what is moved was asked for{}.", value,
                       100 * value / 32, value < 31 ? "" : ", nothing is lost");
  if (same_letters(name, "gld_efficiency") || same_letters(name, "gst_efficiency"))
    return fmt::format("{:.4g}% was asked for: {}.", value,
                       value >= 99 ? std::string("nothing is lost")
                                   : fmt::format("{:.2f} times as much is moved as is needed", 100 / value));
  if (has(name, "sectors_per_request") || has(name, "transactions_per_request")) {
    if (has(name, "shared"))
      return fmt::format(
          "{:.4g} passes for each request; 1 is the ideal for 4 bytes a lane, 2 for 8, 4 for 16.", value);
    return fmt::format(
        "{:.4g} sectors for each request; 32 lanes side by side need 1 for bytes, 4 for floats, 8 for "
        "doubles, 16 for float4.",
        value);
  }
  if (has(name, "conflicts_shared_nway") || same_letters(name, "L1 Conflicts Shared N-Way"))
    return fmt::format(
        "{:.4g} passes for each instruction; 1 is the ideal for 4 bytes a lane, 2 for 8, 4 for 16.", value);
  if (has(name, "pct_of_peak_sustained") || has(name, "Throughput") || has(name, "Busy"))
    return fmt::format("{:.4g}% of its peak: {}.", value,
                       value >= 80   ? "this limits the kernel"
                       : value >= 60 ? "busy; this or latency limits the kernel"
                                     : "it has time left, so that something else limits the kernel");
  if (has(name, "hit_rate") || has(name, "Hit Rate"))
    return fmt::format("{:.4g}% were found there; the other {:.4g}% went on to the next level.", value,
                       100 - value);
  if (has(name, "excessive"))
    return value == 0 ? "0: nothing is lost." : fmt::format("{:.10g} more than the ideal.", value);
  return {};
}

std::string counter_per(std::string_view name) {
  auto replaced = [&](std::string_view from, std::string_view to) {
    std::string out(name);
    const std::size_t at = out.find(from);
    return at == out.npos ? std::string() : out.replace(at, from.size(), to);
  };
  if (!name.ends_with(".sum") || has(name, "lookup_")) return {};
  for (std::string_view from : {"l1tex__t_sectors_", "l1tex__t_output_wavefronts_"})
    if (name.starts_with(from)) return replaced(from, "l1tex__t_requests_");
  if (name.starts_with("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_"))
    return replaced("l1tex_data_pipe_lsu_wavefronts_mem_shared_op_", "inst_executed_op_shared_");
  if (name.starts_with("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"))
    return replaced("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_", "smsp__sass_inst_executed_op_shared_");
  return {};
}

} // namespace warplens::arch
