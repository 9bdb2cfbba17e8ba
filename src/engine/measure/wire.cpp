// Events as JSON lines, by nlohmann-json. {"event":"launch",…}; members that are zero, empty or at their
// default are left out, because a launch lists every site of its module part, executed or not. Readers take a
// missing member as its default and ignore members they do not know, so that parent and runtime of different
// builds understand each other. Enumerators go by name, never by number, for the same reason. A member of the
// wrong type, a number out of its range or a name that this build does not know makes the line unreadable
// instead of wrong.
#include "measure/wire.h"
#include "measure/distribution_json.h"
#include "measure/members.h"
#include <utility>

namespace warplens::measure {
namespace {

json to_json(Dim3 dim) { return json_of<json>(dim); }

json to_json(const SiteRecord& record, const std::vector<u32>& sm) {
  json out = json::object();
  const ShortWriter visit{out};
  instruction_members(visit, record);
  if (sm.size() == 1 && !record.counters.empty()) out.update(counts_json<json>(record.counters[0]));
  for (std::size_t a = 0; sm.size() > 1 && a < std::min(sm.size(), record.counters.size()); ++a)
    out["by_sm"][std::to_string(sm[a])] = counts_json<json>(record.counters[a]);
  visit.object("pattern", record.pattern);
  visit("result_unused", record.result_unused), visit("adds_one", record.adds_one);
  visit("loads_index", record.loads_index), visit("follows_links", record.follows_links);
  if (!record.distribution.classes.empty())
    out["distribution"] = distribution_json<json>(record.distribution, sm.empty() ? 0 : sm[0]);
  return out;
}

json to_json(const LaunchRecord& launch) {
  json out{{"event", "launch"}};
  const ShortWriter visit{out};
  visit("index", launch.index), visit("process", launch.process), visit("seconds", launch.seconds);
  name_members(visit, launch);
  visit("machine_code", launch.machine_code), visit("assembler", launch.assembler);
  shape_members(visit, launch);
  visit("status", launch.status);
  visit.object("blocks", launch.blocks);
  outcome_members(visit, launch);
  visit.each("diagnostics", launch.diagnostics);
  for (const SiteRecord& site : launch.sites) out["sites"].push_back(to_json(site, launch.sm));
  return out;
}

LaunchRecord launch_of(const json& value) {
  LaunchRecord out = measure::launch_of(value, {}, true);
  for (const SiteRecord& site : out.sites)
    if (site.counters.size() != out.sm.size())
      throw Unreadable("a site does not have one set of counters per architecture");
  return out;
}

struct Encoder {
  json operator()(const ProcessStarted& e) const {
    return {{"event", "process_started"},
            {"process", e.process},
            {"executable", e.executable},
            {"target", e.target},
            {"sm", e.sm}};
  }
  json operator()(const LaunchStarted& e) const {
    if (e.as) return {{"event", "launch_started"}, {"process", e.process}, {"index", e.index}, {"as", *e.as}};
    return {{"event", "launch_started"}, {"process", e.process},     {"index", e.index}, {"name", e.name},
            {"grid", to_json(e.grid)},   {"block", to_json(e.block)}};
  }
  json operator()(const LaunchRecord& e) const { return to_json(e); }
  json operator()(const LaunchAlike& e) const {
    return {{"event", "launch_alike"}, {"process", e.process}, {"index", e.index}, {"as", e.as}};
  }
  json operator()(const LeftOut& e) const {
    json out = {{"event", "left_out"}, {"process", e.process}, {"index", e.index}, {"name", e.name}};
    if (!e.range.empty()) out["range"] = e.range;
    return out;
  }
  json operator()(const KernelsKnown& e) const {
    return {{"event", "kernels"}, {"process", e.process}, {"names", e.names}};
  }
  json operator()(const Unsupported& e) const {
    return {{"event", "unsupported"}, {"process", e.process}, {"function", e.function}, {"calls", e.calls}};
  }
  json operator()(const FailedCall& e) const {
    return {{"event", "failed_call"}, {"process", e.process}, {"function", e.function},
            {"error", e.error},       {"place", e.place},     {"calls", e.calls}};
  }
  json operator()(const Message& e) const {
    return {{"event", "message"}, {"process", e.process}, {"diagnostic", short_json(e.diagnostic)}};
  }
  json operator()(const ProcessEnded& e) const {
    return {{"event", "process_ended"}, {"process", e.process}};
  }
};

Event event_of(const json& value) {
  expect_object(value, "the line");
  std::string kind;
  take(value, "event", kind);
  i64 process = 0;
  take(value, "process", process);
  if (kind == "launch") return launch_of(value);
  if (kind == "process_ended") return ProcessEnded{process};
  if (kind == "process_started") {
    ProcessStarted out{process};
    take(value, "executable", out.executable);
    take(value, "target", out.target);
    take(value, "sm", out.sm);
    return out;
  }
  if (kind == "launch_started") {
    LaunchStarted out{process};
    take(value, "index", out.index);
    take(value, "name", out.name);
    take_dim(value, "grid", out.grid);
    take_dim(value, "block", out.block);
    if (value.contains("as")) take(value, "as", out.as.emplace());
    return out;
  }
  if (kind == "launch_alike") {
    LaunchAlike out{process};
    take(value, "index", out.index);
    take(value, "as", out.as);
    return out;
  }
  if (kind == "left_out") {
    LeftOut out{process};
    take(value, "index", out.index);
    take(value, "name", out.name);
    take(value, "range", out.range);
    return out;
  }
  if (kind == "kernels") return KernelsKnown{process, strings(value, "names")};
  if (kind == "unsupported") {
    Unsupported out{process};
    take(value, "function", out.function);
    take(value, "calls", out.calls);
    return out;
  }
  if (kind == "failed_call") {
    FailedCall out{process};
    take(value, "function", out.function);
    take(value, "error", out.error);
    take(value, "place", out.place);
    take(value, "calls", out.calls);
    return out;
  }
  if (kind == "message") {
    auto found = value.find("diagnostic");
    if (found == value.end()) throw Unreadable("the message has no diagnostic");
    return Message{process, read_object<diag::Diagnostic>(*found, "a diagnostic")};
  }
  throw Unreadable(fmt::format("unknown event '{}'", kind));
}

diag::Diagnostic unreadable(std::string why) {
  diag::Diagnostic out = diag::warning("event-unreadable", "an event of the program could not be read");
  out.notes.push_back(std::move(why));
  return out;
}

} // namespace

std::string encode(const Event& event, std::optional<u64> sequence) {
  json line = std::visit(Encoder{}, event);
  if (sequence) line["sequence"] = *sequence;
  // Names from PTX and paths may hold any bytes: what is not UTF-8 becomes U+FFFD instead of an exception.
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

Result<Event> decode(std::string_view line, std::optional<u64>* sequence) {
  json value = json::parse(line, nullptr, false);
  if (value.is_discarded())
    return failure(unreadable("not a whole JSON object: the line is cut off or damaged"));
  try {
    if (sequence != nullptr && value.is_object() && value.contains("sequence"))
      *sequence = number_of<u64>(value["sequence"], "sequence");
    return event_of(value);
  } catch (const std::exception& error) {
    return failure(unreadable(error.what()));
  }
}

} // namespace warplens::measure
