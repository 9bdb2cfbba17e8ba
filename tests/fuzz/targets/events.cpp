// The stream of a program's events, whatever the program wrote into it, up to the report.
#include "driver/program/events.h"
#include "fuzz/target.h"
#include "report/json.h"
#include "report/read.h"
#include "report/terminal.h"
#include <sstream>

namespace {

using namespace warplens;

void show(const summary::Model& model) {
  (void)report::terminal(model, {.width = 80});
  (void)report::terminal(model, {.width = 120, .details = true, .top_lines = 0, .top_kernels = 0});
}

void require_read(const Result<report::Saved>& saved) {
  fuzz::require(saved.has_value(),
                saved ? ""
                      : ("a report that was written can be read: " + diag::render(saved.error())).c_str());
}

} // namespace

FUZZ_TARGET(events) {
  std::istringstream stream{std::string(input)};
  summary::Input events;
  driver::add_events(stream, {}, events);
  Result<summary::Model> model =
      summary::build(std::move(events), [](auto&, u32) { return std::nullopt; }, {});
  fuzz::require(model.has_value(), "a report is made of any events");
  show(*model);
  std::string text = report::json(*model, "fuzz");
  require_read(report::read_json(text, "written"));
}

FUZZ_TARGET(report) {
  Result<report::Saved> saved = report::read_json(input, "input");
  if (!saved) return fuzz::require(!saved.error().message.empty(), "what is refused has a message");
  Result<summary::Model> model = report::build(*saved);
  if (!model) return fuzz::require(!model.error().message.empty(), "what is refused has a message");
  show(*model);
  std::string text = report::json(*model, "fuzz");
  Result<report::Saved> again = report::read_json(text, "written");
  require_read(again);
  Result<summary::Model> same = report::build(*again);
  fuzz::require(same && report::json(*same, "fuzz") == text,
                "a report that was read is written again to the byte");
}
