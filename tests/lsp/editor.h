// An editor as tests need one: it sends messages to a Session, keeps what comes back, and answers the session's questions.
#pragma once
#include "lsp/session.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::lsp {

using nlohmann::json;
using testing::HasSubstr;

inline constexpr const char* file = "/w/a.cu";
inline constexpr const char* uri = "file:///w/a.cu";
inline constexpr const char* code =
    "__global__ void k(float* a, int n) {\n  a[threadIdx.x * n] = 1; // é\n}\n";

inline findings::Finding finding_at(u32 line, u32 column) {
  findings::Finding out{.rule = findings::Rule::uncoalesced_store};
  out.place = {{file, line, column, {}}, {"/w/b.cuh", 7, 3, {}}};
  out.message = "store of 4 bytes to 'a': stride 4*n bytes";
  out.conditions = {"n >= 8"};
  out.costs = {{.sm = 90, .counter = "sectors", .least = 32, .most = 32, .needed = 4, .fixed = 4}};
  out.fix = findings::Fix{"swap the indices", {}, {}};
  return out;
}

inline Answer answer_with(const std::string& text, std::vector<findings::Finding> findings) {
  Answer out;
  out.texts[file] = text;
  for (const findings::Finding& finding : findings) {
    ShownAccess access;
    access.place = finding.place;
    access.kernel = "k(float*, int)";
    access.array = "a";
    access.what = "store of 4 bytes to 'a'";
    access.verdict = "uncoalesced";
    access.pattern = "stride 4*n bytes";
    access.costs = finding.costs;
    access.remarks = {"holds if " + finding.conditions[0]};
    out.accesses.push_back(std::move(access));
  }
  out.list.findings = std::move(findings);
  return out;
}

// An editor, and a Session that it speaks with.
struct Editor {
  std::vector<json> got;
  std::vector<std::pair<Question, std::chrono::milliseconds>> asked;
  std::vector<std::string> forgotten;
  std::string folder;
  Settings settings;
  std::vector<Run> runs;
  Session session{
      {[this](const std::string& content) { got.push_back(json::parse(content)); },
       [this](Question question, std::chrono::milliseconds pause) { asked.emplace_back(question, pause); },
       [this](const std::string& name) { forgotten.push_back(name); },
       [this](const std::string& name, const Settings& set) { folder = name, settings = set; },
       [this] { return runs; }, "1.2.3"}};

  void notify(const std::string& method, const json& params) {
    session.receive(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  json ask(const std::string& method, const json& params) {
    session.receive(json{{"jsonrpc", "2.0"}, {"id", "x"}, {"method", method}, {"params", params}}.dump());
    EXPECT_EQ(got.back()["id"], "x");
    return got.back().contains("result") ? got.back()["result"] : got.back();
  }
  void begin(const json& params = {{"rootUri", "file:///w"}, {"capabilities", json::object()}}) {
    ask("initialize", params);
    notify("initialized", json::object());
  }
  void open(const std::string& text = code) {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", "cuda"}, {"version", 1}, {"text", text}}}});
  }
  void type(const json& range, const std::string& text) {
    json change{{"text", text}};
    if (!range.is_null()) change["range"] = range;
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", 2}}}, {"contentChanges", json::array({change})}});
  }
  void answer(Answer with) { session.answered(asked.back().first, std::move(with)); }
  json published() const {
    return got.back().value("method", "") == "textDocument/publishDiagnostics" ? got.back()["params"]
                                                                               : json();
  }
  json at(u32 line, u32 character) const {
    return {{"textDocument", {{"uri", uri}}}, {"position", {{"line", line}, {"character", character}}}};
  }
  json all() const {
    return {{"textDocument", {{"uri", uri}}},
            {"range", span(0, 0, 99, 0)},
            {"context", {{"diagnostics", json::array()}}}};
  }
  static json span(u32 line, u32 character, u32 end_line, u32 end_character) {
    return {{"start", {{"line", line}, {"character", character}}},
            {"end", {{"line", end_line}, {"character", end_character}}}};
  }
};

} // namespace warplens::lsp
