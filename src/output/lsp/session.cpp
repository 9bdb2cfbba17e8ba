// Messages by their method, questions to the worker and its answers, and what is published. See session.h.
#include "lsp/session.h"
#include "base/nesting.h"
#include "lsp/uri.h"
#include "lsp/views.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::lsp {
namespace {

using json = nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds at_once{0}, pause_in_typing{500};
// JSON-RPC 2.0, and the protocol's own
constexpr int parse_error = -32700, invalid_request = -32600, method_not_found = -32601,
              invalid_params = -32602, not_initialized = -32002;

// The member at the end of the way; null where there is none.
const json& at(const json& value, std::initializer_list<const char*> way) {
  static const json none;
  const json* here = &value;
  for (const char* name : way) {
    if (!here->is_object()) return none;
    auto found = here->find(name);
    if (found == here->end()) return none;
    here = &*found;
  }
  return *here;
}

std::string text_at(const json& value, std::initializer_list<const char*> way) {
  const json& found = at(value, way);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::optional<Position> position_in(const json& value) {
  const json &line = at(value, {"line"}), &character = at(value, {"character"});
  constexpr u64 most = ~u32{0};
  if (!line.is_number_unsigned() || !character.is_number_unsigned() || line.get<u64>() > most ||
      character.get<u64>() > most)
    return {};
  return Position{line.get<u32>(), character.get<u32>()};
}

std::optional<Range> range_in(const json& value) {
  std::optional<Position> start = position_in(at(value, {"start"})), end = position_in(at(value, {"end"}));
  if (!start || !end) return {};
  return Range{*start, *end};
}

bool contains(const json& list, std::string_view word) {
  if (!list.is_array()) return false;
  for (const json& one : list)
    if (one.is_string() && one.get_ref<const std::string&>() == word) return true;
  return false;
}

std::string folder_of(const json& params) {
  const json& folders = at(params, {"workspaceFolders"});
  std::string uri = folders.is_array() && !folders.empty() ? text_at(folders[0], {"uri"}) : "";
  if (uri.empty()) uri = text_at(params, {"rootUri"});
  if (std::optional<std::string> path = path_of(uri)) return *path;
  return text_at(params, {"rootPath"});
}

Settings settings_in(const json& value) {
  Settings out;
  auto text = [&](const char* name, std::optional<std::string>& to) {
    if (std::string word = text_at(value, {name}); !word.empty()) to = std::move(word);
  };
  auto flag = [&](const char* name, bool& to) {
    if (const json& found = at(value, {name}); found.is_boolean()) to = found.get<bool>();
  };
  text("sm", out.sm);
  text("compiler", out.compiler);
  text("compileOptions", out.compile_options);
  text("compileCommands", out.compile_commands);
  text("block", out.block);
  text("lastRun", out.last_run);
  text("measured", out.measured);
  flag("checkWhileTyping", out.check_while_typing);
  flag("inlayHints", out.hints);
  return out;
}

bool is_judged(std::string_view file) { return file.ends_with(".cu") || file.ends_with(".cuh"); }

std::set<std::string> files_of(const Answer& answer) {
  std::set<std::string> out;
  for (const findings::Finding& finding : answer.list.findings)
    if (!finding.place.empty()) out.insert(finding.place.front().file);
  return out;
}

} // namespace

Session::Session(Services services) : services_(std::move(services)) {}
Session::~Session() = default;

void Session::send(const json& message) {
  services_.send(message.dump(-1, ' ', false, json::error_handler_t::replace));
}
void Session::reply(const json& id, json result) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}
void Session::fail(const json& id, int code, const std::string& message) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void Session::refuse(const std::string& why) { fail(nullptr, parse_error, why); }

