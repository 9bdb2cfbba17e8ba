// An Explanation for programs: everything that the terminal shows, addresses as offsets from the array's start.
#include "explain/view/render.h"
#include <nlohmann/json.hpp>

namespace warplens::explain {
namespace {

nlohmann::json counts_json(const Explanation& e, const arch::Counts& c) {
  nlohmann::json out = {{"instructions", c.instructions}, {"threads", c.threads}, {"requests", c.requests}};
  if (e.question.space == access::Space::shared) {
    out["wavefronts"] = c.wavefronts;
    out["ideal_wavefronts"] = c.ideal_wavefronts;
    out["data_wavefronts"] = c.data_wavefronts;
  } else if (e.question.space != access::Space::constant) {
    out["tags"] = c.tags;
    out["sectors"] = c.sectors;
    out["ideal_sectors"] = c.ideal_sectors;
    out["transactions"] = c.transactions;
    out["transaction_bytes"] = c.transaction_bytes;
    out["bytes_used"] = c.bytes_used;
  }
  out["efficiency"] = efficiency(e, c);
  return out;
}

nlohmann::json access_json(const access::WarpAccess& access, const std::vector<Transaction>& list) {
  nlohmann::json addresses = nlohmann::json::array(), segments = nlohmann::json::array();
  for (u32 lane = 0; lane < warp_size; ++lane) {
    if (access.active >> lane & 1)
      addresses.push_back(static_cast<i64>(access.address[lane] - origin));
    else
      addresses.push_back(nullptr);
  }
  for (const Transaction& t : list)
    segments.push_back(
        {{"offset", static_cast<i64>(t.address - origin)}, {"bytes", t.bytes}, {"lanes", t.lanes}});
  nlohmann::json out = {{"bytes", access.bytes}, {"offsets", addresses}};
  if (!segments.empty()) out["segments"] = segments;
  return out;
}

nlohmann::json form_json(const Form& f) {
  nlohmann::json out = {{"kind", name(f.kind)},
                        {"index", f.index},
                        {"unit", f.in_bytes ? "byte" : "element"},
                        {"rows_in_warp", f.rows}};
  if (f.kind == FormKind::other) return out;
  out["rest"] = f.rest;
  out["coefficient"] = f.coefficient;
  out["step_bytes"] = f.step;
  return out;
}

} // namespace

nlohmann::json json(const Explanation& e) {
  const Question& q = e.question;
  nlohmann::json out = {{"schema", 1},
                        {"access", q.access},
                        {"assumed", e.assumed}, // [name, meaning]
                        {"space", access::name(q.space)},
                        {"op", access::name(q.kind)},
                        {"sm", q.sm},
                        {"block", {q.block.x, q.block.y, q.block.z}},
                        {"warp_index", q.warp},
                        {"element_bytes", e.element.size},
                        {"bytes", e.accessed.size},
                        {"form", form_json(e.form)},
                        {"warp", counts_json(e, e.warp)},
                        {"block_total", counts_json(e, e.block)}};
  for (std::size_t i = 0; i < e.drawn.size(); ++i)
    out["instructions"].push_back(access_json(e.drawn[i], e.transactions[i]));
  for (const ArchitectureCounts& row : e.others) {
    nlohmann::json entry = counts_json(e, row.block);
    entry["sm"] = row.sm;
    out["architectures"].push_back(entry);
  }
  out["fixes"] = nlohmann::json::array();
  for (const advise::Advice& fix : e.fixes)
    out["fixes"].push_back({{"rule", findings::name(fix.rule)},
                            {"title", fix.title},
                            {"cause", fix.cause},
                            {"change", fix.change},
                            {"example", fix.example},
                            {"metric", advise::name(fix.metric)},
                            {"before", advise::value(fix.metric, fix.before)},
                            {"after", advise::value(fix.metric, fix.after)},
                            {"confidence", advise::name(fix.confidence)}});
  out["warnings"] = nlohmann::json::array();
  for (const diag::Diagnostic& warning : e.warnings)
    out["warnings"].push_back({{"kind", warning.kind}, {"message", warning.message}});
  if (e.fault) out["fault"] = {{"kind", e.fault->kind}, {"message", e.fault->message}};
  return out;
}

} // namespace warplens::explain
