// See json.h. `launches` lists every launch with every site, executed or not, those that are alike once; `kernels` is the
// grouped view of the terminal report, with advice. Counters that do not apply to a site's space are null, never 0.
#include "report/json.h"
#include "access/opcode.h"
#include "arch/count.h"
#include "arch/table.h"
#include "arch/texels.h"
#include "measure/distribution_json.h"
#include "measure/members.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include "report/json_document.h"
#include "summary/bottleneck.h"
#include "summary/findings.h"
#include "summary/kernel_occupancy.h"
#include "summary/parts.h"
#include "summary/pattern_text.h"
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::report {
namespace {

using access::Space;
using arch::Counts;
using json_t = nlohmann::ordered_json;
using Writer = measure::WholeWriter<json_t>;

json_t dim(Dim3 d) { return measure::json_of<json_t>(d); }

json_t text_or_null(const std::string& text) { return text.empty() ? json_t() : json_t(text); }

// Of textures everything is, but what was measured (src/hardware/arch/MODEL.md). A filter reads more than a texel a lane: it was measured
// of texels of 4 bytes and more.
bool sectors_are_estimate(const arch::Architecture& row, const Counts& counts, Space space, access::Kind kind,
                          u32 texel_bytes) {
  if (space != Space::texture && space != Space::surface) return false;
  bool filtered = counts.bytes_used > counts.threads * texel_bytes;
  return !arch::knows_texels(row, space, kind, texel_bytes) || (filtered && texel_bytes < 4);
}

// What wgmma reads from shared memory goes a way that no counter is known of (arch/rules/bulk.cpp).
bool wavefronts_are_estimate(Space space, const access::Site& site) {
  return space == Space::shared && access::is_wgmma(site);
}

// What a launch's counts are worth.
struct Label {
  measure::Status status{};
  bool measured = false; // by a GPU
  std::string_view name() const { return measured ? "measured" : measure::name(status); }
};

void put_counts(json_t& out, const Counts& counts, u32 sm, Space space, const access::Site& site, Label label,
                double from_l2 = 1) {
  const auto [status, measured] = label;
  const arch::Architecture* row = arch::find(sm);
  // What the L1's stages take is counted for whole launches, not for each instruction.
  bool stages = row != nullptr && arch::knows_stages(*row) && !measured;
  for (const arch::CountMember& member : arch::count_members)
    out[member.name] =
        arch::applies(member.which, space, site.kind, stages) ? json_t(counts.*member.value) : json_t();
  out["excess_bytes"] = measure::excess_bytes(counts, space, site);
  out["excess_cycles"] =
      row == nullptr ? json_t() : json_t(measure::excess_cycles(counts, space, site, *row, from_l2));
  arch::StageEstimates estimates;
  if (row != nullptr && !measured)
    estimates = arch::stage_estimates(*row, {.space = space, .kind = site.kind, .bytes = site.bytes}, counts,
                                      status == measure::Status::proved);
  if (measured && space != Space::shared) out["estimates"] = {"requests", "bytes_used"};
  if (row != nullptr && !measured && sectors_are_estimate(*row, counts, space, site.kind, site.bytes))
    out["estimates"].push_back("sectors");
  if (wavefronts_are_estimate(space, site)) out["estimates"].push_back("wavefronts");
  if (estimates.tag_passes) out["estimates"].push_back("tag_passes");
  if (estimates.data_wavefronts) out["estimates"].push_back("data_wavefronts");
  out["efficiency"] = counts.instructions == 0 ? json_t() : json_t(measure::efficiency(counts, space));
}

json_t pattern_json(const measure::Pattern& pattern, const access::Site& site) {
  if (pattern.shape.form == measure::Form::none) return {};
  json_t out{{"kind", measure::name(pattern.kind())}, {"text", describe(pattern, site)}};
  measure::members(Writer{out}, pattern);
  return out;
}

json_t distribution_json(const measure::Distribution& distribution, const std::vector<u32>& sm) {
  return measure::distribution_json<json_t>(distribution, sm.empty() ? 0 : sm[0]);
}

// With what follows from the lanes, for readers that do not know the rules.
json_t whole_distribution_json(const measure::Distribution& distribution, const std::vector<u32>& sm) {
  json_t out = distribution_json(distribution, sm);
  for (std::size_t i = 0; i < distribution.classes.size(); ++i) {
    const measure::WarpClass& c = distribution.classes[i];
    json_t& one = out["classes"][i];
    one["form"] = measure::name(c.shape.form);
    one["stride"] = c.shape.stride;
    one["rows"] = c.shape.rows;
    one["row_lanes"] = c.shape.row_lanes;
    one["gap"] = c.shape.gap;
    one["offset"] = c.shape.offset;
    one["lanes"] = c.one.lanes;
    one["ways"] = c.ways;
    one["counts"] = measure::counts_json<json_t>(c.counts);
  }
  return out;
}

// Instruction and counters: the same members for a launch's site and a kernel's access.
json_t site_json(const measure::SiteRecord& record, const std::vector<u32>& sm, Label label, double from_l2) {
  json_t out;
  const access::Site& site = record.site;
  const access::Space space = record.space;
  const std::vector<Counts>& counters = record.counters;
  measure::instruction_members(Writer{out}, record);
  if (from_l2 != 1) out["from_l2"] = from_l2;
  put_counts(out, counters.empty() ? Counts{} : counters[0], sm.empty() ? 0 : sm[0], space, site, label,
             from_l2);
  if (sm.size() > 1)
    for (std::size_t a = 0; a < sm.size() && a < counters.size(); ++a)
      put_counts(out["by_sm"][std::to_string(sm[a])], counters[a], sm[a], space, site, label,
                 a == 0 ? from_l2 : 1);
  return out;
}

// pids differ from run to run: processes get numbers in order of appearance.
class Processes {
public:
  u64 number(i64 pid) { return numbers_.try_emplace(pid, numbers_.size()).first->second; }

private:
  std::map<i64, u64> numbers_;
};

json_t blocks_json(const measure::Blocks& blocks, u64 all) {
  return {{"counted", blocks.ended}, {"in_part", blocks.running}, {"grid", all}};
}

json_t launch_json(const Launch& alike, Processes& processes, bool measured) {
  const measure::LaunchRecord& launch = alike.record;
  const Label label{launch.status, measured};
  json_t out{{"index", alike.when.front().first},
             {"process", processes.number(alike.when.front().process)},
             {"count", alike.count()}};
  const Writer visit{out};
  measure::name_members(visit, launch);
  if (!measured) out["predicted_from"] = launch.machine_code == 0 ? "ptx" : "machine-code";
  visit.optional("machine_code", launch.machine_code);
  visit.optional("assembler", launch.assembler);
  if (alike.count() > 1)
    for (const Occurrences& some : alike.when)
      some.each_process([&](i64 process) {
        out["occurrences"].push_back({{"process", processes.number(process)},
                                      {"first", some.first},
                                      {"count", some.count},
                                      {"step", some.step}});
      });
  measure::shape_members(visit, launch);
  out["status"] = label.name();
  if (measure::is_part(launch.status)) out["blocks"] = blocks_json(launch.blocks, launch.grid.count());
  measure::outcome_members(visit, launch);
  if (!alike.counters.empty()) out["counters"] = alike.counters;
  visit.each("diagnostics", launch.diagnostics);
  out["sites"] = json_t::array();
  const arch::Architecture* device = launch.sm.empty() ? nullptr : arch::find(launch.sm[0]);
  const measure::Reuse reuse = device != nullptr ? measure::Reuse(launch, *device) : measure::Reuse();
  for (const measure::SiteRecord& record : launch.sites) {
    const double from_l2 = reuse.share_from_l2(record);
    json_t site = site_json(record, launch.sm, label, from_l2);
    site["pattern"] = pattern_json(record.pattern, record.site);
    Writer{site}.optional("result_unused", record.result_unused);
    Writer{site}.optional("adds_one", record.adds_one);
    Writer{site}.optional("loads_index", record.loads_index);
    Writer{site}.optional("follows_links", record.follows_links);
    Writer{site}.optional("declared", record.declared);
    if (!record.distribution.classes.empty())
      site["distribution"] = distribution_json(record.distribution, launch.sm);
    site["label"] = label.name();
    out["sites"].push_back(std::move(site));
  }
  return out;
}

json_t advice_json(const advise::Advice& advice) {
  return {{"rule", findings::name(advice.rule)},
          {"title", advice.title},
          {"cause", advice.cause},
          {"change", advice.change},
          {"example", advice.example},
          {"confidence", advise::name(advice.confidence)},
          {"metric", advise::name(advice.metric)},
          {"before", advise::value(advice.metric, advice.before)},
          {"after", advise::value(advice.metric, advice.after)},
          {"wait_cycles", advice.wait_cycles}};
}

json_t advices_json(const AccessRow& row, const std::vector<u32>& sm) {
  json_t out = json_t::array();
  for (std::size_t i = 0; i < row.advice.size(); ++i) {
    out.push_back(advice_json(row.advice[i]));
    if (sm.size() < 2) continue;
    json_t& by_sm = out.back()["by_sm"] = json_t::object();
    for (std::size_t a = 0; a < std::min(sm.size(), row.effects[i].size()); ++a) {
      const std::optional<Effect>& effect = row.effects[i][a];
      by_sm[std::to_string(sm[a])] =
          effect ? json_t{{"before", effect->before}, {"after", effect->after}} : json_t();
    }
  }
  return out;
}

// Which stage limits the kernel, and the least time; null where nothing was counted.
json_t limit_json(const Model& model, const Kernel& kernel) {
  const std::vector<Stage> used = stages(kernel.limit);
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  if (used.empty() || row == nullptr || kernel.measured) return {};
  json_t out{{"limited_by", name(kernel.limiter)}, {"stage", used[0].id}};
  for (const Stage& stage : used) out["cycles"][std::string(stage.id)] = stage.cycles;
  out["bound_cycles"] = kernel.limit.bound;
  out["bound_seconds"] = seconds(kernel.limit.bound, *row);
  const Bottleneck other = bottleneck(model, kernel);
  out["memory_cycles"] = other.memory;
  out["issue_cycles"] = other.issue;
  out["waiting_cycles"] = other.waiting;
  out["part"] = {{"name", row->part.name},
                 {"multiprocessors", row->part.multiprocessors},
                 {"clock_khz", row->part.clock_khz}};
  return out;
}

json_t occupancy_json(const Kernel& kernel) {
  const std::optional<Occupancy> fits = occupancy_of(kernel);
  if (!fits) return {};
  auto known = [](u64 value) { return value == 0 ? json_t() : json_t(value); };
  return {{"registers", fits->registers},
          {"blocks", fits->blocks},
          {"warps", fits->warps},
          {"most_warps", fits->most_warps},
          {"limited_by", fits->limits},
          {"next_registers", known(fits->next_registers)},
          {"next_shared_bytes", known(fits->next_shared)}};
}

// Where several ranks or devices are told apart.
void put_parts(json_t& out, const Parts& ranks, const Parts& devices) {
  auto put = [&](const char* name, const char* part, const Parts& parts) {
    if (parts.count == 0) return;
    auto share = [&](const Parts::Share& one) {
      return json_t{{part, one.part}, {"moved_bytes", one.bytes}};
    };
    out[name] = {
        {"count", parts.count}, {"of", parts.of}, {"least", share(parts.least)}, {"most", share(parts.most)}};
  };
  put("ranks", "rank", ranks);
  put("devices", "device", devices);
}

json_t kernel_json(const Model& model, const Kernel& kernel) {
  const Label label{kernel.status, kernel.measured};
  json_t out{{"kernel", kernel.mangled}, {"name", kernel.name},    {"short", kernel.label},
             {"module", kernel.module},  {"status", label.name()}, {"launches", kernel.launches}};
  out["block"] = dim(kernel.block);
  const summary::Traffic moved = summary::traffic(kernel);
  out["excess_bytes"] = moved.excess_bytes;
  out["excess_cycles"] = kernel.excess_cycles;
  out["moved_bytes"] = moved.bytes;
  out["share"] = kernel.share;
  put_parts(out, kernel.ranks, kernel.devices);
  out["limit"] = limit_json(model, kernel);
  if (kernel.measured_time) out["measured_seconds"] = *kernel.measured_time;
  out["occupancy"] = occupancy_json(kernel);
  out["ptxas"] = json_t();
  if (kernel.local_use)
    out["ptxas"] = {{"stack_bytes", kernel.local_use->stack_bytes},
                    {"spill_store_bytes", kernel.local_use->spill_store_bytes},
                    {"spill_load_bytes", kernel.local_use->spill_load_bytes}};
  out["accesses"] = json_t::array();
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows) {
      json_t access = site_json(row, kernel.sm, label, row.from_l2);
      access["source"] = text_or_null(line.text);
      access["source_changed"] = line.changed;
      access["ptx_instructions"] = row.sites;
      access["pattern"] = pattern_json(row.pattern, row.site);
      access["distribution"] = whole_distribution_json(row.distribution, kernel.sm);
      access["share"] = row.share;
      access["advice"] = advices_json(row, kernel.sm);
      put_parts(access, line.ranks, line.devices);
      out["accesses"].push_back(std::move(access));
    }
  return out;
}

json_t totals_json(const Model& model) {
  const summary::Traffic all = summary::traffic(model);
  json_t out{
      {"excess_bytes", all.excess_bytes}, {"moved_bytes", all.bytes}, {"excess_cycles", model.excess_cycles}};
  out["spaces"] = json_t::object();
  const std::vector<u32>& sm = model.input.sm;
  bool proved =
      std::ranges::any_of(model.kernels, [](const Kernel& k) { return k.status == measure::Status::proved; });
  for (const auto& [space, counters] : model.totals)
    for (std::size_t a = 0; a < std::min(sm.size(), counters.size()); ++a) {
      json_t& of_space = out["spaces"][std::string(access::name(space))][std::to_string(sm[a])];
      put_counts(
          of_space, counters[a], sm[a], space, {.kind = access::Kind::load, .bytes = 4},
          {proved ? measure::Status::proved : measure::Status::exact, model.input.measured.has_value()});
      of_space["excess_bytes"] = excess_bytes(model, space, a);
      of_space.erase("excess_cycles"); // each access has its busiest stage; their sum has none
    }
  return out;
}

// Accesses by their places in `kernels[].accesses[]`.
json_t finding_json(const Model& model, const Finding& finding) {
  const Finding::Access& worst = finding.accesses[0];
  const AccessRow& row = model.kernels[worst.kernel].lines[worst.line].rows[worst.row];
  json_t out{{"rule", finding.rule ? json_t(findings::name(*finding.rule)) : json_t()},
             {"space", access::name(row.space)},
             {"pattern", measure::name(row.pattern.kind())},
             {"excess_bytes", finding.excess_bytes},
             {"excess_cycles", finding.excess_cycles},
             {"wait_cycles", finding.wait_cycles},
             {"share", finding.share}};
  out["predicted"] = json_t();
  if (finding.predicted)
    out["predicted"] = {{"metric", advise::name(finding.predicted->metric)},
                        {"before", finding.predicted->before},
                        {"after", finding.predicted->after}};
  out["cost"] = {{"actual", finding.cost.actual}, {"ideal", finding.cost.ideal}, {"unit", finding.cost.unit}};
  std::set<std::string> arrays;
  out["accesses"] = json_t::array();
  for (const Finding::Access& access : finding.accesses) {
    const Kernel& kernel = model.kernels[access.kernel];
    std::size_t index = access.row;
    for (u32 l = 0; l < access.line; ++l) index += kernel.lines[l].rows.size();
    out["accesses"].push_back({{"kernel", access.kernel}, {"access", index}});
    std::string array = array_name(kernel.lines[access.line].rows[access.row].site.array);
    if (!array.empty()) arrays.insert(array);
  }
  out["arrays"] = arrays;
  return out;
}

} // namespace

