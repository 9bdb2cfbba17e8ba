// See launches.h.
#include "measured/launches.h"
#include "access/opcode.h"
#include "base/bits.h"
#include "machine_code/machine_code.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warplens::measured {
namespace {

using fatbin::MachineCode;
using fatbin::MemoryOpcode;

using access::Kind;
using access::Space;
using arch::Counts;

constexpr u64 sector_bytes = 32;

constexpr Sum all_sums[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Space::global, Kind::load, &Counts::requests},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", Space::global, Kind::store, &Counts::requests},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", Space::global, Kind::atomic, &Counts::requests},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", Space::global, Kind::reduction, &Counts::requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", Space::global, Kind::load, &Counts::sectors},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", Space::global, Kind::store, &Counts::sectors},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", Space::global, Kind::load,
     &Counts::tag_passes},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum", Space::global, Kind::store,
     &Counts::tag_passes},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_atom.sum", Space::global, Kind::atomic,
     &Counts::tag_passes},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum", Space::global, Kind::reduction,
     &Counts::tag_passes},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_local_op_ld.sum", Space::local, Kind::load,
     &Counts::tag_passes},
    {"l1tex__t_output_wavefronts_pipe_lsu_mem_local_op_st.sum", Space::local, Kind::store,
     &Counts::tag_passes},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", Space::local, Kind::load, &Counts::requests},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", Space::local, Kind::store, &Counts::requests},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", Space::local, Kind::load, &Counts::sectors},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", Space::local, Kind::store, &Counts::sectors},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", Space::shared, Kind::load,
     &Counts::wavefronts},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", Space::shared, Kind::load,
     &Counts::wavefronts},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", Space::shared, Kind::store,
     &Counts::wavefronts},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", Space::shared, Kind::store,
     &Counts::wavefronts},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", Space::shared, Kind::atomic,
     &Counts::wavefronts},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", Space::global, Kind::async_copy,
     &Counts::wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", Space::shared, Kind::load,
     &Counts::data_wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", Space::shared, Kind::store,
     &Counts::data_wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", Space::shared, Kind::atomic,
     &Counts::data_wavefronts},
};

// Where a generic access went.
Space space_of(const MemoryOpcode& opcode, const Counters& counters) {
  if (!opcode.generic) return opcode.space;
  if (counters.wavefronts.value_or(0) != 0) return Space::shared;
  if (counters.local_sectors.value_or(0) != 0 && counters.sectors.value_or(0) == 0) return Space::local;
  return Space::global;
}

Counts counts_of(const Counters& from, Space space, u32 bytes) {
  Counts out;
  out.instructions = from.instructions.value_or(0);
  out.threads = from.threads.value_or(0);
  out.wavefronts = from.wavefronts.value_or(0);
  out.ideal_wavefronts = from.ideal_wavefronts.value_or(out.wavefronts);
  if (space == Space::shared) {
    out.bytes_used = out.threads * bytes;
    return out;
  }
  out.requests = out.instructions;
  out.tags = from.tags.value_or(0);
  out.sectors = (space == Space::local ? from.local_sectors : from.sectors).value_or(0);
  // Of local memory nothing counts what would have done; of lanes side by side it is this.
  out.ideal_sectors = space == Space::local
                          ? std::min(out.sectors, ceil_div(out.threads * bytes, sector_bytes))
                          : from.ideal_sectors.value_or(out.sectors);
  out.transactions = out.sectors;
  out.transaction_bytes = out.sectors * sector_bytes;
  out.bytes_used = out.ideal_sectors * sector_bytes;
  if (bytes != 0) out.bytes_used = std::min(out.bytes_used, out.threads * bytes);
  return out;
}

class Sites {
public:
  explicit Sites(const Measured& measured) {
    for (const std::string& cubin : measured.code)
      code_.emplace_back(os::Bytes(reinterpret_cast<const std::byte*>(cubin.data()), cubin.size()));
  }

  std::vector<measure::SiteRecord> of(const Launch& launch) {
    std::vector<measure::SiteRecord> out;
    for (const Instruction& instruction : launch.instructions)
      if (std::optional<measure::SiteRecord> site = site_of(launch, instruction))
        out.push_back(std::move(*site));
    return out;
  }

private:
  std::optional<MemoryOpcode> opcode_of(const Launch& launch, const Instruction& instruction,
                                        const std::string& function) {
    if (!instruction.sass.empty()) return fatbin::memory_opcode(instruction.sass);
    if (launch.code && *launch.code < code_.size())
      if (auto known = code_[*launch.code].opcode(function, instruction.offset)) return known;
    // Loads and stores have opcodes that are known. What else moves memory is an atomic: reductions have no kind of their own.
    const Counters& counters = instruction.counters;
    std::optional<Space> space = instruction.space;
    if (!space && counters.sectors.value_or(0) != 0) space = Space::global;
    if (!space && counters.wavefronts.value_or(0) != 0) space = Space::shared;
    if (!space) return {};
    const Kind kind = instruction.kind.value_or(Kind::atomic);
    return MemoryOpcode{fmt::format("{} {}", access::name(*space), access::name(kind)), *space, kind,
                        instruction.bytes, false};
  }

