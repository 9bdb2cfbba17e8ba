// One conversation with an editor, as the Language Server Protocol 3.17 has it
// (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/): from initialize to exit, the
// documents that are open, and what was found in them.
//
// receive() takes one message and answers at once, out of what is known. Judging a file takes a compiler's time, and happens
// elsewhere (Services::ask); its answer comes back through answered(), and goes to the editor as diagnostics. What was found
// in a text that has changed since is shown where its lines are now, and not at all where they changed.
//
// Not thread-safe: whoever calls receive() and answered() from two threads takes turns.
#pragma once
#include "lsp/answer.h"
#include "lsp/text.h"
#include <nlohmann/json_fwd.hpp>
#include <set>

namespace warplens::lsp {

// A document of the editor, and what belongs to it.
struct Document {
  std::string uri;
  Text text;
  u64 asked = 0; // Question::number of the last; an answer to an earlier one comes too late
};

class Session {
public:
  explicit Session(Services);
  ~Session();

  void receive(const std::string& content);
  void answered(const Question&, Answer);
  void refresh_hints(); // there is another last run
  // What cannot be read as messages is told before the end.
  void refuse(const std::string& why);

  bool ended() const { return ended_; }
  int exit_code() const { return shut_down_ ? 0 : 1; } // as the protocol wants it

private:
  using json = nlohmann::json;
  void request(const json& id, const std::string& method, const json& params);
  void notification(const std::string& method, const json& params);
  json initialize(const json& params);
  void open(const json& params);
  void change(const json& params);
  void save(const json& params);
  void close(const json& params);
  void configure(const json& settings);
  void ask(const std::string& file, std::chrono::milliseconds pause);
  void publish(const std::set<std::string>& files);
  Document* document(const json& params, std::string* file = nullptr);

  void send(const json&);
  void reply(const json& id, json result);
  void fail(const json& id, int code, const std::string& message);

  Services services_;
  Settings settings_;
  std::string folder_;
  Encoding encoding_ = Encoding::utf16;
  bool initialized_ = false, shut_down_ = false, ended_ = false, markdown_ = true, refreshes_hints_ = false;
  u64 questions_ = 0, refreshes_ = 0;
  std::map<std::string, Document> documents_;                    // by file
  std::map<std::string, std::shared_ptr<const Answer>> answers_; // by the file that was judged
  std::map<std::string, Problem> problems_;                      // likewise; the last attempt failed
  std::set<std::string> published_;                              // files with diagnostics
};

} // namespace warplens::lsp
