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

template <class T> void put(json& object, const char* key, const T& value, const T& none = {}) {
  if (!(value == none)) object[key] = value;
}

template <class E> void put_name(json& object, const char* key, E value) {
  if (value != E{}) object[key] = name(value);
}

json to_json(Dim3 dim) { return {dim.x, dim.y, dim.z}; }

json to_json(const diag::Diagnostic& d) {
  json out{{"kind", d.kind}, {"severity", name(d.severity)}, {"message", d.message}};
  put(out, "file", d.span.file);
  put(out, "line", d.span.line);
  put(out, "column", d.span.column);
  put(out, "length", d.span.length);
  put(out, "notes", d.notes);
  put(out, "help", d.help);
  return out;
}

json to_json(const access::Array& array) {
  json out = json::object();
  put_name(out, "kind", array.kind);
  put(out, "name", array.name);
  put(out, "parameter", array.parameter);
  put(out, "parameters", array.parameters);
  put(out, "offset", array.offset);
  put(out, "indirect", array.indirect);
  return out;
}

json to_json(const access::Site& site) {
  json out{{"id", site.id.value}};
  put(out, "function", site.function);
  for (const access::SourceFrame& frame : site.frames) {
    json f{{"file", frame.file}};
    put(f, "line", frame.line);
    put(f, "column", frame.column);
    put(f, "function", frame.function);
    out["frames"].push_back(std::move(f));
  }
  put(out, "ptx_line", site.ptx_line);
  put(out, "opcode", site.opcode);
  put_name(out, "space", site.space);
  put_name(out, "kind", site.kind);
  put_name(out, "cache", site.cache);
  put(out, "bytes", site.bytes);
  put(out, "matrices", site.matrices);
  put(out, "vector", site.vector, u8{1});
  put_name(out, "element", site.element);
  if (site.array != access::Array{}) out["array"] = to_json(site.array);
  put_name(out, "timing_dependent", site.timing_dependent);
  return out;
}

// To a site that was sent before.
bool is_reference(const access::Site& site) { return site.opcode.empty() && site.id.valid(); }

access::Site site_of(const json& value) {
  expect_object(value, "a site");
  access::Site out;
  out.bytes = 0;
  take(value, "id", out.id.value);
  take(value, "function", out.function);
  std::vector<access::SourceFrame> frames;
  each(value, "frames", [&](const json& element) {
    expect_object(element, "a source frame");
    access::SourceFrame& frame = frames.emplace_back();
    take(element, "file", frame.file);
    take(element, "line", frame.line);
    take(element, "column", frame.column);
    take(element, "function", frame.function);
  });
  out.frames = std::move(frames);
  take(value, "ptx_line", out.ptx_line);
  take(value, "opcode", out.opcode);
  take_name(value, "space", out.space);
  take_name(value, "kind", out.kind);
  take_name(value, "cache", out.cache);
  take(value, "bytes", out.bytes);
  take(value, "matrices", out.matrices);
  take(value, "vector", out.vector);
  take_name(value, "element", out.element);
  if (auto array = value.find("array"); array != value.end()) out.array = array_of(*array);
  take_name(value, "timing_dependent", out.timing_dependent);
  if (!is_reference(out)) check_site(out);
  return out;
}

json to_json(const arch::Counts& counts) {
  json out = json::object();
  for (const arch::CountMember& member : arch::count_members) put(out, member.name, counts.*member.value);
  return out;
}

json to_json(const Pattern& pattern) {
  json out = json::object();
  put_name(out, "form", pattern.shape.form);
  put(out, "stride", pattern.shape.stride);
  put(out, "rows", pattern.shape.rows);
  put(out, "row_lanes", pattern.shape.row_lanes);
  put(out, "gap", pattern.shape.gap);
  put(out, "offset", pattern.shape.offset);
  put(out, "lanes", pattern.lanes);
  put(out, "units", pattern.units);
  put(out, "most_units", pattern.most_units);
  put(out, "ways", pattern.ways);
  put(out, "share", pattern.share);
  put(out, "excess_share", pattern.excess_share);
  return out;
}

