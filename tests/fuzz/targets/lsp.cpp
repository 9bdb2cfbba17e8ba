// What an editor sends: a stream of messages, to a session that finds something in whatever text it is given.
#include "fuzz/target.h"
#include "lsp/framing.h"
#include "lsp/session.h"
#include <utility>
#include <vector>

FUZZ_TARGET(lsp) {
  using namespace warplens;
  std::vector<lsp::Question> questions;
  findings::List run;
  run.accesses.push_back({.place = {{"/a.cu", 1, 2, {}}},
                          .source = "x",
                          .what = "load",
                          .costs = {{.sm = 90, .counter = "sectors", .least = 4, .most = 8}}});
  lsp::Services services{
      .send =
          [](const std::string& content) {
            lsp::MessageReader reader; // what we say, we can read
            reader.feed(lsp::framed(content));
            if (reader.next() != content) __builtin_trap();
          },
      .ask = [&](lsp::Question question,
                 std::chrono::milliseconds) { questions.push_back(std::move(question)); },
      .forget = [](const std::string&) {},
      .configure = [](const std::string&, const lsp::Settings&) {},
      .runs =
          [&] {
            return std::vector{lsp::Run{"last run", std::make_shared<const findings::List>(run)}};
          },
      .version = "0"};
  lsp::Session session(std::move(services));
  lsp::MessageReader reader;
  reader.feed(input);
  while (std::optional<std::string> content = reader.next()) {
    session.receive(*content);
    for (const lsp::Question& question : std::exchange(questions, {})) {
      lsp::Answer answer;
      findings::Finding& finding =
          answer.list.findings.emplace_back(findings::Finding{.rule = findings::Rule::uncoalesced_load});
      finding.place = {{question.file, 2, 3, {}}, {"/b.cuh", 0, 0, {}}};
      finding.fix = findings::Fix{"fix", {}, {{question.file, 1, 1, 9, 9, "y"}}};
      answer.accesses.push_back({.place = finding.place, .what = "load"});
      answer.texts[question.file] = question.text;
      session.answered(question, std::move(answer));
    }
    if (session.ended()) return;
  }
}