  std::optional<measure::SiteRecord> site_of(const Launch& launch, const Instruction& instruction) {
    const std::string& kernel = launch.kernel.empty() ? launch.name : launch.kernel;
    const std::string& function = instruction.function.empty() ? kernel : instruction.function;
    std::optional<MemoryOpcode> opcode = opcode_of(launch, instruction, function);
    if (!opcode) return {};
    measure::SiteRecord out;
    out.space = space_of(*opcode, instruction.counters);
    out.site.space = out.space;
    out.site.kind = opcode->kind;
    out.site.opcode = opcode->name;
    out.site.function = function;
    const u32 bytes = opcode->bytes != 0 ? opcode->bytes : instruction.bytes != 0 ? instruction.bytes : 4;
    out.site.bytes = static_cast<u8>(std::min<u32>(bytes, 32));
    out.site.frames = instruction.frames;
    if (out.site.frames.empty() && launch.code && *launch.code < code_.size())
      out.site.frames = code_[*launch.code].frames(function, instruction.offset);
    out.site.id.value = id_of(launch.code.value_or(0), function, instruction.offset);
    out.counters = {counts_of(instruction.counters, out.space, out.site.bytes)};
    return out;
  }

  // The same in every file of one build, so that files can be added up: a hash, and where two instructions share one the next.
  u32 id_of(std::size_t code, std::string function, u64 offset) {
    if (code != 0) function += fmt::format("#{}", code); // modules may have kernels of one name
    auto [known, fresh] = ids_.try_emplace({function, offset}, 0);
    if (!fresh) return known->second;
    u32 id = 2166136261u; // FNV-1a
    for (char c : function) id = (id ^ static_cast<unsigned char>(c)) * 16777619u;
    for (u32 byte = 0; byte < 8; ++byte)
      id = (id ^ static_cast<u32>(offset >> (8 * byte) & 0xff)) * 16777619u;
    while (id == ~u32{0} || !taken_.insert(id).second) ++id; // the last one is no site
    return known->second = id;
  }

  std::vector<MachineCode> code_;
  std::map<std::pair<std::string, u64>, u32> ids_; // by function and offset
  std::set<u32> taken_;
};

} // namespace

std::span<const Sum> sums() { return all_sums; }

std::vector<Counted> launches(const Measured& measured) {
  Sites sites(measured);
  std::vector<Counted> out;
  std::map<i64, u64> next; // launch of each process
  for (const Launch& launch : measured.launches) {
    out.push_back({.counters = launch.counters});
    measure::LaunchRecord& record = out.back().record;
    record.kernel = launch.kernel.empty() ? launch.name : launch.kernel;
    record.name = launch.name;
    record.module = measured.machine.sm == 0 ? "machine code"
                                             : fmt::format("machine code for sm_{}", measured.machine.sm);
    record.grid = launch.grid, record.block = launch.block;
    record.shared_bytes = launch.shared_bytes;
    record.sm = {measured.machine.sm};
    record.process = launch.process;
    record.index = next[launch.process]++;
    record.sites = sites.of(launch);
  }
  return out;
}

std::vector<std::string> lacking(const Measured& measured) {
  struct Count {
    const char* name;
    std::optional<u64> Counters::*counter;
  };
  constexpr Count counts[] = {{"instructions", &Counters::instructions},
                              {"threads", &Counters::threads},
                              {"tags", &Counters::tags},
                              {"sectors", &Counters::sectors},
                              {"ideal_sectors", &Counters::ideal_sectors},
                              {"wavefronts", &Counters::wavefronts},
                              {"ideal_wavefronts", &Counters::ideal_wavefronts}};
  std::vector<std::string> out;
  bool any = false;
  for (const Count& count : counts) {
    bool found = false;
    for (const Launch& launch : measured.launches)
      for (const Instruction& instruction : launch.instructions) {
        any = true;
        found = found || (instruction.counters.*count.counter).has_value();
      }
    if (!found) out.emplace_back(count.name);
  }
  // A program without an access to global memory, or to shared memory, has no counter of it, and none to compare.
  auto is_missing = [&](const char* name) { return std::ranges::find(out, name) != out.end(); };
  const bool no_global = is_missing("tags") && is_missing("sectors"), no_shared = is_missing("wavefronts");
  std::erase_if(out, [&](const std::string& name) {
    return (no_global && (name == "tags" || name.ends_with("sectors"))) ||
           (no_shared && name.ends_with("wavefronts"));
  });
  return any ? out : std::vector<std::string>{};
}

std::optional<diag::Diagnostic> without_lines(const Measured& measured) {
  const auto without =
      std::ranges::count_if(measured.launches, [](const Launch& l) { return l.instructions.empty(); });
  if (without == 0) return {};
  diag::Diagnostic out = diag::warning(
      "measured-without-lines",
      fmt::format(
          "{} of {} launches {} sums alone, and no counters by instruction: no lines, and no ideal to hold "
          "them against",
          without, measured.launches.size(), without == 1 ? "has" : "have"));
  out.help = "measure with 'ncu --section SourceCounters', or with 'warplens record'";
  return out;
}

} // namespace warplens::measured
