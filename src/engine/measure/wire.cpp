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

// What is plain in both directions.
template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, SiteRecord>
void members(V&& visit, T& record) {
  visit("space", record.space), visit("result_unused", record.result_unused);
  visit("adds_one", record.adds_one);
}

template <class V, class T>
requires std::is_same_v<std::remove_const_t<T>, LaunchRecord>
void members(V&& visit, T& launch) {
  visit("index", launch.index), visit("process", launch.process), visit("kernel", launch.kernel);
  visit("name", launch.name), visit("module", launch.module), visit("machine_code", launch.machine_code),
      visit("shared_bytes", launch.shared_bytes);
  visit("local_bytes", launch.local_bytes), visit("local_arrays", launch.local_arrays);
  visit("status", launch.status), visit("blocks_ended", launch.blocks.ended),
      visit("blocks_running", launch.blocks.running);
  visit("reason", launch.reason), visit("error", launch.error);
  visit("warp_instructions", launch.warp_instructions), visit("seconds", launch.seconds);
}

namespace {

json to_json(Dim3 dim) { return {dim.x, dim.y, dim.z}; }

template <class T> json object_of(const T& value) {
  json out = json::object();
  members(Writer{out}, value);
  return out;
}

json to_json(const diag::Diagnostic& d) {
  json out = object_of(d);
  out["severity"] = name(d.severity);
  return out;
}

json to_json(const access::Site& site) {
  json out = object_of(site);
  out["id"] = site.id.value;
  for (const access::SourceFrame& frame : site.frames) out["frames"].push_back(object_of(frame));
  if (site.array != access::Array{}) out["array"] = object_of(site.array);
  return out;
}

// To a site that was sent before.
bool is_reference(const access::Site& site) { return site.opcode.empty() && site.id.valid(); }

access::Site site_of(const json& value) {
  expect_object(value, "a site");
  access::Site out;
  out.bytes = 0;
  take(value, "id", out.id.value);
  members(Reader{value}, out);
  std::vector<access::SourceFrame> frames;
  each(value, "frames", [&](const json& element) {
    expect_object(element, "a source frame");
    members(Reader{element}, frames.emplace_back());
  });
  out.frames = std::move(frames);
  if (auto array = value.find("array"); array != value.end()) out.array = array_of(*array);
  if (!is_reference(out)) check_site(out);
  return out;
}

json to_json(const arch::Counts& counts) {
  json out = json::object();
  for (const arch::CountMember& member : arch::count_members) Writer{out}(member.name, counts.*member.value);
  return out;
}

json to_json(const SiteRecord& record, u32 sm) {
  json out = object_of(record);
  out["site"] = to_json(record.site);
  for (const arch::Counts& counts : record.counters) out["counters"].push_back(to_json(counts));
  if (record.pattern != Pattern{}) out["pattern"] = object_of(record.pattern);
  if (!record.distribution.classes.empty())
    out["distribution"] = distribution_json<json>(record.distribution, sm);
  return out;
}

SiteRecord site_record_of(const json& value, u32 sm) {
  expect_object(value, "a site record");
  SiteRecord out;
  members(Reader{value}, out);
  if (auto site = value.find("site"); site != value.end()) out.site = site_of(*site);
  each(value, "counters", [&](const json& element) { out.counters.push_back(counts_of(element)); });
  if (auto pattern = value.find("pattern"); pattern != value.end()) out.pattern = pattern_of(*pattern);
  if (auto found = value.find("distribution"); found != value.end())
    out.distribution = distribution_of(*found);
  if (!is_reference(out.site)) complete(out, sm);
  return out;
}

json to_json(const LaunchRecord& launch) {
  json out = object_of(launch);
  out["event"] = "launch";
  out["grid"] = to_json(launch.grid), out["block"] = to_json(launch.block);
  out["sm"] = launch.sm;
  for (const diag::Diagnostic& d : launch.diagnostics) out["diagnostics"].push_back(to_json(d));
  for (const SiteRecord& site : launch.sites)
    out["sites"].push_back(to_json(site, launch.sm.empty() ? 0 : launch.sm[0]));
  return out;
}

LaunchRecord launch_of(const json& value) {
  LaunchRecord out;
  members(Reader{value}, out);
  take_dim(value, "grid", out.grid);
  take_dim(value, "block", out.block);
  each(value, "sm", [&](const json& element) { out.sm.push_back(number_of<u32>(element, "sm")); });
  each(value, "diagnostics", [&](const json& element) { out.diagnostics.push_back(diagnostic_of(element)); });
  each(value, "sites", [&](const json& element) {
    SiteRecord site = site_record_of(element, out.sm.empty() ? 0 : out.sm[0]);
    if (site.counters.size() != out.sm.size())
      throw Unreadable("a site does not have one set of counters per architecture");
    out.sites.push_back(std::move(site));
  });
  expect_possible(out);
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
    return {{"event", "left_out"}, {"process", e.process}, {"index", e.index}};
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
    return {{"event", "message"}, {"process", e.process}, {"diagnostic", to_json(e.diagnostic)}};
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
    return Message{process, diagnostic_of(*found)};
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
