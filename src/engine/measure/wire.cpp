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
  json out = json::object();
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

// The members of the other events.
template <class V> void members(V&& visit, Either<ProcessStarted> auto& e) {
  visit("executable", e.executable), visit("target", e.target), visit("sm", e.sm);
}
template <class V> void members(V&& visit, Either<LaunchStarted> auto& e) {
  visit("index", e.index), visit("name", e.name), visit("grid", e.grid), visit("block", e.block);
}
template <class V> void members(V&& visit, Either<LaunchAlike> auto& e) {
  visit("index", e.index), visit("as", e.as);
}
template <class V> void members(V&& visit, Either<LeftOut> auto& e) {
  visit("index", e.index), visit("name", e.name), visit("range", e.range);
}
template <class V> void members(V&& visit, Either<KernelsKnown> auto& e) { visit("names", e.names); }
template <class V> void members(V&& visit, Either<Unsupported> auto& e) {
  visit("function", e.function), visit("calls", e.calls);
}
template <class V> void members(V&& visit, Either<FailedCall> auto& e) {
  visit("function", e.function), visit("error", e.error), visit("place", e.place), visit("calls", e.calls);
}
template <class V> void members(V&& visit, Either<Message> auto& e) {
  visit.object("diagnostic", e.diagnostic);
}
template <class V> void members(V&&, Either<ProcessEnded> auto&) {}

constexpr const char* names[] = {"process_started", "launch_started", "launch",      "launch_alike",
                                 "left_out",        "kernels",        "unsupported", "failed_call",
                                 "message",         "process_ended"};
static_assert(std::size(names) == std::variant_size_v<Event>);

template <class E> json to_json(const E& event) {
  json out = json::object();
  const ShortWriter visit{out};
  visit("process", event.process);
  if constexpr (std::is_same_v<E, LaunchStarted>)
    if (event.as) {
      visit("index", event.index), out["as"] = *event.as;
      return out;
    }
  members(visit, event);
  return out;
}

template <class E> void read(const json& value, E& out) {
  const MemberReader visit{value};
  visit("process", out.process);
  members(visit, out);
  if constexpr (std::is_same_v<E, LaunchStarted>)
    if (value.contains("as")) visit("as", out.as.emplace());
  if constexpr (std::is_same_v<E, Message>)
    if (out.diagnostic == diag::Diagnostic{}) throw Unreadable("the message has no diagnostic");
}
void read(const json& value, LaunchRecord& out) { out = launch_of(value); }

Event event_of(const json& value) {
  expect_object(value, "the line");
  std::string kind;
  take(value, "event", kind);
  Event out;
  const auto read_as = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((kind == names[I] && (read(value, out.emplace<I>()), true)) || ...);
  };
  if (!read_as(std::make_index_sequence<std::size(names)>()))
    throw Unreadable(fmt::format("unknown event '{}'", kind));
  return out;
}

diag::Diagnostic unreadable(std::string why) {
  diag::Diagnostic out = diag::warning("event-unreadable", "an event of the program could not be read");
  out.notes.push_back(std::move(why));
  return out;
}

} // namespace

std::string encode(const Event& event, std::optional<u64> sequence) {
  json line = std::visit([](const auto& e) { return to_json(e); }, event);
  line["event"] = names[event.index()];
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