void Session::receive(const std::string& content) {
  const json message =
      nested_too_deep(content) ? json(json::value_t::discarded) : json::parse(content, nullptr, false);
  if (message.is_discarded()) return fail(nullptr, parse_error, "the message is not JSON");
  if (!message.is_object()) return fail(nullptr, invalid_request, "the message is not one JSON object");
  const json& id = at(message, {"id"});
  const bool wants_answer = message.contains("id");
  if (wants_answer && !id.is_string() && !id.is_number_integer())
    return fail(nullptr, invalid_request, "an id is neither a string nor a whole number");
  const json& method = at(message, {"method"});
  if (!method.is_string()) {
    const bool is_answer = wants_answer && (message.contains("result") || message.contains("error"));
    if (!is_answer) fail(wants_answer ? id : json(), invalid_request, "the message has no method");
    return; // what we asked needs no answer
  }
  const json& params = at(message, {"params"});
  if (wants_answer)
    request(id, method, params);
  else
    notification(method, params);
}

void Session::request(const json& id, const std::string& method, const json& params) {
  if (shut_down_) return fail(id, invalid_request, "the server was shut down");
  if (method == "initialize") {
    if (initialized_) return fail(id, invalid_request, "the server is initialized already");
    return reply(id, initialize(params));
  }
  if (!initialized_) return fail(id, not_initialized, "the first request is initialize");
  if (method == "shutdown") {
    shut_down_ = true;
    for (const auto& [file, document] : documents_) services_.forget(file);
    return reply(id, nullptr);
  }
  const bool known = method == "textDocument/hover" || method == "textDocument/inlayHint" ||
                     method == "textDocument/codeAction";
  if (!known) return fail(id, method_not_found, "there is no method '" + method + "'");
  std::string file;
  const Document* of = document(params, &file);
  if (of == nullptr) return fail(id, invalid_params, "the document is not open, or no file");
  View view{file, &of->text, encoding_, {}, {}, services_.runs()};
  for (const auto& [judged, answer] : answers_) view.answers.push_back(answer);
  if (method == "textDocument/hover") {
    const std::optional<Position> where = position_in(at(params, {"position"}));
    if (!where) return fail(id, invalid_params, "there is no position");
    return reply(id, hover(view, *where, markdown_));
  }
  const std::optional<Range> range = range_in(at(params, {"range"}));
  if (!range) return fail(id, invalid_params, "there is no range");
  if (method == "textDocument/inlayHint")
    return reply(id, settings_.hints ? inlay_hints(view, *range) : json::array());
  const json& only = at(params, {"context", "only"});
  if (only.is_array() && !contains(only, "quickfix") && !contains(only, "")) return reply(id, json::array());
  reply(id, code_actions(view, *range, [&](const std::string& other) -> const Text* {
          auto open = documents_.find(other);
          return open == documents_.end() ? nullptr : &open->second.text;
        }));
}

