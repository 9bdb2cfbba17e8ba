// Kernels, findings and settings of a report, member by member as web/src/data.ts has them. See report_data.h.
#include "html/report_data.h"
#include "arch/count.h"
#include "measure/totals.h"
#include "summary/parts.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace warplens::html {
namespace {

// "matmul.cu 64 64": the program without its folder.
std::string title_of(const summary::Input& input) {
  constexpr std::size_t longest = 80;
  std::string out;
  for (const std::string& word : input.command)
    out += (out.empty() ? std::filesystem::path(word).filename().string() : " " + word);
  return text::clip(out.empty() ? "WarpLens" : out, longest);
}

Json run_data(const Scribe& scribe) {
  const summary::Model& model = scribe.model;
  static constexpr std::string_view origins[] = {"run", "replay", "explain", "check"};
  Json out{{"of", origins[static_cast<std::size_t>(scribe.about.origin)]},
           {"command", model.input.command},
           {"exit", model.input.outcome.exit_code},
           {"signal", model.input.outcome.signal},
           {"complete", model.complete},
           {"launches", summary::count(model.input.launches)},
           {"ranks", model.input.ranks.processes.size()},
           {"lines", model.lines_known},
           {"spills", !model.input.local_use.empty()},
           {"excess_bytes", model.excess_bytes},
           {"moved_bytes", model.moved_bytes},
           {"excess_cycles", model.excess_cycles}};
  std::set<std::string_view> counted;
  for (const summary::Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status)) counted.insert(measure::name(kernel.status));
  out["counted"] = counted;
  out["devices"] = Json::array();
  for (std::size_t a = 0; a < scribe.architectures.size(); ++a) {
    const arch::Architecture* row = scribe.architectures[a];
    out["devices"].push_back(
        {{"sm", a < model.input.sm.size() ? text::compute_capability(model.input.sm[a]) : "unknown"},
         {"name", row == nullptr ? "" : std::string(row->part.name)},
         {"generation", row == nullptr ? "" : std::string(row->generation)},
         {"sector_cycles", row == nullptr ? 0 : row->costs.sector},
         {"pass_cycles", row == nullptr ? 0 : row->costs.wavefront}});
  }
  return out;
}

Json totals_data(const Scribe& scribe) {
  Json out = Json::object();
  for (const auto& [space, counters] : scribe.model.totals)
    out[std::string(access::name(space))] = counts_by_device(scribe, counters, space, {});
  return out;
}

} // namespace

Scribe::Scribe(const summary::Model& of, const SourceText& source, const About& what)
    : model(of), about(what), words{of, {}, {}}, source_(source) {
  for (u32 sm : of.input.sm) architectures.push_back(arch::find(sm));
  if (architectures.empty()) architectures.push_back(nullptr);
}

std::size_t Scribe::text(const std::string& text) {
  auto [found, fresh] = known_texts_.try_emplace(text, texts_.size());
  if (fresh) texts_.push_back(text);
  return found->second;
}

std::size_t Scribe::process(i64 pid) { return processes_.try_emplace(pid, processes_.size()).first->second; }

std::size_t Scribe::picture_on(const arch::Architecture& architecture, const access::WarpAccess& access) {
  Json picture = json(picture_of(architecture, access));
  auto [found, fresh] = known_pictures_.try_emplace(picture.dump(), pictures_.size());
  if (fresh) pictures_.push_back(std::move(picture));
  return found->second;
}

Json Scribe::picture(const access::WarpAccess& access) {
  std::vector<std::size_t> all;
  for (const arch::Architecture* architecture : architectures)
    if (architecture != nullptr) all.push_back(picture_on(*architecture, access));
  if (all.size() != architectures.size()) return {};
  if (std::ranges::all_of(all, [&](std::size_t one) { return one == all[0]; })) all.resize(1);
  return all;
}

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json parts_json(const summary::Parts& ranks, const summary::Parts& devices) {
  Json out = Json::array();
  if (ranks.count != 0) out.push_back({"ranks", summary::in_words(ranks, "rank")});
  if (devices.count != 0) out.push_back({"devices", summary::in_words(devices, "device")});
  return out;
}

Json count_names() {
  Json out = Json::array();
  for (const arch::CountMember& member : arch::count_members) out.push_back(member.name);
  for (std::string_view name : {"moved_bytes", "excess_bytes", "excess_cycles"}) out.push_back(name);
  return out;
}

Json counts_of(const arch::Counts& counts, access::Space space, const access::Site& site,
               const arch::Architecture* architecture, std::optional<Excess> excess) {
  Json out = Json::array();
  const bool stages = architecture != nullptr && arch::knows_stages(*architecture);
  for (const arch::CountMember& member : arch::count_members)
    out.push_back(arch::applies(member.which, space, site.kind, stages) ? Json(counts.*member.value)
                                                                        : Json());
  out.push_back(measure::bytes_moved(counts, space));
  if (!excess)
    excess = {measure::excess_bytes(counts, space, site),
              architecture == nullptr ? 0 : measure::excess_cycles(counts, space, site, *architecture)};
  out.push_back(excess->bytes);
  out.push_back(excess->cycles);
  return out;
}

Json by_device(std::vector<Json> each) {
  Json out = Json::array();
  for (std::size_t i = 0; i < each.size(); ++i) {
    const std::size_t first = static_cast<std::size_t>(std::ranges::find(each, each[i]) - each.begin());
    out.push_back(first < i ? Json(first) : each[i]);
  }
  return out;
}

Json counts_by_device(const Scribe& scribe, const std::vector<arch::Counts>& counters, access::Space space,
                      const access::Site& site, std::optional<Excess> excess) {
  std::vector<Json> out;
  for (std::size_t a = 0; a < scribe.architectures.size(); ++a)
    out.push_back(counts_of(a < counters.size() ? counters[a] : arch::Counts{}, space, site,
                            scribe.architectures[a], a == 0 ? excess : std::nullopt));
  return by_device(std::move(out));
}

Json report_data(const summary::Model& model, const SourceText& source, std::string_view version,
                 const About& about) {
  Scribe scribe(model, source, about);
  Json out{{"version", version}, {"title", title_of(model.input)}, {"counts", count_names()}};
  out["run"] = run_data(scribe);
  out["totals"] = totals_data(scribe);
  Json kernels = Json::array(), accesses = Json::array(), findings = Json::array();
  std::vector<std::vector<u32>> first(model.kernels.size());
  for (u32 k = 0; k < model.kernels.size(); ++k) {
    kernels.push_back(kernel_data(scribe, model.kernels[k]));
    for (const summary::Line& line : model.kernels[k].lines) {
      first[k].push_back(static_cast<u32>(accesses.size()));
      for (const summary::AccessRow& row : line.rows) accesses.push_back(access_data(scribe, k, line, row));
    }
  }
  for (const summary::Finding& finding : model.findings)
    findings.push_back(finding_data(scribe, finding, first));
  out["gaps"] = gaps_data(model, about.origin);
  out["messages"] = messages_data(scribe);
  out["kernels"] = std::move(kernels);
  out["findings"] = std::move(findings);
  out["accesses"] = std::move(accesses);
  out["files"] = scribe.files();
  out["pictures"] = scribe.pictures();
  out["texts"] = scribe.texts();
  return out;
}

} // namespace warplens::html
