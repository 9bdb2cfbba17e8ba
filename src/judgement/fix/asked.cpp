// The JSON of questions and answers. See asked.h.
#include "fix/asked.h"
#include <nlohmann/json.hpp>

namespace warplens::fix {
namespace {

using nlohmann::json;

json json_of(const findings::Edit& e) { return {e.line, e.column, e.end_line, e.end_column, e.replacement}; }

findings::Edit edit_in(const json& j) { return {{}, j.at(0), j.at(1), j.at(2), j.at(3), j.at(4)}; }

std::string dumped(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

// What `read` makes of the text; nothing where a member is missing or has another type.
template <class T> std::optional<T> parsed(const std::string& text, T (*read)(const json&)) {
  const json j = json::parse(text, nullptr, false);
  try {
    if (!j.is_discarded()) return read(j);
  } catch (const json::exception&) {
  }
  return {};
}

} // namespace

std::string json(const Asked& asked) {
  nlohmann::json wishes = nlohmann::json::array();
  for (const Wish& w : asked.wishes)
    wishes.push_back({{"kind", static_cast<u32>(w.remedy.kind)},
                      {"bytes", w.remedy.bytes},
                      {"row", w.remedy.row},
                      {"array", w.array},
                      {"line", w.line},
                      {"column", w.column}});
  return dumped(
      {{"commands", asked.commands}, {"file", asked.file}, {"text", asked.text}, {"wishes", wishes}});
}

std::string json(const Answered& answered) {
  nlohmann::json made = nlohmann::json::array();
  for (const Made& m : answered.made) {
    nlohmann::json edits = nlohmann::json::array();
    for (const findings::Edit& edit : m.edits) edits.push_back(json_of(edit));
    made.push_back({{"edits", edits}, {"why", m.why}, {"line", m.line}, {"column", m.column}});
  }
  return dumped({{"problem", answered.problem}, {"made", made}});
}

std::optional<Asked> read_asked(const std::string& text) {
  return parsed<Asked>(text, [](const nlohmann::json& j) {
    Asked out{j.at("commands"), j.at("file"), j.at("text"), {}};
    for (const nlohmann::json& w : j.at("wishes")) {
      const u32 kind = w.at("kind");
      out.wishes.push_back({{static_cast<findings::Remedy::Kind>(kind), w.at("bytes"), w.at("row")},
                            w.at("array"),
                            w.at("line"),
                            w.at("column")});
    }
    return out;
  });
}

std::optional<Answered> read_answered(const std::string& text) {
  return parsed<Answered>(text, [](const nlohmann::json& j) {
    Answered out{j.at("problem"), {}};
    for (const nlohmann::json& m : j.at("made")) {
      Made& made = out.made.emplace_back(Made{{}, m.at("why"), m.at("line"), m.at("column")});
      for (const nlohmann::json& edit : m.at("edits")) made.edits.push_back(edit_in(edit));
    }
    return out;
  });
}

} // namespace warplens::fix
