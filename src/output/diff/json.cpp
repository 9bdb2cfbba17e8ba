// The comparison for programs, by docs/schema/diff-1.schema.json: a fixed order of members; what a side has not is null.
#include "diff/words.h"
#include "diff/writers.h"
#include "text/words.h"
#include <cmath>
#include <nlohmann/json.hpp>

namespace warplens::diff {
namespace {

using json_t = nlohmann::ordered_json;

json_t text_or_null(const std::string& text) { return text.empty() ? json_t() : json_t(text); }
json_t dim(Dim3 d) { return {d.x, d.y, d.z}; }

template <class T, class F> json_t or_null(const std::optional<T>& it, F&& of) {
  return it ? of(*it) : json_t();
}

// Null in a comparison of baselines, which have none.
json_t cost_json(const Model& model, const Cost& cost) {
  if (!model.counted) return {};
  return {{"cycles", cost.cycles},
          {"excess_cycles", cost.excess_cycles},
          {"moved_bytes", cost.moved_bytes},
          {"excess_bytes", cost.excess_bytes}};
}

json_t side_json(const Model& model, const Side& side) {
  json_t out{{"name", side.name}, {"sm", side.sm}, {"complete", side.complete}, {"launches", side.launches}};
  out["cost"] = cost_json(model, side.cost);
  out["spaces"] = json_t::object();
  for (const Traffic& traffic : side.traffic)
    out["spaces"][std::string(access::name(traffic.space))] = {
        {"unit", traffic.unit}, {"moved", traffic.moved}, {"excess", traffic.excess}};
  return out;
}

json_t place_json(const LinePlace& place) {
  return {{"file", text_or_null(place.file)},
          {"line", place.line == 0 ? json_t() : json_t(place.line)},
          {"source", text_or_null(place.text)},
          {"function", text_or_null(place.function)},
          {"calls", place.calls}};
}

json_t access_json(const Model& model, const ComparedAccess& access) {
  json_t out{{"change", name(access.change)},
             {"space", model.counted ? json_t(access::name(access.space)) : json_t()}};
  auto side = [&](const ComparedAccess::Side& of) {
    return json_t{{"what", of.what},
                  {"array", text_or_null(of.array)},
                  {"pattern", text_or_null(of.pattern)},
                  {"unit", of.unit},
                  {"each", of.each},
                  {"ideal", model.counted ? json_t(of.ideal) : json_t()},
                  {"requests", model.counted ? json_t(of.requests) : json_t()},
                  {"cost", cost_json(model, of.cost)}};
  };
  out["before"] = or_null(access.before, side);
  out["after"] = or_null(access.after, side);
  return out;
}

json_t line_json(const Model& model, const Line& line) {
  json_t out{{"change", name(line.change)}, {"edited", line.edited}};
  out["before"] = or_null(line.before, place_json);
  out["after"] = or_null(line.after, place_json);
  out["cost_before"] = line.before ? cost_json(model, line.old_cost) : json_t();
  out["cost_after"] = line.after ? cost_json(model, line.new_cost) : json_t();
  out["accesses"] = json_t::array();
  for (const ComparedAccess& access : line.accesses) out["accesses"].push_back(access_json(model, access));
  return out;
}

json_t kernel_json(const Model& model, const Kernel& kernel) {
  json_t out{{"change", name(kernel.change)}, {"renamed", kernel.renamed}, {"per_launch", kernel.per_launch}};
  auto side = [&](const Kernel::Side& of) {
    json_t one{{"name", of.name}, {"short", of.label}, {"launches", of.launches}, {"block", dim(of.block)}};
    one["grids"] = json_t::array();
    for (const auto& [grid, launches] : of.grids)
      one["grids"].push_back({{"grid", dim(grid)}, {"launches", launches}});
    one["cost"] = cost_json(model, of.cost);
    if (!of.stage.empty()) one["busiest"] = {{"stage", of.stage}, {"cycles", of.busiest}};
    return one;
  };
  out["before"] = or_null(kernel.before, side);
  out["after"] = or_null(kernel.after, side);
  if (kernel.asked) out["asked"] = true;
  out["lines"] = json_t::array();
  for (const Line& line : kernel.lines) out["lines"].push_back(line_json(model, line));
  return out;
}

} // namespace

std::string json(const Model& model, const std::vector<std::string>& fails, std::string_view version) {
  json_t out{{"schema", 1},
             {"kind", "warplens-diff"},
             {"tool", {{"name", "warplens"}, {"version", version}}},
             {"of", model.counted ? "runs" : "baselines"},
             {"sm", model.sm == 0 ? json_t() : json_t(model.sm)},
             {"change", name(model.change)},
             {"verdict", text::with_plain_blanks(verdict(model))}};
  out["before"] = side_json(model, model.before);
  out["after"] = side_json(model, model.after);
  out["warnings"] = model.warnings;
  out["notes"] = model.notes;
  out["fails"] = json_t::array();
  for (const std::string& text : fails) out["fails"].push_back(text::with_plain_blanks(text));
  out["kernels"] = json_t::array();
  for (const Kernel& kernel : model.kernels) out["kernels"].push_back(kernel_json(model, kernel));
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::diff