json Session::initialize(const json& params) {
  initialized_ = true;
  const json& can = at(params, {"capabilities"});
  if (contains(at(can, {"general", "positionEncodings"}), "utf-8")) encoding_ = Encoding::utf8;
  const json& formats = at(can, {"textDocument", "hover", "contentFormat"});
  markdown_ = !formats.is_array() || contains(formats, "markdown");
  refreshes_hints_ = at(can, {"workspace", "inlayHint", "refreshSupport"}) == true;
  folder_ = folder_of(params);
  configure(at(params, {"initializationOptions"}));
  return {{"capabilities",
           {{"positionEncoding", encoding_ == Encoding::utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
            {"hoverProvider", true},
            {"inlayHintProvider", true},
            {"codeActionProvider", {{"codeActionKinds", json::array({"quickfix"})}}}}},
          {"serverInfo", {{"name", "warplens"}, {"version", services_.version}}}};
}

void Session::configure(const json& settings) {
  settings_ = settings_in(settings);
  services_.configure(folder_, settings_);
}

void Session::notification(const std::string& method, const json& params) {
  if (method == "exit") {
    ended_ = true;
    return;
  }
  if (!initialized_ || shut_down_) return; // the protocol: dropped
  if (method == "textDocument/didOpen") open(params);
  if (method == "textDocument/didChange") change(params);
  if (method == "textDocument/didSave") save(params);
  if (method == "textDocument/didClose") close(params);
  if (method == "workspace/didChangeConfiguration") {
    if (const json& settings = at(params, {"settings", "warplens"}); settings.is_object())
      configure(settings);
    for (const auto& [file, document] : documents_) ask(file, at_once);
  }
}

Document* Session::document(const json& params, std::string* file) {
  const std::optional<std::string> path = path_of(text_at(params, {"textDocument", "uri"}));
  if (!path) return nullptr;
  if (file != nullptr) *file = *path;
  auto found = documents_.find(*path);
  return found == documents_.end() ? nullptr : &found->second;
}

void Session::open(const json& params) {
  const std::string uri = text_at(params, {"textDocument", "uri"});
  const std::optional<std::string> path = path_of(uri);
  if (!path) return;
  documents_[*path] = {uri, Text(text_at(params, {"textDocument", "text"})), 0};
  ask(*path, at_once);
}

void Session::change(const json& params) {
  std::string file;
  Document* of = document(params, &file);
  const json& changes = at(params, {"contentChanges"});
  if (of == nullptr || !changes.is_array()) return;
  for (const json& one : changes) {
    const std::string text = text_at(one, {"text"});
    if (const std::optional<Range> range = range_in(at(one, {"range"})))
      of->text.replace(*range, text, encoding_);
    else
      of->text = Text(text);
  }
  if (settings_.check_while_typing) ask(file, pause_in_typing);
}

void Session::save(const json& params) {
  std::string file;
  if (document(params, &file) != nullptr) ask(file, at_once);
}

void Session::close(const json& params) {
  std::string file;
  if (document(params, &file) == nullptr) return;
  services_.forget(file);
  documents_.erase(file);
  std::set<std::string> touched{file};
  if (auto answer = answers_.find(file); answer != answers_.end()) touched.merge(files_of(*answer->second));
  if (auto problem = problems_.find(file); problem != problems_.end()) touched.insert(problem->second.file);
  answers_.erase(file);
  problems_.erase(file);
  publish(touched);
}

void Session::ask(const std::string& file, milliseconds pause) {
  if (!is_judged(file)) return;
  Document& of = documents_.at(file);
  of.asked = ++questions_;
  services_.ask({file, of.text.content(), of.asked}, pause);
}

void Session::answered(const Question& question, Answer answer) {
  auto document = documents_.find(question.file);
  if (shut_down_ || document == documents_.end() || document->second.asked != question.number) return;
  std::set<std::string> touched{question.file};
  if (auto before = answers_.find(question.file); before != answers_.end())
    touched.merge(files_of(*before->second));
  if (auto before = problems_.find(question.file); before != problems_.end())
    touched.insert(before->second.file);
  problems_.erase(question.file);
  if (answer.problem) { // what was found before stays, where the text did
    touched.insert(answer.problem->file);
    problems_[question.file] = *answer.problem;
  } else {
    touched.merge(files_of(answer));
    answers_[question.file] = std::make_shared<const Answer>(std::move(answer));
  }
  publish(touched);
  refresh_hints();
}

void Session::refresh_hints() {
  if (!refreshes_hints_ || shut_down_) return;
  send({{"jsonrpc", "2.0"},
        {"id", fmt::format("hints-{}", ++refreshes_)},
        {"method", "workspace/inlayHint/refresh"}});
}

void Session::publish(const std::set<std::string>& files) {
  for (const std::string& file : files) {
    auto open = documents_.find(file);
    View view{file, {}, encoding_, {}, {}, {}};
    Text as_judged; // of a file that is not open
    for (const auto& [judged, answer] : answers_) {
      view.answers.push_back(answer);
      if (auto text = answer->texts.find(file); text != answer->texts.end()) as_judged = Text(text->second);
    }
    for (const auto& [judged, problem] : problems_)
      if (problem.file == file) view.problems.push_back(problem);
    view.text = open == documents_.end() ? &as_judged : &open->second.text;
    json found = diagnostics(view);
    if (found.empty() && !published_.contains(file) && open == documents_.end()) continue;
    found.empty() ? (void)published_.erase(file) : (void)published_.insert(file);
    send({{"jsonrpc", "2.0"},
          {"method", "textDocument/publishDiagnostics"},
          {"params",
           {{"uri", open == documents_.end() ? uri_of(file) : open->second.uri},
            {"diagnostics", std::move(found)}}}});
  }
}

} // namespace warplens::lsp