std::string json(const Model& model, std::string_view version) {
  const Input& input = model.input;
  Processes processes;
  JsonDocument out;
  out.put("schema", 1);
  out.put("tool", {{"name", "warplens"}, {"version", version}});
  out.put("target", {{"sm", input.sm.empty() ? json_t() : json_t(input.sm[0])}, {"all", input.sm}});
  if (input.measured)
    out.put("measured", {{"tool", text_or_null(input.measured->tool)},
                         {"gpu", text_or_null(input.measured->gpu)},
                         {"driver", text_or_null(input.measured->driver)},
                         {"files", input.measured->files},
                         {"lacks", input.measured->lacks}});
  out.put("program", {{"command", input.command},
                      {"exit_code", input.outcome.exit_code},
                      {"signal", input.outcome.signal == 0 ? json_t() : json_t(input.outcome.signal)},
                      {"stopped", text_or_null(std::string(name(input.outcome.stopped)))}});
  out.put_each("launches", input.launches, [&](const Launch& launch) {
    return launch_json(launch, processes, input.measured.has_value());
  });
  if (input.ranks.of != 0) {
    json_t there = json_t::array();
    for (const auto& [rank, of_rank] : input.ranks.processes) {
      json_t numbers = json_t::array();
      for (i64 process : of_rank) numbers.push_back(processes.number(process));
      there.push_back({{"rank", rank}, {"processes", std::move(numbers)}});
    }
    out.put("ranks",
            {{"of", input.ranks.of}, {"job", text_or_null(input.ranks.job)}, {"there", std::move(there)}});
  }
  json_t devices = json_t::array();
  for (const auto& [device, sum] : sums_by_device(model))
    devices.push_back({{"device", device},
                       {"launches", sum.launches},
                       {"moved_bytes", sum.moved_bytes},
                       {"excess_bytes", sum.excess_bytes}});
  if (!devices.empty()) out.put("devices", devices);
  out.put_each("interrupted", input.interrupted, [&](const measure::LaunchStarted& launch) {
    return json_t{{"index", launch.index},
                  {"process", processes.number(launch.process)},
                  {"name", launch.name},
                  {"grid", dim(launch.grid)},
                  {"block", dim(launch.block)}};
  });
  out.put_each("kernels", model.kernels, [&](const Kernel& kernel) { return kernel_json(model, kernel); });
  out.put("totals", totals_json(model));
  out.put_each("findings", model.findings,
               [&](const Finding& finding) { return finding_json(model, finding); });
  json_t files = json_t::object();
  for (const auto& [file, shown] : model.files) files[file] = shown;
  out.put("files", files);
  out.put_each("unsupported", model.unsupported, [](const auto& one) {
    return json_t{{"function", one.first}, {"calls", one.second}};
  });
  out.put_each("messages", input.messages, measure::whole_json<json_t, diag::Diagnostic>);
  out.put("filtered_out", model.filtered_out);
  out.put("left_out", input.left_out);
  out.put("missing", {{"launches", input.missing.launches},
                      {"events", input.missing.events},
                      {"processes", input.missing.processes}});
  out.put("complete", model.complete);
  return std::move(out).text();
}

} // namespace warplens::report
