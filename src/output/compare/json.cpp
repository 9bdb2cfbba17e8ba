// A comparison as JSON, by docs/schema/compare-1.schema.json.
#include "compare/compare.h"
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::compare {
namespace {

using json_t = nlohmann::ordered_json;

json_t text_or_null(const std::string& text) { return text.empty() ? json_t() : json_t(text); }

template <class T> json_t or_null(const std::optional<T>& value) { return value ? json_t(*value) : json_t(); }

json_t dim(const std::optional<Dim3>& d) { return d ? json_t{d->x, d->y, d->z} : json_t(); }

class Writer {
public:
  explicit Writer(const Model& model) : model_(model) {}

  json_t side(const Side& side) const {
    json_t out{{"name", side.name}, {"measured", json_t()}, {"predicted_from", json_t()}};
    if (!side.measured()) out["predicted_from"] = name(side.code());
    if (side.measured())
      out["measured"] = {{"tool", text_or_null(side.input->measured->tool)},
                         {"gpu", text_or_null(side.input->measured->gpu)},
                         {"driver", text_or_null(side.input->measured->driver)}};
    return out;
  }

  json_t kernel(const Kernel& kernel) const {
    json_t out{{"name", kernel.name}};
    for (std::size_t s = 0; s < model_.sides.size(); ++s) out["launches"].push_back(kernel.launches[s]);
    out["groups"] = json_t::array();
    for (const Launches& launches : kernel.groups) out["groups"].push_back(group(launches));
    return out;
  }

private:
  json_t count(const Count& count) const {
    json_t out{{"count", count.name}};
    for (std::size_t s = 0; s < model_.sides.size(); ++s) out["values"].push_back(or_null(count.values[s]));
    out["residual"] = count.residual;
    out["reason"] = name(count.reason);
    return out;
  }

  json_t line(const Line& line) const {
    json_t out{{"file", text_or_null(line.place.file)},
               {"line", line.place.line == 0 ? json_t() : json_t(line.place.line)},
               {"function", text_or_null(line.function)},
               {"source", text_or_null(line.text)},
               {"space", access::name(line.space)},
               {"op", access::name(line.kind)}};
    for (std::size_t s = 0; s < model_.sides.size(); ++s) {
      out["lines"].push_back(line.numbers[s] == 0 ? json_t() : json_t(line.numbers[s]));
      out["instructions"].push_back(text_or_null(line.opcodes[s]));
    }
    out["reason"] = name(line.reason);
    out["counts"] = json_t::array();
    for (const Count& one : line.counts) out["counts"].push_back(count(one));
    return out;
  }

  json_t group(const Launches& launches) const {
    json_t out{{"first", launches.first}, {"count", launches.count}};
    for (std::size_t s = 0; s < model_.sides.size(); ++s) {
      out["grid"].push_back(dim(launches.grid[s]));
      out["block"].push_back(dim(launches.block[s]));
      out["problem"].push_back(text_or_null(launches.problem[s]));
    }
    out["bound_seconds"] = or_null(launches.bound);
    out["measured_seconds"] = or_null(launches.took);
    out["lines"] = json_t::array();
    for (const Line& one : launches.lines) out["lines"].push_back(line(one));
    out["sums"] = json_t::array();
    for (const Count& sum : launches.sums) out["sums"].push_back(count(sum));
    return out;
  }

  const Model& model_;
};

// What each reason that occurs says in words; sums of whole launches may have others than counts of lines.
json_t reason_words(const Model& model) {
  std::set<Reason> found;
  for (const Kernel& kernel : model.kernels)
    for (const Launches& launches : kernel.groups) {
      for (const Line& line : launches.lines)
        for (const Count& one : line.counts) found.insert(one.reason);
      for (const Count& sum : launches.sums) found.insert(sum.reason);
    }
  found.erase(Reason::none);
  json_t out = json_t::object();
  for (Reason reason : found) out[std::string(name(reason))] = words(reason);
  return out;
}

} // namespace

std::string json(const Model& model, std::string_view version) {
  Writer writer(model);
  json_t out{{"schema", 1}, {"tool", {{"name", "warplens"}, {"version", version}}}};
  for (const Side& side : model.sides) out["sides"].push_back(writer.side(side));
  out["compared"] = {model.base, model.other};
  out["differs"] = model.differs;
  out["equal"] = model.equal;
  out["different"] = json_t::object();
  for (const auto& [reason, count] : model.different) out["different"][std::string(name(reason))] = count;
  out["reasons"] = reason_words(model);
  out["launches"] = model.launches;
  out["launches_equal"] = model.launches_equal;
  out["sums"] = model.sums;
  out["sums_equal"] = model.sums_equal;
  out["notes"] = model.notes;
  out["kernels"] = json_t::array();
  for (const Kernel& kernel : model.kernels) out["kernels"].push_back(writer.kernel(kernel));
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::compare