json to_json(const SiteRecord& record, u32 sm) {
  json out{{"site", to_json(record.site)}};
  put_name(out, "space", record.space);
  for (const arch::Counts& counts : record.counters) out["counters"].push_back(to_json(counts));
  if (record.pattern != Pattern{}) out["pattern"] = to_json(record.pattern);
  if (!record.distribution.classes.empty())
    out["distribution"] = distribution_json<json>(record.distribution, sm);
  put(out, "result_unused", record.result_unused);
  return out;
}

SiteRecord site_record_of(const json& value, u32 sm) {
  expect_object(value, "a site record");
  SiteRecord out;
  if (auto site = value.find("site"); site != value.end()) out.site = site_of(*site);
  take_name(value, "space", out.space);
  each(value, "counters", [&](const json& element) { out.counters.push_back(counts_of(element)); });
  if (auto pattern = value.find("pattern"); pattern != value.end()) out.pattern = pattern_of(*pattern);
  if (auto found = value.find("distribution"); found != value.end())
    out.distribution = distribution_of(*found);
  take_flag(value, "result_unused", out.result_unused);
  if (!is_reference(out.site)) complete(out, sm);
  return out;
}

json to_json(const LaunchRecord& launch) {
  json out{{"event", "launch"},
           {"index", launch.index},
           {"process", launch.process},
           {"kernel", launch.kernel},
           {"name", launch.name},
           {"grid", to_json(launch.grid)},
           {"block", to_json(launch.block)},
           {"sm", launch.sm}};
  put(out, "module", launch.module);
  put(out, "shared_bytes", launch.shared_bytes);
  put(out, "local_bytes", launch.local_bytes);
  put(out, "local_arrays", launch.local_arrays);
  put_name(out, "status", launch.status);
  put(out, "reason", launch.reason);
  put(out, "error", launch.error);
  put(out, "warp_instructions", launch.warp_instructions);
  put(out, "seconds", launch.seconds);
  for (const diag::Diagnostic& d : launch.diagnostics) out["diagnostics"].push_back(to_json(d));
  for (const SiteRecord& site : launch.sites)
    out["sites"].push_back(to_json(site, launch.sm.empty() ? 0 : launch.sm[0]));
  return out;
}

LaunchRecord launch_of(const json& value) {
  LaunchRecord out;
  take(value, "index", out.index);
  take(value, "process", out.process);
  take(value, "kernel", out.kernel);
  take(value, "name", out.name);
  take(value, "module", out.module);
  take_dim(value, "grid", out.grid);
  take_dim(value, "block", out.block);
  each(value, "sm", [&](const json& element) { out.sm.push_back(number_of<u32>(element, "sm")); });
  take(value, "shared_bytes", out.shared_bytes);
  take(value, "local_bytes", out.local_bytes);
  out.local_arrays = strings(value, "local_arrays");
  take_name(value, "status", out.status);
  take(value, "reason", out.reason);
  take(value, "error", out.error);
  take(value, "warp_instructions", out.warp_instructions);
  take(value, "seconds", out.seconds);
  each(value, "diagnostics", [&](const json& element) { out.diagnostics.push_back(diagnostic_of(element)); });
  each(value, "sites", [&](const json& element) {
    SiteRecord site = site_record_of(element, out.sm.empty() ? 0 : out.sm[0]);
    if (site.counters.size() != out.sm.size())
      throw Unreadable("a site does not have one set of counters per architecture");
    out.sites.push_back(std::move(site));
  });
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
  json operator()(const Unsupported& e) const {
    return {{"event", "unsupported"}, {"process", e.process}, {"function", e.function}, {"calls", e.calls}};
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
  if (kind == "unsupported") {
    Unsupported out{process};
    take(value, "function", out.function);
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
